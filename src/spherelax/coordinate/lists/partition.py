"""How likely pairs are to be right if the items are copies of entities, of which any may have many.

The scores of right pairs and of wrong pairs come from two distributions, which the list itself
teaches (expectation maximisation): draw labels that fit the scores, item by item; see how often the
items of each pair have one label; estimate the distributions from that; and draw again. Nothing
but the order of the scores is used, and no truth.

An item joins a label by what its candidates there score. Four things keep that honest:

- Of all the labels that hold a candidate, an item joins one at most.
- Pairs of one item with the items of one label repeat each other: wrong ones come in patches of
  items that are all a little alike. Their evidence is divided by how alike their scores are.
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
from spherelax.coordinate.graph.hashing import hash_numbers
from spherelax.coordinate.sampling.drawing import (
    Beliefs,
    Judged,
    Net,
    State,
    Sums,
    Tally,
    count_all,
    support,
    visit_all,
)
from spherelax.coordinate.worth.curve import FIRST_SHARE, SUREST, Curve, Floats, first_odds

# Labels are drawn with this seed.
SEED = 0
# Rounds of estimation; passes over the items before and while labels are counted; and those of the
# last round.
ROUNDS = 25
WARM_PASSES = 3
PASSES = 2
LAST_PASSES = 8
# Before the first round: what an absent pair costs, and how alike pairs are.
FIRST_ABSENT = 2.0
FIRST_ALIKE = 0.3, 0.7
# Odds are raised to this power: of two estimates that explain the scores alike, the clearer one.
CLEAR = 1.15
# Right pairs are listed at most this often. Once that is believed, labels with absent pairs are
# hardly ever drawn, so it would confirm itself.
MOST_LISTED = 0.95
# Learning begins twice: with the belief that few pairs are right, and that this share is. What
# explains the scores better in the end is kept.
MANY_RIGHT = 0.8
# Pairs of pairs that are as alike as this before any are seen, and how many they count for.
ALIKE = 0.5
ALIKE_PAIRS = 40.0
# Labels of geometric sizes that are added to those drawn, and labels that are added of any size, so
# that none is impossible; sizes from this one on are alike.
SIZES = 5.0
UNSEEN = 1e-3
LARGEST = 64
# The lowest and highest log odds of joining a label.
LIMIT = 15.0

# Returns for each pass, counted from 0, an order of the items and a random number for each of them.
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

    def judged(self, pairs: Candidates, chances: Chances) -> Judged:
        """Return for each pair how likely it is right: all are 0 if the scores show no entities."""
        bins = self.curve.bins(pairs.score)
        right = np.zeros(len(pairs.score))
        if self.sharp is not None:
            beliefs = _of_pairs(self.sharp, bins)
            right = _draw(Net.of(pairs), beliefs, LAST_PASSES, chances).right
        return self.believed(pairs, right)

    def believed(self, pairs: Candidates, right: Floats) -> Judged:
        """Return what to judge labels by, given how likely pairs are right."""
        return Judged(right, _of_pairs(self.plain, self.curve.bins(pairs.score)))


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
    >>> right = learn_partition(pairs).judged(pairs, stream(80)).right
    >>> bool(np.all((right > 0.5) == is_right[kept]))
    True
    """
    curve = Curve(pairs.score)
    lesson = _Lesson(pairs, curve)
    learnt = max(map(lesson.learnt, (FIRST_SHARE, MANY_RIGHT)), key=lesson.support)
    if learnt.drawn is None:
        return Partition(curve, None, learnt.beliefs, 0.0)
    plain = _estimated(pairs, curve, learnt.drawn, 1.0)
    return Partition(curve, learnt.beliefs, plain, lesson.support(learnt))


def stream(m: int) -> Chances:
    """Return a source of chance for m items: for each pass an order, and a number for each item."""
    rng = np.random.default_rng(SEED)
    return lambda _: np.array([rng.permutation(m), rng.random(m)])


def by_number(numbers: NDArray[np.integer]) -> Chances:
    """Return a source of chance by the numbers of items alone, whatever other items there are.

    Examples
    --------
    >>> few, more = (by_number(np.array(numbers)) for numbers in ([5, 7], [5, 6, 7]))
    >>> set(few(0)[1]) < set(more(0)[1])
    True
    """

    def chances(index: int) -> Floats:
        order = np.argsort(hash_numbers(numbers, 2 * index))
        draws = hash_numbers(numbers[order], 2 * index + 1) * 2.0**-64
        return np.array([order, draws])

    return chances


class _Learnt(NamedTuple):
    """What is believed, and the labels that it was learnt from; None: nothing is right by it."""

    beliefs: Beliefs
    drawn: _Drawn | None


class _Lesson:
    """Pairs, and how to learn from them what scores are worth."""

    def __init__(self, pairs: Candidates, curve: Curve) -> None:
        self.pairs, self.curve = pairs, curve
        self.net, self.bins = Net.of(pairs), curve.bins(pairs.score)

    def _first(self, share: float) -> Beliefs:
        """Believe that the best-scored share of the pairs is right, less and less surely."""
        odds = first_odds(self.pairs.score, share)
        right = odds / (1.0 + odds)
        join = float(np.log(right.sum() / self.pairs.n_items))
        of_bin = self.curve.shares(self.pairs.score, right)
        weights, alike = _weights(of_bin, float(right.mean())), np.array(FIRST_ALIKE)
        return Beliefs(*weights, FIRST_ABSENT, join, np.zeros(LARGEST), alike)

    def learnt(self, share: float) -> _Learnt:
        """Draw labels and estimate beliefs from them, in turn, beginning with a share of pairs."""
        beliefs, drawn, chances = self._first(share), None, stream(self.pairs.n_items)
        for _ in range(ROUNDS):
            drawn = _draw(self.net, _of_pairs(beliefs, self.bins), PASSES, chances)
            if drawn.right.sum() < 1.0:
                return _Learnt(beliefs, None)
            beliefs = _estimated(self.pairs, self.curve, drawn, CLEAR)
        return _Learnt(beliefs, drawn)

    def support(self, learnt: _Learnt) -> float:
        """Return how well scores are explained by what was learnt, in nats."""
        if learnt.drawn is None:
            return 0.0
        state = State.of(learnt.drawn.labels)
        of_pairs = _of_pairs(learnt.beliefs, self.bins)
        return float(support(self.net, of_pairs, state, Sums.of(self.pairs.n_items)))


class _Drawn(NamedTuple):
    """What labels that were drawn say, and the last of them."""

    right: Floats
    openings: Floats
    sizes: Floats
    listed: float
    joined: float
    labels: NDArray[np.int64]


def _weights(share: Floats, overall: float) -> tuple[Floats, Floats]:
    """Return what scores say, from the share of right pairs of that score and of any score."""
    share = np.clip(share, SUREST, 1.0 - SUREST)
    return np.log(share / overall), np.log((1.0 - share) / (1.0 - overall))


def _of_pairs(beliefs: Beliefs, bins: NDArray[np.intp]) -> Beliefs:
    """Return beliefs with what the score of each pair says, instead of each bin of scores."""
    return beliefs._replace(same=beliefs.same[bins], other=beliefs.other[bins])


def _draw(net: Net, beliefs: Beliefs, n_passes: int, chances: Chances) -> _Drawn:
    """Draw labels, beginning with one for each item, and count what they say."""
    m, n_pairs = len(net.indptr) - 1, len(beliefs.same)
    state, sums = State.of(np.arange(m)), Sums.of(m)
    tally = Tally(np.zeros(n_pairs), np.zeros(m))
    sizes, n_listed, n_due, joined = np.zeros(LARGEST + 1), 0.0, 0.0, 0.0
    degree = np.diff(net.indptr)
    row = np.repeat(np.arange(m), degree)
    for index in range(WARM_PASSES + n_passes):
        if index == WARM_PASSES:
            tally.right[:], tally.openings[:] = 0.0, 0.0
        visit_all(net, beliefs, state, sums, tally, chances(index))
        if index >= WARM_PASSES:
            labels, size = state.labels, state.size
            inside = np.bincount(row[labels[row] == labels[net.indices]], minlength=m)
            n_listed += inside.sum()
            compared = size[labels] - 1 - count_all(net.source, state)
            n_due += (inside + np.minimum(compared - inside, degree - inside)).sum()
            joined += float(np.count_nonzero(size[labels] > 1)) / n_passes
            sizes += np.bincount(np.minimum(size[size > 0], LARGEST), minlength=LARGEST + 1)
    return _Drawn(
        right=tally.right / (2 * n_passes),
        openings=tally.openings / n_passes,
        sizes=sizes[1:] / n_passes,
        listed=(n_listed + 1.0) / (n_due + 2.0),
        joined=joined,
        labels=state.labels,
    )


def _estimated(pairs: Candidates, curve: Curve, drawn: _Drawn, power: float) -> Beliefs:
    """Return what the labels that were drawn make likely, with odds raised to a power."""
    share = curve.shares(pairs.score, drawn.right)
    clear = share**power / (share**power + (1.0 - share) ** power)
    same, other = _weights(clear, float(drawn.right.mean()))
    bins, labels = curve.bins(pairs.score), drawn.labels
    together = labels[pairs.one] == labels[pairs.other]
    alike = np.array(
        [
            _likeness(pairs, labels, same[bins], together),
            _likeness(pairs, labels, other[bins], ~together),
        ]
    )
    absent = -np.log1p(-min(drawn.listed, MOST_LISTED))
    growth = _growth(drawn.sizes)
    return Beliefs(same, other, absent, _join(drawn), growth, alike)


def _join(drawn: _Drawn) -> float:
    """Return the log odds of joining with which as many items join a label as do."""
    n_joined = min(drawn.joined, len(drawn.openings) - 1.0)

    def excess(join: float) -> float:
        odds = drawn.openings * np.exp(join)
        return float(np.sum(odds / (1.0 + odds))) - n_joined

    if excess(LIMIT) <= 0.0:
        return LIMIT
    return float(brentq(excess, -LIMIT, LIMIT)) if excess(-LIMIT) < 0.0 else -LIMIT


def _growth(sizes: Floats) -> Floats:
    """Return the log odds that a label of each size gains an item, up to a constant.

    Labels are as large as those drawn and a few of geometric sizes. The odds never rise with the
    size, so that wrong pairs do not grow because entities are large, and no size on the way to
    that of many labels is hard to pass.
    """
    n = np.arange(1, LARGEST + 1)
    end = 1.0 / (np.sum(n * sizes) / np.sum(sizes))
    smooth = sizes + SIZES * end * (1.0 - end) ** (n - 1) + UNSEEN
    steps = np.log(n[1:] * smooth[1:] / smooth[:-1])
    reached = np.cumsum(sizes[::-1])[::-1][:-1] + UNSEEN
    growth = isotonic_regression(steps, weights=reached, increasing=False).x
    return np.append(growth, growth[-1])


def _likeness(
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
