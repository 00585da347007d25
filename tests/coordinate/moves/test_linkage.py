"""Labels are merged down to a number, the most similar ones first."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import spherelax as sl
from spherelax.coordinate.graph import build_graph
from spherelax.coordinate.moves import link_labels
from spherelax.labels import count_labels, renumber
from spherelax.problem import Problem


@pytest.mark.parametrize("n_labels", [1, 2, 5, 11, 24])
def test_as_average_linkage_of_items(seed, n_labels):
    W = np.random.default_rng(seed).random((24, 24))
    W = W + W.T
    np.fill_diagonal(W, 0.0)
    graph = build_graph(Problem.check(W))
    found = graph.as_given(link_labels(graph, np.arange(24, dtype=np.int32), n_labels))
    tree = linkage(squareform(3.0 - W, checks=False), "average")
    expected = fcluster(tree, n_labels, "maxclust")
    np.testing.assert_array_equal(renumber(found), renumber(expected.astype(np.int32)))


def test_labels_that_nothing_connects_stay_apart():
    graph = build_graph(Problem.check(np.kron(np.eye(3), np.ones((4, 4)))))
    assert count_labels(link_labels(graph, np.arange(12, dtype=np.int32), 1)) == 3


def test_labels_with_items_of_one_group_stay_apart():
    """And inside other labels, items merge no further than these."""
    W, groups, _ = sl.datasets.make_partial_matching(9, 6, shuffled=0.2, random_state=0)
    graph = build_graph(Problem.check(W, groups))
    single = np.arange(graph.n_items, dtype=np.int32)
    found = link_labels(graph, single, 1)
    assert len(np.unique(np.stack([found, graph.group]), axis=1).T) == graph.n_items
    within = np.int32(graph.as_given(single) % 2)[graph.given]
    found = link_labels(graph, single, 1, renumber(within))
    assert len(np.unique(np.stack([found, within]), axis=1).T) == count_labels(found)
