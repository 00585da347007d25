"""What can go wrong while a process works on a shard; workers import it by name."""

import errno
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spherelax import InvalidInputError
from spherelax.scale.tasks import perform_shard

# Windows has no SIGKILL: there, SIGTERM ends a process at once.
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def slow(folder, number, shard, n_threads):
    """Leave a file that names the process, and do the work slowly while some are killed."""
    Path(folder, f"begun-{shard}-{os.getpid()}").touch()
    if len(begun(Path(folder))) < 4:
        time.sleep(0.5)
    perform_shard(folder, number, shard, n_threads)


def begun(folder):
    """Return the processes that have begun with a shard (`slow`)."""
    return {int(marker.name.rpartition("-")[2]) for marker in folder.glob("begun-*")}


def suicide(*_):
    """End this process as if it were killed."""
    os.kill(os.getpid(), KILL)


def full(*_):
    """Fail as on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def damaged(*_):
    """Fail as with a damaged file."""
    raise InvalidInputError("edges.parquet: not a readable .parquet file")


def nothing(*_):
    """Leave no files."""


@contextmanager
def two_killed(folder: Path) -> Iterator[list[int]]:
    """Kill the first two processes that begin with a shard (`slow`), and list them."""
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 2:
            for pid in [pid for pid in begun(folder) if pid not in killed][: 2 - len(killed)]:
                os.kill(pid, KILL)
                killed.append(pid)
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    yield killed
    thread.join()
    assert len(killed) == 2 < len(begun(folder))
