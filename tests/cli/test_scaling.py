"""The command scale, and info about pairs of several files."""

import json
from pathlib import Path

import pytest
from support.program import PAIRS, assert_one_line, invoke, run

from spherelax.cli import scaling

pytest.importorskip("duckdb")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    """Work in a folder with two files of pairs."""
    monkeypatch.chdir(tmp_path)
    head, *rows = PAIRS.splitlines(keepends=True)
    Path("pairs").mkdir()
    for at in range(2):
        Path("pairs", f"{at}.csv").write_text(head + "".join(rows[at::2]))


@pytest.mark.slow
def test_scale_goes_from_files_to_entities() -> None:
    arguments = ("scale", "pairs/*.csv", "--out", "entities", "--n-jobs", "2", "--memory", "2GB")
    code, out, said = run(*arguments, "--json", "--write-database", "out.duckdb")
    assert code == 0, said
    about = json.loads(out)
    assert (about["n_items"], about["n_entities"]) == (9, 3)
    rows = [row for part in about["parts"] for row in pq.read_table(part).to_pylist()]
    assert len({row["entity"] for row in rows}) == 3
    lines = said.splitlines()
    assert sum(line.startswith("round") for line in lines) >= 1
    assert "3 entities from 9 records" in lines
    assert "database: out.duckdb" in lines
    before = {file: file.stat().st_mtime_ns for file in Path("entities").rglob("*.*")}
    again = invoke(*arguments, "--json")
    assert (again.exit_code, json.loads(again.stdout)) == (0, about)
    assert before == {file: file.stat().st_mtime_ns for file in Path("entities").rglob("*.*")}


@pytest.mark.slow
def test_a_run_is_judged_keeps_ids_and_is_explained() -> None:
    names, pair, *_ = PAIRS.splitlines()
    a, one, b, other, _ = pair.split(",")
    judged = f"{names.removesuffix('score')}verdict\n{a},{one},{b},{other},different\n"
    Path("judged.csv").write_text(judged)
    assert invoke("scale", "pairs/*.csv", "--out", "june", "--n-jobs", "1").exit_code == 0
    more = ("--judgements", "judged.csv", "--ids-like", "june", "--json")
    done = invoke("scale", "pairs/*.csv", "--out", "july", "--n-jobs", "1", *more)
    assert done.exit_code == 0, done.stderr
    ids = json.loads(done.stdout)["ids"]
    said = f"numbers: {ids['n_kept']} ids kept, {ids['n_new']} new, 0 ended; "
    assert f"{said}the next one is {ids['next_free']}: july/ids.csv" in done.stderr
    pair = ("--pair", f"{a} {one}", f"{b} {other}")
    assert "are together" in invoke("explain", "june", *pair).stdout
    assert "A judgement says that they are different." in invoke("explain", "july", *pair).stdout
    rows = [
        row for file in Path("july").glob("*.parquet") for row in pq.read_table(file).to_pylist()
    ]
    assert invoke("explain", "july", "--entity", str(rows[0]["entity"])).exit_code == 0
    assert "found 999" in invoke("explain", "july", "--entity", "999").stderr


def test_progress_tells_the_time_left(capsys) -> None:
    seconds = iter([0.0, 60.0, 120.0, 121.0, 300.0])
    lines = scaling._Lines(lambda: next(seconds))
    for what, share in [("walk", 0.5), ("walk: a", 0.6), ("walk: b", 0.75), ("walk: b", 0.8)]:
        lines(what, share)
    lines("walk: c", 1.0)
    left = ["walk, 50%", "walk: a, 60%, about 4 min left", "walk: b, 75%, about 2 min left"]
    assert capsys.readouterr().err.splitlines() == [*left, "walk: c, 100%"]


def test_info_of_several_files_tells_the_cost() -> None:
    about = json.loads(invoke("info", "pairs/*.csv", "--json").stdout)
    assert (about["n_items"], about["n_pairs"], about["n_components"]) == (9, 9, 3)
    assert about == json.loads(invoke("info", "pairs/0.csv", "pairs/1.csv", "--json").stdout)
    lines = invoke("info", "pairs/*.csv").stdout.splitlines()
    assert lines[0].split() == ["records", "9"]
    assert lines[-1].split() == ["1", "9", "3", "33.3%"]


def test_info_of_a_database_needs_its_table() -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("pairs.duckdb") as db:
        db.execute("CREATE TABLE scored AS FROM read_csv('pairs/*.csv', all_varchar = true)")
        db.execute("ALTER TABLE scored ALTER score TYPE DOUBLE")
    found = invoke("info", "pairs.duckdb", "--table", "scored", "--json")
    assert json.loads(found.stdout)["n_pairs"] == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scale", "pairs/*.csv"), "--out is missing"),
        (("scale", "pairs/*.csv", "--out", "x", "--n-jobs", "0"), "--n-jobs must be an integer"),
        (
            ("scale", "pairs/*.csv", "--out", "x", "--n-jobs", "2", "--dask", "tcp://x:1"),
            "only one of --n-jobs and --dask",
        ),
        (("scale", "no*.parquet", "--out", "x"), "no*.parquet: must be a file; found none"),
        (("scale", "pairs/*.csv", "--out", "x", "--memory", "lots"), "must be a size such as 4GB"),
        (
            ("scale", "pairs/*.csv", "--out", "x", "--contradictions", "drop"),
            "--contradictions needs --judgements",
        ),
        (("scale", "pairs/*.csv", "--out", "x", "--ids-like", "no"), "no: must be a file"),
        (("explain", "pairs", "--entity", "0"), "pairs/summary.json: No such file"),
        (("explain", "pairs"), "explain needs one of --pair and --entity"),
        (("explain", "pairs", "--entity", "0", "--n-jobs", "1"), "leave out --n-jobs"),
        (("info", "pairs/*.csv", "--groups", "groups.csv"), "--groups needs a single FILE"),
        (("info", "pairs/*.csv", "--as", "edges"), "must hold pairs; found --as edges"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message) -> None:
    done = invoke(*arguments)
    assert_one_line(done.exit_code, done.stdout, _last(done.stderr), message)


def _last(said: str) -> str:
    """Return the last line, after those of progress."""
    return said.splitlines(keepends=True)[-1]
