"""Items that are lost because a graph lacks all similarities with the items that they belong to.

Nothing is seen of them, but inside labels it is seen how often a right pair is missing, and how
often a second pair of an item is if one is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spherelax.coordinate.sampling.gibbs import Net, count_mates
from spherelax.coordinate.sampling.posterior import Posterior
from spherelax.coordinate.worth.curve import Floats
from spherelax.labels import Labels

# Pairs that are added to the pairs counted, half of one of them missing, so that little is missing
# where nothing is seen.
PRIOR = 10.0


class Missing(NamedTuple):
    """How often a right pair is missing, and how often one more of an item is if one is."""

    pair: float
    another: float


def count_missing(net: Net, labels: Labels) -> Missing:
    """Count inside labels how often pairs are missing.

    A missing pair shows only in labels of three items or more, where other pairs hold the label
    together; two missing pairs of one item only in labels of four items or more.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> chain = Candidates(4, np.array([0, 1]), np.array([1, 2]), np.ones(2))
    >>> count_missing(Net.of_list(chain), np.array([0, 0, 0, 1], dtype=np.int32))
    Missing(pair=0.11538461538461539, another=0.5)
    """
    row = np.repeat(np.arange(len(labels)), np.diff(net.indptr))
    is_inside = labels[row] == labels[net.indices]
    here = np.bincount(row[is_inside], minlength=len(labels))
    all_pairs = np.bincount(labels)[labels] - 1 - count_mates(net.source, labels)
    absent, is_held = all_pairs - here, all_pairs > 1
    # Both counts see each pair, or pair of pairs, twice.
    pair = (absent[is_held].sum() / 2 + 0.5) / (all_pairs[is_held].sum() / 2 + PRIOR)
    is_held = (all_pairs > 2) & (here > 0)
    others = np.where(here > 1, all_pairs - 1, all_pairs - 2)
    two = (absent * (absent - 1))[is_held].sum() / 2
    another = (two + 0.5) / ((absent * others)[is_held].sum() / 2 + 1.0)
    return Missing(float(pair), float(another))


def discount_missing(found: Posterior, net: Net, labels: Labels) -> Posterior:
    """Return how likely labels are right if some items are lost: alone, and missing elsewhere.

    Of an entity of two items both are lost if their pair is missing. Of one of three, an item is
    lost if both of its pairs are; labels do not show how often, so both are taken to be missing
    together. For larger entities, labels show how often one more pair is missing.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> triangle = Candidates(4, np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones(3))
    >>> labels = np.array([0, 0, 0, 1], dtype=np.int32)
    >>> sure = Posterior(np.ones(4), np.ones(2), np.ones(2), np.ones(0))
    >>> discount_missing(sure, Net.of_list(triangle), labels).item.round(2)
    array([1.  , 1.  , 1.  , 0.94])
    """
    size = np.bincount(labels)
    n_labels = np.bincount(size, minlength=size.max() + 2).astype(float)
    lacking = _share_lacking(n_labels, count_missing(net, labels))[size]
    is_alone = (size == 1)[labels]
    return found._replace(
        item=np.where(is_alone, found.item * (1.0 - lacking[labels]), found.item),
        whole=found.whole * (1.0 - lacking),
    )


def _share_lacking(n_labels: Floats, share: Missing) -> Floats:
    """Return how likely an item is missing in a label of each size, given the number of labels."""
    n = np.arange(len(n_labels))
    lost = share.pair * share.another ** np.maximum(n - 3, 0)
    n_lost = np.where(n > 1, n * n_labels * lost / (1.0 - lost), 0.0)
    n_lacking = np.r_[0.0, n_lost.sum(), n_lost[3:], 0.0]
    # One label of each size, which lacks nothing, is added.
    return np.asarray(np.minimum(n_lacking / (n_labels + 1.0), 1.0))
