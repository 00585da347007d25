"""Labels of items: numbered from 0 in order of first appearance, separated, made from names."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import twins

import spherelax as sl
from spherelax.labels import count_labels, encode, listed, renumber, separate, separate_groups

LABELS = st.lists(st.integers(0, 9), min_size=1, max_size=20).map(np.array)
MARKED = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=20)
GROUPED = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=20)
NAMES = st.lists(st.integers(-4, 4), min_size=1, max_size=20)


def in_order(labels):
    """Tell whether labels are numbered from 0 in order of first appearance."""
    return list(dict.fromkeys(labels.tolist())) == list(range(len(set(labels.tolist()))))


@given(LABELS)
def test_renumber(labels):
    fresh = renumber(labels)
    assert fresh.dtype == np.int32
    np.testing.assert_array_equal(fresh[:, None] == fresh, labels[:, None] == labels)
    assert in_order(fresh)
    assert count_labels(fresh) == len(set(labels.tolist()))
    np.testing.assert_array_equal(renumber(fresh), fresh)


@given(LABELS)
def test_labels_that_put_the_same_items_together_are_equal(labels):
    np.testing.assert_array_equal(renumber(9 - labels), renumber(labels))
    np.testing.assert_array_equal(renumber(1000 * labels + 7), renumber(labels))


def test_renumber_leaves_its_input_alone():
    labels = np.array([3, 0, 3])
    labels.flags.writeable = False
    np.testing.assert_array_equal(renumber(labels), [0, 1, 0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64])
def test_integers_of_any_size_are_labels(dtype):
    labels = np.array([2, 0, 2, 1], dtype=dtype)
    np.testing.assert_array_equal(renumber(labels), [0, 1, 0, 2])
    assert count_labels(labels) == 3


def test_separate():
    labels = np.array([0, 0, 1, 1, 0], dtype=np.int32)
    alone = np.array([True, False, True, True, False])
    np.testing.assert_array_equal(separate(labels, alone), [0, 1, 2, 3, 1])
    np.testing.assert_array_equal(separate(labels, np.zeros(5, dtype=bool)), labels)


@given(MARKED)
def test_only_marked_items_get_labels_of_their_own(marked):
    labels, alone = (np.array(part) for part in zip(*marked, strict=True))
    found = separate(labels, alone)
    assert found.dtype == np.int32
    assert in_order(found)
    both = ~alone[:, None] & ~alone & (labels[:, None] == labels)
    np.testing.assert_array_equal(found[:, None] == found, both | np.eye(len(labels), dtype=bool))


@given(GROUPED)
def test_groups_are_separated_by_new_labels(grouped):
    labels, groups = (np.array(part) for part in zip(*grouped, strict=True))
    found = separate_groups(labels, groups)
    assert in_order(found)
    assert not twins.clash(found, groups)
    cells = list(zip(labels.tolist(), groups.tolist(), strict=True))
    later = np.array([cell in cells[:item] for item, cell in enumerate(cells)])
    np.testing.assert_array_equal(found, separate(labels, later))


def test_groups_that_do_not_clash_stay_as_they_are(seed):
    groups, labels = np.divmod(np.random.default_rng(seed).permutation(60), 10)
    np.testing.assert_array_equal(separate_groups(labels, groups), renumber(labels))


@given(NAMES)
def test_names_are_encoded_in_order_whatever_holds_them(names):
    found = encode(names, "groups")
    assert in_order(found)
    array = np.array(names)
    np.testing.assert_array_equal(found[:, None] == found, array[:, None] == array)
    for other in (
        tuple(names),
        iter(names),
        array,
        array.astype("U"),
        array.astype("S"),
        array.astype(float),
        array.astype(object),
        pd.Series(names),
        [("name", name) for name in names],
    ):
        np.testing.assert_array_equal(encode(other, "groups"), found)


def test_names_that_cannot_be_encoded():
    with pytest.raises(sl.InvalidInputError) as caught:
        encode(["a", ["b"]], "truth")
    assert str(caught.value) == "truth must hold one hashable label per item; found ['b'] at 1"


@pytest.mark.parametrize("names", ["abc", 5, None, np.array(3)])
def test_what_is_no_sequence_of_names(names):
    with pytest.raises(sl.InvalidInputError, match=r"^groups must be a sequence of labels; found"):
        listed(names, "groups")


def test_names_are_listed_as_plain_objects():
    assert listed(np.array([1, 2]), "groups") == [1, 2]
    assert all(type(name) is int for name in listed(np.array([1, 2]), "groups"))
    assert listed((name for name in "ab"), "groups") == ["a", "b"]
    assert listed([None, ("x", 1)], "groups") == [None, ("x", 1)]


@pytest.mark.parametrize("dtype", [int, "U1", bool])
def test_no_names_have_no_codes(dtype):
    assert encode(np.array([], dtype=dtype), "labels").shape == (0,)
    with pytest.raises(sl.InvalidInputError, match="must hold at least one label; found none"):
        sl.metrics.pairwise_scores(np.array([], dtype=dtype), np.array([], dtype=dtype))
    with pytest.raises(sl.InvalidInputError, match="one label per item, 3; found 0"):
        sl.solve(np.ones((3, 3)), groups=np.array([], dtype=dtype))
