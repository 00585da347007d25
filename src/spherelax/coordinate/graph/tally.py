"""Statistics of labels: the similarity inside each of them, and what has changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.machine.threads import Threads
from spherelax.labels import Labels


def within(graph: Graph, labels: Labels, n_labels: int, n_threads: int = 1) -> NDArray[np.float64]:
    """Return for each label the summed similarity of the pairs that share it.

    It does not depend on the number of threads: they sum up items, which are added in order.
    """
    totals = np.empty(len(labels))

    def sum_up(first: int, last: int, _: int) -> None:
        sum_before(first, last, graph, labels, totals)

    with Threads(n_threads, graph.indptr) as threads:
        threads.share_rows(graph.indptr, sum_up)
    return np.asarray(np.bincount(labels, weights=totals, minlength=n_labels), dtype=float)


@compiled
def sum_before(first, last, graph, labels, totals):
    """Sum the similarities of items ``first .. last - 1`` with earlier items of their label."""
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    for i in range(np.uint64(first), np.uint64(last)):
        c, total = labels[i], 0.0
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])):
            j = np.uint64(indices[e])
            if j < i:
                total += values[e] if labels[j] == c else 0.0
        totals[i] = total


@compiled
def have_changed(graph, labels, before, share):
    """Tell of each item whether more than a share of the items of its component have changed."""
    component_ptr = graph.component_ptr
    found = np.zeros(len(labels), np.bool_)
    for component in range(len(component_ptr) - 1):
        begin, end = component_ptr[component], component_ptr[component + 1]
        n = 0
        for i in range(begin, end):
            n += labels[i] != before[i]
        for i in range(begin, end):
            found[i] = n > share * (end - begin)
    return found


@compiled
def moments(labels, weight, n_labels):
    """Return for each label how many items have a weight, the sum of these and of their squares."""
    found = np.zeros((3, n_labels))
    for i in range(len(labels)):
        w, c = float(weight[i]), labels[i]
        found[0, c] += w > 0.0
        found[1, c] += w
        found[2, c] += w * w
    return found


@compiled
def within_strata(graph, of_entry, labels, n_strata, n_labels):
    """Return the number of pairs inside labels: by stratum, then by label without stratum 0."""
    counts = np.zeros(1 + n_strata + n_labels)
    for i in range(len(labels)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            if labels[graph.indices[e]] == labels[i]:
                counts[of_entry[e]] += 0.5
                counts[1 + n_strata + labels[i]] += 0.5 * (of_entry[e] > 0)
    return counts
