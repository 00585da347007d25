"""Moves of single items and of whole groups to better labels, compiled.

An item of label c contributes ``sum_j W_ij - gamma n_i n_j`` to the objective, j being the other
items of c. It moves to the label where this sum is largest, or to an empty label, where it is 0.
The items of a group move together, by the best assignment in which no two share a label.

Only active items are visited: items with a neighbour that has moved since their last visit. In
large components, items without a better label are made inactive first, while all labels stay as
they are (`quieten`), which any number of threads can do; then the items that are still active move
in order. For a large group, threads also share the work of finding what its items would gain by
each label (`weigh`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.neighbors import activate_neighbors, fetch_ahead, gather
from spherelax.coordinate.machine import AHEAD, CACHED, compiled, prefetch
from spherelax.coordinate.moves.assignment import Costs, assign


class MoveTerms(NamedTuple):
    """The resolution, and the gain that a move must exceed: a smaller gain is rounding."""

    gamma: float
    least: float


class State(NamedTuple):
    """The labels, numbered as items of their components, and what is kept up to date with them."""

    labels: NDArray[np.int32]  # (m)
    size: NDArray[np.float64]  # (m), summed weights of the items with a label
    n_items: NDArray[np.int32]  # (m), their number
    active: NDArray[np.bool_]  # (m), items that must be visited


class Scope(NamedTuple):
    """Items ``first .. last - 1``, which are visited; items ``begin .. end - 1`` are the component.

    A component has as many labels as items, with the same numbers.
    """

    first: int
    last: int
    begin: int
    end: int


class UnitRoom(NamedTuple):
    """Room for the reassignment of one unit; its items are numbered from 0.

    ``slot`` may be the memory of sums, which are 0 when all items of a unit have been weighed.
    """

    old: NDArray[np.int32]  # the label that each item had
    stay: NDArray[np.float64]  # what it gained by that label
    end: NDArray[np.int64]  # where its costs end, until columns are named
    chosen: NDArray[np.int32]  # the column that the assignment gives to each item
    slot: NDArray[np.int32]  # (m), 1 plus the column that stands for a label; 0 before and after
    names: NDArray[np.int32]  # the label that a column stands for
    costs: Costs  # what each item loses by each column, its gain times -1


@compiled
def localize(graph, labels):
    """Return labels, all below n_items, with the number of the first item of each.

    A label that occurs in several components becomes one label in each of them.
    """
    component_ptr = graph.component_ptr
    first, found = np.full(len(labels), -1, np.int32), np.empty(len(labels), np.int32)
    component = 0
    for i in range(len(labels)):
        component += i == component_ptr[component + 1]
        c = labels[i]
        # Items of earlier components have smaller numbers.
        if first[c] < component_ptr[component]:
            first[c] = i
        found[i] = first[c]
    return found


@compiled
def enter_all(graph, state):
    """Count and weigh the items of every label; counts and sizes are 0 before."""
    labels, weight = state.labels, graph.weight
    for i in range(len(labels)):
        _enter(state, labels[i], weight[i])


@compiled
def number_labels(labels):
    """Give labels, all below their number, new numbers in order of first appearance, in place."""
    names, n = np.full(len(labels), -1, np.int32), np.int32(0)
    for i in range(len(labels)):
        c = labels[i]
        if names[c] < 0:
            names[c] = n
            n += np.int32(1)
        labels[i] = names[c]


@compiled
def quieten(first, last, graph, state, terms, sums):
    """Make items ``first .. last - 1`` inactive, but for active items that have a better label.

    An item of a group has one if it would move were all labels free.
    """
    active, labels, end = state.active, state.labels, len(state.labels) - 1
    for i in range(first, last):
        if active[i]:
            near, far = min(i + AHEAD, end), min(i + 2 * AHEAD, end)
            fetch_ahead(near, far, min(i + 3 * AHEAD, end), graph, labels)
            _fetch_sums(min(i + AHEAD // 2, end), graph, state, sums)
            active[i] = _best_label(graph, state, i, terms, sums) != labels[i]


@compiled
def _fetch_sums(i, graph, state, sums):
    """Fetch the sums that a visit of item i needs, if labels are many."""
    labels, size, x = state.labels, state.size, sums.x
    indptr, indices = graph.indptr, graph.indices
    end = indptr[i + 1] if len(labels) > CACHED else indptr[i]
    for e in range(indptr[i], end):
        c = labels[indices[e]]
        prefetch(x, c)
        prefetch(size, c)


@compiled
def settle(first, last, graph, state, terms, sums, room, n_passes):
    """Move the items of components ``first .. last - 1`` until none gains.

    A component without an active item rests; the last pass over any other visits all its items,
    since sizes matter to items that are no neighbours. Reads the graph, writes ``state``, and uses
    ``sums`` and ``room``.
    """
    component_ptr = graph.component_ptr
    for component in range(first, last):
        begin, end = component_ptr[component], component_ptr[component + 1]
        scope = Scope(begin, end, begin, end)
        is_over = not rouse(begin, end, state.active, False)
        all_seen = False
        for _ in range(n_passes):
            if is_over:
                break
            moved = move(scope, graph, state, terms, sums, room)
            is_over, all_seen = all_seen & (not moved), not moved
            rouse(begin, end, state.active, all_seen & (not is_over))


@compiled
def rouse(begin, end, active, everyone):
    """Make items ``begin .. end - 1`` active if ``everyone``; tell whether any is active."""
    found = False
    for i in range(begin, end):
        active[i] |= everyone
        found |= active[i]
    return found


@compiled
def move(scope, graph, state, terms, sums, room):
    """Move the active items of a scope to their best labels, the items of a group together.

    Reads the graph, writes ``state``, and uses ``sums`` and ``room``, which is None if there are no
    groups. Tells whether any has moved.
    """
    if room is None:
        return _move_items(scope, graph, state, terms, sums)
    return _move_units(scope, graph, state, terms, sums, room)


@compiled
def _move_items(scope, graph, state, terms, sums):
    """Move the active items of a scope; tell whether any has moved."""
    labels, active, weight = state.labels, state.active, graph.weight
    moved, spare = False, scope.begin
    for i in range(scope.first, scope.last):
        if not active[i]:
            continue
        active[i] = False
        here = labels[i]
        to = _best_label(graph, state, i, terms, sums)
        if to == here:
            continue
        if to < 0:
            spare = _first_empty(scope, state.n_items, spare)
            to = np.int32(spare)
        _leave(state, here, weight[i])
        _enter(state, to, weight[i])
        labels[i] = to
        moved = True
        activate_neighbors(graph, i, active)
    return moved


@compiled
def _move_units(scope, graph, state, terms, sums, room):
    """Move the items of the units of a scope that have an active item; tell whether any moved."""
    moved, spare = False, scope.begin
    unit = np.searchsorted(graph.unit_ptr, scope.first)
    while graph.unit_ptr[unit] < scope.last:
        items = range(graph.unit_ptr[unit], graph.unit_ptr[unit + 1])
        unit += 1
        if withdraw(items.start, items.stop, graph, state, room):
            weigh(items.start, items.stop, items.start, graph, state, terms, sums, room)
            is_better = _reassign(items, graph, terms, room)
            spare = _settle_unit(scope, graph, state, items, is_better, spare, room)
            moved |= is_better
    return moved


@compiled
def reassign(scope, graph, state, terms, room):
    """Move the items of the one unit of a scope, of which is known what labels they gain by.

    It was withdrawn, and all its items were weighed. Tells whether any has moved.
    """
    items = range(scope.first, scope.last)
    is_better = _reassign(items, graph, terms, room)
    _settle_unit(scope, graph, state, items, is_better, scope.begin, room)
    return is_better


@compiled
def _reassign(items, graph, terms, room):
    """Choose labels for all items of a unit; tell whether they gain more than the old labels."""
    before, n_columns = _name_columns(graph, items, room)
    gained = -assign(len(items), room.costs, n_columns, room.chosen)
    for c in range(n_columns):
        room.slot[room.names[c]] = 0
    return gained > before + terms.least


@compiled
def _best_label(graph, state, i, terms, sums):
    """Return the label to which item i should move: perhaps its own; -1: an empty one.

    Of labels with the same gain the smallest counts. Uses ``sums``, and leaves them 0.
    """
    x, size, weight, least = sums.x, state.size, graph.weight[i], terms.least
    n = gather(graph, state.labels, i, sums, 0)
    here, price = state.labels[i], terms.gamma * weight
    stay = x[here] - price * (size[here] - weight)
    best, to = max(stay, 0.0) + least, np.int32(-1)
    for q in range(n):
        c = sums.touched[q]
        gain = x[c] - price * size[c]
        if c != here and (gain > best or (gain == best and c < to)):
            best, to = gain, c
        x[c] = 0.0
    is_content = (to < 0) & ((stay >= -least) | (state.n_items[here] == 1))
    return here if is_content else to


@compiled
def _leave(state, c, weight):
    """Take an item of this weight out of the count and the size of label c."""
    state.n_items[c] -= 1
    state.size[c] = state.size[c] - weight if state.n_items[c] else 0.0


@compiled
def _enter(state, c, weight):
    """Add an item of this weight to the count and the size of label c."""
    state.n_items[c] += 1
    state.size[c] += weight


@compiled
def _first_empty(scope, n_items, at):
    """Return the first label from ``at`` on, or else from the first on, that no item has."""
    while at < scope.end and n_items[at] > 0:
        at += 1
    if at == scope.end:
        at = scope.begin
        while n_items[at] > 0:
            at += 1
    return at


@compiled
def withdraw(first, last, graph, state, room):
    """Take the unit of items ``first .. last - 1`` out of counts and sizes, if any is active.

    They become inactive; ``old`` has their labels. Tells whether any was active.
    """
    is_active = False
    for i in range(first, last):
        is_active |= state.active[i]
        state.active[i] = False
    if is_active:
        for i in range(first, last):
            room.old[i - first] = state.labels[i]
            _leave(state, state.labels[i], graph.weight[i])
    return is_active


@compiled
def weigh(first, last, begin, graph, state, terms, sums, room):
    """Write what items ``first .. last - 1`` would gain by each label with a gain above 0.

    Their unit, which was withdrawn, begins at ``begin``. The costs of an item stand where its
    similarities stand, counted from the first similarity of the unit. Uses ``sums``, and leaves
    them 0; writes ``stay``, ``end`` and ``costs`` of the room.
    """
    x, size, gamma, column, cost = (
        sums.x,
        state.size,
        terms.gamma,
        room.costs.column,
        room.costs.cost,
    )
    for i in range(first, last):
        weight, old = graph.weight[i], room.old[i - begin]
        n = gather(graph, state.labels, i, sums, 0)
        room.stay[i - begin] = x[old] - gamma * weight * size[old]
        end = graph.indptr[i] - graph.indptr[begin]
        for q in range(n):
            c = sums.touched[q]
            gain = x[c] - gamma * weight * size[c]
            x[c] = 0.0
            if gain > 0.0:
                column[end], cost[end] = c, -gain
                end += 1
        room.end[i - begin] = end


@compiled
def _name_columns(graph, items, room):
    """Give numbers to the labels in the costs of a unit, and close the gaps between its items.

    Returns the gain of the old labels, and the number of columns, the labels that occur. Writes
    ``slot``, ``names`` and ``costs`` of the room.
    """
    ptr, column, cost = room.costs.ptr, room.costs.column, room.costs.cost
    before, n_columns, at = 0.0, 0, 0
    for p in range(len(items)):
        before += room.stay[p]
        for e in range(graph.indptr[items.start + p] - graph.indptr[items.start], room.end[p]):
            c = column[e]
            if room.slot[c] == 0:
                room.names[n_columns] = c
                n_columns += 1
                room.slot[c] = n_columns
            column[at], cost[at] = room.slot[c] - 1, cost[e]
            at += 1
        ptr[p + 1] = at
    return before, n_columns


@compiled
def _settle_unit(scope, graph, state, items, is_better, spare, room):
    """Give the items of a unit their chosen labels if ``is_better``, else their old labels.

    An item without a column gets an empty label: its old label if no item has it now. Returns the
    last empty label that was found, ``spare`` if none was needed. Neighbours of moved items become
    active.
    """
    for p in range(len(items)):
        i, c = items.start + p, room.old[p]
        if is_better and room.chosen[p] >= 0:
            c = room.names[room.chosen[p]]
        elif is_better and state.n_items[c] > 0:
            spare = _first_empty(scope, state.n_items, spare)
            c = np.int32(spare)
        state.labels[i] = c
        _enter(state, c, graph.weight[i])
    for p in range(len(items)):
        if state.labels[items.start + p] != room.old[p]:
            activate_neighbors(graph, items.start + p, state.active)
    return spare
