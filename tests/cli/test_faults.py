"""Faults: one line, exit code 2, and nothing left behind."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.program import assert_one_line, invoke, run, said

import spherelax

FAULTS = {
    "cluster": "spherelax cluster: Missing argument 'FILE' (see spherelax cluster --help)",
    "match edges.csv": "edges.csv: has no groups; give them with --groups, or use spherelax c",
    "match w.npy": "w.npy: has no groups",
    "match pairs.csv --groups groups.csv": "pairs.csv: has groups of its own; leave out --groups",
    "match w.db --groups groups.csv": "w.db: has groups of its own",
    "info points.csv --groups groups.csv": "points.csv: holds points, which have no groups",
    "match points.csv": "(read as pairs; points have no groups)",
    "match oblong.npy --groups groups.txt": "oblong.npy: similarity must be a square matrix;",
    "match edges.csv --as points": "'points' is not one of 'matrix', 'edges', 'pairs', 'colmap'",
    "frobnicate": "spherelax: No such command 'frobnicate'",
    "--frobnicate": "No such option",
    "cluster edges.csv --frobnicate": "(see spherelax cluster --help)",
    "cluster edges.csv --groups groups.csv": "No such option",
    "cluster edges.csv more.csv": "unexpected extra argument",
    "cluster edges.csv --n-inner many": "'many' is not a valid integer",
    "cluster edges.csv --solver magic": "'magic' is not one of 'coordinate', 'power'",
    "cluster edges.csv --kind cosine": "'cosine' is not one of 'graph', 'neighbors', 'pairs'",
    "cluster edges.csv --kind odds --solver power": "--kind odds needs --solver coordinate",
    "cluster points.csv --kind odds": "points.csv: similarities of points must not be odds",
    "match w.db --kind odds": "w.db: similarities of colmap must not be odds; leave it out",
    "cluster edges.csv --pick best": "'best' is not one of 'description', 'eta', 'stability'",
    "cluster edges.csv --pick 0": "--pick must be a finite number > 0; found 0.0",
    "cluster edges.csv --pick nan": "--pick must be a finite number > 0; found nan",
    "cluster edges.csv --n-steps 1": "--n-steps must be an integer in [2, 10000]; found 1",
    "cluster edges.csv --row-entries 1": "--row-entries must be an integer in [2, 10000]; found",
    "cluster edges.csv --n-jobs 0": "--n-jobs must be an integer >= 1; found 0",
    "cluster edges.csv --alpha-step 0.1": "cluster: --alpha-step needs --solver power (see",
    "cluster edges.csv --max-labels 3": "cluster: --max-labels needs --solver power (see",
    "match w.npy --groups groups.txt --max-labels 3": "--max-labels needs --solver power",
    "cluster edges.csv --solver power --n-jobs 0": "--n-jobs must be an integer >= 1; found 0",
    "cluster edges.csv --solver power --n-steps 9": "--n-steps needs --solver coordinate",
    "cluster edges.csv --solver power --row-entries 9": "--row-entries needs --solver coordinate",
    "cluster edges.csv --solver power --alpha-step 0.7": "must be a number in [0.0001, 0.5]; found",
    "cluster edges.csv --solver power --kappa nan": "must be a finite number >= 0; found nan",
    "cluster edges.csv --solver power --max-labels 0": "--max-labels must be an integer >= 1;",
    "cluster missing.csv": "missing.csv: No such file or directory",
    "cluster missing.npz": "missing.npz: No such file or directory",
    "cluster folder": "folder: Is a directory",
    "cluster bad.dat": "spherelax: bad.dat, row 2: similarity must be a number; found 'abc'",
    "match edges.dat --groups bad.dat": "bad.dat, row 1: the number of columns of a file of groups",
    "cluster broken.parquet": "broken.parquet: not a readable .parquet file",
    "cluster w.csv": "w.csv: No such file or directory",
    "cluster empty.csv": "empty.csv: must hold an edge table; found an empty file",
    "cluster empty.npz": "empty.npz: not a readable .npz file",
    "cluster garbage.csv": "garbage.csv, row 1: must be text in UTF-8",
    "cluster garbage.npz": "garbage.npz: not a readable .npz file",
    "cluster truncated.npy": "truncated.npy: not a readable .npy file",
    "cluster truncated.npz": "truncated.npz: not a readable .npz file",
    "cluster pickle.npy": "pickle.npy: not a readable .npy file",
    "cluster objects.npy": "objects.npy: not a readable .npy file; Object arrays",
    "cluster other.npz": "found the arrays first, second",
    "cluster nan.npy": "nan.npy: similarity must be finite; found NaN",
    "cluster asymmetric.npy": "asymmetric.npy: similarity must be symmetric",
    "cluster negative.npy": "negative.npy: similarity must be non-negative",
    "cluster oblong.npy --as matrix": "oblong.npy: similarity must be a square matrix; found",
    "match truncated.db": "truncated.db: must have whole pages of 4096 bytes; found",
    "match stray.csv": "stray.csv, row 11: the number of columns of a table of pairs must be 5",
    "match other.csv": "other.csv: must have the columns source_a, id_a, source_b, id_b, score, or",
    "cluster other.csv": "found 'y' (read as points; --as points --columns A,B reads",
    "match pairs.csv --duplicate-free-sources shop": "duplicate-free sources must be some of g0",
    "match edges.csv --duplicate-free-sources shop": "duplicate-free sources must be for pairs;",
    "match pairs.csv --columns a,b": "columns must name source_a, id_a, source_b, id_b, score",
    "match pairs.csv --table matches": "the choice of a table must be for colmap; found pairs",
    "match pairs.csv --write-database x.db": "--write-database needs a FILE that is a COLMAP",
    "match w.db --add-missing": "--add-missing needs --write-database",
    "match w.db --write-database w.db": "w.db would be overwritten",
    "match w.db --write-database no/x.db": "no/x.db: the folder no does not exist",
    "match w.db --images folder": "--images needs --report",
    "match w.db --images no --report r.html": "no: must be a folder; found none",
    "match w.db --images folder --report r.html": "folder: must hold images of w.db, such as 1.JPG",
    "match pairs.csv --images folder --report r.html": "--images needs a FILE of matched keypoints",
    "cluster edges.csv --report page.txt": "page.txt: a report must end in one of .html, .htm",
    "cluster edges.csv --out x.html --report x.html": "x.html would be overwritten",
    "cluster edges.csv --out x.h5ad": "--out x.h5ad needs a FILE of kind h5ad; found edges",
    "cluster edges.csv --out labels": "labels: labels must end in one of .csv, .tsv, .parquet,",
    "cluster edges.csv --json --out -": "standard output can take only one of labels and --json",
    "cluster edges.csv --report -": "standard output can take only one of labels and --report",
    "cluster edges.csv --json --report -": "output can take only one of --json and --report",
    "path edges.csv --json --out -": "standard output can take only one of --json and --out -",
    "match w.db --write-database -": "--write-database needs a file; found -",
    "path edges.csv --out steps.npz": "steps.npz: steps must end in one of .csv, .tsv, .json",
    "path edges.csv --out edges.csv": "edges.csv would be overwritten",
    "report edges.csv --out report.csv": "report.csv: a report must end in one of .html",
    "report edges.csv --result w.npz": "w.npz: must hold the arrays version, labels",
    "report edges.csv --result x.npz --n-labels 3": "is solved already; leave out --n-labels",
    "info missing.csv": "missing.csv: No such file or directory",
    "completion tcsh": "'tcsh' is not one of 'bash', 'zsh', 'fish'",
    "cluster bad.csv": "spherelax: bad.csv, row 2: similarity must be a number; found 'abc'",
    "match w.npy --groups short.txt": "short.txt: must have one group per item, 9; found 2",
    "match w.npy --groups missing.txt": "missing.txt: No such file or directory",
    "match edges.csv --groups groups.txt": "groups.txt: the items of an edge table have names",
    "match w.npy --groups groups.txt --solver power --max-labels 2": "must be at least the size",
    "cluster edges.csv --out no/labels.csv": "no/labels.csv: the folder no does not exist",
    "cluster edges.csv --out folder": "folder: must be a file; found a folder",
    "cluster edges.csv --out edges.csv": "edges.csv would be overwritten",
    "cluster edges.csv --plot no/sweep.png": "no/sweep.png: the folder no does not exist",
    "cluster edges.csv --plot sweep.xyz": "sweep.xyz: a picture must end in one of",
    "cluster edges.csv --plot sweep": "sweep: a picture must end in one of",
}
if sys.platform == "linux":
    FAULTS |= {
        "cluster edges.csv --out /dev/full": "while writing /dev/full; No space left on device",
        "cluster edges.csv --out /proc/labels.csv": "/proc/labels.csv: cannot be written",
    }


@pytest.mark.parametrize("arguments", FAULTS)
def test_faults_are_one_line_and_code_2(arguments: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = invoke(*arguments.split())
    assert_one_line(result.exit_code, result.stdout, result.stderr, FAULTS[arguments])
    assert sorted(folder.rglob("*")) == before


REAL = (
    "cluster",
    "cluster bad.csv",
    "cluster garbage.npz",
    "match truncated.db",
    "match stray.csv",
)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", REAL)
def test_faults_of_the_real_program(arguments: str) -> None:
    assert_one_line(*run(*arguments.split()), FAULTS[arguments])


def test_a_database_without_matches() -> None:
    with closing(sqlite3.connect("w.db")) as database, database:
        database.execute("DELETE FROM two_view_geometries")
    message = "w.db: has no matches in two_view_geometries and matches; match images first"
    assert_one_line(*said("match", "w.db"), message)


def test_parquet_without_the_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"a": ["x"], "b": ["y"], "score": [0.5]})
    pytest.importorskip("pyarrow.parquet").write_table(table, "pairs.parquet")
    message = (
        "pairs.parquet: must have the columns source_a, id_a, source_b, id_b, score, or splink"
    )
    assert_one_line(*said("match", "pairs.parquet"), message)


@pytest.mark.parametrize("command", ["cluster", "info", "report"])
def test_a_saved_result_is_no_input(command: str) -> None:
    assert invoke("cluster", "edges.csv", "--out", "saved.npz").exit_code == 0
    message = "saved.npz: must hold similarities or points; found a saved result"
    result = invoke(command, "saved.npz")
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_what_is_solved_already_takes_no_settings() -> None:
    assert invoke("cluster", "edges.csv", "--out", "saved.npz").exit_code == 0
    for option in (
        "--groups groups.csv",
        "--table matches",
        "--kind pairs",
        "--n-steps 4",
    ):
        result = invoke("path", "saved.npz", *option.split())
        message = f"saved.npz is solved already; leave out {option.split()[0]}"
        assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_too_little_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(spherelax, "solve", exhausted, raising=False)
    result = invoke("cluster", "edges.csv")
    message = "not enough memory; Unable to allocate 9 TiB"
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "anndata", None)
    monkeypatch.setitem(sys.modules, "h5py", None)
    Path("cells.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n")
    for arguments, message in {
        "cluster edges.csv --out l.parquet": "l.parquet: .parquet needs pyarrow: pip install",
        "match broken.parquet": ".parquet needs pyarrow: pip install pyarrow",
        "cluster cells.h5ad": "cells.h5ad: .h5ad needs anndata: pip install anndata",
    }.items():
        result = invoke(*arguments.split())
        assert_one_line(result.exit_code, result.stdout, result.stderr, message)
    result = invoke("cluster", "-", stdin=b"\x89HDF\r\n\x1a\n")
    message = "standard input: .h5 needs h5py: pip install h5py"
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(spherelax, "solve", broken, raising=False)
    with pytest.raises(ValueError, match="a bug"):
        invoke("cluster", "edges.csv")
