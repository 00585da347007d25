"""Arrays in files that may be larger than memory: they are mapped, not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import DTypeLike, NDArray

from spherelax.io.faults import about
from spherelax.io.writing import drafted, replace_file


def mapped(path: Path) -> NDArray[Any]:
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


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array to a ``.npy`` file, completely or not at all."""
    content = BytesIO()
    np.save(content, array, allow_pickle=False)
    replace_file(path, content.getvalue())


@contextmanager
def new_arrays(files: Mapping[Path, tuple[int, DTypeLike]]) -> Iterator[list[NDArray[Any]]]:
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
