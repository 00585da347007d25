"""What similarities are taken for: a neighbour graph has a floor of neighbours."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

import spherelax as sl
from spherelax.coordinate import kinds
from spherelax.coordinate.kinds import has_floor, kind_of_graph, recognise
from spherelax.problem import Problem


def nearest(seed, m=400, k=8):
    """Points joined to their nearest, all with weight 1."""
    A = kneighbors_graph(np.random.default_rng(seed).normal(size=(m, 3)), k)
    return sp.csr_array(A.maximum(A.T))


def test_neighbours_are_recognised_in_any_order(seed):
    W = nearest(seed)
    assert recognise(Problem.check(W)).kind == kind_of_graph(W) == "neighbors"
    order = np.random.default_rng(seed).permutation(W.shape[0])
    assert kind_of_graph(sp.csr_array(W[order][:, order])) == "neighbors"


def test_items_similar_to_nothing_do_not_count(seed):
    W = nearest(seed)
    alone = sp.block_diag([sp.csr_array((150, 150)), W, sp.eye_array(150)], format="csr")
    assert kind_of_graph(sp.csr_array(alone)) == "neighbors"
    assert kind_of_graph(sp.csr_array(sp.eye_array(99))) == "graph"


def test_transitivity_does_not_depend_on_the_order():
    W = nearest(0, m=3000)
    order = np.random.default_rng(0).permutation(W.shape[0])
    found = [kinds._transitivity(kinds._links(A)) for A in (W, sp.csr_array(W[order][:, order]))]
    assert found[0] == pytest.approx(found[1], abs=0.003)


@pytest.mark.parametrize(
    "graph",
    [
        nx.connected_caveman_graph(40, 10),
        nx.barabasi_albert_graph(600, 8, seed=0),
        nx.random_regular_graph(10, 600, seed=0),
        nx.gnp_random_graph(600, 0.05, seed=0),
        nx.karate_club_graph(),
    ],
)
def test_other_graphs_are_not_neighbours(graph):
    assert not has_floor(Problem.check(nx.to_scipy_sparse_array(graph)))


def test_nearest_records_stay_open():
    """Scores of records are not relative: the best of a record without a copy is low."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    X = np.r_[X, X[:200] + 0.1 * rng.normal(size=(200, 20))]
    assert recognise(Problem.check(sl.similarity.nearest_neighbors(X))).kind is None


def test_what_is_said_counts_unless_it_cannot_be():
    W = nearest(0)
    assert recognise(Problem.check(W, kind="graph")).kind == "graph"
    assert recognise(Problem.check(W, kind="neighbors")).kind == "neighbors"
    groups = np.arange(W.shape[0]) % 200
    assert recognise(Problem.check(W, groups, kind="neighbors")).kind == "graph"
    assert recognise(Problem.check(W, groups)).kind is None
    assert recognise(Problem.check(W[:20, :20], kind="neighbors")).kind == "graph"


def test_dense_and_empty_are_graphs():
    assert kind_of_graph(nearest(0).toarray()) == "graph"
    assert kind_of_graph(sp.csr_array((0, 0))) == "graph"


@pytest.mark.parametrize("graph", [nx.gnp_random_graph(80, 0.2, seed=1), nx.star_graph(9)])
def test_transitivity_is_that_of_all_items_if_there_are_few(graph):
    W = sp.csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    W.setdiag(3.0)  # does not count
    assert kinds._transitivity(kinds._links(W)) == pytest.approx(nx.transitivity(graph))


def test_weights_are_relative_if_the_largest_of_nearly_every_item_is_the_same():
    W = nearest(0) * 0.7
    assert kinds._is_relative(W)
    rows = np.arange(W.shape[0])
    lower = sp.diags_array(np.where(rows < 0.004 * len(rows), 0.5, 1.0))
    assert kinds._is_relative(sp.csr_array(lower @ W))
    lower = sp.diags_array(np.where(rows < 0.01 * len(rows), 0.5, 1.0))
    assert not kinds._is_relative(sp.csr_array(lower @ W))


@pytest.mark.parametrize("kind", [None, "neighbors"])
def test_a_similarity_with_a_diagonal_is_not_written_to(kind):
    W = sp.csr_array(nearest(0, m=60) + sp.eye_array(60))
    before = W.copy()
    recognise(Problem.check(W, kind=kind))
    for mine, given in zip(
        (W.indptr, W.indices, W.data), (before.indptr, before.indices, before.data), strict=True
    ):
        np.testing.assert_array_equal(mine, given)
