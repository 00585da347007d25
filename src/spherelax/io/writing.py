"""Writing of files: completely or not at all; a target can be checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spherelax.errors import InvalidInputError


def is_device(path: str | Path) -> bool:
    """Tell whether a path is a pipe or a device, which must not be replaced by a file.

    Examples
    --------
    >>> is_device("/dev/null"), is_device("labels.csv")
    (True, False)
    """
    path = Path(path)
    return path.exists() and not path.is_file()


def check_target(path: str | Path) -> None:
    """Raise `InvalidInputError` if a file cannot be written, before any work is done for it.

    Examples
    --------
    >>> check_target("results/labels.csv")
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: results/labels.csv: the folder results does not exist
    """
    path = Path(path)
    if path.is_dir():
        raise InvalidInputError(f"{path}: must be a file; found a folder")
    if not path.parent.is_dir():
        raise InvalidInputError(f"{path}: the folder {path.parent} does not exist")
    if is_device(path):
        return
    draft = _draft(path)
    try:
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written; {error.strerror or error}") from None


def replace_file(path: str | Path, content: bytes) -> None:
    r"""Write a file completely or not at all: under another name first, then renamed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     replace_file(path, b"item,label,confidence\n")
    ...     path.read_text()
    'item,label,confidence\n'
    """
    path = Path(path)
    if is_device(path):
        path.write_bytes(content)
        return
    with drafted(path) as draft:
        draft.write_bytes(content)


@contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """Give the path of a draft, which becomes the file if no error comes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with drafted(Path(folder, "labels.csv")) as draft:
    ...         _ = draft.write_text("item,label")
    ...     [path.name for path in Path(folder).iterdir()]
    ['labels.csv']
    """
    draft = _draft(path)
    try:
        yield draft
        draft.replace(path.resolve())
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    """Return the path of a file before it is renamed; links are followed."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.part")
