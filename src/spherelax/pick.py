"""Which step of the sweep to take: the valley of the eta curve (paper, Algorithm 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelax.result import Status


@dataclass(frozen=True)
class Pick:
    """The chosen step, and the two maxima that it lies between; all count steps from 0.

    A maximum that the curve does not have is None.
    """

    index: int
    right: int | None
    left: int | None
    status: Status


def pick_valley(etas: NDArray[np.float64], eta_floor: float) -> Pick:
    """Find the valley of eta between its first maximum from the right and from the left.

    Steps are in the order of the sweep, so that the first one is the rightmost alpha. The pick is
    the smallest eta between the two maxima; where that is a stretch of zeros, its middle.

    Paper: at both ends of the sweep eta is rounding noise, and "the first local maximum" would be
    found in it, so values below ``eta_floor`` times the largest count as zero; with
    ``eta_floor=0`` this is the printed algorithm, where the first smallest value wins. Algorithm 5
    counts from one and adds a position inside the stretch that also counts from one, which lands
    one step too far; that is corrected here. Where there is no left maximum (a similarity without
    noise, kappa = 0) the printed search leaves the array; here the valley reaches to alpha = 0.

    Examples
    --------
    >>> pick_valley(np.array([0.0, 3.0, 1.0, 2.0, 0.0]), eta_floor=1e-9).index
    2
    """
    eta = np.where(etas < eta_floor * etas.max(), 0.0, etas)
    last = len(eta) - 1
    if not eta.any():
        return Pick(_quietest(eta, 0, last, eta_floor), None, None, Status.STILL)
    falls = np.flatnonzero(eta[1:] < eta[:-1])
    if len(falls) == 0:
        return Pick(last, None, None, Status.RISING)
    right = int(falls[0])
    rises = np.flatnonzero(eta[1:last] > eta[: last - 1]) + 1
    if len(rises) == 0 or rises[-1] <= right:
        index = _quietest(eta, right, last, eta_floor)
        return Pick(index, right, None, Status.SINGLE if eta[index] else Status.SETTLED)
    left = int(rises[-1])
    return Pick(_quietest(eta, right, left, eta_floor), right, left, Status.VALLEY)


def _quietest(eta: NDArray[np.float64], first: int, last: int, eta_floor: float) -> int:
    """Return the step of the smallest eta from first to last; of a stretch of zeros, the middle."""
    index = first + int(eta[first : last + 1].argmin())
    if eta[index] > 0 or eta_floor == 0:
        return index
    edges = np.diff(np.r_[False, eta[first : last + 1] == 0, False].astype(int))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int((ends - starts).argmax())
    return first + int(starts[longest] + ends[longest] - 1) // 2
