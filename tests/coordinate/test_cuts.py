"""Cuts between two labels, on graphs where they can be counted by hand."""

import numpy as np
import pytest
from graphs import weak_clusters

from spherelax.coordinate import cuts
from spherelax.coordinate.cuts import nearest, peak_and_valley
from spherelax.coordinate.graph import build_graph
from spherelax.problem import Problem
from twins import dense_similarity


def whole(graph):
    """The part that holds all items of a graph."""
    steps = graph.values / np.repeat(
        2.0 * dense_similarity(graph).sum(axis=1), np.diff(graph.indptr)
    )
    return cuts._Part(graph.indptr, graph.indices, graph.values.astype(float), steps)


def test_cuts_are_sums_over_the_edges_across(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng)
    order = rng.permutation(graph.n_items)
    found = cuts._cuts(whole(graph), order)
    W = dense_similarity(graph)[order][:, order]
    expected = [W[: at + 1, at + 1 :].sum() for at in range(graph.n_items)]
    np.testing.assert_allclose(found[:-1], expected, atol=1e-9)


def test_odds_are_those_of_the_walk(seed):
    graph = weak_clusters(np.random.default_rng(seed))
    W = dense_similarity(graph)
    steps = 0.5 * np.eye(len(W)) + 0.5 * W / W.sum(axis=1, keepdims=True)
    chance = np.linalg.matrix_power(steps, cuts.WALK)[:, 10:].sum(axis=1)
    np.testing.assert_allclose(
        cuts._walk_odds(whole(graph), 10), np.log(chance / (1 - chance)), atol=1e-6
    )


def test_cuts_through_a_chain_of_two_cliques():
    """Cuts of 4 x 4 = 16 inside, of 1 between: maxima 16 and a valley of 1."""
    W = np.kron(np.eye(2), np.ones((8, 8)))
    W[7, 8] = W[8, 7] = 1.0
    graph = build_graph(Problem.check(W))
    items, place = np.arange(16), np.arange(16)
    high, low = peak_and_valley(graph, graph.values.astype(float), items, 8, place, 1.0)
    assert low == 1.0
    assert high == pytest.approx(16.0, abs=1.0)


def test_nearest_meets_the_near_end_first():
    """On a chain, the first items that are met are those next to the other part."""
    m = 30
    W = np.diag(np.ones(m - 1), 1)
    graph = build_graph(Problem.check(W + W.T))
    place = np.full(m, -1, dtype=np.int64)
    found = nearest(graph, np.arange(5), np.arange(5, m), place, 7)
    np.testing.assert_array_equal(found, np.arange(5, 12))
    assert np.all(place == -1)
