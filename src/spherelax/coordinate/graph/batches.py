"""Items in batches, and threads that share the work of each: no label depends on their number.

Components are independent of each other. Small ones are whole tasks for a thread. Of a large one,
all of a batch is computed from what was there before it, by any number of threads; then it is put
into place, in order. A batch consists of whole units. One that is larger than a batch should be is
cut into pieces, which do not see what is computed for each other.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import LARGE, Graph
from spherelax.coordinate.graph.neighbors import longest
from spherelax.coordinate.machine.threads import Items, Threads, Work

# Number of batches of a large component.
N_BATCHES = 16


class Batches(Threads):
    """The batches of a graph, and threads for them as long as the context lasts.

    Attributes
    ----------
    large : list of Large
        The large components.
    """

    def __init__(self, graph: Graph, n_threads: int) -> None:
        super().__init__(n_threads, graph.indptr)
        is_large = np.diff(graph.component_ptr) >= LARGE
        self.large = [Large(graph, int(at), self.n_parts) for at in np.flatnonzero(is_large)]
        ends = np.flatnonzero(np.diff(np.r_[True, is_large, True]))
        self._small = ends.reshape(-1, 2)
        self._ptr = graph.component_ptr

    def share_small(self, work: Work) -> None:
        """Let the threads work on the small components side by side.

        They call ``work(first, last, thread)`` for components ``first .. last - 1``; threads are
        numbered from 0.
        """
        parts = [part for first, last in self._small for part in pairwise(self._cuts(first, last))]
        self.run(parts, work)

    def _cuts(self, first: int, last: int) -> list[int]:
        """Cut components so that all parts have about as many items."""
        begins = _at_or_after(self._ptr[first], self._ptr[last], self.n_parts, self._ptr)
        cuts: list[int] = np.searchsorted(self._ptr, np.array(begins, dtype=np.int32)).tolist()
        return cuts

    def share(self, large: Large, batch: Items, work: Work) -> None:
        """Let the threads work on a batch of a large component side by side.

        They call ``work(first, last, thread)`` for items ``first .. last - 1``, which are whole
        units or one piece.
        """
        self.run(large.parts[batch], work)


class Large:
    """A large component, which is visited in batches, each of them in about ``n_parts`` parts.

    Attributes
    ----------
    component : int
        Its number.
    largest : int
        Number of items of the largest unit that is not cut.
    cut : list of (int, int)
        The units that are visited in pieces.
    batches : list of (int, int)
        The items of each batch.
    parts : dict
        The parts of each batch, which end where pieces do.
    runs : dict
        The runs of each batch: units that are cut alone, others together.
    """

    def __init__(self, graph: Graph, component: int, n_parts: int) -> None:
        ends = graph.component_ptr[component : component + 2]
        begin, end = map(int, ends)
        first, last = np.searchsorted(graph.unit_ptr, ends)
        units = graph.unit_ptr[first : last + 1]
        self.component = component
        self.largest = (end - begin) // N_BATCHES
        self.cut = _longer_units(units, self.largest)
        inside = _cuts_inside(self.cut, self.largest)
        begins = np.union1d(units, inside) if self.cut else units
        self.batches = list(pairwise(_at_or_after(begin, end, N_BATCHES, units)))
        self.parts = {batch: _parts(batch, n_parts, begins, inside) for batch in self.batches}
        ends = np.unique(np.array(self.cut, dtype=np.int32))
        self.runs = {batch: _parts(batch, 1, units, ends) for batch in self.batches}


def _parts(
    batch: Items, n_parts: int, begins: NDArray[np.int32], inside: NDArray[np.int32]
) -> list[Items]:
    """Cut a batch into about this number of parts, and before the items that are ``inside``."""
    cuts = batch if n_parts == 1 else _at_or_after(*batch, n_parts, begins)
    between = inside[np.searchsorted(inside, batch[0]) : np.searchsorted(inside, batch[1])]
    return list(pairwise(sorted({*cuts, *between.tolist()})))


def _longer_units(unit_ptr: NDArray[np.int32], largest: int) -> list[Items]:
    """Return the units with more than ``largest`` items."""
    if longest(unit_ptr) <= largest:
        return []
    units = np.flatnonzero(np.diff(unit_ptr) > largest)
    return list(zip(unit_ptr[units].tolist(), unit_ptr[units + 1].tolist(), strict=True))


def _cuts_inside(units: list[Items], largest: int) -> NDArray[np.int32]:
    """Return the items before which units with more than ``largest`` items are cut evenly."""
    cuts = [np.empty(0)]
    for first, last in units:
        n_pieces = -(-(last - first) // largest)
        cuts.append(np.linspace(first, last, n_pieces + 1)[1:-1])
    return np.concatenate(cuts).astype(np.int32)


def _at_or_after(first: int, last: int, n_parts: int, begins: NDArray[np.int32]) -> list[int]:
    """Cut items evenly: return the first ones, not before the marks, with which a piece begins."""
    # Of the same type: else NumPy would copy all that is searched.
    marks = np.ceil(np.linspace(first, last, n_parts + 1)).astype(begins.dtype)
    cuts: list[int] = np.unique(begins[np.searchsorted(begins, marks)]).tolist()
    return cuts
