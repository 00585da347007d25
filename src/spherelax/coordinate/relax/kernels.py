"""Coordinate ascent on sparse rows of U, compiled: passes over the items at one resolution.

With the other rows fixed, the objective is linear in row i of U, and its best row is ::

    x_c = sum_j W_ij U_jc - gamma n_i (s_c - n_i U_ic) - mu (h_c - U_ic),    U_i <- x_+ / |x_+|

n are the weights of the items in the null model, ``s_c = sum_j n_j U_jc``, and ``h_c`` sums column
c over the items of the same group, which repel each other. Of the positive entries the ``r``
largest are kept, which is exact ascent over rows with at most r entries. An item that no column
attracts gets an empty column.

Nothing attracts an item to a column outside its connected component, and each component has its
own columns, so no row depends on other components. A unit is the items of one group, or a single
item. The units of a small component are visited one after the other (`visit_units`). A large
component is visited in batches of units, and its largest units are cut into pieces: `propose` finds
the best rows of a batch while all rows stay as they are, so that any number of threads gives the
same bits, and `commit` puts them into place; then comes the next batch.

Only active items are visited. An item is active if the row of a neighbour has changed since the
last visit, or if the resolution has fallen to the item's activation level, where another column
would enter its row. Active items wait in a queue, so that the memory which is needed next is known
and fetched ahead (`prefetch`); without this, most of the time would be spent waiting for memory.

Numba counts references to the arrays of a function unless it can see that the counts cancel. In
functions that are called for every item that would double the time (`propose` on 40,000 items:
0.67 s instead of 0.30 s). So functions that are called for every item take arrays out of tuples
first, return in one place, and have ``&`` where ``and`` would skip reading an array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spherelax.coordinate.graph.neighbors import TINY, activate_neighbors
from spherelax.coordinate.machine import AHEAD, CACHED, compiled, prefetch
from spherelax.coordinate.relax.rows import (
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


class RowTerms(NamedTuple):
    """The numbers of the objective in a pass."""

    gamma: float  # the resolution
    mu: float  # how strongly items of a group repel each other
    tau: float  # entries below this share of the largest of their row are dropped


class Span(NamedTuple):
    """Items ``first .. last - 1`` of a batch, which begin in a unit."""

    first: int
    last: int
    unit: int
    base: int  # where the batch begins
    component: int
    largest: int  # units with more items are visited in pieces


class Visit(NamedTuple):
    """One item that is visited."""

    item: int
    weight: float  # n_i
    price: float  # gamma n_i
    grouped: bool  # whether other items are in its group
    cut: bool  # whether its group is visited in pieces


@compiled
def visit_units(first, last, graph, rows, columns, terms, proposed, scratch, gains):
    """Visit components ``first .. last - 1``, each unit in a batch of its own.

    Writes into ``gains`` what the objective gained in each component.
    """
    component_ptr, unit_ptr = graph.component_ptr, graph.unit_ptr
    unit = _unit_at(component_ptr[first], unit_ptr)
    for component in range(first, last):
        gains[component] = 0.0
        while unit_ptr[unit] < component_ptr[component + 1]:
            begin, end = int(unit_ptr[unit]), int(unit_ptr[unit + 1])
            if _any_active(begin, end, rows, terms):
                span = Span(begin, end, unit, begin, component, end - begin)
                propose(span, graph, rows, columns, terms, proposed, scratch)
                gains[component] += commit(span, graph, rows, columns, proposed)
                activate(span, graph, rows, proposed)
            unit += 1


@compiled
def _unit_at(item, unit_ptr):
    """Return the unit that begins with an item."""
    # Not by NumPy's search: Numba would compile all its cases, for 1 s.
    low, high = 0, len(unit_ptr) - 1
    while low < high:
        middle = (low + high) >> 1
        if unit_ptr[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _any_active(begin, end, rows, terms):
    """Tell whether any of items ``begin .. end - 1`` is active."""
    active, activation = rows.active, rows.activation
    found = False
    for i in range(begin, end):
        found |= active[i] | (abs(activation[i]) >= terms.gamma)
    return found


@compiled
def occupy(first, last, rows, terms, occupied):
    """Sum the rows of a unit, items ``first .. last - 1``, by column, if any of them is active."""
    packed = PackedRows(rows.packed, rows.value)
    if _any_active(first, last, rows, terms):
        for i in range(first, last):
            add(packed, i, 1.0, occupied)


@compiled
def vacate(first, last, rows, occupied):
    """Set sums by column to 0 where items ``first .. last - 1`` have entries."""
    packed = PackedRows(rows.packed, rows.value)
    for i in range(first, last):
        clear(packed, i, occupied)


@compiled
def propose(span, graph, rows, columns, terms, proposed, scratch):
    """Write the best rows of the active items of a span into ``proposed``; they become inactive.

    Reads graph, rows and columns; writes the activation levels, which no other thread reads; uses
    ``scratch``, and leaves its sums 0. The repulsion of an item counts the rows that have just been
    proposed for earlier items of its group in the span. The rows of a group that is visited in
    pieces have been summed before, once for all pieces (`occupy`).
    """
    old, new = PackedRows(rows.packed, rows.value), PackedRows(proposed.packed, proposed.value)
    moved, gain, active, activation = proposed.moved, proposed.gain, rows.active, rows.activation
    node_weight, unit_ptr = graph.weight, graph.unit_ptr
    s, group, queue, new_packed = columns.s, scratch.group, proposed.queue, proposed.packed
    k, last = span.first - span.base, _find_active(span, rows, terms, proposed)
    unit = span.unit
    while k < last:
        while unit_ptr[unit + 1] <= span.base + queue[k]:
            unit += 1
        begin, end = unit_ptr[unit], unit_ptr[unit + 1]
        grouped, is_cut = end - begin > 1, end - begin > span.largest
        summed = end if grouped and not is_cut else begin
        for i in range(begin, summed):
            add(old, i, 1.0, group)
        first_visit = k
        while k < last and span.base + queue[k] < end:
            p = queue[k]
            i = span.base + p
            if k + 1 < last:
                _look_ahead(k, last - 1, span.base, graph, rows, s, proposed, scratch)
            if grouped:
                add(old, i, -1.0, group)
            visit = Visit(i, node_weight[i], terms.gamma * node_weight[i], grouped, is_cut)
            n = attract(graph, old, i, scratch)
            before = _take_out_row(visit, old, s, terms, scratch)
            is_repelled = _write_candidates(visit, n, s, terms, scratch)
            gain[p] = keep_largest(new, p, scratch, n, terms.tau) - before
            stays = _stays_alone(i, p, rows, columns, new)
            moved[p] = 0.0 if stays else distance(new, p, old, i)
            active[i], activation[i] = False, ALWAYS
            if moved[p] == 0.0 and new_packed[p, 1] < 0:
                level = _activation_level(visit, n, rows, s, terms, scratch)
                activation[i] = -level - TINY if is_repelled else level
            clear_sums(n, scratch)
            if grouped:
                add(new, p, 1.0, group)
            k += 1
        for i in range(begin, summed):
            clear(old, i, group)
        if grouped:
            for visited in range(first_visit, k):
                clear(old, span.base + queue[visited], group)
                clear(new, queue[visited], group)


@compiled
def _find_active(span, rows, terms, proposed):
    """Put the active items of a span in the queue; return where they end in it.

    They follow each other in ``queue`` from the span's own beginning on. ``moved`` becomes 0 for
    active items and -1 for inactive ones.
    """
    moved, queue = proposed.moved, proposed.queue
    active, activation = rows.active, rows.activation
    end = span.first - span.base
    for p in range(span.first - span.base, span.last - span.base):
        i = span.base + p
        is_active = active[i] | (abs(activation[i]) >= terms.gamma)
        moved[p] = 0.0 if is_active else -1.0
        queue[end] = p
        end += is_active
    return end


@compiled
def _look_ahead(k, last, base, graph, rows, s, proposed, scratch):
    """Fetch what the visits after the k-th of the queue need; the queue ends with ``last``."""
    packed, x, queue = rows.packed, scratch.x, proposed.queue
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    i = base + queue[min(k + 2 * AHEAD, last)]
    prefetch(indptr, i)
    prefetch(packed, i)
    i = base + queue[min(k + AHEAD, last)]
    prefetch(indices, indptr[i])
    prefetch(values, indptr[i])
    prefetch(indices, indptr[i + 1] - 1)
    prefetch(values, indptr[i + 1] - 1)
    i = base + queue[min(k + AHEAD // 2, last)]
    for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        prefetch(packed, indices[e])
    i = base + queue[min(k + 1, last)]
    end = indptr[i + 1] if len(s) > CACHED else indptr[i]
    for e in range(np.uint64(indptr[i]), np.uint64(end)):
        for t in range(packed.shape[1] // 2):
            c = max(packed[indices[e], t], 0)
            prefetch(x, c)
            prefetch(s, c)


@compiled
def _take_out_row(visit, rows, s, terms, scratch):
    """Take the present row of an item out of the null model; return what the row contributes.

    Adds ``gamma n_i^2 U_i`` to ``x``: the column sums ``s`` still hold the row, and ``gamma n_i s``
    is subtracted from ``x`` later. The contribution is a part of the objective.
    """
    packed, value, x = rows.packed, rows.value, scratch.x
    r = packed.shape[1] // 2
    total = 0.0
    for t in range(r):
        c = packed[visit.item, t]
        if c >= 0:
            v = value[visit.item, r + t]
            total += v * (x[c] - visit.price * (s[c] - visit.weight * v))
            if visit.grouped:
                total -= terms.mu * v * _group_sum(c, visit, scratch)
            if x[c] > 0.0:
                x[c] += visit.price * visit.weight * v
    return total


@compiled
def _write_candidates(visit, n, s, terms, scratch):
    """Write into ``y`` the entries of the best row at the n touched columns, before scaling.

    Returns whether the group of the item repels it from any column that attracts it.
    """
    x, y, touched = scratch.x, scratch.y, scratch.touched
    is_repelled = False
    for q in range(n):
        c = touched[q]
        y[q] = x[c] - visit.price * s[c]
        if visit.grouped and y[q] > 0.0 and _group_sum(c, visit, scratch) > 0.0:
            is_repelled = True
            y[q] -= terms.mu * _group_sum(c, visit, scratch)
    return is_repelled


@compiled
def _group_sum(c, visit, scratch):
    """Return the sum of column c over the other items of the group of a visited item."""
    group, occupied = scratch.group, scratch.occupied
    held = group[c]
    if visit.cut:
        held += occupied[c]
    return held


@compiled
def _stays_alone(i, p, rows, columns, new):
    """Tell whether no column attracts item i, and i is the only item in its own column."""
    packed, n_rows, proposed = rows.packed, columns.n_rows, new.packed
    return (proposed[p, 0] < 0) & (packed[i, 1] < 0) & (n_rows[packed[i, 0]] == 1)


@compiled
def _activation_level(visit, n, rows, s, terms, scratch):
    """Return the resolution at which another column would enter the row of an item.

    The row has one entry. Column c enters it when ``x_c - gamma n_i s_c`` reaches tau times the
    same value of the item's own column. Columns that the rest of the group holds are left out.
    """
    x, touched, packed = scratch.x, scratch.touched, rows.packed
    weight, own = visit.weight, packed[visit.item, 0]
    own_pull = terms.tau * max(x[own] - visit.price * weight, 0.0)
    own_room = terms.tau * (s[own] - weight)
    level = 0.0
    for q in range(n):
        c = touched[q]
        pull, room = x[c] - own_pull, weight * (s[c] - own_room)
        if visit.grouped and _group_sum(c, visit, scratch) > 0.0:
            continue
        if c != own and room > 0.0 and pull > level * room:
            level = pull / room
    return level


@compiled
def commit(span, graph, rows, columns, proposed):
    """Put the proposed rows of a whole batch into place; return what the objective gained.

    The pieces of a unit did not see each other's proposals: if two items of a unit would enter the
    same column, the second one waits. Writes the rows, the columns, and which items wait; the
    neighbours of moved items are activated by `activate`.
    """
    weight, unit_ptr, queue, moved = graph.weight, graph.unit_ptr, proposed.queue, proposed.moved
    old, new = PackedRows(rows.packed, rows.value), PackedRows(proposed.packed, proposed.value)
    n, n_claims, unit, total = _find_moved(span, proposed), 0, span.unit, 0.0
    for k in range(n):
        p = queue[k]
        i = span.base + p
        if k + 1 < n:
            _fetch_columns(queue[min(k + AHEAD, n - 1)], span.base, rows, columns, proposed)
        while unit_ptr[unit + 1] <= i:
            unit += 1
        is_cut = unit_ptr[unit + 1] - unit_ptr[unit] > span.largest
        claims = is_cut and _goes_beyond(new, p, old, i)
        waits = _must_wait(i, p, span.component, rows, columns, proposed)
        if waits or (claims and _is_claimed(i, p, unit, rows, columns, proposed)):
            rows.active[i] = True
            moved[p] = 0.0
            continue
        total += proposed.gain[p]
        proposed.left[p] = _goes_beyond(old, i, new, p)
        leave_columns(i, weight[i], rows, columns, span.component)
        enter_columns(i, p, weight[i], rows, columns, proposed, span.component)
        if claims:
            _claim(p, np.int32(unit), columns, proposed)
            queue[n_claims] = p
            n_claims += 1
    for k in range(n_claims):
        _claim(queue[k], np.int32(-1), columns, proposed)
    return total


@compiled
def _find_moved(span, proposed):
    """Put the items of a batch whose rows would move first in the queue; return their number."""
    moved, queue, n = proposed.moved, proposed.queue, 0
    for p in range(span.first - span.base, span.last - span.base):
        queue[n] = p
        n += moved[p] > 0.0
    return n


@compiled
def _goes_beyond(one, i, other, p):
    """Tell whether row i of ``one`` has an entry in a column that row p of ``other`` has not."""
    packed, found = one.packed, False
    for t in range(packed.shape[1] // 2):
        c = packed[i, t]
        if c >= 0:
            found |= entry(other, p, c) == 0.0
    return found


@compiled
def _claim(p, unit, columns, proposed):
    """Note that a unit has claimed the columns of proposed row p; -1: no unit has."""
    new, claimed = proposed.packed, columns.claimed
    for t in range(new.shape[1] // 2):
        if new[p, t] >= 0:
            claimed[new[p, t]] = unit


@compiled
def _is_claimed(i, p, unit, rows, columns, proposed):
    """Tell whether an item of the same unit has claimed a column that item i would enter."""
    old, new, claimed = PackedRows(rows.packed, rows.value), proposed.packed, columns.claimed
    found = False
    for t in range(new.shape[1] // 2):
        c = new[p, t]
        if c >= 0:
            found |= (claimed[c] == unit) & (entry(old, i, c) == 0.0)
    return found


@compiled
def _fetch_columns(p, base, rows, columns, proposed):
    """Fetch what the commit of proposed row p needs: counts and sums of columns."""
    packed, new, s, n_rows = rows.packed, proposed.packed, columns.s, columns.n_rows
    for t in range(packed.shape[1] // 2):
        left, entered = max(packed[base + p, t], 0), max(new[p, t], 0)
        prefetch(s, left)
        prefetch(n_rows, left)
        prefetch(s, entered)
        prefetch(n_rows, entered)


@compiled
def _must_wait(i, p, component, rows, columns, proposed):
    """Tell whether item i, of a component, has to keep its row for now.

    It has to if the batch has just emptied a column that the item would enter: else two items that
    each move to where the other one was would change places for ever. It also has to if it needs an
    empty column and there is none.
    """
    old, new, n_rows = PackedRows(rows.packed, rows.value), proposed.packed, columns.n_rows
    packed, free = rows.packed, columns.free
    waits = (new[p, 0] < 0) & (free[component] < 0) & (n_rows[packed[i, 0]] > 1)
    for t in range(new.shape[1] // 2):
        c = new[p, t]
        if c >= 0:
            waits |= n_rows[c] <= (entry(old, i, c) > 0.0)
    return waits


@compiled
def activate(span, graph, rows, proposed):
    """Activate the neighbours of moved items of a span, and items that their groups kept back.

    When an item leaves a column, the items of its group that were repelled from some column become
    active.
    """
    unit_ptr, moved, left = graph.unit_ptr, proposed.moved, proposed.left
    active, activation = rows.active, rows.activation
    indptr, indices, last = graph.indptr, graph.indices, len(active) - 1
    unit = span.unit
    while unit < len(unit_ptr) - 1 and unit_ptr[unit] < span.last:
        begin, end = unit_ptr[unit], unit_ptr[unit + 1]
        any_left = False
        for i in range(max(begin, span.first), min(end, span.last)):
            prefetch(indices, indptr[min(i + AHEAD, last)])
            if moved[i - span.base] > QUIET:
                any_left |= left[i - span.base]
                activate_neighbors(graph, i, active)
        if any_left and end - begin > 1:
            for i in range(begin, end):
                # Other threads may write the same place, so only True is ever written.
                if activation[i] < 0.0:
                    active[i] = True
        unit += 1
