"""Exact ascent on the discrete objective: labels in, labels that no simple move improves out.

For labels at resolution gamma the objective is the sum over pairs with the same label of ::

    W_ij - gamma n_i n_j

n being the weights of the null model. Three kinds of moves raise it until none does: an item goes
to its best label, or to one of its own; the items of a group are reassigned together, by the best
assignment in which no two share a label; two labels that share no group become one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.assignment import Costs
from spherelax.coordinate.batches import Batches
from spherelax.coordinate.graph import Graph
from spherelax.coordinate.merge import merge_all
from spherelax.coordinate.moves import (
    State,
    Terms,
    UnitRoom,
    enter_all,
    move_items,
    move_units,
    number,
    quieten,
)
from spherelax.coordinate.neighbors import Sums
from spherelax.labels import Labels

# Gains below this share of the largest similarity are rounding.
ROUNDING = 1e-6
# Limits, hardly ever reached: rounds of merges and moves, and passes over the items in each.
MAX_ROUNDS = 6
MAX_PASSES = 20


def polished(
    graph: Graph, labels: NDArray[np.integer], gamma: float, *, n_threads: int = 1
) -> Labels:
    """Improve labels, all below n_items, until no move does; they must respect the groups.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
    >>> polished(graph, np.array([0, 0, 1, 2, 1, 2]), gamma=0.5)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    moved = _moved(graph, labels, gamma, n_threads=n_threads)
    merged = lowered(graph, moved, gamma, n_threads=n_threads)
    return moved if merged is None else merged


def moved_once(
    graph: Graph, labels: NDArray[np.integer], gamma: float, *, n_threads: int = 1
) -> Labels:
    """Visit each item once and move it if that gains; merge nothing. It is cheaper, and rougher."""
    return _moved(graph, labels, gamma, n_threads=n_threads, n_passes=1)


def lowered(graph: Graph, labels: Labels, gamma: float, *, n_threads: int = 1) -> Labels | None:
    """Go on from polished labels to a lower resolution: merge, then move. None: nothing merges."""
    found, least = None, _least_gain(graph)
    for _ in range(MAX_ROUNDS):
        mapping = merge_all(graph, labels, gamma, least)
        if mapping is None:
            break
        active = (np.bincount(mapping) > 1)[mapping][labels]
        found = labels = _moved(graph, mapping[labels], gamma, active, n_threads=n_threads)
    return found


def _moved(
    graph: Graph,
    labels: NDArray[np.integer],
    gamma: float,
    active: NDArray[np.bool_] | None = None,
    *,
    n_threads: int,
    n_passes: int = MAX_PASSES,
) -> Labels:
    """Move items until none gains, beginning with the active ones, by default all.

    The labels do not depend on the number of threads.
    """
    active = np.ones(len(labels), dtype=np.bool_) if active is None else active
    state = _state(graph, labels.astype(np.int32), active)
    terms = Terms(gamma, _least_gain(graph))
    room = (_unit_room(graph),) if graph.grouped else ()
    move = move_units if graph.grouped else move_items
    with Batches(graph, n_threads) as batches:
        sums = [_no_sums(graph) for _ in range(batches.n_threads)]

        def hush(first: int, last: int, thread: int) -> None:
            quieten(first, last, graph, state, terms, sums[thread])

        all_seen = False
        for _ in range(n_passes):
            moved = False
            for first, last in batches.spans:
                if batches.is_batched:
                    batches.share(first, last, hush)
                moved |= move(first, last, graph, state, terms, sums[0], *room)
            if not moved and all_seen:
                break
            # Sizes matter to items that are no neighbours: the last pass visits all of them.
            all_seen = not moved
            if all_seen:
                active[:] = True
    number(state.labels)
    return state.labels


def _state(graph: Graph, labels: Labels, active: NDArray[np.bool_]) -> State:
    """Return labels with what is kept up to date with them."""
    m = len(labels)
    state = State(labels, np.zeros(m), np.zeros(m, dtype=np.int32), active)
    enter_all(graph, state)
    return state


def _least_gain(graph: Graph) -> float:
    """Return the gain below which a move is rounding."""
    return ROUNDING * float(graph.values.max(initial=0.0))


def _no_sums(graph: Graph) -> Sums:
    """Return room for the sums of one item by label."""
    most = max(1, int(np.diff(graph.indptr).max()))
    return Sums(np.zeros(graph.n_items, dtype=np.float32), np.empty(most, dtype=np.int32))


def _unit_room(graph: Graph) -> UnitRoom:
    """Return room for the largest unit, and for the one with the most similarities."""
    m, n_neighbors = graph.n_items, np.diff(graph.indptr)
    widest = int(np.diff(graph.unit_ptr).max())
    most = int(np.add.reduceat(n_neighbors[graph.members], graph.unit_ptr[:-1]).max())
    ptr = np.zeros(widest + 1, dtype=np.int64)
    return UnitRoom(
        old=np.empty(widest, dtype=np.int32),
        chosen=np.empty(widest, dtype=np.int32),
        slot=np.full(m, -1, dtype=np.int32),
        names=np.empty(m, dtype=np.int32),
        costs=Costs(ptr, np.empty(most, dtype=np.int32), np.empty(most)),
    )
