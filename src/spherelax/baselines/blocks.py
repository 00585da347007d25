"""Projections of a real matrix to (partial) permutations, group by group or block by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from spherelax.baselines.face import Labels, Matrix, Pairs
from spherelax.labels import renumber


def members(groups: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    """List the items of each group, in order.

    Examples
    --------
    >>> [items.tolist() for items in members(np.array([0, 1, 0]))]
    [[0, 2], [1]]
    """
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def label_groups(scores: Matrix, groups: NDArray[np.int32]) -> Labels:
    """Give the items of each group different columns, so that the sum of their scores is largest.

    There are at least as many columns as items in a group, and every item gets one.

    Examples
    --------
    >>> label_groups(np.array([[0.9, 0.8], [0.7, 0.1], [0.2, 0.3]]), np.array([0, 0, 1]))
    array([0, 1, 0], dtype=int32)
    """
    columns = np.empty(len(groups), dtype=np.intp)
    for items in members(groups):
        chosen, column = linear_sum_assignment(scores[items], maximize=True)
        columns[items[chosen]] = column
    return renumber(columns)


def match_blocks(scores: Matrix, groups: NDArray[np.int32], threshold: float) -> Pairs:
    """Match each pair of groups by itself, with the largest sum of scores over a threshold.

    Items whose scores stay below the threshold remain unmatched. Pairs come sorted, each with its
    smaller item first.

    Examples
    --------
    >>> match_blocks(np.array([[0, 0.9, 0.8], [0.9, 0, 0], [0.8, 0, 0]]), np.array([0, 1, 1]), 0.5)
    array([[0, 1]])
    """
    blocks = members(groups)
    found = [np.empty((0, 2), dtype=np.intp)]
    for a, first in enumerate(blocks):
        for second in blocks[a + 1 :]:
            gain = np.maximum(scores[np.ix_(first, second)] - threshold, 0.0)
            rows, columns = linear_sum_assignment(gain, maximize=True)
            kept = gain[rows, columns] > 0
            found.append(np.c_[first[rows[kept]], second[columns[kept]]])
    pairs = np.sort(np.concatenate(found), axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]
