"""Matches inside labels and across them: the sums that the evidence for labels with groups needs.

A *row* is an item and another group that its own group was compared with. Two groups were compared
if any of their items match; of a group with one item nobody knows, and it counts as compared with
all. A *block* is two labels that matches join. Two labels *collide* if they share a group: then
they are different things.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.account import Totals
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.machine.compiled import compiled
from spherelax.labels import Labels, count_labels

# Sums of logarithms and chances are whole numbers of this unit, below 2 ** 53 of them: so they are
# exact, and do not depend on the order of labels.
FINE = 2.0**-20


class Crossings(NamedTuple):
    """What the matches inside labels and across them amount to; matches are seen from both items.

    Attributes
    ----------
    right, possible : float
        Matches inside labels, and pairs inside labels whose groups were compared.
    contradicted, elsewhere : float
        Matches across labels, with a group of which the item's own label has an item, and with
        others.
    names : float
        Sum of the logarithms of the sizes of the groups that matches across labels lead to, in
        units of `FINE`.
    blocks, ways : float
        Blocks, each counted once, and the sum of the logarithms of the number of ways to choose the
        matches of each among its pairs, in units of `FINE`.
    near, collisions : float
        Blocks of several matches that join at least half of their pairs, and how many collide.
    expected, spread : float
        How many of the near blocks would collide by chance, and the variance of that number, in
        units of `FINE`.
    """

    right: float
    possible: float
    contradicted: float
    elsewhere: float
    names: float
    blocks: float
    ways: float
    near: float
    collisions: float
    expected: float
    spread: float


class Compared(NamedTuple):
    """The groups of a graph: how large they are in the whole problem, and which were compared.

    Attributes
    ----------
    log_size : ndarray
        Logarithm of the number of items of each group.
    is_several : ndarray of bool
        Whether a group has several items.
    indptr, others : ndarray
        Groups with several items that group a was compared with are
        ``others[indptr[a]:indptr[a + 1]]``; both are empty if all such groups were compared.
    n_groups : float
        Number of groups, as many as would be if all had the same size: one over the chance that two
        items are of one group.
    """

    log_size: NDArray[np.float64]
    is_several: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    others: NDArray[np.int32]
    n_groups: float

    @classmethod
    def of(cls, graph: Graph, totals: Totals, shared: NDArray[np.int32]) -> Compared:
        """Find the groups of a graph; ``shared`` is the number of each item's group in totals."""
        q = int(graph.group.max()) + 1
        number = np.full(q, -1, dtype=np.int32)
        number[graph.group] = shared
        sizes = np.where(number >= 0, np.r_[totals.of_group, 1.0][number], 1.0)
        local = np.full(len(totals.of_group), -1, dtype=np.int32)
        local[number[number >= 0]] = np.flatnonzero(number >= 0)
        indptr, others = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        if not totals.is_all_compared:
            one, other = local[totals.compared].T
            known = (one >= 0) & (other >= 0)
            one, other = np.r_[one[known], other[known]], np.r_[other[known], one[known]]
            both = (sizes[one] > 1.0) & (sizes[other] > 1.0)
            one, other = one[both], other[both]
            indptr = np.r_[0, np.cumsum(np.bincount(one, minlength=q))]
            others = other[np.argsort(one, kind="stable")].astype(np.int32)
        squares = totals.weight**2 - 2.0 * totals.n_pairs
        n_groups = totals.weight**2 / squares if squares > 0 else 1.0
        return cls(np.log(np.maximum(sizes, 1.0)), sizes > 1.0, indptr, others, n_groups)


def cross(graph: Graph, labels: Labels, compared: Compared) -> NDArray[np.float64]:
    """Return the `Crossings` of labels, as an array.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.ones((3, 3)), np.eye(2))  # two things in three groups
    >>> graph = build_graph(Problem.check(W, groups=np.repeat([0, 1, 2], 2)))
    >>> compared = Compared.of(graph, Totals.of(graph, is_corrected=False), graph.group)
    >>> found = Crossings(*cross(graph, graph.given % 2, compared).tolist())
    >>> found.right, found.possible, found.blocks
    (12.0, 12.0, 0.0)
    """
    n_labels = count_labels(labels)
    sizes = np.bincount(labels, weights=graph.weight > 0.0, minlength=n_labels).astype(np.int64)
    members = np.argsort(labels, kind="stable")
    begins = np.r_[0, np.cumsum(np.bincount(labels, minlength=n_labels))]
    return np.asarray(_cross(graph, labels, sizes, members, begins, compared))


@compiled
def _cross(graph, labels, sizes, members, begins, compared):
    """Sum up one label after the other."""
    found = np.zeros(11)
    n_labels = len(sizes)
    holder = np.full(len(compared.log_size), -1, np.int32)  # the last label that holds a group
    count = np.zeros(n_labels, np.int32)  # matches with each other label
    met = np.empty(n_labels, np.int32)
    for a in range(n_labels):
        n_single, n_met = 0, 0
        for at in range(begins[a], begins[a + 1]):
            i = members[at]
            if graph.weight[i] > 0.0:
                holder[graph.group[i]] = a
                n_single += not compared.is_several[graph.group[i]]
        for at in range(begins[a], begins[a + 1]):
            i = members[at]
            if graph.weight[i] > 0.0:
                found[1] += _n_possible(compared, holder, a, graph.group[i], sizes[a], n_single)
            for e in range(graph.indptr[i], graph.indptr[i + 1]):
                j = graph.indices[e]
                b = labels[j]
                if b == a:
                    found[0] += 1.0
                    continue
                found[2 if holder[graph.group[j]] == a else 3] += 1.0
                found[4] += np.rint(compared.log_size[graph.group[j]] / FINE)
                if count[b] == 0:
                    met[n_met] = b
                    n_met += 1
                count[b] += 1
        for b in met[:n_met]:
            if b > a:
                is_near = count[b] >= 2 and 2 * count[b] >= sizes[a] * sizes[b]
                hits = 0
                if is_near:
                    hits = _n_shared(graph, members[begins[b] : begins[b + 1]], holder, a)
                _add_block(found, sizes[a], sizes[b], count[b], is_near, hits, compared.n_groups)
            count[b] = 0
    return found


@compiled
def _n_possible(compared, holder, label, group, size, n_single):
    """Return with how many others of its label an item of a group was compared."""
    if len(compared.indptr) == 0 or not compared.is_several[group]:
        return size - 1
    n = n_single
    for e in range(compared.indptr[group], compared.indptr[group + 1]):
        n += holder[compared.others[e]] == label
    return n


@compiled
def _n_shared(graph, items, holder, label):
    """Return how many of some items have a group that a label holds."""
    n = 0
    for i in items:
        n += graph.weight[i] > 0.0 and holder[graph.group[i]] == label
    return n


@compiled
def _add_block(found, a, b, n, is_near, hits, n_groups):
    """Add a block of n matches between labels of a and b items."""
    found[5] += 1.0
    found[6] += np.rint(_log_ways(a * b, n) / FINE)
    if is_near:
        chance = _chance(a, b, n_groups)
        found[7] += 1.0
        found[8] += hits > 0
        found[9] += np.rint(chance / FINE)
        found[10] += np.rint(chance * (1.0 - chance) / FINE)


@compiled
def _chance(a, b, n):
    """Return the chance that a and b of n groups have one in common."""
    if a + b > n:
        return 1.0
    log_none = math.lgamma(n - a + 1.0) + math.lgamma(n - b + 1.0)
    return -math.expm1(log_none - math.lgamma(n + 1.0) - math.lgamma(n - a - b + 1.0))


@compiled
def _log_ways(n, k):
    """Return the logarithm of the number of ways to choose k of n."""
    if k == 1:
        return math.log(n)
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
