"""Streams as files: readers need a file that has an ending and can be read twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from spherelax.errors import InvalidInputError
from spherelax.io.files.sqlite import MAGIC as SQLITE

# The ending for the first bytes of a file; a file with other first bytes is text.
ENDINGS = {
    SQLITE: ".db",
    b"PK\x03\x04": ".npz",
    b"\x93NUMPY": ".npy",
    b"%%MatrixMarket": ".mtx",
    b"PAR1": ".parquet",
    b"\x89HDF\r\n\x1a\n": ".h5",
}
TEXT = ".txt"


@contextmanager
def spooled(stream: BinaryIO, name: str) -> Iterator[Path]:
    r"""Copy a stream to a file, which is deleted at the end of the context.

    Parameters
    ----------
    stream : binary file
        Such as standard input.
    name : str
        Its name in messages.

    Yields
    ------
    Path
        A file with the ending that fits its content; ``.txt`` for text.

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
    """Return the ending that fits the first bytes of a file."""
    with path.open("rb") as file:
        start = file.read(max(map(len, ENDINGS)))
    return next((ending for magic, ending in ENDINGS.items() if start.startswith(magic)), TEXT)
