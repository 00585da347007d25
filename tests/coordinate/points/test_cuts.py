"""Cuts between two labels, on graphs where they can be counted by hand."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from support.graphs import weak_clusters
from support.twins import dense_similarity

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.points import cuts
from spherelax.coordinate.points.cuts import nearest, peak_and_valley
from spherelax.problem import Problem
from spherelax.similarity import nearest_neighbors


def as_given(W):
    """The graph of a matrix whose items stay in their order."""
    return build_graph(Problem.check(W), given=np.arange(W.shape[0], dtype=np.int32))


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


def test_distances_are_shortest_ways_to_the_border(seed):
    """Edges between the labels are crossed in their middle; what has no way is infinitely far."""
    graph = weak_clusters(np.random.default_rng(seed))
    W = dense_similarity(graph)
    m = len(W)
    W = np.block([[W, np.zeros((m, 2))], [np.zeros((2, m)), 1.0 - np.eye(2)]])
    ways = shortest_path(W > 0, unweighted=True)
    distance = np.r_[-ways[:10, 10:].min(axis=1), ways[10:, :10].min(axis=1)]
    expected = distance - 0.5 * np.sign(distance)
    part = whole(as_given(W))
    np.testing.assert_array_equal(cuts._distance(part, 10), expected)
    potential = cuts._potential(part, 10, cuts._distance(part, 10))
    np.testing.assert_array_equal(potential[-2:], np.inf)
    assert np.isfinite(potential[:m]).all()


def test_potentials_drive_the_current_from_one_label_to_the_other(seed):
    graph = weak_clusters(np.random.default_rng(seed))
    W = dense_similarity(graph)
    laplacian = np.diag(W.sum(axis=1) * (1.0 + cuts.LEAK)) - W
    current = np.where(np.arange(len(W)) < 10, -1.0 / 10, 1.0 / (len(W) - 10))
    expected = np.linalg.solve(laplacian, current)
    part = whole(graph)
    found = cuts._potential(part, 10, cuts._distance(part, 10))
    np.testing.assert_allclose(found, expected, atol=0.05 * np.ptp(expected))


def test_items_without_edges_have_no_potential():
    W = np.diag([1.0, 1.0, 0.0], 1)
    part = whole(as_given(W + W.T))
    distance = cuts._distance(part, 2)
    assert np.isfinite(cuts._potential(part, 2, distance)[:3]).all()
    assert cuts._potential(part, 2, distance)[3] == np.inf


@pytest.mark.parametrize("share", [0.0, 0.1, 0.33, 1.0])
def test_a_peak_is_the_mean_of_a_share_of_the_cuts(share, seed):
    rng = np.random.default_rng(seed)
    for n in (1, 7, 50):
        heights = rng.random(n)
        width = max(int(share * n), 1)
        means = [heights[at : at + width].mean() for at in range(n - width + 1)]
        height, first = cuts._peak(heights, share)
        assert height == pytest.approx(max(means))
        assert means[first] == pytest.approx(max(means))


def test_potential_keeps_far_cuts_short():
    """A long strip of points: cuts far from the border are as high as those near it."""
    rng = np.random.default_rng(0)
    X = np.c_[100.0 * rng.random(2000), rng.normal(size=2000)]
    X = X[X[:, 0].argsort()]
    part = whole(as_given(nearest_neighbors(X)))
    by_potential, by_odds = (
        cuts._cuts(part, np.argsort(order))[50:-50]
        for order in (
            cuts._potential(part, 300, cuts._distance(part, 300)),
            cuts._walk_odds(part, 300),
        )
    )
    assert np.median(by_potential[1000:]) < 1.3 * np.median(by_potential[:500])
    assert np.median(by_potential[1000:]) < 0.8 * np.median(by_odds[1000:])


def test_extent_of_a_chain_and_of_a_clique():
    """20 items of a chain are 19.5 edges deep, and 19.5^2 / 20 times as long as wide."""
    chain = np.diag(np.ones(24), 1)
    clique = np.ones((25, 25)) - np.eye(25)
    for W, depth in ((chain + chain.T, 19.5), (clique, 0.5)):
        part = whole(as_given(W))
        found, ratio = cuts._extent(cuts._distance(part, 5), 5)
        assert found == depth
        assert ratio == pytest.approx(max(depth**2 / 20, min(depth, 4.5) ** 2 / 5))


@pytest.mark.parametrize("has_cells", [False, True])
def test_cuts_through_a_chain_of_two_cliques(has_cells):
    """Cuts of 4 x 4 = 16 inside, of 1 between: maxima 16 and a valley of 1."""
    W = np.kron(np.eye(2), np.ones((8, 8)))
    W[7, 8] = W[8, 7] = 1.0
    graph = as_given(W)
    items, place = np.arange(16), np.arange(16)
    weights = graph.values.astype(float)
    high, low = peak_and_valley(graph, weights, items, 8, place, 1.0, has_cells)
    assert low == 1.0
    assert high == pytest.approx(16.0, abs=1.0)


def test_nearest_meets_the_near_end_first():
    """On a chain, the first items that are met are those next to the other part."""
    m = 30
    W = np.diag(np.ones(m - 1), 1)
    graph = as_given(W + W.T)
    place = np.full(m, -1, dtype=np.int64)
    found = nearest(graph, np.arange(5), np.arange(5, m), place, 7)
    np.testing.assert_array_equal(found, np.arange(5, 12))
    assert np.all(place == -1)
