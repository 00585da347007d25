"""Coordinate ascent on sparse rows of U while the resolution falls.

For a resolution gamma the objective is ``tr(U^T W U) - gamma |n^T U|^2`` without the terms of an
item with itself: the paper's over (1 - alpha), for ``gamma = alpha / (1 - alpha)``. Each
row in turn becomes the best one given the others, which needs no delta and no bound on the number
of columns: every item starts in one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate import kernels
from spherelax.coordinate.graph import Graph
from spherelax.coordinate.kernels import Fresh, Rows, Scratch

# Entries below this share of the largest of their row are dropped: rows become one-hot, and sleep,
# as soon as the item has made up its mind.
SMALL = 0.3
# Items of one group repel each other so many times as strongly as the most similar attract.
REPULSION = 10.0
# With fewer items, one unit is visited after the other; with more, in so many batches.
BATCHED_ITEMS = 1 << 12
N_BATCHES = 16
# Similarities below which a second thread costs more than it brings.
WORTH_THREADS = 1 << 20


class Iterate(NamedTuple):
    """Where the sweep stands after the last pass at one resolution.

    ``rows`` are the solver's own arrays and change with the next step: round, do not keep them.
    """

    resolution: float
    eta: float
    rows: Rows


def sweep(
    graph: Graph,
    resolutions: NDArray[np.float64],
    *,
    row_entries: int,
    n_inner: int,
    n_threads: int,
) -> Iterator[Iterate]:
    """Yield the iterate after ``n_inner`` passes at each resolution.

    ``eta`` is what the last pass gained. The iterates do not depend on the number of threads.
    """
    if len(graph.values) < WORTH_THREADS:
        n_threads = 1
    with ThreadPoolExecutor(n_threads) as pool:
        passes = _Passes(graph, row_entries, n_threads, pool)
        for gamma in map(float, resolutions):
            gain = 0.0
            for _ in range(n_inner):
                gain = passes.make(gamma)
            yield Iterate(gamma, abs(gain), passes.rows)


def start(graph: Graph, row_entries: int) -> Rows:
    """Give every item a column of its own; it sleeps until its nearest neighbour attracts it."""
    m = graph.n_items
    packed = np.full((m, 2 * row_entries), -1, dtype=np.int32)
    packed[:, 0] = np.arange(m)
    value = packed.view(np.float32)
    value[:, row_entries:] = 0.0
    value[:, row_entries] = 1.0
    return Rows(
        packed=packed,
        value=value,
        s=graph.weight.astype(np.float64),
        count=np.ones(m, dtype=np.int32),
        wake=kernels.strongest(graph),
        awake=np.zeros(m, dtype=np.bool_),
        free=np.empty(m, dtype=np.int32),
        n_free=np.zeros(1, dtype=np.int64),
    )


class _Passes:
    """Makes passes over the items: unit by unit where there are few, else in batches."""

    def __init__(
        self, graph: Graph, row_entries: int, n_threads: int, pool: ThreadPoolExecutor
    ) -> None:
        self.graph, self.pool = graph, pool
        self.rows = start(graph, row_entries)
        self.mu = REPULSION * float(graph.values.max(initial=0.0))
        cuts = np.arange(len(graph.unit_ptr))
        self.is_batched = graph.n_items >= BATCHED_ITEMS
        if self.is_batched:
            ends = np.linspace(0, graph.n_items, N_BATCHES + 1)
            cuts = np.unique(np.searchsorted(graph.unit_ptr, ends))
        self.cuts: list[int] = cuts.tolist()
        self.fresh = _empty_rows(int(np.diff(graph.unit_ptr[cuts]).max()), row_entries)
        self.scratch = [_scratch(graph, row_entries) for _ in range(n_threads)]

    def make(self, gamma: float) -> float:
        """Make one pass at a resolution, and return what it gained."""
        graph, rows, fresh = self.graph, self.rows, self.fresh
        if not self.is_batched:
            work = self.scratch[0]
            return float(kernels.one_by_one(graph, rows, gamma, self.mu, SMALL, fresh, work))
        gain = 0.0
        for first, last in pairwise(self.cuts):
            self._propose(first, last, gamma)
            gain += kernels.commit(first, last, graph, rows, fresh)
            kernels.rouse(first, last, graph.unit_ptr[first], graph, rows, fresh)
        return gain

    def _propose(self, first: int, last: int, gamma: float) -> None:
        """Propose rows for the units of a batch, divided among the threads."""
        graph, n_threads = self.graph, len(self.scratch)
        base = graph.unit_ptr[first]
        marks = np.linspace(base, graph.unit_ptr[last], n_threads + 1)
        ends = first + np.searchsorted(graph.unit_ptr[first : last + 1], marks)

        def propose(begin: int, end: int, work: Scratch) -> None:
            kernels.propose(
                begin, end, base, graph, self.rows, gamma, self.mu, SMALL, self.fresh, work
            )

        shares = zip(ends[1:-1], ends[2:], self.scratch[1:], strict=True)
        others = [self.pool.submit(propose, *share) for share in shares]
        propose(ends[0], ends[1], self.scratch[0])
        for other in others:
            other.result()


def _empty_rows(n: int, row_entries: int) -> Fresh:
    """Return room for the proposed rows of n items."""
    packed = np.empty((n, 2 * row_entries), dtype=np.int32)
    wake, moved, gain = np.empty((3, n), dtype=np.float32)
    return Fresh(packed, packed.view(np.float32), wake, moved, gain)


def _scratch(graph: Graph, row_entries: int) -> Scratch:
    """Return what one thread works with."""
    m = graph.n_items
    widest = min(m, 1 + row_entries * int(np.diff(graph.indptr).max()))
    return Scratch(
        x=np.zeros(m, dtype=np.float32),
        held=np.zeros(m if graph.grouped else 1, dtype=np.float32),
        y=np.empty(widest, dtype=np.float32),
        touched=np.empty(widest, dtype=np.int32),
    )
