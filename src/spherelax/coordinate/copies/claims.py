"""How strongly items hold to their labels, and to labels that their group has taken: compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.neighbors import Sums, in_order
from spherelax.coordinate.machine.compiled import compiled
from spherelax.labels import Labels, count_labels


class Claims(NamedTuple):
    """How strongly items hold to their labels, and to the best one that their group has taken.

    Attributes
    ----------
    inside : ndarray of shape (n_items,)
        What the similarities with the items of its own label are worth.
    outside : ndarray of shape (n_items,)
        The largest such sum over the labels of the other items of its group.
    holder : ndarray of shape (n_items,)
        The item of its group with that label; -1: none.
    """

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    holder: NDArray[np.int32]


def find_claims(worth: Graph, group: NDArray[np.int32], labels: Labels) -> Claims:
    """Return the claims of all items, in the order of the problem.

    ``worth`` has what each similarity is worth, also inside groups; what is below 0 says nothing.
    Groups, of which none is missing, and labels are in the order of that graph.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> problem = Problem.check([[0, 0, 2], [0, 0, 1], [2, 1, 0]])
    >>> worth = build_graph(problem, 1.0, given=np.int32([0, 1, 2]))
    >>> found = find_claims(worth, np.int32([0, 0, 1]), np.int32([0, 1, 0]))
    >>> found.inside, found.outside, found.holder.tolist()
    (array([2., 0., 2.]), array([0., 1., 0.]), [-1, 0, -1])
    """
    m, n_labels = len(labels), count_labels(labels)
    found = Claims(np.zeros(m), np.zeros(m), np.full(m, -1, dtype=np.int32))
    sums = Sums(np.zeros(n_labels), np.empty(n_labels + 1, dtype=np.int32))
    _claim_all(worth, labels, *in_order(group), found, sums)
    return found


@compiled
def _claim_all(worth, labels, by_group, begins, found, sums):
    """Write the claims of all items, group by group."""
    taken = np.full(len(sums.x), -1, np.int32)
    for group in range(len(begins) - 1):
        items = by_group[begins[group] : begins[group + 1]]
        for i in items:
            if taken[labels[i]] < 0:
                taken[labels[i]] = i
        for i in items:
            _claim(i, worth, labels, taken, found, sums)
        for i in items:
            taken[labels[i]] = -1


@compiled
def _claim(i, worth, labels, taken, found, sums):
    """Write the claims of item i; ``taken`` has the item of its group with each label, or -1.

    Of equal claims, that on the label of the first item counts.
    """
    x, touched, n, own = sums.x, sums.touched, 0, labels[i]
    for e in range(worth.indptr[i], worth.indptr[i + 1]):
        c = labels[worth.indices[e]]
        if worth.values[e] > 0.0:
            if x[c] == 0.0:
                touched[n] = c
                n += 1
            x[c] += worth.values[e]
    best, holder = 0.0, -1
    for q in range(n):
        c = touched[q]
        j = taken[c]
        if c != own and j >= 0 and (x[c] > best or (x[c] == best and j < holder)):
            best, holder = x[c], j
        if c == own:
            found.inside[worth.given[i]] = x[c]
        x[c] = 0.0
    found.outside[worth.given[i]] = best
    if holder >= 0:
        found.holder[worth.given[i]] = worth.given[holder]
