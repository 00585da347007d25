"""Cuts through the items of two touching labels, compiled.

The items are put in the order of the odds that a short random walk from them ends in the one label
or in the other: from deep inside the one to deep inside the other. A cut at a position of that
order is the summed weight of the edges that join items before it to items after it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

# Steps of the random walk, which stays where it is half of the time: enough to cross a label.
WALK = 60


class _Part(NamedTuple):
    """The edges among some items, which are numbered from 0: CSR."""

    indptr: Any  # int64
    indices: Any  # int32
    weights: Any  # float64, what an edge adds to a cut between its ends
    steps: Any  # float64, the chance that the random walk takes the edge


@njit(cache=True, nogil=True)
def nearest(graph, small, large, place, n):
    """Return the first n items of ``large`` that a breadth-first search from ``small`` meets.

    ``place`` has an entry for each item of the graph, and is -1 everywhere before and after.
    """
    indptr, indices = graph.indptr, graph.indices
    for i in large:
        place[i] = -2
    found = np.empty(n, np.int64)
    n_found = 0
    for at in range(-len(small), n):
        if at >= n_found:
            break
        i = small[at + len(small)] if at < 0 else found[at]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if place[j] == -2 and n_found < n:
                place[j] = -1
                found[n_found] = j
                n_found += 1
    for i in large:
        place[i] = -1
    return found[:n_found]


@njit(cache=True, nogil=True)
def peak_and_valley(graph, edge_weights, items, n_small, place, between):
    """Return the lower of the highest cuts in both labels, and the lowest cut between these two.

    The first ``n_small`` items are those of one label, the others of the other one. ``place`` is
    the position of each item of the graph among them, or -1; ``between`` is the summed weight of
    the edges between the labels.
    """
    n = len(items)
    indptr = _count_edges(graph, items, place)
    part = _Part(indptr, np.empty(indptr[n], np.int32), np.empty(indptr[n]), np.empty(indptr[n]))
    _copy_edges(graph, edge_weights, items, place, part)
    odds = _walk_odds(part, n_small)
    cuts = _cuts(part, np.argsort(odds))
    # Items that the walk has not left are in no order: no cuts among them.
    first, last = 0, n - 1
    for i in range(n):
        first += odds[i] == -np.inf
        last -= odds[i] == np.inf
    return _extremes(cuts, n_small, first, last, between)


@njit(cache=True, nogil=True)
def _count_edges(graph, items, place):
    """Return ``indptr`` of the edges among items."""
    indptr = np.zeros(len(items) + 1, np.int64)
    for i in range(len(items)):
        g = items[i]
        indptr[i + 1] = indptr[i]
        for e in range(graph.indptr[g], graph.indptr[g + 1]):
            indptr[i + 1] += place[graph.indices[e]] >= 0
    return indptr


@njit(cache=True, nogil=True)
def _copy_edges(graph, edge_weights, items, place, part):
    """Write the edges among items into a part whose ``indptr`` is known."""
    for i in range(len(items)):
        g, at, total = items[i], part.indptr[i], 0.0
        for e in range(graph.indptr[g], graph.indptr[g + 1]):
            j = place[graph.indices[e]]
            if j >= 0:
                part.indices[at], part.weights[at] = j, edge_weights[e]
                total += edge_weights[e]
                at += 1
        for e in range(part.indptr[i], part.indptr[i + 1]):
            part.steps[e] = 0.5 * part.weights[e] / total


@njit(cache=True, nogil=True)
def _walk_odds(part, n_small):
    """Return the log odds that a random walk from each item ends in the second label.

    The chances of both ends are computed, so that neither loses its precision to the other; odds
    are infinite where the walk reaches one label only.
    """
    indptr, indices, steps = part.indptr, part.indices, part.steps
    n = len(indptr) - 1
    chance, following = np.zeros((n, 2)), np.zeros((n, 2))
    chance[:n_small, 0] = 1.0
    chance[n_small:, 1] = 1.0
    for _ in range(WALK):
        for i in range(n):
            first, second = 0.5 * chance[i, 0], 0.5 * chance[i, 1]
            # Numba tests whether signed indices are negative, that is count from the end.
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                j = np.uint64(indices[e])
                first += steps[e] * chance[j, 0]
                second += steps[e] * chance[j, 1]
            following[i, 0], following[i, 1] = first, second
        chance, following = following, chance
    odds = np.empty(n)
    for i in range(n):
        if chance[i, 1] <= 0.0:
            odds[i] = -np.inf
        elif chance[i, 0] <= 0.0:
            odds[i] = np.inf
        else:
            odds[i] = np.log(chance[i, 1]) - np.log(chance[i, 0])
    return odds


@njit(cache=True, nogil=True)
def _cuts(part, order):
    """Return the cut after each position of an order of the items."""
    n = len(order)
    rank = np.empty(n, np.int64)
    for at in range(n):
        rank[order[at]] = at
    cuts = np.zeros(n + 1)
    for i in range(n):
        for e in range(part.indptr[i], part.indptr[i + 1]):
            j = part.indices[e]
            if rank[j] > rank[i]:
                cuts[rank[i]] += part.weights[e]
                cuts[rank[j]] -= part.weights[e]
    for at in range(1, n):
        cuts[at] += cuts[at - 1]
    return cuts


@njit(cache=True, nogil=True)
def _extremes(cuts, n_small, first, last, between):
    """Return the lower of the highest cuts on both sides of ``n_small``, and the lowest between.

    Only cuts from position ``first`` to ``last - 1`` count, and the one between the labels.
    """
    left, right, left_at, right_at = 0.0, 0.0, n_small - 1, n_small - 1
    for at in range(min(first, n_small - 1), n_small):
        if cuts[at] >= left:
            left, left_at = cuts[at], at
    for at in range(n_small - 1, max(last, n_small)):
        if cuts[at] > right:
            right, right_at = cuts[at], at
    valley = between
    for at in range(left_at, right_at + 1):
        valley = min(valley, cuts[at])
    valley = max(valley, 0.0)
    return max(min(left, right), valley), valley
