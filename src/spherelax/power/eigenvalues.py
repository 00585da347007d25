"""The smallest eigenvalue of ``w W + c 1 1^T`` for many (w, c) from two Lanczos runs.

Started at the all-ones vector, Lanczos turns ``W`` into a tridiagonal ``T`` and ``1 1^T`` into
``m e_1 e_1^T``. So one run is enough for every (w, c): each needs only the smallest eigenvalue of
a small tridiagonal matrix. That run does not find eigenvectors orthogonal to the all-ones vector
(on a regular graph it ends after one step). For these, ``1 1^T`` is zero. A second run in the
orthogonal complement finds the smallest of their eigenvalues, mu, and ``w mu`` is compared as well.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from spherelax.problem import Matrix

# A run that has not converged after this number of steps stops; its value is then an upper bound.
MAX_STEPS = 300
# Convergence is checked every 20 steps, at 5 of the pairs (w, c).
CHECK_EVERY = 20
N_PROBES = 5
# Residual, relative to the norm of W, below which a Ritz value counts as converged. The error of
# the value is of the order of its square.
RESIDUAL = 1e-9
# A next basis vector shorter than this, relative to the norm of W, is only rounding error: the
# space is invariant, and the run ends.
BREAKDOWN = 1e-12

Tridiagonal = tuple[NDArray[np.float64], NDArray[np.float64]]


def smallest_eigenvalues(
    W: Matrix, weights: NDArray[np.float64], shifts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the smallest eigenvalue of ``w W + c 1 1^T`` for each pair of weight w and shift c.

    W is symmetric and non-negative, so that its largest row sum bounds its norm.

    Examples
    --------
    >>> W = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> smallest_eigenvalues(W, np.array([1.0, 0.5]), np.array([0.0, -1.0])).round(12)
    array([-1. , -1.5])
    """
    m = W.shape[0]
    norm = float((W @ np.ones(m)).max())
    probes = np.unique(np.linspace(0, len(weights) - 1, N_PROBES).astype(int))

    def shifted(T: Tridiagonal, probe: int) -> Tridiagonal:
        diagonal, off_diagonal = weights[probe] * T[0], weights[probe] * T[1]
        diagonal[0] += shifts[probe] * m
        return diagonal, off_diagonal

    def all_converged(T: Tridiagonal, beta: float) -> bool:
        return all(_residual(shifted(T, i), weights[i] * beta) <= RESIDUAL * norm for i in probes)

    def converged(T: Tridiagonal, beta: float) -> bool:
        return _residual(T, beta) <= RESIDUAL * norm

    T, basis = _lanczos(W, np.ones(m), np.empty((0, m)), BREAKDOWN * norm, all_converged)
    smallest = np.array([_smallest(shifted(T, index)) for index in range(len(weights))])
    if len(basis) < m:
        fresh = np.random.default_rng(0).standard_normal(m)
        T, _ = _lanczos(W, fresh, basis, BREAKDOWN * norm, converged)
        smallest = np.minimum(smallest, weights * _smallest(T))
    return smallest


def _lanczos(
    W: Matrix,
    q: NDArray[np.float64],
    locked: NDArray[np.float64],
    rounding: float,
    converged: Callable[[Tridiagonal, float], bool],
) -> tuple[Tridiagonal, NDArray[np.float64]]:
    """Run Lanczos from q in the complement of the locked rows, fully re-orthogonalised."""
    m = len(q)
    n_steps = min(MAX_STEPS, m - len(locked))
    basis = np.empty((len(locked) + n_steps, m))
    basis[: len(locked)] = locked
    diagonal, off_diagonal = np.empty(n_steps), np.empty(n_steps)
    q = _orthogonalised(q, locked)
    q /= np.linalg.norm(q)
    size = 0
    for step in range(n_steps):
        used = len(locked) + step + 1
        basis[used - 1] = q
        product = W @ q
        diagonal[step] = q @ product
        product = _orthogonalised(product, basis[:used])
        beta = off_diagonal[step] = np.linalg.norm(product)
        size = step + 1
        T = diagonal[:size], off_diagonal[: size - 1]
        if beta <= rounding or (size % CHECK_EVERY == 0 and converged(T, float(beta))):
            break
        q = product / beta
    return (diagonal[:size], off_diagonal[: size - 1]), basis[: len(locked) + size]


def _orthogonalised(q: NDArray[np.float64], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract from q its part in the span of the basis, twice, because of rounding errors."""
    for _ in range(2):
        q = q - basis.T @ (basis @ q)
    return q


def _smallest(T: Tridiagonal) -> float:
    """Return the smallest eigenvalue of a tridiagonal matrix."""
    return float(eigh_tridiagonal(*T, eigvals_only=True, select="i", select_range=(0, 0))[0])


def _residual(T: Tridiagonal, beta: float) -> float:
    """Return the residual of the smallest Ritz value; beta is the length of the next vector."""
    _, vector = eigh_tridiagonal(*T, select="i", select_range=(0, 0))
    return float(beta * abs(vector[-1, 0]))
