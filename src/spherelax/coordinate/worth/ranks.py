r"""What sizes of similarities say of labels of a graph without groups, by their rank alone.

Pairs inside labels may have other sizes than pairs outside. Ranks are halved six times, and in each
half again: 64 bins. At each halving, either labels say nothing of the half in which a pair is, or
pairs inside and outside have a share of their own in the lower half, any share being as likely.
Both have the probability 1/2, so that all trees of halvings are averaged, and a halving that says
nothing costs at most ln 2. No size but its rank counts: no rising function changes anything.

Sizes may depend on items more than on pairs: frequent words meet often. So ranks are taken twice,
of the sizes as they are, and of what one effect per item leaves. Normal scores :math:`z_{ij}` of
the ranks are explained by :math:`a_i + a_j`, effects whose variance is that of the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit, ndtri

from spherelax.coordinate.graph.account import UNIT, sum_units
from spherelax.coordinate.graph.graph import Graph, blocks
from spherelax.coordinate.graph.neighbors import n_up_to, remove_effects
from spherelax.coordinate.worth.evidence import STEPS, quantiles

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | Floats

# Bins of similarities that are not ranked.
NO_BINS = np.empty((0, 2), dtype=np.uint8)
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
    by_item : bool
        Whether effects of items make the sizes likelier.
    """

    floors: NDArray[np.float32]
    scores: Floats
    bins: NDArray[np.uint8]
    cuts: NDArray[np.float32]
    by_item: bool

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
        if len(n) > 1:  # else nearly all similarities are the same, and none is told apart
            scores /= np.sqrt(n @ np.square(scores) / n.sum())
        bins = np.minimum(middle * BINS, BINS - 1).astype(np.uint8)
        found = cls(floors, scores, bins, np.empty(0, dtype=np.float32), by_item=False)
        _, rest, unexplained = found._explain(graph)
        by_item = log_effects(np.bincount(np.diff(graph.indptr)), unexplained) > 0.0
        cuts = np.sort(rest)[np.arange(1, BINS) * len(rest) // BINS]
        return found._replace(cuts=cuts, by_item=by_item)

    def sort(self, graph: Graph) -> Sorted:
        """Sort the similarities of a graph into bins."""
        own, rest, unexplained = self._explain(graph)
        bins = np.empty((len(rest), 2), dtype=np.uint8)
        bins[:, 0] = own
        of_rank = np.zeros((2, BINS), dtype=np.int64)
        for block in blocks(len(rest)):
            bins[block, 1] = n_up_to(self.cuts, rest[block])
            of_rank += [np.bincount(column, minlength=BINS) for column in bins[block].T]
        sizes = rest if self.by_item else graph.values
        return Sorted(bins, of_rank // 2, unexplained, sizes, self.by_item)

    def _explain(self, graph: Graph) -> tuple[NDArray[np.uint8], NDArray[np.float32], int]:
        """Return bins of similarities, their scores without effects, and what is unexplained.

        That is the sum of the squares of these scores and of the effects, in units.
        """
        bins = np.empty(len(graph.values), dtype=np.uint8)
        scores = np.empty(len(graph.values), dtype=np.float32)
        for block in blocks(len(scores)):
            step = _steps(self.floors, graph.values[block])
            bins[block], scores[block] = self.bins[step], self.scores[step]
        n_rounds = ROUNDS if len(self.floors) > 2 else 0
        squares = remove_effects(graph.indptr, graph.indices, scores, n_rounds)
        return bins, scores, sum_units(squares)

    def lowest(self) -> NDArray[np.float32]:
        """Return the smallest size of each bin, of the sizes that are likelier.

        Bins without similarities have that of the next one.
        """
        if self.by_item:
            return np.asarray(np.r_[np.float32(-np.inf), self.cuts])
        first = np.searchsorted(self.bins, np.arange(BINS))
        return np.asarray(np.append(self.floors, np.float32(np.inf))[first])


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
    sizes : ndarray of float32 of shape (n_entries,)
        The size of each similarity, without effects of items if these make sizes likelier.
    by_item : bool
        Whether they do.
    """

    bins: NDArray[np.uint8]
    of_rank: NDArray[np.int64]
    unexplained: int
    sizes: NDArray[np.float32]
    by_item: bool


def log_effects(of_degree: NDArray[np.int64], unexplained: int) -> float:
    """Return how much likelier sizes are with one effect per item than without, in nats.

    ``of_degree`` tells how many items have each number of similarities. Effects have the same
    variance as what they leave ``unexplained``, in units; it is 0 if sizes do not differ.
    """
    if unexplained == 0:
        return 0.0
    k = np.arange(len(of_degree))
    n_listed = 0.5 * float(k @ of_degree)
    spread = np.log(unexplained * UNIT / n_listed)
    return float(-0.5 * n_listed * spread - 0.5 * np.log1p(k) @ of_degree)


def log_tree(inside: Counts, outside: Counts) -> Floats:
    """Return the log Bayes factor that ranks inside and outside labels differ.

    Both are numbers of pairs by bin, in the last axis.

    Examples
    --------
    >>> one = np.array([0, 0, 0, 9])
    >>> [round(float(log_tree(one, other)), 2) for other in (one[::-1], one, 0 * one)]
    [8.44, -0.59, 0.0]
    """
    return np.asarray(_halvings(inside, outside)[-1].found[..., 0])


def log_ratios(inside: Counts, outside: Counts) -> Floats:
    """Return for each bin how much likelier it is inside labels than outside, in nats.

    Both are numbers of pairs by bin. The shares of the bins are their means over all trees of
    halvings, each as likely as the numbers make it.

    Examples
    --------
    >>> log_ratios(np.array([1, 1, 0, 18]), np.array([10, 10, 10, 10])).round(1)
    array([-1.3, -1.3, -1.7,  1.2])
    """
    found = np.zeros(1)
    for halving in reversed(_halvings(inside, outside)):
        numbers = halving.inside, halving.outside, halving.inside + halving.outside
        *apart, both = ((n[::2] + 1.0) / (n[::2] + n[1::2] + 2.0) for n in numbers)
        low, other = (both + expit(halving.differs) * (each - both) for each in apart)
        ratios = np.log(low / other), np.log((1.0 - low) / (1.0 - other))
        found = np.stack([found + ratio for ratio in ratios], axis=1).ravel()
    return found


def _halvings(inside: Counts, outside: Counts) -> list[_Halving]:
    """Return all halvings of ranks, from those of single bins up to that of all ranks."""
    found: Floats = np.zeros(inside.shape)
    halvings = []
    while found.shape[-1] > 1:
        (a, b), (c, d) = ((n[..., ::2], n[..., 1::2]) for n in (inside, outside))
        differs = betaln(a + 1.0, b + 1.0) + betaln(c + 1.0, d + 1.0)
        differs += found[..., ::2] + found[..., 1::2] - betaln(a + c + 1.0, b + d + 1.0)
        found = np.logaddexp(0.0, differs) - np.log(2.0)
        halvings.append(_Halving(inside, outside, differs, found))
        inside, outside = a + b, c + d
    return halvings


class _Halving(NamedTuple):
    """Numbers of pairs in both halves, one after the other, of parts of the ranks.

    ``differs`` are the log odds that inside and outside differ in how a part is halved, ``found``
    the log Bayes factor of the part with all that is below.
    """

    inside: Counts
    outside: Counts
    differs: Floats
    found: Floats


def _steps(floors: NDArray[np.float32], values: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the step of each similarity; those below the first floor are in the first."""
    return np.asarray(np.maximum(n_up_to(floors, values) - 1, 0))
