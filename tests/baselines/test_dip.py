"""The dip statistic against a linear program over all unimodal distribution functions."""

import numpy as np
import pytest
from scipy.optimize import linprog

from spherelax.baselines.dip import dip


def dip_by_linear_programs(sample):
    """Fit a unimodal function with each value as the mode, and return the least distance.

    The variables are the function at the values from the left and from the right, which may differ
    at the mode only, and the distance.
    """
    x, counts = np.unique(sample, return_counts=True)
    upper = np.cumsum(counts) / len(sample)
    lower = upper - counts / len(sample)
    n = len(x)
    best = np.inf
    for mode in range(n):
        rows, bounds = [], []

        def require(terms, bound, rows=rows, bounds=bounds):
            row = np.zeros(2 * n + 1)
            for at, factor in terms:
                row[at] += factor
            rows.append(row)
            bounds.append(bound)

        for i in range(n):
            require([(i, 1), (2 * n, -1)], lower[i])
            require([(n + i, -1), (2 * n, -1)], -upper[i])
            require([(i, 1), (n + i, -1)], 0)
            if i != mode:
                require([(i, -1), (n + i, 1)], 0)
            if i:
                require([(n + i - 1, 1), (i, -1)], 0)
        # Slopes rise up to the mode and fall after it.
        for i in range(1, n - 1):
            before, after = x[i] - x[i - 1], x[i + 1] - x[i]
            slopes = [
                (n + i - 1, -1 / before),
                (i, 1 / before),
                (n + i, 1 / after),
                (i + 1, -1 / after),
            ]
            if i < mode:
                require(slopes, 0)
            elif i > mode:
                require([(at, -factor) for at, factor in slopes], 0)
        cost = np.zeros(2 * n + 1)
        cost[-1] = 1
        found = linprog(cost, np.array(rows), np.array(bounds), bounds=[(0, 1)] * (2 * n + 1))
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize("n", [2, 5, 10])
@pytest.mark.parametrize("draw", ["normal", "two modes", "repeated", "three modes"])
def test_is_the_least_distance_to_a_unimodal_distribution(seed, n, draw):
    rng = np.random.default_rng(seed)
    sample = {
        "normal": lambda: rng.normal(size=n),
        "two modes": lambda: rng.normal(size=n) + 4 * rng.integers(2, size=n),
        "repeated": lambda: rng.integers(5, size=n).astype(float),
        "three modes": lambda: 0.3 * rng.normal(size=n) + 2 * rng.integers(3, size=n),
    }[draw]()
    assert dip(sample) == pytest.approx(dip_by_linear_programs(sample), abs=1e-7)


def test_bounds(seed):
    rng = np.random.default_rng(seed)
    even = rng.permutation(np.arange(50.0))
    assert dip(even) == pytest.approx(1 / 100)
    assert dip(np.repeat([0.0, 1.0], 25)) == pytest.approx(1 / 4)
    assert dip(np.ones(50)) == 0.0


def test_does_not_depend_on_scale_place_or_direction(seed):
    sample = np.random.default_rng(seed).normal(size=200) ** 3
    assert dip(7 * sample - 3) == pytest.approx(dip(sample))
    assert dip(-sample) == pytest.approx(dip(sample))


def test_two_modes_dip_more_than_one(seed):
    rng = np.random.default_rng(seed)
    one = rng.normal(size=300)
    assert dip(one + 5 * (np.arange(300) < 100)) > 3 * dip(one)
