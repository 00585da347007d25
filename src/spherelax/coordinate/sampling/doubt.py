"""What labels teach of the similarities of a graph, and so of how likely they are right themselves.

Labels of a graph are taken for a planted partition, a stochastic block model with two rates: pairs
inside labels have more or larger similarities than other pairs. What a similarity says, and what
its absence does, follows from the shares of both; `posterior` then judges labels by it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.sampling.dispersion import are_inside, dispersion, is_weighted
from spherelax.coordinate.sampling.gibbs import Beliefs
from spherelax.coordinate.worth.evidence import share_right
from spherelax.labels import Labels

Floats = NDArray[np.float64]

# No pair counts as surer than that, either way.
SURE = 1e-4
# Steps of the random walk of `walk_share`, which stays where it is half of the time.
WALK = 12


def learn_beliefs(
    graph: Graph,
    labels: Labels,
    right: Floats,
    source: NDArray[np.int32] | None = None,
    *,
    is_list: bool = False,
) -> Beliefs:
    """Learn from labels what the similarities of a graph say, and what their absence does.

    A similarity counts as much as it is likelier between items of one label than between other
    items, and so does its absence; less, if similarities repeat each other (`dispersion`).
    ``right`` has how likely the pair of each similarity is right. Pairs inside a ``source``, that
    of `Candidates`, were never compared, so that their absence says nothing.

    Before similarities are seen, an item joins any other item with equal odds, so that a label is
    joined in proportion to its size (Chinese restaurant process). But if a list, ``is_list``, has
    scores that differ, two items that are alone are the same as likely as their pair is right.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((9, 9)))))
    >>> labels = np.repeat(np.int32([0, 1]), 9)[graph.given]
    >>> found = learn_beliefs(graph, labels, share_right(graph, labels))
    >>> bool(found.same.min() > 0), bool(found.absent > 0)
    (True, True)
    """
    n_inside, n_outside = _n_possible(graph, labels, source)
    n_listed, n_listed_inside = 0.5 * len(right), 0.5 * np.count_nonzero(are_inside(graph, labels))
    rarity = float(np.log(n_outside / n_inside))
    inside = (n_listed_inside + 0.5) / (n_inside + 1.0)
    outside = (n_listed - n_listed_inside + 0.5) / (n_outside + 1.0)
    nats = logit(clip_probability(right)) + rarity
    if is_weighted(graph):  # the expected number of similarities, in proportion to the weights
        absent = float(inside - outside)
        nats -= absent
    else:
        least = 0.5 / (n_inside + 1.0)
        absent = float(np.log(max(1.0 - outside, least) / max(1.0 - inside, least)))
    absent = max(absent, 0.0) if is_list else absent
    clumped = dispersion(graph._replace(values=(nats + absent).astype(np.float32)), labels)
    is_alone = (np.bincount(labels) == 1)[labels] & (graph.weight > 0)
    join = -float(np.log1p(np.count_nonzero(is_alone)))
    growth = np.log(np.arange(1, graph.n_items + 1))
    if is_list and np.ptp(graph.values) > 0.0:
        join, growth = -rarity / clumped, np.zeros(1)
    return Beliefs(nats / clumped, absent / clumped, join, growth)


def _n_possible(
    graph: Graph, labels: Labels, source: NDArray[np.int32] | None
) -> tuple[float, float]:
    """Return how many pairs could be listed inside labels, weighted, and outside; at least 1."""
    n_pairs, n_inside = graph.n_pairs(), _n_alike(labels, graph.weight)
    if source is not None:
        known = source >= 0
        of_source, weight = source[known].astype(np.intp), graph.weight[known]
        n_pairs -= _n_alike(of_source, weight) - _n_alike(graph.groups()[known], weight)
        n_inside -= _n_alike(of_source * graph.n_items + labels[known], weight)
    return max(n_inside, 1.0), max(n_pairs - n_inside, 1.0)


def _n_alike(codes: NDArray[np.integer], weight: NDArray[np.float32]) -> float:
    """Return how many pairs of items have the same code, weighted."""
    w = weight.astype(float)
    which = np.unique(codes, return_inverse=True)[1]
    return 0.5 * float(np.square(np.bincount(which, weights=w)).sum() - np.square(w).sum())


def clip_probability(right: Floats) -> Floats:
    """Return probabilities of which none is too sure."""
    return np.asarray(np.clip(right, SURE, 1.0 - SURE))


def learn_right(graph: Graph, labels: Labels) -> Floats:
    """Learn from labels how likely the pair of each similarity is right.

    If all pairs are inside labels, labels do not say what a small similarity is worth. A pair that
    nothing else confirms, because one of its items has no other, then counts in proportion: as much
    less as it is smaller than the median.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.diag([1.0, 1.0, 1.0, 0.1]), [[0, 1], [1, 0]])
    >>> graph = build_graph(Problem.check(W))
    >>> np.unique(learn_right(graph, (np.arange(8, dtype=np.int32) // 2)[graph.given])).round(2)
    array([0.08, 0.83])
    """
    return np.asarray(share_right(graph, labels) * _trust(graph, labels))


def trust_items(graph: Graph, labels: Labels) -> Floats:
    """Return of each item how far its best pair counts, as in `learn_right`; 1 if it has none.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.diag([1.0, 1.0, 1.0, 0.1]), [[0, 1], [1, 0]])
    >>> graph = build_graph(Problem.check(W))
    >>> found = trust_items(graph, (np.arange(8, dtype=np.int32) // 2)[graph.given])
    >>> graph.as_given(found)[::2].round(2)
    array([1. , 1. , 1. , 0.1])
    """
    found = np.zeros(graph.n_items)
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    np.maximum.at(found, row, _trust(graph, labels))
    return np.where(np.diff(graph.indptr) > 0, found, 1.0)


def _trust(graph: Graph, labels: Labels) -> Floats:
    """Return how far each similarity counts: less than 1 if nothing confirms that it is right."""
    if len(graph.values) == 0 or not are_inside(graph, labels).all():
        return np.ones(len(graph.values))
    n_pairs = np.diff(graph.indptr)
    is_lone = np.minimum(np.repeat(n_pairs, n_pairs), n_pairs[graph.indices]) == 1
    of_median = graph.values.astype(float) / float(np.median(graph.values))
    return np.where(is_lone, np.minimum(of_median, 1.0), 1.0)


def walk_share(graph: Graph, labels: Labels) -> Floats:
    """Return how likely a short random walk from each item of a neighbour graph ends in its label.

    Items of a neighbour graph are joined to the items around them only, so that what counts is
    whether the border of a label is near.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(40, k=1) + np.eye(40, k=39)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> labels = np.arange(40, dtype=np.int32) // 20
    >>> found = graph.as_given(walk_share(graph, labels[graph.given]))
    >>> found[[0, 2, 10]].round(2)
    array([0.58, 0.85, 1.  ])
    """
    m, degrees = graph.n_items, np.diff(graph.indptr)
    row = np.repeat(np.arange(m), degrees)
    total = np.bincount(row, weights=graph.values, minlength=m)
    step = sp.csr_array(
        (0.5 * graph.values / np.repeat(total, degrees), graph.indices, graph.indptr), shape=(m, m)
    ) + sp.diags_array(np.where(degrees > 0, 0.5, 1.0))
    own = sp.csr_array((np.ones(m), labels, np.arange(m + 1)))
    chance = own
    for _ in range(WALK):
        chance = step @ chance
    return np.asarray(own.multiply(chance).sum(axis=1))
