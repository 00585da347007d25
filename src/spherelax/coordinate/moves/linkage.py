"""Average linkage of labels, down to a number of labels."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from spherelax.coordinate.graph import Graph, contract
from spherelax.labels import Labels, count_labels, renumber


def link_labels(graph: Graph, labels: Labels, n_labels: int) -> Labels:
    """Merge the two labels with the highest mean similarity until this number of labels is left.

    The mean similarity of labels a and b is ``sum W_ij / sum n_i n_j`` over i in a and j in b: they
    merge at this resolution. Labels without any similarity between them do not merge.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 4, 1], [4, 0, 2], [1, 2, 0]]))
    >>> graph.as_given(link_labels(graph, np.arange(3, dtype=np.int32), 2))
    array([0, 0, 1], dtype=int32)
    """
    between = contract(graph, labels).graph
    n_left, weight = count_labels(labels), between.weight.astype(float).tolist()
    rows, columns = between.rows().tolist(), between.indices.tolist()
    similarity: list[dict[int, float]] = [{} for _ in weight]
    for a, b, value in zip(rows, columns, between.values.tolist(), strict=True):
        similarity[a][b] = value
    parent = np.arange(n_left)

    def rank(a: int, b: int) -> tuple[float, int, int]:
        return -similarity[a][b] / (weight[a] * weight[b]), a, b

    heap = [rank(a, b) for a, b in zip(rows, columns, strict=True) if a < b]
    heapify(heap)
    while heap and n_left > n_labels:
        found = heappop(heap)
        _, a, b = found
        if b not in similarity[a] or rank(a, b) != found:
            continue
        if len(similarity[a]) < len(similarity[b]):
            a, b = b, a
        parent[b], n_left = a, n_left - 1
        weight[a] += weight[b]
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
