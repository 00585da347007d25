"""Checked input: the only place where similarities and groups are checked.

A :class:`Problem` holds a square, symmetric, finite similarity (dense or CSR) of at least two
items, which is not negative unless it holds log odds, and groups as integers. Code that gets a
problem does not check again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spherelax.errors import InvalidInputError
from spherelax.labels import encode, listed
from spherelax.memory import NUMBER, check_fits

# A dense matrix is checked in blocks of this number of rows, which saves memory.
CHECK_ROWS = 256
# Values below 0 of this number of units in the last place of the largest similarity are rounding.
ROUNDING = 64
ITEM_NUMBERS = 16  # numbers in memory for each item, at least
# What similarities can be; the last two are in nats.
KINDS = ("graph", "neighbors", "pairs", "odds", "information")
NATS, MOST_NATS = KINDS[3:], 1e9

# What a user may give as similarities: SciPy's sparse arrays and matrices, or whatever NumPy takes.
Similarity = sp.sparray | sp.spmatrix | ArrayLike
# A checked matrix: a dense array or a csr_array, which a type checker knows nothing of.
Matrix = Any


@dataclass(frozen=True, eq=False)
class Problem:
    """The input of a solver: similarities as given, and the group of each item.

    Attributes
    ----------
    similarity : ndarray or csr_array of shape (n_items, n_items)
        The user's matrix, not a copy if possible, of any real dtype.
    groups : ndarray of shape (n_items,) or None
        Group of each item, counted from 0 in order of first appearance. None: no groups.
    kind : {"graph", "neighbors", "pairs", "odds", "information"} or None
        What the similarities are, as in :func:`spherelax.solve`. None: that is to be found out.
    names : ndarray of uint64 of shape (n_items,) or None
        A number made from the name of each item (`hash_names`): items are known by it in a later
        problem, and it decides between items that similarities do not tell apart. None: their
        place does both.
    """

    similarity: Matrix
    groups: NDArray[np.int32] | None
    kind: str | None = None
    names: NDArray[np.uint64] | None = None

    @classmethod
    def check(
        cls,
        similarity: object,
        groups: Iterable[Hashable] | None = None,
        kind: str | None = None,
    ) -> Problem:
        """Check the inputs and build the problem; raise `InvalidInputError` at the first fault.

        A problem is not checked again; groups and kind, if given, replace its own.
        """
        if kind is not None and kind not in KINDS:
            raise InvalidInputError(f"kind must be one of {', '.join(KINDS)}; found {kind!r}")
        if isinstance(similarity, Problem):
            return similarity._with(groups, kind)
        W = _as_real_matrix(similarity)
        _check_square(W)
        if sp.issparse(W):
            low = _check_values(W.data)
            _check_symmetric_sparse(W)
        else:
            rows = range(0, len(W), CHECK_ROWS)
            low = min(_check_values(W[start : start + CHECK_ROWS]) for start in rows)
            _check_symmetric_dense(W)
        if low < 0 and kind != "odds":
            W = _without_rounding(W, low)
        _check_nats(W, kind)
        if not _largest(W):
            W = sp.eye_array(W.shape[0], format="csr")  # each item is similar to itself only
        return cls(W, None if groups is None else _encode_groups(groups, W.shape[0]), kind)

    def regrouped(self, groups: Iterable[Hashable] | None) -> Problem:
        """Return the same similarities with other groups."""
        codes = None if groups is None else _encode_groups(groups, self.n_items)
        return replace(self, groups=codes)

    def among(self, items: NDArray[np.integer]) -> Problem:
        """Return the problem of some items.

        Examples
        --------
        >>> Problem.check(np.eye(4), groups=["x", "x", "y", "y"]).among([1, 2]).groups.tolist()
        [0, 1]
        """
        groups = None
        if self.groups is not None:
            groups = _encode_groups(self.groups[items].tolist(), len(items))
        names = None if self.names is None else self.names[items]
        return Problem(self.similarity[items][:, items], groups, self.kind, names)

    def freed(self, groups: Iterable[int]) -> Problem:
        """Return the problem in which the items of some groups are free.

        Examples
        --------
        >>> Problem.check(np.eye(4), groups=["x", "x", "y", "y"]).freed([0]).groups.tolist()
        [0, 1, 2, 2]
        """
        if self.groups is None:
            return self
        free = set(groups)
        return self.regrouped([None if code in free else code for code in self.groups.tolist()])

    def positive(self) -> Problem:
        """Return the problem without log odds below 0, so that similarities are of alike items.

        Examples
        --------
        >>> odds = Problem.check([[0, 3, -2], [3, 0, 0], [-2, 0, 0]], kind="odds")
        >>> odds.positive().similarity.tolist()
        [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
        """
        if self.kind != "odds":
            return self
        W = self.similarity
        alike = Problem.check(W.maximum(0) if sp.issparse(W) else np.maximum(W, 0))
        return replace(self, similarity=alike.similarity, kind=None)

    def _with(self, groups: Iterable[Hashable] | None, kind: str | None) -> Problem:
        """Return the problem with groups and kind, if they are given, instead of its own."""
        problem = self if groups is None else self.regrouped(groups)
        if kind is None or kind == problem.kind:
            return problem
        if "odds" in (kind, problem.kind):
            raise InvalidInputError(
                f"kind must stay what it was where similarities are log odds; found {kind!r} "
                f"for a problem of kind {problem.kind!r}"
            )
        _check_nats(problem.similarity, kind)
        return replace(problem, kind=kind)

    @property
    def n_items(self) -> int:
        """Number of items, m in the paper."""
        return int(self.similarity.shape[0])

    @property
    def largest_group(self) -> int:
        """Number of items in the largest group: a lower bound on the number of labels."""
        return 1 if self.groups is None else int(np.bincount(self.groups).max())

    @cached_property
    def present(self) -> NDArray[np.intp]:
        """Items whose row is not zero.

        Paper: the normalisation divides by row sums; items whose sum is zero are left out.
        """
        W = self.similarity
        return np.flatnonzero(np.diff(W.indptr) if sp.issparse(W) else W.any(axis=1))

    @cached_property
    def isolated(self) -> NDArray[np.bool_]:
        """Tell of each item whether it is similar to no other item."""
        W = self.similarity
        on_diagonal = W.diagonal() != 0
        n_nonzero = np.diff(W.indptr) if sp.issparse(W) else np.count_nonzero(W, axis=1)
        return np.asarray(n_nonzero == on_diagonal)


def hash_names(names: Iterable[Hashable]) -> NDArray[np.uint64]:
    """Return a number for each name, a value or a tuple of values, by its text.

    Examples
    --------
    >>> hash_names([7, ("shop", 7)]) == hash_names(["7", ("shop", "7")])
    array([ True,  True])
    """
    texts = ("\x1f".join(map(str, name if isinstance(name, tuple) else (name,))) for name in names)
    digests = (blake2b(text.encode(errors="replace"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _as_real_matrix(similarity: object) -> Matrix:
    """Turn array-likes into a real ndarray or canonical CSR, without copying where possible."""
    sparse = sp.issparse(similarity)
    try:
        W: Matrix = similarity if sparse else np.asarray(similarity)
    except ValueError:
        raise InvalidInputError(
            "similarity must be a square matrix; found rows of different lengths"
        ) from None
    if W.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"similarity must hold real numbers; found dtype {W.dtype}"
            + (". Complex data not supported" if W.dtype.kind == "c" else "")
        )
    if W.dtype.kind == "f" and W.dtype.itemsize == 2:
        W = W.astype(np.float32)
    W = W.astype(W.dtype.newbyteorder("="), copy=False)
    if not sparse or W.ndim != 2:
        return W
    n_items = max(W.shape)
    check_fits(NUMBER * ITEM_NUMBERS * n_items, f"similarity of {n_items} items", "Take fewer.")
    W = sp.csr_array(W)
    if not W.has_canonical_format or not W.data.all():
        W = W.copy()
        W.sum_duplicates()
        W.eliminate_zeros()
    return W


def _check_square(W: Matrix) -> None:
    """Refuse anything but a square matrix of at least two items."""
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise InvalidInputError(f"similarity must be a square matrix; found shape {W.shape}")
    if W.shape[0] < 2:
        found = "none" if W.shape[0] == 0 else "one (n_samples=1)"
        raise InvalidInputError(f"similarity must hold at least two items; found {found}")


def _check_values(values: NDArray[np.generic]) -> float:
    """Refuse NaN and infinity; return the smallest value, 0 if there is none."""
    if values.size == 0:
        return 0.0
    low, high = values.min(), values.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        found = "NaN" if np.isnan(values).any() else "infinity"
        raise InvalidInputError(f"similarity must be finite; found {found}")
    return float(low)


def _without_rounding(W: Matrix, low: float) -> Matrix:
    """Return a similarity with 0 for values below 0, which must be rounding."""
    is_rounding = W.dtype.kind == "f" and -low <= ROUNDING * np.finfo(W.dtype).eps * _largest(W)
    if not is_rounding:
        raise InvalidInputError(
            f"similarity must be non-negative; smallest value is {low:.2g} "
            "(kind='odds' is for log odds, which may be negative)"
        )
    if not sp.issparse(W):
        return np.maximum(W, 0)
    found = W.maximum(0)
    found.eliminate_zeros()
    return found


def _check_nats(W: Matrix, kind: str | None) -> None:
    """Refuse log odds and information of a size that no probability has."""
    if kind in NATS and _largest(W) > MOST_NATS:
        raise InvalidInputError(
            f"similarity of kind {kind!r} must be in nats, at most {MOST_NATS:g} of them; "
            f"found {_largest(W):.2g}"
        )


def _largest(W: Matrix) -> float:
    """Return the largest absolute value."""
    return max(float(W.max()), -float(W.min()))


def _largest_of_pairs(W: Matrix) -> float:
    """Return the largest absolute value of two items, not of an item and itself."""
    found = _largest(W)
    if np.abs(W.diagonal()).max() < found:
        return found
    found = 0.0
    for start in range(0, W.shape[0], CHECK_ROWS):
        part = sp.coo_array(W[start : start + CHECK_ROWS])
        of_pairs = part.data[part.row + np.intp(start) != part.col]
        found = max(found, float(np.abs(of_pairs).max(initial=0)))
    return found


def _tolerance(W: Matrix) -> float:
    """Return the asymmetry that rounding can cause: sqrt(precision) times the largest of pairs."""
    if W.dtype.kind != "f":
        return 0.0
    return float(np.sqrt(np.finfo(W.dtype).eps) * _largest_of_pairs(W))


def _check_symmetric_dense(W: NDArray[np.generic]) -> None:
    """Refuse asymmetry; the matrix is compared block by block, which saves memory."""
    worst, where = 0.0, (0, 0)
    for i in range(0, len(W), CHECK_ROWS):
        for j in range(0, i + 1, CHECK_ROWS):
            rows, columns = slice(i, i + CHECK_ROWS), slice(j, j + CHECK_ROWS)
            difference = np.abs(np.subtract(W[rows, columns], W[columns, rows].T, dtype=float))
            if difference.max() > worst:
                worst = float(difference.max())
                a, b = np.unravel_index(difference.argmax(), difference.shape)
                where = (min(i + int(a), j + int(b)), max(i + int(a), j + int(b)))
    _refuse_asymmetry(worst, where, _tolerance(W))


def _check_symmetric_sparse(W: Matrix) -> None:
    """Refuse asymmetry of a sparse matrix.

    Products of W and of W.T with random numbers differ if W is not symmetric, and need little
    memory. Only if they differ are the matrices compared, to say how much and where.
    """
    x = np.random.default_rng(0).uniform(1.0, 2.0, W.shape[0])
    if np.abs(W @ x - W.T @ x).max() <= _tolerance(W):
        return
    if W.dtype.kind != "f":
        W = W.astype(float)
    difference = abs(W - W.T).tocoo()
    if difference.nnz:
        at = int(difference.data.argmax())
        where = sorted((int(difference.row[at]), int(difference.col[at])))
        _refuse_asymmetry(float(difference.data[at]), (where[0], where[1]), _tolerance(W))


def _refuse_asymmetry(worst: float, where: tuple[int, int], tolerance: float) -> None:
    """Raise an error if the largest difference is more than rounding can cause."""
    if worst > tolerance:
        raise InvalidInputError(
            f"similarity must be symmetric; largest |W - W.T| is {worst:.1e}, "
            f"at items {where[0]} and {where[1]}"
        )


def _encode_groups(groups: Iterable[Hashable], n_items: int) -> NDArray[np.int32]:
    """Turn the group names of n_items items into integers; each None becomes its own group.

    A masked value of an array is a None.
    """
    if isinstance(groups, Set | Mapping):  # in no order; of a dict, only keys would be read
        found = "a set" if isinstance(groups, Set) else "a dict"
        raise InvalidInputError(f"groups must be a sequence, one label per item; found {found}")
    codes = encode(groups if _are_present(groups) else _without_none(groups), "groups")
    if len(codes) != n_items:
        raise InvalidInputError(
            f"groups must have one label per item, {n_items}; found {len(codes)}"
        )
    return codes.astype(np.int32)


class _Free:
    """Stands for the group of one item that has none; no two are equal."""


def _are_present(groups: Iterable[Hashable]) -> bool:
    """Tell quickly whether all groups are numbers or text, so that none can be missing."""
    if isinstance(groups, np.ndarray):
        return groups.dtype.kind in "biuSU" and not isinstance(groups, np.ma.MaskedArray)
    return isinstance(groups, list | tuple) and set(map(type, groups)) <= {int, str, bool}


def _without_none(groups: Iterable[Hashable]) -> list[Hashable]:
    """Replace each None by a group of one item; refuse missing values."""
    if isinstance(groups, np.ndarray) and groups.dtype.kind in "mM":
        groups = list(groups)  # as Python's own objects, NaT would be None
    names = [_Free() if name is None else name for name in listed(groups, "groups")]
    for item, name in enumerate(names):
        if _is_missing(name):
            raise InvalidInputError(
                f"groups must have no missing values; found {name!r} at {item} "
                "(None marks an item without a group)"
            )
    return names


def _is_missing(name: object) -> bool:
    """Recognise NaN and the missing values of pandas without importing it."""
    return type(name).__name__ in ("NAType", "NaTType") or bool(name != name)  # noqa: PLR0124 (NaN)
