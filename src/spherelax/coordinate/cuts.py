"""Cuts through the items of two touching labels, compiled.

The items are put in order, from deep inside the one label to deep inside the other. A cut at a
position of that order is the summed weight of the edges that join items before it to items after
it. Items are ordered by the odds that a short random walk from them ends in the one label or in the
other. Far from the border these odds say little, and cuts there are longer than they need be. So
cells, and the items of labels that are longer than wide, are ordered by the number of edges to the
other label, averaged over the ends of such a walk, which makes straight cuts at any distance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spherelax.coordinate.compiled import compiled

# Steps of the random walk, which stays where it is half of the time: enough to cross a label.
WALK = 60
# Where items are ordered by distance, the peak is the mean of this share of the cuts of a label,
# side by side: of many cuts, single ones are high by chance.
WIDE = 0.1
# A label is longer than wide if an item is more edges away from the other label than this multiple
# of the square root of the number of its items.
LONG = 1.0


class _Part(NamedTuple):
    """The edges among some items, which are numbered from 0: CSR."""

    indptr: Any  # int64
    indices: Any  # int32
    weights: Any  # float64, what an edge adds to a cut between its ends
    steps: Any  # float64, the chance that the random walk takes the edge


@compiled
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


@compiled
def peak_and_valley(graph, edge_weights, items, n_small, place, between, has_cells):
    """Return the lower of the peaks in both labels, and the lowest cut between these two.

    The first ``n_small`` items are those of one label, the others of the other one. ``place`` is
    the position of each item of the graph among them, or -1; ``between`` is the summed weight of
    the edges between the labels; ``has_cells`` tells whether items are cells.
    """
    n = len(items)
    indptr = _count_edges(graph, items, place)
    part = _Part(indptr, np.empty(indptr[n], np.int32), np.empty(indptr[n]), np.empty(indptr[n]))
    _copy_edges(graph, edge_weights, items, place, part)
    distance = _distance(part, n_small)
    by_distance = has_cells or _is_long(distance, n_small)
    depth = _walk_mean(part, distance) if by_distance else _walk_odds(part, n_small)
    cuts = _cuts(part, np.argsort(depth))
    # Items from which the other label is out of reach are in no order: no cuts among them.
    first, last = 0, n - 1
    for i in range(n):
        first += depth[i] == -np.inf
        last -= depth[i] == np.inf
    return _extremes(cuts, n_small, first, last, between, WIDE if by_distance else 0.0)


@compiled(allocates=True)
def _count_edges(graph, items, place):
    """Return ``indptr`` of the edges among items."""
    indptr = np.zeros(len(items) + 1, np.int64)
    for i in range(len(items)):
        g = items[i]
        indptr[i + 1] = indptr[i]
        for e in range(graph.indptr[g], graph.indptr[g + 1]):
            indptr[i + 1] += place[graph.indices[e]] >= 0
    return indptr


@compiled
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


@compiled(allocates=True)
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


@compiled(allocates=True)
def _is_long(distance, n_small):
    """Tell whether one of two labels is longer than wide."""
    farthest = np.zeros(2)
    for i in range(len(distance)):
        if np.isfinite(distance[i]):
            side = int(i < n_small)
            farthest[side] = max(farthest[side], abs(distance[i]))
    n_large = len(distance) - n_small
    return max(farthest[1] / np.sqrt(n_small), farthest[0] / np.sqrt(n_large)) > LONG


@compiled(allocates=True)
def _walk_mean(part, distance):
    """Return the distance to the other label, averaged over the ends of a random walk.

    Distances are negative in the first label, and infinite where there is no way.
    """
    indptr, indices, steps = part.indptr, part.indices, part.steps
    mean, following = distance.copy(), np.empty_like(distance)
    for _ in range(WALK):
        for i in range(len(mean)):
            total = 0.5 * mean[i]
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                total += steps[e] * mean[np.uint64(indices[e])]
            following[i] = total
        mean, following = following, mean
    return mean


@compiled(allocates=True)
def _distance(part, n_small):
    """Return the number of edges from each item to the middle of the edges between the labels."""
    indptr, indices = part.indptr, part.indices
    n = len(indptr) - 1
    distance = np.full(n, np.inf)
    distance[:n_small] = -np.inf
    queue, n_queued = np.empty(n, np.int64), 0
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            if (i < n_small) != (indices[e] < n_small):
                distance[i] = -0.5 if i < n_small else 0.5
                queue[n_queued] = i
                n_queued += 1
                break
    for at in range(n):
        if at >= n_queued:
            break
        i = queue[at]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if np.isinf(distance[j]):
                distance[j] = distance[i] + np.sign(distance[i])
                queue[n_queued] = j
                n_queued += 1
    return distance


@compiled(allocates=True)
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


@compiled(allocates=True)
def _extremes(cuts, n_small, first, last, between, share):
    """Return the lower of the peaks on both sides of ``n_small``, and the lowest cut between them.

    Only cuts from position ``first`` to ``last - 1`` count, and the one between the labels.
    """
    border = n_small - 1
    left, n_left = _peak(cuts[min(first, border) : n_small][::-1].copy(), share)
    right, n_right = _peak(cuts[border : max(last, n_small)].copy(), share)
    valley = between
    for at in range(border - n_left, border + n_right + 1):
        valley = min(valley, cuts[at])
    valley = max(valley, 0.0)
    return max(min(left, right), valley), valley


@compiled
def _peak(cuts, share):
    """Return the largest mean of a share of the cuts, side by side, and the first of them."""
    width = max(int(share * len(cuts)), 1)
    total = 0.0
    for at in range(width):
        total += cuts[at]
    largest, first = total, 0
    for at in range(width, len(cuts)):
        total += cuts[at] - cuts[at - width]
        if total > largest:
            largest, first = total, at - width + 1
    return largest / width, first
