"""Spectrum: self-tuning spectral clustering that finds the number of clusters itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from spherelax.baselines.dip import dip
from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Labels, Matrix, clustering_problem, dense
from spherelax.baselines.laplacian import normalised_affinity, unit_rows
from spherelax.errors import InvalidInputError
from spherelax.labels import renumber
from spherelax.settings import Range, check_range
from spherelax.similarity import adaptive

CLUSTERS = Range(2, integer=True)
# Default settings of the published package: neighbours that each item keeps, and steps.
KEPT_NEIGHBORS, DIFFUSION_STEPS = 10, 4
# A drop of the dip counts as substantial from this share of the largest one. The half is the
# published default; that it is taken of the largest drop is our reading.
SUBSTANTIAL = 0.5
# Eigenvalues that differ by less, relative to the largest, differ by rounding only.
TIE = 1e-9
# Starts of the Gaussian mixture, of which the likeliest is kept.
STARTS = 10
# Added to variances: in a clean problem all rows of a cluster are the same.
LEAST_VARIANCE = 1e-6

# How many clusters there are, by the eigenvalues and eigenvectors.
Choice = Callable[[NDArray[np.float64], Matrix], int]


def spectrum(
    points: ArrayLike,
    *,
    choose: str = "multimodality",
    diffusion: bool = True,
    max_clusters: int = 10,
    affinity: str = "adaptive",
    random_state: int = 0,
) -> Labels:
    """Cluster by Spectrum (John, Watson, Barnes, Pitzalis and Lewis 2020), for one set of data.

    ``max trace(V' L V)`` over ``V' V = I`` with k columns, where ``L = D^-1/2 A D^-1/2``, A is the
    density-aware kernel of ``points``, diffused, and D its row sums. k is chosen from the
    eigenvalues or the eigenvectors of L, and a mixture of k Gaussians with diagonal covariances is
    fitted to the rows of V, scaled to length 1.

    Parameters
    ----------
    points : array-like of shape (n_items, n_features), or similarities (n_items, n_items)
        The input to cluster.
    choose : {"eigengap", "multimodality"}
        "eigengap": the k of the largest gap between eigenvalues k and k + 1; "multimodality": the
        last k at which the dip statistic falls substantially from eigenvector k to k + 1. Both
        start at k = 2.
    diffusion : bool
        Whether to let the similarities flow on the graph of nearest neighbours first, to reduce
        noise.
    max_clusters : int
        Largest k. The method never finds more clusters, and never only one.
    affinity : {"adaptive", "precomputed"}
        Whether ``points`` are points, of which :func:`spherelax.similarity.adaptive` makes the
        kernel, or similarities, whose diagonal is not used.
    random_state : int
        Seed of the starts of the mixture.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels; each item that is similar to no other has its own label.

    Examples
    --------
    >>> spectrum(np.kron(np.eye(3), np.ones((4, 4))), affinity="precomputed")
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """
    check_range(CLUSTERS, max_clusters=max_clusters)
    if choose not in CHOICES:
        raise InvalidInputError(f"choose must be one of {tuple(CHOICES)}; found {choose!r}")
    if affinity not in ("adaptive", "precomputed"):
        raise InvalidInputError(f"affinity must be 'adaptive' or 'precomputed'; found {affinity!r}")
    problem = clustering_problem(adaptive(points) if affinity == "adaptive" else points)
    joined = np.flatnonzero(~problem.isolated)
    labels = np.arange(problem.n_items)
    if len(joined):
        A = dense(problem)[np.ix_(joined, joined)]
        np.fill_diagonal(A, A.max())  # as in the kernel
        rows = embedding(diffused(A) if diffusion else A, max_clusters, CHOICES[choose])
        labels[joined] = problem.n_items + _mixture(rows, random_state)
    return renumber(labels)


def embedding(A: Matrix, max_clusters: int, choice: Choice) -> Matrix:
    """Return the rows of as many leading eigenvectors as are chosen, on the sphere.

    Examples
    --------
    >>> embedding(np.kron(np.eye(3), np.ones((4, 4))), 10, largest_gap).shape
    (12, 3)
    """
    n_pairs = min(max_clusters + 1, len(A))
    values, vectors = leading_eigenpairs(normalised_affinity(A), n_pairs)
    k = choice(values, vectors) if n_pairs > 2 else 2
    return unit_rows(vectors[:, :k])


def diffused(A: Matrix) -> Matrix:
    """Let similarities flow along the tensor product of the graph with itself (Shu, Latecki 2016).

    ``Q <- P Q P' + I``, a few times from ``Q = P``: P holds the largest similarities of each row,
    divided by their sum. The result is made symmetric.

    Examples
    --------
    >>> diffused(np.eye(2))
    array([[5., 0.],
           [0., 5.]])
    """
    m = len(A)
    n_kept = min(KEPT_NEIGHBORS, m)
    # Values equal to the last one that is kept stay, too, so that the order of items has no effect.
    least = np.partition(A, m - n_kept, axis=1)[:, m - n_kept]
    P = np.where(least[:, None] <= A, A, 0.0)
    P /= P.sum(axis=1, keepdims=True)
    Q = P
    for _ in range(DIFFUSION_STEPS):
        Q = P @ Q @ P.T
        np.fill_diagonal(Q, Q.diagonal() + 1.0)
    return np.asarray((Q + Q.T) / 2.0)


def largest_gap(values: NDArray[np.float64], _: Matrix) -> int:
    """Return the k > 1 of the largest gap between eigenvalues k and k + 1.

    Examples
    --------
    >>> largest_gap(np.array([1.0, 0.9, 0.8, 0.2, 0.1]), np.empty((9, 5)))
    3
    """
    return 2 + int(np.argmin(np.diff(values[1:])))


def last_drop(values: NDArray[np.float64], vectors: Matrix) -> int:
    """Return the last k > 1 at which the dip falls substantially to the next eigenvector.

    Eigenvectors of several eigenvalues that tie with the last one are an arbitrary basis, as beyond
    the clusters of a clean problem: they show no modes. Without any fall, k is 2.

    Examples
    --------
    >>> two, one = np.repeat([0.0, 1.0], 5), np.arange(10.0)
    >>> last_drop(np.array([1, 0.9, 0.8, 0.7, 0.6]), np.c_[one, two, two, one, one])
    3
    """
    tied = values <= values[-1] + TIE * values[0]
    arbitrary = tied if tied.sum() > 1 else np.zeros_like(tied)
    dips = [0.0 if skip else dip(v) for v, skip in zip(vectors.T, arbitrary, strict=True)]
    drops = -np.diff(dips[1:])
    if drops.max() <= 0:
        return 2
    return 2 + int(np.flatnonzero(drops >= SUBSTANTIAL * drops.max())[-1])


def _mixture(rows: Matrix, random_state: int) -> NDArray[np.intp]:
    """Label rows by the likeliest component of a mixture with as many as there are columns."""
    model = GaussianMixture(
        rows.shape[1],
        covariance_type="diag",
        reg_covar=LEAST_VARIANCE,
        n_init=STARTS,
        random_state=random_state,
    )
    with warnings.catch_warnings(), threadpool_limits(1):  # threads only get in the way here
        warnings.simplefilter("ignore")  # that there are fewer different rows than components
        return np.asarray(model.fit_predict(rows))


CHOICES: dict[str, Choice] = {"eigengap": largest_gap, "multimodality": last_drop}
