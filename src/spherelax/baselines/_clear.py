"""CLEAR: spectral clustering of the association graph with pivot rows (Fathian et al., 2020)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.linalg

from spherelax.baselines.blocks import label_groups
from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Labels, Matrix, clustering_problem, dense
from spherelax.baselines.laplacian import normalised_affinity, unit_rows
from spherelax.baselines.spectral_factor import (
    RANK_TOLERANCE,
    matching_blocks,
    reference_rows,
    widen,
)
from spherelax.problem import Similarity

# Noise moves the eigenvalues of clean clusters, 0 and 1, by less than half their distance. Two
# items that share one neighbour have exactly 1/2; rounding must not decide about them.
HALF = 0.5 + RANK_TOLERANCE


def clear(
    similarity: Similarity, groups: Iterable[Hashable], universe: int | None = None
) -> Labels:
    """Label the items of multi-matching by the lowest eigenvectors of a normalised Laplacian.

    ``min tr(U^T L U)`` over U with k orthonormal columns, where
    ``L = (D + I)^-1/2 (D - A) (D + I)^-1/2``, A is ``similarity`` between different ``groups`` and
    D its row sums; k is ``universe`` or, if not given, the number of eigenvalues of L below 1/2,
    and no less than the size of the largest group. k rows are chosen as pivots, each as orthogonal
    as possible to those before, and each group's rows are assigned to the pivots so that the sum
    of cosines is largest.

    Paper: pivots are chosen among rows scaled to length 1. All are equally long then, and rounding
    decides which is the first; here they are chosen among the rows of ``U (I - E)^1/2``, E the
    eigenvalues, a factor of ``I - L``, and scaled afterwards.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative; its largest entry between groups counts as a certain match.
    groups : sequence of n_items hashable labels
        Object of each item; the items of an object get different labels.
    universe : int, optional
        Number of labels, at least the size of the largest group.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    >>> clear(W, [0, 0, 1, 1])
    array([0, 1, 1, 0], dtype=int32)
    """
    W, own = matching_blocks(similarity, groups, universe)
    N, largest = normalised_affinity(W), int(np.bincount(own).max())
    k = max(_n_above_half(N), largest) if universe is None else universe
    values, vectors = leading_eigenpairs(N, k)
    # Eigenvalues of 0 belong to differences inside clusters, not to clusters.
    kept = values > RANK_TOLERANCE
    values, U = values[kept], vectors[:, kept]
    pivots = reference_rows(U * np.sqrt(values))
    U = unit_rows(U)
    return label_groups(widen(U @ U[pivots].T, k), own)


def estimate_universe(similarity: Similarity) -> int:
    """Estimate the number of labels: how many eigenvalues of CLEAR's Laplacian are below 1/2.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative; the diagonal is not looked at. Its largest entry counts as a
        certain match.

    Returns
    -------
    int
        Number of labels, at least 1.

    Examples
    --------
    >>> estimate_universe(np.kron(np.eye(3), np.ones((4, 4))))
    3
    """
    W = dense(clustering_problem(similarity))
    np.fill_diagonal(W, 0.0)
    W /= W.max() or 1.0
    np.fill_diagonal(W, 1.0)
    return _n_above_half(normalised_affinity(W))


def _n_above_half(N: Matrix) -> int:
    """Count the eigenvalues of N above 1/2, those of the Laplacian I - N below it."""
    return int(np.sum(scipy.linalg.eigvalsh(N) > HALF))
