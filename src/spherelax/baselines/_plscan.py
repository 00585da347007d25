"""PLSCAN: HDBSCAN that chooses the size of the smallest cluster; fast_plscan, which is optional."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spherelax.baselines.face import Labels, points_or_distances, rival
from spherelax.labels import separate
from spherelax.settings import Range, check_range

NEIGHBORS = Range(2, integer=True)
FEWEST = 3  # items that fast_plscan takes


def plscan(points: ArrayLike, *, min_samples: int = 5, affinity: str = "points") -> Labels:
    """Cluster by density at the most persistent smallest size (Bot, McInnes and Aerts 2025).

    ``max sum_c (t_c - s_c)`` over smallest sizes t, where c runs over the clusters that are leaves
    of the tree of :func:`hdbscan` at t, and are leaves from smallest size s_c to t_c.

    Parameters
    ----------
    points : array-like of shape (n_items, n_features), or similarities (n_items, n_items)
        The input to cluster.
    min_samples : int
        Distances are raised to those of both items to this neighbour, and the smallest size is at
        least this; at least 2.
    affinity : {"points", "precomputed"}
        Whether ``points`` are points, or similarities W, whose distances are ``2 max(W) - W``: no
        distance may be zero here, and only their order counts.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels; each item that belongs to no cluster has its own label.

    Examples
    --------
    >>> plscan(np.r_[np.arange(9) ** 1.1, 100 + np.arange(9) ** 1.1].reshape(-1, 1))
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1], dtype=int32)
    """
    check_range(NEIGHBORS, min_samples=min_samples)
    X, isolated = points_or_distances(points, affinity)
    fast_plscan = rival("fast_plscan", "plscan")
    if len(X) < FEWEST:
        return np.arange(len(X), dtype=np.int32)
    if affinity == "precomputed":
        X = X / (X.max() or 1.0) + 1.0
        np.fill_diagonal(X, 0.0)
    found = (
        fast_plscan.PLSCAN(
            min_samples=min(min_samples, len(X) - 1),
            metric="euclidean" if affinity == "points" else "precomputed",
            num_threads=1,
        )
        .fit(X.astype(np.float32))
        .labels_
    )
    return separate(np.maximum(found, 0), isolated | (found < 0))
