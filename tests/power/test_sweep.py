"""Grids from integers."""

import numpy as np
import pytest

from spherelax.power.sweep import alpha_grid


@pytest.mark.parametrize("n", [2, 3, 7, 10, 49, 100, 1000])
def test_unit_fractions_end_at_zero(n):
    grid = alpha_grid(1 / n)
    assert len(grid) == n
    assert grid[-1] == 0.0
    np.testing.assert_allclose(grid, 1 - np.arange(1, n + 1) / n, atol=1e-15)


@pytest.mark.parametrize("step", [0.03, 0.3, 0.4, 0.123])
def test_other_steps_stop_before_zero(step):
    grid = alpha_grid(step)
    assert 0 < grid[-1] < step
    np.testing.assert_allclose(np.diff(grid), -step)
    assert grid[0] == pytest.approx(1 - step)
