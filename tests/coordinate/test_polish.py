"""Exact ascent on labels: brute force on small problems, SciPy's assignment, dense contraction."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

import spherelax as sl
import twins
from spherelax.coordinate import assignment, kernels, polish
from spherelax.coordinate.graph import build_graph
from spherelax.coordinate.polish import Polisher
from spherelax.labels import renumber
from spherelax.problem import Problem

FORBIDDEN = 1e6


def random_graph(rng, *, grouped, by_degree=False, m=24):
    """Weak clusters with continuous similarities."""
    truth = rng.integers(4, size=m)
    W = np.triu(
        rng.random((m, m)) * (rng.random((m, m)) < 0.2 + 0.5 * (truth[:, None] == truth)), 1
    )
    groups = rng.integers(m // 3, size=m) if grouped else None
    graph = build_graph(Problem.check(W + W.T, groups))
    return graph._replace(weight=kernels.degrees(graph).astype(np.float32)) if by_degree else graph


def random_labels(graph, rng, n_labels):
    """Random labels, those that would break a group one by one replaced by new ones."""
    labels, groups = rng.integers(n_labels, size=graph.n_items), graph.group()
    seen = set()
    for i, pair in enumerate(zip(labels.tolist(), groups.tolist(), strict=True)):
        if pair in seen:
            labels[i] = labels.max() + 1
        seen.add(pair)
    return renumber(labels)


def average(graph):
    return 0.5 * float(graph.values.sum(dtype=float)) / graph.n_pairs()


def assign(C):
    """Run the kernel on a dense matrix of costs in which NaN is no edge."""
    edges = ~np.isnan(C)
    ptr = np.r_[0, np.cumsum(edges.sum(axis=1))]
    column = np.nonzero(edges)[1].astype(np.int32)
    chosen = np.empty(len(C), dtype=np.int32)
    total = assignment.assign(len(C), ptr, column, C[edges], C.shape[1], chosen)
    return total, chosen


def check_assignment(C):
    total, chosen = assign(C)
    taken = np.flatnonzero(chosen >= 0)
    assert len(set(chosen[taken])) == len(taken)
    np.testing.assert_allclose(C[taken, chosen[taken]].sum(), total, atol=1e-9)
    padded = np.c_[np.where(np.isnan(C), FORBIDDEN, C), np.zeros((len(C), len(C)))]
    np.testing.assert_allclose(total, padded[linear_sum_assignment(padded)].sum(), atol=1e-9)


@pytest.mark.parametrize("kind", ["continuous", "ties", "both signs"])
def test_assignments_are_the_cheapest(kind, seed):
    rng = np.random.default_rng(seed)
    for _ in range(700):
        shape = rng.integers(1, 8, size=2)
        C = -rng.random(shape)
        if kind == "ties":
            C = -rng.integers(1, 4, size=shape).astype(float)
        elif kind == "both signs":
            C = rng.integers(-3, 4, size=shape) + 0.1 * rng.random(shape)
        C[rng.random(shape) > rng.uniform(0.2, 1.0)] = np.nan
        check_assignment(C)


def test_large_assignments_are_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    for density in (0.05, 0.3, 1.0):
        for C in (-rng.random((60, 60)), -rng.integers(1, 9, size=(60, 60)).astype(float)):
            C[rng.random(C.shape) > density] = np.nan
            check_assignment(C)


@pytest.mark.parametrize("grouped", [False, True])
def test_contraction_sums_similarities_sizes_and_groups(grouped, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, grouped=grouped, by_degree=True)
    W, n, level = (
        twins.dense_similarity(graph),
        graph.weight.astype(float),
        polish.items_level(graph),
    )
    total = renumber(np.arange(graph.n_items))
    for n_labels in (12, 5, 2):
        labels = renumber(rng.integers(n_labels, size=len(level.size)))
        total = labels[total]
        k, P = labels.max() + 1, twins.membership(total)
        level = polish.contract(level, labels, k, 0.0)
        S = P.T @ W @ P
        np.fill_diagonal(S, 0.0)
        found = sp.csr_array((level.values, level.indices, level.indptr), (k, k))
        np.testing.assert_allclose(found.toarray(), S, rtol=1e-5)
        assert found.nnz == np.count_nonzero(S)
        np.testing.assert_allclose(level.size, P.T @ n, rtol=1e-6)
        for c in range(k if grouped else 0):
            held = level.groups[level.group_ptr[c] : level.group_ptr[c + 1]]
            np.testing.assert_array_equal(np.sort(held), np.sort(graph.group()[total == c]))
        assert grouped or len(level.groups) == 0


def test_within_first_come_and_confidence(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, grouped=False, by_degree=True)
    W, n = twins.dense_similarity(graph), graph.weight.astype(float)
    any_names = rng.integers(6, size=graph.n_items).astype(np.int32)
    labels = polish.first_come(any_names)
    np.testing.assert_array_equal(labels, renumber(any_names))
    P = twins.membership(labels)
    inside = polish.within(graph, labels, P.shape[1])
    np.testing.assert_allclose(inside, 0.5 * np.diag(P.T @ W @ P), rtol=1e-6)
    polished = Polisher(graph).polish(labels, average(graph))
    for given in (labels, polished, renumber(np.arange(graph.n_items))):
        for gamma in average(graph) * np.array([0.5, 1.0, 2.0]):
            sure = polish.confidence(graph, given, int(given.max()) + 1, gamma)
            np.testing.assert_allclose(sure, twins.confidence(W, n, given, gamma), atol=1e-5)


@pytest.mark.parametrize("grouped", [False, True])
def test_mutual_best_partners_merge(grouped, seed):
    rng = np.random.default_rng(seed)
    n_merged = 0
    for _ in range(20):
        graph = random_graph(rng, grouped=grouped)
        labels = random_labels(graph, rng, 12)
        k, P, groups = labels.max() + 1, twins.membership(labels), graph.group()
        level = polish.contract(polish.items_level(graph), labels, k, 0.0)
        S = P.T @ twins.dense_similarity(graph) @ P
        holds = [set(groups[labels == c].tolist()) if grouped else set() for c in range(k)]
        for gamma in average(graph) * np.array([0.5, 1.0, 2.0]):
            mapping = polish._best_partners(level, gamma, 1e-6)
            expected = twins.best_partners(S, P.sum(axis=0), holds, gamma, 1e-6)
            np.testing.assert_array_equal(mapping, expected)
            n_merged += k - 1 - mapping.max()
    assert n_merged > 60


@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_no_single_move_or_merge_improves_polished_labels(grouped, by_degree, seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        graph = random_graph(rng, grouped=grouped, by_degree=by_degree)
        W, n, groups = twins.dense_similarity(graph), graph.weight.astype(float), graph.group()
        polisher = Polisher(graph)
        for share in (2.0, 1.0, 0.6):
            gamma = share * average(graph)
            given = random_labels(graph, rng, rng.integers(1, 12))
            labels = polisher.polish(given, gamma)
            reached = twins.discrete_objective(W, n, labels, gamma)
            assert reached >= twins.discrete_objective(W, n, given, gamma) - 1e-5
            assert not twins.clash(labels, groups)
            np.testing.assert_array_equal(labels, renumber(labels))
            better = [
                moved
                for moved in twins.moves(labels, groups)
                if twins.discrete_objective(W, n, moved, gamma) > reached + 1e-5
            ]
            assert not better


def test_an_item_leaves_when_one_that_it_does_not_know_has_joined():
    W = np.array([[0, 2, 3, 3], [2, 0, 2, 0], [3, 2, 0, 2], [3, 0, 2, 0]])
    labels = Polisher(build_graph(Problem.check(W))).polish(np.arange(4), gamma=0.5)
    np.testing.assert_array_equal(labels, [0, 1, 0, 0])


@pytest.mark.parametrize("grouped", [False, True])
def test_each_stage_raises_the_objective(grouped, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, grouped=grouped, m=40)
    W, n, groups = twins.dense_similarity(graph), graph.weight.astype(float), graph.group()
    gamma = 2.0 * average(graph)
    polisher = Polisher(graph)
    labels = random_labels(graph, rng, 10)
    values = [twins.discrete_objective(W, n, labels, gamma)]
    for stage in (polisher.move, polisher.polish):
        labels = stage(labels, gamma)
        assert not twins.clash(labels, groups)
        values.append(twins.discrete_objective(W, n, labels, gamma))
    assert np.all(np.diff(values) >= -1e-5)
    assert values[1] > values[0]
    for share in (1.5, 1.0, 0.7, 0.5, 0.3):
        gamma = share * average(graph)
        before, labels = labels, polisher.lower(gamma)
        gained = twins.discrete_objective(W, n, labels, gamma)
        gained -= twins.discrete_objective(W, n, before, gamma)
        assert not twins.clash(labels, groups)
        assert labels is before or gained > 0
        assert polisher.lower(gamma) is labels
    assert labels.max() < 10


@pytest.mark.parametrize("grouped", [False, True])
def test_paths_come_close_to_the_best_of_all_partitions(grouped, seed):
    m = 7
    every = np.array(list(twins.partitions(m)))
    assert len(every) == 877
    i, j = np.triu_indices(m, 1)
    same = every[:, i] == every[:, j]
    rng = np.random.default_rng(seed)
    n_optimal, n_steps = 0, 0
    for _ in range(12):
        W = np.zeros((m, m))
        W[i, j] = rng.random(len(i)) * (rng.random(len(i)) < 0.7)
        groups = rng.permutation(m) % 4 if grouped else np.arange(m)
        legal = ~same[:, groups[i] == groups[j]].any(axis=1)
        W += W.T
        result = sl.solve(W, groups, n_steps=80, pick="stability")
        run, path = result.source, result.path
        S, n = twins.dense_similarity(run.graph), run.graph.weight.astype(float)
        gamma = run.average * path.resolutions
        pairs = S[i, j][:, None] - gamma * (n[i] * n[j])[:, None]
        best = (same[legal] @ pairs).max(axis=0)
        found = np.array(
            [twins.discrete_objective(S, n, *step) for step in zip(path.labels, gamma, strict=True)]
        )
        np.testing.assert_allclose(path.objectives * run.average, found, atol=1e-5)
        assert np.all(found <= best + 1e-5)
        assert found.sum() >= (0.9 if grouped else 0.95) * best.sum()
        n_optimal += np.count_nonzero(found >= best - 1e-5)
        n_steps += len(best)
    assert n_optimal >= 0.8 * n_steps
