"""Writing of files: completely or not at all; a target can be checked before any work is done.

A file is written in a folder of its own beside the target, and then renamed. The folder is locked
while it is in use. So a later run can tell the folders of runs that were killed, which it removes,
from those of runs that are still writing.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spherelax.errors import InvalidInputError

# POSIX has locks; elsewhere nothing is locked, and nothing is removed.
LOCKS: Any = import_module("fcntl") if find_spec("fcntl") else None
ENDING = ".part"
NAME = 40  # characters of the target in the name of the folder, which must not become too long
TRIES = 100  # folders that are made until one is not removed before it is locked


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
    try:
        with _workshop(_target(path)) as folder:
            Path(folder, path.name).touch()
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
def drafted(path: str | Path) -> Iterator[Path]:
    """Yield the path of a draft; it gets the name of the target when everything is written.

    A file that is replaced passes its mode on: who may read and write it.
    What earlier runs for this target left, because they were killed, is removed.

    Parameters
    ----------
    path : str or Path
        The target; links are followed.

    Yields
    ------
    Path
        A file of the same name in a folder beside it, which does not exist yet.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with drafted(Path(folder, "labels.csv")) as draft:
    ...         _ = draft.write_text("item,label")
    ...         before = Path(folder, "labels.csv").exists()
    ...     before, [path.name for path in Path(folder).iterdir()]
    (False, ['labels.csv'])
    """
    remove_left(path)
    target = _target(Path(path))
    with _workshop(target) as folder:
        draft = Path(folder, target.name)
        yield draft
        with suppress(FileNotFoundError):  # a new file has the mode that new files have
            shutil.copymode(target, draft)
        draft.replace(target)


def _target(path: Path) -> Path:
    """Return the file that is written: links are followed."""
    try:
        target = path.resolve()
    except ValueError:
        raise InvalidInputError(f"{path}: the name of a file must not have a zero byte") from None
    except (RuntimeError, OSError):
        target = path
    if target.is_symlink():  # from Python 3.13 on, nothing else tells
        raise InvalidInputError(f"{path}: links lead in a circle")
    return target


@contextmanager
def _workshop(target: Path) -> Iterator[str]:
    """Make a locked folder beside the target, and remove it in the end."""
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory(
            dir=target.parent, prefix=_start(target), suffix=ENDING, ignore_cleanup_errors=True
        ) as folder:
            lock = _locked(folder, wait=True)
            try:
                # Another run may have taken it for one that was left, before it was locked.
                if Path(folder).exists():
                    yield folder
                    return
            finally:
                if lock is not None:
                    os.close(lock)
    raise OSError(f"no folder can be made in {target.parent}")


def remove_left(path: str | Path) -> None:
    """Remove what earlier runs for this target left because they were killed.

    These are folders that nobody has locked.
    """
    target = _target(Path(path))
    name = re.compile(re.escape(_start(target)) + r"[a-z0-9_]{8}" + re.escape(ENDING))
    with suppress(OSError), os.scandir(target.parent) as entries:
        left = [entry.path for entry in entries if name.fullmatch(entry.name)]
        for folder in left:
            lock = _locked(folder, wait=False)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _start(target: Path) -> str:
    """Return how the names of the folders of a target begin."""
    return f".{target.name[:NAME]}."


def _locked(folder: str, *, wait: bool) -> int | None:
    """Lock a folder and return its descriptor; None if another has it or there are no locks."""
    if LOCKS is None:
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)  # never a pipe, which waits
    except OSError:
        return None
    try:
        LOCKS.flock(descriptor, LOCKS.LOCK_EX | (0 if wait else LOCKS.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
