"""From points to similarities: Gaussian, nearest-neighbour and density-adaptive kernels.

All distances are Euclidean, all neighbour searches scikit-learn's; an item is not its own
neighbour. Kernels that return CSR never build an array of all pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array

from spherelax.errors import InvalidInputError
from spherelax.memory import NUMBER, check_fits
from spherelax.settings import Range, check_range

NEIGHBORS = Range(1, integer=True)
# Up to this number of features they are taken for coordinates in space, which are not scaled.
MOST_PLACES = 3
# More features have different units if the widest one ranges over more than this multiple of what
# the FEW narrowest ones do, as a share of all. Rare pixels and words are narrow in one unit too.
MOST_UNEVEN = 10.0
FEW = 0.1
# Principal components have a mean of zero, up to this share of their deviation.
CENTERED = 1e-3
MOST_FAR = 1e150
# Arrays of all pairs in memory at the peak: the kernel, and what its median distance needs.
KERNEL_ARRAYS, MEDIAN_ARRAYS = 1.1, 2.6


def rbf(X: ArrayLike, *, scale: float | str = "median", n_neighbors: int = 7) -> Any:
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
    X = _points(X)
    needs_median = isinstance(scale, str) and scale == "median"
    _check_pairs(X, MEDIAN_ARRAYS if needs_median else KERNEL_ARRAYS)
    squared = euclidean_distances(X, squared=True)
    if scale == "local":
        s = _positive(_neighbors(X, n_neighbors)[0][:, -1])
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
    return _kernel(squared)


def nearest_neighbors(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    weights: str = "local",
    scale_neighbor: int = 7,
    standardize: bool | str = "auto",
) -> Any:
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
        measurements in different units. Up to three features are taken for coordinates in space,
        and more for features of one unit, such as pixels or frequencies of words, if they range
        over about as much, or are principal components.

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
    ).similarity


class Places(NamedTuple):
    """Points that others are compared with: how to find them, and the distances between them.

    Attributes
    ----------
    search : NearestNeighbors
        The points, standardized if they were.
    shift, unit : ndarray of shape (n_features,)
        What is taken off the features of another point, and what they are divided by.
    scales : ndarray of shape (n_items,)
        As :func:`local_scales` returns them.
    n_neighbors, scale_neighbor : int
        As in :func:`nearest_neighbors`.

    Examples
    --------
    >>> neighbor_graph([[0.0], [1.0], [3.0]], n_neighbors=1).places.shift
    array([0.])
    """

    search: Any
    shift: NDArray[np.float64]
    unit: NDArray[np.float64]
    scales: NDArray[np.float64]
    n_neighbors: int
    scale_neighbor: int


class NeighborGraph(NamedTuple):
    """A neighbour graph: similarities, and the distance of each point to its neighbours.

    Attributes
    ----------
    similarity : csr_array of shape (n_items, n_items)
        As :func:`nearest_neighbors` returns it.
    scales : ndarray of shape (n_items,)
        As :func:`local_scales` returns them.
    places : Places
        The points, to find the neighbours of others with :func:`new_neighbors`.

    Examples
    --------
    >>> neighbor_graph([[0.0], [1.0], [3.0]], n_neighbors=1, scale_neighbor=1).scales
    array([1., 1., 2.])
    """

    similarity: Any
    scales: NDArray[np.float64]
    places: Places


def neighbor_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    weights: str = "local",
    scale_neighbor: int = 7,
    standardize: bool | str = "auto",
) -> NeighborGraph:
    """Return :func:`nearest_neighbors` and :func:`local_scales` of points from one search.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points.
    n_neighbors, weights, scale_neighbor, standardize
        As in :func:`nearest_neighbors`.

    Returns
    -------
    NeighborGraph
        ``similarity`` and ``scales``: what ``solve(similarity, pick="valleys", scales=scales)``
        takes.

    Examples
    --------
    >>> import spherelax as sl
    >>> X = np.r_[np.arange(20.0), 100 + np.arange(20.0)][:, None]
    >>> graph = neighbor_graph(X)
    >>> sl.solve(graph.similarity, pick="valleys", scales=graph.scales).n_labels
    2
    """
    if weights not in ("local", "binary"):
        raise InvalidInputError(f"weights must be 'local' or 'binary'; found {weights!r}")
    check_range(NEIGHBORS, n_neighbors=n_neighbors, scale_neighbor=scale_neighbor)
    X = _points(X)
    shift, unit = _standard(X, standardize)
    search = _search((X - shift) / unit, max(n_neighbors, scale_neighbor))
    distances, neighbors = search.kneighbors()
    scales = _positive(distances[:, min(scale_neighbor, distances.shape[1]) - 1])
    distances, neighbors = distances[:, :n_neighbors], neighbors[:, :n_neighbors]
    m, n = neighbors.shape
    rows, columns = np.repeat(np.arange(m), n), neighbors.ravel()
    values = np.ones(m * n)
    if weights == "local":
        s = _positive(distances[:, min(scale_neighbor, n) - 1])
        values = _kernel(distances.ravel() ** 2 / (s[rows] * s[columns]))
    places = Places(search, shift, unit, scales, n_neighbors, scale_neighbor)
    return NeighborGraph(_either(rows, columns, values, m), scales, places)


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
    return NewNeighbors(neighbors, _kernel(distances**2 / (own[:, None] * scales)), closeness)


def local_scales(
    X: ArrayLike, *, scale_neighbor: int = 7, standardize: bool | str = "auto"
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
    X = _points(X)
    shift, unit = _standard(X, standardize)
    return _positive(_neighbors((X - shift) / unit, scale_neighbor)[0][:, -1])


def adaptive(
    X: ArrayLike,
    *,
    scale_neighbor: int = 3,
    shared_neighbors: int = 7,
    n_neighbors: int | None = None,
) -> Any:
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
    X = _points(X)
    m = len(X)
    check_range(NEIGHBORS, scale_neighbor=scale_neighbor, shared_neighbors=shared_neighbors)
    if n_neighbors is not None:
        check_range(NEIGHBORS, n_neighbors=n_neighbors)
    distances, neighbors = _neighbors(X, max(scale_neighbor, shared_neighbors, n_neighbors or 1))
    s = _positive(distances[:, min(scale_neighbor, m - 1) - 1])
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
        return _kernel(squared)
    neighbors, distances = neighbors[:, :n_neighbors], distances[:, :n_neighbors]
    rows, columns = np.repeat(np.arange(m), neighbors.shape[1]), neighbors.ravel()
    common = np.asarray(shared[rows, columns]).ravel()
    values = _kernel(distances.ravel() ** 2 / (s[rows] * s[columns] * (common + 1.0)))
    return _either(rows, columns, values, m)


def _points(X: ArrayLike) -> NDArray[np.float64]:
    """Check points; scikit-learn raises most errors."""
    points = np.asarray(check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X"))
    if np.abs(points).max() > MOST_FAR:
        raise InvalidInputError(
            f"X must hold numbers up to {MOST_FAR:g}, whose squares are finite; "
            f"found {np.abs(points).max():.2g}"
        )
    return points


def _standard(
    X: NDArray[np.float64], standardize: bool | str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what to take off the features and what to divide them by; 0 and 1 if not asked for."""
    if standardize not in (True, False, "auto"):
        raise InvalidInputError(f"standardize must be True, False or 'auto'; found {standardize!r}")
    n_features, mean, deviation = X.shape[1], X.mean(axis=0), X.std(axis=0)
    if standardize is False or (
        standardize == "auto"
        and (n_features <= MOST_PLACES or _are_components(mean, deviation) or _are_even(X))
    ):
        return np.zeros(n_features), np.ones(n_features)
    return mean, np.where(deviation > 0, deviation, 1.0)


def _are_components(mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> bool:
    """Tell whether features look like principal components: centered, the widest first."""
    is_centered = bool(np.all(np.abs(mean) <= CENTERED * deviation))
    return is_centered and bool(np.all(np.diff(deviation) <= 0))


def _are_even(X: NDArray[np.float64]) -> bool:
    """Tell whether features range over about as much, but for those that do not vary."""
    ranges = np.ptp(X, axis=0)
    ranges = ranges[ranges > 0]
    return len(ranges) == 0 or bool(ranges.max() <= MOST_UNEVEN * np.quantile(ranges, FEW))


def _neighbors(
    X: NDArray[np.float64], n_neighbors: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return distances and indices of the nearest neighbours, nearest first."""
    distances, neighbors = _search(X, n_neighbors).kneighbors()
    return distances, neighbors


def _search(X: NDArray[np.float64], n_neighbors: int) -> Any:
    """Return what finds the nearest neighbours among points."""
    check_range(NEIGHBORS, n_neighbors=n_neighbors)
    n_neighbors = min(n_neighbors, len(X) - 1)
    check_fits(
        2 * NUMBER * len(X) * n_neighbors,
        f"{n_neighbors} neighbours of each of {len(X)} points",
        "Take a smaller n_neighbors.",
    )
    return NearestNeighbors(n_neighbors=n_neighbors).fit(X)


def _check_pairs(X: NDArray[np.float64], n_arrays: float) -> None:
    """Refuse points that are too many for an array of all their pairs."""
    check_fits(
        n_arrays * NUMBER * len(X) ** 2,
        f"an array of all pairs of {len(X)} points",
        "nearest_neighbors, or adaptive with n_neighbors, needs much less.",
    )


def _positive(s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace scales of zero, which repeated points have, by the smallest positive one."""
    smallest = s.min(where=s > 0, initial=np.inf)
    return np.where(s > 0, s, smallest if np.isfinite(smallest) else 1.0)


def _kernel(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(-scaled), computed in place."""
    np.negative(scaled, out=scaled)
    return np.exp(scaled, out=scaled)


def _either(
    rows: NDArray[np.intp], columns: NDArray[np.intp], values: NDArray[np.float64], m: int
) -> Any:
    """Join i and j if one is a neighbour of the other; the result is symmetric."""
    chosen = sp.csr_array((values, (rows, columns)), shape=(m, m))
    return chosen.maximum(chosen.T).tocsr()
