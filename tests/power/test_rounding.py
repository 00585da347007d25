"""From relaxed rows to labels."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spherelax.power import rounding as module
from spherelax.power import sphere
from spherelax.power.rounding import QUANTUM, round_groups, round_rows, rounding


@st.composite
def grouped_rows(draw):
    """Rows on the sphere, some of them with zeros and ties, in up to four groups."""
    m, k = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    entries = draw(st.lists(st.integers(0, 3), min_size=m * k, max_size=m * k))
    groups = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    return sphere.project(np.array(entries, dtype=float).reshape(m, k)), np.array(groups)


def value_of(block):
    """Total entry of the columns that the rows of one group get.

    A first group with one row per basis vector makes the columns visible as its labels.
    """
    n, k = block.shape
    labels = round_groups(np.vstack([np.eye(k), block]), np.repeat([0, 1], [k, n]))
    named = labels[k:, None] == labels[:k]
    return np.sum(block[named])


def best_value(block):
    """Brute-force the partial assignment of the rows of one group."""
    n, k = block.shape
    padded = np.hstack([block, np.zeros((n, n))])
    return max(
        sum(padded[i, c] for i, c in enumerate(columns))
        for columns in permutations(range(k + n), n)
    )


@given(grouped_rows())
def test_one_per_group_and_optimal(case):
    U, groups = case
    labels = round_groups(U, groups)
    for group in np.unique(groups):
        mine = labels[groups == group]
        assert len(set(mine)) == len(mine)
        block = U[groups == group]
        if block.shape[0] <= 3 and block.shape[1] <= 4:
            assert value_of(block) == pytest.approx(best_value(block), abs=1e-8)


@given(grouped_rows())
def test_rows_go_to_their_largest_entry(case):
    U, _ = case
    labels = round_rows(U)
    for i, row in enumerate(U):
        for j, other in enumerate(U):
            same = np.argmax(row > row.max() - 1e-9) == np.argmax(other > other.max() - 1e-9)
            assert (labels[i] == labels[j]) == same


def test_groups_of_one_are_rows(seed):
    U = sphere.project(np.random.default_rng(seed).normal(size=(40, 7)))
    np.testing.assert_array_equal(round_groups(U, np.arange(40)), round_rows(U))


def test_ties_up_to_rounding_do_not_split(seed):
    rng = np.random.default_rng(seed)
    U = np.full((50, 4), 0.5) + rng.uniform(-1e-15, 1e-15, size=(50, 4))
    assert round_rows(U).max() == 0
    assert round_groups(U, np.arange(50)).max() == 0
    U[:, 2] += 10 * QUANTUM
    U[25:, 3] += 20 * QUANTUM
    np.testing.assert_array_equal(round_rows(U), np.repeat([0, 1], 25))


def test_blocks_do_not_matter(seed, monkeypatch):
    U = sphere.project(np.random.default_rng(seed).normal(size=(40, 7)))
    expected = round_rows(U)
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 10)
    np.testing.assert_array_equal(round_rows(U), expected)


def test_rows_without_a_free_column_stay_alone():
    U = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(round_groups(U, np.array([0, 0, 1, 1])), [0, 1, 0, 2])


def test_group_larger_than_the_columns():
    labels = round_groups(np.ones((3, 1)), np.zeros(3, dtype=np.intp))
    assert sorted(labels) == [0, 1, 2]


def test_choice_of_rounding():
    assert rounding(None) is round_rows
    U = np.eye(2)[[0, 0]]
    np.testing.assert_array_equal(rounding(np.array([0, 0]))(U), [0, 1])


def test_an_empty_column_is_no_match():
    U = sphere.project(np.array([[1.0, 0, 0], [1, 0, 0], [0, 3, 4], [0, 1, 0]]))
    labels = round_groups(U, np.array([0, 0, 0, 1]))
    np.testing.assert_array_equal(labels, [0, 1, 2, 3])
