"""Sparse orthonormal factors of all matchings (Bernard, Cremers and Thunberg, NeurIPS 2021)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

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

COUNT = Range(1, integer=True)
POWER = Range(3, integer=True)
# The first step turns by up to 45 degrees, about as far as two axes ever have to; it is halved
# where the objective would fall, and steps below the last one move no label.
FIRST_STEP, LAST_STEP = 1.0, 1e-4


def sparse_stiefel(
    similarity: Similarity,
    groups: Iterable[Hashable],
    universe: int,
    *,
    power: int = 3,
    max_iter: int = 200,
) -> Labels:
    """Label the items of multi-matching by the sparsest basis of the leading eigenvectors.

    ``max sum U^p`` over all U that solve ``max tr(U^T W U)`` over U with k orthonormal columns,
    where W is ``similarity``, with the identity inside each of ``groups``, k is ``universe`` and p
    is ``power``. U is turned by ``U <- U Z``, Z the rotation nearest to ``I + a (U^T G - G^T U)``,
    where G is ``U^(p-1)``, the direction of the gradient of the sum. Each group's rows of U are
    assigned to columns with the largest sum.

    Paper: the iteration is ``U <- qr(W U Z)`` from any start, so that U comes to span the leading
    eigenvectors. Here it starts there, where W leaves the span as it is, and the step size a is
    chosen such that the sum never falls.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items hashable labels
        Object of each item; the items of an object get different labels.
    universe : int
        Number of labels, at least the size of the largest group.
    power : int
        p; odd ones make the entries of U non-negative as well as sparse.
    max_iter : int
        Most turns.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    >>> sparse_stiefel(W, [0, 0, 1, 1], 2)
    array([0, 1, 1, 0], dtype=int32)
    """
    check_range(POWER, power=power)
    check_range(COUNT, max_iter=max_iter)
    W, own = matching_blocks(similarity, groups, universe)
    _, V = positive_eigenpairs(W, universe)
    U = _sparsest_basis(V @ nearest_rotation(V[reference_rows(V)]).T, power, max_iter)
    return label_groups(widen(U, universe), own)


def _sparsest_basis(U: Matrix, power: int, max_iter: int) -> Matrix:
    """Turn U so that the sum of ``U^power`` rises to a local maximum."""
    total, step = float(np.sum(U**power)), FIRST_STEP
    for _ in range(max_iter):
        product = U.T @ U ** (power - 1)
        skew = product - product.T
        norm = float(np.linalg.norm(skew, 2))
        if norm <= LAST_STEP * float(np.linalg.norm(product, 2)):
            break
        while step >= LAST_STEP:
            turned = U @ nearest_rotation(np.eye(len(skew)) + step / norm * skew)
            reached = float(np.sum(turned**power))
            if reached > total:
                break
            step /= 2.0
        else:
            break
        U, total, step = turned, reached, min(2.0 * step, FIRST_STEP)
    return U
