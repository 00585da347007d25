"""Leiden: what it maximises, its seeds, and what happens without igraph."""

import random
import sys
from itertools import product

import numpy as np
import pytest

from spherelax.baselines._leiden import leiden, leiden_graph
from spherelax.datasets import make_binary_similarity, make_partial_matching
from spherelax.errors import InvalidInputError
from spherelax.metrics import modularity, pairwise_scores


def test_reaches_the_largest_modularity(seed):
    pytest.importorskip("igraph")
    W = np.triu(np.random.default_rng(seed).random((6, 6)) ** 4, 1)
    W += W.T
    best = max(modularity(W, labels) for labels in product(range(3), repeat=6))
    found = max(modularity(W, leiden(W, random_state=start)) for start in range(10))
    assert found == pytest.approx(best)


def test_reaches_the_best_constant_potts_model(seed):
    pytest.importorskip("igraph")
    W = np.triu(np.random.default_rng(seed).random((6, 6)), 1)
    W += W.T

    def quality(labels):
        labels = np.array(labels)
        return np.triu((W - 0.5) * (labels[:, None] == labels), 1).sum()

    best = max(map(quality, product(range(4), repeat=6)))
    starts = [leiden(W, objective="CPM", resolution=0.5, random_state=n) for n in range(10)]
    assert max(map(quality, starts)) == pytest.approx(best)


def test_diagonal_is_left_out():
    pytest.importorskip("igraph")
    graph = leiden_graph(np.array([[9, 2, 0], [2, 9, 0.5], [0, 0.5, 9]]))
    assert graph.get_edgelist() == [(0, 1), (1, 2)]
    assert graph.es["weight"] == [2, 0.5]


def test_random_numbers_of_others_are_left_alone():
    igraph = pytest.importorskip("igraph")
    W, _ = make_binary_similarity(150, 5, rewired=0.7, random_state=0)
    first, second = leiden(W), leiden(W, random_state=1)
    assert (leiden(W) == first).all()
    assert (first != second).any()
    random.seed(5)
    expected = random.random()
    random.seed(5)
    leiden(W)
    assert random.random() == expected
    # igraph draws from Python's generator again.
    random.seed(5)
    igraph.Graph.Erdos_Renyi(n=50, p=0.5)
    assert random.random() != expected


def test_partial_matchings_at_a_good_resolution():
    pytest.importorskip("igraph")
    scores = []
    for seed in range(6000, 6005):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.6, shuffled=0.5, random_state=seed
        )
        found = [leiden(W, objective="CPM", resolution=at) for at in (0.1, 0.15, 0.2, 0.25)]
        scores.append([pairwise_scores(truth, labels, groups).f_score for labels in found])
    assert np.mean(scores, axis=0).max() > 0.97


def test_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(ImportError, match=r"leiden needs igraph: pip install spherelax\[rivals\]"):
        leiden(np.eye(3))


def test_bad_input():
    pytest.importorskip("igraph")
    with pytest.raises(InvalidInputError, match="objective must be one of"):
        leiden(np.eye(3), objective="surprise")
    with pytest.raises(InvalidInputError, match="resolution must be a finite number >= 0"):
        leiden(np.eye(3), resolution=-1.0)
