"""Neighbour graphs of points: merge touching labels unless there is a valley between them.

In a neighbour graph every patch of a cluster is densely linked inside and sparsely outside, so that
no score of whole labelings says where to stop. This one judges single interfaces. Walk through the
items of two touching labels from deep inside one to deep inside the other (in the order of the odds
that a short random walk ends in the other), and weigh the cut at every position. Inside one
cluster parallel cuts are alike; between two clusters the cut at the interface is a valley.

Edges weigh ``W_ij / max(s_i, s_j)``, s being the distance to the neighbours, so that a cut measures
the density on the cutting surface, in any dimension. In units of the mean edge of the sparser
label cuts behave like counts: their noise is constant on the scale of square roots. It is measured
on the data, at labels so small that there is nothing else to see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from spherelax.coordinate.graph import Graph
from spherelax.labels import Labels, count_labels, renumber

# Valleys count where the lower of the two maxima beside them is exp(VALLEY) times as high.
VALLEY = 0.4
# Square roots of cuts are compared after adding the noise so many times: fewer split one Gaussian,
# more merge touching ones.
NOISE_FACTOR = 1.5
# On thin curves, where labels have two neighbours only, the noise is overstated.
NOISE_CAP = 3.0
# Items of a label that shows nothing but noise, and the fewest that count.
CELL = 20
FEWEST = 5
# Labelings with more than so many times the number of such labels are not worth merging.
MOST_CELLS = 1.5
# Steps of the random walk, which stays where it is half of the time: enough to cross a label.
WALK = 60
# Only the items of the larger label that are nearest to the smaller one matter: so many times as
# many as it has, and at least so many.
REACH = 5
LEAST_REACH = 500
# Interfaces of a label that are looked at first, the strongest ones.
STRONGEST = 5
# Keeps logarithms finite where there is no cut at all.
NONE = 1e-6


def worth_merging(path: Sequence[Labels]) -> list[int]:
    """Return the steps of a path to merge: from small labels on, a repeated labeling once."""
    m = len(path[0])
    n_labels = np.array([count_labels(labels) for labels in path])
    first = int(np.abs(np.log(n_labels * CELL / m)).argmin())
    later = range(first + 1, len(path))
    return [first] + [
        step
        for step in later
        if n_labels[step] - 1 < MOST_CELLS * m / CELL
        and not np.array_equal(path[step], path[step - 1])
    ]


def merged(
    graph: Graph, labelings: Sequence[Labels], scales: NDArray[np.float64]
) -> Iterator[Labels]:
    """Merge the labels of one step after the other; the noise is measured on the first ones."""
    interfaces = _Interfaces(graph, scales)
    blur = NOISE_FACTOR * min(interfaces.noise(labelings[0]), NOISE_CAP)
    for labels in labelings:
        yield interfaces.merge(labels, blur)


def choose(labelings: Sequence[Labels], score: Callable[[Labels], float]) -> Labels:
    """Return the labels with the best score of those whose number of labels is met most often."""
    numbers, counts = np.unique([labels.max() for labels in labelings], return_counts=True)
    most = numbers[counts.argmax()]
    return max((labels for labels in labelings if labels.max() == most), key=score)


class _Interfaces:
    """Cuts between the labels of a graph; valleys are remembered from one labeling to the next."""

    def __init__(self, graph: Graph, scales: NDArray[np.float64]) -> None:
        row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
        self.graph = graph
        self.flux = graph.values / np.maximum(scales[row], scales[graph.indices])
        self.item_flux = np.bincount(row, weights=self.flux, minlength=graph.n_items)
        mean = float(graph.values.mean())
        self.item_edges = np.bincount(row, weights=graph.values, minlength=graph.n_items) / mean
        self.place = np.full(graph.n_items, -1, dtype=np.int64)
        # A set of items is known by the exclusive or of random numbers.
        self.tag = np.random.default_rng(0).integers(0, 2**62, graph.n_items)
        self.known: dict[tuple[int, int], tuple[float, float]] = {}

    def noise(self, labels: Labels) -> float:
        """Return the median over labels of the smallest dip, in square roots, to a neighbour."""
        self._look_at(labels)
        smallest = []
        for a, cuts in self.cuts.items():
            if cuts and len(self.items[a]) >= FEWEST:
                valleys = (self._valley(a, b) for b in cuts)
                smallest.append(min(2.0 * (np.sqrt(high) - np.sqrt(low)) for high, low in valleys))
        return float(np.median(smallest)) if smallest else 0.0

    def merge(self, labels: Labels, blur: float) -> Labels:
        """Merge the two labels with the shallowest valley until all are deep enough."""
        self._look_at(labels)
        depth: dict[tuple[int, int], float] = {}
        later: set[tuple[int, int]] = set()

        def measure(pair: tuple[int, int]) -> None:
            high, low = self._valley(*pair)
            depth[pair] = np.log(high + NONE) - 2.0 * np.log(np.sqrt(low) + blur + NONE)

        def measure_strongest(a: int) -> None:
            by_cut = sorted(self.cuts[a], key=self.cuts[a].__getitem__, reverse=True)
            for rank, b in enumerate(by_cut):
                pair = (min(a, b), max(a, b))
                if rank < STRONGEST:
                    measure(pair)
                    later.discard(pair)
                elif pair not in depth:
                    later.add(pair)

        for a in self.cuts:
            measure_strongest(a)
        while depth or later:
            pair = min(depth, key=depth.__getitem__) if depth else None
            if pair is not None and depth[pair] <= VALLEY:
                for a in pair:
                    for b in self.cuts[a]:
                        depth.pop((min(a, b), max(a, b)), None)
                        later.discard((min(a, b), max(a, b)))
                measure_strongest(self._unite(*pair))
            elif later:
                for other in sorted(later):
                    measure(other)
                later.clear()
            else:
                break
        found = np.empty(len(labels), dtype=np.int32)
        for label, items in enumerate(self.items.values()):
            found[items] = label
        return renumber(found)

    def _look_at(self, labels: Labels) -> None:
        """Start from labels: their items, and the cuts between them."""
        order = np.argsort(labels, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(labels))[:-1])
        self.items = dict(enumerate(parts))
        self.tags = {a: int(np.bitwise_xor.reduce(self.tag[part])) for a, part in enumerate(parts)}
        self.cuts: dict[int, dict[int, float]] = {a: {} for a in self.items}
        row = np.repeat(labels, np.diff(self.graph.indptr)).astype(np.int64)
        column = labels[self.graph.indices]
        crossing = row != column
        pairs, which = np.unique(row[crossing] * len(parts) + column[crossing], return_inverse=True)
        sums = np.bincount(which, weights=self.flux[crossing])
        for pair, cut in zip(pairs.tolist(), sums.tolist(), strict=True):
            self.cuts[pair // len(parts)][pair % len(parts)] = cut

    def _unite(self, a: int, b: int) -> int:
        """Merge the smaller of two labels into the larger one, and return that."""
        if len(self.items[a]) < len(self.items[b]):
            a, b = b, a
        for other, cut in self.cuts.pop(b).items():
            del self.cuts[other][b]
            if other != a:
                joint = self.cuts[a].get(other, 0.0) + cut
                self.cuts[a][other] = self.cuts[other][a] = joint
        self.items[a] = np.concatenate([self.items[a], self.items.pop(b)])
        self.tags[a] ^= self.tags.pop(b)
        return a

    def _valley(self, a: int, b: int) -> tuple[float, float]:
        """Return the lower maximum beside the interface, and the valley between the maxima."""
        key = (min(self.tags[a], self.tags[b]), max(self.tags[a], self.tags[b]))
        if key not in self.known:
            small, large = sorted((self.items[a], self.items[b]), key=len)
            graph, cut = self.graph, self.cuts[a][b]
            reach = min(max(LEAST_REACH, REACH * len(small)), len(large))
            near = _nearest(graph, small, large, self.place, reach)
            items = np.concatenate([small, near])
            self.place[items] = np.arange(len(items))
            high, low = _cut_through(graph, self.flux, items, len(small), self.place, cut)
            self.place[items] = -1
            unit = min(
                self.item_flux[part].sum() / self.item_edges[part].sum() for part in (small, large)
            )
            self.known[key] = high / unit, low / unit
        return self.known[key]


@njit(cache=True, nogil=True)
def _nearest(graph, small, large, place, n):
    """Return the first n items of one label that a breadth-first search from the other one meets.

    ``place`` is -1 everywhere, before and after.
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
def _walk_odds(indptr, indices, values, n_small):
    """Return the log odds that a lazy walk from each item ends in the second part.

    Both chances are followed, for relative precision; infinite where the walk reaches one part.
    """
    n = len(indptr) - 1
    chance, following = np.zeros((n, 2)), np.zeros((n, 2))
    chance[:n_small, 0] = 1.0
    chance[n_small:, 1] = 1.0
    for _ in range(WALK):
        for i in range(n):
            first, second = 0.5 * chance[i, 0], 0.5 * chance[i, 1]
            # Unsigned, an index is not looked at to see whether it counts from the end.
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                j = np.uint64(indices[e])
                first += values[e] * chance[j, 0]
                second += values[e] * chance[j, 1]
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
def _cut_through(graph, flux, items, n_small, place, cut):
    """Return the lower of the maxima of the cuts in both parts, and the smallest between them.

    The first ``n_small`` items are one label, the others the other one; ``place`` tells where an
    item is among them, or -1, and ``cut`` is the weight of their interface.
    """
    n = len(items)
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        g = items[i]
        indptr[i + 1] = indptr[i]
        for e in range(graph.indptr[g], graph.indptr[g + 1]):
            indptr[i + 1] += place[graph.indices[e]] >= 0
    indices = np.empty(indptr[n], np.int32)
    weights, halves = np.empty(indptr[n]), np.empty(indptr[n])
    for i in range(n):
        g, at, total = items[i], indptr[i], 0.0
        for e in range(graph.indptr[g], graph.indptr[g + 1]):
            j = place[graph.indices[e]]
            if j >= 0:
                indices[at], weights[at] = j, flux[e]
                total += flux[e]
                at += 1
        for e in range(indptr[i], indptr[i + 1]):
            halves[e] = 0.5 * weights[e] / total
    odds = _walk_odds(indptr, indices, halves, n_small)
    order = np.argsort(odds)
    rank = np.empty(n, np.int64)
    for at in range(n):
        rank[order[at]] = at
    cuts = np.zeros(n + 1)
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            if rank[indices[e]] > rank[i]:
                cuts[rank[i]] += weights[e]
                cuts[rank[indices[e]]] -= weights[e]
    for at in range(1, n):
        cuts[at] += cuts[at - 1]
    # Items that the walk has not left are in no order: no cuts among them.
    first, last = 0, n - 1
    for i in range(n):
        first += odds[i] == -np.inf
        last -= odds[i] == np.inf
    left, right, left_at, right_at = 0.0, 0.0, n_small - 1, n_small - 1
    for at in range(min(first, n_small - 1), n_small):
        if cuts[at] >= left:
            left, left_at = cuts[at], at
    for at in range(n_small - 1, max(last, n_small)):
        if cuts[at] > right:
            right, right_at = cuts[at], at
    valley = cut
    for at in range(left_at, right_at + 1):
        valley = min(valley, cuts[at])
    valley = max(valley, 0.0)
    return max(min(left, right), valley), valley
