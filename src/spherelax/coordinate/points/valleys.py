"""Neighbour graphs of points: merge touching labels unless there is a valley between them.

In a neighbour graph every patch of a cluster has many edges inside and few to the outside, like a
cluster, so that no score of whole labelings says where to stop merging. Here single pairs of
touching labels are judged. Their items are put in order, from deep inside one label to deep inside
the other, and the cut at every position is weighed (cuts.py). Inside one cluster neighbouring cuts
weigh about the same; between two clusters there is a valley, cuts that weigh less than the cuts
on both sides.

An edge weighs ``W_ij / max(s_i, s_j)``, s being the distance to the neighbours, so that a cut
measures the density of points on the cutting surface, in any dimension. In units of the mean edge
of the sparser label cuts behave like counts: the noise of their square roots does not depend on
their size. It is measured on the data, at labels so small that they show nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Contraction, Graph, contract, hash_numbers
from spherelax.coordinate.points.borders import NONE
from spherelax.coordinate.points.cuts import nearest, peak_and_valley
from spherelax.labels import Labels, count_labels, renumber

# More items than MOST_ITEMS are contracted to at most N_CELLS cells before they are looked at: with
# fewer cells an item, a small cluster would be a few cells only.
MOST_ITEMS = 1 << 13
N_CELLS = 1 << 10
# A valley counts if the lower of the two peaks beside it is more than exp(VALLEY) times as high.
VALLEY = 0.4
# Between labels with thin borders of a wide graph, whose edges bridge valleys, this is enough.
SHALLOW = 0.1
# This number times the noise, times how far the deepest of all dips lies beyond a usual one, is
# added to the square root of a valley before it is compared: a smaller one splits one Gaussian, a
# larger one merges touching ones.
NOISE_FACTOR = 0.5
# The noise of points that are spread evenly at random, and the number of labels it counts as: what
# a few labels show of noise is noise itself.
EVEN_NOISE = 2.7
EVEN_LABELS = 10
# The most that the noise of cells may be: on thin curves, where they have two neighbours only, it
# is measured too high.
NOISE_CAP = 3.0
# Number of items of a label that shows nothing but noise.
CELL = 20
# Of the larger label only the items nearest to the smaller one are looked at: REACH times the
# number that the smaller one has, and at least LEAST_REACH.
REACH = 5
LEAST_REACH = 500
# How deep the valley counts between labels that do not even touch.
DEEP = 2.0

Pair = tuple[int, int]


class Field(NamedTuple):
    """Where valleys are looked for: a graph of items, or of cells of items, and what edges weigh.

    Attributes
    ----------
    graph : Graph
        Items, or cells with the summed similarities between them.
    edge_weights : ndarray
        What each edge adds to a cut between its ends, in the order of the graph.
    item_weights, item_edges : ndarray of shape (n_items,)
        What the edges of each item weigh, with the edges inside a cell, and their similarity in
        units of the mean edge.
    has_cells : bool
        Whether items are cells.
    """

    graph: Graph
    edge_weights: NDArray[np.float64]
    item_weights: NDArray[np.float64]
    item_edges: NDArray[np.float64]
    has_cells: bool = False

    @classmethod
    def of(cls, graph: Graph, scales: NDArray[np.float64]) -> Field:
        """Weigh the edges of a graph by the distances of points to their neighbours."""
        m, row = graph.n_items, graph.rows()
        edge_weights = graph.values / np.maximum(scales[row], scales[graph.indices])
        mean = float(graph.values.mean()) if len(graph.values) else 1.0
        return cls(
            graph,
            edge_weights,
            np.bincount(row, weights=edge_weights, minlength=m).astype(float),
            np.bincount(row, weights=graph.values, minlength=m) / mean,
        )

    @property
    def bundle(self) -> float:
        """How many edges one edge of the graph stands for: 1, and more between cells."""
        return float(self.item_edges.sum()) / max(len(self.edge_weights), 1)

    def contract(self, by: Contraction) -> Field:
        """Return the field whose items are the labels of a contraction of its graph."""
        return Field(
            by.graph,
            by.sum_entries(self.edge_weights),
            by.sum_items(self.item_weights),
            by.sum_items(self.item_edges),
            has_cells=True,
        )


def steps_to_merge(path: Sequence[Labels], n_isolated: int = 0) -> list[int]:
    """Return the steps of a path whose labels are merged: the first with about CELL items a label.

    Later ones too, unless they have the same labels as the step before. Isolated items and their
    labels do not count.
    """
    m = max(len(path[0]) - n_isolated, 1)
    n_labels = np.array([max(count_labels(labels) - n_isolated, 1) for labels in path])
    first = int(np.abs(np.log(n_labels * CELL / m)).argmin())
    later = range(first + 1, len(path))
    return [first] + [step for step in later if not np.array_equal(path[step], path[step - 1])]


class Between(NamedTuple):
    """The valleys between touching labels.

    Attributes
    ----------
    one, other : ndarray of shape (n_pairs,)
        Labels that touch, each two once.
    depth : ndarray of shape (n_pairs,)
        How deep the valley between them is: the logarithm of how much higher the peaks are.
    seen : list of float
        The depths that count: of the valleys across which labels merge to one, the shallowest
        first, those deeper than `VALLEY`.
    """

    one: NDArray[np.intp]
    other: NDArray[np.intp]
    depth: NDArray[np.float64]
    seen: list[float]

    @classmethod
    def none(cls) -> Between:
        """Return the valleys of labels that do not touch."""
        return cls(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0), [])


def choose(labelings: Sequence[Labels], score: Callable[[Labels], float]) -> Labels:
    """Return the labels with the best score among those with the commonest number of labels."""
    numbers, counts = np.unique([labels.max() for labels in labelings], return_counts=True)
    most = numbers[counts.argmax()]
    return max((labels for labels in labelings if labels.max() == most), key=score)


@dataclass(frozen=True, eq=False)
class Valleys:
    """Valleys between labels of a field, beyond the noise that its finest labels show.

    The noise is measured once, when it is first needed.
    """

    field: Field
    finest: Labels

    @cached_property
    def _measured(self) -> tuple[float, dict[Pair, tuple[float, float]]]:
        """What noise adds to the square root of a valley, and the valleys it was measured on."""
        merging = _Merging(self.field, 0.0, {})
        return blur(self.field, merging.noise(self.finest)), merging.known

    def _begin(self) -> _Merging:
        noise, known = self._measured
        return _Merging(self.field, noise, known.copy())

    def merge(self, labelings: Iterable[Labels], *, deepest: float = VALLEY) -> Iterator[Labels]:
        """Merge the labels of one labeling after the other, until all valleys are deeper."""
        merging = self._begin()
        for labels in labelings:
            yield merging.merge(labels, deepest)

    def between(self, labels: Labels) -> Between:
        """Return the valleys between labels; labels that touch no other count as deep."""
        found = sorted(self._begin().depths(labels))
        root, merged = list(range(count_labels(labels))), []
        for depth, a, b in found:
            one, other = (_root(root, label) for label in (a, b))
            if one != other:
                root[one] = other
                merged.append(depth)
        merged += [DEEP] * (len(root) - 1 - len(merged))
        pairs = np.array([pair for _, *pair in found], dtype=np.intp).reshape(-1, 2)
        depths = np.array([depth for depth, *_ in found])
        seen = [depth for depth in merged if depth > VALLEY]
        return Between(pairs[:, 0], pairs[:, 1], depths, seen)


def blur(field: Field, noise: float) -> float:
    """Return what is added to the square root of a valley, by the noise of small labels.

    The border that is left when all other labels are merged is the deepest of as many dips as there
    are small labels. Among N normal numbers the largest is about ``sqrt(2 log N)`` deviations from
    the middle. Between cells peaks are wide, and so are less high by chance.
    """
    if field.has_cells:
        return float(min(noise, NOISE_CAP * np.sqrt(field.bundle)))
    n_labels = max(field.graph.n_present() / CELL, 2.0)
    mean = (n_labels * noise + EVEN_LABELS * EVEN_NOISE) / (n_labels + EVEN_LABELS)
    return float(NOISE_FACTOR * np.sqrt(2.0 * np.log(n_labels)) * mean)


class _Merging:
    """Labels that are merged two by two, the cuts between them, and the valleys that were measured.

    Attributes
    ----------
    blur : float
        What noise adds to the square root of a valley.
    known : dict
        Peak and valley of pairs of sets of items, by their tags: remembered from one labeling to
        the next.
    items : dict of int to ndarray
        The items of each label.
    cuts : dict of int to dict
        ``cuts[a][b]`` is the summed weight of the edges between two touching labels.
    tags : dict of int to int
        A number for each label that depends on its set of items only.
    """

    def __init__(self, field: Field, blur: float, known: dict[Pair, tuple[float, float]]) -> None:
        m = field.graph.n_items
        self.field, self.blur, self.known = field, blur, known
        self._place = np.full(m, -1, dtype=np.int64)
        self.cuts: dict[int, dict[int, float]] = {}
        # The tag of a set of items is the exclusive or of the random numbers of its items.
        self._item_tags = hash_numbers(np.arange(m))

    def noise(self, labels: Labels) -> float:
        """Return the median over labels of the smallest dip, in square roots, to a neighbour.

        A dip is twice the difference of the square roots of peak and valley.
        """
        self._start(labels)
        smallest = []
        for a, cuts in self.cuts.items():
            if cuts:
                valleys = (self._valley(a, b) for b in cuts)
                smallest.append(min(2.0 * (np.sqrt(high) - np.sqrt(low)) for high, low in valleys))
        return float(np.median(smallest)) if smallest else 0.0

    def depths(self, labels: Labels) -> list[tuple[float, int, int]]:
        """Return how deep the valley is between each two touching labels."""
        self._start(labels)
        pairs = [(a, b) for a, cuts in self.cuts.items() for b in cuts if a < b]
        return [(self._depth(a, b), a, b) for a, b in pairs]

    def _depth(self, a: int, b: int) -> float:
        """Return the logarithm of how much higher a peak is than the valley between two labels."""
        high, low = self._valley(a, b)
        return float(np.log(high + NONE) - 2.0 * np.log(np.sqrt(low) + self.blur + NONE))

    def merge(self, labels: Labels, deepest: float) -> Labels:
        """Merge the two labels with the shallowest valley, one pair at a time."""
        self._start(labels)
        for _ in self._unions(deepest):
            pass
        return self._labels()

    def _labels(self) -> Labels:
        """Return the labels as they are by now."""
        found = np.empty(len(self._place), dtype=np.int32)
        for label, items in enumerate(self.items.values()):
            found[items] = label
        return renumber(found)

    def _unions(self, deepest: float) -> Iterator[tuple[Pair, float, int]]:
        """Merge across valleys up to a depth, the shallowest first; yield each pair, its label."""
        depth: dict[Pair, float] = {}

        def measure(a: int) -> None:
            pairs = ((min(a, b), max(a, b)) for b in self.cuts[a])
            depth.update((pair, self._depth(*pair)) for pair in pairs if pair not in depth)

        for a in self.cuts:
            measure(a)
        while depth:
            pair = min(depth, key=depth.__getitem__)
            shallowest = depth[pair]
            if shallowest > deepest:
                break
            for a in pair:
                for b in self.cuts[a]:
                    depth.pop((min(a, b), max(a, b)), None)
            united = self._unite(*pair)
            measure(united)
            yield pair, shallowest, united

    def _start(self, labels: Labels) -> None:
        """Begin with labels: find their items, their tags and the cuts between them."""
        order = np.argsort(labels, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(labels))[:-1])
        self.items = dict(enumerate(parts))
        self.tags = {
            a: int(np.bitwise_xor.reduce(self._item_tags[part])) for a, part in enumerate(parts)
        }
        between = contract(self.field.graph, labels)
        weights = between.sum_entries(self.field.edge_weights)
        indptr, indices, cuts = (array.tolist() for array in (*between.graph[:2], weights))
        self.cuts = {
            a: dict(zip(indices[first:last], cuts[first:last], strict=True))
            for a, (first, last) in enumerate(pairwise(indptr))
        }

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
        """Return the lower of the peaks beside the cut between two labels, and the valley.

        Both are in units of the mean edge of the sparser label.
        """
        key = (min(self.tags[a], self.tags[b]), max(self.tags[a], self.tags[b]))
        if key not in self.known:
            small, large = sorted((self.items[a], self.items[b]), key=len)
            reach = min(max(LEAST_REACH, REACH * len(small)), len(large))
            near = nearest(self.field.graph, small, large, self._place, reach)
            items = np.concatenate([small, near])
            self._place[items] = np.arange(len(items))
            field, between = self.field, self.cuts[a][b]
            high, low = peak_and_valley(
                *field[:2], items, len(small), self._place, between, field.has_cells
            )
            self._place[items] = -1
            unit = min(
                field.item_weights[part].sum() / field.item_edges[part].sum()
                for part in (small, large)
            )
            self.known[key] = high / unit, low / unit
        return self.known[key]


def _root(root: list[int], label: int) -> int:
    """Return the label that stands for all that a label is linked to."""
    while root[label] != label:
        root[label] = label = root[root[label]]
    return label
