"""Loops over the neighbours of items against dense sums."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from support.graphs import weak_clusters
from support.twins import dense_similarity, membership

from spherelax.coordinate.graph import neighbors
from spherelax.labels import renumber


@pytest.mark.parametrize("items", [[3], [0, 5, 11]])
def test_gather_sums_similarities_by_label(items, seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng)
    labels = renumber(rng.integers(8, size=graph.n_items))
    k = labels.max() + 1
    sums = neighbors.Sums(np.zeros(k), np.empty(k, dtype=np.int32))
    n = 0
    for i in items:
        n = neighbors.gather(graph, labels, i, sums, n)
    W = dense_similarity(graph)
    np.testing.assert_allclose(sums.x, W[items].sum(axis=0) @ membership(labels))
    order = np.concatenate([labels[np.flatnonzero(W[i])] for i in items])
    np.testing.assert_array_equal(sums.touched[:n], list(dict.fromkeys(order.tolist())))


def test_neighbours_are_activated_and_nobody_else(seed):
    graph = weak_clusters(np.random.default_rng(seed))
    active = np.zeros(graph.n_items, dtype=np.bool_)
    neighbors.activate_neighbors(graph, 4, active)
    np.testing.assert_array_equal(active, dense_similarity(graph)[4] > 0)


def test_degrees_components_and_the_strongest_pull(seed):
    graph = weak_clusters(np.random.default_rng(seed), by_degree=True)
    W, n = dense_similarity(graph), graph.weight.astype(float)
    np.testing.assert_allclose(neighbors.strengths(graph), W.sum(axis=1))
    np.testing.assert_allclose(
        neighbors.strongest_pull(graph), (W / np.outer(n, n)).max(axis=1), rtol=1e-6
    )
    rng = np.random.default_rng(seed)
    V = sp.random_array((80, 80), density=0.008, rng=rng, format="csr")
    V += V.T
    n_components, component = connected_components(V)
    assert 1 < n_components < 80
    found = neighbors.components(V.indptr.astype(np.int64), V.indices, np.empty(0, np.int32))
    np.testing.assert_array_equal(found, renumber(component))


def test_effects_of_items_are_taken_off_scores(seed):
    graph = weak_clusters(np.random.default_rng(seed))
    W, is_listed = dense_similarity(graph), dense_similarity(graph) > 0
    scores = graph.values.astype(float)
    squares = neighbors.remove_effects(graph.indptr, graph.indices, scores, 500)
    k = is_listed.sum(axis=1)
    effect = np.linalg.solve(np.diag(k + 1.0) + is_listed, W.sum(axis=1))
    rest = W - effect[:, None] - effect
    np.testing.assert_allclose(scores, rest[is_listed], atol=1e-6)
    expected = np.square(effect).sum() + np.square(rest[is_listed]).sum() / 2
    assert squares.sum() == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 2, 7, 64, 1000])
def test_floors_up_to_a_value_are_counted(n, seed):
    rng = np.random.default_rng(seed)
    floors = np.sort(rng.integers(n, size=n)).astype(np.float32)
    values = np.r_[rng.uniform(-1, n + 1, 500), floors].astype(np.float32)
    expected = np.searchsorted(floors, values, side="right")
    np.testing.assert_array_equal(neighbors.n_up_to(floors, values), expected)
