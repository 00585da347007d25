"""What is found out about labels, and about groups that hold copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels


class EntityProbability(NamedTuple):
    """How likely each label is pure, and whole.

    Attributes
    ----------
    pure : ndarray of shape (n_labels,)
        The probability that all items of the label are the same thing.
    whole : ndarray of shape (n_labels,)
        The probability that no item outside the label is the same thing as one of its items.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve([[0, 2, -2], [2, 0, 0], [-2, 0, 0]], kind="odds")
    >>> found = result.entities()
    >>> found.pure.round(1), found.whole.round(1)
    (array([0.9, 1. ]), array([0.9, 0.9]))
    """

    pure: NDArray[np.float64]
    whole: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of items that share a label.

    Attributes
    ----------
    items : ndarray of shape (n_pairs, 2)
        The two items of each pair as rows ``i < j``, in order.
    probability : ndarray of shape (n_pairs,) or None
        How likely each pair is right, whether it is listed or not. All other pairs of its items
        count, too, so that it may differ from :meth:`Result.listed_probability`. None if it is not
        known. It is computed when it is first asked for; `InvalidInputError` if the result was
        loaded from a file, which does not hold it.

    Examples
    --------
    >>> import spherelax as sl
    >>> pairs = sl.solve([[0, 2, 0], [2, 0, 3], [0, 3, 0]], kind="odds").pairs()
    >>> pairs.items.tolist(), pairs.probability.round(1)
    ([[0, 1], [0, 2], [1, 2]], array([0.9, 0.8, 1. ]))
    """

    items: NDArray[np.intp]
    _compute: Callable[[], NDArray[np.float64] | None] = field(repr=False)

    @cached_property
    def probability(self) -> NDArray[np.float64] | None:
        """How likely each pair is right."""
        return self._compute()


class Prediction(NamedTuple):
    """Labels of new items, and how sure they are.

    Attributes
    ----------
    labels : ndarray of shape (n_new,)
        Label of each new item.
    confidence : ndarray of shape (n_new,)
        From 0 to 1, as :meth:`SphereClustering.predict_with_confidence` or :meth:`Result.assign`
        says.

    Examples
    --------
    >>> from spherelax import SphereClustering
    >>> model = SphereClustering().fit([[0.0], [1.0], [2.0], [3.0]])
    >>> model.predict_with_confidence([[1.5]]).labels
    array([0], dtype=int32)
    """

    labels: Labels
    confidence: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Duplicates:
    """How many items of a group seem to be second copies of another item of it, and which.

    Attributes
    ----------
    group : int
        The group, numbered from 0 in order of first appearance.
    n_items : int
        Number of its items.
    expected : float
        Estimate of the number of copies.
    is_clear : bool
        Whether they are more than chance and a handful explain, so that `solve` warns.
    pairs : ndarray of shape (n_pairs, 2)
        Items that may be the same thing as rows ``i < j``, the strongest pair first.
    probability : ndarray of shape (n_pairs,)
        How likely each pair is the same thing.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 0, 3, 0], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]]
    >>> [(found.n_items, found.expected) for found in sl.solve(W, [0, 0, 1, 1]).duplicates()]
    [(2, 0.0), (2, 0.0)]
    """

    group: int
    n_items: int
    expected: float
    is_clear: bool
    pairs: NDArray[np.intp] = field(repr=False)
    probability: NDArray[np.float64] = field(repr=False)
