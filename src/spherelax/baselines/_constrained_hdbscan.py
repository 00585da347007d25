"""HDBSCAN whose clusters hold no two items of a group: fast_hdbscan, which is optional."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, matching_problem, rival
from spherelax.labels import separate
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

SIZE = Range(2, integer=True)


def constrained_hdbscan(
    similarity: Similarity, groups: Iterable[Hashable], *, min_cluster_size: int = 2
) -> Labels:
    """Cluster by density, with groups that cannot link (fast_hdbscan 0.3).

    As :func:`hdbscan`, with distances ``max(W) - W`` between the items that are similar. Single
    linkage leaves out an edge that would join two items of a group, so what it makes is a forest.
    No neighbours are needed to be a core point: entities may be pairs.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items labels
        Group of each item.
    min_cluster_size : int
        Size of the smallest cluster, at least 2.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels; each item that belongs to no cluster has its own label.

    Examples
    --------
    >>> W = [[0, 0, 0.9, 0], [0, 0, 0.4, 0.8], [0.9, 0.4, 0, 0], [0, 0.8, 0, 0]]
    >>> constrained_hdbscan(W, ["a", "a", "b", "c"])
    array([0, 1, 0, 1], dtype=int32)
    """
    check_range(SIZE, min_cluster_size=min_cluster_size)
    problem = matching_problem(similarity, groups)
    fast_hdbscan = rival("fast_hdbscan", "constrained_hdbscan")
    W = sp.coo_array(problem.similarity)
    between = (W.row != W.col) & (W.data > 0)
    row, col, weight = W.row[between], W.col[between], W.data[between].astype(np.float64)
    distances = sp.csr_matrix(
        (weight.max(initial=0.0) - weight, (row, col)), shape=W.shape
    )  # a distance of zero is stored, and is not the same as none
    found = (
        fast_hdbscan.HDBSCAN(
            min_cluster_size=min_cluster_size,
            min_samples=1,
            metric="precomputed",
            algorithm="kruskal",
            cannot_link_groups=np.asarray(problem.groups, dtype=np.int32),
            allow_single_cluster=True,
        )
        .fit(distances)
        .labels_
    )
    return separate(np.maximum(found, 0), found < 0)
