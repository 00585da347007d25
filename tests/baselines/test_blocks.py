"""Assignments of groups and of blocks against all that there are."""

from itertools import permutations

import numpy as np

from spherelax.baselines.blocks import label_groups, match_blocks, members


def test_members_are_the_items_of_each_group_in_order(seed):
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(4), 3)).astype(np.int32)
    found = [items.tolist() for items in members(groups)]
    assert found == [np.flatnonzero(groups == group).tolist() for group in range(4)]


def test_columns_of_a_group_have_the_largest_sum(seed):
    scores = np.random.default_rng(seed).normal(size=(6, 4))
    labels = label_groups(scores, np.array([0, 0, 0, 1, 1, 1], dtype=np.int32))
    columns = [
        max(permutations(range(4), 3), key=lambda chosen: rows[range(3), chosen].sum())
        for rows in (scores[:3], scores[3:])
    ]
    same = np.equal.outer(columns[0], columns[1])
    np.testing.assert_array_equal(np.equal.outer(labels[:3], labels[3:]), same)
    assert len(set(labels[:3])) == len(set(labels[3:])) == 3


def test_blocks_are_matched_over_the_threshold_only(seed):
    scores = np.random.default_rng(seed).random((5, 5))
    groups = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    gains = {
        tuple(zip((0, 1), chosen, strict=True)): sum(
            max(scores[i, j] - 0.5, 0) for i, j in zip((0, 1), chosen, strict=True)
        )
        for chosen in permutations((2, 3, 4), 2)
    }
    best = [pair for pair in max(gains, key=gains.get) if scores[pair] > 0.5]
    assert match_blocks(scores, groups, 0.5).tolist() == [list(pair) for pair in best]
    assert match_blocks(scores, groups, 2.0).shape == (0, 2)
