r"""What sizes of similarities say of labels of a graph without groups, by their rank alone.

Pairs inside labels may have other sizes than pairs outside. Ranks are halved six times, and in each
half again: 64 bins. At each halving, either labels say nothing of the half in which a pair is, or
pairs inside and outside have a share of their own in the lower half, any share being as likely. Both
have the probability 1/2, so that all trees of halvings are averaged, and a halving that says nothing
costs at most ln 2. No size but its rank counts: no rising function changes anything.

Sizes may depend on items more than on pairs: frequent words meet often. So ranks are taken twice, of
the sizes as they are, and of what one effect per item leaves. Normal scores :math:`z_{ij}` of the
ranks are explained by :math:`a_i + a_j`, effects whose variance is that of the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtri

from spherelax.coordinate.graph.account import sum_units
from spherelax.coordinate.graph.graph import Graph, blocks
from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.worth.evidence import STEPS, quantiles

Floats = NDArray[np.float64]

# Bins of ranks: a power of two. More say hardly more, as a halving that says nothing costs little.
BINS = 64
# Rounds in which effects of items are found, each halfway to the best effect given the others.
ROUNDS = 30


class SizeRanks(NamedTuple):
    """How sizes are ranked, in a graph or in one that is a part of it.

    Attributes
    ----------
    floors : ndarray
        The smallest similarity of each step of a rising staircase.
    scores : ndarray
        Normal score of each step, with mean 0 and variance 1 over the similarities.
    bins : ndarray of uint8
        Bin of each step.
    cuts : ndarray
        Smallest score without effects of items in each bin but the first.
    """

    floors: NDArray[np.float32]
    scores: Floats
    bins: NDArray[np.uint8]
    cuts: Floats

    @classmethod
    def of(cls, graph: Graph) -> SizeRanks:
        """Rank the similarities of a graph, which must not be all the same.

        Examples
        --------
        >>> from spherelax.coordinate.graph.graph import build_graph
        >>> from spherelax.problem import Problem
        >>> graph = build_graph(Problem.check([[0, 9, 1], [9, 0, 5], [1, 5, 0]]))
        >>> SizeRanks.of(graph).bins, SizeRanks.of(graph).scores.round(2)
        (array([10, 32, 53], dtype=uint8), array([-1.22,  0.  ,  1.22]))
        """
        floors = quantiles(graph.values, STEPS)
        n = np.zeros(len(floors), dtype=np.intp)
        for block in blocks(len(graph.values)):
            n += np.bincount(_steps(floors, graph.values[block]), minlength=len(n))
        middle = (np.cumsum(n) - 0.5 * n) / n.sum()
        scores = ndtri(middle)
        scores -= n @ scores / n.sum()
        scores /= np.sqrt(n @ np.square(scores) / n.sum())
        bins = np.minimum(middle * BINS, BINS - 1).astype(np.uint8)
        found = cls(floors, scores, bins, np.empty(0))
        rest = np.sort(found._explain(graph)[0])
        return found._replace(cuts=rest[np.arange(1, BINS) * len(rest) // BINS])

    def sort(self, graph: Graph) -> Sorted:
        """Sort the similarities of a graph into bins."""
        rest, unexplained = self._explain(graph)
        bins = np.empty((len(rest), 2), dtype=np.uint8)
        of_rank = np.zeros((2, BINS), dtype=np.int64)
        for block in blocks(len(rest)):
            bins[block, 0] = self.bins[_steps(self.floors, graph.values[block])]
            bins[block, 1] = np.searchsorted(self.cuts, rest[block], side="right")
            of_rank += [np.bincount(column, minlength=BINS) for column in bins[block].T]
        return Sorted(bins, of_rank // 2, unexplained)

    def _explain(self, graph: Graph) -> tuple[Floats, int]:
        """Return the scores without effects of items, and how much of them is unexplained.

        That is the sum of their squares and of those of the effects, in units.
        """
        scores = np.empty(len(graph.values))
        for block in blocks(len(scores)):
            scores[block] = self.scores[_steps(self.floors, graph.values[block])]
        squares = remove_effects(graph.indptr, graph.indices, scores, ROUNDS)
        return scores, sum_units(squares)


class Sorted(NamedTuple):
    """Similarities of a graph by rank.

    Attributes
    ----------
    bins : ndarray of uint8 of shape (n_entries, 2)
        Bin of each similarity, as it is and without effects of items.
    of_rank : ndarray of int64 of shape (2, BINS)
        How many pairs are in each bin.
    unexplained : int
        What effects of items leave, and the effects themselves: sums of squares, in units.
    """

    bins: NDArray[np.uint8]
    of_rank: NDArray[np.int64]
    unexplained: int


def log_tree(inside: NDArray[np.integer], outside: NDArray[np.integer]) -> Floats:
    """Return the log Bayes factor that ranks inside and outside labels differ.

    Both are numbers of pairs by bin, in the last axis.

    Examples
    --------
    >>> one = np.array([0, 0, 0, 9])
    >>> log_tree(one, one[::-1]).round(2), log_tree(one, one).round(2), log_tree(one, 0 * one)
    (np.float64(10.12), np.float64(-0.91), np.float64(0.0))
    """
    found = np.zeros(inside.shape)
    while found.shape[-1] > 1:
        low, high = inside[..., ::2] + 1.0, inside[..., 1::2] + 1.0
        other_low, other_high = outside[..., ::2] + 1.0, outside[..., 1::2] + 1.0
        differs = betaln(low, high) + betaln(other_low, other_high)
        differs -= betaln(low + other_low - 1.0, high + other_high - 1.0)
        differs += found[..., ::2] + found[..., 1::2]
        found = np.logaddexp(0.0, differs) - np.log(2.0)
        inside = inside[..., ::2] + inside[..., 1::2]
        outside = outside[..., ::2] + outside[..., 1::2]
    return np.asarray(found[..., 0])


def _steps(floors: NDArray[np.float32], values: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the step of each similarity; those below the first floor are in the first."""
    return np.maximum(np.searchsorted(floors, values, side="right") - 1, 0)


@compiled
def remove_effects(indptr, indices, scores, n_rounds):
    """Take the effects of both items off each score.

    Returns the squares of what is left and of the effects, summed for each item. An effect is the
    mean of what the effects of other items leave, with one score of 0 added.
    """
    m = len(indptr) - 1
    effect, new, own = np.zeros(m), np.zeros(m), np.zeros(m)
    for i in range(m):
        for e in range(indptr[i], indptr[i + 1]):
            own[i] += scores[e]
    for _ in range(n_rounds):
        for i in range(m):
            total = own[i]
            for e in range(indptr[i], indptr[i + 1]):
                total -= effect[indices[e]]
            new[i] = 0.5 * effect[i] + 0.5 * total / (indptr[i + 1] - indptr[i] + 1)
        effect, new = new, effect
    for i in range(m):
        new[i] = effect[i] * effect[i]
        for e in range(indptr[i], indptr[i + 1]):
            scores[e] -= effect[i] + effect[indices[e]]
            new[i] += 0.5 * scores[e] * scores[e]
    return new
