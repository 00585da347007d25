"""How reliable the matches between two groups are, learnt from labels.

Some pairs of photographs match well, others hardly at all. Given labels, the share of the matches
between two groups that join items of one label is an estimate of that. Shares that rest on few
matches are moved towards the overall share, the more the less the shares vary between pairs of
groups. The similarities of two groups are then multiplied by their share over the overall share.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.compiled import compiled
from spherelax.coordinate.graph import Graph

# With fewer matches than that for each pair of groups, on average, nothing is learnt.
MATCHES = 4.0
# The shares must vary more than by chance, by this number of standard errors; and their standard
# deviation must be at least this share of the overall share.
SIGNIFICANT = 3.0
RELEVANT = 0.02
# The smallest factor that similarities are multiplied by.
LEAST = 1e-3
# Similarities are counted in whole numbers of this unit, so that their order does not matter.
UNIT = 2.0**-30

Counts = NDArray[np.int64]


def reweighted(graph: Graph, labels: NDArray[np.int32]) -> Graph | None:
    """Return the graph with similarities weighted by reliability; None if nothing is to be learnt.

    Examples
    --------
    >>> from spherelax.datasets import make_partial_matching
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W, groups, labels = make_partial_matching(6, 8, shuffled=0.0, random_state=0)
    >>> reweighted(build_graph(Problem.check(W, groups)), labels) is None
    True
    """
    q = graph.n_groups()
    if not graph.grouped or len(graph.values) < MATCHES * q * q:
        return None
    factor = factors(*agreement(graph, labels, graph.group, q))
    return None if factor is None else weighted(graph, factor)


def factors(matched: Counts, agreed: Counts) -> NDArray[np.float64] | None:
    """Return what the similarities between two groups are multiplied by, at most 1.

    ``matched`` is the similarity between groups, ``agreed`` that of items with one label. None: the
    groups do not differ.
    """
    pairs = np.triu(matched > 0)
    n, share = matched[pairs] * UNIT, agreed[pairs] / matched[pairs]
    overall = float(agreed.sum() / matched.sum())
    chance = overall * (1.0 - overall)
    if chance == 0.0 or len(n) < 2:
        return None
    # Method of moments: the variance of the shares beyond that of n tosses of a coin.
    spread = float(np.sum(n * np.square(share - overall))) / chance - (len(n) - 1)
    variance = chance * spread / float(n.sum() - np.square(n).sum() / n.sum())
    if spread < SIGNIFICANT * np.sqrt(2.0 * len(n)) or variance < (RELEVANT * overall) ** 2:
        return None
    factor = np.ones(matched.shape)
    factor[pairs] += (share / overall - 1.0) * variance / (variance + chance / n)
    factor = np.maximum(factor * factor.T, LEAST)
    return np.asarray(factor / factor[matched > 0].max())


def weighted(graph: Graph, factor: NDArray[np.float64]) -> Graph:
    """Return the graph whose similarities are multiplied by the factor of their pair of groups."""
    return graph.with_values(_scaled(graph, graph.group, factor))


@compiled
def agreement(graph, labels, group, q):
    """Return the similarity between groups, and that of equal labels, in whole units."""
    both = np.zeros((2, q, q), np.int64)
    matched, agreed = both[0], both[1]
    for i in range(len(labels)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[e]
            value = np.int64(np.rint(graph.values[e] / UNIT))
            matched[group[i], group[j]] += value
            if labels[i] == labels[j]:
                agreed[group[i], group[j]] += value
    return both


@compiled
def _scaled(graph, group, factor):
    """Return the similarities times the factor of their pair of groups."""
    values = np.empty_like(graph.values)
    for i in range(len(group)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            values[e] = graph.values[e] * factor[group[i], group[graph.indices[e]]]
    return values
