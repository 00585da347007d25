"""Threads that share work: each takes one part after the other, and none waits for another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

# Parts of the work for each thread: a thread that is done early takes one more.
N_PARTS = 4
# Amount of work below which a second thread costs more time than it saves: a similarity counts 1,
# an item as much as this number of similarities.
WORTH_THREADS = 1_750_000
SIMILARITIES_OF_ITEM = 10

# The first item, and the one after the last.
Items = tuple[int, int]
# Is told the items of a part and the number of the thread, from 0 on.
Work = Callable[[int, int, int], None]


class Threads:
    """Threads for work on rows that begin at ``indptr``, as long as the context lasts.

    Attributes
    ----------
    n_threads : int
        How many threads share the work.
    n_parts : int
        In how many parts work should be cut.
    """

    def __init__(self, n_threads: int, indptr: NDArray[np.int64]) -> None:
        work = indptr[-1] + SIMILARITIES_OF_ITEM * (len(indptr) - 1)
        self.n_threads = n_threads if work >= WORTH_THREADS else 1
        self.n_parts = 1 if self.n_threads == 1 else N_PARTS * self.n_threads

    def __enter__(self) -> Self:
        self._pool = None if self.n_threads == 1 else ThreadPoolExecutor(self.n_threads - 1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, parts: Iterable[Items], work: Work) -> None:
        """Let each thread take one part after the other."""
        if self._pool is None:
            for part in parts:
                work(*part, 0)
            return
        waiting = deque(parts)

        def work_on(thread: int) -> None:
            while True:
                try:
                    part = waiting.popleft()
                except IndexError:
                    return
                work(*part, thread)

        others = range(1, self.n_threads)
        running = [self._pool.submit(work_on, thread) for thread in others]
        work_on(0)
        for other in running:
            other.result()

    def share_rows(self, indptr: NDArray[np.int64], work: Work) -> None:
        """Let the threads work on rows side by side, in parts with about equally many entries."""
        self.run(self.parts_of_rows(indptr), work)

    def parts_of_rows(self, indptr: NDArray[np.int64]) -> list[Items]:
        """Cut rows, which begin at ``indptr``, into parts with about equally many entries."""
        if self.n_parts == 1:
            return [(0, len(indptr) - 1)]
        marks = np.linspace(indptr[0], indptr[-1], self.n_parts + 1)[1:-1].astype(np.int64)
        inside = np.searchsorted(indptr, marks).tolist()
        return list(pairwise(sorted({0, *inside, len(indptr) - 1})))
