"""Contraction of a graph by labels: each label becomes an item, and similarities add up.

Merging labels (`moves.merge`) contracts too, but by a compiled loop in single precision that leaves
out the pairs of labels that would lose by merging; here all pairs are kept, in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph, strongest
from spherelax.labels import Labels, count_labels


class Contraction(NamedTuple):
    """The graph of labels, and how entries and items of the finer graph sum up to it.

    ``labels`` are those of the items; ``crossing`` tells which entries lie between two labels, and
    ``entry`` to which entry of the graph of labels each of these adds.
    """

    graph: Graph
    labels: Labels
    crossing: NDArray[np.bool_]
    entry: NDArray[np.intp]

    def sum_entries(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the sum of values of entries, for each entry of the graph of labels."""
        return np.bincount(self.entry, weights=values[self.crossing]).astype(float)

    def sum_items(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the sum of values of items, for each label."""
        return np.bincount(self.labels, weights=values).astype(float)


def contract(graph: Graph, labels: Labels) -> Contraction:
    """Contract a graph by labels that are numbered by first appearance; groups do not count.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 4, 1], [4, 0, 2], [1, 2, 0]]))
    >>> found = contract(graph, np.array([0, 0, 1], dtype=np.int32)[graph.given])
    >>> found.graph.indices, found.graph.values
    (array([1, 0], dtype=int32), array([0.75, 0.75], dtype=float32))
    """
    k, crossing = count_labels(labels), ~graph.inside(labels)
    row = labels[graph.rows()[crossing]].astype(np.int64)
    pairs, entry = np.unique(row * k + labels[graph.indices[crossing]], return_inverse=True)
    found = Contraction(graph, labels, crossing, entry)
    values = found.sum_entries(graph.values).astype(np.float32)
    of_labels = Graph(
        indptr=np.searchsorted(pairs, np.arange(k + 1) * k),
        indices=(pairs % k).astype(np.int32),
        values=values,
        weight=found.sum_items(graph.weight).astype(np.float32),
        group=graph.group,
        # Labels are numbered by first appearance, and so by component.
        component_ptr=np.r_[labels[graph.component_ptr[:-1]], k].astype(np.int32),
        unit_ptr=np.arange(k + 1, dtype=np.int32),
        given=np.arange(k, dtype=np.int32),
        strongest=strongest(values),
    )
    return found._replace(graph=of_labels)
