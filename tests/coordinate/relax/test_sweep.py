"""Sweeps over falling resolutions: in order, on any threads, with and without inactive items."""

import numpy as np
import pytest
from support import twins
from support.relaxing import check_columns, check_rows, large_graph, random_graph, resolutions

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.machine import threads
from spherelax.coordinate.relax import kernels, round_rows, sweep, sweep_rows
from spherelax.problem import Problem


def test_items_start_alone_and_inactive_until_a_neighbour_attracts_them(seed):
    graph = random_graph(seed, by_degree=True)
    rows = sweep.start(graph, 3)
    np.testing.assert_array_equal(twins.dense_rows(rows), np.eye(graph.n_items))
    n = graph.weight.astype(float)
    pull = (twins.dense_similarity(graph) / np.outer(n, n)).max(axis=1)
    np.testing.assert_allclose(rows.activation, pull, rtol=1e-6)
    assert not rows.active.any()
    check_columns(graph, rows, sweep.build_columns(graph, rows))
    (above,) = sweep_rows(graph, [1.01 * pull.max()], row_entries=3, n_inner=2, n_threads=1)
    np.testing.assert_array_equal(twins.dense_rows(above.rows), np.eye(graph.n_items))
    assert above.eta == 0.0


def test_eta_is_what_the_last_pass_gained(seed):
    graph = random_graph(seed)
    W, n = twins.dense_similarity(graph), graph.weight.astype(float)
    for gamma in resolutions(graph)[:4]:
        (one,) = sweep_rows(graph, [gamma], row_entries=4, n_inner=1, n_threads=1)
        (two,) = sweep_rows(graph, [gamma], row_entries=4, n_inner=2, n_threads=1)
        before, after = (
            twins.relaxed_objective(W, n, twins.dense_rows(step.rows), gamma) for step in (one, two)
        )
        np.testing.assert_allclose(two.eta, abs(after - before), atol=1e-4)


@pytest.mark.parametrize("grouped", [False, True])
def test_sweeps_keep_their_books_and_go_down_in_order(grouped, seed):
    graph = random_graph(seed, grouped=grouped)
    gammas = resolutions(graph)
    seen = []
    for gamma, eta, rows in sweep_rows(graph, gammas, row_entries=3, n_inner=2, n_threads=1):
        check_rows(graph, rows, 3)
        check_columns(graph, rows, sweep.build_columns(graph, rows))
        assert eta >= 0
        seen.append(gamma)
    np.testing.assert_array_equal(seen, gammas)


@pytest.mark.parametrize("grouped", [False, True])
def test_leaving_out_inactive_items_changes_nothing_on_clean_data(grouped, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(8, size=90)
    W = (truth[:, None] == truth) * rng.uniform(0.8, 1.0, 90) ** 0.5
    W *= W.T
    groups = np.array([np.count_nonzero(truth[:i] == truth[i]) for i in range(90)])
    graph = build_graph(Problem.check(W, groups if grouped else None))
    gammas = np.repeat(np.geomspace(0.99, 0.05, 12), 2)
    found = []
    for everyone in (False, True):
        labels, n_inactive = [], 0
        for _, _, rows in sweep_rows(graph, gammas, row_entries=4, n_inner=1, n_threads=1):
            labels.append(round_rows(graph, rows))
            n_inactive += np.count_nonzero(~rows.active)
            rows.active[:] |= everyone
        assert n_inactive > 0
        found.append(np.array(labels))
    np.testing.assert_array_equal(*found)
    truth = truth[graph.given]
    np.testing.assert_array_equal(found[0][-1][:, None] == found[0][-1], truth[:, None] == truth)


@pytest.mark.parametrize("n_groups", [None, 600, 3])
def test_any_number_of_threads_gives_the_same_bits(n_groups, monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    graph = large_graph(seed, n_groups)
    gammas = np.geomspace(0.5, 0.01, 6)
    walks = [sweep_rows(graph, gammas, row_entries=2, n_inner=2, n_threads=n) for n in (1, 2, 3)]
    for steps in zip(*walks, strict=True):
        assert steps[0].eta == steps[1].eta == steps[2].eta
        for step in steps[1:]:
            np.testing.assert_array_equal(step.rows.packed, steps[0].rows.packed)
    assert len(np.unique(steps[0].rows.packed[:, 0])) < 0.6 * graph.n_items


def checked_commit(span, graph, rows, columns, *others):
    """Put rows into place; what is known of columns agrees with them, and no claim is left."""
    gain = kernels.commit(span, graph, rows, columns, *others)
    check_columns(graph, rows, columns)
    return gain


def test_pieces_of_a_group_do_not_enter_the_same_column(monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    monkeypatch.setattr(sweep, "commit", checked_commit)
    graph = large_graph(seed, n_groups=3)
    step = next(sweep_rows(graph, [0.2], row_entries=2, n_inner=1, n_threads=2))
    check_rows(graph, step.rows, 2)
    group, columns = graph.group, step.rows.packed[:, :2]
    taken = np.repeat(group, 2)[columns.ravel() >= 0] * graph.n_items + columns[columns >= 0]
    assert len(np.unique(taken)) == len(taken)
    assert len(np.unique(columns[:, 0])) < graph.n_items
