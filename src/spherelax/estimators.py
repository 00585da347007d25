"""Two scikit-learn estimators: clustering of points or similarities, and multi-matching."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from spherelax import similarity
from spherelax._solve import solve
from spherelax.coordinate.kinds import has_floor
from spherelax.errors import InvalidInputError
from spherelax.labels import Labels
from spherelax.problem import Matrix, Problem, Similarity
from spherelax.result import Prediction, Result
from spherelax.settings import Coordinate, Power, solver_settings

if TYPE_CHECKING:
    from sklearn.utils import Tags

AFFINITIES: Mapping[str, Callable[..., Any]] = {
    "nearest_neighbors": similarity.neighbor_graph,
    "adaptive": similarity.adaptive,
    "rbf": similarity.rbf,
}
# Parameters that are arguments of `solve`.
GIVEN = ("solver", "pick", "n_jobs")


class _SphereEstimator(ClusterMixin, BaseEstimator):
    """Base of both estimators: solves a similarity and sets the fitted attributes."""

    def _solve(self, W: Matrix, groups: Iterable[Hashable] | None, **others: Any) -> Result:
        """Solve with the parameters of the estimator and others, and set the fitted attributes."""
        n_items = (W.similarity if isinstance(W, similarity.NeighborGraph) else W).shape[0]
        start = self._start(n_items)
        if start is None:
            given = {name: getattr(self, name) for name in GIVEN}
            self.result_ = solve(W, groups, **given, **others)
        else:
            self.result_ = start.extend(W, groups)
        self.labels_: Labels = self.result_.labels
        self.resolution_ = self.result_.resolution
        return self.result_

    @property
    def confidence_(self) -> NDArray[np.float64]:
        """How likely the label of each sample is right; computed when it is asked for."""
        return self.result_.confidence

    def _start(self, n_items: int) -> Result | None:
        """Return the last result if warm_start adds the items to it, otherwise None."""
        if not self.warm_start:
            return None
        if isinstance(solver_settings(self.solver), Power):
            raise InvalidInputError("warm_start needs solver='coordinate'; found solver='power'")
        last: Result | None = getattr(self, "result_", None)
        return last if last is not None and len(last.labels) <= n_items else None

    def _checked_similarity(self, X: Similarity) -> Matrix:
        """Run the checks of scikit-learn for pairwise input; `solve` checks the rest."""
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        if not self._takes_odds():
            check_non_negative(X, type(self).__name__)
        return X

    def _takes_odds(self) -> bool:
        """Tell whether X holds log odds, which may be negative."""
        return False

    def _pairwise_tags(self) -> Tags:
        """Set the tags: X holds similarities of all pairs, dense or sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = not self._takes_odds()
        tags.input_tags.sparse = True
        return tags


def _has_places(estimator: SphereClustering) -> bool:
    """Tell whether new points have neighbours: only with the affinity "nearest_neighbors"."""
    return estimator._is_affinity("nearest_neighbors")


class SphereClustering(_SphereEstimator):
    """Clustering that finds the number of clusters.

    ``affinity`` turns points into similarities; :func:`spherelax.solve` turns similarities into
    labels. They are always taken for a graph: two samples without a similarity are not alike. If
    every sample is joined to its nearest ones, they are taken for a neighbour graph.

    Parameters
    ----------
    affinity : {"nearest_neighbors", "adaptive", "rbf", "precomputed"} or callable
        How points become similarities: the name of a kernel of :mod:`spherelax.similarity`;
        "precomputed" if X is already a symmetric, non-negative similarity (dense or sparse); or a
        function that takes X and returns one.
    affinity_params : dict, optional
        Keyword arguments of the kernel or the function.
    solver : {"coordinate", "power"}, Coordinate or Power
        As in :func:`spherelax.solve`.
    pick : {"description", "eta", "stability"} or float, optional
        As in :func:`spherelax.solve`. With the affinity "nearest_neighbors" and the coordinate
        solver it is best left None: labels are then merged, unless the points between them are less
        dense. Other picks cut a cluster of a neighbour graph into pieces.
    n_jobs
        As in :func:`spherelax.solve`.
    warm_start : bool
        Whether `fit` continues from the labels of the last `fit`, whose samples must be the first
        ones of X. More samples, and new similarities, are added at the same resolution without a
        new sweep. If X has fewer samples than before, a new sweep is made.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Label of each sample, numbered in order of first appearance.
    n_clusters_ : int
        Number of clusters found.
    resolution_ : float
        Where on the path the labels come from: higher is finer.
    confidence_ : ndarray of shape (n_samples,)
        How likely each label is right, as in :class:`spherelax.Result`.
    affinity_matrix_ : ndarray or sparse array of shape (n_samples, n_samples)
        The similarities.
    result_ : Result
        All of that and the whole path: ``result_.with_n_labels(3).labels``.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spherelax import SphereClustering
    >>> X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=4)
    >>> SphereClustering().fit(X).n_clusters_
    3

    A collection that grows:

    >>> model = SphereClustering(warm_start=True).fit(X[:80])
    >>> before = model.labels_
    >>> bool((model.fit(X).labels_[:80] == before).all()), model.n_clusters_
    (True, 3)
    """

    def __init__(
        self,
        affinity: str | Callable[..., Matrix] = "nearest_neighbors",
        *,
        affinity_params: Mapping[str, Any] | None = None,
        solver: str | Coordinate | Power = "coordinate",
        pick: str | float | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.affinity = affinity
        self.affinity_params = affinity_params
        self.solver = solver
        self.pick = pick
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    def fit(self, X: Similarity, y: object = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points; or similarities of shape (n_samples, n_samples) if affinity is "precomputed".
        y : object
            Ignored.

        Returns
        -------
        SphereClustering
            The estimator itself.
        """
        graph = self._affinity(X)
        if isinstance(graph, similarity.NeighborGraph):
            self.affinity_matrix_ = graph.similarity
            self._places: Any = graph.places
            result = self._solve(graph, None)
        else:
            self.affinity_matrix_ = graph
            result = self._solve(graph, None, kind=self._kind())
        self.n_clusters_ = result.n_labels
        return self

    @available_if(_has_places)
    def predict(self, X: ArrayLike) -> Labels:
        """Return the labels of new points, those of their nearest neighbours.

        Every point gets the label of a cluster, as from scikit-learn's ``KMeans``; outliers have a
        low confidence, which :meth:`predict_with_confidence` returns too. Nothing is fitted anew.
        Only with the affinity "nearest_neighbors".

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_points,)
            Labels. A fitted point nearly always gets its own label, but near a border it may get
            that of its neighbours.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=4)
        >>> model = SphereClustering().fit(X[:80])
        >>> bool((model.predict(X[:80]) == model.labels_).all())
        True
        """
        prediction: Prediction = self.predict_with_confidence(X)
        return prediction.labels

    @available_if(_has_places)
    def predict_with_confidence(self, X: ArrayLike) -> Prediction:
        """Return the labels of new points and how sure they are.

        The label is the one with the largest summed similarity to the nearest fitted points. The
        confidence is the share that this has of the similarity to all of them, times the closeness:
        the median scale of these points (distance to their seventh neighbour) over that of the new
        one, at most 1. So it is near 1 inside a cluster, about one half at a border, and near 0 for
        an outlier, which HDBSCAN's ``approximate_predict`` would give the label -1.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Points.

        Returns
        -------
        Prediction
            ``labels`` and ``confidence``.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=4)
        >>> inside, far = X[0], [100.0, 100.0]
        >>> SphereClustering().fit(X).predict_with_confidence([inside, far]).confidence.round(1)
        array([0.8, 0. ])
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        near = similarity.new_neighbors(self._places, X)
        n_points, n_labels = len(near.indices), self.n_clusters_
        place = self.labels_[near.indices] + n_labels * np.arange(n_points)[:, None]
        sums = np.bincount(
            place.ravel(), weights=near.similarity.ravel(), minlength=n_points * n_labels
        ).reshape(n_points, n_labels)
        total = sums.sum(axis=1)
        share = np.divide(sums.max(axis=1), total, out=np.zeros(n_points), where=total > 0)
        return Prediction(sums.argmax(axis=1).astype(np.int32), share * near.closeness)

    def _kind(self) -> str:
        """Say what the similarities are: always a graph, and precomputed may be a neighbour one."""
        is_given = self._is_affinity("precomputed")
        problem = Problem.check(self.affinity_matrix_) if is_given else None
        return "neighbors" if problem is not None and has_floor(problem) else "graph"

    def _is_affinity(self, name: str) -> bool:
        """Tell whether the affinity has this name; it may also be a function."""
        return isinstance(self.affinity, str) and self.affinity == name

    def _affinity(self, X: Any) -> Any:
        """Check X; return similarities, as a NeighborGraph if they are one."""
        if self._is_affinity("precomputed"):
            return self._checked_similarity(X)
        kernel = AFFINITIES.get(self.affinity) if isinstance(self.affinity, str) else self.affinity
        if not callable(kernel):
            raise InvalidInputError(
                f"affinity must be one of {', '.join(AFFINITIES)}, precomputed or a function; "
                f"found {self.affinity!r}"
            )
        return kernel(validate_data(self, X, ensure_min_samples=2), **self.affinity_params or {})

    def __sklearn_tags__(self) -> Tags:
        """Set the tags: whether X holds similarities or points."""
        pairwise = self._is_affinity("precomputed")
        return self._pairwise_tags() if pairwise else super().__sklearn_tags__()


class SphereMatching(_SphereEstimator):
    """Multi-matching that finds the number of different things.

    Items of different groups that are the same thing get the same label; two items of one group
    never do. The matches are cycle consistent: if i matches j and j matches l, then i matches l.

    Parameters
    ----------
    kind : {"graph", "neighbors", "pairs", "odds", "information"}, optional
        What the similarities are, as in :func:`spherelax.solve`. Only "odds" may be negative.
    one_per_group : {"always", "unless_copies"}
        Whether every group holds each thing once, as in :func:`spherelax.solve`.
    solver, pick, n_jobs
        As in :func:`spherelax.solve`.
    warm_start : bool
        Whether `fit` continues from the labels of the last `fit`, whose items must be the first
        ones of X. More items, and new similarities, are added at the same resolution without a new
        sweep. If X has fewer items than before, a new sweep is made.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Label of each item, numbered in order of first appearance.
    n_labels_ : int
        Number of different things found.
    resolution_ : float
        Where on the path the labels come from: higher is finer.
    confidence_ : ndarray of shape (n_samples,)
        How likely each label is right, as in :class:`spherelax.Result`.
    result_ : Result
        All of that and the whole path.
    n_features_in_ : int
        Number of items.

    Examples
    --------
    >>> from spherelax import SphereMatching
    >>> from spherelax.datasets import make_partial_matching
    >>> W, groups, truth = make_partial_matching(10, 8, shuffled=0.2, random_state=0)
    >>> matching = SphereMatching().fit(W, groups=groups)
    >>> matching.n_labels_, len(matching.matches())
    (8, 92)

    A collection that grows by one group:

    >>> known = groups < groups.max()
    >>> matching = SphereMatching(warm_start=True).fit(W[known][:, known], groups=groups[known])
    >>> matching.fit(W, groups=groups).n_labels_
    8
    """

    def __init__(
        self,
        *,
        kind: str | None = None,
        one_per_group: str = "always",
        solver: str | Coordinate | Power = "coordinate",
        pick: str | float | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.kind = kind
        self.one_per_group = one_per_group
        self.solver = solver
        self.pick = pick
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    def fit(
        self,
        X: Similarity,
        y: object = None,  # noqa: ARG002 (scikit-learn's signature)
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Match the items whose similarities are X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_samples)
            Symmetric similarities, not negative unless they are log odds.
        y : object
            Ignored.
        groups : sequence of n_samples hashable labels, optional
            The group of each item, in any order, such as the image of a keypoint. Items of one
            group never share a label. None: no groups.

        Returns
        -------
        SphereMatching
            The estimator itself.
        """
        X = self._checked_similarity(X)
        objects = range(X.shape[0]) if groups is None else groups
        given = {"kind": self.kind, "one_per_group": self.one_per_group}
        self.n_labels_ = self._solve(X, objects, **given).n_labels
        return self

    def matches(self) -> NDArray[np.intp]:
        """Return the pairs of items that share a label, cycle consistent, as rows i < j."""
        check_is_fitted(self)
        return self.result_.pairs().items

    def _takes_odds(self) -> bool:
        """Tell whether X holds log odds, which may be negative."""
        return self.kind == "odds"

    def __sklearn_tags__(self) -> Tags:
        """Set the tags: X holds similarities."""
        return self._pairwise_tags()
