"""The normalised affinity of spectral clustering and the rows of its embedding on the sphere."""

from __future__ import annotations

import numpy as np

from spherelax.baselines.face import Matrix


def normalised_affinity(A: Matrix) -> Matrix:
    """Return ``D^-1/2 A D^-1/2``, D the row sums of A; rows of zeros stay zero.

    Examples
    --------
    >>> normalised_affinity(np.array([[0, 2, 2], [2, 0, 0], [2, 0, 0.0]])).round(3)
    array([[0.   , 0.707, 0.707],
           [0.707, 0.   , 0.   ],
           [0.707, 0.   , 0.   ]])
    """
    degree = A.sum(axis=1)
    scale = 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0))
    return np.asarray(A * scale[:, None] * scale)


def unit_rows(X: Matrix) -> Matrix:
    """Scale each row to length 1; rows of zeros stay zero.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(length > 0, length, 1.0))
