"""Exact ascent on labels against brute force: every single move, all partitions of few items."""

import numpy as np
import pytest
import scipy.sparse as sp
from support import twins
from support.graphs import average, random_labels, weak_clusters

import spherelax as sl
from spherelax.coordinate.graph.graph import LARGE, build_graph
from spherelax.coordinate.machine import threads
from spherelax.coordinate.moves import polish
from spherelax.coordinate.moves.moves import move
from spherelax.coordinate.moves.polish import lower, move_once, polish_labels
from spherelax.labels import renumber
from spherelax.problem import Problem


@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_no_single_move_or_merge_improves_polished_labels(grouped, by_degree, seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        graph = weak_clusters(rng, grouped=grouped, by_degree=by_degree)
        W, n, groups = twins.dense_similarity(graph), graph.weight.astype(float), graph.groups()
        for share in (2.0, 1.0, 0.6):
            gamma = share * average(graph)
            given = random_labels(graph, rng, rng.integers(1, 12))
            labels = polish_labels(graph, given, gamma)
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


def few_sources(seed, n_sources=3):
    """Large groups whose items compete: similarities are with things near by, and some with any."""
    rng = np.random.default_rng(seed)
    n_things = 2 * LARGE // n_sources
    thing, source = np.divmod(np.arange(n_things * n_sources), n_sources)
    one = rng.integers(len(thing), size=4 * len(thing))
    near = (thing[one] + rng.integers(-1, 2, size=len(one))) % n_things
    far = rng.integers(n_things, size=len(one))
    near = np.where(rng.random(len(one)) < 0.2, far, near)
    other = near * n_sources + rng.integers(n_sources, size=len(one))
    W = sp.coo_array((rng.random(len(one)), (one, other)), (len(thing),) * 2).tocsr()
    return build_graph(Problem.check(W + W.T, source))


@pytest.mark.parametrize("improve", [move_once, polish_labels])
def test_large_groups_move_alike_on_any_threads_and_hold_each_label_once(
    improve, monkeypatch, seed
):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    graph = few_sources(seed)
    gamma, alone = 2.0 * average(graph), np.arange(graph.n_items, dtype=np.int32)
    found = [improve(graph, alone, gamma, n_threads=n) for n in (1, 2, 3)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert found[0].max() + 1 < 0.7 * graph.n_items
    assert not twins.clash(found[0], graph.groups())
    together = []

    def move_together(moves, _, scope):
        together.append(scope)
        return move(scope, *moves.moved, *moves.room[0])

    monkeypatch.setattr(polish._Moves, "_move", move_together)
    np.testing.assert_array_equal(improve(graph, alone, gamma, n_threads=2), found[0])
    assert together


def test_an_item_leaves_when_one_that_it_does_not_know_has_joined():
    W = np.array([[0, 2, 3, 3], [2, 0, 2, 0], [3, 2, 0, 2], [3, 0, 2, 0]])
    graph = build_graph(Problem.check(W), given=np.arange(4, dtype=np.int32))
    labels = polish_labels(graph, np.arange(4), gamma=0.5)
    np.testing.assert_array_equal(labels, [0, 1, 0, 0])


@pytest.mark.parametrize("grouped", [False, True])
def test_each_stage_raises_the_objective(grouped, seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, grouped=grouped, m=40)
    W, n, groups = twins.dense_similarity(graph), graph.weight.astype(float), graph.groups()
    gamma = 2.0 * average(graph)
    labels = random_labels(graph, rng, 10)
    values = [twins.discrete_objective(W, n, labels, gamma)]
    for stage in (move_once, polish_labels):
        labels = stage(graph, labels, gamma)
        assert not twins.clash(labels, groups)
        values.append(twins.discrete_objective(W, n, labels, gamma))
    assert np.all(np.diff(values) >= -1e-5)
    assert values[1] > values[0]
    for share in (1.5, 1.0, 0.7, 0.5, 0.3):
        gamma = share * average(graph)
        found = lower(graph, labels, gamma)
        if found is None:
            continue
        gained = twins.discrete_objective(W, n, found, gamma)
        gained -= twins.discrete_objective(W, n, labels, gamma)
        assert not twins.clash(found, groups)
        assert gained > 0
        assert lower(graph, found, gamma) is None
        labels = found
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
        W += W.T
        settings = sl.Coordinate(n_steps=80)
        result = sl.solve(W, groups=groups, solver=settings, pick="stability")
        model, path = result._solved.model, result.path
        S, n = twins.dense_similarity(model.graph), model.graph.weight.astype(float)
        given = model.graph.given
        legal = ~same[:, groups[given][i] == groups[given][j]].any(axis=1)
        gamma = model.average * path.resolutions
        pairs = S[i, j][:, None] - gamma * (n[i] * n[j])[:, None]
        best = (same[legal] @ pairs).max(axis=0)
        found = np.array(
            [
                twins.discrete_objective(S, n, labels[given], g)
                for labels, g in zip(path.labels, gamma, strict=True)
            ]
        )
        np.testing.assert_allclose(path.objectives * model.average, found, atol=1e-5)
        assert np.all(found <= best + 1e-5)
        assert found.sum() >= (0.9 if grouped else 0.95) * best.sum()
        n_optimal += np.count_nonzero(found >= best - 1e-5)
        n_steps += len(best)
    assert n_optimal >= 0.8 * n_steps
