"""Parquet files: the same bytes however rows come, and faults by name."""

import pytest

from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")

from spherelax.io.tables import parquet  # noqa: E402 (it needs pyarrow)


def test_bytes_do_not_depend_on_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP", 7)
    whole = pa.record_batch({"id": range(20), "name": [f"n{i}" for i in range(20)]})
    for name, size in (("one", 20), ("many", 3)):
        parts = [whole.slice(at, size) for at in range(0, 20, size)]
        assert parquet.write_parquet(tmp_path / name, parts, whole.schema) == 20
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    assert parquet.read_parquet(tmp_path / "one").to_pydict() == whole.to_pydict()
    batches = list(parquet.parquet_batches(tmp_path / "one", ["name"], n_rows=6))
    assert [name for batch in batches for name in batch["name"].to_pylist()] == [
        f"n{i}" for i in range(20)
    ]
    assert parquet.parquet_columns(tmp_path / "one") == ["id", "name"]


def test_columns_of_two_types_are_refused():
    with pytest.raises(InvalidInputError, match=r"^out.parquet: the column id must have one type"):
        parquet.parquet_bytes({"id": [1, "x"]}, "out.parquet")


def test_damaged_files_are_named_and_a_failed_one_is_not_left(tmp_path):
    path = tmp_path / "cut.parquet"
    path.write_bytes(parquet.parquet_bytes({"id": [1, 2]}, "cut")[:-9])
    with pytest.raises(InvalidInputError, match=r"cut.parquet: not a readable .parquet file"):
        parquet.read_parquet(path)

    def broken():
        yield pa.record_batch({"id": [1]})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parquet.write_parquet(tmp_path / "half.parquet", broken(), pa.schema([("id", pa.int64())]))
    assert not (tmp_path / "half.parquet").exists()
