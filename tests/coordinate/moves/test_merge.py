"""Merging labels: contraction against dense sums, best partners against their twin."""

import numpy as np
import pytest
import scipy.sparse as sp
from support import twins
from support.graphs import average, random_labels, weak_clusters

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.machine import threads
from spherelax.coordinate.moves import merge
from spherelax.labels import renumber
from spherelax.problem import Problem


def _counted(function, calls):
    """Return a function that notes its calls."""
    return lambda *given: calls.append(given) or function(*given)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("grouped", [False, True])
def test_contraction_sums_similarities_sizes_and_groups(grouped, n_threads, monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, grouped=grouped, by_degree=True)
    W, n, level = (
        twins.dense_similarity(graph),
        graph.weight.astype(float),
        merge.items_level(graph),
    )
    total = renumber(np.arange(graph.n_items))
    for n_labels in (12, 5, 2):
        labels = renumber(rng.integers(n_labels, size=len(level.size)))
        total = labels[total]
        k, P = labels.max() + 1, twins.membership(total)
        alone = merge.contract(level, labels, k, 0.0)
        level = merge.contract(level, labels, k, 0.0, n_threads)
        for array, other in zip(level, alone, strict=True):
            np.testing.assert_array_equal(array, other)
        S = P.T @ W @ P
        np.fill_diagonal(S, 0.0)
        found = sp.csr_array((level.values, level.indices, level.indptr), (k, k))
        np.testing.assert_allclose(found.toarray(), S, rtol=1e-5)
        assert found.nnz == np.count_nonzero(S)
        np.testing.assert_allclose(level.size, P.T @ n, rtol=1e-6)
        for c in range(k if grouped else 0):
            held = level.groups[level.group_ptr[c] : level.group_ptr[c + 1]]
            np.testing.assert_array_equal(np.sort(held), np.sort(graph.groups()[total == c]))
        assert grouped or len(level.groups) == 0


def test_merges_of_log_odds_gain_and_count_what_repels(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        odds = np.triu(rng.normal(0.2, 2.0, size=(30, 30)) * (rng.random((30, 30)) < 0.3), 1)
        graph = build_graph(Problem.check(odds + odds.T, kind="odds"), 1.0)
        W, labels = twins.dense_similarity(graph), np.arange(graph.n_items, dtype=np.int32)
        mapping = merge.merge_all(graph, labels, 0.0, 1e-9)
        P = twins.membership(mapping[labels])
        S = P.T @ W @ P
        assert S.trace() > 0.0
        np.fill_diagonal(S, 0.0)
        assert S.max() <= 1e-6  # no two labels would gain, by all their pairs


@pytest.mark.parametrize("grouped", [False, True])
def test_mutual_best_partners_merge(grouped, seed):
    rng = np.random.default_rng(seed)
    n_merged = 0
    for _ in range(20):
        graph = weak_clusters(rng, grouped=grouped)
        labels = random_labels(graph, rng, 12)
        k, P, groups = labels.max() + 1, twins.membership(labels), graph.groups()
        level = merge.contract(merge.items_level(graph), labels, k, 0.0)
        S = P.T @ twins.dense_similarity(graph) @ P
        holds = [set(groups[labels == c].tolist()) if grouped else set() for c in range(k)]
        for gamma in average(graph) * np.array([0.5, 1.0, 2.0]):
            stamp = np.full(1 + level.groups.max(initial=0), -1, dtype=np.int32)
            mapping = merge._pair_up(merge._best_partners(level, gamma, 1e-6, stamp))
            expected = twins.best_partners(S, P.sum(axis=0), holds, gamma, 1e-6)
            np.testing.assert_array_equal(mapping, expected)
            n_merged += k - 1 - mapping.max()
    assert n_merged > 60


@pytest.mark.parametrize("mutual", [merge.MUTUAL, 2.0], ids=["in pairs", "in turn"])
@pytest.mark.parametrize("grouped", [False, True])
def test_merges_gain_and_end_where_no_pair_does(grouped, mutual, seed, monkeypatch):
    monkeypatch.setattr(merge, "MUTUAL", mutual)
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, grouped=grouped)
    W, n, groups = twins.dense_similarity(graph), graph.weight.astype(float), graph.groups()
    labels, gamma = random_labels(graph, rng, 12), 0.7 * average(graph)
    mapping = merge.merge_all(graph, labels, gamma, 1e-6)
    found = mapping[labels]
    assert not twins.clash(found, groups)
    reached = twins.discrete_objective(W, n, found, gamma)
    assert reached > twins.discrete_objective(W, n, labels, gamma)
    assert merge.merge_all(graph, np.zeros_like(labels), gamma, 1e-6) is None


@pytest.mark.parametrize("centre", [0, 150, 300])
def test_a_star_joins_in_a_few_rounds_and_gains(centre, monkeypatch):
    W = np.zeros((301, 301))
    W[centre] = W[:, centre] = 1.0
    free = np.arange(301)
    free[[5, 6]] = 5
    for groups in (None, free):
        graph = build_graph(Problem.check(W, groups))
        rounds = []
        monkeypatch.setattr(merge, "_pair_up", _counted(merge._pair_up, rounds))
        mapping = merge.merge_all(graph, np.arange(301, dtype=np.int32), 0.005, 1e-6)
        assert len(rounds) < 10
        largest = np.bincount(mapping).max()
        # The last one to join gains 1 - 0.005 times the size before.
        assert largest == 200
        assert groups is None or mapping[graph.given == 5] != mapping[graph.given == 6]


def test_clashes_do_not_depend_on_the_side(seed):
    rng = np.random.default_rng(seed)
    n_groups, m = 400, 1200
    labels = np.sort(rng.permutation(np.r_[np.zeros(200), 1 + rng.integers(60, size=m - 200)]))
    labels = renumber(labels.astype(int))
    groups = rng.integers(n_groups, size=m)
    ptr = np.arange(m + 1, dtype=np.int32)
    nothing = np.zeros(0, np.int32)
    level = merge.Level(
        np.zeros(m + 1, np.int64),
        nothing,
        np.zeros(0, np.float32),
        np.ones(m),
        ptr,
        groups.astype(np.int32),
    )
    level = merge.contract(level, labels, labels.max() + 1, 0.0)
    for b in range(1, labels.max() + 1):
        expected = bool(set(groups[labels == 0]) & set(groups[labels == b]))
        for one, other in ((0, b), (b, 0)):
            stamp = np.full(n_groups, -1, np.int32)
            stamp[groups[labels == one]] = one
            assert merge._clash(level, one, other, stamp) == expected
