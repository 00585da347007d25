"""What labels teach of the similarities of a graph, and so of how likely they are right themselves.

Pairs inside labels have more or larger similarities than other pairs. What a similarity says, and
what its absence does, follows from the shares of both; `posterior` then judges labels by it.
Without groups these are the rates of the block model whose evidence chose the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit, softmax

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.sampling.dispersion import dispersion
from spherelax.coordinate.sampling.gibbs import Beliefs
from spherelax.coordinate.sampling.posterior import Posterior
from spherelax.coordinate.worth.alternatives import BEHIND
from spherelax.coordinate.worth.block_model import BlockModel, Blocks
from spherelax.coordinate.worth.evidence import share_right
from spherelax.coordinate.worth.ranks import NO_BINS, Sorted
from spherelax.labels import Labels, inside_pairs

Floats = NDArray[np.float64]

# No pair counts as surer than that, either way.
SURE = 1e-4
# How likely a graph that shows no labels has none: nobody can tell, so as likely as not.
DETECTED = 0.5
# Steps of the random walk of `walk_share`, which stays where it is half of the time.
WALK = 12


def learn_beliefs(
    graph: Graph, labels: Labels, right: Floats, source: NDArray[np.int32] | None = None
) -> Beliefs:
    """Learn from labels what the similarities of groups say, and what their absence does.

    A similarity counts as much as it is likelier between items of one label than between other
    items, and so does its absence; less, if similarities repeat each other (`dispersion`).
    ``right`` has how likely the pair of each similarity is right. Pairs inside a ``source``, that
    of `Candidates`, were never compared, so that their absence says nothing.

    Before similarities are seen, an item joins a label as it does in a graph (`learn_blocks`). But
    if scores differ, two items that are alone are the same as likely as their pair is right.
    """
    n_inside, n_outside = _n_possible(graph, labels, source)
    n_listed, n_listed_inside = 0.5 * len(right), 0.5 * np.count_nonzero(graph.inside(labels))
    rarity = float(np.log(n_outside / n_inside))
    inside = (n_listed_inside + 0.5) / (n_inside + 1.0)
    outside = (n_listed - n_listed_inside + 0.5) / (n_outside + 1.0)
    nats = logit(clip_probability(right)) + rarity
    least = 0.5 / (n_inside + 1.0)
    absent = max(float(np.log(max(1.0 - outside, least) / max(1.0 - inside, least))), 0.0)
    clumped = dispersion(graph._replace(values=(nats + absent).astype(np.float32)), labels)
    if len(right) > 0 and np.ptp(graph.values) > 0.0:
        return Beliefs(nats / clumped, absent / clumped, -rarity / clumped, np.zeros(1))
    return Beliefs(nats / clumped, absent / clumped, *_restaurant(graph, labels))


def learn_blocks(
    graph: Graph, labels: Labels, model: BlockModel, sizes: Sorted | None
) -> tuple[Graph, Beliefs]:
    """Learn from labels of a graph without groups what its pairs say, as the evidence has it.

    Returns the graph with the weights of the null model that is likelier given the labels, too.
    ``sizes`` are the similarities by rank; None: all count the same.

    Before similarities are seen, an item joins any other item with equal odds, so that a label is
    joined in proportion to its size (Chinese restaurant process).

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.coordinate.readings import read_problem
    >>> from spherelax.problem import Problem
    >>> model = read_problem(Problem.check(np.kron(np.eye(2), np.ones((9, 9)))))
    >>> labels = np.repeat(np.int32([0, 1]), 9)[model.graph.given]
    >>> found = learn_blocks(model.graph, labels, model.description, None)[1]
    >>> bool(found.same.min() > 0), bool(found.absent > 0)
    (True, True)
    """
    bins = NO_BINS if sizes is None else sizes.bins
    account = Blocks.of(graph, bins, labels)
    is_corrected, by_item = model.is_corrected(account), sizes is not None and sizes.by_item
    nats = model.weigh_pairs(account, by_item=by_item, is_corrected=is_corrected)
    degrees = np.diff(graph.indptr)
    weight = degrees if is_corrected else degrees > 0
    which = np.zeros(len(graph.values), np.uint8) if sizes is None else bins[:, int(by_item)]
    beliefs = Beliefs(nats.listed[which] - nats.absent, nats.absent, *_restaurant(graph, labels))
    return graph._replace(weight=weight.astype(np.float32)), beliefs


def _restaurant(graph: Graph, labels: Labels) -> tuple[float, Floats]:
    """Return the log odds of joining an item that is alone, and how they grow with a label.

    As many items as are alone are as likely to be.
    """
    is_alone = (np.bincount(labels) == 1)[labels] & (graph.weight > 0)
    return -float(np.log1p(np.count_nonzero(is_alone))), np.log(np.arange(1, graph.n_items + 1))


class Rivals(NamedTuple):
    """Labelings that are about as likely as each other, and how likely each is.

    Attributes
    ----------
    labelings : sequence of ndarray
        The labelings.
    chance : ndarray
        Their probabilities. Where they sum to less than 1, nothing of some labels is right.
    """

    labelings: Sequence[Labels]
    chance: Floats

    @classmethod
    def of(cls, labels: Labels, labelings: Sequence[Labels], savings: Floats) -> Rivals:
        """Compare labels that save nothing with labelings that save little less.

        Labels below the limit of detection leave no trace, so all are right with a probability of
        `DETECTED`.

        Examples
        --------
        >>> one, two = np.zeros(4, dtype=np.int32), np.int32([0, 0, 1, 1])
        >>> Rivals.of(one, [two, two], np.array([-1.0, -1.0])).share(one).round(2)
        array([0.41, 0.41, 0.41, 0.41])
        """
        savings, which = np.unique(savings, return_index=True)
        is_near = (savings > -BEHIND) & (savings < 0.0)
        others = tuple(labelings[index] for index in which[is_near])
        return cls((labels, *others), DETECTED * softmax(np.r_[0.0, savings[is_near]]))

    def share(self, labels: Labels) -> Floats:
        """Return for each item the expected share of its label that is the same thing."""
        return self.discount(Posterior.sure(labels), labels).item

    def discount(self, found: Posterior, labels: Labels) -> Posterior:
        """Return how likely labels are right that one labeling has, if another may be meant.

        Examples
        --------
        >>> persons, families = np.int32([0, 0, 1, 1, 2]), np.int32([0, 0, 0, 0, 1])
        >>> both = Rivals([persons, families], np.array([0.5, 0.5]))
        >>> both.discount(Posterior.sure(families), families).item.round(2)
        array([0.67, 0.67, 0.67, 0.67, 1.  ])
        >>> both.discount(Posterior.sure(persons), persons).whole
        array([0.5, 0.5, 1. ])
        """
        size = np.bincount(labels)
        n_others, no_pairs = size[labels] - 1, np.empty((0, 2), dtype=np.intp)
        one, other = (inside_pairs(labels) if len(found.pairs) else no_pairs).T
        shares = [np.zeros(len(values)) for values in found]
        for labeling, chance in zip(self.labelings, self.chance, strict=True):
            both = labels.astype(np.int64) * len(labels) + labeling
            _, cell, n = np.unique(both, return_inverse=True, return_counts=True)
            n, n_there = n[cell], np.bincount(labeling)[labeling]
            of_item = np.where(n_others > 0, (n - 1) / np.maximum(n_others, 1), n_there == 1)
            is_pure = np.bincount(labels, weights=n == size[labels]) == size
            is_whole = np.bincount(labels, weights=n == n_there) == size
            right = (of_item, is_pure, is_whole, labeling[one] == labeling[other])
            shares = [share + chance * each for share, each in zip(shares, right, strict=True)]
        left = (values * share for values, share in zip(found, shares, strict=True))
        return Posterior(*(np.minimum(values, 1.0) for values in left))


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
    np.maximum.at(found, graph.rows(), _trust(graph, labels))
    return np.where(np.diff(graph.indptr) > 0, found, 1.0)


def _trust(graph: Graph, labels: Labels) -> Floats:
    """Return how far each similarity counts: less than 1 if nothing confirms that it is right."""
    if len(graph.values) == 0 or not graph.inside(labels).all():
        return np.ones(len(graph.values))
    n_pairs = np.diff(graph.indptr)
    is_lone = np.minimum(np.repeat(n_pairs, n_pairs), n_pairs[graph.indices]) == 1
    of_median = graph.values.astype(float) / float(np.median(graph.values))
    return np.where(is_lone, np.minimum(of_median, 1.0), 1.0)


def walk_share(graph: Graph, labels: Labels, same: sp.csr_array) -> Floats:
    """Return how likely a short random walk from each item of a neighbour graph ends in its thing.

    ``same`` says how likely two labels are the same thing; it is 1 on the diagonal.

    Items of a neighbour graph are joined to the items around them only, so that what counts is
    whether the border of a label is near.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(40, k=1) + np.eye(40, k=39)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> labels = np.arange(40, dtype=np.int32) // 20
    >>> found = graph.as_given(walk_share(graph, labels[graph.given], sp.eye_array(2).tocsr()))
    >>> found[[0, 2, 10]].round(2)
    array([0.58, 0.85, 1.  ])
    """
    m, degrees = graph.n_items, np.diff(graph.indptr)
    row = np.repeat(np.arange(m), degrees)
    total = np.bincount(row, weights=graph.values, minlength=m)
    step = sp.csr_array(
        (0.5 * graph.values / np.repeat(total, degrees), graph.indices, graph.indptr), shape=(m, m)
    ) + sp.diags_array(np.where(degrees > 0, 0.5, 1.0))
    chance = sp.csr_array((np.ones(m), labels, np.arange(m + 1)))
    for _ in range(WALK):
        chance = step @ chance
    return np.asarray(same[labels].multiply(chance).sum(axis=1))
