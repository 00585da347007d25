"""The compiled passes against their NumPy twins, and what holds after any pass."""

from itertools import pairwise

import numpy as np
import pytest
from support.relaxing import (
    SHARES,
    check_columns,
    check_rows,
    empty_columns,
    large_graph,
    random_graph,
    resolutions,
)
from support.twins import ascend, dense_rows, dense_similarity, relaxed_objective, rounded, units_of

from spherelax.coordinate.relax import kernels
from spherelax.coordinate.relax import sweep as coordinate
from spherelax.coordinate.relax.kernels import RowTerms, Span
from spherelax.coordinate.relax.rows import round_rows


class Passes:
    """Passes over a graph with given batches of units, one after the other."""

    def __init__(self, graph, row_entries, cuts=None, tau=coordinate.SMALL):
        self.graph, self.cuts, self.tau = graph, cuts, tau
        self.rows = coordinate.start(graph, row_entries)
        self.columns = coordinate.build_columns(graph, self.rows)
        self.mu = coordinate.REPULSION * float(graph.values.max())
        self.proposed = coordinate._room_for_rows(graph.n_items, row_entries)
        occupied = np.zeros(graph.n_items, dtype=np.float32)
        self.scratch = coordinate._scratch(graph, row_entries, graph.n_items, occupied)

    def __call__(self, gamma):
        """Make a pass with all items active; return what it gained."""
        graph, rows, columns, proposed = self.graph, self.rows, self.columns, self.proposed
        terms = RowTerms(float(gamma), self.mu, self.tau)
        rows.active[:] = True
        if self.cuts is None:
            gains = np.zeros(1)
            kernels.visit_units(0, 1, graph, rows, columns, terms, proposed, self.scratch, gains)
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


def test_a_piece_that_is_a_whole_group_is_visited_like_the_group(seed):
    graph = large_graph(seed, n_groups=3)
    step = next(coordinate.sweep_rows(graph, [0.2], row_entries=2, n_inner=1, n_threads=1))
    passes = Passes(graph, 2)
    passes.rows = step.rows
    columns, scratch = coordinate.build_columns(graph, step.rows), passes.scratch
    terms = RowTerms(0.1, passes.mu, passes.tau)
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
