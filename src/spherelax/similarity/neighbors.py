"""Neighbour graphs of points, and the neighbours of new points in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from spherelax.errors import InvalidInputError
from spherelax.settings import check_range
from spherelax.similarity.graph import NeighborGraph, Places
from spherelax.similarity.parts import checked_points, either, falling, positive
from spherelax.similarity.search import NEIGHBORS, nearest, searched

# Neighbours of each point, and which of them is as far as the scale of the point.
N_NEIGHBORS = 10
SCALE_NEIGHBOR = 7
# Features have different units if the widest one ranges over more than this multiple of what narrow
# ones do. The narrowest, a share of FEW, are left out: some vary little in one unit too.
MOST_UNEVEN = 6.0
FEW = 0.1
# Share of the points that lie where they are densest along a feature.
DENSEST = 0.25
# Principal components have a mean of zero, up to this share of their deviation.
CENTERED = 1e-3


def nearest_neighbors(
    X: ArrayLike,
    *,
    n_neighbors: int = N_NEIGHBORS,
    weights: str = "local",
    scale_neighbor: int = SCALE_NEIGHBOR,
    standardize: bool | str = "auto",
    search: str = "auto",
) -> sp.csr_array:
    """Return the graph that joins each point with its nearest neighbours, as CSR.

    Two points are joined if one is among the ``n_neighbors`` nearest of the other.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    n_neighbors : int
        Neighbours of each point; all the others where there are fewer.
    weights : {"local", "binary"}
        "local": ``exp(-d_ij^2 / (s_i s_j))``, s_i the distance to the ``scale_neighbor``-th
        neighbour; "binary": 1.
    scale_neighbor : int
        Which neighbour sets the local scale; at most ``n_neighbors``.
    standardize : bool or "auto"
        Whether to give all features the same standard deviation. "auto": only if they seem to be
        measurements in different units. They are taken for features of one unit, such as
        coordinates in space, pixels or frequencies of words, if none is more than six times as wide
        as narrow ones are, as a whole or where points are densest, or if they are principal
        components.
    search : {"auto", "exact", "approximate"}
        How neighbours are looked for. "approximate" finds nearly all of them, in much less time
        where points and features are many; it needs pynndescent. "auto": exact, unless that would
        take minutes and pynndescent is installed.

    Returns
    -------
    csr_array of shape (n_items, n_items)
        Symmetric similarities with an empty diagonal.

    Examples
    --------
    >>> nearest_neighbors([[0.0], [1.0], [5.0], [6.0]], n_neighbors=1, weights="binary").toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    return neighbor_graph(
        X,
        n_neighbors=n_neighbors,
        weights=weights,
        scale_neighbor=scale_neighbor,
        standardize=standardize,
        search=search,
    ).similarity


def neighbor_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = N_NEIGHBORS,
    weights: str = "local",
    scale_neighbor: int = SCALE_NEIGHBOR,
    standardize: bool | str = "auto",
    search: str = "auto",
) -> NeighborGraph:
    """Return :func:`nearest_neighbors` and :func:`local_scales` of points from one search.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    n_neighbors, weights, scale_neighbor, standardize, search
        As in :func:`nearest_neighbors`.

    Returns
    -------
    NeighborGraph
        What :func:`spherelax.solve` takes for points.

    Examples
    --------
    >>> import spherelax as sl
    >>> X = np.r_[np.arange(20.0), 100 + np.arange(20.0)][:, None]
    >>> sl.solve(neighbor_graph(X)).n_labels
    2
    """
    if weights not in ("local", "binary"):
        raise InvalidInputError(f"weights must be 'local' or 'binary'; found {weights!r}")
    check_range(NEIGHBORS, n_neighbors=n_neighbors, scale_neighbor=scale_neighbor)
    X = checked_points(X)
    shift, unit = _standard(X, standardize)
    found = searched((X - shift) / unit, max(n_neighbors, scale_neighbor), search)
    distances, neighbors = found.kneighbors()
    scales = positive(distances[:, min(scale_neighbor, distances.shape[1]) - 1])
    distances, neighbors = distances[:, :n_neighbors], neighbors[:, :n_neighbors]
    m, n = neighbors.shape
    rows, columns = np.repeat(np.arange(m), n), neighbors.ravel()
    values = np.ones(m * n)
    if weights == "local":
        s = positive(distances[:, min(scale_neighbor, n) - 1])
        values = falling(distances.ravel() ** 2 / (s[rows] * s[columns]))
    places = Places(found, shift, unit, scales, n_neighbors, scale_neighbor)
    return NeighborGraph(either(rows, columns, values, m), scales, places)


class NewNeighbors(NamedTuple):
    """The neighbours of new points among others, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_points, n_neighbors)
        Which of the others they are.
    similarity : ndarray of shape (n_points, n_neighbors)
        ``exp(-d_ij^2 / (s_i s_j))``, as in :func:`nearest_neighbors`.
    closeness : ndarray of shape (n_points,)
        The median scale of the neighbours over that of the point, at most 1: about 1 where the
        others are, near 0 far away from them.

    Examples
    --------
    >>> new_neighbors(neighbor_graph([[0.0], [1.0], [3.0]]).places, [[0.9]]).indices
    array([[1, 0]])
    """

    indices: NDArray[np.intp]
    similarity: NDArray[np.float64]
    closeness: NDArray[np.float64]


def new_neighbors(places: Places, X: ArrayLike) -> NewNeighbors:
    """Return the neighbours of new points among those of a neighbour graph.

    Parameters
    ----------
    places : Places
        The points of a neighbour graph.
    X : array-like of shape (n_points, n_features)
        New points.

    Returns
    -------
    NewNeighbors
        Their neighbours; no result depends on the other new points.

    Examples
    --------
    >>> places = neighbor_graph([[0.0], [1.0], [2.0], [3.0]]).places
    >>> new_neighbors(places, [[1.1], [100.0]]).closeness.round(2)
    array([1.  , 0.02])
    """
    X = np.asarray(check_array(X, dtype=np.float64, input_name="X"))
    distances, neighbors = places.search.kneighbors((X - places.shift) / places.unit)
    last = min(places.scale_neighbor, distances.shape[1]) - 1
    own = np.maximum(distances[:, last], places.scales.min())
    distances = distances[:, : places.n_neighbors]
    neighbors = neighbors[:, : places.n_neighbors]
    scales = places.scales[neighbors]
    closeness = np.minimum(np.median(scales, axis=1) / own, 1.0)
    return NewNeighbors(neighbors, falling(distances**2 / (own[:, None] * scales)), closeness)


def local_scales(
    X: ArrayLike, *, scale_neighbor: int = SCALE_NEIGHBOR, standardize: bool | str = "auto"
) -> NDArray[np.float64]:
    """Return the distance of each point to one of its nearest neighbours, never zero.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    scale_neighbor : int
        Which neighbour; the last one where there are fewer.
    standardize : bool or "auto"
        As in :func:`nearest_neighbors`.

    Returns
    -------
    ndarray of shape (n_items,)
        Distances; where it would be zero, because a point is repeated, the smallest positive one.

    Examples
    --------
    >>> local_scales([[0.0], [1.0], [3.0]], scale_neighbor=1)
    array([1., 1., 2.])
    """
    X = checked_points(X)
    shift, unit = _standard(X, standardize)
    return positive(nearest((X - shift) / unit, scale_neighbor)[0][:, -1])


def _standard(
    X: NDArray[np.float64], standardize: bool | str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what to take off the features and what to divide them by; 0 and 1 if not asked for."""
    if standardize not in (True, False, "auto"):
        raise InvalidInputError(f"standardize must be True, False or 'auto'; found {standardize!r}")
    n_features, mean, deviation = X.shape[1], X.mean(axis=0), X.std(axis=0)
    if standardize is False or (
        standardize == "auto" and (_are_components(mean, deviation) or _have_one_unit(X))
    ):
        return np.zeros(n_features), np.ones(n_features)
    return mean, np.where(deviation > 0, deviation, 1.0)


def _are_components(mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> bool:
    """Tell whether features look like principal components: centered, the widest first."""
    is_centered = bool(np.all(np.abs(mean) <= CENTERED * deviation))
    return is_centered and bool(np.all(np.diff(deviation) <= 0))


def _have_one_unit(X: NDArray[np.float64]) -> bool:
    """Tell whether features are as wide as each other, as a whole or where points are densest.

    Clusters that lie far apart along a feature make it wide, but not where points are densest.
    """
    return _are_even(np.ptp(X, axis=0)) or _are_even(_densest(X))


def _densest(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each feature the width of the narrowest interval with a part of the points."""
    n = len(X)
    some, rising = max(round(DENSEST * n), min(n, 2)), np.sort(X, axis=0)
    return np.asarray((rising[some - 1 :] - rising[: n - some + 1]).min(axis=0))


def _are_even(widths: NDArray[np.float64]) -> bool:
    """Tell whether widths are about the same, but for those of features that do not vary."""
    widths = widths[widths > 0]
    if len(widths) == 0:
        return True
    return bool(widths.max() <= MOST_UNEVEN * np.quantile(widths, FEW, method="lower"))
