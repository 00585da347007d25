"""Shards in files: a damaged one is named."""

import pytest

from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from spherelax import scale  # noqa: E402


@pytest.mark.slow
def test_corrupt_shard_is_named(tmp_path, pairs):
    plan = scale.ingest(pairs, tmp_path / "shards", n_shards=2)
    edges = plan.shards[1].folder / "edges.parquet"
    edges.write_bytes(edges.read_bytes()[:-9])
    with pytest.raises(InvalidInputError, match=r"shard-00001: .*edges.parquet: was damaged"):
        scale.solve(plan, tmp_path / "out", n_jobs=1)
