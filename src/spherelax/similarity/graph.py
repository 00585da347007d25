"""Neighbour graphs of points, as `solve` takes them. Nothing slow to import is imported here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Places(NamedTuple):
    """Points that others are compared with: how to find them, and the distances between them.

    Attributes
    ----------
    search : NearestNeighbors or Approximate
        The points, standardized if they were, and what finds neighbours among them.
    shift, unit : ndarray of shape (n_features,)
        What is taken off the features of another point, and what they are divided by.
    scales : ndarray of shape (n_items,)
        As :func:`local_scales` returns them.
    n_neighbors, scale_neighbor : int
        As in :func:`nearest_neighbors`.

    Examples
    --------
    >>> from spherelax.similarity import neighbor_graph
    >>> neighbor_graph([[0.0], [1.0], [3.0]], n_neighbors=1).places.shift
    array([0.])
    """

    search: Any
    shift: NDArray[np.float64]
    unit: NDArray[np.float64]
    scales: NDArray[np.float64]
    n_neighbors: int
    scale_neighbor: int


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """A neighbour graph of points: similarities, and how far each point is from its neighbours.

    :func:`spherelax.solve` merges the labels of such a graph, unless the points between them are
    less dense.

    Attributes
    ----------
    similarity : csr_array of shape (n_items, n_items)
        As :func:`nearest_neighbors` returns it.
    scales : ndarray of shape (n_items,) or None
        As :func:`local_scales` returns them. None: all are equal.
    places : Places or None
        The points, to find the neighbours of others with :func:`new_neighbors`; `solve` does not
        need them.

    Examples
    --------
    >>> import spherelax as sl
    >>> X = np.r_[np.arange(20.0), 100 + np.arange(20.0)][:, None]
    >>> W, scales = sl.similarity.nearest_neighbors(X), sl.similarity.local_scales(X)
    >>> sl.solve(sl.similarity.NeighborGraph(W, scales)).n_labels
    2
    """

    similarity: Any = field(repr=False)
    scales: NDArray[np.float64] | None = field(default=None, repr=False)
    places: Places | None = field(default=None, repr=False)
