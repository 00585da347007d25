"""Answers: the entity of each record by shard, with the user's ids, and small sums of them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.io.answers.packed import Values
from spherelax.io.files.mapped import mapped
from spherelax.io.files.seals import damaged, read_json, seal_json
from spherelax.io.tables.parquet import parquet_batches, parquet_columns, write_parquet
from spherelax.result import UNSURE
from spherelax.scale.shards import ITEMS, Shard, read_plan
from spherelax.scale.shares import CONFIDENCE, LABELS

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema

SUMS = "sums.json"
# Of each shard, entities that the report shows: the largest, those with the least certain records,
# and how many of their records.
N_SAMPLES, N_MEMBERS = 8, 10
# Bins of confidence from 0 to 1.
N_BINS = 10


class Numbered(NamedTuple):
    """Entities of a shard: the entity of each record, and the first record of each label."""

    entity: NDArray[np.int64]
    first: NDArray[np.intp]


def part(into: Path, shard: int) -> Path:
    """Return the file of the answers of a shard.

    Examples
    --------
    >>> part(Path("entities"), 7).as_posix()
    'entities/part-00007.parquet'
    """
    return into / f"part-{shard:05d}.parquet"


def answer(folder: Path, shard: int, into: Path) -> None:
    """Write the answers of a shard of a plan that is solved, and then its sums.

    The number of an entity is that of its first record among all records: it does not depend on
    the shards.
    """
    chosen = read_plan(folder).shards[shard]
    labels, confidence = mapped(chosen.folder / LABELS), mapped(chosen.folder / CONFIDENCE)
    if not len(labels) == len(confidence) == chosen.n_items:
        raise damaged(chosen.folder / LABELS)
    found = _numbered(chosen, labels)
    pyarrow = import_module("pyarrow")
    key: list[str] = [
        name for name in ("source", "id") if name in parquet_columns(chosen.file(ITEMS))
    ]
    schema = _schema(pyarrow, chosen, key)

    def batches() -> Iterator[RecordBatch]:
        at = 0
        for batch in parquet_batches(chosen.file(ITEMS), key):
            rows = slice(at, at + batch.num_rows)
            columns = [*batch.columns, found.entity[rows], confidence[rows]]
            yield pyarrow.record_batch(columns, schema=schema)
            at += batch.num_rows

    write_parquet(part(into, shard), batches(), schema)
    sums = _sums(labels, confidence)
    sums["samples"] = _samples(chosen, key, labels, confidence, found)
    seal_json(chosen.folder / SUMS, sums)


def read_sums(shard: Shard) -> Values:
    """Read the sums of a shard."""
    return read_json(shard.folder / SUMS)


def _schema(pyarrow: ModuleType, shard: Shard, key: list[str]) -> Schema:
    """Return the columns of an answer; ids have the type that the user gave them."""
    given = next(parquet_batches(shard.file(ITEMS), key, n_rows=1)).schema
    found = [("entity", pyarrow.int64()), ("confidence", pyarrow.float32())]
    return pyarrow.schema([*((name, given.field(name).type) for name in key), *found])


def _numbered(shard: Shard, labels: NDArray[np.int32]) -> Numbered:
    """Give the entities their numbers; records are in the order of theirs."""
    m = len(labels)
    first = np.zeros(int(labels.max()) + 1, dtype=np.intp)
    first[labels[::-1]] = np.arange(m - 1, -1, -1)  # of several, the last one stays
    batches = parquet_batches(shard.file(ITEMS), ["item"])
    number = np.concatenate([batch["item"].to_numpy() for batch in batches])
    return Numbered(number[first][labels], first)


def _sums(labels: NDArray[np.int32], confidence: NDArray[np.float32]) -> Values:
    """Count records by confidence, and entities by size."""
    sizes, counts = np.unique(np.bincount(labels), return_counts=True)
    bins = np.minimum((confidence * N_BINS).astype(np.intp), N_BINS - 1)
    return {
        "n_items": len(labels),
        "n_unsure": int(np.count_nonzero(confidence < UNSURE)),
        "confidence": float(confidence.sum(dtype=float)),
        "bins": np.bincount(bins, minlength=N_BINS).tolist(),
        "sizes": [[size, n] for size, n in zip(sizes.tolist(), counts.tolist(), strict=True) if n],
    }


def _samples(
    shard: Shard,
    key: list[str],
    labels: NDArray[np.int32],
    confidence: NDArray[np.float32],
    found: Numbered,
) -> list[Values]:
    """Return some entities with some of their records: the largest, and the least certain."""
    sizes = np.bincount(labels)
    n = min(N_SAMPLES, len(sizes))
    largest = np.argsort(-sizes, kind="stable")[:n]
    doubtful = labels[np.argsort(confidence, kind="stable")[: n * N_MEMBERS]]
    chosen = np.unique(np.r_[largest, list(dict.fromkeys(doubtful.tolist()))[:n]]).tolist()
    rows = {label: np.flatnonzero(labels == label)[:N_MEMBERS].tolist() for label in chosen}
    keys = _keys(shard, key, sorted(row for several in rows.values() for row in several))
    return [
        {
            "entity": int(found.entity[several[0]]),
            "size": int(sizes[label]),
            "confidence": min(confidence[several].tolist()),
            "records": [keys[row] for row in several],
        }
        for label, several in rows.items()
    ]


def _keys(shard: Shard, key: list[str], rows: list[int]) -> dict[int, list[object]]:
    """Return the keys of some records of a shard, given in order."""
    found: dict[int, list[object]] = {}
    at = 0
    for batch in parquet_batches(shard.file(ITEMS), key):
        inside = [row for row in rows if at <= row < at + batch.num_rows]
        cells = batch.take([row - at for row in inside]).to_pylist() if inside else []
        found |= {row: list(cell.values()) for row, cell in zip(inside, cells, strict=True)}
        at += batch.num_rows
    return found
