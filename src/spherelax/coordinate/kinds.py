"""Whether similarities are a neighbour graph: every item is joined to the items nearest to it.

If each of n items chose its k nearest, every item has at least k neighbours, many have exactly k,
and as many choices are mutual, items have clearly fewer than 2 k neighbours on average. Graphs that
were made in another way have no floor, a smallest number of neighbours that many items have. Pairs
of records may come from the nearest records too; but there the scores of a record do not depend on
its other candidates, whereas the weights of a neighbour graph are usually relative: the nearest
neighbour of every item has the same weight.

Here all is read from the matrix as it is given, by NumPy and SciPy alone: whoever reads a file or
makes an estimator asks for the kind, and need not wait for compiled code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from spherelax.problem import Problem

# Fewest neighbours that every item of a neighbour graph has.
FEWEST = 4
# Share of the items that may be below the floor, where neighbours were found approximately.
BELOW = 0.005
# Items on the floor, at least: as a share of all items, and their number. In a random graph, where
# numbers of neighbours fall off gradually, at most two items in a hundred are on the floor.
ON_FLOOR = 0.06
FEWEST_ON_FLOOR = 10
# Neighbours on average, at least, as a multiple of the smallest number: a graph in which all have
# the same number is a lattice, or made of equal parts.
UNEVEN = 1.05
# Share of the choices, at least, that are mutual: near items choose each other. Where items choose
# items by chance, as in graphs that grow, hardly any are, and items have twice as many neighbours
# on average as they chose.
MUTUAL = 0.2
# Items, and items of a component on average, at least, as multiples of an item and its neighbours.
ITEMS = 10
COMPONENT = 4
# Transitivity, at least and at most: how often two neighbours of an item are neighbours themselves.
# Links that were drawn at random have less, matches have more.
LEAST_CLOSED = 0.07
MOST_CLOSED = 0.75
# Items whose neighbours are looked at to measure it.
CENTRES = 500
# Relative difference of weights that count as equal.
EQUAL = 1e-3


def recognise(problem: Problem) -> Problem:
    """Return the problem; of the kind "neighbors" if nobody says its kind and it looks like one.

    If somebody says it of a graph that has groups, or is too small to show patches, it is a graph.

    Examples
    --------
    >>> from sklearn.neighbors import kneighbors_graph
    >>> A = kneighbors_graph(np.random.default_rng(0).normal(size=(300, 2)), 8)
    >>> recognise(Problem.check(A.maximum(A.T))).kind
    'neighbors'
    """
    if problem.kind not in (None, "neighbors"):
        return problem
    is_one = problem.groups is None and has_floor(problem)
    if problem.kind is None:
        is_one = is_one and _is_relative(problem.similarity)
        return replace(problem, kind="neighbors") if is_one else problem
    return problem if is_one else replace(problem, kind="graph")


def kind_of_graph(W: Any) -> str:
    """Return "neighbors" if a graph looks like one, else "graph".

    Examples
    --------
    >>> from sklearn.neighbors import kneighbors_graph
    >>> A = kneighbors_graph(np.random.default_rng(0).normal(size=(300, 2)), 8)
    >>> kind_of_graph(A.maximum(A.T)), kind_of_graph(np.eye(3))
    ('neighbors', 'graph')
    """
    if not sp.issparse(W) or W.shape[0] == 0:
        return "graph"
    return recognise(Problem(sp.csr_array(W), None)).kind or "graph"


def has_floor(problem: Problem) -> bool:
    """Tell whether numbers of neighbours have a floor, as in a neighbour graph.

    Examples
    --------
    >>> has_floor(Problem.check(np.ones((9, 9))))
    False
    """
    W = problem.similarity
    if not sp.issparse(W):
        return False
    A = _links(W)
    degrees = np.diff(A.indptr)
    if len(degrees) == 0:
        return False
    floor = int(np.quantile(degrees, BELOW, method="lower"))
    if floor < FEWEST or len(degrees) < ITEMS * (floor + 1):
        return False
    mean = float(degrees.mean())
    n_on_floor = np.count_nonzero(degrees == floor)
    is_floor = n_on_floor >= max(ON_FLOOR * len(degrees), FEWEST_ON_FLOOR)
    if not (is_floor and UNEVEN * floor <= mean <= (2.0 - MUTUAL) * floor):
        return False
    n_components = connected_components(A, directed=False, return_labels=False)
    is_large = len(degrees) >= n_components * COMPONENT * (floor + 1)
    return is_large and LEAST_CLOSED <= _transitivity(A) <= MOST_CLOSED


def _links(W: sp.csr_array) -> sp.csr_array:
    """Return who is similar to whom, without items that are similar to nothing but themselves."""
    A = sp.csr_array((np.ones(W.nnz), W.indices, W.indptr), shape=W.shape, copy=True)
    A.setdiag(0.0)
    A.eliminate_zeros()
    is_present = np.diff(A.indptr) > 0
    return A if is_present.all() else A[is_present][:, is_present]


def _transitivity(A: sp.csr_array) -> float:
    """Return how often two neighbours of some items are neighbours.

    They are every n-th item by the number of walks of three steps, whatever the order of the items.
    """
    by_walks = np.argsort(A @ (A @ np.diff(A.indptr)), kind="stable")
    rows = A[by_walks[:: -(-len(by_walks) // CENTRES)]]
    degrees = np.diff(rows.indptr)
    return float((rows @ A).multiply(rows).sum() / max(np.sum(degrees * (degrees - 1)), 1))


def _is_relative(W: sp.csr_array) -> bool:
    """Tell whether the largest weight of nearly every item is the same."""
    largest = W.max(axis=1).toarray().ravel()
    largest = largest[largest > 0.0]
    return bool(np.mean(largest < (1.0 - EQUAL) * largest.max()) <= BELOW)
