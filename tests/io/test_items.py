"""Items with the user's names, and labels by these names."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.io.items import Items, likeliest_values

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


def test_entities_show_a_representative_and_the_likeliest_values():
    odds = np.zeros((5, 5))
    odds[0, 1], odds[1, 2], odds[3, 4] = 3.0, 5.0, -4.0
    records = sl.io.Records(
        odds + odds.T,
        [7, 8, 9, 7, 8],
        sources=["x", "x", "x", "y", "y"],
        kind="odds",
        details={
            "name": ["Ann", "Anne", "Ann", None, "Bo"],
            "town": [None, "Ulm", "Bonn", None, ["a", "list"]],
            "size": [1, 2, 2, 3, 4],
        },
    )
    result = sl.solve(records.problem)
    found = records.entities(result)
    assert result.labels.tolist() == [0, 0, 0, 1, 2]
    assert found["representative_source"] == ["x", "y", "y"]
    assert found["representative_id"] == [8, 7, 8]
    assert found["name"] == ["Ann", None, "Bo"]
    assert found["town"] == ["Ulm", None, ["a", "list"]]  # one each: that of the surer record
    assert (found["size"], found["size_value"]) == ([3, 1, 1], [2, 3, 4])


def test_a_value_of_two_may_outweigh_the_surest_item():
    odds = np.zeros((4, 4))
    odds[0, 1], odds[1, 2], odds[2, 3] = 2.0, 4.0, 2.0
    result = sl.solve(odds + odds.T, kind="odds")
    sure = result.confidence
    values = ["a", "b", "c", "a"]
    behind = {"a": sure[0] + sure[3], "b": sure[1], "c": sure[2]}
    assert likeliest_values(values, result) == [max(behind, key=behind.get)] == ["a"]
