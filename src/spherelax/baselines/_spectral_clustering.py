"""Spectral clustering of Ng, Jordan and Weiss, rounded by k-means or by spherical k-means."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from spherelax.baselines._spherical_kmeans import spherical_kmeans
from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Labels, Matrix, clustering_problem, dense
from spherelax.baselines.laplacian import normalised_affinity, unit_rows
from spherelax.labels import renumber
from spherelax.problem import Similarity

# Starts of k-means, of which the best is kept.
STARTS = 10


def spectral_kmeans(similarity: Similarity, n_clusters: int, *, random_state: int = 0) -> Labels:
    """Cluster the rows of leading eigenvectors by k-means (Ng, Jordan and Weiss 2002).

    ``max trace(V' L V)`` over ``V' V = I`` with ``n_clusters`` columns, where
    ``L = D^-1/2 A D^-1/2``, A is ``similarity`` without its diagonal and D its row sums. The rows
    of V are scaled to length 1 and clustered.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    n_clusters : int
        Number of clusters.
    random_state : int
        Seed of the starts of k-means.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> spectral_kmeans(np.kron(np.eye(2), np.ones((3, 3))), 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    rows = embedding(similarity, n_clusters)
    with warnings.catch_warnings(), threadpool_limits(1):  # threads only get in the way here
        warnings.simplefilter("ignore")  # that there are fewer different rows than clusters
        model = KMeans(n_clusters, n_init=STARTS, random_state=random_state).fit(rows)
    return renumber(model.labels_)


def spectral_spherical_kmeans(
    similarity: Similarity, n_clusters: int, *, random_state: int = 0
) -> Labels:
    """Cluster the rows of leading eigenvectors by spherical k-means.

    As :func:`spectral_kmeans`, but the rows of V, which lie on the sphere, are clustered by the
    cosine similarity with their centres, which stay on it.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    n_clusters : int
        Number of clusters.
    random_state : int
        Seed of the starts of spherical k-means.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> spectral_spherical_kmeans(np.kron(np.eye(2), np.ones((3, 3))), 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    rows = embedding(similarity, n_clusters)
    return spherical_kmeans(rows, n_clusters, n_init=STARTS, random_state=random_state)


def embedding(similarity: Similarity, n_clusters: int) -> Matrix:
    """Return the rows of the leading eigenvectors of the normalised affinity, on the sphere.

    Examples
    --------
    >>> rows = embedding(np.kron(np.eye(2), np.ones((3, 3))), 2)
    >>> (rows @ rows.T).round(6).tolist()[0]
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    A = dense(clustering_problem(similarity, n_clusters))
    np.fill_diagonal(A, 0.0)
    return unit_rows(leading_eigenpairs(normalised_affinity(A), n_clusters)[1])
