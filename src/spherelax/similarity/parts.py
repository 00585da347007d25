"""What all kernels share: checked points, scales, and the values of similarities."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from spherelax.errors import InvalidInputError

MOST_FAR = 1e150


def checked_points(X: ArrayLike) -> NDArray[np.float64]:
    """Check points; scikit-learn raises most errors."""
    points = np.asarray(check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X"))
    if np.abs(points).max() > MOST_FAR:
        raise InvalidInputError(
            f"X must hold numbers up to {MOST_FAR:g}, whose squares are finite; "
            f"found {np.abs(points).max():.2g}"
        )
    return points


def positive(s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace scales of zero, which repeated points have, by the smallest positive one."""
    smallest = s.min(where=s > 0, initial=np.inf)
    return np.where(s > 0, s, smallest if np.isfinite(smallest) else 1.0)


def falling(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(-scaled), computed in place."""
    np.negative(scaled, out=scaled)
    return np.exp(scaled, out=scaled)


def either(
    rows: NDArray[np.intp], columns: NDArray[np.intp], values: NDArray[np.float64], m: int
) -> sp.csr_array:
    """Join i and j if one is a neighbour of the other; the result is symmetric."""
    chosen = sp.csr_array((values, (rows, columns)), shape=(m, m))
    return chosen.maximum(chosen.T).tocsr()
