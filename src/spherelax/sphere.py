"""The relaxed set: matrices with non-negative rows of unit length (paper, section 3.1).

``Sp+(m, k) = {U in R^(m x k) : U >= 0, each row of length 1}``. Its corners, the one-hot rows,
are the labelings; the set between them is where the power iteration moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Largest entries outside this range are scaled first, because their squares would over- or
# underflow.
SAFE = (1e-140, 1e140)
# Rows count as equal when their entries differ by no more than this: a few roundings of numbers
# up to one.
EQUAL = 16 * np.finfo(float).eps


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
    top = X.max(axis=1)
    corners = np.flatnonzero(top <= 0)
    corner_columns = X[corners].argmax(axis=1)
    np.maximum(X, 0.0, out=X)
    X[corners, corner_columns] = top[corners] = 1.0
    extreme = np.flatnonzero((top < SAFE[0]) | (top > SAFE[1]))
    X[extreme] /= top[extreme, None]
    X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    return X


def is_consensus(U: NDArray[np.float64]) -> bool:
    """Tell whether all rows are equal up to rounding.

    Examples
    --------
    >>> is_consensus(np.array([[0.6, 0.8], [0.6, 0.8]]))
    True
    """
    return bool(np.all(np.ptp(U, axis=0) <= EQUAL))
