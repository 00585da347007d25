"""Items in batches, and threads that share the work of each: no label depends on their number.

Within a batch all is computed from what was there before it, by any number of threads; then it is
put into place, in order. A batch consists of whole units. One that is larger than a batch should
be is cut into pieces, which do not see what is computed for each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Graph

# With fewer items than this, units are visited one by one; else in this number of batches.
BATCHED_ITEMS = 1 << 12
N_BATCHES = 16
# Parts of a batch for each thread: a thread that is done early takes one more.
N_PARTS = 4
# Number of similarities below which a second thread costs more time than it saves.
WORTH_THREADS = 1 << 20


class Batches:
    """The batches of a graph, and threads for them as long as the context lasts.

    Attributes
    ----------
    is_batched : bool
        Whether there are so many items that units are not visited one by one.
    largest : int
        Number of items of the largest unit that is not cut.
    spans : list of (int, int)
        The first position of each batch, and the one after its last; one batch if not batched.
    n_threads : int
        How many threads share a batch.
    """

    def __init__(self, graph: Graph, n_threads: int) -> None:
        m, unit_ptr = graph.n_items, graph.unit_ptr
        self.is_batched = m >= BATCHED_ITEMS
        n_batches = N_BATCHES if self.is_batched else 1
        self.n_threads = n_threads if len(graph.values) >= WORTH_THREADS else 1
        self.largest = m // n_batches
        self._inside = _cuts_inside(unit_ptr, self.largest)
        self._begins = np.union1d(unit_ptr, self._inside) if len(self._inside) else unit_ptr
        cuts = _at_or_after(np.linspace(0, m, n_batches + 1), unit_ptr)
        self.spans = list(pairwise(sorted(set(cuts))))

    def __enter__(self) -> Batches:
        self._pool = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown()

    def share(self, first: int, last: int, work: Callable[[int, int, int], None]) -> None:
        """Let the threads work on positions ``first .. last - 1`` side by side.

        They call ``work(first, last, thread)``, numbered from 0, for whole units or for one piece.
        """
        n_parts = 1 if self.n_threads == 1 else N_PARTS * self.n_threads
        cuts = _at_or_after(np.linspace(first, last, n_parts + 1), self._begins)
        inside = self._inside[(self._inside > first) & (self._inside < last)]
        waiting = deque(pairwise(sorted({*cuts, *inside.tolist()})))

        def work_on(thread: int) -> None:
            while True:
                try:
                    piece = waiting.popleft()
                except IndexError:
                    return
                work(*piece, thread)

        running = [self._pool.submit(work_on, thread) for thread in range(1, self.n_threads)]
        work_on(0)
        for other in running:
            other.result()


def _cuts_inside(unit_ptr: NDArray[np.int32], largest: int) -> NDArray[np.int32]:
    """Return the positions at which units with more than ``largest`` items are cut evenly."""
    sizes = np.diff(unit_ptr)
    cuts = [np.empty(0)]
    for unit in np.flatnonzero(sizes > largest):
        n_pieces = -(-sizes[unit] // largest)
        cuts.append(np.linspace(unit_ptr[unit], unit_ptr[unit + 1], n_pieces + 1)[1:-1])
    return np.concatenate(cuts).astype(np.int32)


def _at_or_after(marks: NDArray[np.float64], begins: NDArray[np.int32]) -> list[int]:
    """Return for each mark the first position, not before it, at which a piece begins."""
    cuts: list[int] = begins[np.searchsorted(begins, marks)].tolist()
    return cuts
