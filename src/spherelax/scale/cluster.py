"""Workers of a Dask cluster that the user has: futures from file to file, without any state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from math import inf
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from spherelax._version import __version__
from spherelax.errors import InvalidInputError
from spherelax.scale.tasks import Fault, Task, lost

if TYPE_CHECKING:
    from distributed import Client, Future

# Seconds between two looks at the workers, and how long there may be none.
LOOK, PATIENCE = 2.0, 60.0
# How often Dask does a task again that has failed; killed workers are counted apart.
RETRIES = 1
# What every worker is asked, in the words of Python alone: it may not have spherelax.
VERSION = (
    "__import__('importlib.util').util.find_spec('spherelax') "
    "and __import__('spherelax').__version__"
)
EXISTS = "__import__('os').path.exists({!r})"
KEPT = "what is done is kept"
# What Dask knows of a worker.
Worker = dict[str, Any]


def connected(address: str) -> Client:
    """Return a client of the scheduler at an address."""
    try:
        return library().Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{address}: no scheduler of Dask answers; {error}") from None


def library() -> ModuleType:
    """Import the part of Dask that is needed."""
    try:
        return import_module("distributed")
    except ImportError:
        raise ImportError("this needs Dask: pip install 'spherelax[dask]'") from None


class Cluster:
    """The workers of a client of Dask.

    Parameters
    ----------
    client : distributed.Client
        A client that is connected.
    folder : Path
        A folder with files, which all workers must see under this name.

    Raises
    ------
    InvalidInputError
        If there is no worker, or one has no spherelax or another version, or does not see the
        folder.

    Examples
    --------
    >>> Cluster(client, Path("shards"))  # doctest: +SKIP
    """

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self._seen = monotonic()
        while not self._workers():
            self._be_patient()
            sleep(LOOK)
        for address, version in self.client.run(eval, VERSION).items():
            if version != __version__:
                found = f"spherelax {version}" if version else "none"
                raise InvalidInputError(
                    f"{address}: this worker must have spherelax {__version__}; found {found}"
                )
        seen = self.client.run(eval, EXISTS.format(str(folder)))
        for address in (address for address, is_seen in seen.items() if not is_seen):
            raise InvalidInputError(
                f"{address}: this worker must see the folder {folder}; choose one that all share"
            )

    def n_threads(self, n_tasks: int, *, is_alone: bool) -> int:  # noqa: ARG002 (those of Runner)
        """Return how many threads one of several tasks should use: Dask counts one for each."""
        threads = [about["nthreads"] for about in self._workers().values()]
        return max(threads, default=1) if is_alone else 1

    def memory(self) -> float:
        """Return the bytes of the worker that has the most."""
        return max(map(_limit, self._workers().values()), default=inf)

    def run(self, tasks: Sequence[Task], done: Callable[[Task], None]) -> None:
        """Do all tasks; Dask begins those again whose workers are killed."""
        futures = {self._submitted(task): task for task in tasks}
        try:
            while futures:
                for future in self._finished(list(futures)):
                    self._check(futures[future], future)
                    done(futures.pop(future))
                    future.release()  # Dask would do it again if the worker died that has done it
        finally:
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel(list(futures))

    def _submitted(self, task: Task) -> Future:
        """Give a task to Dask; a large one to the workers that have the memory."""
        limits = {address: _limit(about) for address, about in self._workers().items()}
        large = [address for address, limit in limits.items() if limit >= task.n_bytes]
        where: dict[str, object] = {}
        if 0 < len(large) < len(limits):
            where = {"workers": large, "allow_other_workers": True}  # if these are gone
        key = f"spherelax-{task.name}-{uuid4().hex}"
        return self.client.submit(
            task.work, *task.arguments, key=key, pure=False, retries=RETRIES, **where
        )

    def _finished(self, futures: list[Future]) -> list[Future]:
        """Wait for futures, and return those that are done."""
        with suppress(TimeoutError), self.client.as_current():
            return list(library().wait(futures, timeout=LOOK, return_when="FIRST_COMPLETED").done)
        if self.client.status != "running":
            raise self._gone("its scheduler is gone")
        if self._workers():
            self._seen = monotonic()
        self._be_patient()
        return []

    def _be_patient(self) -> None:
        """Wait for workers, but not for ever."""
        if monotonic() - self._seen > PATIENCE:
            raise self._gone(f"it has had no worker for {PATIENCE:.0f} seconds")

    def _check(self, task: Task, future: Future) -> None:
        """Raise the error of a task."""
        if future.status == "cancelled":
            raise self._gone("its scheduler is gone")
        error = future.exception()
        if error is None:
            return
        if isinstance(error, library().KilledWorker):
            raise lost(task)
        raise Fault.of(error).error(task)

    def _gone(self, why: str) -> InvalidInputError:
        """Return the error about a cluster that does not answer."""
        where = self.client.scheduler.address if self.client.scheduler else "the cluster"
        return InvalidInputError(f"{where}: {why}; start it and run this again: {KEPT}")

    def _workers(self) -> dict[str, Worker]:
        """Return what Dask knows of each worker."""
        found: dict[str, Worker] = self.client.scheduler_info(n_workers=-1)["workers"]
        return found


def _limit(worker: Worker) -> float:
    """Return the bytes that a worker may use; infinity if Dask does not limit them."""
    return float(worker["memory_limit"] or inf)
