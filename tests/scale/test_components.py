"""Components of pairs in pieces against SciPy's, and their shards."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from spherelax.scale.components import Forest, pack

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
scale = pytest.importorskip("spherelax.scale")


@settings(deadline=None)  # the first call compiles
@given(st.integers(1, 40), st.integers(0, 80), st.integers(1, 5), st.randoms())
def test_forest_finds_components(n_items, n_pairs, n_pieces, rng):
    a = np.array([rng.randrange(n_items) for _ in range(n_pairs)], dtype=np.int32)
    b = np.array([rng.randrange(n_items) for _ in range(n_pairs)], dtype=np.int32)
    forest = Forest.of(n_items)
    for left, right in zip(np.array_split(a, n_pieces), np.array_split(b, n_pieces), strict=True):
        forest.add(left, right)
    W = sp.coo_array((np.ones(n_pairs), (a, b)), shape=(n_items, n_items))
    n_components, expected = connected_components(W, directed=False)
    found = forest.components()
    assert forest.n_components() == n_components
    np.testing.assert_array_equal(found.of_item, expected)  # both in order of the smallest items
    np.testing.assert_array_equal(found.n_items, np.bincount(expected))
    np.testing.assert_array_equal(found.n_pairs, np.bincount(expected[a], minlength=n_components))
    assert forest.largest().n_pairs == found.n_pairs.max()


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 30))
def test_shards_have_a_bounded_size(sizes, max_pairs):
    n_pairs = np.array(sizes)
    weight = np.maximum(n_pairs, 1)
    shard = pack(n_pairs, max_pairs=max_pairs)
    loads = np.bincount(shard, weight)
    assert loads.all()
    for giant in np.flatnonzero(weight > max_pairs):
        assert np.count_nonzero(shard == shard[giant]) == 1
    assert (loads[shard[weight <= max_pairs]] < 2 * max_pairs).all()


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 9))
def test_shards_are_as_many_as_asked_for(sizes, n_shards):
    shard = pack(np.array(sizes), max_pairs=1, n_shards=n_shards)
    assert len(np.unique(shard)) == shard.max() + 1 == min(n_shards, len(sizes))
