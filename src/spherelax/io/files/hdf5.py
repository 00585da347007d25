"""HDF5 files, read in another process: damaged ones can crash their library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.files.apart import Arrays, apart
from spherelax.io.files.mapped import Array

ENDING = ".h5"


def members(path: Path) -> list[str]:
    """Return the names of what is at the top of a file.

    Examples
    --------
    >>> members(Path("matches.h5"))
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: matches.h5: No such file or directory
    """
    check_installed(path)
    names: list[str] = unpacked(apart(_members, path)["names"])
    return names


def check_installed(path: Path) -> None:
    """Refuse a file if h5py is not installed."""
    if find_spec("h5py") is None:
        raise ImportError(f"{path}: {path.suffix} needs h5py: pip install h5py")


@contextmanager
def opened_hdf5(path: Path, mode: str = "r") -> Iterator[Any]:
    """Open a file, in the other process.

    Examples
    --------
    >>> with opened_hdf5(Path("nowhere.h5")) as file:
    ...     pass
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    with import_module("h5py").File(path, mode) as file:
        yield file


def datasets(file: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the datasets of a name with the path of their group, sorted by it.

    Links to other files are not followed, and data in other files are refused.
    """
    found: list[str] = []

    def visit(path: str, node: object) -> None:
        if path.rpartition("/")[2] == name and hasattr(node, "shape"):
            found.append(path)

    file.visititems(visit)
    for path in sorted(found):
        node = file[path]
        check_inside(path, node)
        yield path.rpartition("/")[0], node


def check_inside(path: str, node: Any) -> None:
    """Refuse a dataset whose values are in another file."""
    if node.external or node.is_virtual:
        raise InvalidInputError(f"{path}: must be in the file itself; found data elsewhere")


def packed(value: object) -> Array:
    """Return what JSON has as an array of bytes, as another process gives it back.

    Examples
    --------
    >>> unpacked(packed(["a.jpg", "b.jpg"]))
    ['a.jpg', 'b.jpg']
    """
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def unpacked(value: Array) -> Any:
    """Return what was packed."""
    return json.loads(value.tobytes())


def _members(path: Path) -> Arrays:
    """Return the names of what is at the top of a file, in the other process."""
    with opened_hdf5(path) as file:
        return {"names": packed(sorted(map(str, file)))}
