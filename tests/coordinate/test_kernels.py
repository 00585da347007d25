"""The compiled passes against their NumPy twins, and what holds after any pass."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from spherelax.coordinate import kernels
from spherelax.coordinate import sweep as coordinate
from spherelax.coordinate.graph import build_graph
from spherelax.labels import renumber
from spherelax.problem import Problem
from twins import ascend, dense_rows, dense_similarity, relaxed_objective, rounded, units_of

SHARES = [6.0, 3.0, 2.0, 1.5, 1.2, 1.0, 0.8, 0.6]  # resolutions, in units of the average


def random_graph(seed, *, grouped=False, by_degree=False, m=36):
    """Weak clusters with continuous similarities, so that there are no ties."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(6, size=m)
    W = np.triu(
        rng.random((m, m)) * (rng.random((m, m)) < 0.1 + 0.4 * (truth[:, None] == truth)), 1
    )
    groups = np.where(rng.random(m) < 0.8, rng.integers(m // 6, size=m), m + np.arange(m))
    graph = build_graph(Problem.check(W + W.T, groups if grouped else None))
    if by_degree:
        degrees = kernels.degrees(graph).astype(np.float32)
        graph = graph._replace(weight=degrees / degrees.mean())
    return graph


def resolutions(graph):
    return np.array(SHARES) * 0.5 * graph.values.sum(dtype=float) / graph.n_pairs()


def check_rows(graph, rows, row_entries):
    """Unit rows of few entries, and everything that is kept up to date agrees with them."""
    used = rows.packed[:, :row_entries] >= 0
    values = rows.value[:, row_entries:]
    assert used[:, 0].all()
    assert np.all(used[:, :-1] >= used[:, 1:])
    assert np.all((values > 0) == used)
    assert np.all(np.diff(values, axis=1) <= 0)
    U = dense_rows(rows)
    np.testing.assert_array_equal(np.count_nonzero(U, axis=1), used.sum(axis=1))
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(rows.s, graph.weight @ U, atol=1e-5 * max(1, graph.weight.max()))
    np.testing.assert_array_equal(rows.count, np.count_nonzero(U, axis=0))
    free = rows.free[: rows.n_free[0]]
    np.testing.assert_array_equal(np.sort(free), np.flatnonzero(rows.count == 0))


class Passes:
    """Passes over a graph with given batches of units, one after the other."""

    def __init__(self, graph, row_entries, cuts=None, tau=coordinate.SMALL):
        self.graph, self.cuts, self.tau = graph, cuts, tau
        self.rows = coordinate.start(graph, row_entries)
        self.mu = coordinate.REPULSION * float(graph.values.max())
        self.fresh = coordinate._empty_rows(graph.n_items, row_entries)
        self.scratch = coordinate._scratch(graph, row_entries)

    def __call__(self, gamma):
        """Make a pass with all rows awake; return what it gained."""
        graph, rows, fresh = self.graph, self.rows, self.fresh
        settings = float(gamma), self.mu, self.tau
        rows.awake[:] = True
        if self.cuts is None:
            return kernels.one_by_one(graph, rows, *settings, fresh, self.scratch)
        gain = 0.0
        for first, last in pairwise(self.cuts.tolist()):
            base = graph.unit_ptr[first]
            kernels.propose(first, last, base, graph, rows, *settings, fresh, self.scratch)
            gain += kernels.commit(first, last, graph, rows, fresh)
            kernels.rouse(first, last, base, graph, rows, fresh)
        return gain


@pytest.mark.parametrize("n_batches", [None, 4, 1])
@pytest.mark.parametrize("row_entries", [2, 4])
@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_passes_are_those_of_the_twin(grouped, by_degree, row_entries, n_batches, seed):
    graph = random_graph(seed, grouped=grouped, by_degree=by_degree)
    W, n, groups = dense_similarity(graph), graph.weight.astype(float), graph.group()
    n_units = len(graph.unit_ptr) - 1
    cuts = np.arange(n_units + 1)
    if n_batches is not None:
        cuts = np.linspace(0, n_units, n_batches + 1).astype(np.intp)
    batches = np.split(graph.members, graph.unit_ptr[cuts[1:-1]])
    kernel = Passes(graph, row_entries, None if n_batches is None else cuts)
    n_moved = 0
    for gamma in np.repeat(resolutions(graph), 2):
        before = dense_rows(kernel.rows)
        expected = ascend(
            *(W, n, groups, before),
            free=kernel.rows.free[: kernel.rows.n_free[0]].tolist(),
            batches=batches,
            gamma=gamma,
            mu=kernel.mu,
            tau=kernel.tau,
            n_entries=row_entries,
        )
        kernel(gamma)
        found = dense_rows(kernel.rows)
        np.testing.assert_allclose(found, expected, atol=1e-5)
        check_rows(graph, kernel.rows, row_entries)
        n_moved += np.count_nonzero(np.abs(found - before).max(axis=1) > 0.1)
        labels = kernels.round_rows(graph, kernel.rows)
        np.testing.assert_array_equal(labels, rounded(found, units_of(graph)))
    assert n_moved > graph.n_items


@pytest.mark.parametrize("row_entries", [2, 4])
@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("tau", [0.0, coordinate.SMALL])
def test_a_pass_gains_what_it_says_and_loses_nothing_with_whole_rows(
    row_entries, by_degree, tau, seed
):
    graph = random_graph(seed, by_degree=by_degree)
    W, n = dense_similarity(graph), graph.weight.astype(float)
    kernel = Passes(graph, row_entries, tau=tau)
    for gamma in np.repeat(resolutions(graph), 3):
        before = relaxed_objective(W, n, dense_rows(kernel.rows), gamma)
        gain = kernel(gamma)
        after = relaxed_objective(W, n, dense_rows(kernel.rows), gamma)
        np.testing.assert_allclose(after - before, gain, atol=1e-4)
        assert tau > 0 or after >= before - 1e-4


def test_rounding_lets_the_strongest_of_a_group_keep_the_column(seed):
    rng = np.random.default_rng(seed)
    m = 24
    graph = build_graph(Problem.check(np.ones((m, m)), rng.integers(6, size=m)))
    rows = coordinate.start(graph, 2)
    first = np.sort(rng.random(m).astype(np.float32) * 0.3 + 0.7)
    rows.packed[:, :2] = [rng.choice(6, 2, replace=False) for _ in range(m)]
    rows.value[:, 2:] = np.c_[first, np.sqrt(1 - first**2)]
    rows.count[:] = np.bincount(rows.packed[:, :2].ravel(), minlength=m)
    labels = kernels.round_rows(graph, rows)
    np.testing.assert_array_equal(labels, rounded(dense_rows(rows), units_of(graph)))
    assert np.count_nonzero(labels != rows.packed[:, 0]) > 0


@pytest.mark.parametrize("grouped", [False, True])
def test_sleeping_changes_nothing_on_clean_data(grouped, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(8, size=90)
    W = (truth[:, None] == truth) * rng.uniform(0.8, 1.0, 90) ** 0.5
    W *= W.T
    groups = np.array([np.count_nonzero(truth[:i] == truth[i]) for i in range(90)])
    graph = build_graph(Problem.check(W, groups if grouped else None))
    gammas = np.repeat(np.geomspace(0.99, 0.05, 12), 2)
    found = []
    for everyone in (False, True):
        labels, n_asleep = [], 0
        for _, _, rows in coordinate.sweep(graph, gammas, row_entries=4, n_inner=1, n_threads=1):
            labels.append(kernels.round_rows(graph, rows))
            n_asleep += np.count_nonzero(~rows.awake)
            rows.awake[:] |= everyone
        assert n_asleep > 0
        found.append(np.array(labels))
    np.testing.assert_array_equal(*found)
    np.testing.assert_array_equal(found[0][-1][:, None] == found[0][-1], truth[:, None] == truth)


def test_rows_that_move_wake_the_neighbours_before_them(seed):
    graph = random_graph(seed)
    W, kernel = dense_similarity(graph), Passes(graph, 4)
    n_awake = 0
    for gamma in np.repeat(resolutions(graph), 2):
        before = dense_rows(kernel.rows)
        kernel(gamma)
        moved = np.abs(dense_rows(kernel.rows) - before).sum(axis=1) > kernels.QUIET
        expected = np.triu(W)[:, moved].any(axis=1)
        np.testing.assert_array_equal(kernel.rows.awake, expected)
        n_awake += np.count_nonzero(expected)
    assert 0 < n_awake < 2 * len(SHARES) * graph.n_items


@pytest.mark.parametrize("grouped", [False, True])
def test_sweeps_keep_their_books_and_go_down_in_order(grouped, seed):
    graph = random_graph(seed, grouped=grouped)
    gammas = resolutions(graph)
    seen = []
    for gamma, eta, rows in coordinate.sweep(graph, gammas, row_entries=3, n_inner=2, n_threads=1):
        check_rows(graph, rows, 3)
        assert eta >= 0
        seen.append(gamma)
    np.testing.assert_array_equal(seen, gammas)


def large_graph(seed, grouped):
    """Sparse clusters of ten, and noise, of just so many items that passes are batched."""
    rng = np.random.default_rng(seed)
    m = coordinate.BATCHED_ITEMS + 100
    truth = np.arange(m) // 10
    i, j = rng.integers(m, size=(2, 2 * m))
    j[m:] = np.minimum(10 * truth[i[m:]] + rng.integers(10, size=m), m - 1)
    W = sp.coo_array((rng.random(2 * m), (i, j)), (m, m)).tocsr()
    groups = rng.permutation(m) // 7
    return build_graph(Problem.check(W + W.T, groups if grouped else None))


@pytest.mark.parametrize("grouped", [False, True])
def test_any_number_of_threads_gives_the_same_bits(grouped, monkeypatch, seed):
    monkeypatch.setattr(coordinate, "WORTH_THREADS", 0)
    graph = large_graph(seed, grouped)
    gammas = np.geomspace(0.5, 0.01, 6)
    walks = [
        coordinate.sweep(graph, gammas, row_entries=2, n_inner=2, n_threads=n) for n in (1, 2, 3)
    ]
    for steps in zip(*walks, strict=True):
        assert steps[0].eta == steps[1].eta == steps[2].eta
        for step in steps[1:]:
            np.testing.assert_array_equal(step.rows.packed, steps[0].rows.packed)
    assert len(np.unique(steps[0].rows.packed[:, 0])) < graph.n_items // 2


def test_degrees_components_and_nearest_neighbours(seed):
    graph = random_graph(seed, by_degree=True)
    W, n = dense_similarity(graph), graph.weight.astype(float)
    np.testing.assert_allclose(kernels.degrees(graph), W.sum(axis=1))
    np.testing.assert_allclose(
        kernels.strongest(graph), (W / np.outer(n, n)).max(axis=1), rtol=1e-6
    )
    rng = np.random.default_rng(seed)
    V = sp.random_array((80, 80), density=0.008, rng=rng, format="csr")
    V += V.T
    n_components, component = connected_components(V)
    assert 1 < n_components < 80
    found = kernels.components(build_graph(Problem.check(V)))
    np.testing.assert_array_equal(found, renumber(component))
