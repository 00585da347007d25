"""The example for Spark runs as it is printed; it needs PySpark and Java."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyspark", reason="PySpark is not installed")

from support.shard_tables import answer, rows, table  # noqa: E402 (it needs both)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # PySpark has its own
def test_example_for_spark_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    example = PAGE.read_text().split("## On Spark")[1].split("```python\n")[1].split("```")[0]
    example = example.replace("/data", str(tmp_path)).replace('/shards")', '/shards", n_shards=4)')
    (tmp_path / "pairs").mkdir()
    pq.write_table(table(), tmp_path / "pairs" / "all.parquet")
    names = {}
    exec(compile(example, str(PAGE), "exec"), names)
    names["spark"].stop()
    assert rows(names["entities"]) == answer()
