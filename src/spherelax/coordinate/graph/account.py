"""What labels amount to: the few sums over labels that a description of them needs.

The sums are whole numbers of a small unit, so that they do not depend on the order in which labels
are added. Parts of a problem can be counted apart and added, with the same bits.
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import LARGE, Graph, blocks
from spherelax.coordinate.machine.compiled import compiled

# Similarities and nats are counted in whole numbers of this unit.
UNIT = 2.0**-40
# Ratios of similarities to what the null model expects are counted in this number of steps for each
# factor of two, and from this number of factors of two below 1 to as many above.
OCTAVE = 512
OCTAVES = 64
# With more groups than this, those that were compared are a list, not a table.
TABLE = LARGE

Sums = NDArray[np.float64]

NOTHING: Sums = np.empty(0)


class Account(NamedTuple):
    """Sums over the labels of some items; without groups, `Blocks` has more of them.

    Attributes
    ----------
    of_size : ndarray of int64
        How many labels have each number of items; items that are similar to nothing do not count.
    pairs : float
        Pairs inside labels, weighted by the null model.
    similarity : int
        Similarity of these pairs.
    strata : ndarray
        With groups and scores: how many of the pairs are in each stratum; else empty.
    crossings : ndarray
        With groups, `spherelax.coordinate.graph.crossings.Crossings`; else empty.
    """

    of_size: NDArray[np.int64]
    pairs: float
    similarity: int
    strata: Sums = NOTHING
    crossings: Sums = NOTHING

    def plus(self, other: Account) -> Account:
        """Return the account of the labels of both."""
        return Account(
            add_counts(self.of_size, other.of_size),
            self.pairs + other.pairs,
            self.similarity + other.similarity,
            self.strata + other.strata,
            self.crossings + other.crossings,
        )


class Totals(NamedTuple):
    """What a model must know of all items of a problem, also where it holds a part of them.

    Attributes
    ----------
    n_present : int
        Items that are similar to any other.
    weight : float
        Sum of the weights of the null model.
    of_group : ndarray
        The same of each group that parts can share; empty if there are none.
    n_alone, squares : int, float
        Present items of no group that parts share, if there are groups, and the sum of the squares
        of their weights.
    similarity : int
        Sum of all similarities, or of the log odds above 0; each pair counts twice.
    strongest : float
        The largest similarity.
    of_ratio : ndarray of int64
        Where degrees are corrected for: how many similarities have each ratio ``W_ij / (n_i n_j)``,
        by its logarithm; else empty.
    of_degree : ndarray of int64
        Without groups: how many items have each number of similarities; else empty.
    of_rank : ndarray of int64 of shape (2, n_bins)
        Where sizes differ, without groups: number of pairs in each bin of ranks; else empty.
    unexplained : int
        There too: what effects of items leave unexplained of the sizes, in units.
    of_stratum : ndarray
        With groups and scores: number of pairs in each stratum; else empty.
    n_entries : int
        Number of similarities, each pair counted twice.
    to_group : ndarray
        How many of them lead to each group that parts can share; empty if there are none.
    compared : ndarray of shape (n, 2)
        Which two of these groups have any between them.
    """

    n_present: int
    weight: float
    of_group: Sums
    n_alone: int
    squares: float
    similarity: int
    strongest: float
    of_ratio: NDArray[np.int64]
    of_degree: NDArray[np.int64]
    of_rank: NDArray[np.int64]
    unexplained: int
    of_stratum: Sums
    n_entries: int
    to_group: Sums
    compared: NDArray[np.int32]

    @classmethod
    def of(
        cls, graph: Graph, is_corrected: bool, shared: NDArray[np.int32] | None = None
    ) -> Totals:
        """Count the items of a graph.

        ``shared`` is the group of each item, if parts share it, else -1; by
        default that of the graph.
        """
        weight, values = graph.weight.astype(float), graph.values
        if values.min(initial=0.0) < 0.0:  # log odds
            values = np.maximum(values, 0.0)
        if shared is None:
            shared = graph.group if graph.grouped else np.full(graph.n_items, -1, dtype=np.int32)
        is_shared = shared >= 0
        of_group = np.bincount(shared[is_shared], weights=weight[is_shared]).astype(float)
        alone = weight[~is_shared]
        nothing = np.empty(0, dtype=np.int64)
        return cls(
            n_present=graph.n_present(),
            weight=float(weight.sum()),
            of_group=of_group,
            n_alone=int(np.count_nonzero(alone)) if graph.grouped else 0,
            squares=float(np.square(alone).sum()),
            similarity=sum_units(values),
            strongest=graph.strongest,
            of_ratio=_of_ratio(graph) if is_corrected else nothing,
            of_degree=nothing if graph.grouped else np.bincount(np.diff(graph.indptr)),
            of_rank=nothing,
            unexplained=0,
            of_stratum=NOTHING,
            n_entries=len(values),
            to_group=_lead_to(graph, shared, len(of_group)),
            compared=_compared(graph, shared, len(of_group)),
        )

    def plus(self, other: Totals) -> Totals:
        """Return the totals of both parts."""
        return Totals(
            self.n_present + other.n_present,
            self.weight + other.weight,
            self.of_group + other.of_group,
            self.n_alone + other.n_alone,
            self.squares + other.squares,
            self.similarity + other.similarity,
            max(self.strongest, other.strongest),
            self.of_ratio + other.of_ratio,
            add_counts(self.of_degree, other.of_degree),
            self.of_rank + other.of_rank,
            self.unexplained + other.unexplained,
            self.of_stratum + other.of_stratum,
            self.n_entries + other.n_entries,
            self.to_group + other.to_group,
            np.unique(np.concatenate([self.compared, other.compared]), axis=0),
        )

    @property
    def is_all_compared(self) -> bool:
        """Whether any two groups with several items have a similarity between them."""
        return self._n_compared == self._n_several * (self._n_several - 1) // 2

    @property
    def n_rows(self) -> float:
        """How often an item was compared with a group, if those of one item are with all."""
        sizes, is_several = self.of_group, self.of_group > 1.0
        among = sizes[self.compared[is_several[self.compared].all(axis=1)]].sum()
        n_single = self.n_groups - self._n_several
        return float(among + n_single * (sizes[is_several].sum() + self.n_groups - 1))

    @property
    def can_share(self) -> float:
        """The chance that an item was compared with both of two other groups."""
        return (self.n_rows / max(self.n_present * (self.n_groups - 1.0), 1.0)) ** 2

    @property
    def _n_several(self) -> int:
        """How many groups have several items."""
        return int(np.count_nonzero(self.of_group > 1.0))

    @property
    def _n_compared(self) -> int:
        """How many pairs of groups with several items were compared."""
        return int(np.count_nonzero((self.of_group > 1.0)[self.compared].all(axis=1)))

    @property
    def n_groups(self) -> int:
        """How many groups have items that are similar to any; 0 if all items are free."""
        return int(np.count_nonzero(self.of_group)) + self.n_alone

    @property
    def n_pairs(self) -> float:
        """How many pairs the null model has, weighted, without the pairs inside groups."""
        return 0.5 * (self.weight**2 - fsum([self.squares, *np.square(self.of_group).tolist()]))

    @property
    def total(self) -> float:
        """What all pairs are worth; log odds, all that are above 0."""
        return 0.5 * self.similarity * UNIT

    @property
    def average(self) -> float:
        """The mean similarity under the null model: the unit of resolutions."""
        return self.total / self.n_pairs if self.total > 0 else 1.0

    def ratio(self, quantile: float) -> float:
        """Return a quantile of the ratios ``W_ij / (n_i n_j)``."""
        reached = np.cumsum(self.of_ratio)
        at = int(np.searchsorted(reached, quantile * reached[-1])) if reached[-1] else 0
        return float(2.0 ** (at / OCTAVE - OCTAVES))


def _lead_to(graph: Graph, shared: NDArray[np.int32], n_shared: int) -> Sums:
    """Count the similarities that lead to each shared group."""
    degrees = np.diff(graph.indptr) * (shared >= 0)
    found = np.bincount(np.maximum(shared, 0), weights=degrees, minlength=n_shared)
    return found[:n_shared].astype(float)


def _compared(graph: Graph, shared: NDArray[np.int32], n_shared: int) -> NDArray[np.int32]:
    """Return which two shared groups have similarities between them, in rising order."""
    if n_shared == 0:
        return np.empty((0, 2), dtype=np.int32)
    if n_shared <= TABLE:
        found = np.argwhere(_mark(graph, shared, n_shared))
    else:
        rows, keys = shared[graph.rows()], np.empty(0, dtype=np.int64)
        for block in blocks(len(rows)):
            one, other = rows[block].astype(np.int64), shared[graph.indices[block]]
            ordered = (one >= 0) & (one < other)
            keys = np.union1d(keys, one[ordered] * n_shared + other[ordered])
        found = np.stack(np.divmod(keys, n_shared), axis=1)
    return found.astype(np.int32)


@compiled
def _mark(graph, shared, n_shared):
    """Mark which two groups have similarities between them, the smaller number first."""
    found = np.zeros((n_shared, n_shared), np.bool_)
    for i in range(len(shared)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            a, b = shared[i], shared[graph.indices[e]]
            if 0 <= a < b:
                found[a, b] = True
    return found


def _of_ratio(graph: Graph) -> NDArray[np.int64]:
    """Count similarities by the logarithm of their ratio."""
    row = graph.rows()
    found = np.zeros(2 * OCTAVES * OCTAVE, dtype=np.int64)
    for block in blocks(len(row)):
        product = graph.weight[row[block]] * graph.weight[graph.indices[block]]
        place = OCTAVE * (np.log2(graph.values[block] / product) + OCTAVES)
        place = np.clip(np.rint(place), 0, len(found) - 1).astype(np.intp)
        found += np.bincount(place, minlength=len(found))
    return found


def sum_units(values: NDArray[np.floating]) -> int:
    """Return the sum of values in whole units.

    Examples
    --------
    >>> sum_units(np.array([0.5, 0.25])) * UNIT
    0.75
    """
    found = 0
    for block in blocks(len(values)):
        ones = np.floor(values[block].astype(float))
        rest = np.rint((values[block] - ones) / UNIT)
        found += int(ones.astype(np.int64).sum()) * round(1 / UNIT)
        found += int(rest.astype(np.int64).sum())
    return found


def add_counts(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of two lists of counts, of which one may be shorter.

    Examples
    --------
    >>> add_counts(np.array([1, 2]), np.array([1]))
    array([2, 2])
    """
    found = np.zeros(max(len(one), len(other)), dtype=np.int64)
    found[: len(one)] += one
    found[: len(other)] += other
    return found
