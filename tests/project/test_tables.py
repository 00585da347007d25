"""The tables of a project say what they hold, and a file of anything else is refused."""

import sqlite3
from pathlib import Path

import duckdb
import pytest

import spherelax as sl
from spherelax.project.tables import FORMAT, TABLES, fault


@pytest.fixture
def made(path, june):
    with sl.Project(path) as project:
        project.add_pairs(june)
        project.solve()
    return path


def refuse(path, message):
    """Check that a project is refused, and stays what it is."""
    before = path.read_bytes()
    with pytest.raises(sl.InvalidInputError) as caught, sl.Project(path) as project:
        project.solve()
    assert str(caught.value) == f"{path}: {message}"
    assert path.read_bytes() == before


def test_tables_have_comments(made):
    with duckdb.connect(str(made), read_only=True) as db:
        tables = dict(db.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall())
        rows = db.execute(
            "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() "
            "WHERE NOT internal AND table_name <> 'answer' ORDER BY column_index"
        ).fetchall()
    assert tables == {name: table.meaning for name, table in TABLES.items()}
    for name, table in TABLES.items():
        found = {column: (kind, said) for where, column, kind, said in rows if where == name}
        assert found == table.columns


def test_the_page_has_all_tables():
    page = Path(__file__).parents[2].joinpath("docs", "project.md").read_text(encoding="utf-8")
    for name, (meaning, columns) in TABLES.items():
        section = page.partition(f"### `{name}`: {meaning}\n")[2].partition("\n\n##")[0]
        rows = [f"| `{column}` | {kind} | {said} |" for column, (kind, said) in columns.items()]
        assert section.split("|---|---|---|\n")[1].splitlines() == rows


def test_a_newer_project_is_refused(made):
    with duckdb.connect(str(made)) as db:
        db.execute(f"UPDATE project SET format = {FORMAT + 1}, version = '9.9'")
    refuse(made, "was made by spherelax 9.9, which is newer; install that version")


@pytest.mark.parametrize("place", [100, 4100, 8200, 20_000])
def test_damage_is_told(made, place):
    content = bytearray(made.read_bytes())
    content[place] ^= 4
    made.write_bytes(content)
    refuse(made, "was damaged after it was written; take a copy of it from before")


def test_a_file_that_was_cut_is_told(made):
    made.write_bytes(made.read_bytes()[: made.stat().st_size // 2])
    refuse(made, "was damaged after it was written; take a copy of it from before")


@pytest.mark.parametrize("content", [b"", b"id_a,id_b,score\n1,2,3\n"])
def test_files_of_something_else_are_refused(path, content):
    path.write_bytes(content)
    refuse(path, "must be a project; found a file of something else")


def test_databases_of_something_else_are_refused(path):
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE people AS SELECT 1 AS id")
    refuse(path, "must be a project; found a database of something else")


def test_an_empty_database_becomes_a_project(path, june):
    duckdb.connect(str(path)).close()
    with sl.Project(path) as project:
        project.add_pairs(june)
        assert project.solve().number == 1


def test_a_database_of_sqlite_is_refused(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE people (id)")
    db.close()
    with pytest.raises(sl.InvalidInputError, match=r"people.duckdb: "), sl.Project(path):
        pass


def test_a_folder_that_is_missing_is_told(tmp_path):
    project = sl.Project(tmp_path / "nowhere" / "people.duckdb")
    message = r"people.duckdb: .*No such file or directory"
    with pytest.raises(sl.InvalidInputError, match=message), project:
        pass


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (duckdb.IOException("Could not write: No space left on device"), "the disk is full"),
        (duckdb.IOException("file with version number 99, but we can"), "by a newer DuckDB"),
        (duckdb.CatalogException("Table runs does not exist"), "cannot be used; Table runs"),
    ],
)
def test_errors_become_sentences(path, error, message):
    assert message in str(fault(path, error))
