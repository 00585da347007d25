"""Neighbour graphs: labels whose borders are thinner than those of pieces of one cloud.

Every item of a neighbour graph is joined to the few nearest others. A patch of it has many edges
inside and few to the outside, whether it is a cluster or not, so a description that compares labels
with random pairs always finds patches. They have to be compared with patches of a cloud without
clusters. There the share of the edges of a patch that leave it follows a law: it falls with its
number s of items like ``c s^(-1/d)``, d being the dimension of the cloud. Small patches show no
clusters yet, so c and d are measured on the labels of the graph itself, at its fine steps.

Who knows the label of one end of an edge inside a label saves ``log(V / v)`` nats when the other
end is to be named, v being the edges of the label and V those of all. The evidence for labels is
what they save so beyond patches of a cloud of the same sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import neighbors
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.tally import within
from spherelax.labels import Labels, count_labels

# The law is measured on labelings whose labels have so many items, or cells, on average; those with
# larger labels are candidates.
SMALLEST = 8
LARGEST = 40
# Nats an edge that labels must save beyond patches; one cloud shows less.
BEYOND = 0.04
# A graph is open if even patches of LARGEST items lose more than this share of their edges, as in
# clouds of many dimensions. There some items are near to many others, which saves more nats.
OPEN = 0.5
BEYOND_OF_OPEN = 0.15
# It is wide if they lose more than this share, as in clouds of four dimensions and more.
WIDE = 0.2
# Keeps logarithms finite where a border is empty.
NONE = 1e-6
# Many items are contracted to at most this number of cells before they are walked whole.
MOST_CELLS = 1 << 12


class _Patches(NamedTuple):
    """The labels of a labeling: how many items each has, its edges, and those that leave it."""

    sizes: NDArray[np.float64]
    edges: NDArray[np.float64]
    leaving: NDArray[np.float64]

    @classmethod
    def of(cls, graph: Graph, degrees: NDArray[np.float64], labels: Labels) -> _Patches:
        """Count what labels have, but for items without any edge."""
        k = count_labels(labels)
        edges = np.bincount(labels, weights=degrees, minlength=k).astype(float)
        sizes = np.bincount(labels, minlength=k).astype(float)
        leaving = np.maximum(edges - 2.0 * within(graph, labels, k), 0.0)
        has = edges > 0
        return cls(sizes[has], edges[has], leaving[has])

    @property
    def mean_size(self) -> float:
        """The logarithm of the size of the label of an edge, on average."""
        return float(np.average(np.log(self.sizes), weights=self.edges))

    @property
    def share_leaving(self) -> float:
        """The share of the edges that leave their label."""
        return float(self.leaving.sum() / self.edges.sum())

    def evidence(self, line: NDArray[np.float64]) -> float:
        """Return the nats an edge that labels save beyond patches of a cloud with such a law."""
        all_edges = self.edges.sum()
        expected = self.edges * _share_of_patch(line, self.sizes, self.sizes.sum())
        return float(np.sum((expected - self.leaving) * np.log(all_edges / self.edges)) / all_edges)


def clearest(
    graph: Graph, labelings: Sequence[Labels], n_cells: int
) -> tuple[int | None, NDArray[np.float64]]:
    """Return the labeling with the most evidence, and the evidence of all.

    None instead of the labeling: there is one cloud.
    """
    found = evidence(graph, labelings, n_cells)
    beyond = BEYOND_OF_OPEN if loss(graph, labelings, n_cells) > OPEN else BEYOND
    return (int(found.argmax()) if found.max() > beyond else None), found


def loss(graph: Graph, labelings: Sequence[Labels], n_cells: int) -> float:
    """Return the share of their edges that the largest patches without clusters lose, by the law.

    It is 0 where there is no law.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(400, k=1) + np.eye(400, k=399)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> near, far = ([np.arange(400, dtype=np.int32) // n for n in (10, 20)],
    ...              [np.arange(400, dtype=np.int32) % n for n in (40, 20)])
    >>> [loss(graph, labelings, 400) > OPEN for labelings in (near, far)]
    [False, True]
    """
    patches, limits = _patches(graph, labelings), _limits(graph, n_cells)
    line = _law(patches, *limits)
    return 0.0 if line is None else float(np.exp(np.polyval(line, limits[1])))


def is_clearer(
    graph: Graph, labelings: Sequence[Labels], n_cells: int, labels: Labels, others: Labels
) -> bool:
    """Tell whether labels save more than others, and more than those of one cloud.

    The law is that of all of these and of the labelings.
    """
    *_, own, other = evidence(graph, [*labelings, labels, others], n_cells)
    return bool(own > max(other, BEYOND))


def thinness(
    graph: Graph, labelings: Sequence[Labels], n_cells: int, labels: Labels
) -> NDArray[np.float64]:
    """Return by how much the border of each two labels is thinner than that of two patches.

    It is a logarithm. Two patches of one cloud that make up a larger one have between them what
    both lose and the larger one does not. The law is that of the labelings, and is known.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(400, k=1) + np.eye(400, k=2) + np.eye(400, k=399) + np.eye(400, k=398)
    >>> ring[99, 100] = ring[99, 101] = 0.0
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> steps = [(graph.given // size).astype(np.int32) for size in (10, 20, 100)]
    >>> found = thinness(graph, steps, 400, steps[-1])
    >>> bool(found[0, 1] > 1.0), bool(abs(found[1, 2]) < 0.2)
    (True, True)
    """
    patches = _patches(graph, labelings)
    line = _law(patches, *_limits(graph, n_cells))
    assert line is not None
    k = count_labels(labels)
    ends = np.repeat(labels, np.diff(graph.indptr)).astype(np.int64) * k + labels[graph.indices]
    between = np.bincount(ends, weights=graph.values, minlength=k * k).reshape(k, k)
    sizes, edges = np.bincount(labels).astype(float), between.sum(axis=1)

    def lost(sizes: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
        return edges * _share_of_patch(line, sizes, len(labels))

    apart = lost(sizes, edges)
    together = lost(np.add.outer(sizes, sizes), np.add.outer(edges, edges))
    expected = 0.5 * (np.add.outer(apart, apart) - together)
    return np.asarray(np.log(np.maximum(expected, NONE)) - np.log(between + NONE))


def _share_of_patch(
    line: NDArray[np.float64], sizes: NDArray[np.float64], n_items: float
) -> NDArray[np.float64]:
    """Return the share of its edges that a patch of a cloud loses; all of the cloud loses none."""
    share = np.minimum(np.exp(np.polyval(line, np.log(sizes))), 1.0)
    return np.asarray(share * np.sqrt(np.maximum(1.0 - sizes / n_items, 0.0)))


def evidence(graph: Graph, labelings: Sequence[Labels], n_cells: int) -> NDArray[np.float64]:
    """Return for each labeling the nats an edge that it saves beyond patches of one cloud.

    ``n_cells`` is the number of cells that labels are made of. Labelings that are too fine to show
    clusters have minus infinity.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(400, k=1) + np.eye(400, k=2) + np.eye(400, k=399) + np.eye(400, k=398)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> steps = [np.arange(400, dtype=np.int32) // size for size in (10, 20, 200, 400)]
    >>> [bool(found < 0.01) for found in evidence(graph, steps, n_cells=400)]  # no clusters
    [True, True, True, True]
    """
    patches, (low, high) = _patches(graph, labelings), _limits(graph, n_cells)
    found = np.full(len(patches), -np.inf)
    line = _law(patches, low, high)
    if line is not None:
        for at, one in enumerate(patches):
            if one.mean_size > high:
                found[at] = one.evidence(line)
    return found


def _patches(graph: Graph, labelings: Sequence[Labels]) -> list[_Patches]:
    """Count what the labels of each labeling have."""
    degrees = neighbors.degrees(graph)
    return [_Patches.of(graph, degrees, labels) for labels in labelings]


def _limits(graph: Graph, n_cells: int) -> tuple[float, float]:
    """Return the logarithms of the sizes of patches between which the law is measured."""
    cell = float(np.log(max(graph.n_present() / n_cells, 1.0)))
    return np.log(SMALLEST) + cell, np.log(LARGEST) + cell


def _law(patches: Sequence[_Patches], low: float, high: float) -> NDArray[np.float64] | None:
    """Return the line from the size of patches to the share that leaves, both as logarithms.

    None: too few labelings have labels of that size.
    """
    patches = [one for one in patches if len(one.edges)]
    sizes = np.array([one.mean_size for one in patches])
    leaving = np.array([one.share_leaving for one in patches])
    fine = (sizes >= low) & (sizes <= high) & (leaving > 0)
    if len(np.unique(sizes[fine])) < 2:
        return None
    return np.polyfit(sizes[fine], np.log(leaving[fine]), 1)
