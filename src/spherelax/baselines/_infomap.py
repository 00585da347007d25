"""Infomap, by the package of its authors, which is optional: its licence is the GPL."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, clustering_problem, rival
from spherelax.labels import separate
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

TRIALS = Range(1, integer=True)
SEED = Range(0, integer=True)


def infomap(similarity: Similarity, *, n_trials: int = 10, random_state: int = 0) -> Labels:
    """Describe a random walk by modules in the fewest bits (Rosvall and Bergstrom 2008).

    ``min q H(Q) + sum_l p_l H(P_l)`` over labels l: q is the rate at which a walk along the
    similarities changes its label, H(Q) the entropy of the labels that it changes to, p_l the rate
    of steps inside label l or out of it, and H(P_l) their entropy.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative; its diagonal is not used.
    n_trials : int
        Number of starts, of which the best is kept.
    random_state : int
        Seed of the order in which items are visited.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> infomap(np.kron(np.eye(2), np.ones((3, 3))))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    check_range(TRIALS, n_trials=n_trials)
    check_range(SEED, random_state=random_state)
    problem = clustering_problem(similarity)
    package = rival("infomap", "infomap")
    network = package.Network.from_scipy_sparse_matrix(
        sp.csr_array(sp.triu(sp.coo_array(problem.similarity), 1), dtype=np.float64)
    )
    found = package.run(network, two_level=True, num_trials=n_trials, seed=random_state + 1)
    modules = found.modules()
    # An item without a link has no steps, so Infomap may put it anywhere.
    labels = np.array([modules.get(item, 0) for item in range(problem.n_items)])
    return separate(labels, problem.isolated)
