"""Entities go to a database."""

import pytest

from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from support.shard_tables import rows  # noqa: E402

from spherelax import scale  # noqa: E402


@pytest.mark.usefixtures("here")
def test_entities_go_to_a_database(tmp_path, pairs):
    database = tmp_path / "out.duckdb"
    found = scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    with duckdb.connect(str(database)) as db:
        copied = db.sql("FROM entities ORDER BY source, id").to_arrow_table().to_pylist()
    assert copied == rows(found)
    scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    with duckdb.connect(str(database)) as db:
        db.execute("DELETE FROM entities WHERE source = 'shop'")
    with pytest.raises(InvalidInputError, match="entities is there with other rows"):
        scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    other = tmp_path / "pairs" / "0.parquet"
    for file, message in (
        (other, "must be a DuckDB database; found other data"),
        (tmp_path / "out" / "report.html", "cannot be written"),
        (tmp_path / "nowhere" / "out.duckdb", "nowhere does not exist"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            scale.solve(pairs, tmp_path / "out", write_database=file)
