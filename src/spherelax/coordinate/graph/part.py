"""The part of a large problem that its scores are learnt from.

From some items on, drawn by their similarities alone, neighbours and their neighbours are
collected. So small components are in the part whole, and of large ones there are patches that hang
together. Which items these are does not depend on the order of the items, nor on where the
components of a problem are kept; and hardly on items that come or go elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import LARGE, Graph
from spherelax.coordinate.graph.hashing import Keys, mix
from spherelax.coordinate.machine.compiled import compiled

# A part has at least this number of similarities, and of items.
LEARN_FROM = 300_000
LEAST_ITEMS = LARGE

_mix: Any = compiled(mix)  # of one number here, of arrays elsewhere


class Draw(NamedTuple):
    """Items in the order in which they were collected.

    Attributes
    ----------
    items : ndarray of shape (n,)
        The items.
    start : ndarray of uint64 of shape (n,)
        The chance by which the first item of its component was drawn: they rise.
    n_entries : ndarray of shape (n,)
        Similarities of each item.
    """

    items: NDArray[np.int64]
    start: NDArray[np.uint64]
    n_entries: NDArray[np.int64]

    def enough(self) -> Draw:
        """Return the first items, as many as make a part."""
        before = np.cumsum(self.n_entries) - self.n_entries
        is_needed = (before < LEARN_FROM) | (np.arange(len(before)) < LEAST_ITEMS)
        return Draw(self.items[is_needed], self.start[is_needed], self.n_entries[is_needed])

    def is_enough(self) -> bool:
        """Tell whether there are as many items as make a part."""
        return len(self.items) >= LEAST_ITEMS and self.n_entries.sum() >= LEARN_FROM

    def up_to(self, share: float) -> Draw:
        """Return the items of the components that are drawn up to a share of the chances."""
        is_in = self.start <= share * 2.0**64
        return Draw(self.items[is_in], self.start[is_in], self.n_entries[is_in])


def draw(graph: Graph) -> Draw:
    """Collect as many items as make a part; items that are similar to nothing teach nothing."""
    chance, n_entries = _chances(graph), np.diff(graph.indptr)
    order = np.argsort(chance, kind="stable")
    items, start = _collect(graph, order[n_entries[order] > 0], LEARN_FROM, LEAST_ITEMS)
    return Draw(items, chance[start], n_entries[items])


def components_up_to(graph: Graph, start: np.uint64) -> NDArray[np.intp]:
    """Return the items of the components of which an item is drawn not later than at ``start``."""
    first = np.minimum.reduceat(_chances(graph), graph.component_ptr[:-1])
    return np.flatnonzero(np.repeat(first <= start, np.diff(graph.component_ptr)))


def is_large(graph: Graph) -> bool:
    """Tell whether a graph is so large that a part of it teaches as much."""
    return len(graph.values) > LEARN_FROM and graph.n_present() > LEAST_ITEMS


def _chances(graph: Graph) -> Keys:
    """Return a number for each item that looks random: by its similarities, and how many each has.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> one, other = (
    ...     build_graph(Problem.check(W[np.ix_(order, order)])) for order in ([0, 1, 2], [2, 0, 1])
    ... )
    >>> bool(np.all(_chances(one) == _chances(other)))
    True
    """
    own = mix(np.diff(graph.indptr).astype(np.uint64))
    found = np.empty_like(own)
    _sum_keys(graph, graph.values.view(np.uint32), own, found)
    return mix(found)


@compiled
def _sum_keys(graph, bits, own, found):
    """Add the keys of the similarities of each item to its own; sums do not depend on the order."""
    for i in range(len(own)):
        key = own[i]
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            key += _mix(own[graph.indices[e]] ^ np.uint64(bits[e]))
        found[i] = key


@compiled
def _collect(graph, order, n_entries, n_items):
    """Return items that hang together, and the item of ``order`` that each was found from."""
    is_known = np.zeros(len(graph.indptr) - 1, np.bool_)
    both = np.empty((2, len(order)), np.int64)
    queue, start = both[0], both[1]
    n_in, n_known, found = 0, 0, 0
    for first in order:
        if not is_known[first] and (found < n_entries or n_in < n_items):
            is_known[first], queue[n_known], n_known = True, first, n_known + 1
        while n_in < n_known and (found < n_entries or n_in < n_items):
            i = queue[n_in]
            start[n_in] = first
            n_in += 1
            found += graph.indptr[i + 1] - graph.indptr[i]
            for e in range(graph.indptr[i], graph.indptr[i + 1]):
                j = graph.indices[e]
                if not is_known[j]:
                    is_known[j], queue[n_known] = True, j
                    n_known += 1
    return both[:, :n_in]
