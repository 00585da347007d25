"""Lists of candidates: how many pairs contradict each other, against the definitions."""

import numpy as np
import pytest
from support.lists import two_sources

from spherelax.coordinate.graph.candidates import Candidates, wedges
from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import Problem


def test_transitivity_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((40, 40)) < 0.2, 1)
    A = A | A.T
    groups = rng.integers(4, size=40)
    closed = possible = closed_apart = possible_apart = 0
    for i in range(40):
        near = np.flatnonzero(A[i])
        for j in near:
            for k in near[near != j]:
                closed, possible = closed + A[j, k], possible + 1
    W = np.where(groups[:, None] != groups, A, False)
    for i in range(40):
        near = np.flatnonzero(W[i])
        for j in near:
            for k in near[groups[near] != groups[j]]:
                closed_apart, possible_apart = closed_apart + W[j, k], possible_apart + 1
    assert wedges(build_graph(Problem.check(A.astype(float)))).transitivity == closed / possible
    grouped = build_graph(Problem.check(W.astype(float), groups))
    assert wedges(grouped).transitivity == closed_apart / possible_apart


def test_transitivity_around_a_hub_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((200, 200)) < 0.005, 1)
    A[0, 1:] = True
    A = (A | A.T).astype(float)
    degrees = A.sum(axis=0)
    possible = np.sum(degrees * (degrees - 1))
    found = wedges(build_graph(Problem.check(A)))
    assert (found.closed, found.possible) == (np.trace(A @ A @ A), possible)


def test_wedges_of_some_items_stand_for_all(monkeypatch, seed):
    A = np.triu(np.random.default_rng(seed).random((300, 300)) < 0.1, 1)
    graph = build_graph(Problem.check((A | A.T).astype(float)))
    every = wedges(graph)
    monkeypatch.setattr("spherelax.coordinate.graph.candidates.CENTRES", 100)
    some = wedges(graph)
    assert some.possible == pytest.approx(every.possible, rel=0.1)
    assert some.transitivity == pytest.approx(every.transitivity, abs=0.02)
    assert every.n_open == 0.5 * (every.possible - every.closed)


def test_each_pair_is_listed_once(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((20, 20)) * (rng.random((20, 20)) < 0.3), 1)
    graph = build_graph(Problem.check(W + W.T))
    pairs = Candidates.of(graph)
    assert (pairs.one < pairs.other).all()
    found = np.zeros_like(W)
    ends = np.sort(np.c_[graph.given[pairs.one], graph.given[pairs.other]], axis=1)
    found[tuple(ends.T)] = pairs.score
    np.testing.assert_allclose(found, W / W.max(), rtol=1e-6)
    assert pairs.group is None


def test_pairs_that_must_be_wrong(seed):
    pairs, _ = two_sources(seed, n=40)
    used = [len(np.unique(side)) for side in (pairs.one, pairs.other)]
    assert pairs.n_matchable() == min(used)
    assert pairs.n_wrong() == len(pairs.score) - min(used)
    alone = pairs._replace(group=None)
    assert alone.n_matchable() == sum(used) // 2
