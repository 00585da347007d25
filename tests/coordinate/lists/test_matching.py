"""Two sources: how likely pairs are, if no item has two partners."""

import numpy as np
import pytest
from support.lists import calibration_error, two_sources, with_copies

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.lists.matching import _Net, learn_matching
from spherelax.coordinate.worth.curve import Curve


def matched(pairs, several=None):
    """How likely pairs are right, as their list teaches."""
    return learn_matching(pairs, several)[1]


def brute_force(pairs, odds):
    """The probability of each pair, by adding up all matchings."""
    total, inside = 0.0, np.zeros(len(odds))
    for chosen in range(1 << len(odds)):
        which = [e for e in range(len(odds)) if chosen >> e & 1]
        ends = np.r_[pairs.one[which], pairs.other[which]]
        if len(set(ends)) == len(ends):
            weight = float(np.prod(odds[which]))
            total += weight
            inside[which] += weight
    return inside / total


def test_messages_are_exact_where_pairs_make_no_circle(seed):
    """Belief propagation on a tree gives the sum over all matchings."""
    rng = np.random.default_rng(seed)
    pairs = Candidates(
        8, np.array([0, 0, 1, 2, 2, 3, 3]), np.array([4, 5, 5, 5, 6, 6, 7]), np.ones(7)
    )
    odds = np.exp(rng.normal(scale=2.0, size=7))
    net = _Net(pairs)
    free = net.messages()
    for _ in range(30):
        found = net.propagate(free, odds)
    np.testing.assert_allclose(found, brute_force(pairs, odds), atol=1e-6)


def test_messages_are_exact_where_items_have_several_partners(seed):
    """Each partner of items 0 to 3 after the first counts t times; the others have one at most."""
    rng = np.random.default_rng(seed)
    one, other = np.array([0, 0, 0, 1, 2, 2, 3]), np.array([4, 5, 6, 6, 6, 7, 7])
    odds, t = np.exp(rng.normal(scale=2.0, size=7)), 0.3
    net = _Net(Candidates(8, one, other, np.ones(7)))
    total, inside, n_more = 0.0, np.zeros(7), 0.0
    for chosen in range(1 << 7):
        which = [e for e in range(7) if chosen >> e & 1]
        if len(set(other[which])) == len(which):
            more = len(which) - len(set(one[which]))
            weight = float(np.prod(odds[which])) * t**more
            total, n_more = total + weight, n_more + more * weight
            inside[which] += weight
    free, further = net.messages(), np.where(np.arange(8) < 4, t, 1e-9)
    for _ in range(30):
        found = net.propagate(free, odds, further)
    np.testing.assert_allclose(found, inside / total, atol=1e-6)
    expected = max(n_more / total, 0.5)
    assert net.n_further(free, odds, further) == pytest.approx(expected, abs=1e-5)
    strict, free = net.messages(), net.messages()
    for _ in range(30):
        found = net.propagate(free, odds, np.full(8, 1e-9)), net.propagate(strict, odds)
    np.testing.assert_allclose(*found, atol=1e-6)


def test_copies_share_a_partner(seed):
    pairs, truth = with_copies(seed, n_copies=90)
    right = truth[pairs.one] == truth[pairs.other]
    strict, found = matched(pairs), matched(pairs, pairs.group == 0)
    assert np.mean((found > 0.5) == right) > np.mean((strict > 0.5) == right) + 0.01
    assert calibration_error(found, right) < 0.05
    assert np.bincount(pairs.other, weights=found).max() < 1.02


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_probabilities_are_calibrated(seed, share):
    pairs, right = two_sources(seed, matched=share, apart=3.0)
    found = matched(pairs)
    assert calibration_error(found, right) < 0.05
    assert abs(found.sum() - right.sum()) < 0.25 * right.sum() + 10
    assert np.mean((found > 0.5) == right) > 0.93


def test_further_candidates_show_what_wrong_pairs_score(seed):
    """A score that few right pairs reach is not enough if others of the same item score more."""
    pairs, right = two_sources(seed, matched=1.0, apart=2.0)
    found = matched(pairs)
    assert np.mean((found > 0.5) == right) > np.mean((pairs.score > 1.0) == right) + 0.05


def test_only_the_order_of_scores_counts(seed):
    pairs, _ = two_sources(seed)
    found = matched(pairs)
    for other in (np.exp(pairs.score), pairs.score**3, 1e-12 * pairs.score):
        np.testing.assert_allclose(matched(pairs._replace(score=other)), found, atol=1e-9)


def test_items_have_one_partner_at_most(seed):
    pairs, _ = two_sources(seed, apart=1.0)
    found = matched(pairs)
    for ends in (pairs.one, pairs.other):
        assert np.bincount(ends, weights=found).max() < 1.02


def test_a_curve_never_falls_and_knows_its_scores(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=500)
    curve = Curve(scores)
    shares = curve.shares(scores, right=1.0 / (1.0 + np.exp(-3.0 * scores)))
    assert (np.diff(shares) >= 0).all()
    assert shares[curve.bins(np.array([-9.0]))] < 0.1
    assert shares[curve.bins(np.array([9.0]))] > 0.9
    flat = Curve(np.ones(100))
    assert flat.shares(np.ones(100), np.full(100, 0.3)) == pytest.approx(0.3)
