"""A database for work in progress."""

import errno

import numpy as np
import pytest

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

from spherelax import InvalidInputError  # noqa: E402 (it needs both)
from spherelax.scale.workspace import WORK, size_of, workspace  # noqa: E402


def opened(folder, limit="1GB", progress=lambda *_: None):
    return workspace(folder, limit, progress)


def test_tables_survive_and_are_not_made_again(tmp_path):
    said = []
    with opened(tmp_path, progress=lambda *what: said.append(what)) as work:
        work.make("t", "SELECT range AS x FROM range(5)", "count")
        work.insert("u", x=np.arange(3), y=np.ones(3))
    assert said == [("count", 0.0), ("count", 1.0)]
    with opened(tmp_path) as work:
        work.make("t", "SELECT 1 / 0 FROM nowhere", "count")
        assert work.value("SELECT sum(x) FROM t") == 10
        ((x, y),) = work.arrays("FROM u")
        np.testing.assert_array_equal(x, [0, 1, 2])
        np.testing.assert_array_equal(y, 1.0)
        work.drop("t", "nothing")
        assert work.tables() == ["u"]


def test_all_changes_or_none(tmp_path):
    def stop(work):
        work.rows("CREATE TABLE t (x INT)")
        raise KeyboardInterrupt

    with opened(tmp_path) as work:
        with pytest.raises(KeyboardInterrupt), work.at_once():
            stop(work)
        assert not work.has("t")


def test_control_c_ends_a_statement_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("spherelax.scale.workspace.LOOK", 0.01)

    def stop():
        raise KeyboardInterrupt

    with opened(tmp_path) as work:
        with pytest.raises(KeyboardInterrupt):
            work._run("SELECT count(*) FROM range(1e12::BIGINT) WHERE hash(range) = 0", stop)
        assert work.rows("SELECT 1") == [(1,)]


def test_sizes(tmp_path):
    assert size_of("2MB") == 2_000_000
    for given in ("lots", ""):
        with pytest.raises(InvalidInputError, match="memory_limit must be a size such as 4GB"):
            size_of(given)
    with (
        pytest.raises(InvalidInputError, match="memory_limit must be a size"),
        opened(tmp_path, "x"),
    ):
        pass


def test_a_full_disk_removes_what_was_written(tmp_path):
    (tmp_path / "shard-00000").mkdir()
    with pytest.raises(InvalidInputError, match="the disk is full"), opened(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert not (tmp_path / WORK).exists()
    assert not (tmp_path / "shard-00000").exists()
