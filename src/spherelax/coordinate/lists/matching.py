"""How likely pairs are to be right if every item has at most one partner, as between two groups.

A matching is a set of pairs without common items. Before any score is seen, a matching of k pairs
is likely in proportion to ``rate ** k``. Scores of right pairs and of wrong pairs come from two
distributions, so a pair of score s counts ``rate * right(s) / wrong(s)``. The probability that a
pair is in the matching follows by belief propagation: every item tells its candidates how free it
is, given what the others tell it. From the probabilities the two distributions and the rate are
estimated anew, until nothing changes (expectation maximisation). No truth is needed: of several
candidates at most one is right, so the further ones show what wrong pairs score. That differs from
item to item, so scores are first compared with those of the further candidates of both items.

Where one group may hold copies, items of the other one may have several partners. Each partner
after the first counts ``further`` times its odds, which is learnt as the rate is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.sampling.posterior import Posterior
from spherelax.coordinate.worth.curve import SUREST, Curve, Floats, first_odds
from spherelax.labels import Labels, inside_pairs

# Rounds of expectation maximisation at most, and messages of each item in each round.
MAX_ROUNDS = 100
MESSAGES = 6
# The rounds end when the probability of no pair changes by more than this.
SETTLED = 1e-3
# Rounds of messages for pairs of another list, whose odds are known: as many for every component.
REPEATS = 10
# Share of the score of further candidates that is taken off.
CONTRAST = 0.5
# Before anything is learnt: odds of a further partner, compared with those of the first one.
FIRST_FURTHER = 0.1
# These odds are never less than this: as good as none, and large enough for the arithmetic.
LEAST_FURTHER = 1e-9


class Matching(NamedTuple):
    """What a list teaches of its scores, for the pairs of any list with scores like these.

    Attributes
    ----------
    ranks : Ranks
        By how many scores of the list a score is reached.
    level : float
        What further candidates score on average.
    curve : Curve
        Bins of scores by their contrast.
    odds : ndarray
        Odds of the pairs of each bin.
    further : float
        What a further partner counts, where items may have several.
    """

    ranks: Ranks
    level: float
    curve: Curve
    odds: Floats
    further: float

    def right(self, pairs: Candidates, several: NDArray[np.bool_] | None = None) -> Floats:
        """Return for each pair the probability that it is right."""
        net = _Net(pairs)
        score, _ = contrast(pairs, self.ranks, self.level)
        odds = self.odds[self.curve.bins(score)]
        further = None if several is None else np.where(several, self.further, LEAST_FURTHER)
        free = net.messages()
        for _ in range(REPEATS):
            right = net.propagate(free, odds, further)
        return right


class Ranks:
    """The scores of a list, to tell by how many of them a score is reached."""

    def __init__(self, scores: NDArray[np.floating]) -> None:
        self.sorted = np.sort(scores)

    def surprise(self, scores: NDArray[np.floating]) -> Floats:
        """Return minus the logarithm of the share of the list that scores at least as much.

        Of equal scores, half count as such.

        Examples
        --------
        >>> Ranks(np.array([0.1, 0.5, 0.9])).surprise(np.array([0.9, 0.1])).round(2)
        array([1.79, 0.18])
        """
        n, below = len(self.sorted), np.searchsorted(self.sorted, scores)
        middle = 0.5 * (below + np.searchsorted(self.sorted, scores, side="right"))
        return np.asarray(-np.log(1.0 - np.clip(middle, 0.5, n - 0.5) / n))


def learn_matching(
    pairs: Candidates, several: NDArray[np.bool_] | None = None
) -> tuple[Matching, Floats]:
    """Learn what scores are worth; return that, and for each pair how likely it is right.

    ``several`` tells which items may have several partners: those whose candidates may be copies of
    each other. What a further partner costs is learnt.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> one, other = np.repeat(np.arange(20), 2), np.r_[20:40, 21:40, 20].reshape(2, 20).T.ravel()
    >>> score = np.tile([0.9, 0.5], 20) + np.linspace(0.0, 0.05, 40)
    >>> learn_matching(Candidates(40, one, other, score))[1][:4].round(2)
    array([1., 0., 1., 0.])
    """
    n_pairs, ranks = len(pairs.score), Ranks(pairs.score)
    score, level = contrast(pairs, ranks)
    curve, net = Curve(score), _Net(pairs)
    bins = curve.bins(score)
    odds, log_rate, right = first_odds(score), 0.0, np.zeros(n_pairs)
    free, free_before = net.messages(), net.messages()
    most, further = pairs.n_matchable(), None
    if several is not None:
        further = np.where(several, FIRST_FURTHER, LEAST_FURTHER)
        everyone = np.union1d(pairs.one, pairs.other)
        most = int(np.count_nonzero(~several[everyone])) or len(everyone) - 1
    for _ in range(MAX_ROUNDS):
        # E step: how likely each pair is right.
        last, right = right, net.propagate(free, np.exp(log_rate) * odds, further)
        if np.abs(right - last).max() < SETTLED:
            break
        # M step: odds of each score, the rate of right pairs, and what a further partner counts.
        n_right, last_odds = float(right.sum()), odds
        share = curve.shares(score, right)[bins]
        odds = share / (1.0 - share) * (n_pairs - n_right) / n_right
        # The rate is right if as many pairs are expected before the scores are seen as after; what
        # further partners count, if as many of these are.
        after = np.exp(log_rate) * last_odds
        plain = np.full(n_pairs, np.exp(log_rate))
        before = net.propagate(free_before, plain, further)
        change = _log_odds_of_partner(n_right, most)
        change -= _log_odds_of_partner(float(before.sum()), most)
        if several is None or further is None:
            log_rate += change
            continue
        # Both depend on each other, so each goes half of the way.
        log_rate += 0.5 * change
        ratio = net.n_further(free, after, further) / net.n_further(free_before, plain, further)
        further = np.where(several, np.clip(further * ratio**0.5, LEAST_FURTHER, 1.0), further)
    of_bin = np.zeros(len(curve.cuts) + 1)
    of_bin[bins] = np.exp(log_rate) * odds
    cost = LEAST_FURTHER if further is None else float(further.max())
    # A bin without pairs has the odds of the bin below.
    return Matching(ranks, level, curve, np.maximum.accumulate(of_bin), cost), right


def contrast(pairs: Candidates, ranks: Ranks, level: float | None = None) -> tuple[Floats, float]:
    """Return scores less a share of what the further candidates of both items score.

    Scores are counted by rank. The further candidates are all but the best; items that have none
    count as average. The average ``level`` is returned, too.

    Examples
    --------
    >>> from spherelax.coordinate.graph.candidates import Candidates
    >>> pairs = Candidates(4, np.array([0, 0, 1]), np.array([2, 3, 3]), np.array([0.9, 0.2, 0.9]))
    >>> contrast(pairs, Ranks(pairs.score))[0].round(2)
    array([1.01, 0.09, 1.01])
    """
    score = ranks.surprise(pairs.score)
    item = np.r_[pairs.one, pairs.other]
    count = np.bincount(item, minlength=pairs.n_items)
    best = np.zeros(pairs.n_items)
    np.maximum.at(best, item, np.tile(score, 2))
    sums = np.bincount(item, weights=np.tile(score, 2), minlength=pairs.n_items) - best
    has_more = count > 1
    of_item = sums / np.maximum(count - 1, 1)
    if level is None:
        level = float(of_item[has_more].mean()) if has_more.any() else 0.0
    of_item[~has_more] = level
    return np.asarray(score - CONTRAST * 0.5 * (of_item[pairs.one] + of_item[pairs.other])), level


def judge_matching(P: sp.csr_array, labels: Labels, *, has_pairs: bool) -> Posterior:
    """Return how likely labels are right if every item has at most one partner.

    ``P`` has the probability of each pair. Then three items of a label are never all the same, and
    a label of two is whole if they are partners, or if neither has one elsewhere.

    Examples
    --------
    >>> P = sp.csr_array(np.array([[0, 0.8, 0], [0.8, 0, 0.1], [0, 0.1, 0]]))
    >>> found = judge_matching(P, np.array([0, 0, 1], dtype=np.int32), has_pairs=True)
    >>> found.item, found.pure, found.whole.round(2), found.pairs
    (array([0.8, 0.8, 0.9]), array([0.8, 1. ]), array([0.9, 0.9]), array([0.8]))
    """
    size = np.bincount(labels)
    entries = P.tocoo()
    is_inside = labels[entries.row] == labels[entries.col]
    inside, outside = (
        np.bincount(entries.row[part], weights=entries.data[part], minlength=len(labels))
        for part in (is_inside, ~is_inside)
    )
    partners = np.where(size == 2, np.bincount(labels, weights=inside) / 2.0, 0.0)
    apart = 1.0 - np.minimum(partners, 1.0 - SUREST)
    free = np.maximum(1.0 - outside / apart[labels], 0.0)
    none_elsewhere = np.ones(len(size))
    np.multiply.at(none_elsewhere, labels, free)
    pairs = inside_pairs(labels) if has_pairs else np.empty((0, 2), dtype=np.intp)
    return Posterior(
        item=np.where(size[labels] > 1, inside / np.maximum(size[labels] - 1, 1), free),
        pure=np.where(size == 1, 1.0, partners),
        whole=np.minimum(partners + apart * none_elsewhere, 1.0),
        pairs=np.asarray(P[pairs[:, 0], pairs[:, 1]]).ravel(),
    )


class _Net:
    """The pairs seen from both of their items: first from ``one``, then from ``other``."""

    def __init__(self, pairs: Candidates) -> None:
        self.n_items = pairs.n_items
        self.item = np.r_[pairs.one, pairs.other]

    def messages(self) -> Floats:
        """Return messages that say that every item is half free."""
        return np.full(len(self.item), 0.5)

    def propagate(self, free: Floats, odds: Floats, further: Floats | None = None) -> Floats:
        """Pass messages, which change in place; return the probability of each pair."""
        half = len(odds)
        both = np.r_[odds, odds]
        for _ in range(MESSAGES):
            offer = both * np.r_[free[half:], free[:half]]
            others = self._others(offer)
            room = 1.0 / (1.0 + others) if further is None else self._room(offer, further)
            free += 0.5 * (room - free)
        joint = odds * free[:half] * free[half:]
        return np.asarray(joint / (1.0 + joint))

    def _sums(self, values: Floats) -> Floats:
        """Return the sum over the pairs of each item."""
        return np.asarray(np.bincount(self.item, weights=values, minlength=self.n_items), float)

    def _others(self, values: Floats) -> Floats:
        """Return for each pair, seen from both items, the sum over the other pairs of the item."""
        others = self._sums(values)[self.item] - values
        return np.asarray(np.maximum(others, 0.0))  # large ones are rounded

    def _room(self, offer: Floats, further: Floats) -> Floats:
        """Return how free items are for a pair if partners after the first count ``t`` times.

        Without the pair, all choices of partners with offers x sum to ``1 + (P - 1) / t`` with
        ``P = prod(1 + t x)``; with it, to ``P``. One partner at most is the limit of small t.
        """
        t = further[self.item]
        taken = -np.expm1(-self._others(np.log1p(t * offer)))  # 1 - 1 / P
        return np.asarray(t / (t + (1.0 - t) * taken))

    def n_further(self, free: Floats, odds: Floats, further: Floats) -> float:
        """Return how many pairs are expected beyond the first one of each item.

        That is at least what one item in doubt has, so that numbers can be compared by ratio.
        """
        half = len(odds)
        joint = odds * free[:half] * free[half:]
        partners = self._sums(np.tile(joint / (1.0 + joint), 2))
        offer = np.r_[odds, odds] * np.r_[free[half:], free[:half]]
        total = self._sums(np.log1p(further[self.item] * offer))
        apart = further * np.exp(-total)
        has_partner = 1.0 - apart / (apart - np.expm1(-total))
        return max(float(np.sum(partners - has_partner)), 0.5)


def _log_odds_of_partner(n_right: float, most: int) -> float:
    """Return the log odds that an item has a partner, if n pairs of ``most`` possible are right."""
    return float(logit(np.clip(n_right / most, SUREST, 1.0 - 0.5 / most)))
