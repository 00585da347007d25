"""NmfSync: a rotated spectral solution, refined by a non-negative factorisation.

After Bernard, Thunberg, Goncalves and Theobalt, Pattern Recognition 2019.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.blocks import label_groups
from spherelax.baselines.face import Labels, Matrix
from spherelax.baselines.spectral_factor import (
    matching_blocks,
    nearest_rotation,
    positive_eigenpairs,
    reference_rows,
    widen,
)
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

COUNT = Range(0, integer=True)
# Rotations settle within some ten steps; the bound is for inputs that are nothing but noise.
MAX_ROTATIONS = 100
# Relative changes of an objective below it move no label.
TOLERANCE = 1e-6
# Multiplicative updates keep zeros; entries start at least at this share of the largest one.
SMALLEST_SHARE = 1e-2
# Below this share of nonzeros, products with a sparse matrix are faster.
SPARSE_SHARE = 0.1


def nmf_sync(
    similarity: Similarity, groups: Iterable[Hashable], universe: int, *, max_iter: int = 200
) -> Labels:
    """Label the items of multi-matching by a non-negative factor of all matchings.

    ``min ||W - U U^T||_F^2`` over ``U >= 0`` with k columns, where W is ``similarity``, with the
    identity inside each of ``groups``, and k is ``universe``. The start is the spectral solution
    ``V D^1/2 Q``: the rotation Q first turns k rows, chosen to be as different as possible, towards
    unit vectors, and is then improved for ``min ||V D^1/2 Q - B||_F`` over rotations Q and
    ``B >= 0`` in turns. Each group's rows of U are assigned to columns with the largest sum.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items hashable labels
        Object of each item; the items of an object get different labels.
    universe : int
        Number of labels, at least the size of the largest group.
    max_iter : int
        Most updates of the non-negative factor; 0 rounds the rotated spectral solution.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    >>> nmf_sync(W, [0, 0, 1, 1], 2)
    array([0, 1, 1, 0], dtype=int32)
    """
    check_range(COUNT, max_iter=max_iter)
    W, own = matching_blocks(similarity, groups, universe)
    values, vectors = positive_eigenpairs(W, universe)
    U = _factorise(W, _rotate(vectors * np.sqrt(values)), max_iter)
    return label_groups(widen(U, universe), own)


def _rotate(U: Matrix) -> Matrix:
    """Rotate the rows of U so that they come near the non-negative orthant."""
    U = U @ nearest_rotation(U[reference_rows(U)]).T
    negative = np.inf
    for _ in range(MAX_ROTATIONS):
        before, negative = negative, float(np.sum(np.minimum(U, 0.0) ** 2))
        if negative >= (1.0 - TOLERANCE) * before:
            break
        U = U @ nearest_rotation(U.T @ np.maximum(U, 0.0))
    return U


def _factorise(W: Matrix, U: Matrix, max_iter: int) -> Matrix:
    """Lower ``||W - U U^T||_F^2`` from the non-negative part of U by multiplicative updates.

    Each entry is multiplied by the mean of 1 and ``(W U) / (U U^T U)``, which cannot raise the
    objective (Ding, He and Simon 2005).
    """
    if not max_iter:
        return U
    U = np.maximum(U, SMALLEST_SHARE * U.max())
    squares = float(np.sum(W**2))
    A = sp.csr_array(W) if np.count_nonzero(W) < SPARSE_SHARE * W.size else W
    loss = np.inf
    for _ in range(max_iter):
        WU, gram = A @ U, U.T @ U
        before, loss = loss, squares - 2.0 * float(np.sum(U * WU)) + float(np.sum(gram**2))
        if before - loss <= TOLERANCE * squares:
            break
        U = U * (0.5 + 0.5 * WU / (U @ gram))
    return U
