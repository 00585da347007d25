"""The graph that kernels walk: the same from any kind of matrix, in little memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from support.twins import dense_similarity

from spherelax.coordinate.graph import graph as graph_module
from spherelax.coordinate.graph import order as order_module
from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import MOST_NATS, Problem


def counts(seed, m=30):
    """Symmetric integers from 0 to 16, which any dtype holds, with a diagonal."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.integers(1, 17, size=(m, m)) * (rng.random((m, m)) < 0.3))
    W[0, 1] = 16
    return W + np.triu(W, 1).T


def check_same(found, expected):
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype


def test_similarities_of_any_size_count_in_an_earlier_unit():
    W = np.array([[0.0, 1e300, 2e-300], [1e300, 0.0, 1e-300], [2e-300, 1e-300, 0.0]])
    graph = build_graph(Problem.check(W), 1e-300)
    np.testing.assert_array_equal(np.unique(graph.values), np.float32([1.0, 2.0, MOST_NATS]))


@pytest.mark.parametrize("grouped", [False, True])
def test_graphs_hold_what_lies_between_groups_relative_to_the_largest(grouped, seed):
    W = counts(seed)
    groups = np.random.default_rng(seed).integers(8, size=len(W)) if grouped else np.arange(len(W))
    graph = build_graph(Problem.check(W, groups if grouped else None))
    W, groups = W[np.ix_(graph.given, graph.given)], groups[graph.given]
    expected = np.where(groups[:, None] == groups, 0, W)
    expected = (expected / expected.max()).astype(np.float32)
    np.testing.assert_array_equal(dense_similarity(graph), expected)
    assert len(graph.values) == np.count_nonzero(expected)
    np.testing.assert_array_equal(graph.weight, expected.any(axis=1))
    assert graph.grouped == grouped
    np.testing.assert_array_equal(
        graph.groups()[:, None] == graph.groups(), groups[:, None] == groups
    )
    assert graph.strongest == graph.values.max()
    assert [str(array.dtype) for array in graph[:-1]] == [
        "int64", "int32", "float32", "float32", "int32", "int32", "int32", "int32"
    ]  # fmt: skip


@pytest.mark.parametrize("groups", [None, "some"])
def test_any_kind_of_matrix_gives_the_same_graph(groups, seed):
    W = counts(seed)
    if groups is not None:
        groups = np.random.default_rng(seed).integers(8, size=len(W))
    expected = build_graph(Problem.check(W, groups))
    for dtype in (np.uint8, np.int32, np.float16, np.float32, np.float64):
        check_same(build_graph(Problem.check(W.astype(dtype), groups)), expected)
        sparse = sp.csr_array(W.astype(np.float32 if dtype == np.float16 else dtype))
        check_same(build_graph(Problem.check(sparse, groups)), expected)
    for scale in (1e200, 1e-200):
        check_same(build_graph(Problem.check(scale * W, groups)), expected)
        check_same(build_graph(Problem.check(sp.csr_array(scale * W), groups)), expected)
    check_same(build_graph(Problem.check(np.asfortranarray(W), groups)), expected)
    check_same(build_graph(Problem.check(sp.coo_array(W), groups)), expected)


@pytest.mark.parametrize("block_entries", [1, 50, 200])
def test_blocks_give_the_same_graph(block_entries, monkeypatch, seed):
    W = counts(seed)
    W[10:15], W[:, 10:15] = 0, 0
    groups = np.random.default_rng(seed).integers(8, size=len(W))
    problems = [Problem.check(W, groups), Problem.check(sp.csr_array(W), groups)]
    whole = build_graph(problems[0])
    monkeypatch.setattr(graph_module, "BLOCK_ENTRIES", block_entries)
    for problem in problems:
        check_same(build_graph(problem), whole)


def test_a_given_scale_replaces_the_largest(seed):
    W = counts(seed)
    found = build_graph(Problem.check(W), scale=64.0)
    np.testing.assert_array_equal(found.values, build_graph(Problem.check(W)).values / 4)


@pytest.mark.parametrize("grouped", [False, True])
def test_pairs_are_counted_outside_groups(grouped, seed):
    rng = np.random.default_rng(seed)
    W = counts(seed)
    groups = rng.integers(8, size=len(W)) if grouped else np.arange(len(W))
    weight = rng.random(len(W)).astype(np.float32)
    graph = build_graph(Problem.check(W, groups))
    graph = graph._replace(weight=weight[graph.given])
    expected = sum(
        float(weight[i]) * float(weight[j])
        for j in range(len(W))
        for i in range(j)
        if groups[i] != groups[j]
    )
    np.testing.assert_allclose(graph.n_pairs(), expected)


def test_entries_have_rows_pairs_and_labels(seed):
    graph = build_graph(Problem.check(counts(seed)))
    row, column = np.nonzero(dense_similarity(graph))
    np.testing.assert_array_equal(graph.rows(), row)
    np.testing.assert_array_equal(graph.pairs(), row < column)
    labels = np.random.default_rng(seed).integers(4, size=graph.n_items).astype(np.int32)
    np.testing.assert_array_equal(graph.inside(labels), labels[row] == labels[column])


@pytest.mark.parametrize("grouped", [False, True])
def test_memory(grouped, monkeypatch):
    monkeypatch.setattr(graph_module, "BLOCK_ENTRIES", 1 << 12)
    monkeypatch.setattr(order_module, "BLOCK_ENTRIES", 1 << 12)
    m = 20_000
    rng = np.random.default_rng(0)
    i, j = rng.integers(m, size=(2, 15 * m))
    W = sp.coo_array((np.ones(15 * m), (i, j)), (m, m)).tocsr()
    problem = Problem.check(W + W.T, (np.arange(m) // 5).tolist() if grouped else None)
    tracemalloc.start()
    graph = build_graph(problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(graph.values) > 29 * m
    assert peak < 9 * problem.similarity.nnz + 80 * m
