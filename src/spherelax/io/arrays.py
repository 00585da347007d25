"""Matrices in files: SciPy's sparse ``.npz``, NumPy's ``.npy`` and MatrixMarket's ``.mtx``."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.problem import InvalidInputError

ENDINGS = (".npz", ".npy", ".mtx")
# What the readers of NumPy and SciPy raise for a file that is not what its ending says.
BROKEN = (
    ValueError,
    TypeError,
    ArithmeticError,
    LookupError,
    AttributeError,
    EOFError,
    NotImplementedError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
# An archive of other arrays can hold many; a message names the first of them.
NAMES_SHOWN = 6


def read_matrix(path: str | Path) -> Any:
    """Read a dense or sparse matrix; nothing in the file is ever executed.

    Parameters
    ----------
    path : str or Path
        ``.npz`` as :func:`scipy.sparse.save_npz` writes it, ``.npy`` without Python objects, or
        ``.mtx`` of any kind.

    Returns
    -------
    ndarray, sparse matrix or sparse array
        As it stands in the file; whether it is a similarity is not looked at.

    Raises
    ------
    InvalidInputError
        If the file is missing, broken or of another kind.

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
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InvalidInputError(f"{path}: a matrix must end in {', '.join(ENDINGS)}")
    read = {".npz": _read_npz, ".npy": _read_npy, ".mtx": _read_mtx}[ending]
    try:
        with path.open("rb") as file:
            return read(file)
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}") from None
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None
    except BROKEN as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise InvalidInputError(f"{path}: not a readable {ending} file; {reason}") from None


def read_vector(path: str | Path) -> NDArray[Any]:
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
        If the file is missing, broken or holds something else.

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


def _read_npz(file: IO[bytes]) -> Any:
    """Read a sparse matrix, and say what else is in an archive that holds none."""
    with zipfile.ZipFile(file) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
    if not {"format", "shape", "data"} <= set(names):
        found = ", ".join(names[:NAMES_SHOWN]) + (", ..." if len(names) > NAMES_SHOWN else "")
        raise InvalidInputError(
            "must be one sparse matrix as scipy.sparse.save_npz writes it; "
            f"found {f'the arrays {found}' if names else 'no array'}"
        )
    file.seek(0)
    matrix = sp.load_npz(file)
    if matrix.format in ("csr", "csc", "bsr"):
        # SciPy reads indices unseen, and indices out of range crash the interpreter later.
        matrix.check_format(full_check=True)
    return matrix


def _read_npy(file: IO[bytes]) -> Any:
    """Read an array; Python objects would be run as a program and are refused."""
    return np.lib.format.read_array(file, allow_pickle=False)


def _read_mtx(file: IO[bytes]) -> Any:
    """Read a MatrixMarket file; a symmetric one comes with both triangles.

    SciPy's reader (1.17) ends the whole process at a zero byte, at a fault in a last line without
    line break, and at any fault in an open file; so it gets none of these. What is missing at the
    end of a dense symmetric matrix it takes for zeros.
    """
    content = file.read() + b"\n"
    if b"\0" in content:
        raise InvalidInputError("must be a text file; found a zero byte")
    n_rows, _, _, layout, _, symmetry = scipy.io.mminfo(BytesIO(content))
    if (layout, symmetry) == ("array", "symmetric"):
        lines = (line.strip() for line in content.splitlines())
        n_values = sum(1 for line in lines if line and not line.startswith(b"%")) - 1
        if n_values != n_rows * (n_rows + 1) // 2:
            raise InvalidInputError(
                f"must have {n_rows * (n_rows + 1) // 2} values, the lower triangle; "
                f"found {n_values}"
            )
    return scipy.io.mmread(BytesIO(content), spmatrix=False)
