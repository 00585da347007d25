"""What is found out about labels, and about groups that hold copies."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    >>> found = result.entity_probability()
    >>> found.pure.round(1), found.whole.round(1)
    (array([0.9, 1. ]), array([0.9, 0.9]))
    """

    pure: NDArray[np.float64]
    whole: NDArray[np.float64]


class Prediction(NamedTuple):
    """Labels of new items, and how sure they are.

    Attributes
    ----------
    labels : ndarray of shape (n_new,)
        Label of each new item.
    confidence : ndarray of shape (n_new,)
        From 0 to 1, as :meth:`SphereClustering.predict_with_confidence` or :func:`assign` says.

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
