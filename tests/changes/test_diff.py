"""Laws of a comparison, and what it says of small cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spherelax as sl

some = settings(max_examples=60, deadline=None, derandomize=True)
labels = st.lists(st.integers(0, 5), min_size=1, max_size=25)


def answer(names, found):
    return {"id": list(names), "entity": list(found)}


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ([0, 0, 1], [5, 5, 2], ["kept", "kept"]),
        ([0, 0], [0, 0, 0], ["grown", "grown"]),
        ([0, 0, 0], [0, 0], ["shrunk", "shrunk"]),
        ([0, 0, 1], [0, 0, 0], ["merged", "merged"]),
        ([0, 0], [0, 1], ["split", "split"]),
        ([0, 0, 1, 1], [0, 1, 1, 0], ["moved"] * 4),
        ([0], [0, 1], ["kept", "new"]),
        ([0, 1], [0], ["kept", "gone"]),
    ],
)
def test_kinds(before, after, kinds):
    assert sl.diff(before, after).columns()["kind"] == kinds


def test_an_entity_may_be_renewed():
    found = sl.diff(answer("ab", [0, 0]), answer("bc", [0, 0])).columns()
    assert set(found["kind"]) == {"renewed"}
    assert list(zip(found["before"], found["after"], strict=True)) == [(None, 0), (0, None), (0, 0)]


@some
@given(labels)
def test_nothing_has_changed_from_an_answer_to_itself(found):
    assert set(sl.diff(found, found).columns()["kind"]) == {"kept"}


@some
@given(labels, labels, st.integers(0, 2**32 - 1))
def test_order_and_numbers_do_not_matter(one, two, seed):
    rng = np.random.default_rng(seed)
    first, second = answer(range(len(one)), one), answer(range(3, 3 + len(two)), two)
    found = sl.diff(first, second)
    order = rng.permutation(len(two))
    shuffled = answer([second["id"][at] for at in order], [two[at] for at in order])
    assert sl.diff(first, shuffled).columns() == found.columns()
    renamed = sl.diff(first, answer(second["id"], [f"x{label}" for label in two])).columns()
    for column in ("change", "kind", "before", "items"):
        assert renamed[column] == found.columns()[column]


@some
@given(labels, labels)
def test_every_item_is_counted_once(one, two):
    columns = sl.diff(answer(range(len(one)), one), answer(range(5, 5 + len(two)), two)).columns()
    rows = list(zip(*columns.values(), strict=True))
    for label in set(one):
        assert sum(n for _, _, before, _, n in rows if before == label) == one.count(label)
    for label in set(two):
        assert sum(n for _, _, _, after, n in rows if after == label) == two.count(label)
    n_all = len({*range(len(one)), *range(5, 5 + len(two))})
    assert sum(columns["items"]) == n_all
    counts = sl.diff(one, two).counts().values()
    assert sum(count.items for count in counts) == max(len(one), len(two))


def test_frames():
    assert sl.diff([0, 1], [0, 0]).to_frame()["items"].tolist() == [1, 1]
