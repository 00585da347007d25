"""Confidence of each item: its label compared with the best other label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.power.rebalance import Rebalanced
from spherelax.problem import Matrix

# A dense W is summed in blocks of this number of rows, which saves memory.
BLOCK_ROWS = 256


def label_confidence(
    rebalanced: Rebalanced, labels: NDArray[np.int32], alpha: float
) -> NDArray[np.float64]:
    """Return the confidence of each item, from 0 to 1.

    Item i adds ``x_c = (1 - alpha) sum_(j in c, j != i) W_ij + c(alpha) n_c`` to the objective if
    it has label c (n_c is the number of other items with it), and 0 if it is alone. Let x be the
    gain of its own label and y that of the best other one, which is at least 0, because the item
    could be alone. The confidence is ``1 - y / x``: 1 if no other label has a claim on the item, 0
    if another one is as good or better. For an item that is alone it is 1 if no label attracts it.

    Examples
    --------
    >>> W = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> label_confidence(Rebalanced(W, 0.0), np.array([0, 0, 1]), alpha=0.25).round(3)
    array([0.6, 1. , 0. ])
    """
    sizes = np.bincount(labels)
    c = float(rebalanced.shift(alpha))
    biggest_other = _largest_other_size(sizes)[labels]
    own, other, diagonal = np.empty(len(labels)), np.empty(len(labels)), rebalanced.W.diagonal()
    for rows, sums in _similarity_to_labels(rebalanced.W, labels, len(sizes)):
        gains = (1.0 - alpha) * sums.data + c * sizes[sums.indices]
        row = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
        is_own = sums.indices == labels[rows][row]
        best = np.maximum(c * biggest_other[rows], 0.0)
        np.maximum.at(best, row[~is_own], gains[~is_own])
        other[rows] = best
        own[rows] = c * (sizes[labels[rows]] - 1)
        own_rows = rows[row[is_own]]
        own[own_rows] += (1.0 - alpha) * (sums.data[is_own] - diagonal[own_rows])
    attracted = other > 0
    ratio = np.divide(other, own, out=np.ones_like(own), where=own > 0)
    return np.where(attracted, np.clip(1.0 - ratio, 0.0, 1.0), (own >= 0).astype(float))


def _largest_other_size(sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each label the number of items of the largest other label."""
    if len(sizes) == 1:
        return np.zeros(1, dtype=np.intp)
    second, first = np.partition(sizes, -2)[-2:]
    biggest = np.full(len(sizes), first)
    biggest[sizes.argmax()] = second
    return biggest


def _similarity_to_labels(
    W: Matrix, labels: NDArray[np.int32], n_labels: int
) -> Iterator[tuple[NDArray[np.intp], Matrix]]:
    """Yield blocks of rows and, as CSR, their summed similarity to every label."""
    m = len(labels)
    members = sp.csr_array((np.ones(m), labels, np.arange(m + 1)), shape=(m, n_labels))
    if sp.issparse(W):
        yield np.arange(m), W @ members
        return
    for first in range(0, m, BLOCK_ROWS):
        rows = np.arange(first, min(first + BLOCK_ROWS, m))
        yield rows, sp.csr_array((members.T @ W[:, rows]).T)
