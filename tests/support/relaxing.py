"""Graphs for the tests of rows of U, and what holds for rows and columns after any pass."""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from support.twins import dense_rows

from spherelax.coordinate.graph.graph import LARGE, build_graph
from spherelax.coordinate.graph.neighbors import strengths
from spherelax.problem import Problem

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
    np.testing.assert_array_equal(np.maximum(columns.n_rows, 0), np.count_nonzero(U, axis=0))
    for component, (begin, end) in enumerate(pairwise(graph.component_ptr)):
        empty = begin + np.flatnonzero(columns.n_rows[begin:end] <= 0)
        np.testing.assert_array_equal(np.sort(empty_columns(columns, component)), empty)
    assert np.all(columns.claimed == -1)


def empty_columns(columns, component):
    """Return the stack of the empty columns of a component, the top one last."""
    stack, at = [], columns.free[component]
    while at >= 0:
        stack.insert(0, int(at))
        at = -2 - columns.n_rows[at]
    return stack


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
