"""Rebalancing of W and the matrix V(alpha) of the power iteration (paper, section 3.2).

``W <- D W D`` with ``D = sqrt(m) diag(W 1)^(-1/2)``, then ``W <- W + kappa 1 1^T``, and
``V(alpha) = delta(alpha) I + (1 - alpha) W - alpha 1 1^T``. Only ``D W D`` is ever an array. With
``c(alpha) = (1 - alpha) kappa - alpha``,

    V U  = delta U + (1 - alpha) (DWD U) + c 1 (1^T U),
    g(U) = (1 - alpha) tr(U^T DWD U) + c |1^T U|^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.power.eigenvalues import smallest_eigenvalues
from spherelax.problem import Matrix

# Entries of a sparse product that are computed at a time: SciPy cannot write into a given array.
PRODUCT_ENTRIES = 1 << 20


@dataclass(frozen=True, eq=False)
class Rebalanced:
    """The normalised similarity ``DWD``, and kappa, which is added to it."""

    W: Matrix
    kappa: float

    @property
    def order(self) -> Literal["C", "F"]:
        """Memory order of U for the quickest products: by rows for SciPy, by columns for BLAS."""
        return "C" if sp.issparse(self.W) else "F"

    def multiply(self, U: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write ``DWD U`` into ``out``; with a sparse W block by block, which saves memory."""
        n_rows = max(1, PRODUCT_ENTRIES // U.shape[1])
        if not sp.issparse(self.W):
            np.matmul(self.W, U, out=out)
        elif n_rows >= len(U):
            out[:] = self.W @ U
        else:
            for first in range(0, len(U), n_rows):
                out[first : first + n_rows] = self.W[first : first + n_rows] @ U

    def shift(self, alpha: Any) -> Any:
        """Return c(alpha), the factor of ``1 1^T`` in V and in the objective."""
        return (1.0 - alpha) * self.kappa - alpha

    def objective(self, alpha: float, quadratic: float | np.floating, occupancy: float) -> float:
        """Return g from ``tr(U^T DWD U)`` and ``|1^T U|^2``."""
        return float((1.0 - alpha) * quadratic + self.shift(alpha) * occupancy)

    def merged_objectives(self, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the objective g for equal rows of U, at each alpha."""
        m = self.W.shape[0]
        return np.asarray((1.0 - alphas) * self.W.sum() + self.shift(alphas) * m**2)

    def deltas(self, alphas: NDArray[np.float64], delta_margin: float) -> NDArray[np.float64]:
        """Return delta(alpha) = -lambda_min((1-alpha) W - alpha 1 1^T) + margin for each alpha.

        Paper: Algorithm 4 prints plus lambda_min; the text, which makes V positive definite,
        has the minus sign.
        """
        return delta_margin - smallest_eigenvalues(self.W, 1.0 - alphas, self.shift(alphas))


def rebalance(W: Matrix, keep: NDArray[np.intp], kappa: float) -> Rebalanced:
    """Normalise the similarities of the items ``keep``; their rows must not be zero.

    They are first divided by the largest one, so that values such as 1e200 do not overflow.

    Examples
    --------
    >>> rebalance(np.array([[0.0, 4.0], [4.0, 0.0]]), np.arange(2), kappa=0.0).W
    array([[0., 2.],
           [2., 0.]])
    """
    m = len(keep)
    whole = m == W.shape[0]
    scale = max(float(W.max()), np.finfo(float).tiny)
    if sp.issparse(W):
        W = W if whole else W[keep][:, keep]
        values = np.divide(W.data, scale, dtype=float)
        W = sp.csr_array((values, W.indices, W.indptr), shape=W.shape)
        d = np.sqrt(m / (W @ np.ones(m)))
        values *= np.repeat(d, np.diff(W.indptr))
        values *= d[W.indices]
    else:
        W = np.divide(W if whole else W[np.ix_(keep, keep)], scale, dtype=float)
        d = np.sqrt(m / W.sum(axis=1))
        W *= d[:, None]
        W *= d
    return Rebalanced(W, kappa)
