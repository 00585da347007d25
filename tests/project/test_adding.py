"""Tables of the user become those of a project."""

import duckdb
import pytest
from support.weeks import COLUMNS, table

import spherelax as sl
from spherelax.project.adding import Scored, insert


def test_nulls_are_values():
    with duckdb.connect() as db:
        db.execute("CREATE TABLE items (source VARCHAR, id VARCHAR)")
        insert(db, "INSERT INTO items FROM given", {"source": [None], "id": ["7"]})
        assert db.execute("FROM items").fetchall() == [(None, "7")]


def test_keys_are_text_and_the_column_is_known():
    scored = Scored(table(("north", 1, "south", 2, 0.5)), None, None)
    assert scored.pairs == [(("north", "1"), ("south", "2"))]
    assert (scored.column, scored.has_sources) == ("score", True)
    short = table(("north", 1, "south", 2, 0.5))[["id_a", "id_b", "score"]]
    assert Scored(short, None, None).pairs == [((None, "1"), (None, "2"))]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("north", 1, "south", 2, -1), "row 0 .*score must be a finite number, not negative"),
        (("north", None, "south", 2, 1), "row 0 .*id_a must not be empty"),
    ],
)
def test_bad_rows_are_named(path, row, message):
    with pytest.raises(sl.InvalidInputError, match=message), sl.Project(path) as project:
        project.add_pairs(table(row), columns=COLUMNS)
