"""Units in batches, and threads that share the work of each: no label depends on their number.

Within a batch all is computed from what was there before it, by any number of threads; then it is
put into place, in order.
"""

from __future__ import annotations

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
# Number of similarities below which a second thread costs more time than it saves.
WORTH_THREADS = 1 << 20


class Batches:
    """The batches of a graph, and threads for them as long as the context lasts.

    Attributes
    ----------
    is_batched : bool
        Whether there are so many items that units are not visited one by one.
    spans : list of (int, int)
        The first unit of each batch, and the one after its last; one batch if not batched.
    n_threads : int
        How many threads share a batch.
    """

    def __init__(self, graph: Graph, n_threads: int) -> None:
        self._unit_ptr = graph.unit_ptr
        self.is_batched = graph.n_items >= BATCHED_ITEMS
        self.n_threads = n_threads if len(graph.values) >= WORTH_THREADS else 1
        n_units = len(graph.unit_ptr) - 1
        cuts = self._cuts(0, n_units, N_BATCHES if self.is_batched else 1)
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
        """Call ``work(first, last, thread)`` for parts of units ``first .. last - 1`` side by side.

        Each thread, numbered from 0, gets one part.
        """
        parts = list(pairwise(self._cuts(first, last, self.n_threads)))
        running = [self._pool.submit(work, *parts[t], t) for t in range(1, len(parts))]
        work(*parts[0], 0)
        for other in running:
            other.result()

    def _cuts(self, first: int, last: int, n_parts: int) -> list[int]:
        """Cut units into parts with about the same number of items; return where they begin."""
        unit_ptr: NDArray[np.int32] = self._unit_ptr
        marks = np.linspace(unit_ptr[first], unit_ptr[last], n_parts + 1)
        cuts: list[int] = (first + np.searchsorted(unit_ptr[first : last + 1], marks)).tolist()
        return cuts
