"""MatchLift: the matrix of matches by semidefinite programming (Chen, Guibas, Huang, ICML 2014)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from spherelax.baselines.blocks import match_blocks
from spherelax.baselines.face import Matrix, Pairs, dense, matching_problem
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

# Entries are in [0, 1] and are compared with THRESHOLD at the end; both residuals are root mean
# squares per row, and a thousandth of an entry each is far below what could move one across.
TOLERANCE = 1e-3
# Over-relaxation and penalty balancing of the method of multipliers, at their usual values.
RELAXATION = 1.6
IMBALANCE = 10.0
# Each pair of groups is assigned by itself. Where the relaxation is not tight, right matches lie
# well below 1/2, and wrong ones are spread thinly over many items. The value is not the paper's:
# it was chosen with the truth of synthetic problems, and does as well on others of their kind.
THRESHOLD = 0.25


def match_lift(
    similarity: Similarity,
    groups: Iterable[Hashable],
    universe: int | None = None,
    *,
    sparsity: float | None = None,
    max_iterations: int = 300,
) -> Pairs:
    """Match items by a semidefinite relaxation of all consistent matchings.

    A 0/1 matrix X is a consistent matching into k points only if it is feasible in::

        maximise    <W, X> - lambda <1 1^T, X>
        subject to  X >= 0,  X_ii = I,  [[k, 1^T], [1, X]] positive semidefinite,

    where X_ii are the blocks of items of one group. The method of multipliers solves it, with one
    eigendecomposition of n_items + 1 rows a step. X need not be 0/1: each pair of groups is then
    matched by a linear assignment of the entries over 1/4. The matches need not be cycle
    consistent.

    Paper: it rounds all groups together by the leading eigenvectors of X; assigning the blocks of
    X itself keeps what X says of each pair of groups.

    Parameters
    ----------
    similarity : ndarray or sparse array of shape (n_items, n_items)
        W, symmetric and non-negative, with entries up to about 1.
    groups : sequence of n_items labels
        Group of each item.
    universe : int, optional
        k, the number of different points. None: where the gap between consecutive eigenvalues of
        the normalised W is largest, from the size of the largest group on.
    sparsity : float, optional
        lambda. None: ``sqrt(e) / (2 q)``, where e of the pairs of the q groups have any match.
    max_iterations : int
        Steps after which it ends, converged or not.

    Returns
    -------
    ndarray of shape (n_matches, 2)
        Pairs of items, sorted, each with its smaller item first.

    Examples
    --------
    >>> W = np.kron(np.ones((3, 3)), np.eye(2))
    >>> W[0, 2] = W[2, 0] = 0  # a match that was missed
    >>> match_lift(W, groups=[0, 0, 1, 1, 2, 2], universe=2).tolist()
    [[0, 2], [0, 4], [1, 3], [1, 5], [2, 4], [3, 5]]
    """
    problem = matching_problem(similarity, groups, universe)
    check_range(Range(1, integer=True), max_iterations=max_iterations)
    W, own = dense(problem), np.asarray(problem.groups)
    np.fill_diagonal(W, 1.0)
    if universe is None:
        universe = gap_universe(W, problem.largest_group)
    if sparsity is None:
        sparsity = density_sparsity(W, own)
    check_range(Range(0), sparsity=sparsity)
    X = relaxed_matches(W, own, universe, sparsity, max_iterations)
    return match_blocks(X, own, THRESHOLD)


def gap_universe(W: Matrix, least: int) -> int:
    """Return the number of eigenvalues before the largest gap, at least ``least``.

    Paper: it takes the eigenvalues of W, which are about equal only where all points are seen
    equally often. With rows and columns divided by the roots of their sums, those of clean input
    are 1, once for each point, and 0. Negative ones, which only errors have, count as 0.
    """
    scale = 1.0 / np.sqrt(W.sum(axis=1))
    values = np.linalg.eigvalsh(W * scale * scale[:, None])[::-1]
    gaps = -np.diff(np.maximum(np.append(values, 0.0), 0.0))
    return least + int(gaps[least - 1 :].argmax())


def density_sparsity(W: Matrix, groups: NDArray[np.int32]) -> float:
    """Return sqrt(e) / (2 q) for e pairs of q groups with any match."""
    q = int(groups.max()) + 1
    first, second = np.nonzero(W)
    linked = np.zeros((q, q), dtype=bool)
    linked[groups[first], groups[second]] = True
    return float(np.sqrt(np.triu(linked, 1).sum()) / (2 * q))


def relaxed_matches(
    W: Matrix, groups: NDArray[np.int32], universe: int, lam: float, max_iterations: int
) -> Matrix:
    """Return X."""
    m = len(W)
    gain = np.zeros((m + 1, m + 1))
    gain[1:, 1:] = W - lam
    gain[1:, 1:][groups[:, None] == groups] = -np.inf  # clipped to 0: no matches inside a group
    X = bordered(np.maximum(gain + lam, 0.0), universe)
    U = np.zeros_like(X)  # multipliers of the agreement of X and Z, divided by the penalty
    penalty = 1.0
    for _ in range(max_iterations):
        Z = positive_part(X - U)
        mixed = RELAXATION * Z + (1.0 - RELAXATION) * X
        new = bordered(np.maximum(mixed + U + gain / penalty, 0.0), universe)
        U += mixed - new
        apart = np.linalg.norm(new - Z) / m
        moved = penalty * np.linalg.norm(new - X) / m
        X = new
        if max(moved, apart) < TOLERANCE:
            break
        if apart > IMBALANCE * moved:
            penalty *= 2.0
            U *= 0.5
        elif moved > IMBALANCE * apart:
            penalty *= 0.5
            U *= 2.0
    return X[1:, 1:]


def bordered(X: Matrix, universe: int) -> Matrix:
    """Write the entries that are known: the border of ones, its corner, the diagonal."""
    X[0], X[:, 0] = 1.0, 1.0
    np.fill_diagonal(X, 1.0)
    X[0, 0] = universe
    return X


def positive_part(V: Matrix) -> Matrix:
    """Return the nearest positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(V)
    first = int(np.searchsorted(values, 0.0))
    if len(V) - first <= first:  # build from the smaller side
        kept = vectors[:, first:]
        return np.asarray((kept * values[first:]) @ kept.T)
    left = vectors[:, :first]
    return np.asarray(V - (left * values[:first]) @ left.T)
