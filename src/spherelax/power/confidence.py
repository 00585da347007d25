"""How sure a labeling is of each item: its label against the next best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.power.rebalance import Rebalanced

# Rows of a dense W that are summed together.
BLOCK_ROWS = 256


def label_confidence(
    rebalanced: Rebalanced, labels: NDArray[np.int32], alpha: float
) -> NDArray[np.float64]:
    """Compare, for each item, the gain of its label with that of the best other one.

    Item i contributes ``x_c = (1 - alpha) sum_(j in c, j != i) W_ij + c(alpha) n_c`` to the
    objective if it has label c (n_c counts the other items there), and 0 if it has a label of its
    own. With its own label's gain x and the best other one y (at least 0, being alone), the
    confidence is ``1 - y / x``: 1 if nothing else has a claim on the item, 0 if something else is
    as good or better. An item that is alone is as sure as others make it: 1 if none attracts it.

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
    """Return for each label the size of the largest other one."""
    if len(sizes) == 1:
        return np.zeros(1, dtype=np.intp)
    second, first = np.partition(sizes, -2)[-2:]
    biggest = np.full(len(sizes), first)
    biggest[sizes.argmax()] = second
    return biggest


def _similarity_to_labels(
    W: Any, labels: NDArray[np.int32], n_labels: int
) -> Iterator[tuple[NDArray[np.intp], Any]]:
    """Yield blocks of rows and, as CSR, their summed similarity to every label."""
    m = len(labels)
    members = sp.csr_array((np.ones(m), labels, np.arange(m + 1)), shape=(m, n_labels))
    if sp.issparse(W):
        yield np.arange(m), W @ members
        return
    for first in range(0, m, BLOCK_ROWS):
        rows = np.arange(first, min(first + BLOCK_ROWS, m))
        yield rows, sp.csr_array((members.T @ W[:, rows]).T)
