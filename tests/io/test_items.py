"""Items with the user's names, and labels by these names."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.io.items import Items

W = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
NAMES = ["f", "e", "d", "c", "b", "a"]


def test_answers_are_columns_in_the_order_of_the_items():
    items = Items(W, NAMES, ["x", "y", "z"] * 2)
    result = sl.solve(items.problem)
    columns = items.answer(result)
    assert list(columns) == ["item", "group", "label", "confidence"]
    assert columns["item"] == NAMES
    assert columns["label"] == result.labels.tolist()
    assert items.entities(result)["size"] == [3, 3]
    pairs = items.pairs(result)
    found = set(zip(pairs["item_a"], pairs["item_b"], strict=True))
    assert found == {("f", "e"), ("f", "d"), ("e", "d"), ("c", "b"), ("c", "a"), ("b", "a")}


def test_a_result_of_other_items_is_refused():
    with pytest.raises(sl.InvalidInputError, match="6"):
        Items(W, NAMES).answer(sl.solve(np.kron(np.eye(2), np.ones((2, 2))), pick=1.0))


def test_groups_are_changed_without_another_check(monkeypatch):
    items = Items(W, NAMES, ["x", "y", "z"] * 2)
    problem = items.problem
    monkeypatch.setattr("spherelax.problem._check_square", lambda _: pytest.fail("checked again"))
    assert items.with_groups(None).problem.groups is None
    assert items.with_groups(["x"] * 6).problem.similarity is problem.similarity
    assert items.names == NAMES
