"""Assignments of items to columns against SciPy's."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from spherelax.coordinate.moves import assignment
from spherelax.coordinate.moves.assignment import Costs

FORBIDDEN = 1e6


def assign(C):
    """Run the kernel on a dense matrix of costs in which NaN is no edge."""
    edges = ~np.isnan(C)
    ptr = np.r_[0, np.cumsum(edges.sum(axis=1))]
    column = np.nonzero(edges)[1].astype(np.int32)
    chosen = np.empty(len(C), dtype=np.int32)
    total = assignment.assign(len(C), Costs(ptr, column, C[edges]), C.shape[1], chosen)
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
