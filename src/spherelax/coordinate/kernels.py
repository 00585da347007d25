"""Coordinate ascent on sparse rows of U, compiled: passes over the items at one resolution.

With the other rows fixed, the objective is linear in row i of U, and its best row is ::

    x_c = sum_j W_ij U_jc - gamma n_i (s_c - n_i U_ic) - mu (h_c - U_ic),    U_i <- x_+ / |x_+|

n are the weights of the items in the null model, ``s_c = sum_j n_j U_jc``, and ``h_c`` sums column
c over the items of the same group, which repel each other. Of the positive entries the ``r``
largest are kept, which is exact ascent over rows with at most r entries. An item that no column
attracts gets an empty column.

A unit is a group, or an item that shares its group with no other. The items of a unit are visited
one after the other. Units come in batches: `propose` finds the best rows of a batch while all rows
stay as they are, so that any number of threads gives the same bits, and `commit` puts them into
place; then comes the next batch.

Only active items are visited: those with a neighbour whose row has changed since the last visit,
and those for which the resolution has fallen to their activation level, where another column would
enter their row.

Numba counts references to the arrays of a function unless it can see that the counts cancel. In
functions that are called for every item that would double the time (`propose` on 40,000 items:
0.67 s instead of 0.30 s). So these functions take arrays out of tuples first, return in one place,
and have ``&`` where ``and`` would skip reading an array.

Numba compiles a function again when its own file has changed, but not when one that it calls has
changed in another file: who edits rows.py, neighbors.py or assignment.py deletes the cached code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from spherelax.coordinate.neighbors import activate_neighbors
from spherelax.coordinate.rows import (
    PackedRows,
    add,
    attract,
    clear,
    clear_sums,
    distance,
    enter_columns,
    entry,
    keep_largest,
    leave_columns,
)

# A row that changes by less than this (sum of absolute differences) does not activate neighbours.
QUIET = 1e-3
# The activation level of a row that is active at any resolution.
ALWAYS = np.float32(np.inf)
# Makes an activation level that is stored times -1 negative, even if it is 0.
TINY = np.float32(1e-30)


class Terms(NamedTuple):
    """The numbers of the objective in a pass."""

    gamma: Any  # float64, the resolution
    mu: Any  # float64, how strongly items of a group repel each other
    tau: Any  # float64, entries below this share of the largest of their row are dropped


class Span(NamedTuple):
    """Units ``first .. last - 1`` of a batch that begins at position ``base`` of ``members``."""

    first: Any  # int64
    last: Any  # int64
    base: Any  # int64


class Visit(NamedTuple):
    """One item that is visited."""

    item: Any
    weight: Any  # float32, n_i
    price: Any  # float64, gamma n_i
    grouped: Any  # bool, whether other items are in its group


@njit(cache=True, nogil=True)
def one_by_one(graph, rows, terms, proposed, scratch):
    """Visit all units, each in a batch of its own; return what the objective gained."""
    total = 0.0
    for unit in range(len(graph.unit_ptr) - 1):
        span = Span(unit, unit + 1, np.int64(graph.unit_ptr[unit]))
        propose(span, graph, rows, terms, proposed, scratch)
        total += commit(span, graph, rows, proposed)
        activate(span, graph, rows, proposed)
    return total


@njit(cache=True, nogil=True)
def propose(span, graph, rows, terms, proposed, scratch):
    """Write the best rows of the active items of a span of units into ``proposed``.

    Reads graph and rows; uses ``scratch``, and leaves its sums 0. Items of a group see the rows
    that have just been proposed for those before them, for repulsion only.
    """
    old, new = PackedRows(rows.packed, rows.value), PackedRows(proposed.packed, proposed.value)
    moved, gain, activation = proposed.moved, proposed.gain, proposed.activation
    members, node_weight, unit_ptr = graph.members, graph.weight, graph.unit_ptr
    s, group = rows.s, scratch.group
    for unit in range(span.first, span.last):
        begin, end = unit_ptr[unit], unit_ptr[unit + 1]
        if not _mark_active(begin, end, span.base, graph, rows, terms, proposed):
            continue
        grouped = end - begin > 1
        if grouped:
            for at in range(begin, end):
                add(old, members[at], 1.0, group)
        for at in range(begin, end):
            p, i = at - span.base, members[at]
            if moved[p] < 0.0:
                continue
            if grouped:
                add(old, i, -1.0, group)
            visit = Visit(i, node_weight[i], terms.gamma * node_weight[i], grouped)
            n = attract(graph, old, i, scratch)
            before = _objective_of_row(visit, old, s, terms, scratch)
            is_repelled = _candidates(visit, n, s, terms, scratch)
            gain[p] = keep_largest(new, p, scratch, n, terms.tau) - before
            moved[p] = 0.0 if _stays_alone(i, p, rows, new) else distance(new, p, old, i)
            activation[p] = ALWAYS
            if moved[p] == 0.0 and new.packed[p, 1] < 0:
                level = _activation_level(visit, n, rows, terms, scratch)
                activation[p] = -level - TINY if is_repelled else level
            clear_sums(n, scratch)
            if grouped:
                add(new, p, 1.0, group)
        if grouped:
            for at in range(begin, end):
                clear(old, members[at], group)
                if moved[at - span.base] >= 0.0:
                    clear(new, at - span.base, group)


@njit(cache=True, nogil=True)
def _mark_active(begin, end, base, graph, rows, terms, proposed):
    """Set ``moved`` to 0 for active items and to -1 for others; tell whether any is active.

    The items are those from position ``begin`` to ``end - 1`` of ``members``.
    """
    any_active = False
    for at in range(begin, end):
        i = graph.members[at]
        is_active = rows.active[i] or abs(rows.activation[i]) >= terms.gamma
        proposed.moved[at - base] = 0.0 if is_active else -1.0
        any_active |= is_active
    return any_active


@njit(cache=True, nogil=True)
def _objective_of_row(visit, rows, s, terms, scratch):
    """Return what the present row of an item contributes to the objective.

    Then adds ``gamma n_i^2 U_i`` to ``x``, so that all of ``gamma n_i s`` can be subtracted.
    """
    packed, value, x, group = rows.packed, rows.value, scratch.x, scratch.group
    r = packed.shape[1] // 2
    total = 0.0
    for t in range(r):
        c = packed[visit.item, t]
        if c >= 0:
            v = value[visit.item, r + t]
            total += v * (x[c] - visit.price * (s[c] - visit.weight * v))
            if visit.grouped:
                total -= terms.mu * v * group[c]
            if x[c] > 0.0:
                x[c] += visit.price * visit.weight * v
    return total


@njit(cache=True, nogil=True)
def _candidates(visit, n, s, terms, scratch):
    """Write into ``y`` the entries of the best row at the n touched columns, before scaling.

    Tells whether the group of the item repels it from any column that attracts it.
    """
    x, y, group, touched = scratch.x, scratch.y, scratch.group, scratch.touched
    is_repelled = False
    for q in range(n):
        c = touched[q]
        y[q] = x[c] - visit.price * s[c]
        if visit.grouped and y[q] > 0.0 and group[c] > 0.0:
            is_repelled = True
            y[q] -= terms.mu * group[c]
    return is_repelled


@njit(cache=True, nogil=True)
def _stays_alone(i, p, rows, new):
    """Tell whether no column attracts item i, and its own one is empty but for it."""
    own = rows.packed[i, 0]
    return (new.packed[p, 0] < 0) & (rows.packed[i, 1] < 0) & (rows.count[own] == 1)


@njit(cache=True, nogil=True)
def _activation_level(visit, n, rows, terms, scratch):
    """Return the resolution at which another column would enter the row of an item.

    The row has one entry. Column c enters it when ``x_c - gamma n_i s_c`` reaches tau times the
    same of the item's own column; columns of its group are left out.
    """
    x, s, weight = scratch.x, rows.s, visit.weight
    own = rows.packed[visit.item, 0]
    own_pull = terms.tau * max(x[own] - visit.price * weight, 0.0)
    own_room = terms.tau * (s[own] - weight)
    level = 0.0
    for q in range(n):
        c = scratch.touched[q]
        pull, room = x[c] - own_pull, weight * (s[c] - own_room)
        if visit.grouped and scratch.group[c] > 0.0:
            continue
        if c != own and room > 0.0 and pull > level * room:
            level = pull / room
    return level


@njit(cache=True, nogil=True)
def commit(span, graph, rows, proposed):
    """Put the proposed rows of a whole batch into place; return what the objective gained.

    Writes the rows and all that is kept up to date with them, but for the activity of neighbours.
    """
    members, weight = graph.members, graph.weight
    active, activation, moved, gain = rows.active, rows.activation, proposed.moved, proposed.gain
    total = 0.0
    for at in range(graph.unit_ptr[span.first], graph.unit_ptr[span.last]):
        p, i = at - span.base, members[at]
        if moved[p] < 0.0:
            continue
        active[i] = False
        activation[i] = proposed.activation[p]
        if moved[p] == 0.0:
            continue
        if _must_wait(i, p, rows, proposed):
            active[i] = True
            moved[p] = 0.0
            continue
        total += gain[p]
        leave_columns(i, weight[i], rows)
        enter_columns(i, p, weight[i], rows, proposed)
    return total


@njit(cache=True, nogil=True)
def _must_wait(i, p, rows, proposed):
    """Tell whether item i has to keep its row for now.

    It has if the batch has just emptied a column that it would enter: two items that both move to
    where the other one was would change places for ever. Or if it needs an empty column, and there
    is none.
    """
    old, new, count = PackedRows(rows.packed, rows.value), proposed.packed, rows.count
    waits = (new[p, 0] < 0) & (rows.n_free[0] == 0) & (count[old.packed[i, 0]] > 1)
    for t in range(new.shape[1] // 2):
        c = new[p, t]
        if c >= 0:
            waits |= count[c] == (entry(old, i, c) > 0.0)
    return waits


@njit(cache=True, nogil=True)
def activate(span, graph, rows, proposed):
    """Activate the neighbours of the items of a span that have moved, and others of their groups.

    Of a group in which an item has moved, those are activated whom it kept from a column.
    """
    members, moved = graph.members, proposed.moved
    for unit in range(span.first, span.last):
        begin, end = graph.unit_ptr[unit], graph.unit_ptr[unit + 1]
        any_moved = False
        for at in range(begin, end):
            if moved[at - span.base] > QUIET:
                any_moved = True
                activate_neighbors(graph, members[at], rows.active)
        if any_moved and end - begin > 1:
            for at in range(begin, end):
                if rows.activation[members[at]] < 0.0:
                    rows.active[members[at]] = True
