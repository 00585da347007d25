"""Databases: read without a change, and written completely or not at all."""

import sqlite3
from contextlib import closing

import pytest

from spherelax import InvalidInputError
from spherelax.io.files.sqlite import opened_database, replaced


@pytest.fixture
def path(tmp_path):
    """A database with one table, which uses a write-ahead log."""
    with closing(sqlite3.connect(tmp_path / "given.db")) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE t (x)")
        database.execute("INSERT INTO t VALUES (7)")
    return tmp_path / "given.db"


def test_reading_leaves_no_file_and_no_change(path):
    before = path.read_bytes()
    with opened_database(path) as database:
        assert database.execute("SELECT x FROM t").fetchall() == [(7,)]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            database.execute("DELETE FROM t")
    assert [file.name for file in path.parent.iterdir()] == ["given.db"]
    assert path.read_bytes() == before


def test_files_that_are_none_or_cut_off_are_refused(path):
    whole = path.read_bytes()
    for content, message in ((b"a,b\n", "found another file"), (whole[:-9], "so it is cut off")):
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=message), opened_database(path):
            pass


def test_a_database_that_is_not_finished_leaves_the_old_one(path):
    def stop(database):
        database.execute("CREATE TABLE other (y)")
        raise KeyboardInterrupt

    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), replaced(path) as database:
        stop(database)
    assert path.read_bytes() == before
    with replaced(path) as database:
        database.execute("CREATE TABLE other (y)")
    with opened_database(path) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("other",)]


def test_a_log_beside_is_not_left_to_the_new_database(path):
    path.with_name("given.db-wal").touch()
    with pytest.raises(InvalidInputError, match="found its log"), replaced(path):
        pass
