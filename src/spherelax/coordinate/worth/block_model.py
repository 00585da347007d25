r"""The evidence for labels of a graph without groups: how much likelier it is with them.

It is the logarithm of a Bayes factor, in nats, of a stochastic block model whose rates are
integrated out, so nothing is fitted. Which of the P pairs of N items are listed is one part, E
pairs in all; by what rank the sizes of listed pairs are is the other (`ranks`). Labels inside which
e of p pairs are listed have the evidence

.. math:: \ln \frac{P(\mathrm{listed} \mid \mathrm{labels})\, P(\mathrm{labels})}
                   {P(\mathrm{listed} \mid \mathrm{one\ label})\, P(\mathrm{one\ label})} .

- *Labels* have no names: every multiset of sizes is as likely, and every partition with these
  sizes.
- *Two rates*, of which only what follows from the totals is said: any E; any e from what is
  expected without labels upwards, as labels attract; then any e of the p pairs, and any E - e of
  the others.
- *Same density or same degree* inside labels of different sizes: in the second case, e pairs are
  shared out among labels in proportion to their items instead of their pairs.
- *Plain or corrected for degrees*: corrected, a pair (i, j) is listed in proportion to the degrees
  of both items; the degrees are stated first.

These four models are averaged with equal weights. All that labels change are sums over labels, so
parts of a problem can be counted apart and added (`Blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logit, logsumexp, xlogy

from spherelax.coordinate.graph.account import UNIT, Account, Totals, add_counts, sum_units
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.tally import moments, tally_pairs
from spherelax.coordinate.worth.ranks import BINS, Counts, log_effects, log_ratios, log_tree
from spherelax.labels import Labels, count_labels, count_pairs

Floats = NDArray[np.float64]
Numbers = NDArray[np.object_]

# From here on the remainder of Stirling's formula is as exact as single logarithms of factorials.
LARGE_FACTORIAL = 64.0


class Blocks(NamedTuple):
    """Sums over the labels of some items of a graph without groups.

    Attributes
    ----------
    of_size : ndarray of int64
        How many labels have each number of items; items that are similar to nothing do not count.
    pairs : float
        Pairs inside labels, weighted by the null model that is walked.
    similarity : int
        Similarity of these pairs, in units.
    listed : int
        How many pairs inside labels are listed.
    products : int
        Sum of the products of both degrees over all pairs inside labels.
    mixing : int
        The same, that of each label divided by the sum of its degrees; in units.
    shared, shared_corrected : int
        What labels with one degree contribute each, plain and corrected for degrees: nats, in
        units.
    of_rank : ndarray of int64
        Listed pairs inside labels by rank, as given and corrected for items; empty if all sizes are
        the same.
    """

    of_size: NDArray[np.int64]
    pairs: float
    similarity: int
    listed: int
    products: int
    mixing: int
    shared: int
    shared_corrected: int
    of_rank: NDArray[np.int64]

    @classmethod
    def of(
        cls, graph: Graph, bins: NDArray[np.uint8], labels: Labels, n_threads: int = 1
    ) -> Blocks:
        """Count what is inside labels; ``bins`` are the ranks of each similarity, if they differ.

        Examples
        --------
        >>> from spherelax.coordinate.graph.graph import build_graph
        >>> from spherelax.problem import Problem
        >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
        >>> found = Blocks.of(graph, np.empty((0, 2), np.uint8), np.repeat(np.int32([0, 1]), 3))
        >>> found.of_size, found.listed, found.products
        (array([0, 0, 0, 2]), 6, 24)
        """
        k = count_labels(labels)
        n_bins = BINS if len(bins) else 0
        tally = tally_pairs(graph, bins, n_bins, labels, n_threads)
        _, weight, squares = moments(labels, graph.weight, k)
        n, degree, degree_squares = moments(labels, np.diff(graph.indptr), k)
        e = np.bincount(labels, tally.number, k).astype(float)
        p = 0.5 * n * (n - 1.0)
        exact = degree.astype(np.int64)
        products = (exact * exact - degree_squares.astype(np.int64)) // 2
        some = np.maximum(degree, 1.0)
        placed = -gammaln(e + 1.0) - log_choose(p, e) + xlogy(e, np.maximum(p, 1.0))
        return cls(
            of_size=np.bincount(n.astype(np.intp)),
            pairs=float((0.5 * (np.square(weight) - squares)).sum()),
            similarity=sum_units(np.bincount(labels, tally.similarity, k).astype(float)),
            listed=int(e.sum()),
            products=int(products.sum()),
            mixing=sum_units(products / some),
            shared=sum_units(placed - xlogy(e, np.maximum(n, 1.0))),
            shared_corrected=sum_units(placed - xlogy(e, some)),
            of_rank=tally.of_bin,
        )

    def plus(self, other: Blocks) -> Blocks:
        """Return the sums over the labels of both."""
        return Blocks(
            add_counts(self.of_size, other.of_size),
            self.pairs + other.pairs,
            self.similarity + other.similarity,
            self.listed + other.listed,
            self.products + other.products,
            self.mixing + other.mixing,
            self.shared + other.shared,
            self.shared_corrected + other.shared_corrected,
            self.of_rank + other.of_rank,
        )


@dataclass(frozen=True, eq=False)
class BlockModel:
    """What labels of a graph without groups save, given what is known of all its items.

    Attributes
    ----------
    totals : Totals
        Degrees of the items, and ranks of the similarities.
    """

    totals: Totals

    @property
    def n_items(self) -> int:
        """Number of items that have a listed pair, N."""
        return self.totals.n_present

    @property
    def n_pairs(self) -> int:
        """Number of pairs of items, P."""
        return count_pairs(self.n_items)

    @cached_property
    def degrees(self) -> Degrees:
        """What the degrees say."""
        return Degrees.of(self.totals.of_degree)

    def saving(self, account: Blocks) -> float:
        """Return by how many nats labels are likelier than one label for all.

        If all items are together, or all are alone, there is one kind of pairs: 0 nats.

        Examples
        --------
        >>> from spherelax.coordinate.readings import read_problem
        >>> from spherelax.problem import Problem
        >>> model = read_problem(Problem.check(np.kron(np.eye(2), np.ones((5, 5)))))
        >>> round(model.labeling(np.repeat(np.int32([0, 1]), 5)).saving, 2)
        20.85
        """
        if _n_inside(account) in (0, self.n_pairs):
            return 0.0
        return self._evidence([account]) - log_ways(account.of_size)

    def saving_of_two(self, fine: Blocks, coarse: Blocks, of_number: NDArray[np.int64]) -> float:
        """Return the same of labels inside coarser labels, with three rates.

        Pairs have the same label, the same coarse one only, or neither. ``of_number`` tells how
        many coarse labels have each number of labels: they are a partition of these, any sizes and
        any partition with these sizes being as likely.
        """
        n_labels = int(np.arange(len(of_number)) @ of_number)
        cost = log_ways(fine.of_size) + log_ways(of_number) + log_sums(n_labels)
        return self._evidence([fine, coarse]) - cost

    def _evidence(self, levels: list[Blocks]) -> float:
        """Return by how many nats all pairs are likelier with labels, whatever these cost.

        Labels that attract less than any label would, in all models, say nothing.
        """
        listed = float(logsumexp(self._log_listed(levels)) - np.log(4.0))
        return 0.0 if listed == -np.inf else listed - self._log_one + self.log_ranks(levels)

    @cached_property
    def _log_one(self) -> float:
        """Log probability of the listed pairs if all items have one label."""
        d, P = self.degrees, self.n_pairs
        both = [0.0, d.log_stated - xlogy(d.n_listed, d.products / P)]
        return float(logsumexp(both) - np.log(2.0) - log_choose(P, d.n_listed))

    def is_corrected(self, account: Blocks) -> bool:
        """Tell whether the listed pairs are likelier, given labels, if degrees are corrected for.

        Labels of different sizes may explain the degrees.
        """
        found = self._log_listed([account])
        return max(found[2:]) > max(found[:2])

    def _log_listed(self, levels: list[Blocks]) -> list[float]:
        """Return the log probability of the listed pairs, given labels inside coarser ones.

        Of the four models, plain ones first, those with one density first; -inf if it excludes the
        labels.
        """
        first, d = levels[0], self.degrees
        # Listed pairs, pairs and products: inside labels, inside coarser ones only, outside.
        sums = [(one.listed, _n_inside(one), one.products) for one in levels]
        sums = [(0, 0, 0), *sums, (d.n_listed, self.n_pairs, d.products)]
        e, p, z = (np.diff(np.array(each, dtype=object)) for each in zip(*sums, strict=True))
        ways = log_choose(p.astype(float), e.astype(float))
        # Pairs of an item are as many in all labels: what that expects, p / n summed over labels.
        expected = 0.5 * (self.n_items - int(first.of_size[1:].sum()))
        found = []
        for is_corrected, shared in ((False, first.shared), (True, first.shared_corrected)):
            placed, stated = -ways, 0.0
            if is_corrected:
                placed, stated = -ways - _log_products(e, p, z), d.log_stated
                expected = first.mixing * UNIT
            rest = stated + float(placed[1:].sum()) + _log_shares(e, p, z if is_corrected else p)
            alike = shared * UNIT + lgamma(first.listed + 1.0)
            alike -= first.listed * log(expected) if first.listed else 0.0
            found += [rest + float(placed[0]), rest + alike]
        return found

    def log_ranks(self, levels: list[Blocks]) -> float:
        """Return how much likelier the order of the sizes is with labels than without."""
        left = self.totals.of_rank
        if left.size == 0:
            return 0.0
        found, inner = np.zeros(2), np.zeros_like(left)
        for level in levels:
            here = level.of_rank - inner
            left, inner = left - here, level.of_rank
            found += log_tree(here, left)
        effects = log_effects(self.totals.of_degree, self.totals.unexplained)
        prior = np.array([0.0, effects])
        return float(logsumexp(prior + found) - logsumexp(prior))

    def weigh_pairs(self, account: Blocks, *, by_item: bool, is_corrected: bool) -> PairNats:
        """Return what pairs say for a common label, as labels teach: nothing if there is one kind.

        ``by_item`` tells whether ranks count without effects of items, ``is_corrected`` whether
        degrees are corrected for.
        """
        pairs, n_pairs = _n_inside(account), self.n_pairs
        if is_corrected:
            pairs, n_pairs = account.products, self.degrees.products
        if pairs in (0, n_pairs):
            return PairNats(np.zeros(max(account.of_rank.shape[-1], 1)), 0.0)
        listed = account.listed, self.degrees.n_listed
        every = (account.of_rank, self.totals.of_rank) if self.totals.of_rank.size else ()
        of_rank = tuple(each[int(by_item)] for each in every)
        return weigh_rates(listed, (pairs, n_pairs), of_rank, is_corrected=is_corrected)


class PairNats(NamedTuple):
    """What pairs say for a common label of their items, in nats.

    Attributes
    ----------
    listed : ndarray
        How much likelier a listed pair is inside labels than outside, compared with one that is not
        listed: for each bin of ranks, or one number if all sizes are the same.
    absent : float
        How much less likely a pair that is not listed is inside labels; if degrees are corrected
        for, for each unit of the product of both.
    """

    listed: Floats
    absent: float


def weigh_rates(
    listed: tuple[float, float],
    pairs: tuple[float, float],
    of_rank: tuple[Counts, ...],
    *,
    is_corrected: bool,
) -> PairNats:
    """Return what pairs say, given how many are inside labels, and how many there are.

    ``of_rank`` are the same numbers of the listed pairs by rank, or empty.

    Examples
    --------
    >>> found = weigh_rates((80, 100), (100, 1000), (), is_corrected=False)
    >>> found.listed.round(1), round(found.absent, 1)
    (array([5.1]), 1.6)
    """
    inside, outside = (
        (n + 0.5) / (of + 1.0)
        for n, of in zip(
            (listed[0], listed[1] - listed[0]), (pairs[0], pairs[1] - pairs[0]), strict=True
        )
    )
    ratios = log_ratios(of_rank[0], of_rank[1] - of_rank[0]) if of_rank else np.zeros(1)
    if is_corrected:
        return PairNats(ratios + log(inside / outside), inside - outside)
    return PairNats(
        ratios + float(logit(inside) - logit(outside)), log1p(-outside) - log1p(-inside)
    )


@dataclass(frozen=True, eq=False)
class TwoRates:
    """What labels save where similarities are measures, as in neighbour graphs: sums count.

    Attributes
    ----------
    total : float
        Similarity of all pairs.
    n_pairs : float
        Number of pairs, weighted by the null model.
    """

    total: float
    n_pairs: float

    def saving(self, account: Account) -> float:
        """Return by how many nats labels are likelier than one label: two Poisson rates, not one.

        Examples
        --------
        >>> account = Account(np.bincount([5, 5]), pairs=20.0, similarity=round(20 / UNIT))
        >>> round(TwoRates(20.0, 45.0).saving(account), 2)
        11.38
        """
        inside = account.similarity * UNIT
        gained = compare_rates(inside, self.total, account.pairs, self.n_pairs)
        return gained - log_ways(account.of_size)


def compare_rates(inside: float, total: float, pairs: float, n_pairs: float) -> float:
    """Return how much likelier two Poisson rates make a sum than one, in nats.

    Of the ``total``, ``inside`` is that of some of all pairs.

    Examples
    --------
    >>> round(compare_rates(20.0, 20.0, 20.0, 40.0), 2), compare_rates(10.0, 20.0, 20.0, 40.0)
    (13.86, 0.0)
    """
    parts = (inside, pairs), (total - inside, n_pairs - pairs), (total, n_pairs)
    one, other, both = (n * log(n / of) if n > 0.0 < of else 0.0 for n, of in parts)
    return one + other - both


class Degrees(NamedTuple):
    """What degrees of items say of the listed pairs.

    Attributes
    ----------
    n_listed : int
        Number of listed pairs, E.
    products : int
        Sum of the products of both degrees over all pairs of items.
    log_stated : float
        Log probability of the degrees, and what of the listed pairs follows from them, whatever
        the labels.
    """

    n_listed: int
    products: int
    log_stated: float

    @classmethod
    def of(cls, of_degree: NDArray[np.int64]) -> Degrees:
        """Sum up degrees, given how many items have each.

        Degrees are any numbers with their sum, or any histogram of such numbers, which is the
        mean of both. Each item then has its degree as a binomial number of its pairs would.
        """
        k, n = np.arange(len(of_degree), dtype=float), of_degree.copy()
        n[0] = 0
        N, total = int(n.sum()), int(k @ n)
        if N == 0:
            return cls(0, 0, 0.0)
        any_numbers = -float(log_choose(total - 1, N - 1))
        histogram = float(gammaln(n + 1.0).sum() - gammaln(N + 1.0)) - log_sums(total)
        stated = np.logaddexp(any_numbers, histogram) - np.log(2.0)
        share = np.minimum(k / max(N - 1, 1), 1.0)
        binomial = log_choose(np.maximum(N - 1, k), k) + xlogy(k, share)
        binomial = binomial + xlogy(N - 1.0 - np.minimum(k, N - 1), 1.0 - share)
        log_stated = float(stated + n @ xlogy(k, k) - n @ binomial)
        squares = sum(int(a) ** 2 * int(b) for a, b in zip(k, n, strict=True) if b)
        return cls(total // 2, (total * total - squares) // 2, log_stated)

    def are_uneven(self, n_items: int) -> bool:
        """Tell whether degrees of items vary so much that they are to be corrected for.

        They vary more than those of equal items would, whose variance is at most their mean, and
        the listed pairs are likelier without labels if degrees are corrected for.

        Examples
        --------
        >>> Degrees.of(np.bincount([4] * 50)).are_uneven(50)
        False
        >>> Degrees.of(np.bincount([31] * 5 + [1] * 45)).are_uneven(50)
        True
        """
        if self.n_listed == 0:
            return False
        total, n_pairs = 2 * self.n_listed, count_pairs(n_items)
        squares = total * total - 2 * self.products
        if n_items * (squares - total) <= total * total:
            return False
        return bool(self.log_stated > xlogy(self.n_listed, self.products / n_pairs))


def log_ways(of_size: NDArray[np.int64]) -> float:
    """Return the log number of partitions of items into labels, given how many have each size.

    Examples
    --------
    >>> round(float(np.exp(log_ways(np.bincount([2, 2])))), 6), log_ways(np.bincount([1, 1, 1]))
    (3.0, 0.0)
    """
    sizes = np.arange(len(of_size))
    inside = gammaln(sizes + 1.0) @ of_size
    return float(gammaln(sizes @ of_size + 1.0) - inside - gammaln(of_size[1:] + 1.0).sum())


def log_choose(n: Floats | float, k: Floats | float) -> Floats:
    """Return the logarithm of the number of ways to choose k of n, exact for large n too.

    Examples
    --------
    >>> log_choose(np.array([5.0, 4.0]), np.array([2.0, 0.0])).round(3)
    array([2.303, 0.   ])
    """
    is_open = (np.asarray(k) > 0) & (np.asarray(k) < n)
    of, some = (np.asarray(np.where(is_open, *each)) for each in ((n, 2.0), (k, 1.0)))
    rest = of - some
    found = -some * np.log(some / of) - rest * np.log1p(-some / of)
    found += 0.5 * np.log(of / (2.0 * np.pi * some * rest))
    found += _remainder(of) - _remainder(some) - _remainder(rest)
    return np.where(is_open, found, 0.0)


def _remainder(n: Floats) -> Floats:
    """Return by how much Stirling's formula is too small for the logarithm of n factorial."""
    large = np.maximum(n, LARGE_FACTORIAL)
    series = 1.0 / (12.0 * large) - 1.0 / (360.0 * large**3)
    small = np.minimum(n, LARGE_FACTORIAL)
    exact = gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small
    return np.where(n < LARGE_FACTORIAL, exact - 0.5 * np.log(2.0 * np.pi), series)


def _log_products(e: Numbers, p: Numbers, z: Numbers) -> Floats:
    """Return what products of degrees, z in all of p pairs, say of the e that are listed."""
    some = np.maximum(p, 1).astype(float)
    return np.asarray(xlogy(e.astype(float), z.astype(float) / some))


def _log_shares(e: Numbers, p: Numbers, z: Numbers) -> float:
    """Return the log probability of how many listed pairs are where, the last where all are left.

    Of what is left, any number from the one expected on is as likely: labels attract. Below that,
    it is -inf. Numbers are exact integers.
    """
    found, E, Z = 0.0, int(e.sum()), int(z.sum())
    for n, most, weight in zip(e[:-1], p[:-1], z[:-1], strict=True):
        if Z > 0:
            expected = E * weight // Z
            if n < expected:
                return -np.inf
            found -= log(min(E, most) - expected + 1)
        E, Z = E - n, Z - weight
    return found


def _n_inside(level: Blocks) -> int:
    """Return the number of pairs inside labels."""
    sizes = np.arange(len(level.of_size), dtype=np.int64)
    return int(count_pairs(sizes) @ level.of_size)


def log_sums(total: int) -> float:
    """Return the log number of ways to write a sum, as Hardy and Ramanujan have it."""
    if total <= 3:
        return float(np.log(max(total, 1)))
    return float(np.pi * np.sqrt(2.0 * total / 3.0) - np.log(4.0 * np.sqrt(3.0) * total))
