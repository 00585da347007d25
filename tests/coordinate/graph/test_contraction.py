"""A graph of labels has what lies between the labels."""

import numpy as np
from support.graphs import random_labels, weak_clusters
from support.twins import dense_similarity, membership

from spherelax.coordinate.graph import contract


def test_similarities_between_labels_add_up(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, by_degree=True)
    labels = random_labels(graph, rng, 6)
    found, U = contract(graph, labels), membership(labels)
    expected = U.T @ dense_similarity(graph) @ U
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(dense_similarity(found.graph), expected, rtol=1e-6)
    np.testing.assert_allclose(found.graph.weight, U.T @ graph.weight, rtol=1e-6)
    assert found.graph.strongest == found.graph.values.max()
    for row, end in zip(found.graph.indptr, found.graph.indptr[1:], strict=False):
        assert np.all(np.diff(found.graph.indices[row:end]) > 0)
    assert [array.dtype for array in found.graph[:-1]] == [array.dtype for array in graph[:-1]]


def test_anything_of_entries_and_items_can_be_summed(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng)
    labels = random_labels(graph, rng, 6)
    found, U = contract(graph, labels), membership(labels)
    np.testing.assert_allclose(found.sum_items(rng.random(graph.n_items) * 0 + 2), 2 * U.sum(0))
    ones = found.graph.with_values(found.sum_entries(np.ones(len(graph.values))))
    expected = U.T @ (dense_similarity(graph) > 0) @ U
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_array_equal(dense_similarity(ones), expected)


def test_components_stay_what_they_are():
    rng = np.random.default_rng(0)
    graph = weak_clusters(rng)
    labels = np.arange(graph.n_items, dtype=np.int32)
    same = contract(graph, labels).graph
    np.testing.assert_array_equal(same.component_ptr, graph.component_ptr)
    np.testing.assert_array_equal(same.values, graph.values)
    one = contract(graph, np.zeros(graph.n_items, dtype=np.int32)).graph
    assert (one.n_items, len(one.values), one.strongest) == (1, 0, 0.0)
