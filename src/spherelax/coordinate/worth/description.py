"""The saving of labels: by how many nats they shorten the description of the similarities.

A nat is a unit of information, 1.44 bits. Without labels, all pairs are described by one number,
their mean similarity. With labels, the pairs that share a label have one mean and the other pairs
have another. That saves nats where the means differ; but the labels have to be described as well.
Similarities are in units of the largest. n pairs with mean p cost ``n SOFTNESS H(p / SOFTNESS)``
nats, H being the entropy of a coin. Labels are described in the cheaper of two ways: with names, or
as sets of items that can change places, which is cheaper for many small labels.

There are two null models. In the plain one all pairs are alike. In the degree-corrected one the
expected similarity of a pair is proportional to the degrees of both items; there, labels of
different sizes have different densities, so each label has a mean of its own. The degrees alone
decide which one holds: they are corrected for if knowing them saves more nats than stating them
costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln

from spherelax.coordinate.graph.account import UNIT, Account, sum_units
from spherelax.coordinate.graph.tally import moments
from spherelax.coordinate.worth.strata import strata_saving
from spherelax.labels import count_labels

# With 1, labels whose pairs are all similar would cost nothing, and small complete parts would be
# split off from larger labels.
SOFTNESS = 1.5
# Weight of the cost of labels with names under the plain null model without groups. With 1, weak
# structure is not found; chosen on random binary similarities.
PLAIN_RATE = 0.7
# The same for labels without names.
UNNAMED_RATE = 0.85


@dataclass(frozen=True, eq=False)
class Description:
    """What is described: the number of pairs and their similarity, under one of the null models.

    Attributes
    ----------
    total : float
        Similarity of all pairs, relative to the largest; or, where sizes are described apart, their
        number.
    n_pairs : float
        Number of pairs, weighted by the null model.
    is_corrected : bool
        Whether the null model is corrected for degrees.
    rate : float
        Weight of the cost of labels that have names.
    of_stratum : ndarray
        Where sizes are described apart: number of pairs in each stratum; else empty.
    """

    total: float
    n_pairs: float
    is_corrected: bool
    rate: float
    of_stratum: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def saving(self, account: Account) -> float:
        """Return the nats that labels save over one label for all.

        Examples
        --------
        >>> two = np.repeat([0, 1], 5)
        >>> account = account_of(two, np.array([10.0, 10.0]), np.ones(10), is_corrected=False)
        >>> round(Description(20.0, 45.0, is_corrected=False, rate=0.7).saving(account), 2)
        16.52
        """
        inside, parameters = account.inside * UNIT, account.parameters * UNIT
        coded = account.coded * UNIT if self.is_corrected else _nats(inside, account.pairs)
        if self.is_corrected:
            parameters -= 0.5 * float(np.log1p(self.total))
        outside = max(self.total - inside, 0.0)
        coded += _nats(outside, self.n_pairs - account.pairs)
        gained = _nats(self.total, self.n_pairs) - coded
        found = gained - self._cost(account.of_size) - parameters
        if len(self.of_stratum) == 0:
            return found
        return found + strata_saving(self.of_stratum, account.strata)

    def _cost(self, of_size: NDArray[np.int64]) -> float:
        """Return what the labels cost in the cheaper way: with names, if they are few, or without.

        No more labels than the square root of the number of items can be told apart by the mean
        similarities between them.
        """
        named = self.rate * labels_cost(of_size)
        unnamed = (1.0 if self.is_corrected else UNNAMED_RATE) * unnamed_cost(of_size)
        n_items, n_labels = _count(of_size)
        return min(named, unnamed) if n_labels**2 <= n_items else unnamed


@dataclass(frozen=True, eq=False)
class Likelihood:
    """How much likelier labels are than no labels, where similarities are log odds."""

    def saving(self, account: Account) -> float:
        """Return by how many nats labels are likelier: the log odds inside them.

        Examples
        --------
        >>> account = account_of(np.array([0, 0, 1]), np.array([3.0, 0.0]), np.ones(3), False)
        >>> Likelihood().saving(account)
        3.0
        """
        return account.inside * UNIT


def account_of(
    labels: NDArray[np.integer],
    inside: NDArray[np.float64],
    weight: NDArray[np.floating],
    is_corrected: bool,
) -> Account:
    """Return what labels amount to, given the similarity inside each and the weights of items."""
    sizes, sums, squares = moments(labels, weight, count_labels(labels))
    pairs = 0.5 * (np.square(sums) - squares)
    return Account(
        of_size=np.bincount(sizes.astype(np.intp)),
        pairs=float(pairs.sum()),
        similarity=sum_units(inside),
        inside=sum_units(inside),
        coded=sum_units(_costs(inside, pairs)) if is_corrected else 0,
        parameters=sum_units(0.5 * np.log1p(inside)) if is_corrected else 0,
        strata=np.empty(0),
        crossings=np.empty(0),
    )


def labels_cost(of_size: NDArray[np.int64]) -> float:
    """Return the nats that it takes to say how large labels with names are, and whose.

    ``of_size`` tells how many labels have each number of items.

    Examples
    --------
    >>> round(labels_cost(np.bincount([5, 5])), 2), round(labels_cost(np.bincount([10])), 2)
    (7.73, 0.0)
    """
    m, k = _count(of_size)
    if m == 0:
        return 0.0
    return _log_binomial(m - 1, k - 1) + float(gammaln(m + 1)) - _log_orders(of_size)


def unnamed_cost(of_size: NDArray[np.int64]) -> float:
    """Return what it takes to say how many labels have each size, and which items are together.

    Labels without names can change places. So many small ones cost less, and labels of single
    items nothing.

    Examples
    --------
    >>> round(unnamed_cost(np.bincount([5, 5])), 2), unnamed_cost(np.bincount(np.ones(9, int)))
    (7.03, 0.0)
    """
    m, k = _count(of_size)
    if m == 0:
        return 0.0
    ways = float(gammaln(m + 1) - gammaln(of_size[1:] + 1).sum()) - _log_orders(of_size)
    return min(_log_binomial(m - 1, k - 1), _log_sums(m)) + ways


def _count(of_size: NDArray[np.int64]) -> tuple[int, int]:
    """Return the number of items and of labels, given how many labels have each size."""
    return int(np.arange(len(of_size)) @ of_size), int(of_size[1:].sum())


def _log_orders(of_size: NDArray[np.int64]) -> float:
    """Return the logarithm of the number of ways to order the items inside all labels."""
    return float(of_size @ gammaln(np.arange(len(of_size)) + 1.0))


def are_uneven(degrees: NDArray[np.float64], labels: NDArray[np.integer] | None = None) -> bool:
    """Tell whether degrees, in units of the largest similarity, are worth correcting for.

    They are if they vary more than those of equal items would, and if knowing them saves more
    nats than stating them costs, in the cheaper of two ways: as any numbers with their sum, or as
    how many items have each. Given labels, items of one label are to be equal: what the labels
    explain needs no correction.

    Examples
    --------
    >>> are_uneven(np.full(50, 4.0)), are_uneven(np.r_[np.full(5, 31.0), np.ones(45)])
    (False, True)
    >>> are_uneven(np.r_[np.full(5, 31.0), np.ones(45)], np.repeat([0, 1], [5, 45]))
    False
    """
    m, total = len(degrees), float(degrees.sum())
    if m == 0:
        return False
    if labels is None:
        labels = np.zeros(m, dtype=np.intp)
    counts, sums = np.maximum(np.bincount(labels), 1), np.bincount(labels, weights=degrees)
    if np.mean(np.square(degrees - (sums / counts)[labels])) <= total / m:
        return False
    any_numbers = _log_binomial(m + total - 1, total)
    occurrences = np.bincount(np.rint(degrees).astype(np.intp))
    how_many = float(gammaln(m + 1) - gammaln(occurrences + 1).sum())
    how_many += min(_log_sums(total), any_numbers)
    equal = float((gammaln(sums + 1) - sums * np.log(counts)).sum())
    known = float(gammaln(degrees + 1).sum()) - equal
    return bool(known > min(any_numbers, how_many))


def _nats(similarity: float, n_pairs: float) -> float:
    """Return what pairs cost whose similarities sum to this."""
    return float(_costs(similarity, n_pairs))


def _costs(similarity: Any, n_pairs: Any) -> NDArray[np.float64]:
    """Return the same for each of several sums."""
    pairs = SOFTNESS * np.maximum(n_pairs, 0.0)
    hits = np.minimum(similarity, pairs)
    return np.asarray(entr(hits) + entr(pairs - hits) - entr(pairs))


def _log_sums(total: float) -> float:
    """Return the logarithm of the number of ways to write a sum, as Hardy and Ramanujan have it."""
    return float(np.pi * np.sqrt(2.0 * total / 3.0) - np.log(4.0 * np.sqrt(3.0) * total))


def _log_binomial(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
