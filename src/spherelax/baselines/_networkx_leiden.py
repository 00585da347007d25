"""Leiden community detection by networkx, whose licence is free: from release 3.7 on."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from spherelax.baselines._leiden import RESOLUTION, check_objective
from spherelax.baselines.face import Labels, clustering_problem, rival
from spherelax.labels import renumber
from spherelax.problem import Similarity
from spherelax.settings import check_range


def networkx_leiden(
    similarity: Similarity,
    *,
    objective: str = "modularity",
    resolution: float = 1.0,
    random_state: int = 0,
) -> Labels:
    """Find communities as :func:`leiden` does, without igraph and many times slower.

    Earlier releases of networkx have the name of the function and no code for it.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative; its diagonal is not used.
    objective : {"modularity", "CPM"}
        What is maximised.
    resolution : float
        Larger values make more communities.
    random_state : int
        Seed of the order in which items are visited.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> networkx_leiden(np.kron(np.eye(2), np.ones((3, 3))))  # doctest: +SKIP
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    check_range(RESOLUTION, resolution=resolution)
    check_objective(objective)
    W = clustering_problem(similarity).similarity
    networkx = rival("networkx", "networkx_leiden")
    graph = networkx.from_scipy_sparse_array(sp.triu(sp.coo_array(W), 1, format="csr"))
    try:
        found = networkx.community.leiden_communities(
            graph, metric=objective.lower(), resolution=resolution, seed=random_state
        )
    except NotImplementedError:
        raise ImportError(
            f"networkx_leiden needs networkx 3.7 or later; found {networkx.__version__}"
        ) from None
    labels = np.empty(W.shape[0], dtype=np.intp)
    for label, members in enumerate(found):
        labels[list(members)] = label
    return renumber(labels)
