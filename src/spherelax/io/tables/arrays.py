"""Matrices in files: SciPy's sparse ``.npz``, NumPy's ``.npy`` and MatrixMarket's ``.mtx``.

Archives of several arrays, ``.npz`` and MATLAB's ``.mat``, are read by name.
"""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from io import SEEK_END, BytesIO
from math import prod
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
import scipy.io
import scipy.sparse as sp

from spherelax.errors import InvalidInputError
from spherelax.io.files.apart import Arrays, apart
from spherelax.io.files.faults import about
from spherelax.io.files.mapped import Array
from spherelax.memory import NUMBER, check_fits
from spherelax.problem import Matrix

ENDINGS = (".npz", ".npy", ".mtx")
# Errors that NumPy and SciPy raise for a file whose content does not fit its ending.
BROKEN = (
    ValueError,
    TypeError,
    ArithmeticError,
    LookupError,
    AttributeError,
    EOFError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
    scipy.io.matlab.MatReadError,
)
# Number of arrays that a message names.
NAMES_SHOWN = 6

Found = TypeVar("Found")


def read_matrix(path: str | Path) -> Matrix:
    """Read a dense or sparse matrix; nothing in the file is executed.

    Parameters
    ----------
    path : str or Path
        ``.npz`` of :func:`scipy.sparse.save_npz`, ``.npy`` without Python objects, or any ``.mtx``.

    Returns
    -------
    ndarray, sparse matrix or sparse array
        The matrix in the file; it is not checked whether it is a similarity.

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged, or has another format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "similarity.npy")
    ...     np.save(path, [[0, 1], [1, 0]])
    ...     read_matrix(path)
    array([[0, 1],
           [1, 0]])
    """
    readers = {".npz": _read_npz, ".npy": _read_npy, ".mtx": _read_mtx}
    return _read(path, "a matrix", readers)


def read_vector(path: str | Path) -> Array:
    """Read a one-dimensional ``.npy`` of integers or text, such as the group of each item.

    Parameters
    ----------
    path : str or Path
        A ``.npy`` file without Python objects.

    Returns
    -------
    ndarray of shape (n_items,)
        Integers, booleans or text; bytes become text.

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "groups.npy")
    ...     np.save(path, ["left", "right"])
    ...     read_vector(path).tolist()
    ['left', 'right']
    """
    vector = read_matrix(path)
    if vector.ndim != 1:
        raise InvalidInputError(f"{path}: must hold one label per item; found shape {vector.shape}")
    if vector.dtype.kind not in "biuSU":
        raise InvalidInputError(f"{path}: must hold integers or text; found dtype {vector.dtype}")
    if vector.dtype.kind == "S":
        vector = np.char.decode(vector, "utf-8", "replace")
    return np.asarray(vector)


def read_arrays(path: str | Path, *names: str) -> Arrays:
    """Read all arrays of an archive; nothing in the file is executed.

    Parameters
    ----------
    path : str or Path
        ``.npz`` of :func:`numpy.savez` without Python objects, or MATLAB's ``.mat`` of versions 5
        to 7, of which only arrays of real numbers are read.
    *names : str
        Names of arrays that the file must have.

    Returns
    -------
    dict of str to ndarray
        The arrays by name.

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged, has another format, or lacks one of the names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "points.npz")
    ...     np.savez(path, X=[[0.0, 1.0]], y=[2])
    ...     read_arrays(path, "X", "y")
    {'X': array([[0., 1.]]), 'y': array([2])}
    """
    readers = {".npz": unpack_arrays, ".mat": lambda file: apart(_unpack_mat, Path(file.name))}
    arrays = _read(path, "an archive", readers)
    if not set(names) <= set(arrays):
        raise InvalidInputError(
            f"{path}: must hold the arrays {', '.join(names)}; found {_listed(list(arrays))}"
        )
    return arrays


def read_some(path: str | Path, start: str) -> Arrays:
    """Read the arrays of an ``.npz`` whose names begin so, as `read_arrays` does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "walks.npz")
    ...     np.savez(path, one_labels=[0, 1], two_labels=[0, 0])
    ...     read_some(path, "two")
    {'two_labels': array([0, 0])}
    """
    return _read(path, "an archive", {".npz": lambda file: unpack_arrays(file, start)})


def _read(
    path: str | Path, what: str, readers: Mapping[str, Callable[[IO[bytes]], Found]]
) -> Found:
    """Read a file with the reader for its ending; refuse other endings."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in readers:
        raise InvalidInputError(f"{path}: {what} must end in {', '.join(readers)}")
    with about(path, *BROKEN), path.open("rb") as file:
        return readers[ending](file)


def _read_npz(file: IO[bytes]) -> sp.sparray:
    """Read a sparse matrix; refuse other archives and name their arrays."""
    with zipfile.ZipFile(file) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        _check_members(archive, archive.infolist())
    if not {"format", "shape", "data"} <= set(names):
        raise InvalidInputError(
            f"must be one sparse matrix as scipy.sparse.save_npz writes it; found {_listed(names)}"
        )
    file.seek(0)
    matrix = sp.load_npz(file)
    if matrix.format in ("csr", "csc", "bsr"):
        # SciPy does not check the indices, and wrong ones would crash the interpreter later.
        matrix.check_format(full_check=True)
    return matrix


def _read_npy(file: IO[bytes]) -> Array:
    """Read an array; refuse Python objects, because loading them would execute code."""
    size = file.seek(0, SEEK_END)
    file.seek(0)
    _check_header(file, size)
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def _check_header(file: IO[bytes], size: int) -> None:
    """Refuse a header that promises more than its file has: NumPy would make room for it."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    shape, _, dtype = (read if version == (1, 0) else np.lib.format.read_array_header_2_0)(file)
    if not dtype.hasobject and prod(shape) * dtype.itemsize > size:
        raise InvalidInputError(f"must hold an array of shape {shape}; found {size} bytes")


def _check_members(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> None:
    """Refuse arrays of an archive that need more memory than there is, or are not whole."""
    n_bytes = sum(member.file_size for member in members)
    check_fits(n_bytes, "its content", "Take a smaller file.")
    for member in members:
        with archive.open(member) as file:
            _check_header(file, member.file_size)


def _read_mtx(file: IO[bytes]) -> Matrix:
    """Read a MatrixMarket file; a symmetric one is returned with both triangles.

    SciPy's reader (1.17) ends the whole process at a zero byte, at an error in a last line without
    a line break, and at any error in an open file. So these are avoided before it is called. It
    also reads missing values at the end of a dense symmetric matrix as zeros, so they are counted.
    """
    content = file.read() + b"\n"
    if b"\0" in content:
        raise InvalidInputError("must be a text file; found a zero byte")
    n_rows, n_columns, n_entries, layout, _, symmetry = scipy.io.mminfo(BytesIO(content))
    n_stored = n_rows * n_columns // 2 if layout == "array" else n_entries
    if 2 * n_stored > len(content):  # a value has a digit and a blank
        raise InvalidInputError(f"must hold {n_entries} values; found {len(content)} bytes")
    n_numbers = n_rows + 3 * n_stored
    check_fits(NUMBER * n_numbers, f"a matrix of {n_rows} rows", "Take a smaller one.")
    if (layout, symmetry) == ("array", "symmetric"):
        lines = (line.strip() for line in content.splitlines())
        n_values = sum(1 for line in lines if line and not line.startswith(b"%")) - 1
        if n_values != n_rows * (n_rows + 1) // 2:
            raise InvalidInputError(
                f"must have {n_rows * (n_rows + 1) // 2} values, the lower triangle; "
                f"found {n_values}"
            )
    return scipy.io.mmread(BytesIO(content), spmatrix=False)


def unpack_arrays(file: IO[bytes], start: str = "") -> Arrays:
    """Read each array of an ``.npz`` whose name begins so, completely: its checksum is compared."""
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if member.filename.startswith(start)]
        _check_members(archive, members)
        return {
            member.filename.removesuffix(".npy"): _read_npy(BytesIO(archive.read(member)))
            for member in members
        }


def _unpack_mat(path: Path) -> Arrays:
    """Read the arrays of real numbers; SciPy's reader (1.17) may crash if they are damaged."""
    variables = scipy.io.loadmat(path, spmatrix=False)
    return {
        name: value
        for name, value in variables.items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    }


def _listed(names: list[str]) -> str:
    """Return the names of the first arrays of an archive as text."""
    if not names:
        return "no array"
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return f"the arrays {', '.join(names[:NAMES_SHOWN])}{more}"
