"""Compiled loops over the neighbours of items, the items with which they have a similarity.

A graph is any named tuple with the fields ``indptr``, ``indices`` and ``values`` of compressed
sparse rows: the `Graph` of a problem, or a `Level` of labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spherelax.coordinate.compiled import compiled
from spherelax.coordinate.prefetch import AHEAD, prefetch

# What stands for 0 where similarities, of which some are negative, cancel: it still is a sum.
CANCELLED = np.float32(1e-30)


class Sums(NamedTuple):
    """Sums of similarities by label, and the labels that have one."""

    x: Any  # float (n_labels), 0 before `gather`; whoever calls it sets its entries to 0 again
    touched: Any  # int32, labels with a sum in order of first appearance, room for all of them


@compiled
def gather(graph, labels, i, sums, n):
    """Add the similarities of item i to the sums of its neighbours' labels.

    Reads the graph and ``labels``, writes ``sums``. ``n`` labels have a sum before; the number
    after is returned.
    """
    x, touched = sums.x, sums.touched
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    for e in range(indptr[i], indptr[i + 1]):
        c = labels[indices[e]]
        if x[c] == 0.0:
            touched[n] = c
            n += 1
        x[c] += values[e]
        if x[c] == 0.0:
            x[c] = CANCELLED
    return n


@compiled
def fetch_ahead(at, order, graph, labels):
    """Fetch what visits after position ``at`` need: similarities, then labels of neighbours."""
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    last = len(order) - 1
    i = order[min(at + 3 * AHEAD, last)]
    prefetch(indptr, i)
    i = order[min(at + 2 * AHEAD, last)]
    prefetch(indices, indptr[i])
    prefetch(values, indptr[i])
    i = order[min(at + AHEAD, last)]
    for e in range(indptr[i], indptr[i + 1]):
        prefetch(labels, indices[e])


@compiled
def activate_neighbors(graph, i, active):
    """Mark the neighbours of item i in ``active``: they must be visited again."""
    indptr, indices = graph.indptr, graph.indices
    for e in range(indptr[i], indptr[i + 1]):
        active[indices[e]] = True


@compiled
def n_above(graph, floor):
    """Return how many similarities above a floor each item has."""
    counts = np.zeros(len(graph.members), dtype=np.int64)
    for i in range(len(counts)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            counts[i] += graph.values[e] > floor
    return counts


@compiled
def degrees(graph):
    """Return the summed similarity of each item."""
    sums = np.zeros(len(graph.members))
    for i in range(len(sums)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            sums[i] += graph.values[e]
    return sums


@compiled
def strongest_pull(graph):
    """Return for each item the largest ``W_ij / (n_i n_j)``.

    It is the highest resolution at which joining one neighbour raises the objective.
    """
    level = np.zeros(len(graph.members), np.float32)
    for i in range(len(level)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            ratio = graph.values[e] / (graph.weight[i] * graph.weight[graph.indices[e]])
            level[i] = max(level[i], ratio)
    return level


@compiled
def components(indptr, indices):
    """Return the connected component of each item, numbered in order of first appearance."""
    m = len(indptr) - 1
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
                if component[j] < 0:
                    component[j], stack[depth] = n, j
                    depth += 1
        n += 1
    return component


@compiled
def in_order(keys, items, n_keys):
    """Return items sorted by their keys, all below ``n_keys``; those of one key stay in order."""
    at = np.zeros(n_keys + 1, np.int64)
    for i in items:
        at[keys[i] + 1] += 1
    for key in range(n_keys):
        at[key + 1] += at[key]
    found = np.empty_like(items)
    for i in items:
        found[at[keys[i]]] = i
        at[keys[i]] += 1
    return found
