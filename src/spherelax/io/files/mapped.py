"""Arrays in files that may be larger than memory: they are mapped, not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap, write_array_header_1_0
from numpy.typing import DTypeLike, NDArray

from spherelax.io.files.faults import about
from spherelax.io.files.writing import drafted

# An array of any type of numbers.
Array = NDArray[Any]


def mapped(path: Path) -> Array:
    """Return the array of a ``.npy`` file; the system reads what is used of it, when it is used.

    What is written to the array does not reach the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_array(Path(folder, "labels.npy"), np.array([0, 0, 1]))
    ...     mapped(Path(folder, "labels.npy")).tolist()
    [0, 0, 1]
    """
    with about(path, ValueError, EOFError):
        return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))


def save_array(path: Path, array: Array) -> None:
    """Write an array to a ``.npy`` file, completely or not at all."""
    save_rows(path, [array], array.shape, array.dtype)


def save_rows(path: Path, rows: Iterable[Array], shape: tuple[int, ...], kind: DTypeLike) -> None:
    """Write an array whose rows come one after the other, completely or not at all.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_rows(Path(folder, "steps.npy"), map(np.int32, [[1, 2], [3, 4]]), (2, 2), np.int32)
    ...     mapped(Path(folder, "steps.npy")).tolist()
    [[1, 2], [3, 4]]
    """
    about_it = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape}
    with drafted(path) as draft, draft.open("wb") as file:
        write_array_header_1_0(file, about_it)
        for row in rows:
            file.write(np.ascontiguousarray(row, kind).data)


@contextmanager
def new_arrays(files: Mapping[Path, tuple[int, DTypeLike]]) -> Iterator[list[Array]]:
    """Make ``.npy`` files of given lengths and types; they get their names when all are filled.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ones.npy")
    ...     with new_arrays({path: (3, np.int32)}) as (ones,):
    ...         ones[:] = 1
    ...     mapped(path).tolist()
    [1, 1, 1]
    """
    with ExitStack() as drafts:
        arrays = [
            open_memmap(drafts.enter_context(drafted(path)), "w+", dtype=kind, shape=(length,))
            for path, (length, kind) in files.items()
        ]
        yield [np.asarray(array) for array in arrays]
        for array in arrays:
            array.flush()
