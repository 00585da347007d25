"""Statistics of labels: the similarity inside each of them, and what has changed."""

from __future__ import annotations

from typing import NamedTuple

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


class Tally(NamedTuple):
    """Pairs that share a label, each counted with the later one of its items.

    Attributes
    ----------
    similarity, number : ndarray of shape (n_items,)
        The similarity of the pairs of each item, and their number.
    bins : ndarray of uint8 of shape (n_entries, 2)
        Two bins of each similarity; empty if they are not counted.
    of_bin : ndarray of int64 of shape (2, n_bins)
        How many pairs are in each bin.
    """

    similarity: NDArray[np.float64]
    number: NDArray[np.int64]
    bins: NDArray[np.uint8]
    of_bin: NDArray[np.int64]


def tally_pairs(
    graph: Graph, bins: NDArray[np.uint8], n_bins: int, labels: Labels, n_threads: int = 1
) -> Tally:
    """Count the pairs that share a label; each thread has bins of its own, which are added."""
    m = len(labels)
    with Threads(n_threads, graph.indptr) as threads:
        found = Tally(np.empty(m), np.empty(m, dtype=np.int64), bins, np.zeros((2, n_bins), int))
        of_thread = [
            found._replace(of_bin=np.zeros_like(found.of_bin)) for _ in range(threads.n_threads)
        ]

        def count(first: int, last: int, thread: int) -> None:
            count_before(first, last, graph, labels, of_thread[thread])

        threads.share_rows(graph.indptr, count)
    for each in of_thread:
        found.of_bin[:] += each.of_bin
    return found


@compiled
def count_before(first, last, graph, labels, tally):
    """Count the pairs of items ``first .. last - 1`` with earlier items of their label."""
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    bins, of_bin = tally.bins, tally.of_bin
    has_bins = len(bins) > 0
    for i in range(np.uint64(first), np.uint64(last)):
        c, total, n = labels[i], 0.0, np.int64(0)
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])):
            j = np.uint64(indices[e])
            if j < i and labels[j] == c:
                total += values[e]
                n += 1
                if has_bins:
                    of_bin[0, bins[e, 0]] += 1
                    of_bin[1, bins[e, 1]] += 1
        tally.similarity[i], tally.number[i] = total, n
