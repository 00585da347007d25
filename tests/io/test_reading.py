"""The kind of a file, and what `read` returns for it."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax import io
from spherelax.io.reading import FORMATS, TELL

W = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
ROLES = "source_a,id_a,source_b,id_b,score"
SPLINK = "match_weight,match_probability,source_dataset_l,unique_id_l,source_dataset_r,unique_id_r"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("a,b\nb,c\n", "edges"),
        ("a,b,0.5\n", "edges"),
        ("1,2,0.5\n", "edges"),
        ("1.0,2.0,0.5\n", "edges"),
        ("nan,inf,0.5\n", "edges"),
        ("from,to,score\na,b,0.5\n", "edges"),
        ("", "edges"),
        ("one\n", "edges"),
        (f"{ROLES}\nx,1,y,2,0.5\n", "pairs"),
        ("source_a, id_a, source_b, id_b, score\nx,1,y,2,0.5\n", "pairs"),
        ("id_a ,id_b ,score\n1,2,0.5\n", "pairs"),
        ("score;id_b;id_a\n0.5;1;2\n", "pairs"),
        (f"{SPLINK}\n3,0.9,x,1,y,2\n", "pairs"),
        ("unique_id_l,unique_id_r,match_probability\n1,2,0.5\n", "pairs"),
        ("unique_id_l,unique_id_r,match_weight\n1,2,-0.5\n", "pairs"),
        ("id_a,id_b,weight\n1,2,0.5\n", "edges"),
        ("1,2,3,4\n", "points"),
        ("name,a,b,c\nrose,1,2,3\n", "points"),
        ("x,y\n0.5,2\n", "points"),
        ("name,x\nrose,1.5\n", "points"),
        ("-1.5e-3,2,7\n", "points"),
        ("x,y\n-1,2\n", "points"),
        ("x,y\n1,2\n3,4\n3.5,4\n", "points"),
        ("1,2,-0.5\n", "edges"),
    ],
)
def test_text(content: str, kind: str) -> None:
    for ending in (".csv", ".txt", ".CSV"):
        path = Path(f"file{ending}")
        path.write_text(content)
        assert io.format_of(path) == kind


def test_blanks_and_tabs() -> None:
    Path("edges.txt").write_text("# friends\nann anna 0.9\n")
    assert io.format_of("edges.txt") == "edges"
    Path("points.txt").write_text("1 2 3 4\n")
    assert io.format_of("points.txt") == "points"
    Path("pairs.tsv").write_text(f"{ROLES}\n".replace(",", "\t"))
    assert io.format_of("pairs.tsv") == "pairs"


def test_parquet() -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"id_a": [1], "id_b": [2], "score": [0.5]}), "x.parquet")
    assert io.format_of("x.parquet") == "pairs"
    assert io.read("x.parquet").ids == [1, 2]
    parquet.write_table(pyarrow.table({"width": [1.0, 2.0], "length": [0.5, 3.0]}), "x.parquet")
    assert io.format_of("x.parquet") == "points"
    assert io.read("x.parquet").points.tolist() == [[1.0, 0.5], [2.0, 3.0]]


def test_arrays() -> None:
    np.save("w.npy", W)
    np.save("x.npy", W[:, :2])
    np.save("groups.npy", W[0])
    sp.save_npz("w.npz", sp.csr_array(W))
    io.save_result("result.npz", sl.solve(W))
    kinds = {"w.npy": "matrix", "x.npy": "points", "w.npz": "matrix", "result.npz": "result"}
    assert {name: io.format_of(name) for name in kinds} == kinds
    np.testing.assert_array_equal(io.read("w.npy").similarity, W)
    assert io.read("x.npy").points.shape == (6, 2)
    with pytest.raises(sl.InvalidInputError, match=r"result\.npz: .*; found a saved result"):
        io.read("result.npz")
    with pytest.raises(sl.InvalidInputError, match=r"groups\.npy: similarity must be"):
        io.read("groups.npy")


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_broken_arrays_are_left_to_their_readers(ending: str) -> None:
    Path(f"broken{ending}").write_bytes(b"\x93NUMPY")
    assert io.format_of(f"broken{ending}") == "matrix"
    with pytest.raises(sl.InvalidInputError, match=f"broken{ending}: not a readable {ending} file"):
        io.read(f"broken{ending}")


@pytest.mark.parametrize("name", ["x.db", "x.sqlite3", "x.txt", "x"])
def test_a_database_is_known_by_its_content(name: str) -> None:
    with closing(sqlite3.connect(name)) as database, database:
        database.execute("CREATE TABLE images (image_id)")
    assert io.format_of(name) == "colmap"
    with pytest.raises(sl.InvalidInputError, match=f"{name}: must have COLMAP's tables"):
        io.read(name)


def test_a_database_that_is_none() -> None:
    Path("x.db").write_text("a,b\n")
    with pytest.raises(sl.InvalidInputError, match=r"x\.db: must be an SQLite database; found"):
        io.read("x.db")


def test_endings_that_say_nothing_leave_it_to_the_content() -> None:
    np.save("w.npy", W)
    sp.save_npz("w.npz", sp.csr_array(W))
    Path("edges.csv").write_text("ann,anna\n")
    Path("points.csv").write_text("1,2,3,4\n5,6,7,8\n")
    for name in ("w.npy", "w.npz", "edges.csv", "points.csv"):
        for other in ("x.dat", "x"):
            Path(name).rename(other)
            kind = io.format_of(other)
            found = io.read(other)
            Path(other).rename(name)
            assert kind == io.format_of(name)
            assert found.names == io.read(name).names
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"id_a": [1], "id_b": [2], "score": [0.5]}), "x.pq")
    assert io.read("x.pq").ids == [1, 2]


def test_faults_of_a_copy_name_the_file() -> None:
    Path("x.dat").write_text("a,b,1\nb,c\n")
    with pytest.raises(sl.InvalidInputError, match=r"^x\.dat, row 2: the number of columns"):
        io.read("x.dat")
    Path("x.dat").write_bytes(b"PK\x03\x04")
    with pytest.raises(sl.InvalidInputError, match=r"^x\.dat: not a readable \.npz file"):
        io.read("x.dat")
    with pytest.raises(sl.InvalidInputError, match=r"^none\.dat: No such file or directory$"):
        io.read("none.dat")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes, links and devices of POSIX")
@pytest.mark.parametrize("name", ["pipe", "pipe.csv"])
def test_pipes_are_read_once(name: str) -> None:
    os.mkfifo(name)
    content = b"ann,anna\nbob,rob\n"
    writer = threading.Thread(target=lambda: Path(name).write_bytes(content))
    writer.start()
    assert io.read(name).ids == ["ann", "anna", "bob", "rob"]
    writer.join()


def test_a_database_is_not_copied() -> None:
    with closing(sqlite3.connect("x")) as database, database:
        database.execute("CREATE TABLE images (image_id)")
    with io.recognised("x") as source:
        assert source.path == Path("x")


def test_missing_files() -> None:
    with pytest.raises(sl.InvalidInputError, match=r"^x\.csv: No such file or directory$"):
        io.format_of("x.csv")
    with pytest.raises(sl.InvalidInputError, match="Is a directory"):
        io.format_of(".")


def test_the_kind_can_be_insisted_on() -> None:
    Path("x.csv").write_text("x,y\n1,2\n3,4\n")
    assert io.format_of("x.csv") == "edges"
    assert io.read("x.csv", reads_as="points").points.tolist() == [[1, 2], [3, 4]]
    Path("x.csv").write_text("1.5,2.5\n")
    assert io.read("x.csv", reads_as="edges").ids == ["1.5", "2.5"]
    with pytest.raises(sl.InvalidInputError, match="reads_as must be one of matrix, edges, pairs"):
        io.read("x.csv", reads_as="result")


def test_a_fault_says_that_the_file_was_taken_for_edges() -> None:
    Path("x.csv").write_text("1,2,3\n2,3,-1\n")
    fault = "x.csv, row 2: similarity must be finite and not negative; found '-1'"
    for kind, hint in {
        None: " (read as edges; reads_as= or --as sets another format)",
        "edges": "",
    }.items():
        with pytest.raises(sl.InvalidInputError) as caught:
            io.read("x.csv", reads_as=kind)
        assert str(caught.value) == f"{fault}{hint}"
    assert io.read("x.csv", reads_as="points").points.shape == (2, 3)


def test_columns_make_pairs() -> None:
    Path("x.csv").write_text("one,two,p\n1,2,0.5\n")
    assert isinstance(io.read("x.csv", columns=["one", "two", "p"]), io.Records)
    assert not isinstance(io.read("x.csv"), io.Records)
    with pytest.raises(
        sl.InvalidInputError, match=r"x\.csv: names of columns must be for pairs; found edges"
    ):
        io.read("x.csv", reads_as="edges", columns=["one", "two", "p"])


def test_options_reach_their_readers() -> None:
    Path("x.csv").write_text(f"{ROLES}\nx,1,y,2,0.5\n")
    assert io.read("x.csv", duplicate_free_sources=["y"]).groups == [None, "y"]
    for option, reason in {
        "duplicate_free_sources": "duplicate-free sources must be for pairs",
        "table": "the choice of a table must be for colmap",
    }.items():
        Path("edges.csv").write_text("a,b\n")
        message = rf"edges\.csv: {reason}; found edges"
        with pytest.raises(sl.InvalidInputError, match=message):
            io.read("edges.csv", **{option: ["matches"]})


def test_every_kind_has_an_ending() -> None:
    assert set(FORMATS) == {"matrix", "edges", "pairs", "points", "colmap", "hloc", "h5ad"}
    assert {".csv", ".tsv", ".txt", ".parquet", ".npz", ".npy", ".mtx", ".db"} <= set(TELL)
    Path("x.mtx").write_text("%%MatrixMarket\n")
    Path("x.h5ad").write_text("")
    assert (io.format_of("x.mtx"), io.format_of("x.h5ad")) == ("matrix", "h5ad")


SIGNED = [[0.0, 2.5, -1.5], [2.5, 0.0, 0.0], [-1.5, 0.0, 0.0]]


def save_signed() -> None:
    """Save the same log odds as files of three kinds."""
    Path("edges.csv").write_text("a,b,2.5\na,c,-1.5\n")
    Path("pairs.csv").write_text("id_a,id_b,score\na,b,2.5\na,c,-1.5\n")
    sp.save_npz("matrix.npz", sp.csr_array(SIGNED))


@pytest.mark.parametrize("file", ["edges.csv", "pairs.csv", "matrix.npz"])
def test_log_odds_of_every_kind_of_file(file: str) -> None:
    save_signed()
    with pytest.raises(sl.InvalidInputError, match="negative"):
        io.read(file)
    items = io.read(file, kind="odds")
    assert items.kind == items.problem.kind == "odds"
    np.testing.assert_array_equal(items.similarity.toarray(), SIGNED)
    assert sl.solve(items.problem).labels.tolist() == [0, 0, 1]


def test_what_similarities_of_files_are() -> None:
    Path("edges.csv").write_text("a,b,2.5\na,c,1.5\n")
    Path("groups.csv").write_text("a,x\nb,y\nc,y\nd,y\n")
    Path("pairs.csv").write_text("id_a,id_b,score\na,b,2.5\na,c,1.5\n")
    sp.save_npz("matrix.npz", sp.csr_array(np.abs(SIGNED)))
    for file, kind in (("edges.csv", "graph"), ("pairs.csv", "pairs"), ("matrix.npz", None)):
        assert io.read(file).problem.kind == kind
        assert io.read(file, kind="pairs").problem.kind == "pairs"
    grown = io.read_groups("groups.csv", io.read("edges.csv", kind="pairs"))
    assert grown.n_items == 4
    assert grown.problem.kind == "pairs"


def test_kinds_of_similarities_that_cannot_be() -> None:
    Path("points.csv").write_text("0.5,1,2,3\n1.5,1,2,3\n")
    assert io.read("points.csv", kind="graph").n_items == 2
    for kind in ("pairs", "odds"):
        message = f"^points.csv: similarities of points must not be {kind}; leave it out$"
        with pytest.raises(sl.InvalidInputError, match=message):
            io.read("points.csv", kind=kind)
    with pytest.raises(sl.InvalidInputError, match=r"^kind must be one of graph,"):
        io.read("points.csv", kind="cosine")
