"""Spherical k-means: clusters of directions by cosine similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from spherelax.baselines.face import Labels, Matrix
from spherelax.baselines.laplacian import unit_rows
from spherelax.labels import renumber
from spherelax.settings import Range, check_range

COUNT = Range(1, integer=True)
# Gains of the objective below this share of it are rounding errors.
SMALLEST_GAIN = 1e-12


def spherical_kmeans(
    X: ArrayLike,
    n_clusters: int,
    *,
    n_init: int = 10,
    max_iter: int = 100,
    random_state: int = 0,
) -> Labels:
    """Cluster the directions of points (Dhillon and Modha 2001).

    ``max sum_i x_i . c_(l_i)`` over labels l and unit vectors c_1 .. c_k, where x_i are the rows of
    ``X`` scaled to length 1 and k is ``n_clusters``. Labels and centres are optimised in turn; each
    step raises the objective. A cluster that loses all points gets the point that is farthest from
    its centre.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Points; one at the origin has no direction and may get any label.
    n_clusters : int
        Number of clusters, at most n_items.
    n_init : int
        Starts, of which the best is kept. The centres are drawn from the points one by one, with
        probabilities in proportion to ``1 - cos`` to the nearest centre so far: k-means++
        (Arthur and Vassilvitskii 2007) on the sphere.
    max_iter : int
        Most steps of each start.
    random_state : int
        Seed of the starts.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> spherical_kmeans([[1, 0], [9, 1], [0, 2], [1, 9]], 2)
    array([0, 0, 1, 1], dtype=int32)
    """
    X = unit_rows(check_array(X, dtype=np.float64, input_name="X"))
    check_range(Range(1, len(X), high_open=False, integer=True), n_clusters=n_clusters)
    check_range(COUNT, n_init=n_init, max_iter=max_iter)
    rng = np.random.default_rng(random_state)
    best: tuple[float, NDArray[np.intp]] = -1.0, np.zeros(len(X), dtype=np.intp)
    for _ in range(n_init):
        objective, labels = climb(X, spread_centres(X, n_clusters, rng), max_iter)
        if objective > best[0] + SMALLEST_GAIN * len(X):
            best = objective, labels
    return renumber(best[1])


def climb(X: Matrix, centres: Matrix, max_iter: int) -> tuple[float, NDArray[np.intp]]:
    """Improve labels and centres in turn; return the objective and the labels.

    Examples
    --------
    >>> climb(np.eye(2), np.eye(2), max_iter=9)
    (2.0, array([0, 1]))
    """
    k = len(centres)
    objective = -np.inf
    for _ in range(max_iter):
        cosines = X @ centres.T
        labels = cosines.argmax(axis=1)
        _refill(labels, cosines[np.arange(len(X)), labels], k)
        sums = (labels == np.arange(k)[:, None]).astype(float) @ X
        before, objective = objective, float(np.linalg.norm(sums, axis=1).sum())
        if objective <= before + SMALLEST_GAIN * len(X):
            break
        centres = unit_rows(sums)
    return objective, labels


def spread_centres(X: Matrix, k: int, rng: np.random.Generator) -> Matrix:
    """Draw k different points at random; points far from those before are more likely.

    Examples
    --------
    >>> spread_centres(np.eye(2), 2, np.random.default_rng(0)).sum(axis=0)
    array([1., 1.])
    """
    chosen = [int(rng.integers(len(X)))]
    far = 1.0 - X @ X[chosen[0]]
    for _ in range(1, k):
        far[chosen] = 0.0
        weights = np.maximum(far, 0.0)
        if weights.sum() <= 0:
            weights = np.ones(len(X))
            weights[chosen] = 0.0
        chosen.append(int(rng.choice(len(X), p=weights / weights.sum())))
        far = np.minimum(far, 1.0 - X @ X[chosen[-1]])
    return X[chosen]


def _refill(labels: NDArray[np.intp], served: NDArray[np.float64], k: int) -> None:
    """Give each empty cluster the point farthest from its centre, in place.

    The point is taken from a cluster with several points. Alone it adds 1 to the objective, and
    its old cluster loses at most 1.
    """
    sizes = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(sizes == 0):
        worst = np.argmin(np.where(sizes[labels] > 1, served, np.inf))
        sizes[labels[worst]] -= 1
        labels[worst], served[worst] = empty, 1.0
        sizes[empty] = 1
