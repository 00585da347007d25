"""Compiled loops over the neighbours of items, the items with which they have a similarity.

A graph is any named tuple with the fields ``indptr``, ``indices`` and ``values`` of compressed
sparse rows: the `Graph` of a problem, or a `Level` of labels.

Where it counts, indices are unsigned, so that none can be meant from the end of an array, and there
are no branches that depend on what is read: both cost as much as the sums themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.machine.prefetch import prefetch

# What stands for 0 where a number must not be 0: for a sum in which positive and negative
# similarities cancel, and for the activation level 0 where its sign says something. Similarities
# below this share of the largest are left out: in single precision, products of two are zero.
TINY = np.float32(1e-30)


class Sums(NamedTuple):
    """Sums of similarities by label, and the labels that have one."""

    # 0 before `gather`; whoever calls it sets its entries to 0 again
    x: NDArray[np.floating]
    # labels with a sum in order of first appearance, room for one more
    touched: NDArray[np.int32]


class Entries(NamedTuple):
    """Entries of a matrix."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.floating]


@compiled
def gather(graph, labels, i, sums, n):
    """Add the similarities of item i to the sums of its neighbours' labels.

    Reads the graph and ``labels``, writes ``sums``. ``n`` labels have a sum before; the number
    after is returned.
    """
    x, touched = sums.x, sums.touched
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    n = np.uint64(n)
    for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        c = np.uint64(labels[np.uint64(indices[e])])
        before = x[c]
        touched[n] = c
        n += np.uint64(before == 0.0)
        after = before + values[e]
        x[c] = TINY if after == 0.0 else after
    return np.int64(n)


@compiled
def fetch_ahead(next_one, later, last, graph, labels):
    """Fetch what visits of items need: ``AHEAD`` visits from now, twice and three times as many.

    First their place, then their similarities, then the labels of their neighbours.
    """
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    prefetch(indptr, last)
    prefetch(indices, indptr[later])
    prefetch(values, indptr[later])
    for e in range(indptr[next_one], indptr[next_one + 1]):
        prefetch(labels, indices[e])


@compiled
def activate_neighbors(graph, i, active):
    """Mark the neighbours of item i in ``active``: they must be visited again."""
    indptr, indices = graph.indptr, graph.indices
    for e in range(indptr[i], indptr[i + 1]):
        active[indices[e]] = True


@compiled
def longest(ptr):
    """Return the number of entries of the longest of the rows, or parts, that begin so."""
    found = np.int64(0)
    for i in range(len(ptr) - 1):
        found = max(found, np.int64(ptr[i + 1]) - np.int64(ptr[i]))
    return found


@compiled
def strengths(graph):
    """Return the summed similarity of each item."""
    sums = np.zeros(len(graph.weight))
    for i in range(len(sums)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            sums[i] += graph.values[e]
    return sums


@compiled
def n_up_to(floors, values):
    """Return of each value how many of some floors, which rise, are at most as large.

    The same as ``np.searchsorted(floors, values, side="right")``, without branches.
    """
    found = np.empty(len(values), np.int64)
    for i in range(len(values)):
        value, begin, n = values[i], 0, len(floors)
        while n > 1:
            half = n >> 1
            begin += half if floors[begin + half - 1] <= value else 0
            n -= half
        found[i] = begin + (n > 0 and floors[begin] <= value)
    return found


@compiled
def remove_effects(indptr, indices, scores, n_rounds):
    """Take the effects of both items off each score.

    Returns the squares of what is left and of the effects, summed for each item. An effect is the
    mean of what the effects of other items leave, with one score of 0 added.
    """
    m = len(indptr) - 1
    effect, new, own = np.zeros(m), np.zeros(m), np.zeros(m)
    for i in range(m):
        for e in range(indptr[i], indptr[i + 1]):
            own[i] += scores[e]
    for _ in range(n_rounds):
        for i in range(m):
            total = own[i]
            for e in range(indptr[i], indptr[i + 1]):
                total -= effect[indices[e]]
            new[i] = 0.5 * effect[i] + 0.5 * total / (indptr[i + 1] - indptr[i] + 1)
        effect, new = new, effect
    for i in range(m):
        new[i] = effect[i] * effect[i]
        for e in range(indptr[i], indptr[i + 1]):
            scores[e] -= effect[i] + effect[indices[e]]
            new[i] += 0.5 * scores[e] * scores[e]
    return new


@compiled
def strongest_pull(graph):
    """Return for each item the largest ``W_ij / (n_i n_j)``.

    It is the highest resolution at which joining one neighbour raises the objective.
    """
    level = np.zeros(len(graph.weight), np.float32)
    for i in range(len(level)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            ratio = graph.values[e] / (graph.weight[i] * graph.weight[graph.indices[e]])
            level[i] = max(level[i], ratio)
    return level


@compiled
def components(indptr, indices, group):
    """Return the connected component of each item, numbered in order of first appearance.

    Neighbours of the same group do not count; if there are no groups, ``group`` is empty.
    """
    m, grouped = len(indptr) - 1, len(group) > 0
    component, stack = np.full(m, -1, np.int32), np.empty(m, np.int32)
    n = 0
    for start in range(m):
        if component[start] >= 0:
            continue
        component[start], stack[0], depth = n, start, 1
        while depth > 0:
            depth -= 1
            i = stack[depth]
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                if component[j] < 0 and not (grouped and group[i] == group[j]):
                    component[j], stack[depth] = n, j
                    depth += 1
        n += 1
    return component


def begins_of(sizes: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return where parts of these sizes begin, one after the other, and where the last one ends."""
    return np.cumsum(np.r_[0, sizes], dtype=np.int32)


def places_of(order: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return the place of each item in an order of all items."""
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def in_order(keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the items in order of their keys, and where the items of each key begin.

    Keys are small numbers, of which none is missing; the items of one key stay in order.

    Examples
    --------
    >>> in_order(np.int32([1, 0, 1]))
    (array([1, 0, 2], dtype=int32), array([0, 1, 3], dtype=int32))
    """
    begins = begins_of(np.bincount(keys))
    found = np.empty_like(keys)
    _place(keys, begins.copy(), found)
    return found, begins


@compiled
def _place(keys, ends, found):
    """Write the items in order of their keys; the next of each key goes to ``ends``."""
    for i in range(len(keys)):
        found[ends[keys[i]]] = i
        ends[keys[i]] += 1


@compiled
def enter_transposed(block, ends, indices, values):
    """Enter entries of rising rows into their columns, each at the end of its column.

    So the neighbours of each item come in order.
    """
    rows, columns, found = block.rows, block.columns, block.values
    for e in range(len(rows)):
        at = ends[columns[e]]
        indices[at], values[at] = rows[e], found[e]
        ends[columns[e]] = at + 1
