"""The saving of labels with groups: by how many nats they shorten the description of similarities.

A nat is a unit of information, 1.44 bits. Without labels, all pairs are described by one number,
their mean similarity. With labels, the pairs that share a label have one mean and the other pairs
have another. That saves nats where the means differ; but the labels have to be described as well.
Similarities are in units of the largest. n pairs with mean p cost ``n SOFTNESS H(p / SOFTNESS)``
nats, H being the entropy of a coin. Labels are described with names, or partly as sets of items
that can change places, which is cheaper for many small labels. Without groups, see `block_model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln

from spherelax.coordinate.graph.account import UNIT, Account, sum_units
from spherelax.coordinate.graph.tally import moments
from spherelax.coordinate.worth.block_model import log_sums
from spherelax.labels import count_labels

# With 1, labels whose pairs are all similar would cost nothing, and small complete parts would be
# split off from larger labels.
SOFTNESS = 1.5
# With fewer groups than the square root of the number of items, labels of plain matches are too
# many to be told apart. They pay for names to this share only: with 1 small labels are joined by
# wrong matches, with 0 large ones are split.
NAMES_OF_MANY = 0.3


@dataclass(frozen=True, eq=False)
class Description:
    """What is described: the number of pairs and their similarity.

    Attributes
    ----------
    total : float
        Similarity of all pairs, relative to the largest.
    n_pairs : float
        Number of pairs.
    names : float
        Share of the cost of names that labels must pay for.
    """

    total: float
    n_pairs: float
    names: float = 1.0

    def saving(self, account: Account) -> float:
        """Return the nats that labels save over one label for all.

        Examples
        --------
        >>> two = np.repeat([0, 1], 5)
        >>> account = account_of(two, np.array([10.0, 10.0]), np.ones(10))
        >>> round(Description(20.0, 45.0).saving(account), 2)
        14.2
        """
        inside = account.similarity * UNIT
        outside = max(self.total - inside, 0.0)
        coded = _nats(inside, account.pairs) + _nats(outside, self.n_pairs - account.pairs)
        return _nats(self.total, self.n_pairs) - coded - self._cost(account.of_size)

    def _cost(self, of_size: NDArray[np.int64]) -> float:
        """Return what the labels cost, to a share with names, and else without."""
        named = self.names * labels_cost(of_size)
        return named + (1.0 - self.names) * unnamed_cost(of_size) if self.names < 1.0 else named


@dataclass(frozen=True, eq=False)
class Likelihood:
    """How much likelier labels are than no labels, where similarities are log odds."""

    def saving(self, account: Account) -> float:
        """Return by how many nats labels are likelier: the log odds inside them.

        Examples
        --------
        >>> account = account_of(np.array([0, 0, 1]), np.array([3.0, 0.0]), np.ones(3))
        >>> Likelihood().saving(account)
        3.0
        """
        return account.similarity * UNIT


def account_of(
    labels: NDArray[np.integer],
    inside: NDArray[np.float64],
    weight: NDArray[np.floating],
) -> Account:
    """Return what labels amount to, given the similarity inside each and the weights of items."""
    sizes, sums, squares = moments(labels, weight, count_labels(labels))
    pairs = 0.5 * (np.square(sums) - squares)
    return Account(
        of_size=np.bincount(sizes.astype(np.intp)),
        pairs=float(pairs.sum()),
        similarity=sum_units(inside),
    )


def names_of_matches(n_items: int, n_groups: int) -> float:
    """Return the share of the cost of names that labels of plain matches pay for.

    No label has more items than there are groups.

    Examples
    --------
    >>> names_of_matches(400, 40), names_of_matches(400, 5)
    (1.0, 0.3)
    """
    return 1.0 if n_groups**2 >= n_items else NAMES_OF_MANY


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
    return min(_log_binomial(m - 1, k - 1), log_sums(m)) + ways


def _count(of_size: NDArray[np.int64]) -> tuple[int, int]:
    """Return the number of items and of labels, given how many labels have each size."""
    return int(np.arange(len(of_size)) @ of_size), int(of_size[1:].sum())


def _log_orders(of_size: NDArray[np.int64]) -> float:
    """Return the logarithm of the number of ways to order the items inside all labels."""
    return float(of_size @ gammaln(np.arange(len(of_size)) + 1.0))


def _nats(similarity: float, n_pairs: float) -> float:
    """Return what pairs cost whose similarities sum to this."""
    pairs = SOFTNESS * max(n_pairs, 0.0)
    hits = min(similarity, pairs)
    return float(entr(hits) + entr(pairs - hits) - entr(pairs))


def _log_binomial(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
