"""Pairs of records for shards, and their entities without other processes."""

import tempfile
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spherelax import scale
from spherelax.scale import run
from spherelax.scale.tasks import perform_shard

N_SHARDS = 4


def table(seed=0, n_entities=60, *, has_sources=True, ids=str):
    """Make pairs of records of three sources; wrong ones join two or three entities."""
    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(n_entities), 3)
    right = [(3 * e + a, 3 * e + b) for e in range(n_entities) for a, b in ((0, 1), (0, 2), (1, 2))]
    block = rng.integers(0, n_entities // 3, n_entities // 2)
    wrong = [(9 * k + int(a), 9 * k + int(b)) for k in block for a, b in [rng.integers(0, 9, 2)]]
    wrong = [(a, b) for a, b in wrong if a % 3 != b % 3 and entity[a] != entity[b]]
    score = np.r_[rng.uniform(0.6, 1.0, len(right)), rng.uniform(0.1, 0.5, len(wrong))]
    a, b = np.array(right + wrong).T
    sources = np.array(["shop", "bank", "town"])
    columns = {}
    for side, items in (("a", a), ("b", b)):
        if has_sources:
            columns[f"source_{side}"] = sources[items % 3].tolist()
        columns[f"id_{side}"] = [ids(int(item)) for item in items]
    return pa.table({**columns, "score": score})


def rows(entities):
    """Return the rows of all files, in the order of the user's ids."""
    found = [row for file in entities.parts for row in pq.read_table(file).to_pylist()]
    return sorted(found, key=lambda row: (row.get("source", ""), row["id"]))


class Here:
    """Work in this process, which starts no others."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def n_threads(self, _, *, is_alone):
        return 1 + is_alone

    def memory(self):
        return run.available()

    def run(self, given, done):
        for task in given:
            task.work(*task.arguments)
            done(task)


@cache
def answer():
    """Return the answer of a run in this process that nothing has disturbed."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(run, "Processes", lambda *_: Here())
        patch.setattr(run, "perform_shard", perform_shard)
        return rows(scale.solve(table(), folder, n_shards=N_SHARDS))
