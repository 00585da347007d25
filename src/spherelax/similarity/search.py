"""The search for nearest neighbours: exact, or approximate where points are many.

In few dimensions, trees find the neighbours of all points quickly. In many, an exact search
compares every point with every other one. An approximate one (pynndescent) begins with some
neighbours and looks for nearer ones among their neighbours.
"""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.memory import NUMBER, check_fits
from spherelax.settings import Range, check_range

NEIGHBORS = Range(1, integer=True)
SEARCHES = "auto", "exact", "approximate"
# Up to this number of features scikit-learn has trees, which need not compare all points.
MOST_IN_TREES = 15
# Products of numbers in an exact search without trees that take one to two minutes on two
# processors: 100,000 points with 100 features.
MOST_PRODUCTS = 1e12
# So many times as many neighbours as are wanted are looked for: hardly one of these is missed.
SPARE = 3
# Numbers in a block of differences between points.
BLOCK = 1 << 22
SEED = 0

Found = tuple[NDArray[np.float64], NDArray[np.intp]]


def nearest(X: NDArray[np.float64], n_neighbors: int) -> Found:
    """Return distances and indices of the nearest neighbours, nearest first."""
    distances, neighbors = searched(X, n_neighbors).kneighbors()
    return distances, neighbors


def searched(
    X: NDArray[np.float64], n_neighbors: int, search: str = "auto"
) -> NearestNeighbors | Approximate:
    """Return what finds the nearest neighbours among points, by its method ``kneighbors``.

    Examples
    --------
    >>> type(searched(np.zeros((100, 50)), 10)).__name__
    'NearestNeighbors'
    """
    if search not in SEARCHES:
        raise InvalidInputError(f"search must be one of {', '.join(SEARCHES)}; found {search!r}")
    check_range(NEIGHBORS, n_neighbors=n_neighbors)
    n_neighbors = min(n_neighbors, len(X) - 1)
    is_approximate = search == "approximate" or (search == "auto" and _takes_long(X))
    check_fits(
        2 * NUMBER * len(X) * n_neighbors * (SPARE if is_approximate else 1),
        f"{n_neighbors} neighbours of each of {len(X)} points",
        "Take a smaller n_neighbors.",
    )
    if is_approximate:
        try:
            return Approximate(X, n_neighbors)
        except ImportError:
            if search == "approximate":
                raise
            warnings.warn(
                f"to compare {len(X):,} points with each other takes long; an approximate search "
                'does not: pip install "spherelax[neighbors]"',
                SphereWarning,
                stacklevel=4,
            )
    return NearestNeighbors(n_neighbors=n_neighbors).fit(X)


def _takes_long(X: NDArray[np.float64]) -> bool:
    """Tell whether an exact search takes minutes."""
    n_products = float(len(X)) ** 2 * X.shape[1]
    return bool(X.shape[1] > MOST_IN_TREES and n_products > MOST_PRODUCTS)


class Approximate:
    """Points whose neighbours are found by pynndescent, nearly all of them the nearest ones.

    The same points have the same neighbours each time. Distances are exact.
    """

    def __init__(self, X: NDArray[np.float64], n_neighbors: int) -> None:
        try:
            index = import_module("pynndescent").NNDescent
        except ImportError:
            raise ImportError(
                'an approximate search needs pynndescent: pip install "spherelax[neighbors]"'
            ) from None
        self.points, self.n_neighbors = X, n_neighbors
        # It computes in single precision.
        self.shift = X.mean(axis=0)
        self.unit = np.abs(X - self.shift).max() or 1.0
        self.n_found = min(SPARE * n_neighbors + 1, len(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # on points with too few: see _whole
            self.index = index(self._single(X), n_neighbors=self.n_found, random_state=SEED)

    def kneighbors(self, X: NDArray[np.float64] | None = None) -> Found:
        """Return distances and indices of the neighbours of new points, or of each other point."""
        if X is not None:
            # One by one: else what is found would depend on the other new points.
            every = [self.index.query(one, k=self.n_found)[0] for one in self._single(X)[:, None]]
            return self._nearest(X, self._whole(X, np.concatenate(every)))
        found = self._whole(self.points, self.index.neighbor_graph[0])
        # Nobody is its own neighbour. If a point did not find itself, its last place is left out.
        own = found == np.arange(len(found))[:, None]
        own[~own.any(axis=1), -1] = True
        return self._nearest(self.points, found[~own].reshape(len(found), -1))

    def _single(self, X: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return points so that single precision tells them apart as well as it can."""
        return np.asarray((X - self.shift) / self.unit, dtype=np.float32)

    def _whole(self, X: NDArray[np.float64], found: NDArray[np.int32]) -> NDArray[np.int32]:
        """Compare points with all others if too few were found, as it happens with equal points."""
        few = np.flatnonzero((found < 0).any(axis=1))
        if len(few) > 0:
            exact, found = NearestNeighbors(n_neighbors=self.n_found), found.copy()
            found[few] = exact.fit(self.points).kneighbors(X[few], return_distance=False)
        return found

    def _nearest(self, X: NDArray[np.float64], found: NDArray[np.int32]) -> Found:
        """Return the nearest of the neighbours that were found, and their distances."""
        distances = np.empty((len(X), self.n_neighbors))
        neighbors = np.empty((len(X), self.n_neighbors), dtype=np.intp)
        n_rows = max(1, BLOCK // (found.shape[1] * X.shape[1]))
        for first in range(0, len(X), n_rows):
            rows = slice(first, first + n_rows)
            away = np.linalg.norm(self.points[found[rows]] - X[rows, None], axis=2)
            order = np.argsort(away, axis=1, kind="stable")[:, : self.n_neighbors]
            distances[rows] = np.take_along_axis(away, order, axis=1)
            neighbors[rows] = np.take_along_axis(found[rows], order, axis=1)
        return distances, neighbors
