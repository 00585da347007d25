"""Functions that the spectral methods of multi-matching share: a factor of W and reference rows.

If the matchings in W are consistent, ``W = U U^T``, where the rows of U are unit vectors, one for
each universe point. Eigenvectors give U only up to a rotation; rows that show different points are
used to find this rotation.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Matrix, dense, matching_problem
from spherelax.problem import Similarity

# Eigenvalues and lengths of rows below this, relative to the largest, count as rounding errors.
RANK_TOLERANCE = 1e-9


def matching_blocks(
    similarity: Similarity, groups: Iterable[Hashable], universe: int | None = None
) -> tuple[Matrix, NDArray[np.int32]]:
    """Check the input; return W with the identity inside each group, and the groups as integers.

    The matching of an object with itself is the identity, whatever the input says. W is scaled so
    that its largest entry is 1.

    Examples
    --------
    >>> matching_blocks([[0, 3, 2], [3, 0, 4], [2, 4, 0]], ["a", "a", "b"])
    (array([[1. , 0. , 0.5],
           [0. , 1. , 1. ],
           [0.5, 1. , 1. ]]), array([0, 0, 1], dtype=int32))
    """
    problem = matching_problem(similarity, groups, universe)
    W, own = dense(problem), np.asarray(problem.groups)
    W[own[:, None] == own] = 0.0
    W /= W.max() or 1.0
    np.fill_diagonal(W, 1.0)
    return W, own


def positive_eigenpairs(W: Matrix, k: int) -> tuple[NDArray[np.float64], Matrix]:
    """Return the eigenpairs of the k largest eigenvalues that are positive, falling.

    Examples
    --------
    >>> values, vectors = positive_eigenpairs(np.diag([1.0, 3.0, -2.0]), 3)
    >>> values.round(6).tolist(), vectors.shape
    ([3.0, 1.0], (3, 2))
    """
    values, vectors = leading_eigenpairs(W, k)
    kept = values > RANK_TOLERANCE * values[0]
    return values[kept], vectors[:, kept]


def reference_rows(U: Matrix) -> NDArray[np.intp]:
    """Choose rows that span all rows, each the one farthest from the span of those before.

    This is the elimination order of a QR factorisation of U^T with column pivoting.

    Examples
    --------
    >>> reference_rows(np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 0.1]])).tolist()
    [2, 0]
    """
    R, order = scipy.linalg.qr(U.T, mode="r", pivoting=True)
    lengths = np.abs(np.diag(R))
    return np.asarray(order[: len(lengths)][lengths > RANK_TOLERANCE * lengths[0]])


def nearest_rotation(A: Matrix) -> Matrix:
    """Return the matrix with orthonormal rows or columns that is nearest to A, its polar factor.

    Examples
    --------
    >>> nearest_rotation(np.array([[0.0, 3.0], [2.0, 0.0]])).round(6)
    array([[0., 1.],
           [1., 0.]])
    """
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return np.asarray(left @ right)


def widen(scores: Matrix, k: int) -> Matrix:
    """Append columns of zeros, for labels without items, up to k columns.

    Examples
    --------
    >>> widen(np.ones((2, 1)), 3)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    return np.pad(scores, ((0, 0), (0, k - scores.shape[1])))
