"""Ratios estimated from a stratified sample, with intervals of Korn and Graubard.

A share is estimated as a ratio of two weighted sums: if n of the N cases of a stratum were judged,
each has the weight N / n. Its variance is that of its linear approximation, corrected for finite
strata. The interval of Clopper and Pearson is then taken for the number of independent cases that
would have this variance, lowered for its degrees of freedom.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

TAIL = 0.025  # outside of an interval, on each side
NORMAL = 1.959964  # what is outside of it, in standard deviations, of a normal distribution

ROUNDING = 1e-9  # a relative variance below is none: all cases of each stratum are alike


class Estimate(NamedTuple):
    """A share and its 95 % interval."""

    value: float
    low: float
    high: float

    def mixed_with_ones(self, share: float) -> Estimate:
        """Return the estimate for all cases, of which a share is known to have the value 1."""
        return Estimate(*(share + (1.0 - share) * end for end in self))


class Design(NamedTuple):
    """Where judged cases were drawn: the stratum of each, and the number of cases of each stratum.

    Every stratum has at least one judged case.
    """

    stratum: NDArray[np.intp]
    sizes: NDArray[np.float64]


def estimate_ratio(
    part: NDArray[np.float64], whole: NDArray[np.float64], design: Design
) -> Estimate | None:
    """Estimate the sum of ``part`` as a share of that of ``whole``; None: there is nothing.

    Both have a value for each judged case.

    Examples
    --------
    >>> design = Design(np.zeros(50, dtype=int), np.array([1000.0]))
    >>> right = np.arange(50) >= 5
    >>> found = estimate_ratio(right.astype(float), np.ones(50), design)
    >>> [round(float(number), 3) for number in found]
    [0.9, 0.78, 0.967]
    """
    h, sizes = design
    n = np.bincount(h, minlength=len(sizes))
    weight = (sizes / n)[h]
    total = float(weight @ whole)
    if total <= 0.0:
        return None
    share = min(float(weight @ part) / total, 1.0)
    off = part - share * whole
    # A single case of a stratum is compared with the expected value, which is 0 for all together.
    mean = np.where(n > 1, np.bincount(h, off, len(sizes)) / n, 0.0)
    spread = np.bincount(h, (off - mean[h]) ** 2, len(sizes)) / np.maximum(n - 1, 1)
    unseen = 1.0 - n / sizes
    variance = float((sizes**2 * unseen * spread / n).sum()) / total**2
    if not unseen.any():
        return Estimate(share, share, share)
    if variance > ROUNDING * share * (1.0 - share) > 0.0:
        n_effective = share * (1.0 - share) / variance
    else:  # no case differs, from which nothing follows but their number
        n_effective = total**2 / float(((weight * whole) ** 2).sum())
    freedom = max(int((n - 1)[unseen > 0].sum()), 1)
    n_effective *= (NORMAL / float(stdtrit(freedom, 1.0 - TAIL))) ** 2
    return Estimate(share, *_interval(share * n_effective, n_effective))


def _interval(k: float, n: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for k of n; neither has to be an integer."""
    low = float(betaincinv(k, n - k + 1.0, TAIL)) if k > 0.0 else 0.0
    high = float(betaincinv(k + 1.0, n - k, 1.0 - TAIL)) if k < n else 1.0
    return low, high
