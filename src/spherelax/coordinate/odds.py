"""Pairs by the odds that they are right, where similarities are scores of candidates or log odds.

Labels then are the likeliest ones: the sum of the log odds of the pairs inside them is largest.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logit

from spherelax.coordinate.candidates import Candidates, transitivity
from spherelax.coordinate.curve import Curve, Floats
from spherelax.coordinate.graph import Graph
from spherelax.coordinate.matching import matched
from spherelax.coordinate.partition import partitioned
from spherelax.labels import Labels

# A list in which candidates of one item are listed pairs this often is a graph of matches: without
# groups, and with three groups or more, where wrong pairs contradict others.
TRANSITIVE = 0.55
TRANSITIVE_GROUPS = 1 / 3
# A list that is less transitive than that has no room for entities of three items: it joins two
# sources, though nobody says so.
PAIRED = 0.01
# Scores show entities if this number of pairs an item are right.
ENTITIES = 0.03
# No pair counts as surer than that.
SURE = 1e-4
# What the highest score adds to the log odds, so that of two equally likely pairs the larger wins.
TIE = 1e-3


def probabilities(
    graph: Graph,
    kind: str | None,
    *,
    is_list: bool,
    sources: NDArray[np.intp] | None = None,
) -> Floats | None:
    """Return for each similarity how likely its pair is right; None: the graph is no list of pairs.

    ``kind`` is what the user says that the similarities are, ``is_list`` whether they could be a
    list of candidates. Similarities that are all equal could not. ``sources`` is given if free
    items of one source may be copies of each other, though no two of them are compared.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 3, -3], [3, 0, 0], [-3, 0, 0]], kind="odds"), 1.0)
    >>> probabilities(graph, "odds", is_list=False).round(2)
    array([0.95, 0.05, 0.95, 0.05])
    """
    if kind == "odds":
        return np.asarray(expit(graph.values.astype(float)))
    is_list &= len(graph.values) > 0 and bool(np.ptp(graph.values) > 0.0)
    if kind == "graph" or not is_list:
        return None
    n_groups = len(graph.unit_ptr) - 1 if graph.grouped else 0
    if n_groups == 2:
        return _of_entries(graph, matched(Candidates.of(graph)))
    closed = transitivity(graph)
    if kind is None and closed >= (TRANSITIVE_GROUPS if n_groups else TRANSITIVE):
        return None
    right = partitioned(graph, None if sources is None else _apart(graph, sources))
    if right.sum() < ENTITIES * np.count_nonzero(graph.weight) and kind is None:
        return None
    if closed < PAIRED:
        right = matched(Candidates.of(graph), None if sources is None else _with_several(graph))
    return _of_entries(graph, right)


def log_odds(graph: Graph, right: Floats) -> Graph:
    """Return the graph with log odds: above 0 if joining the pair raises the expected F.

    F over pairs is largest if pairs are joined that are right with half of its probability.
    """
    sure = np.clip(right, SURE, 1.0 - SURE)
    values = logit(sure) - logit(_threshold(sure)) + TIE * (graph.values / graph.values.max())
    return graph._replace(values=values.astype(np.float32))


def likewise(graph: Graph, right: Floats, other: Graph) -> Floats:
    """Return how likely the pairs of another graph are, by those of a graph with such scores."""
    curve = Curve(graph.values)
    return np.asarray(curve.shares(graph.values, right)[curve.bins(other.values)])


def surety(graph: Graph, right: Floats, labels: Labels) -> Floats:
    """Return for each item how likely its label is right, by the pairs that it has.

    Of an item that shares its label, that is the mean probability of its pairs inside the label;
    of another one, that none of its pairs is right.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 3, 0], [3, 0, -3], [0, -3, 0]], kind="odds"), 1.0)
    >>> surety(graph, expit(graph.values), np.array([0, 0, 1], dtype=np.int32)).round(2)
    array([0.95, 0.95, 0.95])
    """
    m = graph.n_items
    row = np.repeat(np.arange(m), np.diff(graph.indptr))
    inside = labels[row] == labels[graph.indices]
    n_inside = np.bincount(row[inside], minlength=m)
    mean = np.bincount(row, weights=right * inside, minlength=m) / np.maximum(n_inside, 1)
    none = np.exp(np.bincount(row, weights=np.log1p(-np.minimum(right, 1.0 - SURE)), minlength=m))
    is_alone = np.bincount(labels)[labels] == 1
    return np.asarray(np.where(is_alone, none, mean))


def _apart(graph: Graph, sources: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the source of each item if no two of its items are compared; -1 if some are."""
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    inside = sources[row][sources[row] == sources[graph.indices]]
    return np.where(np.isin(sources, inside), -1, sources).astype(np.int32)


def _with_several(graph: Graph) -> NDArray[np.bool_]:
    """Tell of each item whether all its candidates are free, so that several may be right."""
    is_bound = (np.diff(graph.unit_ptr) > 1)[graph.group()]
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    n_bound = np.bincount(row, weights=is_bound[graph.indices], minlength=graph.n_items)
    return np.asarray(n_bound == 0)


def _threshold(right: Floats) -> float:
    """Return half of the largest F that joining the likeliest pairs can be expected to have."""
    best_first = np.sort(right)[::-1]
    expected = 2.0 * np.cumsum(best_first) / (np.arange(1, len(right) + 1) + right.sum())
    return 0.5 * float(expected.max())


def _of_entries(graph: Graph, right: Floats) -> NDArray[np.float64]:
    """Return for each entry of a graph the value of its pair, in the order of `Candidates`."""
    pairs = Candidates.of(graph)
    shape = (pairs.n_items, pairs.n_items)
    half = sp.coo_array((np.arange(1, len(right) + 1), (pairs.one, pairs.other)), shape=shape)
    return np.asarray(right[sp.csr_array(half + half.T).data - 1])
