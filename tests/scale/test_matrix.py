"""The matrix of a shard against that of the reader in memory."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.problem import Problem

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from support.shard_tables import table  # noqa: E402

from spherelax import scale  # noqa: E402
from spherelax.scale import matrix  # noqa: E402


@pytest.mark.parametrize("limit", [0, 1 << 24])
@pytest.mark.parametrize("has_sources", [True, False])
def test_matrix_of_a_shard_is_that_in_memory(tmp_path, monkeypatch, seed, limit, has_sources):
    monkeypatch.setattr(matrix, "MANY_PAIRS", limit)
    pairs = table(seed, has_sources=has_sources)
    plan = scale.ingest(pairs, tmp_path, n_shards=3)
    whole = sl.io.read_pairs(pairs)
    ids = {name: row for row, name in enumerate(whole.ids)}
    for shard in plan.shards:
        for _ in range(2):  # files are made, then mapped
            problem = shard.problem(plan.kind)
        chosen = [ids[name] for name in shard.items().id.to_pylist()]
        expected = whole.problem.similarity[chosen][:, chosen]
        found = Problem.check(problem.similarity.copy())
        assert (found.similarity != expected).nnz == 0
        assert found.similarity.has_sorted_indices
        if has_sources:
            groups = Problem.check(expected, [whole.groups[row] for row in chosen]).groups
            np.testing.assert_array_equal(problem.groups, groups)
        else:
            assert problem.groups is None
    assert len(list(tmp_path.glob("shard-*/data.npy"))) == (0 if limit else 3)
