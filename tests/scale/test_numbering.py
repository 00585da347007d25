"""Items and pairs are numbered in a database."""

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from spherelax import InvalidInputError  # noqa: E402 (it needs both)
from spherelax.scale.numbering import Request, double, number  # noqa: E402
from spherelax.scale.origins import Origin  # noqa: E402
from spherelax.scale.workspace import workspace  # noqa: E402


def request(pairs, **others):
    given = {"records": None, "columns": None, "duplicate_free": None, "kind": None, "floor": None}
    return Request(Origin.of(pairs), *(given | others).values())


def test_pairs_are_those_of_sorted_keys_each_once_with_its_largest_score(tmp_path):
    pairs = pa.table(
        {"id_a": ["d", "a", "b", "c"], "id_b": ["b", "b", "d", "c"], "score": [0.2, 0.5, 0.9, 1.0]}
    )
    with workspace(tmp_path, "1GB", lambda *_: None) as work:
        found = number(work, request(pairs), tmp_path)
        assert work.rows("SELECT id FROM items ORDER BY rowid") == [("a",), ("b",), ("c",), ("d",)]
        assert sorted(work.rows("FROM pairs")) == [(0, 1, 0.5), (1, 3, 0.9)]
    assert (found.key, found.n_items, found.scoring.column) == (("id",), 4, "score")


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"kind": "cosine"}, "kind must be one of"),
        ({"floor": float("nan")}, "floor must be a finite number"),
    ],
)
def test_bad_requests(others, message):
    with pytest.raises(InvalidInputError, match=message):
        request(pa.table({"id_a": ["x"]}), **others)


def test_numbers_in_sql_keep_their_last_bit(tmp_path):
    with workspace(tmp_path, "1GB", lambda *_: None) as work:
        for value in (0.1, 1 / 3, -1e-300, 2.0**60):
            assert work.value(f"SELECT {double(value)}") == value
