"""Affinity propagation: items exchange messages until some of them are chosen as exemplars."""

from __future__ import annotations

import warnings

import numpy as np
import sklearn.cluster
from numpy.typing import NDArray

from spherelax.baselines.face import Labels, Matrix, clustering_problem, dense
from spherelax.labels import renumber
from spherelax.problem import Similarity

# Messages that oscillate need more damping, but with strong damping they change so slowly that they
# may seem to have converged. So both values are tried. The larger one and the two numbers of
# iterations are those of the package that the paper's comparison uses (Bodenhofer et al. 2011).
DAMPINGS = 0.5, 0.9
STABLE_ITERATIONS, MAX_ITERATIONS = 100, 1000
# With equal similarities, such as binary ones, no exemplar is best. Noise of this size, relative
# to the largest similarity, decides. It is far larger than rounding errors and far smaller than any
# real difference.
NOISE = 1e-9


def affinity_propagation(similarity: Similarity, *, preference: float | None = None) -> Labels:
    """Cluster by affinity propagation (Frey and Dueck 2007), scikit-learn's implementation.

    ``max sum_i s(i, c_i)`` over assignments c of items to exemplars, where an exemplar is its own,
    ``c_(c_i) = c_i``: s(i, k) is ``similarity`` off the diagonal and ``preference`` on it, so that
    a larger preference makes more clusters. The similarity of an item with itself is not used.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    preference : float, optional
        By default the median of the similarities of different items. If half of them are equal to
        the largest, that would make each item its own exemplar; then the smallest is taken, the
        other choice of the paper, or 0 if all are equal.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels: the better ones of those with little and with much damping. Each item that is
        similar to no other has its own label.

    Examples
    --------
    >>> affinity_propagation(np.kron(np.eye(3), np.ones((4, 4))))
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """
    problem = clustering_problem(similarity)
    joined = np.flatnonzero(~problem.isolated)
    labels = np.arange(problem.n_items)
    if len(joined):
        S = dense(problem)
        if preference is None:
            preference = default_preference(S)
        labels[joined] = problem.n_items + _exemplars(S[np.ix_(joined, joined)], preference)
    return renumber(labels)


def default_preference(S: Matrix) -> float:
    """Return the median of the similarities of different items; less if it is the largest.

    Examples
    --------
    >>> default_preference(np.array([[9, 1, 2], [1, 9, 3], [2, 3, 9.0]]))
    2.0
    """
    pairs = S[np.triu_indices(len(S), 1)]
    choices = float(np.median(pairs)), float(pairs.min())
    return next((choice for choice in choices if choice < pairs.max()), 0.0)


def _exemplars(S: Matrix, preference: float) -> NDArray[np.intp]:
    """Return the exemplar of each item, the best of all dampings; if none is found, itself."""
    S += NOISE * S.max() * np.random.default_rng(0).standard_normal(S.shape)
    np.fill_diagonal(S, preference)
    items = np.arange(len(S))
    best = items
    for damping in DAMPINGS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that messages oscillate
            exemplars, labels = sklearn.cluster.affinity_propagation(
                S,
                preference=preference,
                damping=damping,
                convergence_iter=STABLE_ITERATIONS,
                max_iter=MAX_ITERATIONS,
                random_state=0,
            )
        if len(exemplars) and S[items, exemplars[labels]].sum() > S[items, best].sum():
            best = exemplars[labels]
    return best
