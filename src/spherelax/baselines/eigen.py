"""Leading eigenpairs of a symmetric matrix, the same on every run."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from spherelax.baselines.face import Matrix


def leading_eigenpairs(W: Matrix, k: int) -> tuple[NDArray[np.float64], Matrix]:
    """Return the k largest eigenvalues, falling, and their eigenvectors as columns.

    By LAPACK on the whole matrix: consistent matchings repeat one eigenvalue many times, of which
    Lanczos methods miss some.

    Examples
    --------
    >>> values, vectors = leading_eigenpairs(np.diag([1.0, 3.0, 2.0]), 2)
    >>> values.round(6).tolist(), abs(vectors).round(6).tolist()
    ([3.0, 2.0], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """
    m = len(W)
    values, vectors = scipy.linalg.eigh(W, subset_by_index=(m - k, m - 1))
    return values[::-1], vectors[:, ::-1]
