"""Workers that are processes on this machine; one that is killed is replaced."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Self

from spherelax.scale.tasks import TRIES, Fault, Task, lost
from spherelax.scale.worker import PROGRAM


class Processes:
    """So many processes, used in ``with``; those at work at once fit into some memory.

    They are not forked, and do not run the user's program again, as those of `multiprocessing` do.

    Examples
    --------
    >>> import os
    >>> with Processes(2, 1e9) as runner:
    ...     runner.run([Task(os.listdir, (".",), "this folder", 0)], done=lambda task: None)
    """

    def __init__(self, n_workers: int, n_bytes: float) -> None:
        self.n_workers = n_workers
        self.n_bytes = n_bytes
        self._workers: list[_Worker] = []
        self._answers: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def n_threads(self, n_tasks: int, *, is_alone: bool) -> int:
        """Return how many threads one of several tasks should use."""
        return self.n_workers if is_alone else max(self.n_workers // n_tasks, 1)

    def memory(self) -> float:
        """Return the bytes that the largest task may need."""
        return self.n_bytes

    def run(self, tasks: Sequence[Task], done: Callable[[Task], None]) -> None:
        """Do all tasks, the largest first."""
        waiting = sorted(tasks, key=lambda task: -task.n_bytes)
        n_tries: Counter[str] = Counter()
        while waiting or self._running():
            self._begin(waiting)
            worker, answer = self._answers.get()
            task, worker.task = worker.task, None
            if answer is LOST:
                self._workers.remove(worker)
                worker.end()
                if task is not None:
                    n_tries[task.name] += 1
                    if n_tries[task.name] == TRIES:
                        raise lost(task)
                    waiting.insert(0, task)
            elif task is not None:
                if answer is not None:
                    raise Fault(*answer).error(task)
                done(task)

    def _running(self) -> list[Task]:
        """Return the tasks at work."""
        return [worker.task for worker in self._workers if worker.task is not None]

    def _begin(self, waiting: list[Task]) -> None:
        """Begin as many tasks as there are processes and memory for."""
        for task in list(waiting):
            running = self._running()
            if len(running) == self.n_workers or any(each.is_alone for each in running):
                return
            used = sum(each.n_bytes for each in running)
            if not running or not (task.is_alone or used + task.n_bytes > self.n_bytes):
                waiting.remove(task)
                self._idle().begin(task)

    def _idle(self) -> _Worker:
        """Return a process without a task."""
        for worker in self._workers:
            if worker.task is None:
                return worker
        self._workers.append(_Worker(self._answers))
        return self._workers[-1]


# What a process answers that has ended.
LOST = object()


class _Worker:
    """A process, and the task that it works on."""

    def __init__(self, answers: SimpleQueue[tuple[_Worker, Any]]) -> None:
        self.task: Task | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._write(list(map(str, sys.path)))
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()

    def begin(self, task: Task) -> None:
        """Give a task to the process."""
        self.task = task
        work = [task.work.__module__, task.work.__qualname__]
        self._write({"work": work, "arguments": task.arguments})

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _write(self, order: object) -> None:
        """Write a line; if the process has ended, the listener says so."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(json.dumps(order).encode() + b"\n")
                self._process.stdin.flush()

    def _listen(self, answers: SimpleQueue[tuple[_Worker, Any]]) -> None:
        """Pass on the answers of the process, and that it has ended."""
        if self._process.stdout is not None:
            with suppress(ValueError, OSError):  # closed, because the work is done
                for line in self._process.stdout:
                    answers.put((self, json.loads(line)))
        answers.put((self, LOST))
