"""Which step of the sweep to take: by description, by eta (paper, Algorithm 5), by stability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels
from spherelax.result import Status, SweepPath, nearest_step

# Differences of two objectives below this, relative to the objective, are rounding.
ROUNDING = 16 * np.finfo(float).eps


@dataclass(frozen=True)
class Pick:
    """The chosen step, and the two maxima that it lies between; all count steps from 0.

    A maximum that the curve does not have is None.
    """

    index: int
    right: int | None
    left: int | None
    status: Status


def pick_step(
    path: SweepPath,
    pick: str | float,
    *,
    merged: NDArray[np.bool_],
    score: Callable[[Labels], float],
    eta_floor: float,
) -> Pick:
    """Choose a step: by its resolution, or by one of the rules below."""
    if not isinstance(pick, str):
        return Pick(nearest_step(path, pick), None, None, Status.CHOSEN)
    if pick == "description":
        return pick_description(np.asarray(path.savings))
    if pick == "stability":
        return pick_stability(path)
    return pick_valley(path, merged, score, eta_floor)


def pick_valley(
    path: SweepPath,
    merged: NDArray[np.bool_],
    score: Callable[[Labels], float],
    eta_floor: float,
) -> Pick:
    """Find the valley of eta between its first maximum from the right and from the left.

    Steps are in the order of the sweep, so that the first one is the rightmost alpha. The pick is
    the smallest eta between the two maxima; where that is a stretch of zeros, its middle.

    Paper: at both ends of the sweep eta is rounding noise, and "the first local maximum" would be
    found in it, so values below ``eta_floor`` times the largest count as zero. Algorithm 5 counts
    from one and adds a position inside the stretch that also counts from one, which lands one
    step too far; that is corrected here. Without noise, clusters of different sizes form one after
    the other, each with a maximum of its own, and then rest, apart, almost until alpha = 0; the
    printed search ends at the last of these maxima. So a rest after the left maximum, where not
    everything has merged, is a second candidate, and the ``score`` of the labels decides. With
    ``eta_floor=0`` this is the printed algorithm: no floor, no second candidate, and the first
    smallest value wins.

    Parameters
    ----------
    path : SweepPath
        The sweep.
    merged : ndarray of shape (n_steps,)
        Whether all rows of U were equal.
    score : callable
        How good labels are, to choose between two candidates.
    eta_floor : float
        Share of the largest eta below which a value counts as zero.
    """
    floor = eta_floor * path.etas.max()
    if eta_floor > 0:
        floor = max(floor, ROUNDING * np.abs(path.objectives).max())
    eta = np.where(path.etas < floor, 0.0, path.etas)
    steps = np.arange(len(eta))
    rest = eta == 0
    if rest.all():
        changes = np.flatnonzero(np.diff(path.n_labels)) + 1
        return Pick(_middle(steps >= changes.max(initial=0)), None, None, Status.STILL)

    def quietest(first: int, last: int) -> int:
        index = first + int(eta[first : last + 1].argmin())
        if eta[index] > 0 or eta_floor == 0:
            return index
        return _middle(rest & (steps >= first) & (steps <= last))

    falls = np.flatnonzero(eta[1:] < eta[:-1])
    if len(falls) == 0:
        return Pick(len(eta) - 1, None, None, Status.RISING)
    right = int(falls[0])
    rises = np.flatnonzero(eta[1:-1] > eta[:-2]) + 1
    if len(rises) == 0 or rises[-1] <= right:
        index = quietest(right, len(eta) - 1)
        return Pick(index, right, None, Status.SINGLE if eta[index] else Status.SETTLED)
    left = int(rises[-1])
    valley = Pick(quietest(right, left), right, left, Status.VALLEY)
    apart = rest & ~merged & (steps > left)
    if eta_floor == 0 or not apart.any():
        return valley
    settled = Pick(_middle(apart), right, left, Status.SETTLED)
    return max(valley, settled, key=lambda pick: score(path.labels[pick.index]))


def pick_description(savings: NDArray[np.float64]) -> Pick:
    """Take the labels that describe the similarities most briefly, the middle of where they stay.

    Each step is the best that was found at its resolution, so the steps are a short list of
    candidates, from fine to coarse, and choosing among them is a choice between models.
    """
    return Pick(_middle(savings == savings.max()), None, None, Status.DESCRIBED)


def pick_stability(path: SweepPath) -> Pick:
    """Take the middle of the longest stretch of labels that stay the same.

    All items apart and all together are left out, for they stay so beyond the ends of any sweep.
    """
    n_labels = path.n_labels
    between = (n_labels > n_labels.min()) & (n_labels < n_labels.max())
    stability = np.where(between, path.stability, 0.0) if between.any() else path.stability
    return Pick(_middle(stability == stability.max()), None, None, Status.STABLE)


def _middle(mask: NDArray[np.bool_]) -> int:
    """Return the middle of the longest run of True, the first of several."""
    edges = np.diff(np.r_[False, mask, False].astype(int))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int((ends - starts).argmax())
    return int(starts[longest] + ends[longest] - 1) // 2
