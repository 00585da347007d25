"""Files of similarities: every format says the same, and every fault is named."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spherelax import InvalidInputError, io, solve

W = np.kron(np.eye(2), [[0, 2.0, 1.0], [2.0, 0, 0], [1.0, 0, 0]])
EDGES = "0,1,2\n0,2,1\n3,4,2\n3,5,1\n"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def npy_of(dtype: str) -> bytes:
    """Return a file of NumPy whose header names a type."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': (2, 2), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(32)


WRITERS = {
    "csr.npz": lambda path: sp.save_npz(path, sp.csr_array(W)),
    "coo.npz": lambda path: sp.save_npz(path, sp.coo_matrix(W)),
    "dense.npy": lambda path: np.save(path, W),
    "general.mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(W), symmetry="general"),
    "symmetric.mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(W), symmetry="symmetric"),
    "array.mtx": lambda path: scipy.io.mmwrite(path, W),
    "comma.csv": lambda path: write(path, EDGES),
    "SEMICOLON.CSV": lambda path: write(path, EDGES.replace(",", ";")),
    "tab.csv": lambda path: write(path, EDGES.replace(",", "\t")),
    "tab.tsv": lambda path: write(path, EDGES.replace(",", "\t")),
    "blank.txt": lambda path: write(path, EDGES.replace(",", "   ")),
    "comma.txt": lambda path: write(path, EDGES),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_holds_the_same_similarity(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    items = io.read(tmp_path / name)
    found = items.similarity.toarray() if sp.issparse(items.similarity) else items.similarity
    np.testing.assert_array_equal(found, W)
    assert items.names == ["0", "1", "2", "3", "4", "5"]
    np.testing.assert_array_equal(
        solve(items.similarity, pick=1.0).labels, solve(W, pick=1.0).labels
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("e.csv", "a,b,1\nb,c,abc\n", "e.csv, row 2: similarity must be a number; found 'abc'"),
        ("e.csv", "a,b,O.5\nb,c,1\n", "e.csv, row 1: similarity must be a number; found 'O.5'"),
        ("e.csv", "# x\n\na,b,1\nb,c,\n", "e.csv, row 4: similarity must be a number; found ''"),
        ("e.csv", "a,b,\n", "e.csv, row 1: similarity must be a number; found ''"),
        ("e.csv", "a,b,1\nb,c,nan\n", "row 2: similarity must be finite and not negative"),
        ("e.csv", "a,b,inf\n", "row 1: similarity must be finite and not negative; found 'inf'"),
        ("e.csv", "a,b,1\nb,c,-1\n", "row 2: similarity must be finite and not negative"),
        (
            "e.csv",
            "a,b,1\nb,c\n",
            "row 2: the number of columns of an edge table must be 3, as its",
        ),
        ("e.csv", "a b\n", "row 1: the number of columns of an edge table must be 2 or 3; found 1"),
        ("e.csv", "a,b\n,c\n", "row 2: an item must not be empty"),
        ("e.csv", 'a,b\nb,"c\nd,e\n', "row 3: unexpected end of data"),
        ("e.csv", "x" * 200_000, "row 1: field larger than field limit"),
        ("e.csv", "", "must hold an edge table; found an empty file"),
        ("e.csv", "# nothing\n\n", "must hold an edge table; found an empty file"),
        ("e.csv", "item_a,item_b,similarity\n", "must have rows after the header; found none"),
        ("e.csv", "x,x\n", "similarity must hold at least two items; found one"),
        ("e.csv", b"a,b\nc,\xff\n", "row 2: must be text in UTF-8; found byte 0xff"),
        ("e.csv", b"\xef\xbb\xbfa,b\nc,\xff\n", "row 2: must be text in UTF-8; found byte 0xff"),
        ("e.csv", bytes(5000), "found 1: '\\x00"),
        ("e.npy", b"", "not a readable .npy file"),
        ("e.npz", b"", "not a readable .npz file; File is not a zip file"),
        ("e.mtx", b"", "not a readable .mtx file"),
        ("e.npy", b"garbage\0\xff" * 99, "not a readable .npy file"),
        ("e.npy", npy_of(",f8"), "not a readable .npy file; invalid syntax"),
        ("e.npz", b"garbage\0\xff" * 99, "not a readable .npz file"),
        ("e.mtx", b"garbage\0\xff" * 99, "must be a text file; found a zero byte"),
        ("e.mtx", b"garbage\xff" * 99, "not a readable .mtx file"),
    ],
)
def test_faults_name_file_row_and_reason(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InvalidInputError) as caught:
        io.read(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 300


@pytest.mark.parametrize("ending", [".csv", ".npz", ".npy", ".mtx", ".parquet", ".db"])
def test_missing_files_and_folders(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"file{ending}"
    for reason in ("No such file or directory", "Is a directory"):
        with pytest.raises(InvalidInputError) as caught:
            io.read(path)
        assert str(caught.value) == f"{path}: {reason}"
        path.mkdir(exist_ok=True)


@pytest.mark.parametrize(
    ("read", "ending"),
    [(io.read_matrix, ".npz"), (io.read_points, ".parquet"), (io.read_edges, ".csv")],
)
def test_every_reader_names_a_missing_file(
    tmp_path: Path, read: Callable[[Path], object], ending: str
) -> None:
    path = tmp_path / f"file{ending}"
    with pytest.raises(InvalidInputError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: No such file or directory"
