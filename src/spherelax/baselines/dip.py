"""The dip statistic: how far a sample is from every distribution with a single mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array


def dip(sample: ArrayLike) -> float:
    """Return the dip of a sample (Hartigan and Hartigan 1985).

    ``min over F of sup_x |F(x) - F_n(x)|``, where F_n is the empirical distribution function of
    ``sample`` and F runs over the unimodal ones, convex up to a mode and concave after it. For n
    different numbers it lies between ``1 / (2 n)`` and 1/4; it is large if they have several modes.

    F_n lies between its lower and upper corners. The greatest convex function below the first and
    the least concave one above the second are furthest apart, by d, at the end of a modal interval.
    The search goes on inside it, until what the parts outside it cost is at least d.

    Parameters
    ----------
    sample : array-like of shape (n_items,)
        Numbers, in any order; repeated ones make a step of F_n higher.

    Returns
    -------
    float
        The dip.

    Examples
    --------
    >>> dip([1, 2, 3, 4]), dip([0, 0, 1, 1])
    (0.125, 0.25)
    """
    values = check_array(sample, dtype=np.float64, ensure_2d=False, input_name="sample")
    x, counts = np.unique(values, return_counts=True)
    upper = np.cumsum(counts) / values.size
    lower = upper - counts / values.size
    cost = 0.0
    while len(x) > 1:
        convex_at, concave_at = _lower_hull(x, lower), _lower_hull(x, -upper)
        convex = np.interp(x, x[convex_at], lower[convex_at])
        concave = np.interp(x, x[concave_at], upper[concave_at])
        left, right, apart = _modal_interval(concave - convex, convex_at, concave_at)
        if apart <= cost:
            break
        # A step at the end of the interval may still be at the mode, where F may have one too.
        cost = max(
            cost,
            float((upper - convex)[:left].max(initial=0.0)),
            float((concave - lower)[right + 1 :].max(initial=0.0)),
        )
        inside = slice(left, right + 1)
        x, lower, upper = x[inside], lower[inside], upper[inside]
    return cost / 2.0


def _modal_interval(
    apart: NDArray[np.float64], convex_at: NDArray[np.intp], concave_at: NDArray[np.intp]
) -> tuple[int, int, float]:
    """Find where the two functions are furthest apart, and the nearest corner of the other one.

    The interval runs from a corner of the convex function to one of the concave function.
    """
    left = convex_at[apart[convex_at].argmax()]
    right = concave_at[apart[concave_at].argmax()]
    if apart[left] >= apart[right]:
        right = concave_at[np.searchsorted(concave_at, left)]
        return int(left), int(right), float(apart[left])
    left = convex_at[np.searchsorted(convex_at, right, side="right") - 1]
    return int(left), int(right), float(apart[right])


def _lower_hull(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the corners of the greatest convex function below the points, from left to right."""
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (y[b] - y[a]) * (x[i] - x[a]) < (y[i] - y[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return np.array(hull)
