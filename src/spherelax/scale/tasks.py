"""Work on one shard, from file to file, that any process may do; and what went wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from spherelax.errors import InvalidInputError
from spherelax.scale.answers import answer
from spherelax.scale.protocol import perform
from spherelax.scale.workspace import is_full

# How often a shard is begun at most, if the processes that work on it are killed.
TRIES = 4
FULL = "the disk is full; free some room and run it again: what is done is kept"


class Task(NamedTuple):
    """A function of a module, its arguments, which JSON has, and what it is about.

    Attributes
    ----------
    work : callable
        Safe to run twice, also at the same time.
    arguments : tuple
        Texts and numbers.
    name : str
        Name of the shard in messages.
    n_bytes : int
        Memory that a process needs for it.
    is_alone : bool
        Whether nothing else should run on its machine.
    """

    work: Callable[..., None]
    arguments: tuple[str | int, ...]
    name: str
    n_bytes: int
    is_alone: bool = False


class Fault(NamedTuple):
    """What went wrong: its kind and a message."""

    kind: str
    message: str

    @classmethod
    def of(cls, error: BaseException) -> Fault:
        """Describe an error.

        Examples
        --------
        >>> Fault.of(OSError(28, "No space left on device")).message[:16]
        'the disk is full'
        """
        if isinstance(error, Exception) and is_full(error):
            return cls("input", FULL)
        if isinstance(error, InvalidInputError | OSError):
            return cls("input", str(error))
        if isinstance(error, ImportError):
            return cls("import", str(error))
        if isinstance(error, MemoryError):
            return cls("memory", str(error) or "memory ran out")
        return cls("other", f"{type(error).__name__}: {error}")

    def error(self, task: Task) -> Exception:
        """Return the error to raise about a task."""
        kinds: dict[str, type[Exception]] = {
            "input": InvalidInputError,
            "import": ImportError,
            "memory": MemoryError,
        }
        return kinds.get(self.kind, RuntimeError)(f"{task.name}: {self.message}")


class Runner(Protocol):
    """Something that has workers."""

    def n_threads(self, n_tasks: int, *, is_alone: bool) -> int:
        """Return how many threads one of several tasks should use."""

    def memory(self) -> float:
        """Return the bytes that the largest task may need."""

    def run(self, tasks: Sequence[Task], done: Callable[[Task], None]) -> None:
        """Do all tasks, and tell of each one that is done."""


def perform_shard(folder: str, number: int, shard: int, n_threads: int) -> None:
    """Carry out a round for a shard: `perform` with arguments that JSON has."""
    perform(Path(folder), number, shard, n_threads)


def answer_shard(folder: str, shard: int, into: str) -> None:
    """Write the answers of a shard: `answer` with arguments that JSON has."""
    answer(Path(folder), shard, Path(into))


def lost(task: Task) -> Exception:
    """Return the error about a task whose processes were killed too often."""
    return InvalidInputError(
        f"{task.name}: the processes that worked on it were killed {TRIES} times, perhaps because "
        f"memory ran out; it needs about {task.n_bytes / 1e9:.1f} GB. What is done is kept"
    )
