"""MatchALS: a low-rank matrix of matches by alternating least squares (Zhou et al., ICCV 2015)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Pairs, dense, matching_problem
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

# Entries are in [0, 1] and are compared with 1/2 at the end; both residuals are root mean squares
# per row, and a thousandth of an entry each is far below what could move one across.
TOLERANCE = 1e-3
# The penalty starts near the weight of the nuclear norm, and is doubled or halved where one
# residual is this many times the other, the usual rule for this method of multipliers.
FIRST_PENALTY = 64.0
IMBALANCE = 10.0
# If r is too small for any X, the residuals do not become zero; the penalty must stay bounded.
LARGEST_PENALTY = 2.0**20
SMALLEST_PENALTY = 2.0**-20
# Single precision halves the memory and still has four digits more than the tolerance needs.
Single = NDArray[np.float32]


def match_als(
    similarity: Similarity,
    groups: Iterable[Hashable],
    universe: int,
    *,
    sparsity: float = 0.1,
    rank_weight: float = 50.0,
    rank_factor: float = 2.0,
    max_iterations: int = 500,
) -> Pairs:
    """Match items by a matrix that agrees with the similarities and has a small nuclear norm.

    With X = A B^T, A and B of r columns, the nuclear norm of X is the least of
    ``(|A|^2 + |B|^2) / 2``, and the problem is::

        minimise    -<W, X> + alpha <1, X> + lambda / 2 (|A|^2 + |B|^2)
        subject to  X = A B^T,  X = X^T,  0 <= X <= 1,  X_ii = I,

    where X_ii are the blocks of items of one group. The method of multipliers solves it: A and B
    by least squares in turn, X by projection. Entries of X over 1/2 are the matches; they need not
    be cycle consistent, nor one-to-one.

    Parameters
    ----------
    similarity : ndarray or sparse array of shape (n_items, n_items)
        W, symmetric and non-negative, with entries up to about 1.
    groups : sequence of n_items labels
        Group of each item.
    universe : int
        Number of different points; it sets r only.
    sparsity : float
        alpha, the similarity below which a match lowers the objective.
    rank_weight : float
        lambda.
    rank_factor : float
        r divided by ``universe``. With 1 the iteration often ends in a poor solution.
    max_iterations : int
        Steps after which it ends, converged or not.

    Returns
    -------
    ndarray of shape (n_matches, 2)
        Pairs of items, sorted, each with its smaller item first.

    Examples
    --------
    >>> W = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]])
    >>> match_als(W, groups=["a", "a", "b", "c"], universe=2)
    array([[0, 2],
           [1, 3],
           [2, 3]])
    """
    problem = matching_problem(similarity, groups, universe)
    check_range(Range(0), sparsity=sparsity)
    check_range(Range(0, low_open=True), rank_weight=rank_weight)
    check_range(Range(1), rank_factor=rank_factor)
    check_range(Range(1, integer=True), max_iterations=max_iterations)
    W, own = dense(problem), np.asarray(problem.groups)
    np.fill_diagonal(W, 1.0)
    rank = min(round(rank_factor * universe), len(W))
    X = relaxed_matches(
        W, own, rank=rank, alpha=sparsity, lam=rank_weight, max_iterations=max_iterations
    )
    return np.argwhere(np.triu(X > 0.5, 1))


def relaxed_matches(
    W: NDArray[np.float64],
    groups: NDArray[np.int32],
    *,
    rank: int,
    alpha: float,
    lam: float,
    max_iterations: int,
) -> Single:
    """Return X."""
    values, vectors = leading_eigenpairs(W, rank)
    A = (vectors * np.sqrt(np.maximum(values, 0.0))).astype(np.float32)
    gain = (W - alpha).astype(np.float32)
    gain[groups[:, None] == groups] = -np.inf  # clipped to 0: no matches inside a group
    X: Single = np.clip(gain + np.float32(alpha), 0.0, 1.0)
    np.fill_diagonal(X, 1.0)
    U = np.zeros_like(X)  # multipliers of X = A B^T, divided by the penalty
    penalty = FIRST_PENALTY
    for _ in range(max_iterations):
        target = X + U
        B = least_squares(target.T, A, lam / penalty)
        A = least_squares(target, B, lam / penalty)
        Z = A @ B.T
        np.subtract(Z, U, out=target)
        new = target + target.T
        new *= 0.5
        new += gain * np.float32(1.0 / penalty)
        np.clip(new, 0.0, 1.0, out=new)
        np.fill_diagonal(new, 1.0)
        X -= new
        moved = penalty * np.linalg.norm(X) / len(X)
        X = new
        np.subtract(X, Z, out=Z)
        U += Z
        apart = np.linalg.norm(Z) / len(X)
        if max(moved, apart) < TOLERANCE:
            break
        if apart > IMBALANCE * moved and penalty < LARGEST_PENALTY:
            penalty *= 2.0
            U *= 0.5
        elif moved > IMBALANCE * apart and penalty > SMALLEST_PENALTY:
            penalty *= 0.5
            U *= 2.0
    return X


def least_squares(target: Single, factor: Single, ridge: float) -> Single:
    """Return the A that minimises |target - A factor^T|^2 + ridge |A|^2."""
    gram = factor.T @ factor
    gram[np.diag_indices_from(gram)] += np.float32(ridge)
    solution: Single = np.linalg.solve(gram, (target @ factor).T).T
    return solution
