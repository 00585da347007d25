"""How likely pairs are to be right if every item has at most one partner, as between two groups.

A matching is a set of pairs without common items. Before any score is seen, a matching of k pairs
is likely in proportion to ``rate ** k``. Scores of right pairs and of wrong pairs come from two
distributions, so a pair of score s counts ``rate * right(s) / wrong(s)``. The probability that a
pair is in the matching follows by belief propagation: every item tells its candidates how free it
is, given what the others tell it. From the probabilities the two distributions and the rate are
estimated anew, until nothing changes (expectation maximisation). No truth is needed: of several
candidates at most one is right, so the further ones show what wrong pairs score. That differs from
item to item, so scores are first compared with those of the further candidates of both items.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from scipy.stats import rankdata

from spherelax.coordinate.candidates import Candidates
from spherelax.coordinate.curve import Curve, Floats, first_odds

# Rounds of estimation, and messages of each item in each of them.
MAX_ROUNDS = 100
MESSAGES = 6
# The rounds end when no pair's probability changes by more than that.
SETTLED = 1e-3
# Share of the score of further candidates that is taken off.
CONTRAST = 0.5
# Before anything is learnt: odds of a further partner, compared with those of the first one.
FIRST_FURTHER = 0.1


def matched(pairs: Candidates, several: NDArray[np.bool_] | None = None) -> Floats:
    """Return for each pair the probability that it is right.

    ``several`` tells which items may have several partners: those whose candidates may be copies of
    each other. What a further partner costs is learnt.

    Examples
    --------
    >>> from spherelax.coordinate.candidates import Candidates
    >>> one, other = np.repeat(np.arange(20), 2), np.r_[20:40, 21:40, 20].reshape(2, 20).T.ravel()
    >>> score = np.tile([0.9, 0.5], 20) + np.linspace(0.0, 0.05, 40)
    >>> matched(Candidates(40, one, other, score))[:4].round(2)
    array([1., 0., 1., 0.])
    """
    n_pairs, score = len(pairs.score), contrast(pairs)
    curve, net = Curve(score), _Net(pairs)
    bins = curve.bins(score)
    odds, log_rate, right = first_odds(score), 0.0, np.zeros(n_pairs)
    free, free_before = net.messages(), net.messages()
    ends = np.unique(pairs.one), np.unique(pairs.other)
    most = min(*map(len, ends), len(np.union1d(*ends)) // 2)
    if several is not None:
        net.further = np.where(several, FIRST_FURTHER, 0.0)
        both = np.union1d(*ends)
        most = int(np.count_nonzero(~several[both])) or len(both) - 1
    for _ in range(MAX_ROUNDS):
        last, right = right, net.propagate(free, np.exp(log_rate) * odds)
        if np.abs(right - last).max() < SETTLED:
            break
        n_right = float(right.sum())
        share = curve.shares(score, right)[bins]
        odds = share / (1.0 - share) * (n_pairs - n_right) / n_right
        # The rate is right if as many pairs are expected before the scores are seen as after.
        n_more = net.n_further(right) if several is not None else 0.0
        before = net.propagate(free_before, np.full(n_pairs, np.exp(log_rate)))
        log_rate += _filled(n_right, most) - _filled(float(before.sum()), most)
        if several is not None:
            change = (n_more + 0.5) / (net.n_further(before) + 0.5)
            net.further = np.minimum(net.further * change, 1.0)
    return right


def contrast(pairs: Candidates) -> Floats:
    """Return scores less a share of what the further candidates of both items score.

    Scores are counted by rank: minus the logarithm of the share of pairs that score at least as
    much. The further candidates are all but the best; items that have none count as average.

    Examples
    --------
    >>> from spherelax.coordinate.candidates import Candidates
    >>> pairs = Candidates(4, np.array([0, 0, 1]), np.array([2, 3, 3]), np.array([0.9, 0.2, 0.9]))
    >>> contrast(pairs).round(2)
    array([1.01, 0.09, 1.01])
    """
    score = -np.log(1.0 - (rankdata(pairs.score) - 0.5) / len(pairs.score))
    item = np.r_[pairs.one, pairs.other]
    count = np.bincount(item, minlength=pairs.n_items)
    best = np.zeros(pairs.n_items)
    np.maximum.at(best, item, np.tile(score, 2))
    sums = np.bincount(item, weights=np.tile(score, 2), minlength=pairs.n_items) - best
    has_more = count > 1
    level = sums / np.maximum(count - 1, 1)
    level[~has_more] = level[has_more].mean() if has_more.any() else 0.0
    return np.asarray(score - CONTRAST * 0.5 * (level[pairs.one] + level[pairs.other]))


class _Net:
    """The pairs seen from both of their items: first from ``one``, then from ``other``."""

    def __init__(self, pairs: Candidates) -> None:
        self.n_items = pairs.n_items
        self.item = np.r_[pairs.one, pairs.other]
        self.further: Floats | None = None
        self.none = np.ones(pairs.n_items)

    def messages(self) -> Floats:
        """Return messages that say that every item is half free."""
        return np.full(len(self.item), 0.5)

    def propagate(self, free: Floats, odds: Floats) -> Floats:
        """Pass messages, which change in place; return the probability of each pair."""
        half = len(odds)
        both = np.r_[odds, odds]
        for _ in range(MESSAGES):
            offer = both * np.r_[free[half:], free[:half]]
            if self.further is not None:
                free += 0.5 * (self._room(offer) - free)
                continue
            offers = np.bincount(self.item, weights=offer, minlength=self.n_items)
            others = np.maximum(offers[self.item] - offer, 0.0)  # large ones are rounded
            free += 0.5 * (1.0 / (1.0 + others) - free)
        joint = odds * free[:half] * free[half:]
        return np.asarray(joint / (1.0 + joint))

    def _room(self, offer: Floats) -> Floats:
        """Return how free items are where some may have several partners.

        If each partner after the first counts ``t`` times its odds x, all choices of partners sum
        to ``1 + (prod(1 + t x) - 1) / t``; with another one, to ``prod(1 + t x)`` times its odds.
        """
        t = np.maximum(self.further[self.item], 1e-12)
        logs = np.log1p(t * offer)
        total = np.bincount(self.item, weights=logs, minlength=self.n_items)
        others = np.maximum(total[self.item] - logs, 0.0)
        t_of = np.maximum(self.further, 1e-12)
        self.none = t_of / (t_of + np.expm1(np.minimum(total, 500.0)))
        return np.asarray(t / (t - (1.0 - t) * np.expm1(-others)))

    def n_further(self, right: Floats) -> float:
        """Return how many pairs there are beyond the first of each item that may have several."""
        partners = np.bincount(self.item, weights=np.tile(right, 2), minlength=self.n_items)
        more = np.maximum(partners - (1.0 - self.none), 0.0)
        return float(more[self.further > 0.0].sum())


def _filled(n_right: float, most: int) -> float:
    """Return the log odds that an item has a partner, if n of at most so many pairs are right."""
    return float(logit(np.clip(n_right / most, 1e-6, 1.0 - 0.5 / most)))
