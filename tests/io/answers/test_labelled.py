"""Answers are read back from every form that they are written in."""

import pandas as pd
import pytest

import spherelax as sl
from spherelax import io
from spherelax.io.answers.labelled import Labelled, order_of

COLUMNS = {"source": ["shop", "bank"], "id": [7, 7], "entity": [3, 3]}


def test_every_form(tmp_path):
    expected = [("shop", 7), ("bank", 7)]
    assert Labelled.of(COLUMNS).names == Labelled.of(pd.DataFrame(COLUMNS)).names == expected
    for ending in ("csv", "parquet"):
        path = tmp_path / f"answer.{ending}"
        io.write_columns(path, COLUMNS)
        found = Labelled.of(path)
        assert found.is_text == (ending == "csv")
        assert found.places_of(Labelled.of(COLUMNS)).tolist() == [0, 1]


def test_saved_results(tmp_path):
    result = sl.solve([[0, 2, 1], [2, 0, 0], [1, 0, 0]], pick=9.0)
    io.save_result(tmp_path / "r.npz", result)
    assert Labelled.of(tmp_path / "r.npz").names == range(3)
    assert Labelled.of(result).labels == [0, 1, 2]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": [1, 1], "entity": [0, 0]}, "items must be listed once; found 1 again"),
        ({"id": [1, None], "entity": [0, 0]}, "id must not be empty"),
        ({"id": [1], "entity": [None]}, "entity must not be empty"),
        ({"id": [1]}, "must have one of the columns entity, label, track"),
        ({"entity": [1]}, "items must be named by the columns source, id;"),
    ],
)
def test_bad_tables(columns, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        Labelled.of(columns)


def test_answers_must_name_items_alike():
    with pytest.raises(sl.InvalidInputError, match="found source, id and item"):
        Labelled.of(COLUMNS).places_of(Labelled.of([0]))
    with pytest.raises(sl.InvalidInputError, match="at least one label"):
        Labelled.of([])


def test_order_of_names():
    assert order_of(range(3)).tolist() == [0, 1, 2]
    assert order_of([10, 9]).tolist() == [1, 0]
