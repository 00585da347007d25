"""Two scikit-learn estimators: clustering of points or similarities, and multi-matching."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from spherelax import similarity
from spherelax._solve import solve
from spherelax.problem import InvalidInputError, check_settings
from spherelax.result import Callback, Result

AFFINITIES: Mapping[str, Callable[..., Any]] = {
    "adaptive": similarity.adaptive,
    "nearest_neighbors": similarity.nearest_neighbors,
    "rbf": similarity.rbf,
}


class _SphereEstimator(ClusterMixin, BaseEstimator):
    """What both estimators do with a similarity."""

    def _solve(self, W: Any, groups: Iterable[Hashable] | None, max_universe: int | None) -> Result:
        """Solve with the settings of the estimator and keep what both report."""
        self.result_ = solve(
            W,
            groups,
            solver=self.solver,
            max_universe=max_universe,
            alpha_step=self.alpha_step,
            n_inner=self.n_inner,
            delta_margin=self.delta_margin,
            kappa=self.kappa,
            eta_floor=self.eta_floor,
            callback=self.callback,
        )
        self.labels_: NDArray[np.int32] = self.result_.labels
        self.alpha_ = self.result_.alpha
        self.confidence_ = self.result_.confidence
        return self.result_

    def _checked_similarity(self, X: Any) -> Any:
        """Check what scikit-learn checks of pairwise input; `solve` checks the rest."""
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        check_non_negative(X, type(self).__name__)
        return X

    def _pairwise_tags(self) -> Any:
        """Say that X holds non-negative similarities of all pairs, dense or sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


class SphereClustering(_SphereEstimator):
    """Clustering that is not told the number of clusters.

    Points become similarities by ``affinity``; similarities become labels by
    :func:`spherelax.solve`.

    Parameters
    ----------
    affinity : {"adaptive", "nearest_neighbors", "rbf", "precomputed"} or callable
        How points become similarities: a kernel of :mod:`spherelax.similarity`; "precomputed" if
        X is itself a symmetric, non-negative similarity (dense or sparse); or a function that
        takes X and returns one.
    affinity_params : dict, optional
        Keyword arguments of the kernel or the function.
    max_clusters : int, optional
        Upper bound on the number of clusters; None takes one that is loose for the input.
    solver, alpha_step, n_inner, delta_margin, kappa, eta_floor, callback
        As in :func:`spherelax.solve`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Label of each sample, numbered in order of first appearance.
    n_clusters_ : int
        Number of clusters found.
    alpha_ : float
        Where on the path the labels come from.
    confidence_ : ndarray of shape (n_samples,)
        How much better each label is than the next best, in [0, 1].
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
    >>> X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    >>> SphereClustering().fit(X).n_clusters_
    3
    """

    def __init__(
        self,
        affinity: str | Callable[..., Any] = "adaptive",
        *,
        affinity_params: Mapping[str, Any] | None = None,
        max_clusters: int | None = None,
        solver: str = "power",
        alpha_step: float = 0.01,
        n_inner: int = 20,
        delta_margin: float = 0.0,
        kappa: float = 0.01,
        eta_floor: float = 1e-9,
        callback: Callback | None = None,
    ) -> None:
        self.affinity = affinity
        self.affinity_params = affinity_params
        self.max_clusters = max_clusters
        self.solver = solver
        self.alpha_step = alpha_step
        self.n_inner = n_inner
        self.delta_margin = delta_margin
        self.kappa = kappa
        self.eta_floor = eta_floor
        self.callback = callback

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
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
        if self.max_clusters is not None:
            check_settings(max_clusters=self.max_clusters)
        self.affinity_matrix_ = self._affinity(X)
        self.n_clusters_ = self._solve(self.affinity_matrix_, None, self.max_clusters).n_labels
        return self

    def _affinity(self, X: Any) -> Any:
        """Check X and turn it into similarities."""
        if isinstance(self.affinity, str) and self.affinity == "precomputed":
            return self._checked_similarity(X)
        if callable(self.affinity):
            kernel = self.affinity
        elif self.affinity in AFFINITIES:
            kernel = AFFINITIES[self.affinity]
        else:
            raise InvalidInputError(
                f"affinity must be one of {', '.join(AFFINITIES)}, precomputed or a function; "
                f"found {self.affinity!r}"
            )
        return kernel(validate_data(self, X, ensure_min_samples=2), **(self.affinity_params or {}))

    def __sklearn_tags__(self) -> Any:
        """Say whether X holds similarities or points."""
        precomputed = isinstance(self.affinity, str) and self.affinity == "precomputed"
        return self._pairwise_tags() if precomputed else super().__sklearn_tags__()


class SphereMatching(_SphereEstimator):
    """Multi-matching that is not told the size of the universe.

    Items of different objects that are the same thing get the same label, and no two items of one
    object do; all pairwise matchings that follow are cycle consistent.

    Parameters
    ----------
    max_universe : int, optional
        Upper bound on the number of different things; None takes one that is loose for the input.
    solver, alpha_step, n_inner, delta_margin, kappa, eta_floor, callback
        As in :func:`spherelax.solve`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Label of each item, numbered in order of first appearance.
    n_universe_ : int
        Number of different things found.
    alpha_ : float
        Where on the path the labels come from.
    confidence_ : ndarray of shape (n_samples,)
        How much better each label is than the next best, in [0, 1].
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
    >>> matching.n_universe_, len(matching.matches())
    (8, 92)
    """

    def __init__(
        self,
        *,
        max_universe: int | None = None,
        solver: str = "power",
        alpha_step: float = 0.01,
        n_inner: int = 20,
        delta_margin: float = 0.0,
        kappa: float = 0.01,
        eta_floor: float = 1e-9,
        callback: Callback | None = None,
    ) -> None:
        self.max_universe = max_universe
        self.solver = solver
        self.alpha_step = alpha_step
        self.n_inner = n_inner
        self.delta_margin = delta_margin
        self.kappa = kappa
        self.eta_floor = eta_floor
        self.callback = callback

    def fit(
        self,
        X: Any,
        y: object = None,  # noqa: ARG002 (scikit-learn's signature)
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Match the items whose similarities are X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_samples)
            Symmetric, non-negative similarities.
        y : object
            Ignored.
        groups : sequence of n_samples hashable labels, optional
            The object of each item, in any order. None: each item is an object of its own.

        Returns
        -------
        SphereMatching
            The estimator itself.
        """
        X = self._checked_similarity(X)
        objects = range(X.shape[0]) if groups is None else groups
        self.n_universe_ = self._solve(X, objects, self.max_universe).n_labels
        return self

    def matches(self) -> NDArray[np.intp]:
        """Return the pairs of items that share a label, cycle consistent, as rows i < j."""
        check_is_fitted(self)
        return self.result_.matches()

    def __sklearn_tags__(self) -> Any:
        """Say that X holds similarities."""
        return self._pairwise_tags()
