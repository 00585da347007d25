"""Similarities joined at random: what they keep, and what they are used for."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.coordinate import noise as module
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.noise import beyond_noise, shuffle
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import Walked, walk
from spherelax.coordinate.trail import Route
from spherelax.problem import Problem


def dense(graph):
    return sp.csr_array(
        (graph.values, graph.indices, graph.indptr), shape=(graph.n_items, graph.n_items)
    ).toarray()


def random_graph(m, degree, seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((m, m)) < degree / (m - 1), 1)
    return (half | half.T).astype(float)


@pytest.mark.parametrize("seed_of_noise", [0, 1])
def test_absent_items_do_not_count(seed_of_noise, seed):
    W = np.zeros((20, 20))
    W[:12, :12] = random_graph(12, 4, seed)
    groups = np.arange(20) % 5
    graphs = [build_graph(Problem.check(W[:n, :n], groups[:n])) for n in (12, 20)]
    alone, among = (dense(shuffle(graph, seed_of_noise)) for graph in graphs)
    np.testing.assert_array_equal(alone, among)


def test_matches_of_two_groups_stay_one_to_one(seed):
    W, groups, _ = sl.datasets.make_partial_matching(6, 9, observed=0.7, random_state=seed)
    graph = build_graph(Problem.check(W, groups))
    random = shuffle(graph, seed)
    A, groups = np.empty((graph.n_items, graph.n_items)), graph.groups()
    A[np.ix_(random.given, random.given)] = dense(random)
    np.testing.assert_array_equal(A, A.T)
    names = np.unique(groups)
    for a in names:
        for b in names:
            block, old = (X[np.ix_(groups == a, groups == b)] for X in (A, dense(graph)))
            np.testing.assert_array_equal(np.sort(block.sum(axis=0)), np.sort(old.sum(axis=0)))
            np.testing.assert_array_equal(np.sort(block.sum(axis=1)), np.sort(old.sum(axis=1)))
    assert not np.array_equal(A, dense(graph))


@pytest.mark.parametrize(("m", "degree"), [(150, 75), (300, 30), (1000, 15)])
def test_noise_is_called_noise_and_comes_back_as_one(m, degree, seed):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", sl.SphereWarning)
        result = sl.solve(random_graph(m, degree, 100 + seed))
    if result.status != sl.Status.NOISE:  # by chance: then it says that one label is as good
        assert result.alternative == 1
        return
    assert "describe random" in str(said[0].message)
    assert result.n_labels == 1
    assert result.path.joined is not None


def test_noisy_matchings_are_called_noise(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        status = {
            shuffled: sl.solve(
                *sl.datasets.make_partial_matching(
                    20, 20, observed=0.6, shuffled=shuffled, random_state=100 + seed
                )[:2]
            ).status
            for shuffled in (0.5, 1.0)
        }
    assert status == {0.5: sl.Status.DESCRIBED, 1.0: sl.Status.NOISE}


def test_two_groups_are_never_called_noise(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        2, 20, observed=1.0, shuffled=1.0, random_state=seed
    )
    assert sl.solve(W, groups).status == sl.Status.DESCRIBED


def blocks(m, gap, seed):
    """Two communities; two items of one are joined more often than two others, by a gap."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], m // 2)
    chance = 0.035 + np.where(truth[:, None] == truth, gap, -gap) / 2
    half = np.triu(rng.random((m, m)) < chance, 1)
    return (half | half.T).astype(float), truth


@pytest.mark.slow
def test_weak_structure_is_found_although_noise_saves_as_much_elsewhere():
    found = []
    for seed in range(5):
        W, truth = blocks(400, 0.036, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            result = sl.solve(W)
        found.append(result.status == sl.Status.DESCRIBED)
        if found[-1]:
            assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.5
    assert sum(found) >= 4


@pytest.mark.slow
def test_random_graphs_seldom_pass_for_structure():
    passed = 0
    for seed in range(12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            result = sl.solve(random_graph((60, 150, 300)[seed % 3], (5, 15)[seed % 2], 500 + seed))
        passed += result.n_labels > 1 and result.status != sl.Status.NOISE
    assert passed <= 1


@pytest.mark.parametrize("n", [10, 100])
def test_separate_pairs_are_described(n, seed):
    order = np.random.default_rng(seed).permutation(2 * n)
    W = sp.coo_array((np.ones(n), (order[:n], order[n:])), shape=(2 * n, 2 * n))
    result = sl.solve((W + W.T).tocsr())
    assert result.status == sl.Status.DESCRIBED
    np.testing.assert_array_equal(result.labels[order[:n]], result.labels[order[n:]])
    assert result.n_labels == n


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_sparse_random_graphs_seldom_pass_for_structure():
    """Noise has as many items as are seen and, in a sparse graph, others that are not."""
    results = [sl.solve(random_graph(200, 1.3, 900 + seed)) for seed in range(6)]
    assert sum(result.status != sl.Status.NOISE for result in results) <= 1


def test_matches_of_few_items_must_save_more_than_savings_of_noise_vary(monkeypatch):
    W, groups, _ = sl.datasets.make_partial_matching(5, 10, observed=1.0, random_state=0)
    model, route = read_problem(Problem.check(W, groups)), Route(sl.Coordinate(), n_threads=1)
    path = walk(model, route).path()

    def saving(nats):
        savings = np.full(len(path.labels), nats)
        return Walked(model, replace(path, savings=savings))

    monkeypatch.setattr(module, "_at_random", lambda *_: saving(-40.0))
    found = [beyond_noise(saving(c * np.sqrt(50) - 40.0), route).all() for c in (1.4, 1.6)]
    assert found == [False, True]


def test_one_surrogate_is_enough_to_call_it_noise(monkeypatch):
    model = read_problem(Problem.check(random_graph(100, 8, 0), np.arange(100) % 25))
    route = Route(sl.Coordinate(), n_threads=1)
    path = walk(model, route).path()

    def saving(nats):
        savings = np.full(len(path.labels), nats)
        return Walked(model, replace(path, savings=savings))

    monkeypatch.setattr(
        module, "_at_random", lambda _, __, seed: saving(20.0 if seed == 2 else 1.0)
    )
    assert not beyond_noise(saving(21.0), route).any()
