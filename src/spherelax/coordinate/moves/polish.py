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

from spherelax.coordinate.graph.batches import Batches, Large
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.neighbors import Sums, longest
from spherelax.coordinate.moves.assignment import Costs
from spherelax.coordinate.moves.merge import join_known, merge_all
from spherelax.coordinate.moves.moves import (
    MoveTerms,
    Scope,
    State,
    UnitRoom,
    enter_all,
    localize,
    move,
    number_labels,
    quieten,
    reassign,
    rouse,
    settle,
    weigh,
    withdraw,
)
from spherelax.labels import Labels, count_labels

# Gains below this share of the largest similarity are rounding.
ROUNDING = 1e-6
# Limits, hardly ever reached: rounds of merges and moves, and passes over the items in each.
MAX_ROUNDS = 6
MAX_PASSES = 20


def polish_labels(
    graph: Graph,
    labels: NDArray[np.integer],
    gamma: float,
    *,
    active: NDArray[np.bool_] | None = None,
    n_threads: int = 1,
) -> Labels:
    """Improve labels, all below n_items, until no move gains; they must respect the groups.

    If ``active`` is given, components without an active item only merge; ``active`` is overwritten.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
    >>> polish_labels(graph, np.array([0, 0, 1, 2, 1, 2]), gamma=0.5)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    moved = _move_all(graph, labels, gamma, active, n_threads=n_threads)
    merged = lower(graph, moved, gamma, n_threads=n_threads)
    return moved if merged is None else merged


def absorb_items(
    graph: Graph, labels: NDArray[np.integer], gamma: float, active: NDArray[np.bool_]
) -> Labels:
    """Improve labels by moves of active items, and by merges of labels that hold any.

    All other items keep their labels, whatever they would gain. With groups, the items of a group
    move together.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
    >>> absorb_items(graph, np.array([0, 0, 1, 2, 3, 3]), 0.5, np.arange(6) == 2)
    array([0, 0, 0, 1, 2, 2], dtype=int32)
    """
    found = labels.astype(np.int32, copy=False)
    for _ in range(MAX_ROUNDS):
        before = found
        for _ in range(MAX_PASSES):
            moved = move_once(graph, found, gamma, active=active.copy())
            is_over, found = np.array_equal(moved, found), moved
            if is_over:
                break
        free = np.zeros(count_labels(found), dtype=np.bool_)
        free[found[active]] = True
        mapping = merge_all(graph, found, gamma, _least_gain(graph), free=free)
        if mapping is not None:
            found = mapping[found]
        if np.array_equal(before, found):
            break
    return found


def assign_items(graph: Graph, labels: NDArray[np.integer], n_known: int, gamma: float) -> Labels:
    """Join items, whose labels are ``n_known`` and more, to the known labels or to each other.

    Known labels stay as they are.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = [[0, 0, 2, 3], [0, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]]
    >>> graph = build_graph(Problem.check(W, groups=[0, 1, 1, 1]))
    >>> labels = assign_items(graph, np.array([0, 1, 0, 2])[graph.given], n_known=2, gamma=0.1)
    >>> graph.as_given(labels)
    array([0, 1, 0, 2], dtype=int32)
    """
    found = labels.astype(np.int32, copy=False)
    return join_known(graph, found, n_known, gamma, _least_gain(graph))[found]


def move_once(
    graph: Graph,
    labels: NDArray[np.integer],
    gamma: float,
    *,
    active: NDArray[np.bool_] | None = None,
    n_threads: int = 1,
) -> Labels:
    """Visit each item once and move it if that gains; merge nothing. Cheaper and rougher.

    If ``active`` is given, components without an active item keep their labels; ``active`` is
    overwritten.
    """
    return _move_all(graph, labels, gamma, active, n_threads=n_threads, n_passes=1)


def lower(graph: Graph, labels: Labels, gamma: float, *, n_threads: int = 1) -> Labels | None:
    """Go on from polished labels to a lower resolution: merge, then move. None: nothing merges."""
    found, least = None, _least_gain(graph)
    for _ in range(MAX_ROUNDS):
        mapping = merge_all(graph, labels, gamma, least, n_threads)
        if mapping is None:
            break
        active = (np.bincount(mapping) > 1)[mapping][labels]
        found = labels = _move_all(graph, mapping[labels], gamma, active, n_threads=n_threads)
    return found


def _move_all(
    graph: Graph,
    labels: NDArray[np.integer],
    gamma: float,
    active: NDArray[np.bool_] | None = None,
    *,
    n_threads: int,
    n_passes: int = MAX_PASSES,
) -> Labels:
    """Move items until none gains, beginning with the active ones, by default all.

    Components without an active item rest. The labels do not depend on the number of threads.
    ``active`` is overwritten.
    """
    m = graph.n_items
    active = np.ones(m, dtype=np.bool_) if active is None else active
    state = State(localize(graph, labels), np.zeros(m), np.zeros(m, dtype=np.int32), active)
    enter_all(graph, state)
    with Batches(graph, n_threads) as batches:
        moves = _Moves(graph, state, MoveTerms(gamma, _least_gain(graph)), batches, n_passes)
        for large in batches.large:
            moves.settle_large(large)
        batches.share_small(moves.settle_small)
    found = state.labels
    del moves, state  # their memory is needed
    number_labels(found)
    return found


class _Moves:
    """Moves of items, until none gains or for a number of passes, at one resolution."""

    def __init__(
        self, graph: Graph, state: State, terms: MoveTerms, batches: Batches, n_passes: int
    ) -> None:
        self.moved, self.batches, self.n_passes = (graph, state, terms), batches, n_passes
        self.room = [_room(graph) for _ in range(batches.n_threads)]

    def settle_small(self, first: int, last: int, thread: int) -> None:
        """Move the items of small components ``first .. last - 1``."""
        settle(first, last, *self.moved, *self.room[thread], self.n_passes)

    def settle_large(self, large: Large) -> None:
        """Move the items of a large component; threads first find the items that would stay."""
        state = self.moved[1]
        begin, end = large.batches[0][0], large.batches[-1][1]

        def sort_out(first: int, last: int, thread: int) -> None:
            quieten(first, last, *self.moved, self.room[thread][0])

        is_over, all_seen = not rouse(begin, end, state.active, False), False
        for _ in range(self.n_passes):
            if is_over:
                break
            moved = False
            for batch in large.batches:
                self.batches.share(large, batch, sort_out)
                for run in large.runs[batch]:
                    moved |= self._move(large, Scope(*run, begin, end))
            is_over, all_seen = all_seen and not moved, not moved
            rouse(begin, end, state.active, all_seen and not is_over)

    def _move(self, large: Large, scope: Scope) -> bool:
        """Move the items of a run of units, or of a unit that is cut, weighed side by side."""
        graph, state, terms = self.moved
        room = self.room[0][1]
        if room is None or (scope.first, scope.last) not in large.cut:
            return bool(move(scope, *self.moved, *self.room[0]))
        if not withdraw(scope.first, scope.last, graph, state, room):
            return False

        def weigh_part(first: int, last: int, thread: int) -> None:
            items = scope.first + first, scope.first + last, scope.first
            weigh(*items, graph, state, terms, self.room[thread][0], room)

        self.batches.share_rows(graph.indptr[scope.first : scope.last + 1], weigh_part)
        return bool(reassign(scope, graph, state, terms, room))


def _least_gain(graph: Graph) -> float:
    """Return the gain below which a move is rounding."""
    return ROUNDING * graph.strongest


def _room(graph: Graph) -> tuple[Sums, UnitRoom | None]:
    """Return room for the sums of one item by label, and for the largest units if there are any."""
    m, most = graph.n_items, max(1, longest(graph.indptr))
    sums = Sums(np.zeros(m, dtype=np.float32), np.empty(most + 1, dtype=np.int32))
    if not graph.grouped:
        return sums, None
    widest, most = longest(graph.unit_ptr), longest(graph.indptr[graph.unit_ptr])
    return sums, UnitRoom(
        old=np.empty(widest, dtype=np.int32),
        stay=np.empty(widest),
        end=np.empty(widest, dtype=np.int64),
        chosen=np.empty(widest, dtype=np.int32),
        slot=sums.x.view(np.int32),
        names=np.empty(min(m, most), dtype=np.int32),
        costs=Costs(
            np.zeros(widest + 1, dtype=np.int64), np.empty(most, dtype=np.int32), np.empty(most)
        ),
    )
