"""The sweep of the paper's solver: power iterations while alpha falls (Algorithms 1 and 4)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.memory import NUMBER, check_fits
from spherelax.power import sphere
from spherelax.power.rebalance import Rebalanced
from spherelax.problem import Problem

# The bound of the paper's experiments, k = 100.
PAPER_BOUND = 100
# The default bound is this number times the estimated number of clusters.
LOOSENESS = 4
# Neighbours are counted in blocks of this number of rows of W, which saves memory.
COUNTED_ROWS = 256
# Entries of U, at most, with the default bound: 1 GiB.
MAX_ENTRIES = 1 << 27
# 1 / alpha_step counts as a whole number within this distance, so that a step of 0.01 or 1/3
# ends at alpha = 0 exactly.
WHOLE = 1e-9
# Entries of U that are updated at a time, by memory order: few enough for the cache. By columns
# there are more, so that each column is read in long pieces.
BLOCK_ENTRIES = {"C": 1 << 16, "F": 1 << 17}
# Products with fewer multiplications are quicker with one thread of BLAS.
WORTH_THREADS = 80_000_000


class Iterate(NamedTuple):
    """The state of the sweep after the last pass at one alpha.

    ``U`` is the solver's own array. The next step overwrites it, so do not keep it.
    """

    alpha: float
    eta: float
    objective: float
    U: NDArray[np.float64]


def alpha_grid(alpha_step: float) -> NDArray[np.float64]:
    """Return alpha = 1 - step, 1 - 2 step, ... down to the last value that is not negative.

    Paper: Algorithm 4 subtracts repeatedly. Here alphas are computed from integers, so that
    rounding errors do not decide whether alpha = 0 is included. As in the paper, alpha = 1 is not.

    Examples
    --------
    >>> alpha_grid(0.25)
    array([0.75, 0.5 , 0.25, 0.  ])
    """
    per_unit = 1.0 / alpha_step
    if abs(per_unit - round(per_unit)) < WHOLE * per_unit:
        per_unit = float(round(per_unit))
    n_steps = int(per_unit)
    return np.asarray((per_unit - np.arange(1, n_steps + 1)) / per_unit)


def n_columns(problem: Problem, max_labels: int | None) -> int:
    """Return k, the number of columns of U: the user's bound, or the default one."""
    m = len(problem.present)
    if max_labels is None:
        return _loose_bound(problem)
    if max_labels < problem.largest_group:
        raise InvalidInputError(
            "max_labels must be at least the size of the largest group, "
            f"{problem.largest_group}; found {max_labels}"
        )
    k = min(m, max_labels)
    check_fits(3 * NUMBER * m * k, f"U of {m} items and {k} labels", "Take a smaller max_labels.")
    return k


def _loose_bound(problem: Problem) -> int:
    """Return a bound on the number of labels that is generous for the input and fits in memory.

    Paper: k = 100 in all experiments, "sufficiently large". Here the number of clusters is
    estimated. If clusters were complete and without noise, the cluster of an item with n
    neighbours would have n + 1 items, and ``sum_i 1 / (n_i + 1)`` would be the number of clusters.
    Weighted neighbours are counted by ``(sum_j W_ij)^2 / sum_j W_ij^2``. The bound is `LOOSENESS`
    times the estimate, but at least the paper's 100 and at least `LOOSENESS` times the square root
    of m, because wrong similarities make the estimate too small.
    """
    m = len(problem.present)
    estimate = float((1.0 / (_effective_neighbors(problem)[problem.present] + 1.0)).sum())
    loose = max(PAPER_BOUND, LOOSENESS * np.sqrt(m), LOOSENESS * estimate)
    bound = min(m, max(int(loose), 2 * problem.largest_group))
    affordable = max(MAX_ENTRIES // m, problem.largest_group)
    if bound > affordable:
        warnings.warn(
            f"max_labels is {affordable} instead of {bound}, so that U needs no more than 1 GiB "
            "of memory; give max_labels to set it yourself",
            SphereWarning,
            stacklevel=5,
        )
    return min(bound, affordable)


def _effective_neighbors(problem: Problem) -> NDArray[np.float64]:
    """Return the number of other items that each item is similar to; weak ones count less."""
    W, m = problem.similarity, problem.n_items
    scale = float(W.max())
    total, squares, diagonal = np.empty(m), np.empty(m), W.diagonal() / scale
    for first in range(0, m, COUNTED_ROWS):
        rows = slice(first, first + COUNTED_ROWS)
        block = W[rows] / scale
        total[rows] = block.sum(axis=1)
        squares[rows] = (block * block).sum(axis=1)
    total -= diagonal
    squares -= diagonal**2
    return np.divide(total**2, squares, out=np.zeros(m), where=~problem.isolated)


def worth_threads(rebalanced: Rebalanced, k: int) -> bool:
    """Tell whether products with U are large enough for several threads of BLAS to save time."""
    return not sp.issparse(rebalanced.W) and rebalanced.W.size * k >= WORTH_THREADS


def sweep(
    rebalanced: Rebalanced,
    alphas: NDArray[np.float64],
    *,
    k: int,
    n_inner: int,
    delta_margin: float,
) -> Iterator[Iterate]:
    """Maximise g(alpha, W, U) over the non-negative sphere for each alpha in turn.

    Each pass is ``U <- P(V(alpha) U)``, where P is the projection `sphere.project`. The U of one
    alpha is the start of the next. ``eta = |g(U_N) - g(U_(N-1))|``. The product ``W U`` of a pass
    also gives g(U), and becomes the next U in place, so only two arrays of the size of U exist.
    Passes whose outcome is known are not computed: after a pass that returned the same U, the next
    one would too, and equal rows stay equal while alpha falls. P ignores positive factors, so a
    pass computes ``V U / (1 - alpha)``.
    """
    W = rebalanced.W
    m = W.shape[0]
    least_degree = float((W @ np.ones(m)).min())
    deltas, shifts = rebalanced.deltas(alphas, delta_margin), rebalanced.shift(alphas)
    U = np.asarray(sphere.start(m, k), order=rebalanced.order)
    product = np.empty_like(U)
    rebalanced.multiply(U, out=product)
    column_sums = U.sum(axis=0)
    quadratic, occupancy = _inner(U, product), column_sums @ column_sums
    consensus = False
    for alpha, delta, c in zip(alphas, deltas, shifts, strict=True):
        weight = 1.0 - alpha
        settled = consensus and delta + weight * least_degree + c * m > 0
        before = quadratic, occupancy
        for _ in range(0 if settled else n_inner):
            moved = _advance(U, product, delta / weight, c / weight * column_sums)
            U, product = product, U
            rebalanced.multiply(U, out=product)
            before = quadratic, occupancy
            if not moved:
                break
            column_sums = U.sum(axis=0)
            quadratic, occupancy = _inner(U, product), column_sums @ column_sums
        gain = rebalanced.objective(alpha, quadratic - before[0], occupancy - before[1])
        reached = rebalanced.objective(alpha, quadratic, occupancy)
        yield Iterate(float(alpha), abs(gain), reached, U)
        consensus = consensus or sphere.is_consensus(U)


def _advance(
    U: NDArray[np.float64],
    product: NDArray[np.float64],
    delta: float,
    pull: NDArray[np.float64],
) -> bool:
    """Turn ``product = W U`` into ``P(W U + delta U + 1 pull)`` in place; tell whether U moved."""
    moved = False
    n_rows = max(1, BLOCK_ENTRIES["C" if U.flags.c_contiguous else "F"] // U.shape[1])
    for first in range(0, len(U), n_rows):
        old, new = U[first : first + n_rows], product[first : first + n_rows]
        new += pull
        new += delta * old
        sphere.project(new)
        moved = moved or not np.array_equal(new, old)
    return moved


def _inner(U: NDArray[np.float64], product: NDArray[np.float64]) -> np.floating:
    """Return ``tr(U^T product)`` of two arrays in the same memory order."""
    return np.vdot(U.ravel("K"), product.ravel("K"))
