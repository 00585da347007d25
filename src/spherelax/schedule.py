"""Grids that a sweep walks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# 1 / alpha_step counts as a whole number within this distance, so that a step of 0.01 or 1/3
# ends at alpha = 0 exactly.
WHOLE = 1e-9


def alpha_grid(alpha_step: float) -> NDArray[np.float64]:
    """Return alpha = 1 - step, 1 - 2 step, ... down to the last value that is not negative.

    Paper: Algorithm 4 subtracts repeatedly; the grid here comes from integers, so that rounding
    does not decide whether alpha = 0 is visited. Like there, alpha = 1 itself is not.

    Examples
    --------
    >>> alpha_grid(0.25)
    array([0.75, 0.5 , 0.25, 0.  ])
    """
    per_unit = 1.0 / alpha_step
    if abs(per_unit - round(per_unit)) < WHOLE * per_unit:
        per_unit = float(round(per_unit))
    n_steps = int(per_unit)
    return np.asarray((per_unit - np.arange(1, n_steps + 1)) / per_unit)


def resolution_grid(top: float, bottom: float, n_steps: int, n_max: int) -> NDArray[np.float64]:
    """Return n_steps resolutions from top to bottom in equal ratios, then on to n_max of them.

    Two labels merge when the resolution falls below their mean similarity, so what counts is its
    logarithm.

    Examples
    --------
    >>> resolution_grid(8.0, 2.0, 3, 5)
    array([8. , 4. , 2. , 1. , 0.5])
    """
    ratio = (bottom / top) ** (1.0 / (n_steps - 1))
    return np.asarray(top * ratio ** np.arange(n_max))
