"""Choose a step of the sweep: by description, by eta (paper, Algorithm 5) or by stability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels
from spherelax.result import Status, SweepPath, nearest_step

# Smaller differences of two objectives, relative to the objective, count as rounding errors.
ROUNDING = 16 * np.finfo(float).eps


@dataclass(frozen=True)
class Pick:
    """The chosen step, and the steps of the two maxima of eta around it, all counted from 0.

    ``right`` or ``left`` is None if there is no such maximum.
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
    """Choose a step by its resolution, or by one of the rules below."""
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

    Steps are in the order of the sweep, so the first step has the largest alpha, at the right end
    of the curve. The pick is the smallest eta between the two maxima. If several steps have eta 0
    there, it is the middle of the longest run of them.

    Paper: at both ends of the sweep eta is only rounding error, and "the first local maximum" would
    be found in it, so values below ``eta_floor`` times the largest count as zero. Algorithm 5
    counts from one and adds a position inside the run of zeros that also counts from one, which is
    one step too far; that is corrected here. Without noise, clusters of different sizes form one
    after the other, each with its own maximum. Then eta is zero almost until alpha = 0, and the
    clusters stay apart. The printed search ends at the last of these maxima. So a run of zeros
    after the left maximum, in which not all items have merged, is a second candidate, and the
    ``score`` of the labels decides. With ``eta_floor=0`` this is the printed algorithm: no floor,
    no second candidate, and the first of several smallest values wins.

    Parameters
    ----------
    path : SweepPath
        The sweep.
    merged : ndarray of shape (n_steps,)
        Whether all rows of U were equal at each step.
    score : callable
        Returns how good labels are, to choose between two candidates; higher is better.
    eta_floor : float
        Share of the largest eta below which a value counts as zero.
    """
    floor = eta_floor * path.etas.max()
    if eta_floor > 0:
        floor = max(floor, ROUNDING * np.abs(path.objectives).max())
    eta = np.where(path.etas < floor, 0.0, path.etas)
    steps = np.arange(len(eta))
    is_zero = eta == 0
    if is_zero.all():
        changes = np.flatnonzero(np.diff(path.n_labels)) + 1
        return Pick(_middle(steps >= changes.max(initial=0)), None, None, Status.STILL)

    def lowest(first: int, last: int) -> int:
        index = first + int(eta[first : last + 1].argmin())
        if eta[index] > 0 or eta_floor == 0:
            return index
        return _middle(is_zero & (steps >= first) & (steps <= last))

    falls = np.flatnonzero(eta[1:] < eta[:-1])
    if len(falls) == 0:
        return Pick(len(eta) - 1, None, None, Status.RISING)
    right = int(falls[0])
    rises = np.flatnonzero(eta[1:-1] > eta[:-2]) + 1
    if len(rises) == 0 or rises[-1] <= right:
        index = lowest(right, len(eta) - 1)
        return Pick(index, right, None, Status.SINGLE if eta[index] else Status.SETTLED)
    left = int(rises[-1])
    valley = Pick(lowest(right, left), right, left, Status.VALLEY)
    apart = is_zero & ~merged & (steps > left)
    if eta_floor == 0 or not apart.any():
        return valley
    settled = Pick(_middle(apart), right, left, Status.SETTLED)
    return max(valley, settled, key=lambda pick: score(path.labels[pick.index]))


def pick_description(savings: NDArray[np.float64]) -> Pick:
    """Take the step with the largest saving: its labels describe the similarities most briefly.

    Of several such steps, take the middle one. Each step has the best labels that were found at
    its resolution, so the steps are a short list of candidates.
    """
    return Pick(_middle(savings == savings.max()), None, None, Status.DESCRIBED)


def pick_stability(path: SweepPath) -> Pick:
    """Take the middle of the widest range of resolutions in which the labels stay the same.

    The steps with the most and with the fewest labels do not count: their labels would stay the
    same beyond the ends of the sweep, too.
    """
    n_labels = path.n_labels
    between = (n_labels > n_labels.min()) & (n_labels < n_labels.max())
    stability = np.where(between, path.stability, 0.0) if between.any() else path.stability
    return Pick(_middle(stability == stability.max()), None, None, Status.STABLE)


def _middle(mask: NDArray[np.bool_]) -> int:
    """Return the middle of the longest run of True; of several, of the first one."""
    edges = np.diff(np.r_[False, mask, False].astype(int))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int((ends - starts).argmax())
    return int(starts[longest] + ends[longest] - 1) // 2
