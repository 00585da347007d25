"""Average linkage of labels, down to a number of labels."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from spherelax.coordinate.graph import Graph, contract
from spherelax.labels import Labels, count_labels, renumber


def link_labels(
    graph: Graph, labels: Labels, n_labels: int, within: Labels | None = None
) -> Labels:
    """Merge the two labels with the highest mean similarity until this number of labels is left.

    The mean similarity of labels a and b is ``sum W_ij / n_a n_b`` over i in a and j in b, n being
    numbers of items. Labels without any similarity between them do not merge, nor do labels that
    hold items of one group, or of two labels of ``within``.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 4, 1], [4, 0, 2], [1, 2, 0]]))
    >>> graph.as_given(link_labels(graph, np.arange(3, dtype=np.int32), 2))
    array([0, 0, 1], dtype=int32)
    """
    between = contract(graph, labels).graph
    k = n_left = count_labels(labels)
    size = np.bincount(labels).tolist()
    rows, columns, values = between.rows(), between.indices, between.values
    if within is not None:
        room = np.empty(k, dtype=np.int32)
        room[labels] = within
        is_inside = room[rows] == room[columns]
        rows, columns, values = rows[is_inside], columns[is_inside], values[is_inside]
    groups: list[set[int]] = [set() for _ in range(k)]
    for label, group in zip(labels.tolist(), graph.group.tolist(), strict=False):
        groups[label].add(group)
    rows, columns = rows.tolist(), columns.tolist()
    similarity: list[dict[int, float]] = [{} for _ in range(k)]
    for a, b, value in zip(rows, columns, values.tolist(), strict=True):
        similarity[a][b] = value
    parent = np.arange(k)

    def rank(a: int, b: int) -> tuple[float, int, int]:
        return -similarity[a][b] / (size[a] * size[b]), a, b

    heap = [rank(a, b) for a, b in zip(rows, columns, strict=True) if a < b]
    heapify(heap)
    while heap and n_left > n_labels:
        found = heappop(heap)
        _, a, b = found
        if b not in similarity[a] or rank(a, b) != found:
            continue
        if not groups[a].isdisjoint(groups[b]):
            del similarity[a][b], similarity[b][a]
            continue
        if len(similarity[a]) < len(similarity[b]):
            a, b = b, a
        parent[b], n_left = a, n_left - 1
        size[a] += size[b]
        groups[a] |= groups[b]
        for other, value in similarity[b].items():
            del similarity[other][b]
            if other != a:
                joint = similarity[a].get(other, 0.0) + value
                similarity[a][other] = similarity[other][a] = joint
        similarity[b] = {}
        for other in similarity[a]:
            heappush(heap, rank(min(a, other), max(a, other)))
    while np.any(parent != parent[parent]):
        parent = parent[parent]
    return renumber(parent[labels])
