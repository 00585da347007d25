"""Files in and out: the only place where files are opened."""

from __future__ import annotations

import os
from pathlib import Path

from spherelax.io import arrays, rows
from spherelax.io.arrays import read_arrays, read_matrix
from spherelax.io.tables import Items, labels_csv, read_edges, read_groups
from spherelax.problem import InvalidInputError, Problem

__all__ = [
    "Items",
    "check_target",
    "labels_csv",
    "read_arrays",
    "read_edges",
    "read_groups",
    "read_matrix",
    "read_similarity",
    "replace_file",
]


def read_similarity(path: str | Path) -> Items:
    r"""Read similarities from a matrix or an edge table, whichever the ending says.

    Parameters
    ----------
    path : str or Path
        A matrix (``.npz``, ``.npy``, ``.mtx``) or an edge table (``.csv``, ``.tsv``, ``.txt``).

    Returns
    -------
    Items
        Similarities that :func:`spherelax.solve` accepts, and the ids of the items.

    Raises
    ------
    InvalidInputError
        If the file cannot be used; the message names it and says why.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.txt")
    ...     _ = path.write_text("ann anna\nbob rob\n")
    ...     read_similarity(path).ids
    ['ann', 'anna', 'bob', 'rob']
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending in rows.ENDINGS:
        items = read_edges(path)
    elif ending in arrays.ENDINGS:
        items = Items(read_matrix(path), ids=None)
    else:
        expected = ", ".join((*arrays.ENDINGS, *rows.ENDINGS))
        raise InvalidInputError(f"{path}: must end in one of {expected}")
    try:
        Problem.check(items.similarity)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None
    return items


def check_target(path: str | Path) -> None:
    """Raise `InvalidInputError` if a file cannot be written, before any work is done for it.

    Examples
    --------
    >>> check_target("results/labels.csv")
    Traceback (most recent call last):
        ...
    spherelax.problem.InvalidInputError: results/labels.csv: there is no folder results
    """
    path = Path(path)
    if path.is_dir():
        raise InvalidInputError(f"{path}: is a folder, not a file to write")
    if not path.parent.is_dir():
        raise InvalidInputError(f"{path}: there is no folder {path.parent}")
    if _is_device(path):
        return
    draft = _draft(path)
    try:
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written; {error.strerror or error}") from None


def replace_file(path: str | Path, content: bytes) -> None:
    r"""Write a file whole or not at all: beside the target first, then renamed.

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
    if _is_device(path):
        path.write_bytes(content)
        return
    draft = _draft(path)
    try:
        draft.write_bytes(content)
        draft.replace(path.resolve())
    finally:
        draft.unlink(missing_ok=True)


def _is_device(path: Path) -> bool:
    """Tell whether a path is a pipe or a device such as /dev/null, which no file may replace."""
    return path.exists() and not path.is_file()


def _draft(path: Path) -> Path:
    """Return where a file is written before it gets its name; links are followed."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.part")
