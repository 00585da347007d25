"""Coordinate ascent on sparse rows of U while the resolution falls.

For a resolution gamma the objective is ``tr(U^T W U) - gamma |n^T U|^2`` without the terms of an
item with itself: the paper's over (1 - alpha), for ``gamma = alpha / (1 - alpha)``. Each
row in turn becomes the best one given the others, which needs no delta and no bound on the number
of columns: every item starts in one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.batches import Batches
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
    with Batches(graph, n_threads) as batches:
        passes = _Passes(graph, row_entries, batches)
        for gamma in map(float, resolutions):
            gain = 0.0
            for _ in range(n_inner):
                gain = passes.visit_all(gamma)
            yield Iterate(gamma, abs(gain), passes.rows)


def start(graph: Graph, row_entries: int, *, is_cut: bool = False) -> Rows:
    """Give every item a column of its own; it is not visited before a neighbour attracts it.

    ``is_cut`` tells whether any unit is visited in pieces.
    """
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
        claimed=np.full(m if is_cut else 1, -1, dtype=np.int32),
    )


class _Passes:
    """Passes over all units: one by one where items are few, else in batches.

    Attributes
    ----------
    rows : Rows
        The rows of U, which every pass improves.
    proposed : Proposed
        Room for the rows of the largest batch.
    scratch : list of Scratch
        One for each thread.
    """

    def __init__(self, graph: Graph, row_entries: int, batches: Batches) -> None:
        self.graph, self.batches = graph, batches
        largest = int(np.diff(graph.unit_ptr).max())
        self.rows = start(graph, row_entries, is_cut=largest > batches.largest)
        self.mu = REPULSION * float(graph.values.max(initial=0.0))
        if batches.is_batched:
            largest = max(last - first for first, last in batches.spans)
        self.proposed = _no_rows(largest, row_entries)
        self.scratch = [_scratch(graph, row_entries) for _ in range(batches.n_threads)]

    def visit_all(self, gamma: float) -> float:
        """Make one pass at a resolution, and return what the objective gained."""
        graph, rows, proposed = self.graph, self.rows, self.proposed
        terms = Terms(gamma, self.mu, SMALL)
        if not self.batches.is_batched:
            return float(one_by_one(graph, rows, terms, proposed, self.scratch[0]))
        gain = 0.0
        for first, last in self.batches.spans:
            self._propose(first, last, terms)
            batch = self._span(first, last, first)
            gain += commit(batch, graph, rows, proposed, self.batches.largest)
            activate(batch, graph, rows, proposed)
        return gain

    def _propose(self, base: int, end: int, terms: Terms) -> None:
        """Propose rows for a batch, divided among the threads."""

        def propose(first: int, last: int, thread: int) -> None:
            span, scratch = self._span(first, last, base), self.scratch[thread]
            propose_rows(span, self.graph, self.rows, terms, self.proposed, scratch)

        self.batches.share(base, end, propose)

    def _span(self, first: int, last: int, base: int) -> Span:
        """Return positions of a batch that begins at ``base``."""
        unit = int(np.searchsorted(self.graph.unit_ptr, first, side="right")) - 1
        return Span(first, last, unit, base)


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
