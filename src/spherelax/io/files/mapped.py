"""Arrays in files that may be larger than memory: they are mapped, not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.lib.format import open_memmap, write_array_header_1_0
from numpy.typing import DTypeLike, NDArray

from spherelax.io.files.faults import about
from spherelax.io.files.seals import SIZE, damaged, start_seal
from spherelax.io.files.writing import drafted

# Bytes of a ``.npy`` file before its header, the last two of which say how long that is.
HEADER = 10
# An array of any type of numbers.
Array = NDArray[Any]


def mapped(path: Path, at: int | None = None) -> Array:
    """Return the array of a ``.npy`` file, or one row; the system reads what is used of it.

    What is written to the array does not reach the file. What is returned has been compared with
    its checksums, which are behind the array.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_array(Path(folder, "labels.npy"), np.array([0, 0, 1]))
    ...     mapped(Path(folder, "labels.npy")).tolist()
    [0, 0, 1]
    """
    content = _content(path)
    header = content[: HEADER + int.from_bytes(content[HEADER - 2 : HEADER], "little")]
    start = crc32(header, start_seal(path))
    if len(content) < len(header) + SIZE or _bytes(start) != content[-SIZE:]:
        raise damaged(path)
    try:
        array = np.load(path, mmap_mode="c", allow_pickle=False)
    except ValueError:  # cut off
        raise damaged(path) from None
    sums = content[len(header) + array.nbytes : -SIZE]
    rows = np.asarray(array).reshape(max(len(sums) // SIZE, 1), -1)
    for row in range(len(rows)) if at is None else [at]:
        if _bytes(crc32(rows[row].data, start)) != sums[SIZE * row : SIZE * (row + 1)]:
            raise damaged(path)
    return np.asarray(array if at is None else array[at])


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
    ...     mapped(Path(folder, "steps.npy"), 1).tolist()
    [3, 4]
    """
    about_it = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape}
    header = BytesIO()
    write_array_header_1_0(header, about_it)
    start, sums = crc32(header.getvalue(), start_seal(path)), []
    with drafted(path) as draft, draft.open("wb") as file:
        file.write(header.getvalue())
        for row in rows:
            content = np.ascontiguousarray(row, kind)
            sums.append(crc32(content.data, start))
            file.write(content.data)
        for found in (*sums, start):
            file.write(_bytes(found))


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
    with ExitStack() as stack:
        drafts = {stack.enter_context(drafted(path)): kind for path, kind in files.items()}
        arrays = [
            open_memmap(draft, "w+", dtype=kind, shape=(length,))
            for draft, (length, kind) in drafts.items()
        ]
        yield [np.asarray(array) for array in arrays]
        for path, draft, array in zip(files, drafts, arrays, strict=True):
            array.flush()
            start = crc32(_content(draft)[: array.offset], start_seal(path))
            with draft.open("ab") as file:
                file.write(_bytes(crc32(array.data, start)) + _bytes(start))


def _content(path: Path) -> memoryview:
    """Map the bytes of a file."""
    with about(path):
        try:
            return np.memmap(path, np.uint8, "r").data
        except ValueError:  # empty
            raise damaged(path) from None


def _bytes(checksum: int) -> bytes:
    """Return a checksum as it is written."""
    return checksum.to_bytes(SIZE, "little")
