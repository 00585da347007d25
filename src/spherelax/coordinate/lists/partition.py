"""How likely pairs are to be right if the items are copies of entities, of which any may have many.

The scores of right pairs and of wrong pairs come from two distributions, which the list itself
teaches by expectation maximisation. E step: draw labels that fit the scores by Gibbs sampling, and
see how often the items of each pair have one label. M step: estimate the distributions from that.
Nothing but the order of the scores is used, and no truth.

An item joins a label by what its candidates there score. Four things keep that honest:

- Of all the labels that hold a candidate, an item joins one at most.
- Pairs of one item with the items of one label repeat each other: wrong ones come in patches of
  items that are all a little alike. Their evidence is divided by the design effect, 1 + (n - 1) r
  for n items and the intraclass correlation r of the scores.
- An item of a label that is not among the candidates of another speaks against it, as often as
  right pairs are listed; but no list is longer than it is.
- Entities have as many items as the labels drawn have; larger ones are never likelier to grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, isotonic_regression

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.hashing import SEED, hash_numbers
from spherelax.coordinate.sampling.agreement import Agreement
from spherelax.coordinate.sampling.gibbs import (
    Beliefs,
    Net,
    State,
    Sums,
    Tally,
    count_mates,
    support,
    sweep,
)
from spherelax.coordinate.sampling.posterior import WARM_SWEEPS
from spherelax.coordinate.worth.curve import FIRST_SHARE, SUREST, Curve, Floats, first_odds

# Rounds of an E step and an M step; sweeps of an E step that are summed; and of the last one.
ROUNDS = 25
SWEEPS = 2
LAST_SWEEPS = 8
# Before the first round: what an absent pair costs, and intraclass correlations of right and wrong.
FIRST_ABSENT = 2.0
FIRST_ALIKE = 0.3, 0.7
# Odds are raised to this power: of two estimates that explain the scores alike, the clearer one.
CLEAR = 1.15
# Right pairs are listed at most this often. A larger share would confirm itself: labels with absent
# pairs would hardly ever be drawn.
MOST_LISTED = 0.95
# Learning begins twice: with `FIRST_SHARE` of the pairs right, and with this share. What explains
# the scores better in the end is kept.
MANY_RIGHT = 0.8
# Prior intraclass correlation of scores, and the number of pairs of pairs that it counts for.
ALIKE = 0.5
ALIKE_PAIRS = 40.0
# Labels of geometric sizes that are added to the labels drawn, and labels that are added of any
# size, so that no size is impossible; sizes from `LARGEST` on are alike.
SIZES = 5.0
UNSEEN = 1e-3
LARGEST = 64
# The lowest and highest log odds of joining a label.
LIMIT = 15.0

# Returns for each sweep, from 0, an order of the items and a random number for each of them.
Chances = Callable[[int], Floats]


class Partition(NamedTuple):
    """What a list teaches of its scores, for the pairs of any list with such scores.

    Attributes
    ----------
    curve : Curve
        Bins of scores.
    sharp : Beliefs or None
        What is believed of each bin, to draw labels by; None: the scores show no entities.
    plain : Beliefs
        The same to judge labels by, which is not sharpened.
    support : float
        How well the scores are explained, in nats.
    """

    curve: Curve
    sharp: Beliefs | None
    plain: Beliefs
    support: float

    def right(self, pairs: Candidates, chances: Chances) -> Floats:
        """Return for each pair how likely it is right: all are 0 if the scores show no entities."""
        if self.sharp is None:
            return np.zeros(len(pairs.score))
        net = Net.of_list(pairs)
        beliefs = _beliefs_of_entries(self.sharp, self.curve.bins(pairs.score)[net.pair])
        return _expect(net, beliefs, LAST_SWEEPS, chances).right

    def beliefs(self, scores: NDArray[np.floating]) -> Beliefs:
        """Return what to judge labels by, for entries with these scores."""
        return _beliefs_of_entries(self.plain, self.curve.bins(scores))


def learn_partition(pairs: Candidates) -> Partition:
    """Learn from a list what its scores are worth.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one, other = np.triu_indices(80, 1)
    >>> is_right = one // 2 == other // 2
    >>> kept = is_right | (rng.random(len(one)) < 0.1)
    >>> score = np.where(is_right, 0.8, rng.normal(0.3, 0.05, len(one)))
    >>> pairs = Candidates(80, one[kept], other[kept], score[kept])
    >>> right = learn_partition(pairs).right(pairs, stream(80))
    >>> bool(np.all((right > 0.5) == is_right[kept]))
    True
    """
    curve = Curve(pairs.score)
    lesson = _Lesson(pairs, curve)
    learnt = max(map(lesson.learn, (FIRST_SHARE, MANY_RIGHT)), key=lesson.support)
    if learnt.expected is None:
        return Partition(curve, None, learnt.beliefs, 0.0)
    plain = _maximise(pairs, curve, learnt.expected, 1.0)
    return Partition(curve, learnt.beliefs, plain, lesson.support(learnt))


def stream(m: int) -> Chances:
    """Return a source of chance: for each sweep an order of m items, and a number for each."""
    rng = np.random.default_rng(SEED)
    return lambda _: np.array([rng.permutation(m), rng.random(m)])


def stream_by_number(numbers: NDArray[np.integer]) -> Chances:
    """Return a source of chance by the numbers of items alone, whatever other items there are.

    Examples
    --------
    >>> few, more = (stream_by_number(np.array(numbers)) for numbers in ([5, 7], [5, 6, 7]))
    >>> set(few(0)[1]) < set(more(0)[1])
    True
    """

    def chances(index: int) -> Floats:
        order = np.argsort(hash_numbers(numbers, 2 * index))
        draws = hash_numbers(numbers[order], 2 * index + 1) * 2.0**-64
        return np.array([order, draws])

    return chances


class _Expected(NamedTuple):
    """What an E step expects of the labels, and the last labels that it drew."""

    right: Floats  # (n_pairs), how likely each pair is right
    openings: Floats  # (n_items), labels that an item could join, by their prior odds
    sizes: Floats  # (LARGEST), number of labels of each size
    listed: float  # share of the right pairs that are listed
    joined: float  # number of items that are not alone
    labels: NDArray[np.int64]


class _Learnt(NamedTuple):
    """What is believed, and the last E step before it; None: nothing is right by it."""

    beliefs: Beliefs
    expected: _Expected | None


class _Lesson:
    """Pairs, and how to learn from them what scores are worth."""

    def __init__(self, pairs: Candidates, curve: Curve) -> None:
        self.pairs, self.curve, self.net = pairs, curve, Net.of_list(pairs)
        self.bins = curve.bins(pairs.score)[self.net.pair]

    def _first(self, share: float) -> Beliefs:
        """Believe that the best-scored share of the pairs is right, less and less surely."""
        odds = first_odds(self.pairs.score, share)
        right = odds / (1.0 + odds)
        join = float(np.log(right.sum() / self.pairs.n_items))
        of_bin = self.curve.shares(self.pairs.score, right)
        weights, alike = _weights(of_bin, float(right.mean())), np.array(FIRST_ALIKE)
        return Beliefs(*weights, FIRST_ABSENT, join, np.zeros(LARGEST), alike)

    def learn(self, share: float) -> _Learnt:
        """Take E steps and M steps in turn, beginning with a share of right pairs."""
        beliefs, expected, chances = self._first(share), None, stream(self.pairs.n_items)
        for _ in range(ROUNDS):
            expected = _expect(self.net, _beliefs_of_entries(beliefs, self.bins), SWEEPS, chances)
            if expected.right.sum() < 1.0:
                return _Learnt(beliefs, None)
            beliefs = _maximise(self.pairs, self.curve, expected, CLEAR)
        return _Learnt(beliefs, expected)

    def support(self, learnt: _Learnt) -> float:
        """Return how well scores are explained by what was learnt, in nats."""
        if learnt.expected is None:
            return 0.0
        state = State.of(learnt.expected.labels, self.net)
        beliefs = _beliefs_of_entries(learnt.beliefs, self.bins)
        return float(support(self.net, beliefs, state, Sums.of(self.pairs.n_items)))


def _weights(share: Floats, overall: float) -> tuple[Floats, Floats]:
    """Return what scores say, from the share of right pairs of that score and of any score."""
    share = np.clip(share, SUREST, 1.0 - SUREST)
    return np.log(share / overall), np.log((1.0 - share) / (1.0 - overall))


def _beliefs_of_entries(beliefs: Beliefs, bins: NDArray[np.intp]) -> Beliefs:
    """Return beliefs with what the score of each entry says, instead of each bin of scores."""
    return beliefs._replace(same=beliefs.same[bins], other=beliefs.other[bins])


def _expect(net: Net, beliefs: Beliefs, n_sweeps: int, chances: Chances) -> _Expected:
    """Take an E step: draw labels, beginning with one for each item, and sum what they say."""
    m, n_pairs = len(net.indptr) - 1, len(net.pair) // 2
    state, sums = State.of(np.arange(m), net), Sums.of(m)
    tally, nothing = Tally(np.zeros(n_pairs), np.zeros(m)), Agreement.of(np.arange(0))
    sizes, n_listed, n_due, joined = np.zeros(LARGEST + 1), 0.0, 0.0, 0.0
    degree = np.diff(net.indptr)
    row = np.repeat(np.arange(m), degree)
    for index in range(WARM_SWEEPS + n_sweeps):
        if index == WARM_SWEEPS:
            tally.right[:], tally.openings[:] = 0.0, 0.0
        sweep(net, beliefs, state, sums, tally, nothing, chances(index))
        if index >= WARM_SWEEPS:
            labels, size = state.labels, state.size
            inside = np.bincount(row[labels[row] == labels[net.indices]], minlength=m)
            n_listed += inside.sum()
            compared = size[labels] - 1 - count_mates(net.source, labels)
            n_due += (inside + np.minimum(compared - inside, degree - inside)).sum()
            joined += float(np.count_nonzero(size[labels] > 1)) / n_sweeps
            sizes += np.bincount(np.minimum(size[size > 0], LARGEST), minlength=LARGEST + 1)
    return _Expected(
        right=tally.right / (2 * n_sweeps),
        openings=tally.openings / n_sweeps,
        sizes=sizes[1:] / n_sweeps,
        listed=(n_listed + 1.0) / (n_due + 2.0),
        joined=joined,
        labels=state.labels,
    )


def _maximise(pairs: Candidates, curve: Curve, expected: _Expected, power: float) -> Beliefs:
    """Take an M step: return the beliefs by which what is expected is likeliest.

    Odds of pairs are raised to a power.
    """
    share = curve.shares(pairs.score, expected.right)
    clear = share**power / (share**power + (1.0 - share) ** power)
    same, other = _weights(clear, float(expected.right.mean()))
    bins, labels = curve.bins(pairs.score), expected.labels
    together = labels[pairs.one] == labels[pairs.other]
    alike = np.array(
        [
            _intraclass_correlation(pairs, labels, same[bins], together),
            _intraclass_correlation(pairs, labels, other[bins], ~together),
        ]
    )
    absent = -np.log1p(-min(expected.listed, MOST_LISTED))
    growth = _growth(expected.sizes)
    return Beliefs(same, other, absent, _join(expected), growth, alike)


def _join(expected: _Expected) -> float:
    """Return the log odds of joining with which as many items join a label as do."""
    n_joined = min(expected.joined, len(expected.openings) - 1.0)

    def excess(join: float) -> float:
        odds = expected.openings * np.exp(join)
        return float(np.sum(odds / (1.0 + odds))) - n_joined

    if excess(LIMIT) <= 0.0:
        return LIMIT
    return float(brentq(excess, -LIMIT, LIMIT)) if excess(-LIMIT) < 0.0 else -LIMIT


def _growth(sizes: Floats) -> Floats:
    """Return the log odds that a label of each size gains an item, up to a constant.

    Labels are as large as the labels drawn and a few of geometric sizes. The odds never rise with
    the size, so that wrong pairs do not grow because entities are large, and no size on the way to
    that of many labels is hard to pass.
    """
    n = np.arange(1, LARGEST + 1)
    end = 1.0 / (np.sum(n * sizes) / np.sum(sizes))
    smooth = sizes + SIZES * end * (1.0 - end) ** (n - 1) + UNSEEN
    steps = np.log(n[1:] * smooth[1:] / smooth[:-1])
    reached = np.cumsum(sizes[::-1])[::-1][:-1] + UNSEEN
    growth = isotonic_regression(steps, weights=reached, increasing=False).x
    return np.append(growth, growth[-1])


def _intraclass_correlation(
    pairs: Candidates, labels: NDArray[np.int64], weights: Floats, chosen: NDArray[np.bool_]
) -> float:
    """Return the correlation of the weights of two pairs of one item with items of one label."""
    one, other, value = pairs.one[chosen], pairs.other[chosen], weights[chosen]
    key = np.r_[one * pairs.n_items + labels[other], other * pairs.n_items + labels[one]]
    if len(key) == 0 or np.ptp(value) < 1e-9:
        return ALIKE
    value = np.tile(value - value.mean(), 2)
    which, count = np.unique(key, return_inverse=True, return_counts=True)[1:]
    sums = np.bincount(which, weights=value)
    squares = np.bincount(which, weights=np.square(value))
    product = float(np.sum(np.square(sums) - squares)) / float(np.mean(np.square(value)))
    n = float(np.sum(count * (count - 1)))
    return float(np.clip((product + ALIKE * ALIKE_PAIRS) / (n + ALIKE_PAIRS), 0.0, 1.0))
