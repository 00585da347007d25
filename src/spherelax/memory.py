"""Memory: how much this process can still get, and refusal of work that needs more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from spherelax.errors import InvalidInputError

# POSIX has limits of a process; elsewhere there are none.
RESOURCES: Any = import_module("resource") if find_spec("resource") else None
PROCESS, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")
# The files of a control group: its limit, what it uses, and what of that can be given back.
SECOND = ("memory.max", "memory.current", "inactive_file")
FIRST = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
NUMBER = 8  # bytes of a number in double precision, or of an index


def check_fits(n_bytes: float, what: str, advice: str) -> None:
    """Refuse work that needs more memory than there is, before it begins.

    Parameters
    ----------
    n_bytes : float
        What it needs at its peak.
    what : str
        What needs it, for the message.
    advice : str
        A sentence that says what to do instead.

    Raises
    ------
    InvalidInputError
        If less is free.

    Examples
    --------
    >>> check_fits(8e3, "a table of 1000 numbers", "Take fewer.")
    >>> check_fits(inf, "everything", "Take less.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: everything needs inf GiB of memory; ... GiB are free. \
Take less.
    """
    free = available()
    if n_bytes > free:
        raise InvalidInputError(
            f"{what} needs {n_bytes / 2**30:,.1f} GiB of memory; {free / 2**30:,.1f} GiB are free. "
            f"{advice}"
        )


def available() -> float:
    """Return the bytes that this process can still get; infinity if that is not known.

    The least of what the machine has, what its control groups allow and what ``ulimit -v`` leaves.

    Examples
    --------
    >>> available() > 0
    True
    """
    return max(0.0, min(_of_machine(), _of_groups(PROCESS, GROUPS), address_space()))


def address_space() -> float:
    """Return the bytes of addresses that ``ulimit -v`` leaves to this process; infinity if all.

    Examples
    --------
    >>> address_space() > 0
    True
    """
    if RESOURCES is None:
        return inf
    limit = RESOURCES.getrlimit(RESOURCES.RLIMIT_AS)[0]
    return inf if limit == RESOURCES.RLIM_INFINITY else limit - _addresses_used()


def confine() -> None:
    """Limit this process to what is free now: work on what is not trusted may ask for anything.

    Examples
    --------
    >>> confine()  # doctest: +SKIP
    """
    free = available()
    if RESOURCES is not None and free < inf:
        hard = RESOURCES.getrlimit(RESOURCES.RLIMIT_AS)[1]
        most = int(free) + _addresses_used()
        with suppress(OSError, ValueError):
            RESOURCES.setrlimit(RESOURCES.RLIMIT_AS, (most, hard))


def _addresses_used() -> int:
    """Return the bytes of addresses that this process has; 0 if that is not known."""
    with suppress(OSError, ValueError, IndexError):
        n_pages = int((PROCESS / "self/statm").read_text().split()[0])
        return n_pages * int(RESOURCES.getpagesize())
    return 0


def _of_machine() -> float:
    """Return the bytes that the machine has free, or can free."""
    with suppress(OSError, ValueError, IndexError):
        lines = (PROCESS / "meminfo").read_text().splitlines()
        free = next((line for line in lines if line.startswith("MemAvailable:")), "")
        return 1024.0 * int(free.split()[1])
    with suppress(AttributeError, OSError, ValueError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return inf


def _of_groups(process: Path, groups: Path) -> float:
    """Return the bytes that the control groups of this process leave, of both versions."""
    try:
        lines = (process / "self/cgroup").read_text().splitlines()
    except OSError:
        return inf
    free = inf
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, names = groups, SECOND
        elif "memory" in controllers.split(","):
            root, names = groups / "memory", FIRST
        else:
            continue
        for folder in _upwards(root, path):
            free = min(free, _left(folder, *names))
    return free


def _upwards(root: Path, path: str) -> Iterator[Path]:
    """Yield the folders of a control group and of those that it is in, whose limits count too."""
    folder = root / path.strip("/")
    yield folder
    for parent in folder.parents:
        if not parent.is_relative_to(root):
            return
        yield parent


def _left(folder: Path, limit: str, usage: str, given_back: str) -> float:
    """Return the bytes that one control group leaves; infinity if it has no limit."""
    with suppress(OSError, ValueError):
        most = int((folder / limit).read_text())  # "max" is no number
        used = int((folder / usage).read_text())
        lines = (folder / "memory.stat").read_text().splitlines()
        statistics = dict(line.split() for line in lines)
        return most - used + int(statistics.get(given_back, 0))
    return inf
