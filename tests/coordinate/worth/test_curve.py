"""Shares of right pairs by score."""

import numpy as np
import pytest

from spherelax.coordinate.worth.curve import (
    FIRST_SHARE,
    FIRST_SLOPE,
    MAX_BINS,
    PAIRS_A_BIN,
    PRIOR_PAIRS,
    SUREST,
    Curve,
    first_odds,
    fit_shares,
)


def test_bins_hold_about_the_same_number_of_pairs(seed):
    scores = np.random.default_rng(seed).random(10 * PAIRS_A_BIN)
    curve = Curve(scores)
    counts = np.bincount(curve.bins(scores))
    assert len(counts) == 10
    assert np.all(np.abs(counts - PAIRS_A_BIN) <= 1)


def test_there_are_two_bins_at_least_and_not_too_many():
    assert len(Curve(np.arange(4.0)).cuts) == 1
    assert len(Curve(np.arange(2.0 * MAX_BINS * PAIRS_A_BIN)).cuts) == MAX_BINS - 1


def test_equal_scores_are_in_one_bin():
    curve = Curve(np.repeat([1.0, 2.0, 3.0], 100))
    assert len(curve.cuts) < 12 - 1
    assert len(np.unique(curve.bins(np.array([2.0, 2.0])))) == 1
    assert curve.bins(curve.cuts).tolist() == list(range(1, len(curve.cuts) + 1))


def test_shares_are_those_of_the_bins_with_some_pairs_of_the_average_added():
    curve = Curve.from_cuts(np.array([0.5]))
    right = np.array([0.0, 0.5, 1.0, 1.0, 0.5])
    shares = curve.shares(np.array([0.1, 0.2, 0.6, 0.7, 0.8]), right)
    prior = PRIOR_PAIRS * 0.6
    np.testing.assert_allclose(
        shares, [(0.5 + prior) / (2 + PRIOR_PAIRS), (2.5 + prior) / (3 + PRIOR_PAIRS)]
    )


def test_bins_without_pairs_have_a_share():
    shares = Curve.from_cuts(np.array([1.0, 2.0])).shares(np.zeros(4), np.full(4, 0.5))
    assert shares.tolist() == [0.5, 0.5, 0.5]


def test_shares_never_fall_and_are_never_quite_sure():
    curve = Curve.from_cuts(np.array([1.0, 2.0]))
    scores = np.array([0.5, 1.5, 2.5])
    falling = curve.shares(scores, np.array([0.9, 0.5, 0.1]))
    np.testing.assert_allclose(falling, 0.5)
    assert curve.shares(scores, np.zeros(3)).tolist() == [SUREST] * 3
    assert curve.shares(scores, np.ones(3)).tolist() == [1.0 - SUREST] * 3


def test_first_odds_are_even_at_the_share_and_fall_with_the_rank():
    scores = np.random.default_rng(0).permutation(1000.0 + np.arange(1000))
    odds = first_odds(scores)
    assert (odds > 1).sum() == FIRST_SHARE * 1000
    np.testing.assert_array_equal(np.argsort(odds), np.argsort(scores))
    ends = np.sort(odds)[[0, -1]]
    np.testing.assert_allclose(
        ends, (np.array([1.0 - 0.0005, 0.0005]) / FIRST_SHARE) ** -FIRST_SLOPE
    )


@pytest.mark.parametrize("prior", [0.0, 1.5])
@pytest.mark.parametrize("increasing", [False, True])
def test_shares_are_the_best_monotone_ones(seed, prior, increasing):
    """By the largest of the smallest means of all ranges, the formula of isotonic regression."""
    rng = np.random.default_rng(seed)
    codes, values = np.r_[np.arange(8), rng.integers(8, size=30)], rng.random(38)
    weight = np.array([np.sum(codes == c) + prior for c in range(8)])
    sums = np.array([values[codes == c].sum() + prior * values.mean() for c in range(8)])
    sign = 1.0 if increasing else -1.0
    expected = [
        sign
        * max(
            min(sign * sums[a : b + 1].sum() / weight[a : b + 1].sum() for b in range(c, 8))
            for a in range(c + 1)
        )
        for c in range(8)
    ]
    found = fit_shares(codes, values, 8, prior=prior, increasing=increasing)
    np.testing.assert_allclose(found, expected)
