"""The steps of a sweep, and the path of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import count_labels
from spherelax.metrics import pairwise_scores

# Two labelings count as the same if the pairs that share a label agree with at least this F-score.
SAME = 0.98


@dataclass(frozen=True)
class Step:
    """One step of the sweep, for a callback: number ``index`` (from 0) of at most ``n_steps``.

    Attributes
    ----------
    index, n_steps : int
        Number of the step, and the largest number of steps that the sweep may have.
    alpha, resolution : float
        Where the sweep is; ``resolution = alpha / (1 - alpha)``.
    eta, objective : float
        How much the last pass of the step still gained, and the objective that was reached.
    n_labels : int
        Number of labels.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 5, 0, 1], [5, 0, 0, 0], [0, 0, 0, 4], [1, 0, 4, 0]]
    >>> seen = []
    >>> result = sl.solve(W, solver="power", callback=seen.append)
    >>> seen[49].index, seen[49].n_steps, seen[49].alpha, seen[49].n_labels
    (49, 100, 0.5, 2)
    """

    index: int
    n_steps: int
    alpha: float
    eta: float
    objective: float
    n_labels: int

    @property
    def resolution(self) -> float:
        """Resolution of the step, in units of the average similarity."""
        return self.alpha / (1.0 - self.alpha)


Callback = Callable[[Step], object]


@dataclass(frozen=True, eq=False)
class SweepPath:
    """The whole sweep: numbers and labels of every step, from high to low resolution.

    Attributes
    ----------
    alphas, etas, objectives : ndarray of shape (n_steps,)
        The alpha of each step, how much its last pass still gained, and the objective that was
        reached.
    resolutions : ndarray of shape (n_steps,)
        ``alpha / (1 - alpha)``: how similar the items of two labels must be, on average, to get one
        label, in units of the average similarity.
    n_labels : ndarray of shape (n_steps,)
        Number of different labels.
    labels : sequence of n_steps arrays of shape (n_items,)
        Labels of the items, numbered within each step in order of first appearance. Steps with
        the same labels may share an array. The labels that `solve` picked may have been improved
        after the sweep; then these are the improved ones.
    savings : ndarray of shape (n_steps,) or None
        How much shorter the labels of the sweep make the description of the similarities, in nats
        (a nat is 1.44 bits). None if the solver did not compute it.
    stability : ndarray of shape (n_steps,)
        Width of the range of resolutions in which nearly the same pairs as at the step share a
        label: the natural logarithm of its upper end divided by its lower end.
    is_complete : bool
        Whether the sweep came to its end; False if it was interrupted.
    picked : int
        The step that the labels of the result come from.
    alpha : float
        The alpha of that step.
    joined : int or None
        The step whose labels were merged after the sweep: between valleys of a neighbour graph of
        points, or to connected components because the input looks random. None: no step.
    maxima : tuple of two int or None
        The steps of the maxima of eta before and after the step that eta chose; None where eta has
        no maximum, or did not choose.
    max_labels : int or None
        The largest number of labels that the sweep could find. None while it is not known.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> path = sl.solve(W, solver=sl.Power(alpha_step=0.25)).path
    >>> path.alphas, path.n_labels, path.picked
    (array([0.75, 0.5 , 0.25, 0.  ]), array([3, 2, 2, 2]), 1)
    """

    alphas: NDArray[np.float64]
    etas: NDArray[np.float64]
    objectives: NDArray[np.float64]
    labels: Sequence[NDArray[np.int32]] = field(repr=False)
    savings: NDArray[np.float64] | None = None
    is_complete: bool = True
    picked: int = 0
    joined: int | None = None
    maxima: tuple[int | None, int | None] = (None, None)
    max_labels: int | None = None

    @property
    def alpha(self) -> float:
        """Alpha of the picked step."""
        return float(self.alphas[self.picked])

    @property
    def resolutions(self) -> NDArray[np.float64]:
        """Resolution of each step."""
        return np.asarray(self.alphas / (1.0 - self.alphas))

    @cached_property
    def n_labels(self) -> NDArray[np.intp]:
        """Number of different labels at each step."""
        return np.array([count_labels(labels) for labels in self.labels], dtype=np.intp)

    @cached_property
    def stability(self) -> NDArray[np.float64]:
        """Width, as a difference of ln(resolution), of the range with nearly the labels of a step.

        The range holds the steps around it whose labels are those of the step, by `steady_steps`.
        It ends halfway to the next step on either side.
        """
        lowest = self.alphas.min(where=self.alphas > 0, initial=0.5)
        positive = np.where(self.alphas > 0, self.alphas, lowest / 2)
        log = np.log(positive / (1.0 - positive))
        ends = np.r_[log[0], (log[1:] + log[:-1]) / 2, log[-1]]
        ranges: list[range] = []
        for at, labels in enumerate(self.labels):
            is_new = at == 0 or not np.array_equal(labels, self.labels[at - 1])
            ranges.append(steady_steps(self.labels, at) if is_new else ranges[-1])
        return np.array([ends[found.start] - ends[found.stop] for found in ranges])


def steady_steps(labelings: Sequence[NDArray[np.int32]], at: int) -> range:
    """Return the steps around one whose labels are nearly its own.

    These are neighbours of each other, and in each of them the pairs that share a label agree with
    those of the step by an F-score of at least `SAME`.

    Examples
    --------
    >>> apart, joined = np.array([0, 1, 2]), np.array([0, 0, 1])
    >>> steady_steps([apart, joined, joined, apart], 1)
    range(1, 3)
    """

    def reach(others: Iterable[int]) -> int:
        """Return how many of the other steps follow each other with nearly the same labels."""
        return sum(
            1 for _ in takewhile(lambda other: _same(labelings[at], labelings[other]), others)
        )

    before, after = reach(range(at - 1, -1, -1)), reach(range(at + 1, len(labelings)))
    return range(at - before, at + after + 1)


def _same(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Tell whether nearly the same pairs share a label."""
    if one is other or np.array_equal(one, other):
        return True
    return pairwise_scores(one, other).f_score >= SAME


def nearest_step(path: SweepPath, resolution: float) -> int:
    """Return the step whose resolution is nearest by ratio; for 0, the lowest one."""
    if resolution == 0.0:
        return int(path.resolutions.argmin())
    with np.errstate(divide="ignore"):
        distance = np.abs(np.log(path.resolutions) - np.log(resolution))
    return int(distance.argmin())
