"""Moves of single items and of whole groups to better labels, compiled.

An item of label c contributes ``sum_j W_ij - gamma n_i n_j`` to the objective, j being the other
items of c. It moves to the label where that is largest, or to an empty one, where it is 0. Items of
a group move together, by the best assignment in which no two share a label.

Only active items are visited: those with a neighbour that has moved since they were visited last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from spherelax.coordinate.assignment import assign
from spherelax.coordinate.neighbors import activate_neighbors, gather


class State(NamedTuple):
    """The labels, all below n_items, and what is kept up to date with them."""

    labels: Any  # int32 (m)
    size: Any  # float64 (m), summed weights of the items with a label
    count: Any  # int32 (m), their number
    active: Any  # bool (m), items that must be visited


class UnitRoom(NamedTuple):
    """Room for the reassignment of one unit; its items are numbered from 0, as in ``members``."""

    old: Any  # int32, the label that each item had
    chosen: Any  # int32, the column that the assignment gives to each item
    slot: Any  # int32 (m), the column that stands for a label; -1 before and after
    names: Any  # int32 (m), the label that a column stands for
    costs: Any  # Costs: what each item loses by each column, its gain times -1


@njit(cache=True, nogil=True)
def move_items(graph, state, gamma, least, n_passes, sums):
    """Move items to their best labels, in at most ``n_passes`` passes, until none moves.

    A move must gain more than ``least``. Reads the graph, writes ``state``, and uses ``sums``.
    """
    labels, count, active, weight = state.labels, state.count, state.active, graph.weight
    all_seen, spare = False, 0
    for _ in range(n_passes):
        moved = False
        for i in range(len(labels)):
            if not active[i]:
                continue
            active[i] = False
            here = labels[i]
            to = _best_label(graph, state, i, gamma, least, sums)
            if to == here:
                continue
            if to < 0:
                spare = _first_empty(count, spare)
                to = np.int32(spare)
            _leave(state, here, weight[i])
            _enter(state, to, weight[i])
            labels[i] = to
            moved = True
            activate_neighbors(graph, i, active)
        if not moved and all_seen:
            break
        # Sizes matter to items that are no neighbours: the last pass visits all of them.
        all_seen = not moved
        if all_seen:
            active[:] = True


@njit(cache=True, nogil=True)
def move_units(graph, state, gamma, least, n_passes, sums, room):
    """Move items, those of a group together, until none moves or for ``n_passes`` passes.

    A move must gain more than ``least``. Reads the graph, writes ``state``, and uses ``sums`` and
    ``room``.
    """
    all_seen, spare = False, 0
    for _ in range(n_passes):
        moved = False
        for unit in range(len(graph.unit_ptr) - 1):
            items = graph.members[graph.unit_ptr[unit] : graph.unit_ptr[unit + 1]]
            is_active = False
            for i in items:
                is_active |= state.active[i]
                state.active[i] = False
            if not is_active:
                continue
            _withdraw(graph, state, items, room.old)
            before, n_columns = _weigh_labels(graph, state, items, gamma, sums, room)
            gained = -assign(len(items), room.costs, n_columns, room.chosen)
            for c in range(n_columns):
                room.slot[room.names[c]] = -1
            is_better = gained > before + least
            spare = _settle(graph, state, items, is_better, spare, room)
            moved |= is_better
        if not moved and all_seen:
            break
        # Sizes matter to items that are no neighbours: the last pass visits all of them.
        all_seen = not moved
        if all_seen:
            state.active[:] = True


@njit(cache=True, nogil=True)
def _best_label(graph, state, i, gamma, least, sums):
    """Return the label to which item i should move: perhaps its own; -1: an empty one.

    Of labels that gain the same the smallest counts. Uses ``sums``, and leaves them 0.
    """
    x, size, weight = sums.x, state.size, graph.weight[i]
    n = gather(graph, state.labels, i, sums, 0)
    here, price = state.labels[i], gamma * weight
    stay = x[here] - price * (size[here] - weight)
    best, to = max(stay, 0.0) + least, np.int32(-1)
    for q in range(n):
        c = sums.touched[q]
        gain = x[c] - price * size[c]
        if c != here and (gain > best or (gain == best and c < to)):
            best, to = gain, c
        x[c] = 0.0
    is_content = (to < 0) & ((stay >= -least) | (state.count[here] == 1))
    return here if is_content else to


@njit(cache=True, nogil=True)
def _leave(state, c, weight):
    """Take an item of this weight out of the count and the size of label c."""
    state.count[c] -= 1
    state.size[c] = state.size[c] - weight if state.count[c] else 0.0


@njit(cache=True, nogil=True)
def _enter(state, c, weight):
    """Add an item of this weight to the count and the size of label c."""
    state.count[c] += 1
    state.size[c] += weight


@njit(cache=True, nogil=True)
def _first_empty(count, at):
    """Return the first label from ``at`` on, or else from 0 on, that no item has."""
    while at < len(count) and count[at] > 0:
        at += 1
    if at == len(count):
        at = 0
        while count[at] > 0:
            at += 1
    return at


@njit(cache=True, nogil=True)
def _withdraw(graph, state, items, old):
    """Take the items of a unit out of counts and sizes; write their labels into ``old``."""
    for p in range(len(items)):
        i = items[p]
        old[p] = state.labels[i]
        _leave(state, old[p], graph.weight[i])


@njit(cache=True, nogil=True)
def _weigh_labels(graph, state, items, gamma, sums, room):
    """Write what each item of a unit would gain by each label with a gain above 0.

    Returns the gain of the old labels, and the number of columns, the labels that occur. Uses
    ``sums``, and leaves them 0; writes ``slot``, ``names`` and ``costs`` of the room.
    """
    x, size, costs = sums.x, state.size, room.costs
    before, n_columns = 0.0, 0
    for p in range(len(items)):
        i = items[p]
        weight, old = graph.weight[i], room.old[p]
        n = gather(graph, state.labels, i, sums, 0)
        before += x[old] - gamma * weight * size[old]
        end = costs.ptr[p]
        for q in range(n):
            c = sums.touched[q]
            gain = x[c] - gamma * weight * size[c]
            x[c] = 0.0
            if gain > 0.0:
                if room.slot[c] < 0:
                    room.slot[c] = n_columns
                    room.names[n_columns] = c
                    n_columns += 1
                costs.column[end] = room.slot[c]
                costs.cost[end] = -gain
                end += 1
        costs.ptr[p + 1] = end
    return before, n_columns


@njit(cache=True, nogil=True)
def _settle(graph, state, items, is_better, spare, room):
    """Give the items of a unit their chosen labels if these are better, else the old ones.

    An item without a column gets an empty label, its old one if that is empty now. Returns the last
    empty label that was found, ``spare`` if none was needed. Neighbours of moved items are active.
    """
    for p in range(len(items)):
        i, c = items[p], room.old[p]
        if is_better and room.chosen[p] >= 0:
            c = room.names[room.chosen[p]]
        elif is_better and state.count[c] > 0:
            spare = _first_empty(state.count, spare)
            c = np.int32(spare)
        state.labels[i] = c
        _enter(state, c, graph.weight[i])
    for p in range(len(items)):
        if state.labels[items[p]] != room.old[p]:
            activate_neighbors(graph, items[p], state.active)
    return spare
