"""Clusters from a non-negative factorisation of the similarities."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF

from spherelax.baselines.face import Labels, clustering_problem, dense
from spherelax.errors import InvalidInputError
from spherelax.power.rounding import round_rows
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

COUNT = Range(1, integer=True)
LOSSES = "frobenius", "kullback-leibler"
# Below this share of nonzeros, the loss is found faster from them than from all entries.
SPARSE_SHARE = 0.05


def nmf(
    similarity: Similarity,
    n_clusters: int,
    *,
    loss: str = "frobenius",
    n_init: int = 5,
    max_iter: int = 500,
    tol: float = 1e-4,
    random_state: int = 0,
) -> Labels:
    """Cluster by non-negative matrix factorisation with multiplicative updates (Lee, Seung 2001).

    ``min loss(W, U H)`` over ``U >= 0`` with ``n_clusters`` columns and ``H >= 0``, where W is
    ``similarity``. Item i gets the label of the largest entry of row i of U, the rows of H being
    scaled to sum 1.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    n_clusters : int
        Number of columns of U; some of them may win no item.
    loss : {"frobenius", "kullback-leibler"}
        The squared distance, or the generalised divergence of Brunet et al. (2004), which is worse
        on random binary similarities.
    n_init : int
        Starts, of which the one of smallest loss is kept: one from singular vectors (Boutsidis and
        Gallopoulos 2008), the others random.
    max_iter, tol : int, float
        Most updates of each start, and the relative change of the loss at which they stop.
    random_state : int
        Seed of the starts.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> nmf(np.kron(np.eye(2), np.ones((3, 3))), 2)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    check_range(COUNT, n_init=n_init, max_iter=max_iter)
    if loss not in LOSSES:
        raise InvalidInputError(f"loss must be one of {LOSSES}; found {loss!r}")
    W = dense(clustering_problem(similarity, n_clusters))
    if np.count_nonzero(W) < SPARSE_SHARE * W.size:
        W = sp.csr_array(W)
    best = np.inf, np.empty(0)
    for start in range(n_init):
        model = NMF(
            n_clusters,
            init="random" if start else "nndsvda",
            solver="mu",
            beta_loss=loss,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state + start,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the updates may go on
            U = model.fit_transform(W)
        if model.reconstruction_err_ < best[0]:
            best = model.reconstruction_err_, U * model.components_.sum(axis=1)
    return round_rows(best[1])
