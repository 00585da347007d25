"""Labels of items: integers from 0, numbered in order of first appearance.

All labels of the package are numbered in this way. So two labelings that put the same items
together are equal arrays, and the number of labels is one more than the largest label.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.memory import NUMBER, check_fits

Labels = NDArray[np.int32]
Count = TypeVar("Count", int, NDArray[np.integer])

# Integers below this number times the number of items are renumbered without sorting.
SPARSE = 4
PAIR_NUMBERS = 8  # numbers in memory for each pair that is listed, at the peak


def count_labels(labels: NDArray[np.integer]) -> int:
    """Return the number of different labels, which are numbered from 0 without gaps.

    Examples
    --------
    >>> count_labels(np.array([0, 1, 0, 2]))
    3
    """
    return int(labels.max()) + 1


def count_pairs(n: Count) -> Count:
    """Return how many pairs n items make; n may be an array.

    Examples
    --------
    >>> count_pairs(4), count_pairs(np.array([1, 3]))
    (6, array([0, 3]))
    """
    return n * (n - 1) // 2


def are_in_order(labels: NDArray[np.integer]) -> bool:
    """Tell whether labels are numbered from 0 in order of first appearance.

    Examples
    --------
    >>> are_in_order(np.array([0, 1, 0, 2])), are_in_order(np.array([0, 2, 1]))
    (True, False)
    """
    before = np.maximum.accumulate(np.r_[-1, labels[:-1]])
    return bool(np.all((labels >= 0) & (labels <= before + 1)))


def renumber(labels: NDArray[np.integer]) -> Labels:
    """Return labels numbered in order of first appearance; any integers from 0 are allowed.

    Time and memory grow with the number of items and with the largest label.

    Examples
    --------
    >>> renumber(np.array([7, 2, 7, 5]))
    array([0, 1, 0, 2], dtype=int32)
    """
    m = len(labels)
    first = np.full(count_labels(labels), m, dtype=np.int32)
    np.minimum.at(first, labels, np.arange(m, dtype=np.int32))
    present = np.flatnonzero(first < m)
    rank = np.empty(len(first), dtype=np.int32)
    rank[present[np.argsort(first[present])]] = np.arange(len(present), dtype=np.int32)
    return rank.take(labels)


def by_size(labels: NDArray[np.integer]) -> Labels:
    """Return labels numbered by falling number of items; of equal ones in their old order.

    Examples
    --------
    >>> by_size(np.array([0, 1, 1, 2, 2]))
    array([2, 0, 0, 1, 1], dtype=int32)
    """
    order = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank.take(labels)


def separate(labels: NDArray[np.integer], alone: NDArray[np.bool_]) -> Labels:
    """Give each of the items marked ``alone`` its own label.

    Examples
    --------
    >>> separate(np.array([0, 0, 0], dtype=np.int32), np.array([False, True, False]))
    array([0, 1, 0], dtype=int32)
    """
    return renumber(np.where(alone, count_labels(labels) + np.arange(len(labels)), labels))


def separate_groups(labels: NDArray[np.integer], groups: NDArray[np.integer]) -> Labels:
    """Give an item its own label if an earlier item of its group has the same label.

    Examples
    --------
    >>> separate_groups(np.array([0, 0, 0, 1]), np.array([5, 6, 5, 6]))
    array([0, 0, 1, 2], dtype=int32)
    """
    first = np.unique(labels * (groups.max() + np.int64(1)) + groups, return_index=True)[1]
    alone = np.ones(len(labels), dtype=np.bool_)
    alone[first] = False
    return separate(labels, alone)


def encode(names: Iterable[Hashable], what: str) -> NDArray[np.intp]:
    """Turn hashable names into integers from 0, in order of first appearance.

    Arrays of integers or text are encoded at once, other sequences name by name.

    Examples
    --------
    >>> encode(["x", ("y", 1), "x"], "groups")
    array([0, 1, 0])
    """
    if isinstance(names, np.ndarray) and names.ndim == 1 and len(names) > 0:
        kind = names.dtype.kind
        if kind in "iu" and names.min() >= 0 and names.max() < SPARSE * len(names):
            return renumber(names).astype(np.intp)
        if kind in "biuSU":
            return renumber(np.unique(names, return_inverse=True)[1]).astype(np.intp)
    found = listed(names, what)
    try:
        different = dict.fromkeys(found)
    except TypeError:
        item = next(item for item, name in enumerate(found) if not _is_hashable(name))
        raise InvalidInputError(
            f"{what} must hold one hashable label per item; found {found[item]!r} at {item}"
        ) from None
    codes = dict(zip(different, range(len(different)), strict=True))
    return np.fromiter(map(codes.__getitem__, found), dtype=np.intp, count=len(found))


def _is_hashable(name: object) -> bool:
    """Tell whether a name can be a key of a dictionary."""
    try:
        hash(name)
    except TypeError:
        return False
    return True


def listed(names: object, what: str) -> list[Hashable]:
    """Turn any sequence of names into a list of plain Python objects.

    Examples
    --------
    >>> listed(np.array([3, 1]), "groups")
    [3, 1]
    """
    found = names.tolist() if hasattr(names, "tolist") else names
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise InvalidInputError(f"{what} must be a sequence of labels; found {names!r}")
    return list(found)


def inside_pairs(labels: Labels) -> NDArray[np.intp]:
    """Return the pairs of items that share a label as rows ``i < j``, label by label.

    Examples
    --------
    >>> inside_pairs(np.array([0, 1, 1, 0, 1]))
    array([[0, 3],
           [1, 2],
           [1, 4],
           [2, 4]])
    """
    sizes = np.bincount(labels)
    n = int(count_pairs(sizes).sum())
    check_fits(
        NUMBER * PAIR_NUMBERS * n,
        f"the list of all {n:,} pairs that share a label",
        "Use the labels, or a higher resolution.",
    )
    by_label = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    pairs = [np.empty((0, 2), dtype=np.intp)]
    for size in np.unique(sizes):
        members = by_label[starts[sizes == size][:, None] + np.arange(size)]
        pairs.append(members[:, np.transpose(np.triu_indices(size, 1))].reshape(-1, 2))
    found = np.concatenate(pairs)
    return found[np.lexsort((found[:, 1], found[:, 0], labels[found[:, 0]]))]
