"""Markov clustering: flow on a graph is spread and concentrated in turn until it is constant."""

from __future__ import annotations

import scipy.sparse as sp

from spherelax.baselines.face import Labels, clustering_problem
from spherelax.labels import renumber
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

INFLATION = Range(1, low_open=True)
# Flow below this is dropped, so that columns stay sparse.
PRUNED_BELOW = 1e-4
# Flow stops when none changes by more; pruning makes smaller changes meaningless.
TOLERANCE = 1e-6
MAX_ITERATIONS = 100


def markov_clustering(similarity: Similarity, *, inflation: float = 2.0) -> Labels:
    """Cluster by simulated flow (van Dongen 2000).

    ``M <- N((M M)^inflation)``, repeated until nothing changes: the power is entry by entry, N
    divides each column by its sum, and M starts as ``N(W + I)``, W the ``similarity``. Flow ends in
    few rows, and items whose flow meets share a label.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    inflation : float
        More than 1; larger values make more clusters.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> import numpy as np
    >>> markov_clustering(np.kron(np.eye(2), np.ones((3, 3))))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    check_range(INFLATION, inflation=inflation)
    W = clustering_problem(similarity).similarity
    flow = _normalised(sp.csc_array(W, dtype=float) + sp.eye_array(W.shape[0], format="csc"))
    for _ in range(MAX_ITERATIONS):
        before = flow
        flow = _normalised((flow @ flow).power(inflation))
        flow.data[flow.data < PRUNED_BELOW] = 0.0
        flow.eliminate_zeros()
        flow = _normalised(flow)
        if abs(flow - before).max() <= TOLERANCE:
            break
    return renumber(sp.csgraph.connected_components(flow, directed=False)[1])


def _normalised(flow: sp.csc_array) -> sp.csc_array:
    """Divide each column by its sum."""
    return sp.csc_array(flow @ sp.diags_array(1.0 / flow.sum(axis=0)))
