"""Neighbour graphs: labels whose borders are thinner than the borders of patches of one cloud.

Every item of a neighbour graph is joined to the few items nearest to it. A patch has many edges
inside and few to the outside, whether it is a cluster or not, so a description that compares labels
with random pairs always finds patches. They have to be compared with patches of a cloud without
clusters. There the share of the edges of a patch that leave it follows a law: it falls with its
number s of items like ``c s^(-1/d)``, d being the dimension of the cloud. Small patches show no
clusters yet, so c and d are measured on the labels of the graph itself, at its fine steps.

Who knows the label of one end of an edge inside a label saves ``log(V / v)`` nats when the other
end is to be named, v being the edges of the label and V all edges. The evidence for labels is
what they save beyond patches of one cloud that have the same sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Graph, strengths, within
from spherelax.labels import Labels, count_labels

# The law is measured on labelings whose labels have from SMALLEST to LARGEST items, or cells, on
# average; labelings with larger labels are candidates.
SMALLEST = 8
LARGEST = 40
# Nats an edge that labels must save beyond patches; one cloud shows less.
BEYOND = 0.04
# A graph is open if even patches of LARGEST items lose more than this share of their edges, as in
# clouds of many dimensions. There some items are near to many items, which saves more nats.
OPEN = 0.5
BEYOND_OF_OPEN = 0.15
# It is wide if they lose more than this share, as in clouds of four dimensions and more.
WIDE = 0.2
# Keeps logarithms finite where a border or a cut is empty.
NONE = 1e-6
# Many items are contracted to at most this number of cells before they are walked whole.
MOST_CELLS = 1 << 12


class Patches(NamedTuple):
    """The labels of a labeling: how many items each has, its edges, and the edges that leave."""

    sizes: NDArray[np.float64]
    edges: NDArray[np.float64]
    leaving: NDArray[np.float64]

    @classmethod
    def of(cls, graph: Graph, edges_of: NDArray[np.float64], labels: Labels) -> Patches:
        """Count what labels have, but for labels without any edge.

        Edges are counted by their similarity; ``edges_of`` is their sum for each item.
        """
        k = count_labels(labels)
        edges = np.bincount(labels, weights=edges_of, minlength=k).astype(float)
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


@dataclass(frozen=True, eq=False)
class PatchLaw:
    """The law of patches of a graph, ``c s^(-1/d)``, as its labelings show it.

    Attributes
    ----------
    graph : Graph
        A neighbour graph.
    patches : sequence of Patches
        The labels of each labeling, counted once.
    low, high : float
        The logarithms of the mean sizes of labels between which the law is measured.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(400, k=1) + np.eye(400, k=2) + np.eye(400, k=399) + np.eye(400, k=398)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> steps = [np.arange(400, dtype=np.int32) // size for size in (10, 20, 200, 400)]
    >>> law = PatchLaw.of(graph, steps, n_cells=400)
    >>> law.clearest() is None, bool(law.evidence.max() < 0.01), law.loss < OPEN
    (True, True, True)
    """

    graph: Graph
    patches: Sequence[Patches]
    low: float
    high: float

    @classmethod
    def of(cls, graph: Graph, labelings: Iterable[Labels], n_cells: int) -> PatchLaw:
        """Measure labelings, whose labels are made of ``n_cells`` cells."""
        cell = float(np.log(max(graph.n_present() / max(n_cells, 1), 1.0)))
        edges_of = strengths(graph)
        patches = [Patches.of(graph, edges_of, labels) for labels in labelings]
        return cls(graph, patches, np.log(SMALLEST) + cell, np.log(LARGEST) + cell)

    @cached_property
    def line(self) -> NDArray[np.float64] | None:
        """The line from the size of patches to the share of edges that leave, both as logarithms.

        None: too few labelings have labels of these sizes.
        """
        patches = [one for one in self.patches if len(one.edges)]
        sizes = np.array([one.mean_size for one in patches])
        leaving = np.array([one.share_leaving for one in patches])
        fine = (sizes >= self.low) & (sizes <= self.high) & (leaving > 0)
        if len(np.unique(sizes[fine])) < 2:
            return None
        return np.polyfit(sizes[fine], np.log(leaving[fine]), 1)

    @property
    def loss(self) -> float:
        """The share of their edges that the largest patches without clusters lose.

        It is 0 where there is no law.
        """
        return 0.0 if self.line is None else float(np.exp(np.polyval(self.line, self.high)))

    @cached_property
    def evidence(self) -> NDArray[np.float64]:
        """The nats an edge that each labeling saves beyond patches of one cloud.

        Labelings that are too fine to show clusters have minus infinity.
        """
        return np.array([self._evidence(one) for one in self.patches])

    def clearest(self) -> int | None:
        """Return the labeling with the most evidence; None: there is one cloud."""
        beyond = BEYOND_OF_OPEN if self.loss > OPEN else BEYOND
        return int(self.evidence.argmax()) if self.evidence.max() > beyond else None

    def _evidence(self, one: Patches) -> float:
        if self.line is None or one.mean_size <= self.high:
            return -np.inf
        all_edges = one.edges.sum()
        expected = one.edges * self._share_lost(one.sizes, one.sizes.sum())
        return float(np.sum((expected - one.leaving) * np.log(all_edges / one.edges)) / all_edges)

    def _share_lost(self, sizes: NDArray[np.float64], n_items: float) -> NDArray[np.float64]:
        """Return the share of its edges that a patch of a cloud loses; the whole cloud loses none.

        There must be a law.
        """
        assert self.line is not None
        share = np.minimum(np.exp(np.polyval(self.line, np.log(sizes))), 1.0)
        return np.asarray(share * np.sqrt(np.maximum(1.0 - sizes / n_items, 0.0)))
