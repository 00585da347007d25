"""Things that nothing separates: expected shares against sums over what there may be."""

import numpy as np
import pytest
from scipy.stats import poisson

from spherelax.coordinate.points.lineage import Lineage
from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.unseen import (
    BELIEVED,
    MEAN_SQUARE,
    Unseen,
    chance_of_border,
    n_hidden,
    share_between,
    share_of_cloud,
)
from spherelax.coordinate.points.valleys import VALLEY, Tree


def test_labels_of_single_items_hold_nothing_unseen():
    np.testing.assert_array_equal(Unseen().share(np.arange(5, dtype=np.int32)), 1.0)
    larger = share_between(np.repeat(np.int32([0, 1]), [30, 10]), [0.6])
    assert larger[0] < larger[-1]
    assert n_hidden([]) > n_hidden([2.0]) > n_hidden([4.0])


def test_share_of_a_cloud_is_the_mean_over_numbers_of_things():
    labels = np.repeat(np.int32([0, 1, 2]), [70, 29, 1])
    numbers = np.exp(np.linspace(0.0, np.log(100), 100_001))
    found = share_of_cloud(labels)
    for item, n in ((0, 70), (70, 29)):
        shares = np.minimum(100 / (numbers * n), 1.0)
        # Of a single thing, an item has no other: what is left of it at k = m counts as none.
        assert found[item] == pytest.approx(shares.mean(), abs=0.01)
    assert found[99] == 1.0
    np.testing.assert_allclose(share_of_cloud(np.zeros(2, dtype=np.int32)), 0.5 / np.log(2))


def test_hidden_valleys_are_drawn_by_the_law_of_poisson():
    labels = np.repeat(np.int32([0, 1]), [30, 10])
    hidden = n_hidden([0.6, 0.9]) * 3 * np.array([0.9, 0.1])
    n = np.arange(60)
    expected = [np.sum(poisson.pmf(n, mean) / (n + 1)) for mean in hidden]
    np.testing.assert_allclose(share_between(labels, [0.6, 0.9])[[0, -1]], expected)


def test_hidden_valleys_follow_the_law_of_rayleigh():
    rng = np.random.default_rng(0)
    depths = rng.rayleigh(0.5, 200_000)
    seen = depths[depths > VALLEY]
    assert n_hidden(seen) == pytest.approx(len(depths) / len(seen) - 1.0, rel=0.02)
    assert n_hidden([]) == pytest.approx(np.expm1(VALLEY**2 / MEAN_SQUARE))
    mean = (0.84 + BELIEVED * MEAN_SQUARE) / (BELIEVED + 2)
    assert n_hidden([1.0, -3.0]) == pytest.approx(np.expm1(VALLEY**2 / mean))


def test_deeper_valleys_are_likelier_borders():
    chances = [chance_of_border(depth, 0.5) for depth in (-np.inf, -0.2, 0.0, 0.3, 2.0)]
    assert chances[:2] == [0.0, 0.0]
    assert np.all(np.diff(chances[1:]) > 0)
    assert chance_of_border(0.3, 0.1) < chance_of_border(0.3, 0.5)
    assert chance_of_border(VALLEY / 2, 1.0) == pytest.approx(1.0 - np.exp(-1.0))


def tree_of(inside, between):
    """Two labels of two parts each, with valleys of some depths."""
    lineage = Lineage(np.arange(4, dtype=np.int32))
    lineage.merge(lineage.merge(0, 1, inside), lineage.merge(2, 3, -1.0), between)
    return Tree(lineage, 2)


def test_deep_valleys_inside_labels_count_as_seen():
    assert tree_of(0.3, 0.5).depths == [0.5]
    assert tree_of(0.6, 0.5).depths == [0.5, 0.6]


def test_both_sides_of_a_valley_inside_a_label_are_doubted():
    tree, cells = tree_of(0.3, 0.9), np.repeat(np.arange(4), [241, 160, 200, 201])
    labels = np.repeat(np.int32([0, 1]), 401)
    unseen = Unseen(lambda: tree, cells)
    found, before = unseen.share(labels), unseen.elsewhere().share(labels)
    np.testing.assert_allclose(before, share_between(labels, [0.9]))
    chance = chance_of_border(0.3, n_hidden([0.9]))
    expected = 1.0 - chance * np.repeat([0.4, 0.6025, 0.0], [241, 160, 401])
    np.testing.assert_allclose(found / before, expected)


def one_label(n):
    """One label, and a tree without a valley that counts."""
    lineage = Lineage(np.arange(2, dtype=np.int32))
    lineage.merge(0, 1, -1.0)
    return np.zeros(n, dtype=np.int32), lambda: Tree(lineage, 1), np.arange(n) % 2


def test_without_a_valley_nothing_shows_any_scale():
    labels, tree, cells = one_label(10)
    found = Unseen(tree, cells).share(labels)
    np.testing.assert_array_equal(found, share_of_cloud(labels))
    np.testing.assert_array_equal(found, Unseen().share(labels))


def test_soft_labels_hide_more_than_sharp_ones_but_not_more_than_a_cloud():
    labels, tree, cells = one_label(800)
    shares = []
    for spread in (0.0, 0.3, 0.5, 0.6, 2.0, 500.0):
        soft = Softness(np.tile([-spread, spread], 400), 2.0)
        np.testing.assert_allclose(soft.of_labels(labels), 2.0 * spread)
        shares.append(Unseen(tree, cells, soft).share(labels)[0])
    assert shares[0] > 0.95
    assert np.all(np.diff(shares[:4]) < 0)
    hidden = n_hidden([])
    assert shares[2] == pytest.approx(-np.expm1(-hidden) / hidden)
    np.testing.assert_allclose(shares[4:], share_of_cloud(labels)[0])


def test_the_softness_of_a_label_is_its_own():
    labels = np.repeat(np.int32([0, 1]), [40, 60])
    soft = Softness(np.r_[np.zeros(40), np.tile([4.0, 5.0], 30)], 2.0)
    np.testing.assert_allclose(soft.of_labels(labels), [0.0, 1.0])
    without = share_between(labels, [0.6])
    found = share_between(labels, [0.6], soft)
    assert found[0] > without[0]
    np.testing.assert_allclose(found[40:], without[40:])
