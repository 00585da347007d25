"""Cuts through the items of two touching labels, compiled.

The items are put in order, from deep inside the one label to deep inside the other. A cut at a
position of that order is the summed weight of the edges that join items before it to items after
it. Items are ordered by the odds that a short random walk from them ends in the one label or in the
other. Farther from the border than the walk comes these odds say little, and cuts there are longer
than they need be. So cells, and the items of labels that are deep or longer than wide, are ordered
by their potential when a current enters at all items of the one label and leaves at all items of
the other. A potential is smooth, which makes short cuts at any distance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine.compiled import compiled

# Steps of the random walk, which stays where it is half of the time: enough to cross a label.
WALK = 60
# A label is deep if an item is more edges away from the other label than this multiple of the
# distance that the walk comes on average, the square root of its moves.
FAR = 2.0
# Where items are ordered by potential, the peak of a label is the largest moving average of its
# cuts: of many cuts, single ones are high by chance. The window is a share of the cuts. The longer
# a label is for its width, the more cuts it has: the share is WINDOW times its length in widths, at
# most MOST_WINDOW; of cells, which are as long as wide, twice WINDOW.
WINDOW = 0.05
MOST_WINDOW = 0.5
# The share of the current through an item that leaks, so that every part has a potential.
LEAK = 1e-6
# Conjugate gradients end when the error of the potential is the share ENOUGH of the first one, or
# after this number of rounds.
ENOUGH = 1e-2
ROUNDS = 300


class _Part(NamedTuple):
    """The edges among some items, which are numbered from 0: CSR."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.float64]  # what an edge adds to a cut between its ends
    steps: NDArray[np.float64]  # the chance that the random walk takes the edge


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

    The first ``n_small`` items are of the one label, the rest is of the other. ``place`` is
    the position of each item of the graph among them, or -1; ``between`` is the summed weight of
    the edges between the labels; ``has_cells`` tells whether items are cells.
    """
    n = len(items)
    indptr = _count_edges(graph, items, place)
    part = _Part(indptr, np.empty(indptr[n], np.int32), np.empty(indptr[n]), np.empty(indptr[n]))
    _copy_edges(graph, edge_weights, items, place, part)
    distance = _distance(part, n_small)
    depth, length = _extent(distance, n_small)
    share = 2.0 * WINDOW if has_cells else min(WINDOW * length, MOST_WINDOW)
    if has_cells or length > 1.0 or depth > FAR * np.sqrt(WALK / 2):
        place_of_item = _potential(part, n_small, distance)
    else:
        place_of_item, share = _walk_odds(part, n_small), 0.0
    cuts = _cuts(part, np.argsort(place_of_item))
    # Items from which the other label is out of reach are in no order: no cuts among them.
    first, last = 0, n - 1
    for i in range(n):
        first += place_of_item[i] == -np.inf
        last -= place_of_item[i] == np.inf
    return _extremes(cuts, n_small, first, last, between, share)


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
def _extent(distance, n_small):
    """Return how many edges deep the deeper of two labels is, and the larger ratio of its sides.

    A label that is d edges deep and has n items is n / d items wide.
    """
    farthest = np.zeros(2)
    for i in range(len(distance)):
        if np.isfinite(distance[i]):
            side = int(i < n_small)
            farthest[side] = max(farthest[side], abs(distance[i]))
    n_large = len(distance) - n_small
    ratio = max(farthest[1] ** 2 / n_small, farthest[0] ** 2 / n_large)
    return max(farthest[0], farthest[1]), ratio


@compiled(allocates=True)
def _potential(part, n_small, distance):
    """Return the potential of each item when one unit of current goes from one label to the other.

    It enters in equal parts at the items of the second label and leaves at the items of the first.
    Edges conduct by their weight. Found by conjugate gradients; where there is no way to the other
    label, it is infinite, as the distance is.
    """
    n = len(distance)
    conductance = _conductance(part)
    found, residual = np.zeros(n), np.full(n, 1.0 / (n - n_small))
    residual[:n_small] = -1.0 / n_small
    scaled = residual / conductance
    direction = scaled.copy()
    error = (residual * scaled).sum()
    enough = ENOUGH**2 * error
    for _ in range(ROUNDS):
        if error <= enough:
            break
        current = _current(part, conductance, direction)
        step = error / (direction * current).sum()
        found += step * direction
        residual -= step * current
        scaled = residual / conductance
        before, error = error, (residual * scaled).sum()
        direction = scaled + error / before * direction
    for i in range(n):
        if np.isinf(distance[i]):
            found[i] = distance[i]
    return found


@compiled(allocates=True)
def _conductance(part):
    """Return the summed weight of the edges of each item, and of its leak; 1 without edges."""
    summed = np.ones(len(part.indptr) - 1)
    for i in range(len(summed)):
        if part.indptr[i + 1] > part.indptr[i]:
            summed[i] = part.weights[part.indptr[i] : part.indptr[i + 1]].sum() * (1.0 + LEAK)
    return summed


@compiled(allocates=True)
def _current(part, conductance, potential):
    """Return the current out of each item at given potentials."""
    indptr, indices, weights = part.indptr, part.indices, part.weights
    current = conductance * potential
    for i in range(len(current)):
        inflow = 0.0
        # Numba tests whether signed indices are negative, that is count from the end.
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            inflow += weights[e] * potential[np.uint64(indices[e])]
        current[i] -= inflow
    return current


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
    """Return the largest moving average of cuts, and the first cut of its window.

    The width of the window is a share of the cuts.
    """
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
