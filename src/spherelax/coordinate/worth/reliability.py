"""How reliable the matches between two groups are, learnt from labels.

Some pairs of photographs match well, others hardly at all. Given labels, the share of the matches
between two groups that join items of one label is an estimate of that. Shares that rest on few
matches are moved towards the overall share, the more the less the shares vary between pairs of
groups. The similarities of two groups are then multiplied by their share over the overall share.
"""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.crossings import FINE
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.machine.compiled import compiled

# With fewer matches than that for each pair of groups, on average, nothing is learnt.
MATCHES = 4.0
# The shares must vary more than by chance, by this number of standard errors.
SIGNIFICANT = 3.0

Counts = NDArray[np.int64]


def reweigh(graph: Graph, labels: NDArray[np.int32]) -> Graph | None:
    """Return the graph with similarities weighted by reliability; None if nothing is to be learnt.

    Examples
    --------
    >>> from spherelax.datasets import make_partial_matching
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W, groups, labels = make_partial_matching(6, 8, shuffled=0.0, random_state=0)
    >>> reweigh(build_graph(Problem.check(W, groups)), labels) is None
    True
    """
    if not graph.grouped or not is_open(len(graph.values), graph.n_groups()):
        return None
    shared = renumber_groups(graph.group, np.bincount(graph.group) > 1)
    factor = factors(*agreement(graph, labels, shared, int(shared.max()) + 1))
    return None if factor is None else weigh_pairs(graph, shared, factor)


def is_open(n_entries: int, n_groups: int) -> bool:
    """Tell whether there are enough similarities for each pair of groups."""
    return n_entries >= MATCHES * n_groups * n_groups


def renumber_groups(group: NDArray[np.int32], has_several: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the group of each item, counted among those that have several items; else -1.

    Examples
    --------
    >>> renumber_groups(np.array([0, 1, 2, 0, 2]), np.array([True, False, True]))
    array([ 0, -1,  1,  0,  1], dtype=int32)
    """
    number = np.where(has_several, np.cumsum(has_several) - 1, -1).astype(np.int32)
    return number[group]


def factors(matched: Counts, agreed: Counts) -> NDArray[np.float64] | None:
    """Return what the similarities between two groups are multiplied by, at most 1.

    ``matched`` is the similarity between groups, ``agreed`` that of items with one label, both in
    units of `FINE`, so that the order of sums does not matter. None: the groups do not differ.
    """
    pairs = np.triu(matched > 0)
    n, share = matched[pairs] * FINE, agreed[pairs] / matched[pairs]
    if len(n) < 2:
        return None
    overall = int(agreed.sum()) / int(matched.sum())
    chance = overall * (1.0 - overall)
    if chance == 0.0:
        return None
    # Method of moments: the variance of the shares beyond that of n tosses of a coin. The order of
    # the groups changes no sum.
    spread = fsum(n * np.square(share - overall)) / chance - (len(n) - 1)
    variance = chance * spread / (fsum(n) - fsum(np.square(n)) / fsum(n))
    if spread < SIGNIFICANT * np.sqrt(2.0 * len(n)):
        return None
    factor = np.ones(matched.shape)
    factor[pairs] += (share / overall - 1.0) * variance / (variance + chance / n)
    factor = factor * factor.T
    return np.asarray(factor / factor[matched > 0].max())


def weigh_pairs(graph: Graph, shared: NDArray[np.int32], factor: NDArray[np.float64]) -> Graph:
    """Return the graph whose similarities are multiplied by the factor of their pair of groups.

    ``shared`` is the group of each item among those with a factor; -1: it has none.
    """
    return graph.with_values(_scale(graph, shared, factor))


@compiled
def agreement(graph, labels, group, q):
    """Return the similarity between groups, and that of equal labels, in whole units."""
    both = np.zeros((2, q, q), np.int64)
    matched, agreed = both[0], both[1]
    for i in range(len(labels)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[e]
            if group[i] >= 0 and group[j] >= 0:
                value = np.int64(np.rint(graph.values[e] / FINE))
                matched[group[i], group[j]] += value
                if labels[i] == labels[j]:
                    agreed[group[i], group[j]] += value
    return both


@compiled
def _scale(graph, group, factor):
    """Return the similarities times the factor of their pair of groups."""
    values = graph.values.copy()
    for i in range(len(group)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[e]
            if group[i] >= 0 and group[j] >= 0:
                values[e] *= factor[group[i], group[j]]
    return values
