"""An order of the items that does not depend on the one in which they were given."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph import order as module
from spherelax.coordinate.graph.graph import build_graph, keys_of_items
from spherelax.coordinate.graph.order import Order, canonical
from spherelax.coordinate.graph.source import Rows
from spherelax.problem import Problem

SIZES = (5, 9, 9, 14)


def parts(rng):
    """Connected parts with continuous similarities, so that all items can be told apart."""
    blocks = []
    for size in SIZES:
        half = np.triu(rng.random((size, size)) * (rng.random((size, size)) < 0.4), 1)
        half[np.arange(size - 1), np.arange(1, size)] = rng.random(size - 1) + 0.1
        blocks.append(sp.csr_array(half + half.T))
    return sp.block_diag(blocks).toarray()


def check_same(found, expected):
    for one, other in zip(found[:-2], expected[:-2], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_given_does_not_matter(grouped, seed):
    rng = np.random.default_rng(seed)
    W = parts(rng)
    # Each part has an item of each group at most, so that nothing falls apart.
    groups = np.concatenate([rng.permutation(14)[:size] for size in SIZES])
    groups = groups if grouped else np.arange(len(W))
    expected = build_graph(Problem.check(W, groups))
    for _ in range(3):
        shuffle = rng.permutation(len(W))
        found = build_graph(Problem.check(W[np.ix_(shuffle, shuffle)], groups[shuffle]))
        check_same(found, expected)
        np.testing.assert_array_equal(shuffle[found.given], expected.given)


def test_a_rising_function_of_similarities_does_not_matter(seed):
    W = parts(np.random.default_rng(seed))
    before, after = (build_graph(Problem.check(V)) for V in (W, np.expm1(3.0 * W)))
    np.testing.assert_array_equal(before.given, after.given)


def test_small_components_come_first_and_what_lies_beside_changes_none(seed):
    rng = np.random.default_rng(seed)
    W = parts(rng)
    graph = build_graph(Problem.check(W))
    np.testing.assert_array_equal(np.diff(graph.component_ptr), SIZES)
    alone = build_graph(Problem.check(W[-14:, -14:]))
    np.testing.assert_array_equal(graph.given[-14:], alone.given + len(W) - 14)


@pytest.mark.parametrize("block", [1, 7, 1 << 15])
def test_values_become_ranks_in_their_row(block, monkeypatch, seed):
    monkeypatch.setattr(module, "BLOCK_ENTRIES", block)
    rng = np.random.default_rng(seed)
    indptr = np.r_[0, np.cumsum(rng.integers(0, 6, size=20))].astype(np.int64)
    values = rng.integers(1, 4, size=indptr[-1]).astype(np.float32)
    rows = Rows(indptr, np.zeros(indptr[-1], np.int32), values, np.empty(0, np.int32))
    expected = [
        int(np.searchsorted(np.unique(row), value))
        for row in np.split(values.copy(), indptr[1:-1])
        for value in row
    ]
    module._rank(rows)
    np.testing.assert_array_equal(rows.values, expected)


def path_of(n):
    """Equal similarities from each item to the next."""
    W = sp.csr_array(np.eye(n, k=1) + np.eye(n, k=-1))
    indptr, values = W.indptr.astype(np.int64), W.data.astype(np.float32)
    rows = Rows(indptr, W.indices.astype(np.int32), values, np.empty(0, np.int32))
    items = np.arange(n, dtype=np.int32)
    return rows, Order(items, np.array([0, n], np.int32), np.arange(n + 1, dtype=np.int32))


def test_items_that_cannot_be_told_apart_stay_as_given():
    """The two ends of a path are alike, and so are their neighbours."""
    found = canonical(*path_of(7)).items.tolist()
    places = {item: place for place, item in enumerate(found)}
    for one, other in ((0, 6), (1, 5), (2, 4)):
        assert places[other] == places[one] + 1


def test_rounds_go_on_while_they_tell_more_apart(monkeypatch):
    keys = module._keys(*path_of(21))
    assert len(np.unique(keys)) == 11
    monkeypatch.setattr(module, "ROUNDS", 2)
    assert len(np.unique(module._keys(*path_of(21)))) < 11


def test_keys_tell_which_items_have_other_similarities(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) < 0.5), 1)
    W = W + W.T
    later = W.copy()
    later[2, 7] = later[7, 2] = 0.5 * W.max() + 1e-3
    order = rng.permutation(12)
    before, after = (
        build_graph(Problem.check(V), 1.0) for V in (W[:10, :10], later[order][:, order])
    )
    names = np.where(order < 10, order, -1)  # by which the ten items are known again
    found = keys_of_items(after, names)[np.argsort(order)][:10]
    same = (W[:10, :10] == later[:10, :10]).all(axis=1)
    np.testing.assert_array_equal(found == keys_of_items(before), same)
