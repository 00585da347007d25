"""An order of the items that does not depend on the one in which they were given.

Every item gets a key from what it is similar to: how many items, which of them more and which
less, and the keys of these, round after round (the refinement of Weisfeiler and Leman). Only the
order of the similarities of an item counts, and only its own component: any rising function of the
similarities, and whatever lies beside, leaves its order as it is. Items with equal keys can
hardly be told apart at all; they stay in the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.hashing import Keys, mix
from spherelax.coordinate.graph.neighbors import begins_of, in_order, places_of
from spherelax.coordinate.graph.source import BLOCK_ENTRIES, Rows
from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.machine.prefetch import prefetch

# Rounds at most. They end before if no more items can be told apart: after a few, unless there are
# long chains of equal similarities.
ROUNDS = 32
# How many similarities before it is needed a key is fetched into the cache.
FAR = np.uint64(64)

Ints = NDArray[np.int32]

_mix: Any = compiled(mix)  # of one number here, of arrays elsewhere


class Order(NamedTuple):
    """Items in some order, and where components and units begin in it, as in a `Graph`."""

    items: Ints
    component_ptr: Ints
    unit_ptr: Ints


def canonical(rows: Rows, begin: Order) -> Order:
    """Return items by component, unit and key; the values of rows become ranks in their row.

    ``begin`` has components and units in the order of the rows, which items are numbered by.
    Small components come first. Of items or units with equal keys, that with the smaller largest
    similarity does; of components, after that, the one whose groups have the smaller keys.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> [
    ...     build_graph(Problem.check(W[np.ix_(order, order)])).indices.tolist()
    ...     for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2])
    ... ]
    [[1, 0, 2, 1], [1, 0, 2, 1], [1, 0, 2, 1]]
    """
    largest = _largest(rows)
    _rank(rows)
    keys = _keys(rows, begin)
    everywhere = _everywhere(rows, keys)
    sizes, unit_sizes = np.diff(begin.component_ptr), np.diff(begin.unit_ptr)
    components = _sort(begin.component_ptr, keys, largest, everywhere, sizes)
    rank = np.repeat(places_of(components), sizes)[begin.unit_ptr[:-1]]
    items = units = _sort(begin.unit_ptr, keys, largest, keys, rank)
    if len(rows.group):
        items = np.lexsort((largest, keys, np.repeat(places_of(units), unit_sizes)))
    ptrs = begins_of(sizes[components]), begins_of(unit_sizes[units])
    return Order(items.astype(np.int32), *ptrs)


def _sort(
    ptr: Ints,
    keys: Keys,
    largest: NDArray[np.float32],
    everywhere: Keys,
    first: NDArray[np.integer],
) -> NDArray[np.intp]:
    """Return parts, of which none is empty, by a first number and by what their items have."""
    if len(ptr) <= len(keys):  # else each part is one item
        begins = ptr[:-1]
        largest = np.maximum.reduceat(largest, begins)
        everywhere, keys = np.add.reduceat(everywhere, begins), np.add.reduceat(keys, begins)
    return np.lexsort((everywhere, largest, keys, first))


def _largest(rows: Rows) -> NDArray[np.float32]:
    """Return the largest similarity of each item; 0 if it has none."""
    largest, has = np.zeros(len(rows.indptr) - 1, dtype=np.float32), np.diff(rows.indptr) > 0
    if has.any():
        largest[has] = np.maximum.reduceat(rows.values, rows.indptr[:-1][has])
    return largest


def _rank(rows: Rows) -> None:
    """Replace each similarity by how many different ones of its row are smaller."""
    values = rows.values
    if len(values) == 0 or values.min() == values.max():
        values[:] = 0.0
        return
    for first, last in _blocks(rows.indptr):
        part = slice(rows.indptr[first], rows.indptr[last])
        row = np.repeat(np.arange(last - first), np.diff(rows.indptr[first : last + 1]))
        order = np.lexsort((values[part], row))
        found, row = values[part][order], row[order]
        is_new = np.r_[True, found[1:] != found[:-1]]
        begins = np.r_[True, row[1:] != row[:-1]]
        step = np.cumsum(is_new | begins)
        ranks = np.empty_like(found)
        ranks[order] = step - step[begins][np.cumsum(begins) - 1]
        values[part] = ranks


def _blocks(indptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut rows into blocks of about the same number of entries."""
    marks = np.arange(0, indptr[-1], BLOCK_ENTRIES)
    cuts = np.unique(np.r_[np.searchsorted(indptr, marks), len(indptr) - 1]).tolist()
    yield from pairwise(cuts)


def _keys(rows: Rows, begin: Order) -> Keys:
    """Return the keys of all items: in each component refined until that tells no more apart."""
    keys = _as_seen(len(rows.indptr) - 1, rows.indices, rows.values)
    sizes = np.diff(begin.component_ptr)
    component = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    active, n_before = np.ones(len(sizes), dtype=np.bool_), np.zeros(len(sizes), dtype=np.intp)
    for _ in range(ROUNDS):
        keys = _refine(rows, begin.unit_ptr, active[component], keys)
        n = _n_distinct(keys, component)
        active &= (n > n_before) & (n < sizes)
        n_before = n
        if not active.any():
            break
    return keys


def _n_distinct(keys: Keys, component: Ints) -> NDArray[np.intp]:
    """Return how many different keys each component has."""
    by_key = np.argsort(keys).astype(np.int32)
    order = in_order(component[by_key])[0]
    np.take(by_key, order, out=order)
    return _count_new(keys, component, order)


def _everywhere(rows: Rows, keys: Keys) -> Keys:
    """Return keys that also depend on what else the group of an item holds, in all components.

    Items that are similar to nothing do not count.
    """
    if len(rows.group) == 0:
        return keys
    of_group = np.zeros(int(rows.group.max()) + 1, dtype=np.uint64)
    np.add.at(of_group, rows.group, np.where(np.diff(rows.indptr) > 0, keys, np.uint64(0)))
    return np.asarray(keys * (of_group[rows.group] | np.uint64(1)))


@compiled
def _count_new(keys, component, order):
    """Count in each component the items, in some order, that have not the key of the one before."""
    found = np.zeros(component.max() + 1, np.int64)
    for at in range(len(order)):
        i, before = order[at], order[max(at - 1, 0)]
        found[component[i]] += (
            (at == 0) | (keys[i] != keys[before]) | (component[i] != component[before])
        )
    return found


@compiled
def _as_seen(m, indices, ranks):
    """Return keys that tell which ranks each item has among the neighbours of its neighbours."""
    found, last = np.zeros(m, np.uint64), np.uint64(len(indices) - 1)
    for e in range(np.uint64(len(indices))):
        prefetch(found, indices[min(e + FAR, last)])
        found[np.uint64(indices[e])] += _mix(np.uint64(1.0 + ranks[e]))
    return found


@compiled
def _refine(rows, unit_ptr, active, keys):
    """Return keys that also tell which keys the neighbours of an active item and its unit have.

    Sums do not depend on the order of what is added, and overflow is no loss.
    """
    indptr, indices, ranks = rows.indptr, rows.indices, rows.values
    step, found, last = np.uint64(0x9E3779B97F4A7C15), keys.copy(), np.uint64(len(indices) - 1)
    for i in range(len(keys)):
        if active[i]:
            total = np.uint64(1 + indptr[i + 1] - indptr[i])
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                prefetch(keys, indices[min(e + FAR, last)])
                total += _mix(keys[np.uint64(indices[e])] + step * np.uint64(1.0 + ranks[e]))
            found[i] = _mix(keys[i] + step * _mix(total))
    for unit in range(len(unit_ptr) - 1):
        begin, end = unit_ptr[unit], unit_ptr[unit + 1]
        if active[begin] and end - begin > 1:
            total = np.uint64(0)
            for i in range(begin, end):
                total += found[i]
            for i in range(begin, end):
                found[i] = _mix(found[i] + step * _mix(total))
    return found


@compiled
def keys_of_rows(indptr, items, bits):
    """Return a key of each row: of its items, but those below 0, and the bits of similarities."""
    found = np.zeros(len(indptr) - 1, np.uint64)
    for i in range(len(found)):
        for e in range(indptr[i], indptr[i + 1]):
            if items[e] < 0:
                continue
            found[i] += _mix((np.uint64(items[e]) << np.uint64(32)) + np.uint64(bits[e]))
    return found
