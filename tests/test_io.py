"""Files in and out."""

import re
import stat
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


def symmetric_mtx(path: Path) -> None:
    scipy.io.mmwrite(path, sp.coo_array(W), symmetry="symmetric")


def pattern_mtx(path: Path) -> None:
    write(path, "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n")


WRITERS = {
    "csr.npz": lambda path: sp.save_npz(path, sp.csr_array(W)),
    "coo.npz": lambda path: sp.save_npz(path, sp.coo_matrix(W)),
    "dense.npy": lambda path: np.save(path, W),
    "general.mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(W), symmetry="general"),
    "symmetric.mtx": symmetric_mtx,
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


def test_pattern_mtx(tmp_path: Path) -> None:
    pattern_mtx(tmp_path / "pattern.mtx")
    found = io.read_matrix(tmp_path / "pattern.mtx").toarray()
    np.testing.assert_array_equal(found, [[0, 1, 1], [1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("x,y,weight\na,b,1\n", ["a", "b"]),
        ("a,b,1\n", ["a", "b"]),
        ("any,thing\n1,2\n", ["1", "2"]),
        ("any,thing\n1,2\n3,x\n", ["any", "thing", "1", "2", "3", "x"]),
        ("any,1\n1,2\n", ["any", "1", "2"]),
        ("Source,TARGET\na,b\n", ["a", "b"]),
        ("a,c\nb,d\n", ["a", "c", "b", "d"]),
        ("\ufeffu,v\na,b\n", ["a", "b"]),
        ('# made by hand\n\n"Doe, J.","#1"\n  \n#1,2\n', ["Doe, J.", "#1"]),
        ('"say ""hi""", plain\r\n', ['say "hi"', "plain"]),
        ("007,7\n7.0,1e3\n", ["007", "7", "7.0", "1e3"]),
        ("z,ä\n猫,z\n", ["z", "ä", "猫"]),
        ("a b,c\n", ["a b", "c"]),
    ],
)
def test_ids_and_headers_of_edge_tables(tmp_path: Path, text: str, ids: list[str]) -> None:
    assert io.read_edges(write(tmp_path / "edges.csv", text)).ids == ids


def test_the_largest_similarity_of_an_edge_counts(tmp_path: Path) -> None:
    text = "a,b,0.2\nb,a,0.7\na,b,0.5\nc,c,3\nc,a,0\n"
    items = io.read_edges(write(tmp_path / "edges.csv", text))
    np.testing.assert_array_equal(items.similarity.toarray(), [[0, 0.7, 0], [0.7, 0, 0], [0, 0, 3]])


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
        ("e.csv", "", "is empty; expected an edge table"),
        ("e.csv", "# nothing\n\n", "is empty; expected an edge table"),
        ("e.csv", "item_a,item_b,similarity\n", "holds a header but no rows"),
        ("e.csv", "x,x\n", "similarity must hold at least two items; found one"),
        ("e.csv", b"a,b\nc,\xff\n", "row 2: must be text in UTF-8; found byte 0xff"),
        ("e.csv", b"\xef\xbb\xbfa,b\nc,\xff\n", "row 2: must be text in UTF-8; found byte 0xff"),
        ("e.csv", bytes(5000), "found 1: '\\x00"),
        ("e.npy", b"", "not a readable .npy file"),
        ("e.npz", b"", "not a readable .npz file; File is not a zip file"),
        ("e.mtx", b"", "not a readable .mtx file"),
        ("e.npy", b"garbage\0\xff" * 99, "not a readable .npy file"),
        ("e.npz", b"garbage\0\xff" * 99, "not a readable .npz file"),
        ("e.mtx", b"garbage\0\xff" * 99, "must be a text file; found a zero byte"),
        ("e.mtx", b"garbage\xff" * 99, "not a readable .mtx file"),
        ("e.dat", b"a,b", "must end in one of .csv, .tsv, .txt, .parquet, .npz, .npy, .mtx"),
        ("edges", b"a,b", "must end in one of"),
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
    assert len(str(caught.value)) < len(str(path)) + 250


def test_an_edge_table_has_two_or_three_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "a,b,1,2\n")
    message = "row 1: the number of columns of an edge table must be 2 or 3; found 4"
    with pytest.raises(InvalidInputError, match=message):
        io.read(path, kind="edges")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([[None, 1], [1, None]]), "Object arrays cannot be loaded"),
        (np.array([["a", "b"], ["b", "a"]]), "must hold real numbers; found dtype <U1"),
        (np.array([[0, 1j], [1j, 0]]), "must hold real numbers"),
        (np.ones((2, 3)), "must be a square matrix; found shape (2, 3)"),
        (np.ones(3), "must be a square matrix; found shape (3,)"),
        (np.array(3.0), "must be a square matrix; found shape ()"),
        (np.array([[0, np.nan], [np.nan, 0]]), "must be finite; found NaN"),
        (np.array([[0, 1], [2, 0]]), "must be symmetric"),
        (np.array([[0, -1], [-1, 0]]), "must be non-negative"),
    ],
)
def test_arrays_that_are_no_similarity(tmp_path: Path, array: np.ndarray, message: str) -> None:
    np.save(tmp_path / "w.npy", array, allow_pickle=True)
    with pytest.raises(InvalidInputError, match=r"w\.npy: ") as caught:
        io.read(tmp_path / "w.npy", kind="matrix")
    assert message in str(caught.value)


def test_other_archives_are_explained(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", X=W, y=W[0])
    with pytest.raises(InvalidInputError, match=r"save_npz writes it; found the arrays X, y$"):
        io.read_matrix(tmp_path / "w.npz")


def test_indices_out_of_range_are_refused(tmp_path: Path) -> None:
    broken = sp.csr_array(W)
    broken.indices[0] = 10**6
    sp.save_npz(tmp_path / "w.npz", broken)
    with pytest.raises(InvalidInputError, match="not a readable"):
        io.read_matrix(tmp_path / "w.npz")


ARRAYS = {
    "bytes": (W > 0).astype(np.uint8),
    "integers": np.arange(-3, 900)[:, None],
    "floats": W / 3,
    "float32": np.float32([[0.5, 1 / 3]]),
    "cube": np.arange(24).reshape(2, 3, 4) / 7,
    "nothing": np.zeros((0, 3)),
    "flags": W > 1,
    "a": np.array([[7]]),
}
CELL = np.empty(2, dtype=object)
CELL[:] = [np.eye(2), "text"]
OTHERS = {"cell": CELL, "struct": {"x": 1.0}, "text": "abc", "half": sp.csc_array(W), "z": 1j * W}


def test_mat_files_hold_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "w.mat"
    scipy.io.savemat(path, OTHERS | ARRAYS)
    found = io.read_arrays(path, *ARRAYS)
    assert set(found) == set(ARRAYS)
    for name, array in found.items():
        np.testing.assert_array_equal(array, ARRAYS[name])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_files_hold_what_was_saved(tmp_path: Path, save: Callable[..., None]) -> None:
    save(tmp_path / "w.npz", **ARRAYS, names=np.array(["ä", "b"]))
    found = io.read_arrays(tmp_path / "w.npz", "names")
    assert list(found) == [*ARRAYS, "names"]
    assert found["names"].tolist() == ["ä", "b"]
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w.npz", b"PK no archive", "not a readable .npz file; File is not a zip file"),
        (
            "w.npz",
            lambda path: np.savez(path, cell=CELL),
            "not a readable .npz file; Object arrays cannot be loaded",
        ),
        (
            "w.npz",
            lambda path: np.savez(path, X=W),
            "must hold the arrays X, y; found the arrays X",
        ),
        ("w.npz", np.savez, "must hold the arrays X, y; found no array"),
        (
            "w.npz",
            lambda path: np.savez(path, **dict.fromkeys("abcdefgh", W)),
            "must hold the arrays X, y; found the arrays a, b, c, d, e, f, ...",
        ),
        ("w.mat", lambda path: scipy.io.savemat(path, {"X": CELL}), "X, y; found no array"),
        ("w.mat", b"", "not a readable .mat file"),
        ("w.npy", b"", "an archive must end in .npz, .mat"),
    ],
)
def test_faults_of_archives(
    tmp_path: Path, name: str, content: bytes | Callable[[Path], None], message: str
) -> None:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
    with pytest.raises(InvalidInputError) as caught:
        io.read_arrays(path, "X", "y")
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


ARCHIVES = {
    "plain.npz": lambda path: np.savez(path, **ARRAYS),
    "packed.npz": lambda path: np.savez_compressed(path, **ARRAYS),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_damaged_archives_are_refused_or_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    ARCHIVES[name](path)
    content = path.read_bytes()
    for n_kept in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:n_kept])
        with pytest.raises(InvalidInputError):
            io.read_arrays(path, *ARRAYS)
    generator = np.random.default_rng(0)
    n_refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[generator.integers(len(content))] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            io.read_arrays(path, *ARRAYS)
        except InvalidInputError:
            n_refused += 1
    assert n_refused > 0


def test_archives_that_ask_for_a_password_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    sp.save_npz(path, sp.csr_array(W))
    content = bytearray(path.read_bytes())
    for start in (b"PK\x03\x04", b"PK\x01\x02"):  # of an entry, and of its line in the contents
        flags = content.index(start) + (6 if start == b"PK\x03\x04" else 8)
        content[flags] |= 1
    path.write_bytes(content)
    for read in (io.read_matrix, io.read_arrays):
        with pytest.raises(InvalidInputError, match=r"not a readable \.npz file; .*password"):
            read(path)


@pytest.mark.parametrize("name", ["csr.npz", "dense.npy", "symmetric.mtx", "array.mtx"])
def test_damaged_matrices_are_refused_or_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    content = path.read_bytes()
    for n_kept in range(0, len(content) - 2, max(1, len(content) // 40)):
        path.write_bytes(content[:n_kept])
        with pytest.raises(InvalidInputError):
            io.read_matrix(path)
    generator = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[generator.integers(len(content))] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            io.read(path)
        except (InvalidInputError, MemoryError) as error:
            refused = error
        else:
            continue
        assert str(refused)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for name in ("no.csv", "no.npz"):
        with pytest.raises(InvalidInputError, match="No such file"):
            io.read(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInputError, match="Is a directory"):
        io.read(tmp_path / "folder.csv")


MATRIX = io.Items(W, ids=None)
NAMED = io.Items(sp.csr_array(W[:2, :2]), ids=["a", "7"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.txt", "x\nx\ny\nx\ny\ny\n"),
        ("g.csv", "group\nx\nx\ny\nx\ny\ny\n"),
        ("g.csv", "item,group\n5,y\n0,x\n1,x\n2,y\n3,x\n4,y\n"),
        ("g.csv", "frame,where\n5,y\n0,x\n1,x\n2,y\n3,x\n4,y\n4,y\n"),
        ("g.txt", "0 x\n1 x\n2 y\n3 x\n4 y\n5 y\n"),
    ],
)
def test_groups_of_a_matrix(tmp_path: Path, name: str, text: str) -> None:
    items = io.read_groups(write(tmp_path / name, text), MATRIX)
    assert items.groups == ["x", "x", "y", "x", "y", "y"]
    assert items.ids is None


@pytest.mark.parametrize("dtype", [int, np.uint8, str, "S3", bool])
def test_groups_from_npy(tmp_path: Path, dtype: type) -> None:
    np.save(tmp_path / "g.npy", np.array([0, 0, 1, 0, 1, 1]).astype(dtype))
    groups = io.read_groups(tmp_path / "g.npy", MATRIX).groups
    first, second = dict.fromkeys(groups)
    assert groups == [first, first, second, first, second, second]
    assert not first.startswith("b'")


def test_items_that_only_the_groups_know_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "g.csv", "id,group\nlonely,x\n7,y\na,x\n")
    items = io.read_groups(path, NAMED)
    assert (items.ids, items.groups) == (["a", "7", "lonely"], ["x", "y", "x"])
    np.testing.assert_array_equal(items.similarity.toarray(), [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    assert NAMED.similarity.shape == (2, 2)


@pytest.mark.parametrize(
    ("items", "name", "content", "message"),
    [
        (MATRIX, "g.txt", "x\ny\n", "must have one group per item, 6; found 2"),
        (MATRIX, "g.csv", "0,x\nsix,y\n", "row 2: item must be a number from 0 to 5; found 'six'"),
        (MATRIX, "g.csv", "0,x\n6,y\n", "row 2: item must be a number from 0 to 5; found '6'"),
        (MATRIX, "g.csv", "0,x\n1,y\n", "no group for item '2' and 3 others"),
        (MATRIX, "g.csv", "0,x\n0,y\n", "row 2: item '0' is in group 'y' here and in 'x' before"),
        (MATRIX, "g.csv", "0,x\n1,\n", "row 2: item and group must not be empty"),
        (
            MATRIX,
            "g.csv",
            "0,x,1\n",
            "row 1: the number of columns of a file of groups must be 1 or 2; found 3",
        ),
        (MATRIX, "g.csv", "", "is empty; expected a file of groups"),
        (MATRIX, "g.pkl", "", "a file of groups must end in .csv, .tsv, .txt"),
        (MATRIX, "g.npy", "", "not a readable .npy file"),
        (NAMED, "g.csv", "a,x\n", "no group for item '7'"),
        (NAMED, "g.txt", "x\ny\n", "two columns, item and group; found one column"),
    ],
)
def test_faults_of_groups(
    tmp_path: Path, items: io.Items, name: str, content: str, message: str
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InvalidInputError) as caught:
        io.read_groups(path, items)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((6, 1), dtype=int), "found shape (6, 1)"),
        (np.full(6, np.nan), "must hold integers or text; found dtype float64"),
        (np.zeros(5, dtype=int), "must have one group per item, 6; found 5"),
    ],
)
def test_faults_of_npy_groups(tmp_path: Path, array: np.ndarray, message: str) -> None:
    np.save(tmp_path / "g.npy", array)
    with pytest.raises(InvalidInputError) as caught:
        io.read_groups(tmp_path / "g.npy", MATRIX)
    assert message in str(caught.value)


def test_labels_quote_what_needs_it() -> None:
    ids = ["Doe, J.", 'say "hi"', "c", "d", "e", "f"]
    items = io.Items(W, ids, groups=["x", "ä", "x", "x", "x", "x"])
    lines = io.columns_csv(items.answer(solve(W, pick=9.0))).splitlines()
    assert lines[0] == "item,group,label,confidence"
    assert lines[1].startswith('"Doe, J.",x,0,')
    assert lines[2].startswith('"say ""hi""",ä,1,')
    assert all(re.search(r",[01]\.\d{4}$", line) for line in lines[1:])


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "labels.csv", "old")
    io.replace_file(path, b"new")
    assert path.read_text() == "new"
    write_bytes = Path.write_bytes

    def interrupted(self: Path, content: bytes) -> None:
        write_bytes(self, content[: len(content) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    for target in (path, tmp_path / "other.csv"):
        with pytest.raises(KeyboardInterrupt):
            io.replace_file(target, b"newer")
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.csv"]
    assert path.read_text() == "new"


def test_links_are_followed_and_devices_stay_devices(tmp_path: Path) -> None:
    real = write(tmp_path / "real.csv", "old")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    io.check_target(link)
    io.replace_file(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    null = Path("/dev/null")
    io.check_target(null)
    io.replace_file(null, b"new")
    assert stat.S_ISCHR(null.stat().st_mode)


def test_targets_are_checked_without_leaving_a_trace(tmp_path: Path) -> None:
    io.check_target(tmp_path / "labels.csv")
    assert list(tmp_path.iterdir()) == []
    for bad in (tmp_path, tmp_path / "no" / "labels.csv", Path("/proc/labels.csv")):
        with pytest.raises(InvalidInputError, match=str(bad)):
            io.check_target(bad)
