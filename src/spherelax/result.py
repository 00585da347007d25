"""What a sweep leaves behind: steps, the path, the result and its status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.problem import check_settings


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
    CHOSEN = "The labels are those of the step of the path that was asked for."
    NEAREST = (
        "No step of the path has the number of labels that was asked for: "
        "the labels are those of the step with the nearest number."
    )

    @property
    def is_odd(self) -> bool:
        """Tell whether the outcome deserves a warning."""
        return self in (Status.SINGLE, Status.RISING, Status.STILL, Status.ISOLATED)


class SphereWarning(UserWarning):
    """An odd but legal outcome; the labels are there, and the message says what to make of them.

    Examples
    --------
    >>> import warnings
    >>> import spherelax as sl
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = sl.solve([[1, 0], [0, 1]]).labels
    >>> print(labels, caught[0].message)
    [0 1] No item is similar to any other, so each has a label of its own.
    """


@dataclass(frozen=True)
class Step:
    """One step of the sweep, as a callback sees it: step ``index`` (from 0) of ``n_steps``.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 5, 0, 1], [5, 0, 0, 0], [0, 0, 0, 4], [1, 0, 4, 0]]
    >>> seen = []
    >>> result = sl.solve(W, callback=seen.append)
    >>> seen[49].index, seen[49].n_steps, seen[49].alpha, seen[49].n_labels
    (49, 100, 0.5, 2)
    """

    index: int
    n_steps: int
    alpha: float
    eta: float
    objective: float
    n_labels: int


Callback = Callable[[Step], object]


@dataclass(frozen=True, eq=False)
class Path:
    """The whole sweep, one entry per step: curves, and the labels of every item.

    Attributes
    ----------
    alphas, etas, objectives : ndarray of shape (n_steps,)
        The alpha of each step, how much the last inner step still gained there, and the objective
        that was reached.
    n_labels : ndarray of shape (n_steps,)
        Number of different labels.
    labels : ndarray of shape (n_steps, n_items)
        Labels of the items, numbered within each step in order of first appearance.

    Examples
    --------
    >>> import spherelax as sl
    >>> path = sl.solve([[0, 1, 0], [1, 0, 0], [0, 0, 1]], alpha_step=0.25).path
    >>> path.alphas, path.n_labels
    (array([0.75, 0.5 , 0.25, 0.  ]), array([3, 2, 2, 2]))
    """

    alphas: NDArray[np.float64]
    etas: NDArray[np.float64]
    objectives: NDArray[np.float64]
    labels: NDArray[np.int32] = field(repr=False)

    @property
    def n_labels(self) -> NDArray[np.intp]:
        """Number of different labels at each step."""
        return np.asarray(self.labels.max(axis=1).astype(np.intp) + 1)


class Source(Protocol):
    """What a result asks back about a step: it knows the problem and how it was solved."""

    def confidence(self, labels: NDArray[np.int32], alpha: float) -> NDArray[np.float64]:
        """Return how sure these labels are, item by item."""

    def embedding(self, index: int) -> NDArray[np.float64]:
        """Return the relaxed rows U at a step."""


@dataclass(frozen=True, eq=False)
class Result:
    """Labels, how they were chosen, and the path to choose others from.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        Label of each item, numbered in order of first appearance.
    n_labels : int
        Number of different labels.
    alpha : float
        Where on the path the labels come from.
    status : Status
        How they were chosen: a sentence.
    confidence : ndarray of shape (n_items,)
        How much better each label is than the next best, from 0 (not at all) to 1 (nothing else
        has a claim on the item).
    path : Path
        The whole sweep.
    index : int
        The step of the path that the labels come from.
    right, left : int or None
        The steps of the two maxima of eta around the valley, where the curve has them.
    max_universe : int
        The upper bound on the number of labels that the sweep worked with.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(3), np.ones((4, 4)))
    >>> result = sl.solve(W)
    >>> result.n_labels, result.labels[:5]
    (3, array([0, 0, 0, 0, 1], dtype=int32))
    >>> result.at(0.99).n_labels, result.with_n_labels(12).status == sl.Status.CHOSEN
    (12, True)
    """

    labels: NDArray[np.int32] = field(repr=False)
    alpha: float
    status: Status
    confidence: NDArray[np.float64] = field(repr=False)
    path: Path = field(repr=False)
    index: int
    right: int | None
    left: int | None
    max_universe: int
    source: Source = field(repr=False)

    @property
    def n_labels(self) -> int:
        """Number of different labels."""
        return int(self.labels.max()) + 1

    def at(self, alpha: float) -> Result:
        """Return the result at the step whose alpha is nearest: coarser below, finer above."""
        check_settings(alpha=alpha)
        return self._at_step(int(np.abs(self.path.alphas - alpha).argmin()), Status.CHOSEN)

    def with_n_labels(self, n_labels: int) -> Result:
        """Return the result at the quietest step with so many labels, or with the nearest number.

        Quietest: the smallest eta; of several, the middle one.
        """
        check_settings(n_labels=n_labels)
        distance = np.abs(np.log(self.path.n_labels / n_labels))
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

    def embedding(self) -> NDArray[np.float64]:
        """Return the relaxed rows U behind the labels, by replaying the sweep down to them.

        Rows of items that are similar to nothing at all, not even to themselves, are zero.
        """
        return self.source.embedding(self.index)

    def _at_step(self, index: int, status: Status) -> Result:
        """Return the result that another step gives."""
        labels, alpha = self.path.labels[index], float(self.path.alphas[index])
        confidence = self.source.confidence(labels, alpha)
        return replace(
            self, labels=labels, alpha=alpha, status=status, confidence=confidence, index=index
        )
