"""Graphs whose right communities nobody doubts, from the tests of networkx and igraph.

Left out: partitions that are right for one seed or one resolution of modularity, directed graphs,
and loops, which change modularity and are not used here.
"""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import spherelax as sl
from spherelax import baselines

# So few items look like noise.
pytestmark = pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")


def matrix(graph, weight="weight"):
    """Similarities of the nodes of a graph."""
    return nx.to_scipy_sparse_array(graph, weight=weight, dtype=float, format="csr")


def cliques(sizes, *bridges):
    """Cliques of these sizes, and edges between some of their nodes."""
    graph = nx.disjoint_union_all([nx.complete_graph(size) for size in sizes])
    graph.add_edges_from(bridges)
    return matrix(graph)


def are_connected(W, labels):
    """Tell whether each label is one piece of the graph."""
    return all(
        connected_components(W[labels == one][:, labels == one], directed=False)[0] == 1
        for one in range(labels.max() + 1)
    )


@pytest.fixture(scope="module")
def lfr():
    """A benchmark graph of Lancichinetti, Fortunato and Radicchi, and its three communities."""
    graph = nx.LFR_benchmark_graph(250, 3, 1.5, 0.009, average_degree=5, min_community=20, seed=10)
    named = {min(members): members for _, members in graph.nodes(data="community")}
    truth = np.empty(250, dtype=int)
    for name, members in named.items():
        truth[list(members)] = name
    graph.remove_edges_from(nx.selfloop_edges(graph))
    return matrix(graph, weight=None), truth


@pytest.mark.parametrize(
    ("sizes", "bridges"),
    [
        ((5, 5), [(0, 5)]),
        ((4, 4), [(0, 4)]),
        ((3, 3), [(2, 3)]),
        ((5, 5, 5), [(0, 5), (5, 10), (10, 0)]),
        ((5, 5), []),
        ((3, 3, 3), []),
        ((4, 4, 3, 2), []),
        ((5,), []),
        ((2,), []),
    ],
    ids=str,
)
def test_cliques_are_found(sizes, bridges):
    expected = np.repeat(np.arange(len(sizes)), sizes)
    np.testing.assert_array_equal(sl.solve(cliques(sizes, *bridges)).labels, expected)


def test_the_path_of_a_barbell_belongs_to_neither_bell():
    labels = sl.solve(matrix(nx.barbell_graph(5, 3))).labels
    assert labels.tolist() == [0] * 5 + [1] * 3 + [2] * 5


def test_without_edges_all_are_alone():
    assert sl.solve(np.zeros((20, 20))).n_labels == 20
    assert sl.solve(np.diag([0.0, 1000.0, 2000.0])).n_labels == 3


def test_weights_part_a_clique():
    W = np.ones((5, 5)) - np.eye(5)
    for a, b in [(0, 1), (1, 2), (2, 0), (3, 4)]:
        W[a, b] = W[b, a] = 10.0
    assert sl.solve(W).labels.tolist() == [0, 0, 0, 1, 1]


def test_the_example_of_the_louvain_paper_has_two_halves():
    edges = (
        *((0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 4), (1, 7), (2, 4), (2, 5), (2, 6)),
        *((3, 7), (4, 10), (5, 7), (5, 11), (6, 7), (6, 11), (8, 9), (8, 10), (8, 11)),
        *((8, 14), (8, 15), (9, 12), (9, 14), (10, 11), (10, 12), (10, 13), (10, 14), (11, 13)),
    )
    graph = nx.Graph()
    graph.add_nodes_from(range(16))
    graph.add_edges_from(edges)
    W = matrix(graph)
    labels = sl.solve(W).labels
    assert labels.tolist() == [0] * 8 + [1] * 8
    assert sl.metrics.modularity(W, labels) == pytest.approx(0.392219, abs=1e-5)


def test_the_example_of_the_leiden_paper_is_solved_to_the_optimum():
    """A greedy descent of the constant Potts model keeps 0 and 1 together, which gains less."""
    strong = [(0, 1), (2, 3), (2, 4), (3, 4), (5, 6), (5, 7), (6, 7)]
    weak = [(0, 2), (0, 3), (0, 4), (1, 5), (1, 6), (1, 7)]
    graph = nx.Graph()
    graph.add_nodes_from(range(8))
    graph.add_weighted_edges_from([(*pair, 3.0) for pair in strong])
    graph.add_weighted_edges_from([(*pair, 1.5) for pair in weak])
    assert sl.solve(matrix(graph)).labels.tolist() == [0, 1, 0, 0, 0, 1, 1, 1]


def test_communities_of_a_benchmark_graph(lfr):
    W, truth = lfr
    result = sl.solve(W)
    np.testing.assert_array_equal(result.labels, sl.labels.renumber(truth))
    edges = W.tocoo()
    assert np.mean(result.labels[edges.row] == result.labels[edges.col]) > 0.65
    n_labels = result.path.n_labels  # as the resolution falls
    assert np.all(np.diff(n_labels[:: len(n_labels) // 5]) <= 0)
    assert are_connected(W, result.labels)


def test_loops_are_not_used():
    W = matrix(nx.karate_club_graph()).tolil()
    free = sl.solve(W.tocsr()).labels
    W.setdiag([1000.0 * item if item < 9 else 0.0 for item in range(34)])
    np.testing.assert_array_equal(sl.solve(W.tocsr()).labels, free)


@pytest.mark.parametrize("at", range(6))
def test_communities_are_connected(at):
    noise = matrix(nx.gnp_random_graph(60, 0.08, seed=at))
    assert are_connected(noise, sl.solve(noise).labels)
    planted = matrix(nx.planted_partition_graph(4, 25, 0.3, 0.02, seed=at))
    labels = sl.solve(planted).labels
    assert are_connected(planted, labels)
    assert sl.metrics.pairwise_scores(np.repeat(range(4), 25), labels).f_score > 0.9


@pytest.mark.parametrize(
    ("graph", "labels", "expected"),
    [
        ((3, 0), [0, 0, 1, 1, 0, 1], -16 / 14**2),
        ((3, 0), [0, 0, 0, 1, 1, 1], 70 / 14**2),
        ((5, 3), [0] * 5 + [1] * 3 + [2] * 5, 22 / 24 - 918 / 48**2),
        ((5, 3), [0] * 4 + [1, 2, 2, 2, 3] + [4] * 4, 14 / 24 - 598 / 48**2),
        ((5, 3), [0] * 8 + [1] * 5, 23 / 24 - 1170 / 48**2),
    ],
)
def test_modularity_by_hand(graph, labels, expected):
    found = sl.metrics.modularity(matrix(nx.barbell_graph(*graph)), labels)
    assert found == pytest.approx(expected)


def test_rivals_reach_the_largest_modularity_of_the_karate_club():
    pytest.importorskip("igraph")
    W = matrix(nx.karate_club_graph(), weight=None)
    labels = baselines.leiden(W)
    assert labels.max() == 3
    assert sl.metrics.modularity(W, labels) == pytest.approx(0.4197896, abs=1e-7)
