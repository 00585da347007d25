"""Across which valleys small parts of labels merge to labels, and labels to one: a tree.

A label may hold two things with a valley between them that was not deep enough to count. The items
on its two sides are then less likely the same thing, the deeper it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels, count_labels


class Merge(NamedTuple):
    """Two sets of parts that become one, and how deep the valley between them is."""

    one: int
    other: int
    depth: float


class Lineage:
    """Merges of sets of parts; sets are numbered, first the sets of one part.

    Attributes
    ----------
    parts : ndarray of shape (n_items,)
        The part of each item, or cell.
    merges : list of Merge
        Each makes a set with the next number.

    Examples
    --------
    >>> lineage = Lineage(np.array([0, 0, 1, 2], dtype=np.int32))
    >>> lineage.merge(0, 1, depth=0.6)
    3
    >>> lineage.merge(3, 2, depth=-1.0)
    4
    >>> lineage.share(np.zeros(4, dtype=np.int32), [0.9, 0.0]).round(2)
    array([0.7, 0.7, 0.4, 1. ])
    """

    def __init__(self, parts: Labels) -> None:
        self.parts = parts
        self.n_parts = count_labels(parts)
        self.merges: list[Merge] = []

    def merge(self, one: int, other: int, depth: float) -> int:
        """Merge two sets and return the new one."""
        self.merges.append(Merge(one, other, depth))
        return self.n_parts + len(self.merges) - 1

    def merge_all(self, sets: Iterable[int], depth: float) -> int:
        """Merge sets two by two, all across valleys of one depth, and return the last one."""
        left = deque(sets)
        while len(left) > 1:
            left.append(self.merge(left.popleft(), left.popleft(), depth))
        return left[0]

    def share(
        self, labels: Labels, differ: Sequence[float], cells: Labels | None = None
    ) -> NDArray[np.float64]:
        """Return for each item the expected share of its label that no valley separates from it.

        ``differ`` says of each merge how likely its two sets are not the same thing; ``cells`` is
        the cell of each item, where parts are made of cells.
        """
        parts = self.parts if cells is None else self.parts[cells]
        key = labels.astype(np.int64) * self.n_parts + parts
        pairs, of_item, n = np.unique(key, return_inverse=True, return_counts=True)
        label, part = np.divmod(pairs, self.n_parts)
        order = np.argsort(part, kind="stable")
        starts = np.searchsorted(part[order], np.arange(1, self.n_parts))
        sets = list(np.split(order, starts))
        apart, count = np.zeros(len(pairs)), np.zeros(count_labels(labels))
        for (one, other, _), chance in zip(self.merges, differ, strict=True):
            here, there = sets[one], sets[other]
            for side, across in ((here, there), (there, here)) if chance > 0.0 else ():
                np.add.at(count, label[across], n[across])
                apart[side] += chance * count[label[side]]
                count[label[across]] = 0.0
            sets.append(np.concatenate([here, there]))
            sets[one] = sets[other] = np.empty(0, dtype=np.intp)
        others = np.bincount(labels)[labels] - 1
        return np.asarray(1.0 - apart[of_item] / np.maximum(others, 1))
