"""How likely labels are right: of pairs, entities and items, by labels that are drawn around them.

Labels are drawn in proportion to how likely they are, item by item, beginning with those that are
judged. At each visit it is known how likely the item is to join each label, given where all others
are. These probabilities are counted, not the labels that are then drawn, so that few passes are
enough and nothing is called sure because it happened every time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spherelax.coordinate.sampling.drawing import Beliefs, Net, State, Sums
from spherelax.coordinate.sampling.watching import Seen, watch_all
from spherelax.coordinate.worth.curve import Floats
from spherelax.labels import Labels

# Labels are drawn with this seed; passes before they are watched.
SEED = 0
WARM_PASSES = 3
# Passes while they are watched: as many as make so many visits, but not fewer or more than these.
VISITS = 100_000
LEAST_PASSES = 6
MOST_PASSES = 400


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


def posterior(net: Net, beliefs: Beliefs, labels: Labels, *, has_pairs: bool = False) -> Posterior:
    """Return how likely labels are right; ``beliefs`` has what each pair of the net says.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> pairs = Candidates(3, np.array([0, 1]), np.array([1, 2]), np.ones(2))
    >>> beliefs = by_log_odds(np.array([1.0, -3.0]))
    >>> found = posterior(Net.of(pairs), beliefs, np.array([0, 0, 1], dtype=np.int32))
    >>> found.item.round(1), found.pure.round(1), found.whole.round(1)
    (array([0.7, 0.7, 0.9]), array([0.7, 1. ]), array([1. , 0.9]))
    """
    m, rng = len(labels), np.random.default_rng(SEED)
    seen = Seen.of(labels, has_pairs=has_pairs)
    state, sums, openings = State.of(labels), Sums.of(m), np.zeros(m)
    counted = (seen.item, seen.pure, seen.whole, seen.pairs)
    n_passes = int(np.clip(VISITS // m, LEAST_PASSES, MOST_PASSES))
    for index in range(WARM_PASSES + n_passes):
        if index == WARM_PASSES:
            for values in counted:
                values[:] = 0.0
        chance = np.array([rng.permutation(m), rng.random(m)])
        watch_all(net, beliefs, state, sums, seen, openings, chance)
    size = np.diff(seen.start)
    times = (np.maximum(size - 1, 1)[labels], size, size, 2)
    shares = (values / (n_passes * n) for values, n in zip(counted, times, strict=True))
    return Posterior(*(np.minimum(share, 1.0) for share in shares))


def by_log_odds(log_odds: Floats) -> Beliefs:
    """Return beliefs by which the log odds of all pairs of an item with a label sum up."""
    nothing = np.zeros_like(log_odds)
    return Beliefs(log_odds, nothing, 0.0, 0.0, np.zeros(1), np.zeros(2))
