"""Where tables come from."""

from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

from spherelax import InvalidInputError  # noqa: E402 (it needs both)
from spherelax.scale.origins import Origin, each, name, scan, text  # noqa: E402
from spherelax.scale.workspace import workspace  # noqa: E402

ROWS = pa.table({"id": ["it's", "x"], "other": [1, 2]})


def chosen(_):
    return ["id"]


def rows_of(origin, folder):
    """Read the chosen column of all parts."""
    with workspace(folder / "work", "1GB", lambda *_: None) as work:
        parts = origin.parts(work, folder / "spool.parquet", chosen)
        return [row for part in parts for row in work.rows(f"SELECT id FROM {scan([part])}")]


@pytest.mark.parametrize("kind", ["files", "database", "relation", "arrow"])
def test_every_origin_gives_the_same_rows(tmp_path, kind):
    pq.write_table(ROWS, tmp_path / "[a].parquet")
    given, table = tmp_path / "[a].parquet", None
    if kind == "database":
        given, table = tmp_path / "given.duckdb", "t"
        with duckdb.connect(str(given)) as db:
            db.register("given", ROWS)
            db.execute("CREATE TABLE t AS FROM given")
    elif kind == "relation":
        given = duckdb.from_arrow(ROWS)
    elif kind == "arrow":
        given = ROWS
    assert rows_of(Origin.of(given, table), tmp_path) == [("it's",), ("x",)]


def test_files_are_sorted_and_found_once(tmp_path):
    for letter in "ba":
        (tmp_path / f"{letter}.csv").touch()
    found = Origin.of([str(tmp_path / "*.csv"), tmp_path / "a.csv"])
    assert [file.name for file in found.files] == ["a.csv", "b.csv"]


def test_names_and_texts_in_sql(tmp_path):
    with workspace(tmp_path, "1GB", lambda *_: None) as work:
        odd = "a \"b\" 'c'; DROP"
        assert work.rows(f"SELECT {name(odd)} FROM (SELECT {text(odd)} AS {name(odd)})") == [(odd,)]


def test_all_are_tried_before_the_first_fault_is_raised():
    done = []

    def work(path):
        done.append(path)
        if path.suffix == ".bad":
            raise InvalidInputError(f"{path}: damaged")

    files = [Path("1.bad"), Path("2.csv"), Path("3.bad")]
    with pytest.raises(InvalidInputError, match=r"^1.bad: damaged; 3.bad failed too$"):
        each(files, str, work)
    assert done == files
