"""Work in another process: a library that reads damaged files may end the one it runs in."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.files.mapped import Array
from spherelax.memory import confine

Arrays = dict[str, Array]

# Seconds that reading may take: some, and more for each byte of the file.
LEAST_TIME, TIME_PER_BYTE = 60.0, 1e-6
GIVEN, FOUND, FAULT, NAMES = "given", "found", "fault.json", "names.json"
# What the other process runs. Its own search path is not used, so that no file beside it is.
PROGRAM = """
import json, sys
order = json.load(sys.stdin)
sys.path[:] = order["path"]
from spherelax.io.files.apart import answer
answer(order)
"""


def apart(work: Callable[..., Arrays], path: Path, **arguments: object) -> Arrays:
    """Call a function about a file in another process.

    Parameters
    ----------
    work : callable
        A function of a module. It gets the path and the arguments, and returns arrays by name.
    path : Path
        The file that it reads.
    **arguments
        Arrays, and whatever JSON has.

    Returns
    -------
    dict of str to ndarray
        What it returned.

    Raises
    ------
    InvalidInputError
        For any error that it raises, and if it ends its process, or does not end.

    Examples
    --------
    >>> apart(sizes, Path("nowhere.h5ad"))
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: nowhere.h5ad: No such file or directory
    """
    if not sys.executable:  # Python inside another program
        with about(path, Exception):
            return work(path, **arguments)
    with about(path):
        longest = LEAST_TIME + TIME_PER_BYTE * path.stat().st_size
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    with tempfile.TemporaryDirectory(prefix="spherelax-") as folder:
        _save(Path(folder, GIVEN), arrays)
        order = {
            "path": list(map(str, sys.path)),
            "work": [work.__module__, work.__qualname__],
            "file": str(path),
            "folder": folder,
            "values": {name: value for name, value in arguments.items() if name not in arrays},
        }
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", PROGRAM],
                input=json.dumps(order).encode(),
                capture_output=True,
                timeout=longest,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _unreadable(path, f"it was not read in {longest:.0f} seconds") from None
        if Path(folder, FAULT).exists():
            fault = json.loads(Path(folder, FAULT).read_text())
            raise (ImportError if fault["is_import"] else InvalidInputError)(fault["message"])
        if done.returncode:
            raise _unreadable(path, f"its reader was ended by {_reason(done.returncode)}")
        return _load(Path(folder, FOUND))


def answer(order: dict[str, Any]) -> None:
    """Do the work in the other process, and write what it returns or raises."""
    folder, path = Path(order["folder"]), Path(order["file"])
    module, name = order["work"]
    confine()
    try:
        with about(path, Exception):
            work = getattr(import_module(module), name)
            found = work(path, **_load(folder / GIVEN), **order["values"])
            _save(folder / FOUND, found)
    except (InvalidInputError, ImportError) as error:
        fault = {"message": str(error), "is_import": isinstance(error, ImportError)}
        Path(folder, FAULT).write_text(json.dumps(fault))


def sizes(path: Path) -> Arrays:
    """Return the size of a file: the simplest work."""
    return {"size": np.array(path.stat().st_size)}


def _save(folder: Path, arrays: Arrays) -> None:
    """Save arrays in a new folder, without pickle."""
    folder.mkdir()
    (folder / NAMES).write_text(json.dumps(list(arrays)))
    for number, array in enumerate(arrays.values()):
        np.save(folder / f"{number}.npy", array, allow_pickle=False)


def _load(folder: Path) -> Arrays:
    """Load what `_save` saved."""
    names = json.loads((folder / NAMES).read_text())
    return {
        name: np.load(folder / f"{number}.npy", allow_pickle=False)
        for number, name in enumerate(names)
    }


def _unreadable(path: Path, reason: str) -> InvalidInputError:
    """Return the error about a file that cannot be read."""
    return InvalidInputError(f"{path}: not a readable {path.suffix.lower()} file; {reason}")


def _reason(code: int) -> str:
    """Return why a process ended."""
    if code > 0:
        return f"an error (code {code})"
    with suppress(ValueError):
        return f"signal {-code} ({signal.Signals(-code).name})"
    return f"signal {-code}"
