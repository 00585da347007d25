"""What a sweep leaves behind: steps, the path, the result and its status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.labels import Labels, count_labels
from spherelax.metrics import pairwise_scores
from spherelax.settings import NOT_NEGATIVE, POSITIVE_INTEGER, check_range

# F-score of the pairs that share a label from which two labelings count as the same.
SAME = 0.98
# What makes a frame of a dictionary of columns, by the package that the user has.
FRAMES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


class Status(StrEnum):
    """How the labels were chosen, as a sentence.

    Examples
    --------
    >>> import spherelax as sl
    >>> print(sl.Status.VALLEY)
    The labels are those of the valley between the two maxima of eta.
    """

    VALLEY = "The labels are those of the valley between the two maxima of eta."
    SETTLED = (
        "After its last maximum eta is zero: the clusters do not interact any more. "
        "The labels are those of the middle of that stretch."
    )
    SINGLE = (
        "The eta curve has a single maximum and no valley: the labels are those of the smallest "
        "eta after it. Look at the path before you trust them."
    )
    RISING = (
        "The eta curve never falls: the labels are those of the last step. "
        "Look at the path before you trust them."
    )
    STILL = (
        "The iteration came to rest at every alpha, so eta is zero everywhere: "
        "the labels are those after their number last changed."
    )
    ISOLATED = "No item is similar to any other, so each has a label of its own."
    DESCRIBED = "The labels are those that describe the similarities most briefly."
    NOISE = (
        "The labels describe the similarities no more briefly than those of noise would be: this "
        "looks like noise, or like one cluster."
    )
    STABLE = "The labels are those that change least while the resolution falls."
    VALLEYS = "Neighbouring labels were merged wherever there was no valley between them."
    ABSORBED = "Items were added to given labels at their resolution, without a new sweep."
    INTERRUPTED = "The sweep was interrupted: the labels are the best of the steps before."
    CHOSEN = "The labels are those of the step of the path that was asked for."
    NEAREST = (
        "No step of the path has the number of labels that was asked for: "
        "the labels are those of the step with the nearest number."
    )

    @property
    def is_odd(self) -> bool:
        """Tell whether the outcome deserves a warning."""
        return self in (
            Status.SINGLE,
            Status.RISING,
            Status.STILL,
            Status.ISOLATED,
            Status.NOISE,
            Status.INTERRUPTED,
        )


@dataclass(frozen=True)
class Step:
    """One step of the sweep, as a callback sees it: step ``index`` (from 0) of at most ``n_steps``.

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
    """The whole sweep, one entry per step: curves, and the labels of every item.

    Attributes
    ----------
    alphas, etas, objectives : ndarray of shape (n_steps,)
        The alpha of each step, how much the last inner step still gained there, and the objective
        that was reached.
    resolutions : ndarray of shape (n_steps,)
        ``alpha / (1 - alpha)``: how many times the average similarity two labels must have on
        average to be one.
    n_labels : ndarray of shape (n_steps,)
        Number of different labels.
    labels : sequence of n_steps arrays of shape (n_items,)
        Labels of the items, numbered within each step in order of first appearance. Steps with
        the same labels may share an array.
    savings : ndarray of shape (n_steps,) or None
        Nats by which the labels shorten the description of the similarities, where they were
        asked for.
    stability : ndarray of shape (n_steps,)
        Over which range of the logarithm of the resolution the labels stay what they are.
    is_whole : bool
        False if the sweep was interrupted.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> path = sl.solve(W, solver=sl.Power(alpha_step=0.25)).path
    >>> path.alphas, path.n_labels
    (array([0.75, 0.5 , 0.25, 0.  ]), array([3, 2, 2, 2]))
    """

    alphas: NDArray[np.float64]
    etas: NDArray[np.float64]
    objectives: NDArray[np.float64]
    labels: Sequence[NDArray[np.int32]] = field(repr=False)
    savings: NDArray[np.float64] | None = None
    is_whole: bool = True

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
        """Length in ln(resolution) of the run of steps with nearly the same labels.

        Consecutive steps belong to one run if the pairs that share a label agree with an F-score
        of `SAME`; the run reaches halfway to the steps next to it.
        """
        positive = np.where(self.alphas > 0, self.alphas, self.alphas[self.alphas > 0].min() / 2)
        log = np.log(positive / (1.0 - positive))
        ends = np.r_[log[0], (log[1:] + log[:-1]) / 2, log[-1]]
        first = 0
        lengths = np.empty(len(log))
        for last in range(len(log)):
            ended = last + 1 == len(log) or not _same(self.labels[last], self.labels[last + 1])
            if ended:
                lengths[first : last + 1] = ends[first] - ends[last + 1]
                first = last + 1
        return lengths


def _same(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Tell whether nearly the same pairs share a label."""
    return one is other or pairwise_scores(one, other).f_score >= SAME


def nearest_step(path: SweepPath, resolution: float) -> int:
    """Return the step whose resolution is nearest, by their ratio; 0 is nearest to the lowest."""
    if resolution == 0.0:
        return int(path.resolutions.argmin())
    with np.errstate(divide="ignore"):
        distance = np.abs(np.log(path.resolutions) - np.log(resolution))
    return int(distance.argmin())


class Source(Protocol):
    """What a result asks back about a step: it knows the problem and how it was solved."""

    @property
    def max_labels(self) -> int:
        """The upper bound on the number of labels that the sweep worked with."""

    def confidence(self, labels: NDArray[np.int32], alpha: float) -> NDArray[np.float64]:
        """Return how sure these labels are, item by item."""

    def embedding(self, index: int) -> Any:
        """Return the relaxed rows U at a step."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver hands over: labels, where they come from, and what to ask back.

    ``index`` is the step of the path that the labels come from, None if they come from none;
    ``right`` and ``left`` are the maxima of eta around it, where there are any.
    """

    labels: Labels
    alpha: float
    index: int | None
    status: Status
    is_whole: bool
    path: SweepPath
    source: Source
    right: int | None = None
    left: int | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """Labels, how they were chosen, and the path to choose others from.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        Label of each item, numbered in order of first appearance.
    n_labels : int
        Number of different labels.
    resolution : float
        Where on the path the labels come from: how many times the average similarity two labels
        must have on average to become one. Higher is finer.
    alpha : float
        The same as the paper has it: ``resolution / (1 + resolution)``.
    status : Status
        How they were chosen: a sentence.
    confidence : ndarray of shape (n_items,)
        How much better each label is than the next best, from 0 (not at all) to 1 (nothing else
        has a claim on the item).
    path : SweepPath
        The whole sweep.
    index : int or None
        The step of the path that the labels come from. With many items they were improved after the
        sweep, so that the path may hold others there. None if they come from no step: merged
        between valleys, or connected components because of noise.
    position : int
        The step at ``alpha``: the one that the labels come from, or else the one nearest to them.
    labelings : tuple of n_steps arrays of shape (n_items,)
        Labels of every step: those of the path, and at ``position`` these ones.
    n_labels_per_step : ndarray of shape (n_steps,)
        Number of different labels in each of ``labelings``.
    right, left : int or None
        The steps of the two maxima of eta around the step, where the curve has them.
    max_labels : int
        The upper bound on the number of labels that the sweep worked with.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5
    >>> result = sl.solve(W)
    >>> result.n_labels, result.labels[:5]
    (3, array([0, 0, 0, 0, 1], dtype=int32))
    >>> result.at(0.1).n_labels, result.with_n_labels(1).status == sl.Status.CHOSEN
    (1, True)
    """

    labels: NDArray[np.int32] = field(repr=False)
    alpha: float
    status: Status
    confidence: NDArray[np.float64] = field(repr=False)
    path: SweepPath = field(repr=False)
    index: int | None
    right: int | None
    left: int | None
    max_labels: int
    source: Source = field(repr=False)

    @property
    def n_labels(self) -> int:
        """Number of different labels."""
        return count_labels(self.labels)

    @property
    def resolution(self) -> float:
        """Resolution of the labels, in units of the average similarity."""
        return self.alpha / (1.0 - self.alpha)

    @property
    def position(self) -> int:
        """Step at alpha, to mark on the curves of the path."""
        return nearest_step(self.path, self.resolution) if self.index is None else self.index

    @property
    def labelings(self) -> tuple[Labels, ...]:
        """Labels of every step to choose from: those of the path, these ones at `position`."""
        at = self.position
        return (*self.path.labels[:at], self.labels, *self.path.labels[at + 1 :])

    @property
    def n_labels_per_step(self) -> NDArray[np.intp]:
        """Number of different labels at every step, that of these ones at `position`."""
        sizes = self.path.n_labels.copy()
        sizes[self.position] = self.n_labels
        return sizes

    def at(self, resolution: float) -> Result:
        """Return the result at the step whose resolution is nearest: lower is coarser."""
        check_range(NOT_NEGATIVE, resolution=resolution)
        return self._at_step(nearest_step(self.path, resolution), Status.CHOSEN)

    def with_n_labels(self, n_labels: int) -> Result:
        """Return the result at the quietest step with so many labels, or with the nearest number.

        Quietest: the smallest eta; of several, the middle one.
        """
        check_range(POSITIVE_INTEGER, n_labels=n_labels)
        distance = np.abs(np.log(self.n_labels_per_step / n_labels))
        steps = np.flatnonzero(distance == distance.min())
        etas = self.path.etas[steps]
        quietest = steps[etas == etas.min()]
        exact = distance.min() == 0
        return self._at_step(
            int(quietest[len(quietest) // 2]), Status.CHOSEN if exact else Status.NEAREST
        )

    def matches(self) -> NDArray[np.intp]:
        """Return the pairs of items that share a label as rows ``i < j``, in order.

        Being read off labels, they are cycle consistent: i ~ j and j ~ l imply i ~ l.
        """
        by_label = np.argsort(self.labels, kind="stable")
        sizes = np.bincount(self.labels)
        starts = np.cumsum(sizes) - sizes
        pairs = [np.empty((0, 2), dtype=np.intp)]
        for size in np.unique(sizes):
            members = by_label[starts[sizes == size][:, None] + np.arange(size)]
            pairs.append(members[:, np.transpose(np.triu_indices(size, 1))].reshape(-1, 2))
        found = np.concatenate(pairs)
        return found[np.lexsort(found.T[::-1])]

    def embedding(self) -> Any:
        """Return the relaxed rows U behind the labels, by replaying the sweep down to them.

        A dense array from the power solver, where rows of items that are similar to nothing at
        all, not even to themselves, are zero; a CSR array from the coordinate solver.
        """
        return self.source.embedding(self.position)

    def to_frame(
        self,
        *,
        ids: Sequence[Any] | None = None,
        groups: Sequence[Any] | None = None,
        like: str = "pandas",
    ) -> Any:
        """Return the labels as a data frame: item, group if given, label and confidence.

        Parameters
        ----------
        ids : sequence of n_items names, optional
            Names of the items, of any type. None numbers them from 0.
        groups : sequence of n_items names, optional
            Group of each item.
        like : {"pandas", "polars", "pyarrow"}
            The kind of frame; its package must be installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row per item, in order.

        Raises
        ------
        InvalidInputError
            If their number is another, or the package has no type for them; pandas has one for
            all.
        ImportError
            If the package is not installed.

        Examples
        --------
        >>> import spherelax as sl
        >>> result = sl.solve([[0, 2, 1], [2, 0, 0], [1, 0, 0]], pick=9.0)
        >>> result.to_frame(ids=["a", "b", "c"])["label"].tolist()
        [0, 1, 2]
        """
        if like not in FRAMES:
            raise InvalidInputError(f"like must be one of {', '.join(FRAMES)}; found {like!r}")
        n_items = len(self.labels)
        columns: dict[str, Any] = {"item": list(range(n_items) if ids is None else ids)}
        if groups is not None:
            columns["group"] = list(groups)
        for name, column in columns.items():
            if len(column) != n_items:
                raise InvalidInputError(
                    f"to_frame must have one {name} for each of {n_items} items; "
                    f"found {len(column)}"
                )
        try:
            package = import_module(like)
        except ImportError:
            raise ImportError(f"to_frame needs {like}: pip install {like}") from None
        columns |= {"label": self.labels, "confidence": self.confidence}
        try:
            return getattr(package, FRAMES[like])(columns)
        except (TypeError, ValueError, OverflowError) as error:
            reason = str(error).partition("\n")[0]
            raise InvalidInputError(
                f"ids and groups must be of types that {like} has; {reason}"
            ) from None

    def _at_step(self, index: int, status: Status) -> Result:
        """Return the result that a step gives; the one at alpha stands for these labels."""
        if index == self.position:
            return replace(self, status=status)
        labels, alpha = self.path.labels[index], float(self.path.alphas[index])
        confidence = self.source.confidence(labels, alpha)
        return replace(
            self, labels=labels, alpha=alpha, status=status, confidence=confidence, index=index
        )
