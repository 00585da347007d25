"""The saving of labels: by how many nats they shorten the description of the similarities.

A nat is a unit of information, 1.44 bits. Without labels, all pairs are described by one number,
their mean similarity. With labels, the pairs that share a label have one mean and the other pairs
have another. That saves nats where the means differ; but the labels have to be described as well.
Similarities are in units of the largest. n pairs with mean p cost ``n SOFTNESS H(p / SOFTNESS)``
nats, H being the entropy of a coin.

There are two null models. In the plain one all pairs are alike. In the degree-corrected one the
expected similarity of a pair is proportional to the degrees of both items; there, labels of
different sizes have different densities, so each label has a mean of its own. The degrees alone
decide which one holds: they are corrected for if knowing them saves more nats than stating them
costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln

# With 1, labels whose pairs are all similar would cost nothing, and small complete parts would be
# split off from larger labels.
SOFTNESS = 1.5
# Weight of the cost of the labels under the plain null model without groups. With 1, weak structure
# is not found; chosen on random binary similarities.
PLAIN_RATE = 0.7


@dataclass(frozen=True, eq=False)
class Description:
    """What is described: the number of pairs and their similarity, under one of the null models.

    Attributes
    ----------
    total : float
        Similarity of all pairs, relative to the largest.
    n_pairs : float
        Number of pairs, weighted by the null model.
    weight : ndarray of shape (n_items,)
        Weights of the items in the null model; items of weight 0 are not described.
    is_corrected : bool
        Whether the null model is corrected for degrees.
    rate : float
        Weight of the cost of the labels.
    """

    total: float
    n_pairs: float
    weight: NDArray[np.float32]
    is_corrected: bool
    rate: float

    def saving(self, labels: NDArray[np.integer], inside: NDArray[np.float64]) -> float:
        """Return the nats that labels save over one label for all, given what is inside each.

        Examples
        --------
        >>> two = np.repeat([0, 1], 5)
        >>> description = Description(20.0, 45.0, np.ones(10), is_corrected=False, rate=0.7)
        >>> round(description.saving(two, inside=np.array([10.0, 10.0])), 2)
        16.52
        """
        weight = self.weight.astype(float)
        squares = np.bincount(labels, weights=np.square(weight))
        pairs = 0.5 * (np.square(np.bincount(labels, weights=weight)) - squares)
        parameters = 0.0
        if self.is_corrected:
            parameters = 0.5 * float(np.log1p(inside).sum() - np.log1p(self.total))
        else:
            pairs, inside = pairs.sum(keepdims=True), inside.sum(keepdims=True)
        sizes = np.bincount(labels, weights=weight > 0)
        outside = max(self.total - float(inside.sum()), 0.0)
        coded = _nats(inside, pairs) + _nats(outside, self.n_pairs - float(pairs.sum()))
        gained = _nats(self.total, self.n_pairs) - coded
        return gained - self.rate * labels_cost(sizes[sizes > 0]) - parameters


def labels_cost(sizes: NDArray[Any]) -> float:
    """Return the nats that it takes to say how large the labels are and whose.

    Examples
    --------
    >>> round(labels_cost(np.array([5, 5])), 2), round(labels_cost(np.array([10])), 2)
    (7.73, 0.0)
    """
    m, k = int(sizes.sum()), len(sizes)
    if m == 0:
        return 0.0
    return _log_binomial(m - 1, k - 1) + float(gammaln(m + 1) - gammaln(sizes + 1).sum())


def are_uneven(degrees: NDArray[np.float64]) -> bool:
    """Tell whether degrees, in units of the largest similarity, are worth correcting for.

    They are if they vary more than those of equal items would, and if knowing them saves more
    nats than stating them costs, in the cheaper of two ways: as any numbers with their sum, or as
    how many items have each.

    Examples
    --------
    >>> are_uneven(np.full(50, 4.0)), are_uneven(np.r_[np.full(5, 31.0), np.ones(45)])
    (False, True)
    """
    m, total = len(degrees), float(degrees.sum())
    if m == 0 or np.var(degrees) <= np.mean(degrees):
        return False
    any_numbers = _log_binomial(m + total - 1, total)
    occurrences = np.bincount(np.rint(degrees).astype(np.intp))
    # Hardy and Ramanujan: the number of ways to write a sum.
    sums = np.pi * np.sqrt(2 * total / 3) - np.log(4 * np.sqrt(3) * total)
    how_many = float(gammaln(m + 1) - gammaln(occurrences + 1).sum()) + min(sums, any_numbers)
    known = float(gammaln(degrees + 1).sum() - gammaln(total + 1) + total * np.log(m))
    return bool(known > min(any_numbers, how_many))


def _nats(similarity: NDArray[Any] | float, n_pairs: NDArray[Any] | float) -> float:
    """Return what pairs cost whose similarities sum to this; sums of all entries."""
    pairs = SOFTNESS * np.maximum(n_pairs, 0.0)
    hits = np.minimum(similarity, pairs)
    return float(np.sum(entr(hits) + entr(pairs - hits) - entr(pairs)))


def _log_binomial(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
