"""Matrices and archives of arrays."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spherelax import InvalidInputError, io

W = np.kron(np.eye(2), [[0, 2.0, 1.0], [2.0, 0, 0], [1.0, 0, 0]])


def test_pattern_mtx(tmp_path: Path) -> None:
    path = tmp_path / "pattern.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n")
    found = io.read_matrix(path).toarray()
    np.testing.assert_array_equal(found, [[0, 1, 1], [1, 0, 0], [1, 0, 0]])


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
        io.read(tmp_path / "w.npy", reads_as="matrix")
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


MATRICES = {
    "csr.npz": lambda path: sp.save_npz(path, sp.csr_array(W)),
    "dense.npy": lambda path: np.save(path, W),
    "symmetric.mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(W), symmetry="symmetric"),
    "array.mtx": lambda path: scipy.io.mmwrite(path, W),
}


@pytest.mark.parametrize("name", MATRICES)
def test_damaged_matrices_are_refused_or_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    MATRICES[name](path)
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
