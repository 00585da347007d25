"""The set of all U: matrices with non-negative rows of length 1 (paper, section 3.1).

``Sp+(m, k) = {U in R^(m x k) : U >= 0, each row of length 1}``. A row with a single 1 says that
the item has this label; other rows say that it belongs to several labels in part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows whose sum of squares is outside this range are scaled before they are squared.
SAFE = (1e-280, 1e280)
# Rows count as equal if their entries differ by no more than this: a few rounding errors of
# numbers up to 1.
EQUAL = 64 * np.finfo(float).eps


def start(m: int, k: int) -> NDArray[np.float64]:
    """Return K, the first m rows of identity blocks put one below the other.

    Examples
    --------
    >>> start(3, 2)
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    U = np.zeros((m, k))
    U[np.arange(m), np.arange(m) % k] = 1.0
    return U


def project(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace each row by the point of the non-negative sphere nearest to it, in place.

    Row by row, the solution of ``max <x, u>`` over ``u >= 0, |u| = 1`` (Algorithm 3): clip at
    zero and scale to length one; a row without a positive entry becomes the basis vector of its
    largest entry, the first one of several.

    Examples
    --------
    >>> project(np.array([[3.0, -1.0, 4.0], [-2.0, -1.0, -3.0]]))
    array([[0.6, 0. , 0.8],
           [0. , 1. , 0. ]])
    """
    with np.errstate(over="ignore"):
        Y = np.abs(X)
        Y += X  # 2 max(X, 0), which is quicker to compute
        squares = np.einsum("ij,ij->i", Y, Y)
    odd = np.flatnonzero((squares < SAFE[0]) | (squares > SAFE[1]))
    if len(odd):
        Y[odd] = _project_carefully(X[odd])
        squares[odd] = 1.0
    np.multiply(Y, (1.0 / np.sqrt(squares))[:, None], out=X)
    return X


def is_consensus(U: NDArray[np.float64]) -> bool:
    """Tell whether all rows are equal up to rounding.

    Examples
    --------
    >>> is_consensus(np.array([[0.6, 0.8], [0.6, 0.8]]))
    True
    """
    return bool(np.all(np.ptp(U, axis=0) <= EQUAL))


def _project_carefully(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project rows that have no positive entry, or entries whose squares overflow or underflow."""
    top = X.max(axis=1)
    corners = top <= 0
    Y = np.maximum(X, 0.0) / np.where(corners, 1.0, top)[:, None]
    Y[corners, X[corners].argmax(axis=1)] = 1.0
    return np.asarray(Y / np.linalg.norm(Y, axis=1, keepdims=True))
