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

from spherelax.coordinate.graph import Graph
from spherelax.coordinate.kernels import Span, Terms, activate, commit, one_by_one
from spherelax.coordinate.kernels import propose as propose_rows
from spherelax.coordinate.neighbors import strongest_pull
from spherelax.coordinate.rows import Proposed, Rows, Scratch

# Entries below this share of the largest of their row are dropped, so that most rows have a single
# entry: only such items can become inactive.
SMALL = 0.3
# Items of one group repel each other this many times as strongly as the most similar attract.
REPULSION = 10.0
# With fewer items than this, units are visited one by one; else in this number of batches.
BATCHED_ITEMS = 1 << 12
N_BATCHES = 16
# Number of similarities below which a second thread costs more time than it saves.
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
                gain = passes.visit_all(gamma)
            yield Iterate(gamma, abs(gain), passes.rows)


def start(graph: Graph, row_entries: int) -> Rows:
    """Give every item a column of its own; it is not visited before a neighbour attracts it."""
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
        activation=strongest_pull(graph),
        active=np.zeros(m, dtype=np.bool_),
        free=np.empty(m, dtype=np.int32),
        n_free=np.zeros(1, dtype=np.int64),
    )


class _Passes:
    """Passes over all units: one by one where items are few, else in batches.

    Attributes
    ----------
    rows : Rows
        The rows of U, which every pass improves.
    cuts : list of int
        Batch b holds the units ``cuts[b] .. cuts[b + 1] - 1``.
    proposed : Proposed
        Room for the rows of the largest batch.
    scratch : list of Scratch
        One for each thread.
    """

    def __init__(
        self, graph: Graph, row_entries: int, n_threads: int, pool: ThreadPoolExecutor
    ) -> None:
        self.graph, self.pool = graph, pool
        self.rows = start(graph, row_entries)
        self.mu = REPULSION * float(graph.values.max(initial=0.0))
        self.is_batched = graph.n_items >= BATCHED_ITEMS
        self.cuts = list(range(len(graph.unit_ptr)))
        if self.is_batched:
            parts = _parts(graph.unit_ptr, 0, len(graph.unit_ptr) - 1, N_BATCHES)
            self.cuts = sorted(set(parts))
        self.proposed = _no_rows(int(np.diff(graph.unit_ptr[self.cuts]).max()), row_entries)
        self.scratch = [_scratch(graph, row_entries) for _ in range(n_threads)]

    def visit_all(self, gamma: float) -> float:
        """Make one pass at a resolution, and return what the objective gained."""
        graph, rows, proposed = self.graph, self.rows, self.proposed
        terms = Terms(gamma, self.mu, SMALL)
        if not self.is_batched:
            return float(one_by_one(graph, rows, terms, proposed, self.scratch[0]))
        gain = 0.0
        for first, last in pairwise(self.cuts):
            batch = Span(first, last, int(graph.unit_ptr[first]))
            self._propose(batch, terms)
            gain += commit(batch, graph, rows, proposed)
            activate(batch, graph, rows, proposed)
        return gain

    def _propose(self, batch: Span, terms: Terms) -> None:
        """Propose rows for the units of a batch, divided among the threads."""

        def propose(share: Span, scratch: Scratch) -> None:
            propose_rows(share, self.graph, self.rows, terms, self.proposed, scratch)

        cuts = _parts(self.graph.unit_ptr, batch.first, batch.last, len(self.scratch))
        shares = [Span(first, last, batch.base) for first, last in pairwise(cuts)]
        others = zip(shares[1:], self.scratch[1:], strict=True)
        running = [self.pool.submit(propose, *other) for other in others]
        propose(shares[0], self.scratch[0])
        for other in running:
            other.result()


def _parts(unit_ptr: NDArray[np.int32], first: int, last: int, n_parts: int) -> list[int]:
    """Cut units ``first .. last - 1`` into parts with about the same number of items.

    Returns the first unit of each part, and ``last``.
    """
    marks = np.linspace(unit_ptr[first], unit_ptr[last], n_parts + 1)
    cuts: list[int] = (first + np.searchsorted(unit_ptr[first : last + 1], marks)).tolist()
    return cuts


def _no_rows(n: int, row_entries: int) -> Proposed:
    """Return room for the proposed rows of n items."""
    packed = np.empty((n, 2 * row_entries), dtype=np.int32)
    activation, moved, gain = np.empty((3, n), dtype=np.float32)
    queue = np.empty(n, dtype=np.int32)
    return Proposed(packed, packed.view(np.float32), activation, moved, gain, queue)


def _scratch(graph: Graph, row_entries: int) -> Scratch:
    """Return what one thread works with."""
    m = graph.n_items
    widest = 1 + min(m, row_entries * int(np.diff(graph.indptr).max()))
    return Scratch(
        x=np.zeros(m, dtype=np.float32),
        group=np.zeros(m if graph.grouped else 1, dtype=np.float32),
        y=np.empty(widest, dtype=np.float32),
        touched=np.empty(widest, dtype=np.int32),
    )
