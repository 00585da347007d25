"""Coordinate ascent on sparse rows of U while the resolution falls.

For a resolution gamma the objective is ``tr(U^T W U) - gamma |n^T U|^2`` without the terms of an
item with itself: the paper's objective over (1 - alpha), for ``gamma = alpha / (1 - alpha)``. Each
row in turn becomes the best row given all other rows. This needs no delta and no bound on the
number of columns: every item starts in a column of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.batches import Batches, Large
from spherelax.coordinate.graph.graph import LARGE, Graph
from spherelax.coordinate.graph.neighbors import longest, strongest_pull
from spherelax.coordinate.machine import Items
from spherelax.coordinate.relax.kernels import (
    RowTerms,
    Span,
    activate,
    commit,
    occupy,
    vacate,
    visit_units,
)
from spherelax.coordinate.relax.kernels import propose as propose_rows
from spherelax.coordinate.relax.rows import Columns, Proposed, Rows, Scratch, fill_columns
from spherelax.labels import Labels

# Entries below this share of the largest of their row are dropped, so that most rows have a single
# entry: only items with a single entry can become inactive.
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


def sweep_rows(
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
            yield Iterate(gamma, abs(passes.at(gamma, n_inner)), passes.rows)


def start(graph: Graph, row_entries: int) -> Rows:
    """Give every item a column of its own; no item is visited before a neighbour attracts it."""
    alone = np.arange(graph.n_items, dtype=np.int32)
    return _rows_of(alone, row_entries)._replace(activation=strongest_pull(graph))


def iterate_of(resolution: float, labels: Labels) -> Iterate:
    """Return the iterate of labels that no sweep found: each row has a single entry.

    Examples
    --------
    >>> iterate_of(0.5, np.int32([0, 1, 0])).rows.packed[:, 0]
    array([0, 1, 0], dtype=int32)
    """
    return Iterate(resolution, 0.0, _rows_of(labels, 1))


def _rows_of(labels: Labels, row_entries: int) -> Rows:
    """Return rows that have one of their entries, in the column of a label."""
    m = len(labels)
    packed = np.full((m, 2 * row_entries), -1, dtype=np.int32)
    packed[:, 0] = labels
    value = packed.view(np.float32)
    value[:, row_entries:] = 0.0
    value[:, row_entries] = 1.0
    return Rows(packed, value, np.zeros(m, dtype=np.float32), np.zeros(m, dtype=np.bool_))


def build_columns(graph: Graph, rows: Rows, *, is_cut: bool = False) -> Columns:
    """Return the columns of rows; ``is_cut`` tells whether any unit is visited in pieces."""
    m = graph.n_items
    found = Columns(
        s=np.zeros(m),
        n_rows=np.zeros(m, dtype=np.int32),
        free=np.full(len(graph.component_ptr) - 1, -1, dtype=np.int32),
        claimed=np.full(m if is_cut else 1, -1, dtype=np.int32),
    )
    fill_columns(graph, rows, found)
    return found


class _Passes:
    """Passes over all components: large ones in batches, small ones unit by unit.

    Attributes
    ----------
    rows : Rows
        The rows of U, which every pass improves.
    gains : ndarray of shape (n_components,)
        What the objective gained by each component in the last pass.
    unit : list of Proposed
        Room for the rows of the largest unit of a small component, for each thread.
    """

    def __init__(self, graph: Graph, row_entries: int, batches: Batches) -> None:
        self.graph, self.batches = graph, batches
        self.rows = start(graph, row_entries)
        self.mu = REPULSION * graph.strongest
        self.gains = np.zeros(len(graph.component_ptr) - 1)
        largest = min(longest(graph.unit_ptr), LARGE)
        self.unit = [_room_for_rows(largest, row_entries) for _ in range(batches.n_threads)]
        self.entries, self.widest = row_entries, longest(graph.indptr)

    def at(self, gamma: float, n_passes: int) -> float:
        """Make passes at a resolution, and return what the objective gained in the last one.

        Batches, scratch and columns are freed after the passes: the caller improves labels before
        the next resolution, which needs memory too.
        """
        spans = [span for one in self.batches.large for span in one.batches]
        most = max((last - first for first, last in spans), default=0)
        self.batch = _room_for_rows(most, self.entries)
        is_cut = any(one.cut for one in self.batches.large)
        occupied = np.zeros(self.graph.n_items if is_cut else 1, dtype=np.float32)
        room = self.graph, self.entries, self.widest, occupied
        self.scratch = [_scratch(*room) for _ in range(self.batches.n_threads)]
        self.columns = build_columns(self.graph, self.rows, is_cut=is_cut)
        gain = 0.0
        for _ in range(n_passes):
            gain = self._visit_all(RowTerms(gamma, self.mu, SMALL))
        del self.batch, self.scratch, self.columns
        return gain

    def _visit_all(self, terms: RowTerms) -> float:
        """Make one pass, and return what the objective gained."""
        for one in self.batches.large:
            self.gains[one.component] = sum(self._visit(one, at, terms) for at in one.batches)

        def visit(first: int, last: int, thread: int) -> None:
            room = (self.unit[thread], self.scratch[thread], self.gains)
            visit_units(first, last, self.graph, self.rows, self.columns, terms, *room)

        self.batches.share_small(visit)
        return float(self.gains.sum())

    def _visit(self, large: Large, batch: Items, terms: RowTerms) -> float:
        """Propose rows for a batch, side by side, and put them into place; return the gain."""
        graph, rows, columns, proposed = self.graph, self.rows, self.columns, self.batch

        def span(first: int, last: int) -> Span:
            unit = bisect_right(graph.unit_ptr, first) - 1
            return Span(first, last, unit, batch[0], large.component, large.largest)

        def propose(first: int, last: int, thread: int) -> None:
            scratch = self.scratch[thread]
            propose_rows(span(first, last), graph, rows, columns, terms, proposed, scratch)

        def rouse(first: int, last: int, _: int) -> None:
            activate(span(first, last), graph, rows, proposed)

        occupied = self.scratch[0].occupied
        pieces = [unit for unit in large.runs[batch] if unit in large.cut]
        for unit in pieces:
            occupy(*unit, rows, terms, occupied)
        self.batches.share(large, batch, propose)
        for unit in pieces:
            vacate(*unit, rows, occupied)
        gain: float = commit(span(*batch), graph, rows, columns, proposed)
        self.batches.share(large, batch, rouse)
        return gain


def _room_for_rows(n: int, row_entries: int) -> Proposed:
    """Return room for the proposed rows of n items."""
    packed = np.empty((n, 2 * row_entries), dtype=np.int32)
    moved, gain = np.empty((2, n), dtype=np.float32)
    queue, left = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.bool_)
    return Proposed(packed, packed.view(np.float32), moved, gain, queue, left)


def _scratch(graph: Graph, row_entries: int, most: int, occupied: NDArray[np.float32]) -> Scratch:
    """Return what one thread works with, if no item has more neighbours than ``most``."""
    m = graph.n_items
    widest = 1 + min(m, row_entries * most)
    return Scratch(
        x=np.zeros(m, dtype=np.float32),
        group=np.zeros(m if graph.grouped else 1, dtype=np.float32),
        occupied=occupied,
        y=np.empty(widest, dtype=np.float32),
        touched=np.empty(widest, dtype=np.int32),
    )
