"""Components are solved as if each were alone: whatever lies beside them, and on any thread."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph.graph import LARGE, build_graph
from spherelax.coordinate.machine import threads
from spherelax.coordinate.moves.polish import move_once, polish_labels
from spherelax.coordinate.relax import sweep as coordinate
from spherelax.coordinate.relax.rows import round_rows
from spherelax.problem import Problem


def clusters(rng, m, n_groups):
    """Clusters of ten of which most are connected by wrong similarities; the largest is 1."""
    truth = np.arange(m) // 10
    i, j = rng.integers(m, size=(2, 3 * m))
    j[m:] = np.minimum(10 * truth[i[m:]] + rng.integers(10, size=2 * m), m - 1)
    W = sp.coo_array((np.r_[9.0, rng.random(3 * m)], (np.r_[0, i], np.r_[1, j])), (m, m)).tocsr()
    groups = np.r_[0, 1, rng.integers(n_groups, size=m - 2)] if n_groups else None
    return W.maximum(W.T).minimum(4.0), groups


def beside(one, other, rng):
    """Two problems in one, their items shuffled; groups of the same name are one group."""
    order = rng.permutation(one[0].shape[0] + other[0].shape[0])
    # Items of each problem stay in their order.
    is_one = order < one[0].shape[0]
    place = np.r_[np.flatnonzero(is_one), np.flatnonzero(~is_one)]
    W = sp.block_diag([one[0], other[0]], format="coo")
    W = sp.coo_array((W.data, (place[W.row], place[W.col])), W.shape).tocsr()
    groups = None
    if one[1] is not None:
        groups = np.empty(len(order), dtype=np.intp)
        groups[place] = np.r_[one[1], other[1]]
    return (W, groups), place[: one[0].shape[0]]


def canonical(labels):
    """Number labels in order of first appearance."""
    return np.unique(labels, return_index=True)[1][np.unique(labels, return_inverse=True)[1]]


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("n_groups", [None, 700, 4])
@pytest.mark.parametrize(("m", "n_others"), [(300, 200), (300, LARGE + 300), (LARGE + 90, 400)])
def test_labels_do_not_depend_on_what_lies_beside(m, n_others, n_groups, n_threads, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    rng = np.random.default_rng(m + n_others)
    alone, other = (clusters(rng, n, n_groups) for n in (m, n_others))
    both, items = beside(alone, other, rng)
    graphs = [build_graph(Problem.check(*problem)) for problem in (alone, both)]
    gammas = np.geomspace(0.4, 0.01, 8)
    walks = [
        coordinate.sweep_rows(graph, gammas, row_entries=2, n_inner=2, n_threads=n)
        for graph, n in zip(graphs, (1, n_threads), strict=True)
    ]
    for steps in zip(*walks, strict=True):
        rounded = [round_rows(g, step.rows) for g, step in zip(graphs, steps, strict=True)]
        for improve in (move_once, polish_labels):
            expected, found = (
                g.as_given(improve(g, labels, steps[0].resolution, n_threads=n_threads))
                for g, labels in zip(graphs, rounded, strict=True)
            )
            np.testing.assert_array_equal(canonical(found[items]), canonical(expected))
    assert 1 < len(np.unique(expected)) < m / 2
