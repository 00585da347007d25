"""A list of candidates: pairs of items with scores, of which some are right.

A list comes from blocking rules or from the nearest neighbours of each record. That a pair is
listed says little; its score says more. In a graph of matches it is the other way round: most of
the pairs are right, so that two candidates of one item are nearly always a pair themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import LARGE, Graph
from spherelax.coordinate.machine.compiled import compiled

# Items whose candidates are looked at to see how transitive a list is.
CENTRES = LARGE
# A list that is this number of times as long as another is searched for the items of that one.
SEARCHED = 32


class Candidates(NamedTuple):
    """Pairs of items with their scores, each pair once and with ``one`` before ``other``.

    Attributes
    ----------
    n_items : int
        Number of items.
    one, other : ndarray of shape (n_pairs,)
        The two items of each pair.
    score : ndarray of shape (n_pairs,)
        Larger scores are likelier right; nothing else is assumed of them.
    group : ndarray of shape (n_items,) or None
        Items of one group are never the same. None: no groups.
    source : ndarray of shape (n_items,) or None
        Items of one source, from 0, were never compared. -1: they may have been. None: all may.
    """

    n_items: int
    one: NDArray[np.intp]
    other: NDArray[np.intp]
    score: NDArray[np.floating]
    group: NDArray[np.int32] | None = None
    source: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, graph: Graph, source: NDArray[np.int32] | None = None) -> Candidates:
        """Return the similarities of a graph as candidates.

        Examples
        --------
        >>> from spherelax.coordinate.graph.graph import build_graph
        >>> from spherelax.problem import Problem
        >>> pairs = Candidates.of(build_graph(Problem.check([[0, 4, 0], [4, 0, 2], [0, 2, 0]])))
        >>> pairs.one, pairs.other, pairs.score
        (array([0, 1]), array([1, 2]), array([1. , 0.5], dtype=float32))
        """
        once = graph.pairs()
        one, other = graph.rows()[once].astype(np.intp), graph.indices[once].astype(np.intp)
        group = graph.group if graph.grouped else None
        return cls(graph.n_items, one, other, graph.values[once], group, source)

    def n_wrong(self) -> int:
        """Return how many pairs must be wrong if no item has more than one partner.

        Examples
        --------
        >>> one, other, group = np.array([0, 0, 1]), np.array([2, 3, 3]), np.array([0, 0, 1, 1])
        >>> Candidates(4, one, other, np.ones(3), group).n_wrong()
        1
        """
        return len(self.score) - self.n_matchable()

    def n_matchable(self) -> int:
        """Return how many pairs could be right at most if no item has more than one partner."""
        items = np.union1d(self.one, self.other)
        if self.group is None:
            return len(items) // 2
        sizes = np.bincount(self.group[items])
        return int(min(len(items) // 2, len(items) - sizes.max()))


class Wedges(NamedTuple):
    """Pairs of candidates of one item that could be the same: how many, and how many are listed."""

    possible: float
    closed: float

    @property
    def transitivity(self) -> float:
        """How often two candidates of an item are themselves a pair; 0 if there are none."""
        return self.closed / self.possible if self.possible > 0 else 0.0

    @property
    def n_open(self) -> float:
        """How many wedges are not listed, so that their pairs contradict each other."""
        return 0.5 * (self.possible - self.closed)


def wedges(graph: Graph) -> Wedges:
    """Count pairs of candidates of one item, of some items where there are many.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    >>> wedges(build_graph(Problem.check(W))).transitivity
    0.6
    """
    centres = np.flatnonzero(np.diff(graph.indptr))
    n_present = len(centres)
    if n_present > CENTRES:
        centres = np.random.default_rng(0).choice(centres, CENTRES, replace=False)
    possible, closed = _wedges(graph, graph.groups(), centres) * (n_present / max(len(centres), 1))
    return Wedges(float(possible), float(closed))


@compiled
def _wedges(graph, group, centres):
    """Return how many pairs of candidates of the centres are not of one group; and are listed."""
    is_near = np.zeros(graph.indptr.size - 1, np.bool_)
    of_group = np.zeros(graph.indptr.size - 1, np.int64)
    closed, possible = 0.0, 0.0
    for i in centres:
        begin, end = graph.indptr[i], graph.indptr[i + 1]
        for e in range(begin, end):
            is_near[graph.indices[e]] = True
            of_group[group[graph.indices[e]]] += 1
        for e in range(begin, end):
            j = graph.indices[e]
            possible += end - begin - of_group[group[j]]
            closed += _n_shared(graph, i, j, is_near)
        for e in range(begin, end):
            is_near[graph.indices[e]] = False
            of_group[group[graph.indices[e]]] = 0
    return np.array([possible, closed])


@compiled
def _n_shared(graph, i, j, is_near):
    """Return how many candidates items i and j share; ``is_near`` marks the candidates of i.

    Candidates rise; if j has many more than i, the candidates of i are searched among them.
    """
    indptr, indices = graph.indptr, graph.indices
    found = 0
    if indptr[j + 1] - indptr[j] < SEARCHED * (indptr[i + 1] - indptr[i]):
        for f in range(indptr[j], indptr[j + 1]):
            found += is_near[indices[f]]
        return found
    for e in range(indptr[i], indptr[i + 1]):
        low, high = indptr[j], indptr[j + 1]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < indices[e]:
                low = middle + 1
            else:
                high = middle
        found += low < indptr[j + 1] and indices[low] == indices[e]
    return found
