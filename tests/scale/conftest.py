"""Pairs in files, and work without processes."""

import pytest


@pytest.fixture
def pairs(tmp_path):
    """Two files of pairs."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from support.shard_tables import table  # noqa: PLC0415 (it needs pyarrow)

    found, folder = table(), tmp_path / "pairs"
    folder.mkdir()
    for at in range(2):
        part = found.take(list(range(at, found.num_rows, 2)))
        parquet.write_table(part, folder / f"{at}.parquet")
    return str(folder / "*.parquet")


@pytest.fixture
def here(monkeypatch):
    """Use no processes where a test is about something else."""
    from support.shard_tables import Here  # noqa: PLC0415 (it needs pyarrow)

    monkeypatch.setattr("spherelax.scale.run.Processes", lambda *_: Here())
