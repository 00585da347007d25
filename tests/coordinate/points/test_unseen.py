"""Things that nothing separates: expected shares against sums over what there may be."""

import numpy as np
import pytest
from scipy.stats import poisson

from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.unseen import (
    BELIEVED,
    MEAN_SQUARE,
    Unseen,
    n_hidden,
    share_between,
)
from spherelax.coordinate.points.valleys import VALLEY, Between


def test_labels_of_single_items_hold_nothing_unseen():
    np.testing.assert_array_equal(Unseen().share(np.arange(5, dtype=np.int32)), 1.0)
    larger = share_between(np.repeat(np.int32([0, 1, 2]), [30, 10, 1]), [0.6])
    assert larger[0] < larger[-2] < larger[-1] == 1.0
    assert n_hidden([]) > n_hidden([2.0]) > n_hidden([4.0])


def test_hidden_valleys_are_drawn_by_the_law_of_poisson():
    labels = np.repeat(np.int32([0, 1]), [31, 11])
    hidden = n_hidden([0.6, 0.9]) * 3 * np.array([0.75, 0.25])
    n = np.arange(60)
    expected = [np.sum(poisson.pmf(n, mean) / (n + 1)) for mean in hidden]
    np.testing.assert_allclose(share_between(labels, [0.6, 0.9])[[0, -1]], expected)


def test_hidden_valleys_follow_the_law_of_rayleigh():
    rng = np.random.default_rng(0)
    depths = rng.rayleigh(0.5, 200_000)
    seen = depths[depths > VALLEY]
    assert n_hidden(seen) == pytest.approx(len(depths) / len(seen) - 1.0, rel=0.02)
    assert n_hidden([]) == pytest.approx(np.expm1(VALLEY**2 / MEAN_SQUARE))
    mean = (0.84 + BELIEVED * MEAN_SQUARE) / (BELIEVED + 1)
    assert n_hidden([1.0]) == pytest.approx(np.expm1(VALLEY**2 / mean))


def test_deeper_valleys_are_likelier_borders():
    """And labels that were not measured count as those that they are made of."""
    labels = np.repeat(np.int32([0, 1, 2]), 20)
    depth = np.array([0.0, 2 * VALLEY])
    between = Between(np.array([0, 1]), np.array([1, 2]), depth, [2 * VALLEY])
    unseen = Unseen(lambda: between, labels)
    deep = 1.0 / (1.0 + np.exp(2.0))
    expected = [[1.0, 0.5, 0.0], [0.5, 1.0, deep], [0.0, deep, 1.0]]
    np.testing.assert_allclose(unseen.same(labels).toarray(), expected)
    fine = 2 * labels + np.arange(60, dtype=np.int32) % 2
    found = unseen.same(fine).toarray()
    np.testing.assert_allclose(found[::2, ::2], expected)
    np.testing.assert_allclose(found[::2, 1::2].diagonal(), 0.5)
    np.testing.assert_allclose(
        unseen.same(np.minimum(labels, 1)).toarray(), np.array(expected)[:2, :2]
    )
    np.testing.assert_array_equal(unseen.elsewhere().same(labels).toarray(), np.eye(3))


def test_softer_labels_hide_more_but_not_more_than_a_gaussian():
    labels, shares = np.zeros(800, dtype=np.int32), []
    for spread in (0.0, 0.3, 0.5, 0.6, 2.0, 500.0):
        soft = Softness(np.tile([-spread, spread], 400), 2.0)
        np.testing.assert_allclose(soft.of_labels(labels), 2.0 * spread)
        shares.append(Unseen(softness=soft).share(labels)[0])
    assert shares[0] > 0.95
    assert np.all(np.diff(shares[:3]) < 0)
    np.testing.assert_allclose(shares[2:], -np.expm1(-n_hidden([])) / n_hidden([]))


def test_the_softness_of_a_label_is_its_own():
    labels = np.repeat(np.int32([0, 1]), [40, 60])
    soft = Softness(np.r_[np.zeros(40), np.tile([4.0, 5.0], 30)], 2.0)
    np.testing.assert_allclose(soft.of_labels(labels), [0.0, 1.0])
    without = share_between(labels, [0.6])
    found = share_between(labels, [0.6], soft)
    assert found[0] > without[0]
    np.testing.assert_allclose(found[40:], without[40:])
