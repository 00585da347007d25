"""Projected gradient on the factor of the matches (Wang, Zhou, Daniilidis, CVPR 2018)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from spherelax.baselines.blocks import label_groups, members
from spherelax.baselines.eigen import leading_eigenpairs
from spherelax.baselines.face import Labels, Matrix, dense, matching_problem
from spherelax.errors import InvalidInputError
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

# Points in the picture of a rigid body under affine cameras have rank 3, and 4 with translations.
POSITION_RANK = 4
# Sweeps of Dykstra's projection: enough for sums within some hundredths; every step has more.
SWEEPS = 5
# The largest change of an entry at which it ends: entries are rounded to 0 or 1 afterwards.
TOLERANCE = 1e-3
# Steps that gain nothing are halved this many times at most: then there is nothing to gain.
HALVINGS = 10


def projected_gradient(
    similarity: Similarity,
    groups: Iterable[Hashable],
    universe: int,
    *,
    positions: ArrayLike | None = None,
    position_weight: float = 2.0,
    max_iterations: int = 300,
) -> Labels:
    """Label items by a non-negative factor of the similarities and, if given, rigid positions.

    ::

        minimise    1/4 |W - X X^T|^2 + lambda q / 2 sum_au X_au |c_a - z_(g(a) u)|^2
        subject to  X >= 0,  X 1 = 1,  X_i^T 1 <= 1 in each group i,  rank Z <= 4,

    where c_a is the position of item a in its group, centred and scaled to unit size, g(a) its
    group, and z_iu the position of point u in group i, the columns 2i and 2i + 1 of Z^T. X and Z
    are improved in turn, X by a step along its gradient and back to the constraints, Z by its
    rank-4 approximation. Each group is then labelled by a linear assignment.

    Paper: it looks for k points seen in every image, X_i^T 1 = 1 and X_i 1 <= 1; here every item is
    labelled, and an image may lack points. Both are the same where groups have k items. There the
    second term is ``lambda q / 2 |C X - Z|^2`` for 0/1 matrices X, up to a constant; the factor q,
    the number of groups, keeps pace with the first term.

    Parameters
    ----------
    similarity : ndarray or sparse array of shape (n_items, n_items)
        W, symmetric and non-negative, with entries up to about 1.
    groups : sequence of n_items labels
        Group of each item.
    universe : int
        k, the number of columns of X.
    positions : array-like of shape (n_items, 2), optional
        Where each item lies in the picture of its group. None: the first term alone.
    position_weight : float
        lambda. The default is not the paper's: it was chosen with the truth of the CMU house and
        WILLOW. On 20 frames of the house 1 is a little worse, and 3 for some orders of the items.
    max_iterations : int
        Steps after which it ends, converged or not.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels from 0, in order of first appearance.

    Examples
    --------
    >>> W = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]])
    >>> projected_gradient(W, groups=["a", "a", "b", "c"], universe=2)
    array([0, 1, 0, 1], dtype=int32)
    """
    problem = matching_problem(similarity, groups, universe)
    check_range(Range(0), position_weight=position_weight)
    check_range(Range(1, integer=True), max_iterations=max_iterations)
    W, own = dense(problem), np.asarray(problem.groups)
    np.fill_diagonal(W, 1.0)
    C = None if positions is None else unit_positions(positions, own)
    weight = position_weight * (own.max() + 1)
    X = first_factor(W, own, universe)
    X, _ = descend(W, own, X, C=C, weight=weight, max_iterations=max_iterations)
    return label_groups(X, own)


def unit_positions(positions: ArrayLike, groups: NDArray[np.int32]) -> Matrix:
    """Check positions; centre and scale those of each group."""
    C = np.array(positions, dtype=np.float64)
    if C.shape != (len(groups), 2) or not np.isfinite(C).all():
        raise InvalidInputError(
            f"positions must be {len(groups)} finite pairs of coordinates; found shape {C.shape}"
            + ("" if np.isfinite(C).all() else " with values that are not finite")
        )
    for items in members(groups):
        C[items] -= C[items].mean(axis=0)
        C[items] /= np.sqrt(np.mean(C[items] ** 2)) or 1.0
    return C


def first_factor(W: Matrix, groups: NDArray[np.int32], universe: int) -> Matrix:
    """Label the rows of the leading eigenvectors by the most different ones; go half way to that.

    From the labels themselves the descent would often not move: they are a corner of the set.
    """
    values, vectors = leading_eigenpairs(W, universe)
    rows = vectors * np.sqrt(np.maximum(values, 0.0))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(float).tiny)
    anchors = scipy.linalg.qr(rows.T, mode="r", pivoting=True)[1][:universe]
    labels = label_groups(rows @ rows[anchors].T, groups)
    X = np.full((len(W), universe), 0.5 / universe)
    X[np.arange(len(W)), labels] += 0.5
    return X


def descend(
    W: Matrix,
    groups: NDArray[np.int32],
    X: Matrix,
    *,
    C: Matrix | None,
    weight: float,
    max_iterations: int,
) -> tuple[Matrix, list[float]]:
    """Return X where no step lowers the objective, and the objective after each step.

    The objective leaves out what is constant: it is -1/2 <W X, X> + 1/4 |X^T X|^2 and the second
    term.
    """
    project = projection(groups, X.shape[1])
    q = int(groups.max()) + 1
    Z = np.zeros((q, X.shape[1], 2))
    distance = np.zeros_like(X)
    WX, gram = W @ X, X.T @ X
    step = 1.0 / q  # the first term curves like the number of items with one label
    path: list[float] = []
    for _ in range(max_iterations):
        if C is not None:
            Z = rigid(X, groups, C, Z)
            distance = weight * 0.5 * ((C[:, None] - Z[groups]) ** 2).sum(axis=2)
        now = objective(X, WX, gram, distance)
        gradient = X @ gram - WX + distance
        for _ in range(HALVINGS):
            new = project(X - step * gradient)
            WX_new, gram_new = W @ new, new.T @ new
            then = objective(new, WX_new, gram_new, distance)
            if then < now:
                break
            step *= 0.5
        else:
            break
        change = np.abs(new - X).max()
        X, WX, gram = new, WX_new, gram_new
        path.append(then)
        if change < TOLERANCE:
            break
    return X, path


def objective(X: Matrix, WX: Matrix, gram: Matrix, distance: Matrix) -> float:
    """Return the objective up to a constant, given W X, X^T X and the weighted distances."""
    return float(np.vdot(X, distance - 0.5 * WX) + 0.25 * np.vdot(gram, gram))


def rigid(X: Matrix, groups: NDArray[np.int32], C: Matrix, Z: Matrix) -> Matrix:
    """Return the rank-4 approximation of the positions of the points, of shape (q, k, 2).

    Where X shows a point in part or not at all, the old Z stands for the rest.
    """
    q, k, _ = Z.shape
    shown = np.zeros((q, k))
    filled = np.zeros_like(Z)
    np.add.at(shown, groups, X)
    np.add.at(filled, groups, X[:, :, None] * C[:, None])
    filled += (1.0 - np.minimum(shown, 1.0))[:, :, None] * Z
    stacked = filled.transpose(0, 2, 1).reshape(2 * q, k)
    left, sizes, right = np.linalg.svd(stacked, full_matrices=False)
    kept = slice(POSITION_RANK)
    nearest = (left[:, kept] * sizes[kept]) @ right[kept]
    return np.asarray(nearest.reshape(q, 2, k).transpose(0, 2, 1))


def projection(groups: NDArray[np.int32], k: int) -> Callable[[Matrix], Matrix]:
    """Return the projection to rows of sum 1 and, in each group, columns of sum at most 1."""
    blocks = members(groups)
    place = np.empty(len(groups), dtype=np.intp)
    for items in blocks:
        place[items] = np.arange(len(items))
    shape = len(blocks), int(place.max()) + 1, k
    real = np.zeros((*shape[:2], 1))
    real[groups, place] = 1.0

    def project(V: Matrix) -> Matrix:
        X = np.zeros(shape)
        X[groups, place] = V
        rows_left, columns_left = np.zeros(shape), np.zeros(shape)
        for _ in range(SWEEPS):
            wanted = X + rows_left
            X = on_simplex(wanted, least=-np.inf) * real
            rows_left = (wanted - X) * real
            wanted = X + columns_left
            X = on_simplex(wanted.swapaxes(1, 2), least=0.0).swapaxes(1, 2) * real
            columns_left = (wanted - X) * real
        return np.asarray(X[groups, place])

    return project


def on_simplex(V: Matrix, least: float) -> Matrix:
    """Project along the last axis to non-negative vectors of sum 1; ``least=0``: of at most 1."""
    falling = -np.sort(-V, axis=-1)
    excess = np.cumsum(falling, axis=-1) - 1.0
    count = (falling * np.arange(1, V.shape[-1] + 1) > excess).sum(axis=-1, keepdims=True)
    shift = np.take_along_axis(excess, count - 1, axis=-1) / count
    return np.asarray(np.maximum(V - np.maximum(shift, least), 0.0))
