"""Answers of a shard: entities are numbered by their first record, and sums add up."""

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("duckdb")

from support.shard_tables import table  # noqa: E402 (it needs pyarrow)

from spherelax import scale  # noqa: E402
from spherelax.io.files.mapped import save_array  # noqa: E402
from spherelax.scale.answers import answer, part, read_sums  # noqa: E402
from spherelax.scale.shares import CONFIDENCE, LABELS  # noqa: E402


def test_numbers_and_sums(tmp_path):
    plan = scale.ingest(table(), tmp_path / "shards", n_shards=2)
    shard, rng = plan.shards[1], np.random.default_rng(0)
    labels = np.unique(rng.integers(20, size=shard.n_items), return_inverse=True)[1]
    confidence = rng.random(shard.n_items)
    save_array(shard.folder / LABELS, labels.astype(np.int32))
    save_array(shard.folder / CONFIDENCE, confidence.astype(np.float32))
    answer(plan.folder, 1, tmp_path)
    found = pq.read_table(part(tmp_path, 1)).to_pydict()
    items = shard.items()
    assert found["id"] == items.id.to_pylist()
    first = {label: min(items.number[labels == label].tolist()) for label in set(labels.tolist())}
    assert found["entity"] == [first[label] for label in labels.tolist()]
    sums = read_sums(shard)
    sizes = np.bincount(labels)
    assert sums["n_items"] == sum(size * n for size, n in sums["sizes"]) == shard.n_items
    assert dict(map(tuple, sums["sizes"])) == {
        s: int((sizes == s).sum()) for s in set(sizes.tolist())
    }
    assert sums["confidence"] == pytest.approx(confidence.sum(), rel=1e-5)
    assert sum(sums["bins"]) == shard.n_items
    assert max(sample["size"] for sample in sums["samples"]) == sizes.max()
