"""Connected components of pairs that come in pieces, and their packing into shards.

A forest has a parent for each item, at most the item itself: so the root of a component is its
smallest item, whatever the order of the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapreplace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine import compiled

# From this number of items on, their numbers need 8 bytes.
MANY_ITEMS = 1 << 31
# Shards of a problem: enough for many workers, and a worker of a GB or two can solve each.
N_SHARDS = 64
LEAST_PAIRS, MOST_PAIRS = 1_000_000, 10_000_000


class Largest(NamedTuple):
    """How many pairs and items the component with the most pairs has."""

    n_pairs: int
    n_items: int


@dataclass(frozen=True, eq=False)
class Components:
    """Components in the order of their smallest items.

    Attributes
    ----------
    of_item : ndarray of shape (n_items,)
        Component of each item.
    n_pairs, n_items : ndarray of shape (n_components,)
        Pairs and items of each component.
    """

    of_item: NDArray[np.integer]
    n_pairs: NDArray[np.int64]
    n_items: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Forest:
    """Components of the pairs so far: 12 bytes an item, 16 from two thousand million on.

    Examples
    --------
    >>> forest = Forest.of(5)
    >>> forest.add(np.array([3, 0]), np.array([4, 3]))
    >>> forest.components().of_item.tolist(), forest.largest()
    ([0, 1, 2, 0, 0], Largest(n_pairs=2, n_items=3))
    """

    parent: NDArray[np.integer]
    n_pairs: NDArray[np.int64]

    @classmethod
    def of(cls, n_items: int) -> Forest:
        """Return a forest without pairs."""
        dtype = np.int32 if n_items < MANY_ITEMS else np.int64
        return cls(np.arange(n_items, dtype=dtype), np.zeros(n_items, dtype=np.int64))

    def add(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> None:
        """Join the items of pairs."""
        _unite(self.parent, self.n_pairs, left, right)

    def components(self) -> Components:
        """Return the components."""
        _settle(self.parent)
        is_root = self._is_root()
        number = np.cumsum(is_root, dtype=self.parent.dtype) - 1
        of_item = number[self.parent]
        return Components(of_item, self.n_pairs[is_root], np.bincount(of_item))

    def largest(self) -> Largest:
        """Return the size of the component with the most pairs."""
        _settle(self.parent)
        root = int(np.argmax(np.where(self._is_root(), self.n_pairs, -1)))
        return Largest(int(self.n_pairs[root]), int(np.count_nonzero(self.parent == root)))

    def n_components(self) -> int:
        """Return the number of components."""
        return int(np.count_nonzero(self._is_root()))

    def _is_root(self) -> NDArray[np.bool_]:
        """Tell of each item whether it is the root of its component."""
        return np.asarray(self.parent == np.arange(len(self.parent)))


def pack(
    n_pairs: NDArray[np.int64], *, max_pairs: int | None = None, n_shards: int | None = None
) -> NDArray[np.int32]:
    """Return the shard of each component.

    Components are taken in order of falling size, each into the shard that is smallest so far. A
    component with more than ``max_pairs`` gets a shard of its own; the others get as many shards as
    they would fill. One without pairs counts as one pair.

    Parameters
    ----------
    n_pairs : ndarray of shape (n_components,)
        Pairs of each component.
    max_pairs : int, optional
        Pairs of a shard, about: fewer than that plus those of its largest component. None: a 64th
        of all, but at least 1 and at most 10 million.
    n_shards : int, optional
        Number of shards instead, or that of the components if this is smaller.

    Examples
    --------
    >>> pack(np.array([1, 90, 3, 2, 0, 1]), max_pairs=4).tolist()
    [2, 0, 1, 2, 1, 2]
    """
    weight = np.maximum(n_pairs, 1)
    if n_shards is None:
        if max_pairs is None:
            max_pairs = int(np.clip(weight.sum() // N_SHARDS, LEAST_PAIRS, MOST_PAIRS))
        is_giant = weight > max_pairs
        rest = int(weight[~is_giant].sum())
        n_shards = int(np.count_nonzero(is_giant)) - -rest // max_pairs
    order = np.argsort(-weight, kind="stable")
    return _lightest(weight, order, min(n_shards, len(weight)))


@compiled
def ranks(home):
    """Return the place of each item among those of its shard.

    Examples
    --------
    >>> ranks(np.array([1, 0, 1, 1])).tolist()
    [0, 0, 1, 2]
    """
    n_before = np.zeros(home.max() + 1, dtype=np.int32)
    rank = np.empty(len(home), dtype=np.int32)
    for i in range(len(home)):
        rank[i] = n_before[home[i]]
        n_before[home[i]] += 1
    return rank


@compiled
def _root(parent, i):
    """Return the root of an item, and halve the way to it."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@compiled
def _unite(parent, n_pairs, left, right):
    """Join the items of pairs and count the pairs at the roots."""
    for e in range(len(left)):
        a, b = _root(parent, left[e]), _root(parent, right[e])
        if a != b:
            a, b = min(a, b), max(a, b)
            parent[b] = a
            n_pairs[a] += n_pairs[b]
        n_pairs[a] += 1


@compiled
def _settle(parent):
    """Make the root of each item its parent; that of a smaller item is known already."""
    for i in range(len(parent)):
        parent[i] = parent[parent[i]]


@compiled
def _lightest(weight, order, n_shards):
    """Put each component into the shard that is lightest so far."""
    shard = np.empty(len(weight), dtype=np.int32)
    loads = [(0, s) for s in range(n_shards)]
    for c in order:
        load, s = loads[0]
        shard[c] = s
        heapreplace(loads, (load + weight[c], s))
    return shard
