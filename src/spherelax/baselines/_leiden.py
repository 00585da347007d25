"""Leiden community detection by igraph, which is optional: its licence is the GPL."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, clustering_problem, rival
from spherelax.errors import InvalidInputError
from spherelax.labels import renumber
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

if TYPE_CHECKING:
    from igraph import Graph

OBJECTIVES = "modularity", "CPM"
RESOLUTION = Range(0)


def leiden(
    similarity: Similarity,
    *,
    objective: str = "modularity",
    resolution: float = 1.0,
    n_iterations: int = -1,
    random_state: int = 0,
) -> Labels:
    """Find communities by the Leiden algorithm (Traag, Waltman and van Eck 2019).

    ``max sum_(i<j) (W_ij - g P_ij) [l_i = l_j]`` over labels l, where W is ``similarity`` without
    its diagonal and g the ``resolution``. For modularity ``P_ij = d_i d_j / sum(d)`` with row sums
    d; for CPM, the constant Potts model, it is 1.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    objective : {"modularity", "CPM"}
        What is maximised.
    resolution : float
        Larger values make more communities. 1 is the plain modularity; for CPM it is the density
        above which items belong together, and no value fits all problems.
    n_iterations : int
        Rounds of the algorithm; negative: until one changes nothing.
    random_state : int
        Seed of the order in which items are visited.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> leiden(np.kron(np.eye(2), np.ones((3, 3))))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    return leiden_of_graph(
        leiden_graph(similarity),
        objective=objective,
        resolution=resolution,
        n_iterations=n_iterations,
        random_state=random_state,
    )


def leiden_graph(similarity: Similarity) -> Graph:
    """Build igraph's graph of a similarity, with its weights, for :func:`leiden_of_graph`.

    Examples
    --------
    >>> leiden_graph([[0, 0.5], [0.5, 0]]).es["weight"]
    [0.5]
    """
    W = clustering_problem(similarity).similarity
    upper = sp.triu(sp.coo_array(W), 1).tocoo()
    graph: Graph = rival("igraph", "leiden").Graph(n=W.shape[0], edges=np.c_[upper.row, upper.col])
    graph.es["weight"] = upper.data.astype(float).tolist()
    return graph


def leiden_of_graph(
    graph: Graph, *, objective: str, resolution: float, n_iterations: int, random_state: int
) -> Labels:
    """Run :func:`leiden` on a graph of :func:`leiden_graph`.

    Examples
    --------
    >>> graph = leiden_graph(np.kron(np.eye(2), np.ones((3, 3))))
    >>> leiden_of_graph(graph, objective="CPM", resolution=0.5, n_iterations=2, random_state=0)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    check_range(RESOLUTION, resolution=resolution)
    check_objective(objective)
    igraph = rival("igraph", "leiden")
    igraph.set_random_number_generator(random.Random(random_state))
    try:
        found = graph.community_leiden(
            objective_function=objective,
            weights="weight",
            resolution=resolution,
            n_iterations=n_iterations,
        )
    finally:
        igraph.set_random_number_generator(random)  # igraph's own choice
    return renumber(np.array(found.membership))


def check_objective(objective: str) -> None:
    """Raise an error if an objective is not one of those that Leiden can maximise."""
    if objective not in OBJECTIVES:
        raise InvalidInputError(f"objective must be one of {OBJECTIVES}; found {objective!r}")
