"""How likely labels are right: of pairs, entities and items, by Gibbs sampling.

The chain begins with the labels that are judged. While it runs, `gibbs` sums how likely each item
joins the items with which it shares a judged label, given the labels of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.hashing import SEED
from spherelax.coordinate.sampling.agreement import Agreement, Ints
from spherelax.coordinate.sampling.gibbs import Beliefs, Net, State, Sums, sweep
from spherelax.coordinate.sampling.rows import Rows
from spherelax.coordinate.worth.curve import Floats
from spherelax.labels import Labels

# Sweeps before anything is summed.
WARM_SWEEPS = 3
# Sweeps that are summed: clip(READ / number of entries of the net, LEAST_SWEEPS, MOST_SWEEPS).
READ = 2_000_000
LEAST_SWEEPS = 10
MOST_SWEEPS = 400
# Labelings that are drawn for questions, one after each sweep.
N_DRAWS = 50


class Judged(NamedTuple):
    """What is known of the similarities of a graph.

    Attributes
    ----------
    right : ndarray of shape (n_entries,)
        How likely the pair of each similarity is right.
    beliefs : Beliefs, Rows or None
        What to judge labels by, for each similarity; None: an item has one partner at most.
    """

    right: Floats
    beliefs: Beliefs | Rows | None

    def net(self, graph: Graph, source: NDArray[np.int32] | None) -> Net:
        """Return the pairs of each item of the graph; ``source`` is that of `Candidates`."""
        if isinstance(self.beliefs, Rows):
            return Net.of_graph(graph, source, self.beliefs.compared)
        return Net.of_graph(graph, source, is_list=True)


class Posterior(NamedTuple):
    """How likely labels are right.

    Attributes
    ----------
    item : ndarray of shape (n_items,)
        The expected share of the other items of its label that are the same thing; of an item that
        is alone, the probability that no other is the same.
    pure, whole : ndarray of shape (n_labels,)
        The probabilities that all items of the label are the same thing, and that no item outside
        is the same as one of its items.
    pairs : ndarray of shape (n_pairs,)
        The probability of each pair inside labels, label by label; empty if that was not wanted.
    """

    item: Floats
    pure: Floats
    whole: Floats
    pairs: Floats

    @classmethod
    def sure(cls, labels: Labels) -> Posterior:
        """Return the posterior of labels that are sure, without pairs."""
        of_label = np.ones(int(labels.max()) + 1)
        return cls(np.ones(len(labels)), of_label, of_label, np.empty(0))


def draw_posterior(
    net: Net, beliefs: Beliefs | Rows, labels: Labels, *, has_pairs: bool = False
) -> Posterior:
    """Return how likely labels are right; ``beliefs`` has what each entry of the net says.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> pairs = Candidates(3, np.array([0, 1]), np.array([1, 2]), np.ones(2))
    >>> net = Net.of_list(pairs)
    >>> beliefs = beliefs_of_log_odds(np.array([1.0, -3.0])[net.pair])
    >>> found = draw_posterior(net, beliefs, np.array([0, 0, 1], dtype=np.int32))
    >>> found.item.round(1), found.pure.round(1), found.whole.round(1)
    (array([0.7, 0.7, 0.9]), array([0.7, 1. ]), array([1. , 0.9]))
    """
    agreement = Agreement.of(labels, has_pairs=has_pairs)
    counted = (agreement.item, agreement.pure, agreement.whole, agreement.pairs)
    n_sweeps = int(np.clip(READ // max(len(net.indices), 1), LEAST_SWEEPS, MOST_SWEEPS))
    for index, _ in enumerate(_sweep(net, beliefs, labels, agreement, WARM_SWEEPS + n_sweeps)):
        if index == WARM_SWEEPS - 1:
            for values in counted:
                values[:] = 0.0
    size = np.diff(agreement.start)
    times = (np.maximum(size - 1, 1)[labels], size, size, 2)
    shares = (values / (n_sweeps * n) for values, n in zip(counted, times, strict=True))
    return Posterior(*(np.minimum(share, 1.0) for share in shares))


def draw_labels(net: Net, beliefs: Beliefs | Rows, labels: Labels) -> NDArray[np.int32]:
    """Return labels that are drawn, as rows; the chain begins with those given.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> net = Net.of_list(Candidates(3, np.array([0, 1]), np.array([1, 2]), np.ones(2)))
    >>> beliefs = beliefs_of_log_odds(np.array([1.0, -3.0])[net.pair])
    >>> drawn = draw_labels(net, beliefs, np.array([0, 0, 1], dtype=np.int32))
    >>> drawn.shape, float(np.mean(drawn[:, 0] == drawn[:, 1]).round(1))
    ((50, 3), 0.7)
    """
    nothing = Agreement.of(np.empty(0, np.int32))
    drawn = _sweep(net, beliefs, labels, nothing, WARM_SWEEPS + N_DRAWS)
    return np.array([each.astype(np.int32) for each in drawn])[WARM_SWEEPS:]


def _sweep(
    net: Net, beliefs: Beliefs | Rows, labels: Labels, agreement: Agreement, n_sweeps: int
) -> Iterator[Ints]:
    """Yield the labels after each sweep; what labels teach is learnt from the first ones alone."""
    m, rng = len(labels), np.random.default_rng(SEED)
    state, sums = State.of(labels, net), Sums.of(m)
    for index in range(n_sweeps):
        if index < WARM_SWEEPS + LEAST_SWEEPS:
            told = beliefs.learn(sums.seen, state.size)
            sums.seen[:] = 0.0
        sweep(net, told, state, sums, agreement, np.array([np.arange(m), rng.random(m)]))
        yield state.labels


def beliefs_of_log_odds(log_odds: Floats) -> Beliefs:
    """Return beliefs by which the log odds of all pairs of an item with a label sum up."""
    return Beliefs(log_odds, 0.0, 0.0, np.zeros(1))
