"""Shares of labels across valleys, against a sum over all pairs."""

import numpy as np

from spherelax.coordinate.points.lineage import Lineage


def test_shares_across_valleys_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    cells, labels = rng.integers(0, 9, 40), rng.integers(0, 3, 40).astype(np.int32)
    lineage = Lineage(rng.permutation(np.arange(9, dtype=np.int32) % 6))
    chances, sets, same = rng.random(5), [{part} for part in range(6)], np.ones((6, 6))
    while len(lineage.merges) < 5:
        left = [i for i, members in enumerate(sets) if members]
        one, other = rng.choice(left, 2, replace=False)
        pairs = np.ix_(list(sets[one]), list(sets[other]))
        same[pairs] = same.T[pairs] = 1.0 - chances[len(lineage.merges)]
        assert lineage.merge(one, other, 0.0) == len(sets)
        sets.append(sets[one] | sets[other])
        sets[one], sets[other] = set(), set()
    part = lineage.parts[cells]
    mates = (labels[:, None] == labels) & ~np.eye(40, dtype=bool)
    expected = (mates * same[np.ix_(part, part)]).sum(axis=1) / mates.sum(axis=1)
    np.testing.assert_allclose(lineage.share(labels, chances, cells), expected)


def test_sets_are_merged_two_by_two():
    lineage = Lineage(np.arange(5, dtype=np.int32))
    assert lineage.merge_all([0, 1, 2, 3, 4], 0.7) == 8
    assert lineage.merges == [(0, 1, 0.7), (2, 3, 0.7), (4, 5, 0.7), (6, 7, 0.7)]
    assert lineage.merge_all([3], 0.7) == 3
    assert len(lineage.merges) == 4


def test_an_item_that_is_alone_is_on_no_other_side():
    lineage = Lineage(np.arange(3, dtype=np.int32))
    lineage.merge(0, 1, 2.0)
    np.testing.assert_array_equal(lineage.share(np.array([0, 1, 2]), [1.0]), 1.0)


def test_two_items_across_a_border_share_nothing():
    lineage = Lineage(np.arange(2, dtype=np.int32))
    lineage.merge(0, 1, 2.0)
    np.testing.assert_array_equal(lineage.share(np.zeros(2, dtype=np.int32), [1.0]), 0.0)
