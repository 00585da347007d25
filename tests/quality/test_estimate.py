"""Ratios and their intervals, compared with what is known."""

import numpy as np
import pytest
from scipy.stats import beta, t

from spherelax.quality.estimate import NORMAL, Design, Estimate, estimate_ratio


def one_stratum(n, size):
    return Design(np.zeros(n, dtype=int), np.array([float(size)]))


def test_a_large_population_gives_clopper_and_pearson():
    right = (np.arange(80) >= 8).astype(float)
    found = estimate_ratio(right, np.ones(80), one_stratum(80, 1e12))
    # The variance has 79 in place of 80, and there are 79 degrees of freedom.
    n = 79 * (NORMAL / t.ppf(0.975, 79)) ** 2
    k = 0.9 * n
    np.testing.assert_allclose(found.value, 0.9)
    np.testing.assert_allclose(found.low, beta.ppf(0.025, k, n - k + 1), rtol=1e-6)
    np.testing.assert_allclose(found.high, beta.ppf(0.975, k + 1, n - k), rtol=1e-6)


@pytest.mark.parametrize(("right", "ends"), [(1.0, (0.925, 1.0)), (0.0, (0.0, 0.075))])
def test_all_right_and_all_wrong_are_not_sure(right, ends):
    found = estimate_ratio(np.full(50, right), np.ones(50), one_stratum(50, 1e9))
    assert found.value == right
    np.testing.assert_allclose((found.low, found.high), ends, atol=3e-3)


def test_all_cases_leave_no_doubt():
    part = np.array([1.0, 0.0, 2.0])
    found = estimate_ratio(part, np.array([1.0, 1.0, 2.0]), one_stratum(3, 3))
    assert found == Estimate(0.75, 0.75, 0.75)


def test_a_stratum_counts_by_its_size():
    design = Design(np.repeat([0, 1], 20), np.array([900.0, 100.0]))
    part = np.repeat([1.0, 0.0], 20)
    found = estimate_ratio(part, np.ones(40), design)
    np.testing.assert_allclose(found.value, 0.9)
    assert found.low < 0.9 < found.high  # no stratum varies, and still nothing is sure


def test_nothing_to_share():
    assert estimate_ratio(np.zeros(3), np.zeros(3), one_stratum(3, 9)) is None


def test_a_single_case_is_doubted():
    design = Design(np.r_[np.zeros(30, dtype=int), 1], np.array([100.0, 100.0]))
    part = np.r_[np.ones(30), 0.0]
    found = estimate_ratio(part, np.ones(31), design)
    assert found.low < 0.2


def test_intervals_hold_the_truth():
    rng = np.random.default_rng(0)
    whole = rng.integers(1, 9, 3000).astype(float)
    part = rng.binomial(whole.astype(int), rng.beta(8, 1, 3000)).astype(float)
    truth, held = part.sum() / whole.sum(), 0
    for _ in range(300):
        some = rng.choice(3000, 100, replace=False)
        found = estimate_ratio(part[some], whole[some], one_stratum(100, 3000))
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 300 <= 0.98


def test_known_ones_are_mixed_in():
    assert Estimate(0.5, 0.0, 1.0).mixed_with_ones(0.5) == Estimate(0.75, 0.5, 1.0)
