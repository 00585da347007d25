"""Statistics of labels: the similarity inside each of them, and what has changed."""

from __future__ import annotations

import numpy as np

from spherelax.coordinate.compiled import compiled


@compiled(allocates=True)
def within(graph, labels, n_labels):
    """Return for each label the summed similarity of the pairs that share it."""
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    inside = np.zeros(n_labels)
    for i in range(np.uint64(len(labels))):
        c, total = labels[i], 0.0
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])):
            j = np.uint64(indices[e])
            if j < i:
                total += values[e] if labels[j] == c else 0.0
        inside[c] += total
    return inside


@compiled
def changed(graph, labels, before, share):
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
    """Return the number of pairs inside labels: by stratum, then those from 1 on by label."""
    counts = np.zeros(1 + n_strata + n_labels)
    for i in range(len(labels)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            if labels[graph.indices[e]] == labels[i]:
                counts[of_entry[e]] += 0.5
                counts[1 + n_strata + labels[i]] += 0.5 * (of_entry[e] > 0)
    return counts
