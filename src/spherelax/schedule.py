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
