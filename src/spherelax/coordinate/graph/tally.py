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


def tally_pairs(
    graph: Graph, bins: NDArray[np.uint8], n_bins: int, labels: Labels, n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Count the pairs that share a label: each with the later one of its items.

    Returns for each item the similarity of its pairs and their number; and how many pairs are in
    each of the two columns of ``bins``, if these are given of each similarity.
    """
    similarity, number = np.empty(len(labels)), np.empty(len(labels))
    with Threads(n_threads, graph.indptr) as threads:
        counts = np.zeros((threads.n_threads, 2, n_bins), dtype=np.int64)

        def count(first: int, last: int, thread: int) -> None:
            if len(bins):
                count_ranks(first, last, graph, bins, labels, counts[thread])
            count_before(first, last, graph, labels, similarity, number)

        threads.share_rows(graph.indptr, count)
    return similarity, number, counts.sum(axis=0)


@compiled
def count_before(first, last, graph, labels, similarity, number):
    """Sum the similarities of items with earlier items of their label, and count them."""
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    for i in range(np.uint64(first), np.uint64(last)):
        c, total, n = labels[i], 0.0, np.int64(0)
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])):
            j = np.uint64(indices[e])
            if j < i:
                total += values[e] if labels[j] == c else 0.0
                n += np.int64(labels[j] == c)
        similarity[i], number[i] = total, n


@compiled
def count_ranks(first, last, graph, bins, labels, counts):
    """Count by bin the pairs of items with earlier items of their label."""
    indptr, indices = graph.indptr, graph.indices
    for i in range(np.uint64(first), np.uint64(last)):
        c = labels[i]
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])):
            j = np.uint64(indices[e])
            if j < i and labels[j] == c:
                counts[0, bins[e, 0]] += 1
                counts[1, bins[e, 1]] += 1
