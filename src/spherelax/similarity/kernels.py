"""Kernels of points: Gaussian and density-adaptive."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances

from spherelax.errors import InvalidInputError
from spherelax.memory import NUMBER, check_fits
from spherelax.problem import Matrix
from spherelax.settings import Range, check_range
from spherelax.similarity.parts import checked_points, either, falling, positive
from spherelax.similarity.search import NEIGHBORS, nearest

# Arrays of all pairs in memory at the peak: the kernel, and what its median distance needs.
KERNEL_ARRAYS, MEDIAN_ARRAYS = 1.1, 2.6


def rbf(
    X: ArrayLike, *, scale: float | str = "median", n_neighbors: int = 7
) -> NDArray[np.float64]:
    """Return the Gaussian kernel ``exp(-d_ij^2 / s_ij)`` of all pairs.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    scale : "median", "local" or float
        "median": ``s_ij = 2 s^2``, s the median distance of two different points; "local":
        ``s_ij = s_i s_j``, s_i the distance of point i to its ``n_neighbors``-th neighbour
        (self-tuning, Zelnik-Manor and Perona 2004); a number s: ``s_ij = 2 s^2``.
    n_neighbors : int
        Which neighbour sets the local scale; the last one where there are fewer.

    Returns
    -------
    ndarray of shape (n_items, n_items)
        Similarities in [0, 1], 1 on the diagonal.

    Examples
    --------
    >>> rbf([[0.0], [1.0], [3.0]], scale=1.0).round(3)
    array([[1.   , 0.607, 0.011],
           [0.607, 1.   , 0.135],
           [0.011, 0.135, 1.   ]])
    """
    X = checked_points(X)
    needs_median = isinstance(scale, str) and scale == "median"
    _check_pairs(X, MEDIAN_ARRAYS if needs_median else KERNEL_ARRAYS)
    squared = euclidean_distances(X, squared=True)
    if scale == "local":
        s = positive(nearest(X, n_neighbors)[0][:, -1])
        squared /= s[:, None]
        squared /= s
    elif scale == "median":
        median = float(np.median(np.sqrt(squared[np.triu_indices(len(X), 1)])))
        squared /= 2.0 * median**2 if median > 0 else 1.0
    elif scale in Range(0, low_open=True):
        squared /= 2.0 * float(scale) ** 2
    else:
        raise InvalidInputError(
            f"scale must be 'median', 'local' or a positive number; found {scale!r}"
        )
    return falling(squared)


def adaptive(
    X: ArrayLike,
    *,
    scale_neighbor: int = 3,
    shared_neighbors: int = 7,
    n_neighbors: int | None = None,
) -> Matrix:
    """Return the adaptive density-aware kernel of Spectrum (John et al. 2020).

    ``exp(-d_ij^2 / (s_i s_j (CNN_ij + 1)))``: s_i is the distance of point i to its
    ``scale_neighbor``-th neighbour, and CNN_ij the number of points that are among the
    ``shared_neighbors`` nearest of both i and j.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    scale_neighbor, shared_neighbors : int
        P and S of the paper that proposed it; the last neighbour, or all, if there are fewer.
    n_neighbors : int, optional
        If given, only pairs of which one is among the ``n_neighbors`` nearest of the other get a
        similarity, and the result is sparse.

    Returns
    -------
    ndarray, or csr_array if n_neighbors is given, of shape (n_items, n_items)
        Similarities in [0, 1]; the diagonal is 1, or empty if sparse.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [9.0]]
    >>> adaptive(X, scale_neighbor=1, shared_neighbors=2).round(2)
    array([[1.  , 0.61, 0.14, 0.02],
           [0.61, 1.  , 0.61, 0.01],
           [0.14, 0.61, 1.  , 0.03],
           [0.02, 0.01, 0.03, 1.  ]])
    """
    X = checked_points(X)
    m = len(X)
    check_range(NEIGHBORS, scale_neighbor=scale_neighbor, shared_neighbors=shared_neighbors)
    if n_neighbors is not None:
        check_range(NEIGHBORS, n_neighbors=n_neighbors)
    distances, neighbors = nearest(X, max(scale_neighbor, shared_neighbors, n_neighbors or 1))
    s = positive(distances[:, min(scale_neighbor, m - 1) - 1])
    near = neighbors[:, :shared_neighbors]
    members = sp.csr_array(
        (np.ones(near.size), near.ravel(), np.arange(0, near.size + 1, near.shape[1])),
        shape=(m, m),
    )
    shared = members @ members.T
    if n_neighbors is None:
        _check_pairs(X, KERNEL_ARRAYS)
        squared = euclidean_distances(X, squared=True)
        squared /= s[:, None]
        squared /= s
        shared = shared.tocoo()
        squared[shared.row, shared.col] /= shared.data + 1.0
        np.fill_diagonal(squared, 0.0)
        return falling(squared)
    neighbors, distances = neighbors[:, :n_neighbors], distances[:, :n_neighbors]
    rows, columns = np.repeat(np.arange(m), neighbors.shape[1]), neighbors.ravel()
    common = np.asarray(shared[rows, columns]).ravel()
    values = falling(distances.ravel() ** 2 / (s[rows] * s[columns] * (common + 1.0)))
    return either(rows, columns, values, m)


def _check_pairs(X: NDArray[np.float64], n_arrays: float) -> None:
    """Refuse points that are too many for an array of all their pairs."""
    check_fits(
        n_arrays * NUMBER * len(X) ** 2,
        f"an array of all pairs of {len(X)} points",
        "nearest_neighbors, or adaptive with n_neighbors, needs much less.",
    )
