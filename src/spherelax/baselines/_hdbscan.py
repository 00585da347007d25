"""HDBSCAN: clusters that persist as the density threshold moves, scikit-learn's implementation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import HDBSCAN

from spherelax.baselines.face import Labels, points_or_distances
from spherelax.labels import separate
from spherelax.settings import Range, check_range

SIZE = Range(2, integer=True)


def hdbscan(points: ArrayLike, *, min_cluster_size: int = 5, affinity: str = "points") -> Labels:
    """Cluster by density (Campello, Moulavi and Sander 2013).

    ``max sum_c stability(c)`` over disjoint clusters c of the tree of single linkage, where a
    cluster has at least ``min_cluster_size`` items, and its stability is the sum over its items of
    the range of densities for which they stay in it. Distances are first raised to those of both
    items to their ``min_cluster_size``-th neighbour.

    Parameters
    ----------
    points : array-like of shape (n_items, n_features), or similarities (n_items, n_items)
        The input to cluster.
    min_cluster_size : int
        Size of the smallest cluster, at least 2.
    affinity : {"points", "precomputed"}
        Whether ``points`` are points, or similarities W, whose distances are ``max(W) - W``.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels; each item that belongs to no cluster has its own label.

    Examples
    --------
    >>> hdbscan(np.r_[np.arange(5), 100 + np.arange(5), 300].reshape(-1, 1))
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2], dtype=int32)
    """
    check_range(SIZE, min_cluster_size=min_cluster_size)
    X, isolated = points_or_distances(points, affinity)
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(min_cluster_size, len(X)),
        metric="euclidean" if affinity == "points" else "precomputed",
        copy=True,
    ).fit(X)
    return separate(np.maximum(model.labels_, 0), isolated | (model.labels_ < 0))
