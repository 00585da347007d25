"""The report on entities."""

import json

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from spherelax import scale  # noqa: E402


@pytest.mark.usefixtures("here")
def test_report_shows_names_as_text(tmp_path):
    pairs = {"id_a": ["<b>x</b>", "y"], "id_b": ["y", "z"], "score": [0.9, 0.8]}
    scale.solve(pa.table(pairs), tmp_path / "out", n_jobs=1)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["n_items"], summary["n_pairs"]) == (3, 2)


@pytest.mark.usefixtures("here")
def test_report_shows_no_single_record_among_the_largest(tmp_path):
    pairs = pa.table({"id_a": ["a", "b"], "id_b": ["b", "c"], "score": [0.9, 0.8]})
    records = pa.table({"id": ["a", "b", "c", "alone"]})
    pq.write_table(records, tmp_path / "records.parquet")
    scale.solve(pairs, tmp_path / "out", n_jobs=1, records=tmp_path / "records.parquet")
    page = (tmp_path / "out" / "report.html").read_text()
    largest = page.partition("The largest")[2].partition("</table>")[0]
    assert "alone" in page
    assert "alone" not in largest
    assert "6 to 7" not in page
