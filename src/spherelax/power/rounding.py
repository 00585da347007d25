"""From rows of U to labels: the largest entry, or one linear assignment per group (section 5).

Paper: in the valley of eta a cluster often has equal entries in several columns, and rounding
errors would then decide which of them is the largest. So entries are compared in multiples of
`QUANTUM`. Then the entries are exactly equal and the first column wins, for every item of the
cluster and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from spherelax.labels import Labels, renumber

# Entries are compared in multiples of this number. It is far larger than rounding errors and far
# smaller than any real difference.
QUANTUM = 2.0**-30
# Entries that are rounded at a time, so that no second array of the size of U is needed.
BLOCK_ENTRIES = 1 << 20

Rounding = Callable[[NDArray[np.float64]], Labels]


def rounding(groups: NDArray[np.int32] | None) -> Rounding:
    """Return the function that turns U into one label per row, with or without groups."""
    return round_rows if groups is None else partial(round_groups, groups=groups)


def round_rows(U: NDArray[np.float64]) -> Labels:
    """Give each row the label of the column of its largest entry.

    Examples
    --------
    >>> round_rows(np.array([[0.6, 0.8], [1.0, 0.0], [0.8, 0.6]]))
    array([0, 1, 1], dtype=int32)
    """
    return renumber(_largest(U))


def round_groups(U: NDArray[np.float64], groups: NDArray[np.int32]) -> Labels:
    """Give the rows of each group different columns, so that the sum of their entries is largest.

    If the rows of a group have their largest entries in different columns, these are the answer.
    Otherwise a rectangular linear assignment is solved. Paper: its assignments are partial,
    ``X 1 <= 1``. A row for which only columns with a zero entry are left gets its own label; a full
    assignment would give it an arbitrary one.

    Examples
    --------
    >>> U = np.array([[0.8, 0.6], [1.0, 0.0], [1.0, 0.0]])
    >>> round_groups(U, groups=np.array([0, 0, 1]))
    array([0, 1, 1], dtype=int32)
    """
    k = U.shape[1]
    columns = _largest(U)
    _, cell, size = np.unique(groups * k + columns, return_inverse=True, return_counts=True)
    conflicting = np.unique(groups[size[cell] > 1])
    order = np.argsort(groups, kind="stable")
    first = np.searchsorted(groups[order], conflicting, side="left")
    last = np.searchsorted(groups[order], conflicting, side="right")
    for rows in map(order.__getitem__, map(slice, first, last)):
        columns[rows] = k + rows
        block = _quantised(U[rows])
        live = np.flatnonzero(block.any(axis=0))
        chosen, column = linear_sum_assignment(block[:, live], maximize=True)
        positive = block[chosen, live[column]] > 0
        columns[rows[chosen[positive]]] = live[column[positive]]
    return renumber(columns)


def _quantised(U: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return U in multiples of `QUANTUM`."""
    return np.rint(U / QUANTUM)


def _largest(U: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the column of the largest entry of each row; of equal ones, the first."""
    n_rows = max(1, BLOCK_ENTRIES // U.shape[1])
    blocks = [_quantised(U[i : i + n_rows]).argmax(axis=1) for i in range(0, len(U), n_rows)]
    return np.concatenate(blocks)
