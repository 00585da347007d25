"""The compiled passes against their NumPy twins, and what holds after any pass."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph.graph import LARGE, build_graph
from spherelax.coordinate.graph.neighbors import strengths
from spherelax.coordinate.machine import threads
from spherelax.coordinate.relax import kernels
from spherelax.coordinate.relax import sweep as coordinate
from spherelax.coordinate.relax.kernels import Span, Terms
from spherelax.coordinate.relax.rows import round_rows
from spherelax.problem import Problem
from twins import ascend, dense_rows, dense_similarity, relaxed_objective, rounded, units_of

SHARES = [6.0, 3.0, 2.0, 1.5, 1.2, 1.0, 0.8, 0.6]  # resolutions, in units of the average


def random_graph(seed, *, grouped=False, by_degree=False, m=36):
    """Weak clusters with continuous similarities, so that there are no ties, as one component."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(6, size=m)
    W = np.triu(
        rng.random((m, m)) * (rng.random((m, m)) < 0.1 + 0.4 * (truth[:, None] == truth)), 1
    )
    groups = np.where(rng.random(m) < 0.8, rng.integers(m // 6, size=m), m + np.arange(m))
    codes = np.unique(groups, return_inverse=True)[1]
    problem = Problem.check(W + W.T, codes if grouped else None)
    graph = build_graph(problem, given=np.argsort(codes, kind="stable").astype(np.int32))
    if grouped:
        graph = graph._replace(unit_ptr=np.cumsum(np.r_[0, np.bincount(codes)], dtype=np.int32))
    if by_degree:
        sums = strengths(graph).astype(np.float32)
        graph = graph._replace(weight=sums / sums.mean())
    return graph


def resolutions(graph):
    return np.array(SHARES) * 0.5 * graph.values.sum(dtype=float) / graph.n_pairs()


def check_rows(graph, rows, row_entries):
    """Unit rows of few entries, which stay in their components."""
    used = rows.packed[:, :row_entries] >= 0
    values = rows.value[:, row_entries:]
    assert used[:, 0].all()
    assert np.all(used[:, :-1] >= used[:, 1:])
    assert np.all((values > 0) == used)
    assert np.all(np.diff(values, axis=1) <= 0)
    U = dense_rows(rows)
    np.testing.assert_array_equal(np.count_nonzero(U, axis=1), used.sum(axis=1))
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0, atol=1e-6)
    sizes = np.diff(graph.component_ptr)
    component = np.repeat(np.arange(len(sizes)), sizes)
    column = np.where(used, rows.packed[:, :row_entries], rows.packed[:, :1])
    np.testing.assert_array_equal(component[column].T, [component] * row_entries)


def check_columns(graph, rows, columns):
    """Everything that is kept up to date with rows agrees with them."""
    U, close = dense_rows(rows), 1e-5 * max(1, graph.weight.max())
    np.testing.assert_allclose(columns.s, graph.weight @ U, atol=close)
    np.testing.assert_array_equal(np.maximum(columns.count, 0), np.count_nonzero(U, axis=0))
    for component, (begin, end) in enumerate(pairwise(graph.component_ptr)):
        empty = begin + np.flatnonzero(columns.count[begin:end] <= 0)
        np.testing.assert_array_equal(np.sort(empty_columns(columns, component)), empty)
    assert np.all(columns.claimed == -1)


def empty_columns(columns, component):
    """Return the stack of the empty columns of a component, the top one last."""
    stack, at = [], columns.free[component]
    while at >= 0:
        stack.insert(0, int(at))
        at = -2 - columns.count[at]
    return stack


class Passes:
    """Passes over a graph with given batches of units, one after the other."""

    def __init__(self, graph, row_entries, cuts=None, tau=coordinate.SMALL):
        self.graph, self.cuts, self.tau = graph, cuts, tau
        self.rows = coordinate.start(graph, row_entries)
        self.columns = coordinate.columns_of(graph, self.rows)
        self.mu = coordinate.REPULSION * float(graph.values.max())
        self.proposed = coordinate._no_rows(graph.n_items, row_entries)
        occupied = np.zeros(graph.n_items, dtype=np.float32)
        self.scratch = coordinate._scratch(graph, row_entries, graph.n_items, occupied)

    def __call__(self, gamma):
        """Make a pass with all items active; return what it gained."""
        graph, rows, columns, proposed = self.graph, self.rows, self.columns, self.proposed
        terms = Terms(float(gamma), self.mu, self.tau)
        rows.active[:] = True
        if self.cuts is None:
            gains = np.zeros(1)
            kernels.one_by_one(0, 1, graph, rows, columns, terms, proposed, self.scratch, gains)
            return gains[0]
        gain = 0.0
        for first, last in pairwise(self.cuts.tolist()):
            begin, end = map(int, graph.unit_ptr[[first, last]])
            span = Span(begin, end, first, begin, component=0, largest=graph.n_items)
            kernels.propose(span, graph, rows, columns, terms, proposed, self.scratch)
            gain += kernels.commit(span, graph, rows, columns, proposed)
            kernels.activate(span, graph, rows, proposed)
        return gain


@pytest.mark.parametrize("n_batches", [None, 4, 1])
@pytest.mark.parametrize("row_entries", [2, 4])
@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_passes_are_those_of_the_twin(grouped, by_degree, row_entries, n_batches, seed):
    graph = random_graph(seed, grouped=grouped, by_degree=by_degree)
    W, n, groups = dense_similarity(graph), graph.weight.astype(float), graph.groups()
    n_units = len(graph.unit_ptr) - 1
    cuts = np.arange(n_units + 1)
    if n_batches is not None:
        cuts = np.linspace(0, n_units, n_batches + 1).astype(np.intp)
    batches = np.split(np.arange(graph.n_items), graph.unit_ptr[cuts[1:-1]])
    kernel = Passes(graph, row_entries, None if n_batches is None else cuts)
    n_moved = 0
    for gamma in np.repeat(resolutions(graph), 2):
        before = dense_rows(kernel.rows)
        expected = ascend(
            *(W, n, groups, before),
            free=empty_columns(kernel.columns, 0),
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
        check_columns(graph, kernel.rows, kernel.columns)
        n_moved += np.count_nonzero(np.abs(found - before).max(axis=1) > 0.1)
        labels = round_rows(graph, kernel.rows)
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
        for _, _, rows in coordinate.sweep(graph, gammas, row_entries=4, n_inner=1, n_threads=1):
            labels.append(round_rows(graph, rows))
            n_inactive += np.count_nonzero(~rows.active)
            rows.active[:] |= everyone
        assert n_inactive > 0
        found.append(np.array(labels))
    np.testing.assert_array_equal(*found)
    truth = truth[graph.given]
    np.testing.assert_array_equal(found[0][-1][:, None] == found[0][-1], truth[:, None] == truth)


def test_rows_that_move_activate_the_neighbours_before_them(seed):
    graph = random_graph(seed)
    W, kernel = dense_similarity(graph), Passes(graph, 4)
    n_active = 0
    for gamma in np.repeat(resolutions(graph), 2):
        before = dense_rows(kernel.rows)
        kernel(gamma)
        moved = np.abs(dense_rows(kernel.rows) - before).sum(axis=1) > kernels.QUIET
        expected = np.triu(W)[:, moved].any(axis=1)
        np.testing.assert_array_equal(kernel.rows.active, expected)
        n_active += np.count_nonzero(expected)
    assert 0 < n_active < 2 * len(SHARES) * graph.n_items


@pytest.mark.parametrize("grouped", [False, True])
def test_sweeps_keep_their_books_and_go_down_in_order(grouped, seed):
    graph = random_graph(seed, grouped=grouped)
    gammas = resolutions(graph)
    seen = []
    for gamma, eta, rows in coordinate.sweep(graph, gammas, row_entries=3, n_inner=2, n_threads=1):
        check_rows(graph, rows, 3)
        check_columns(graph, rows, coordinate.columns_of(graph, rows))
        assert eta >= 0
        seen.append(gamma)
    np.testing.assert_array_equal(seen, gammas)


def large_graph(seed, n_groups):
    """Sparse clusters of ten, and noise, of just so many items that passes are batched."""
    rng = np.random.default_rng(seed)
    m = LARGE + 100
    truth = np.arange(m) // 10
    i, j = rng.integers(m, size=(2, 2 * m))
    j[m:] = np.minimum(10 * truth[i[m:]] + rng.integers(10, size=m), m - 1)
    W = sp.coo_array((rng.random(2 * m), (i, j)), (m, m)).tocsr()
    groups = rng.permutation(m) % n_groups if n_groups else None
    return build_graph(Problem.check(W + W.T, groups))


@pytest.mark.parametrize("n_groups", [None, 600, 3])
def test_any_number_of_threads_gives_the_same_bits(n_groups, monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    graph = large_graph(seed, n_groups)
    gammas = np.geomspace(0.5, 0.01, 6)
    walks = [
        coordinate.sweep(graph, gammas, row_entries=2, n_inner=2, n_threads=n) for n in (1, 2, 3)
    ]
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
    monkeypatch.setattr(coordinate, "commit", checked_commit)
    graph = large_graph(seed, n_groups=3)
    step = next(coordinate.sweep(graph, [0.2], row_entries=2, n_inner=1, n_threads=2))
    check_rows(graph, step.rows, 2)
    group, columns = graph.group, step.rows.packed[:, :2]
    taken = np.repeat(group, 2)[columns.ravel() >= 0] * graph.n_items + columns[columns >= 0]
    assert len(np.unique(taken)) == len(taken)
    assert len(np.unique(columns[:, 0])) < graph.n_items


def test_a_piece_that_is_a_whole_group_is_visited_like_the_group(seed):
    graph = large_graph(seed, n_groups=3)
    step = next(coordinate.sweep(graph, [0.2], row_entries=2, n_inner=1, n_threads=1))
    passes = Passes(graph, 2)
    passes.rows = step.rows
    columns, scratch = coordinate.columns_of(graph, step.rows), passes.scratch
    terms = Terms(0.1, passes.mu, passes.tau)
    begin, end = map(int, graph.unit_ptr[1:3])
    found = []
    for largest in (end - begin, 1):
        step.rows.active[:] = True
        span = Span(begin, end, 1, begin, component=0, largest=largest)
        if largest == 1:
            kernels.occupy(begin, end, step.rows, terms, scratch.occupied)
            assert scratch.occupied.sum() > 0.9 * (end - begin)
        kernels.propose(span, graph, step.rows, columns, terms, passes.proposed, scratch)
        found.append(passes.proposed.packed[: end - begin].copy())
    np.testing.assert_array_equal(*found)
    assert not scratch.group.any()
    kernels.vacate(begin, end, step.rows, scratch.occupied)
    assert not scratch.occupied.any()
