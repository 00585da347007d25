"""Streams as files: readers want a file that has an ending and can be read twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from spherelax.errors import InvalidInputError
from spherelax.io.sqlite import MAGIC as SQLITE

# The ending that a file should have by its first bytes; text, which has none, is anything else.
ENDINGS = {
    SQLITE: ".db",
    b"PK\x03\x04": ".npz",
    b"\x93NUMPY": ".npy",
    b"%%MatrixMarket": ".mtx",
    b"PAR1": ".parquet",
    b"\x89HDF\r\n\x1a\n": ".h5ad",
}
TEXT = ".txt"


@contextmanager
def spooled(stream: BinaryIO, name: str) -> Iterator[Path]:
    r"""Keep what a stream holds in a file for as long as the context lasts.

    Parameters
    ----------
    stream : binary file
        Such as standard input.
    name : str
        What faults call it.

    Yields
    ------
    Path
        A file with the ending that its content calls for; ``.txt`` for text.

    Examples
    --------
    >>> from io import BytesIO
    >>> with spooled(BytesIO(b"ann,anna\n"), "standard input") as path:
    ...     path.name, path.read_text()
    ('input.txt', 'ann,anna\n')
    >>> path.exists()
    False
    """
    with tempfile.TemporaryDirectory(prefix="spherelax-") as folder:
        draft = Path(folder, "input")
        with draft.open("wb") as file:
            shutil.copyfileobj(stream, file)
        copy = draft.rename(draft.with_suffix(ending_of(draft)))
        try:
            yield copy
        except (InvalidInputError, ImportError) as error:
            raise type(error)(str(error).replace(str(copy), name)) from None


def ending_of(path: Path) -> str:
    """Return the ending that a file should have by its first bytes."""
    with path.open("rb") as file:
        start = file.read(max(map(len, ENDINGS)))
    return next((ending for magic, ending in ENDINGS.items() if start.startswith(magic)), TEXT)
