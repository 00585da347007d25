"""How much more the evidence of items for labels varies than that of independent pairs.

Similarities repeat each other: an item that is joined to one item of a wrong label often is to
several. So evidence is divided by its dispersion, the variance in units of that of independent
pairs (one plus the size of a cluster times its intraclass correlation, for clusters of one size).
"""

from __future__ import annotations

import numpy as np

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.neighbors import Sums, gather
from spherelax.coordinate.machine.compiled import compiled
from spherelax.labels import Labels


def dispersion(graph: Graph, labels: Labels) -> float:
    """Return how much more the evidence of items for labels varies than that of independent pairs.

    It is the mean of the pairs inside labels and of all other pairs, and at least 1.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.eye(8), np.ones((9, 9)))
    >>> W[0, 9:18] = W[9:18, 0] = 1.0  # one item is like nine others
    >>> graph = build_graph(Problem.check(W))
    >>> dispersion(graph, np.repeat(np.arange(8, dtype=np.int32), 9)[graph.given]) > 2
    True
    """
    weight, is_inside = graph.weight.astype(float), graph.inside(labels)
    mass, values = np.bincount(labels, weights=weight), graph.values.astype(float)
    pairs = np.square(mass) - np.bincount(labels, weights=np.square(weight))
    n_inside = 0.5 * float(pairs.sum())
    every = 0.5 * (float(weight.sum()) ** 2 - float(np.square(weight).sum()))
    row = np.repeat(labels, np.diff(graph.indptr))
    own = np.bincount(row[is_inside], weights=values[is_inside], minlength=len(mass))
    parts = (is_inside, max(n_inside, 1.0)), (~is_inside, max(every - n_inside, 1.0))
    means = [0.5 * float(values[part].sum()) / n for part, n in parts]
    squares = [
        float(np.square(values[part]).sum()) - 2.0 * n * mean**2
        for (part, n), mean in zip(parts, means, strict=True)
    ]
    most = int(np.diff(graph.indptr).max(initial=0)) + 1
    sums = Sums(np.zeros(len(mass)), np.empty(most, dtype=np.int32))
    inside = np.divide(own, pairs, out=np.zeros(len(mass)), where=pairs > 0)
    found = _deviations(graph, labels, mass, inside, means[1], sums)
    ratios = [
        each / square if square > 0 else 1.0 for each, square in zip(found, squares, strict=True)
    ]
    return max(float(np.mean(ratios)), 1.0)


@compiled
def _deviations(graph, labels, mass, inside, outside, sums):
    """Return by how much evidence misses what is expected: squares summed inside, and outside.

    The evidence of an item for a label is the sum of the values of its similarities there.
    Expected is ``inside[c]`` times the weights of all pairs for its own label c, and ``outside``
    times them for other labels; labels without a similarity of the item count, too.
    """
    all_squares = 0.0
    for c in range(len(mass)):
        all_squares += mass[c] * mass[c]
    squares = np.zeros(2)
    for i in range(len(labels)):
        own, weight = labels[i], graph.weight[i]
        apart = outside * weight
        at_home = inside[own] * weight * (mass[own] - weight)
        squares[0] += at_home * at_home
        squares[1] += apart * apart * (all_squares - mass[own] * mass[own])
        for q in range(gather(graph, labels, i, sums, 0)):
            c = sums.touched[q]
            expected = at_home if c == own else apart * mass[c]
            squares[int(c != own)] += sums.x[c] * (sums.x[c] - 2.0 * expected)
            sums.x[c] = 0.0
    return squares
