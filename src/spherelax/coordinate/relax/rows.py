"""Sparse rows of U, and what is done with single rows, compiled.

A row is packed: r columns (int32, -1 after the last) and then r values (the same memory seen as
float32, 0 after the last), largest first. So columns and values of a neighbour's row lie side by
side, and reading both takes one access to memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.neighbors import TINY
from spherelax.coordinate.machine import compiled


class PackedRows(NamedTuple):
    """Rows with at most r entries each."""

    packed: NDArray[np.int32]  # (n, 2 r)
    value: NDArray[np.float32]  # the same memory as float32


class Rows(NamedTuple):
    """The rows of U, and which of them are to be visited.

    The activation level of an item is the resolution at and below which it is active. It is stored
    times -1 if the rest of the group repels the item from a column that attracts it: then the item
    also becomes active when an item of the group leaves a column.
    """

    packed: NDArray[np.int32]  # (m, 2 r)
    value: NDArray[np.float32]  # the same memory as float32
    activation: NDArray[np.float32]  # (m), activation levels
    active: NDArray[np.bool_]  # (m), whether a neighbour has moved


class Columns(NamedTuple):
    """Sums and numbers of entries of the columns of U, kept up to date during passes.

    The empty columns of a component are a linked stack. ``n_rows`` of an empty column is -2 minus
    the number of the next column in the stack, and the number of no column is -1.
    """

    s: NDArray[np.float64]  # (m), weighted column sums
    n_rows: NDArray[np.int32]  # (m), rows with an entry in the column; below 0: it is empty
    free: NDArray[np.int32]  # (n_components), the empty column on top; -1: none
    claimed: NDArray[np.int32]  # (m), the unit that has claimed a column in this batch; -1: none


class Proposed(NamedTuple):
    """Proposed rows of a batch, numbered from its first item on."""

    packed: NDArray[np.int32]  # (n, 2 r)
    value: NDArray[np.float32]  # the same memory as float32
    moved: NDArray[np.float32]  # (n), how far the row moves; -1: the item is not visited
    gain: NDArray[np.float32]  # (n), what the objective gains
    queue: NDArray[np.int32]  # (n), the active items
    left: NDArray[np.bool_]  # (n), whether a row that has moved has left a column


class Scratch(NamedTuple):
    """What one thread works with."""

    x: NDArray[np.float32]  # (m), sums by column; 0 before and after
    group: NDArray[np.float32]  # (m), column sums of other rows of a group; 0 before and after
    occupied: NDArray[np.float32]  # (m), sums of a group visited in pieces, for all threads
    y: NDArray[np.float32]  # candidates for entries, room for all columns that a row can touch
    touched: NDArray[np.int32]  # the columns of these candidates


@compiled
def attract(graph, rows, i, scratch):
    """Sum ``W_ij U_j`` over the neighbours j of item i into ``x``; return how many columns it has.

    The columns go into ``touched``, in order of first appearance.
    """
    packed, value, x, touched = rows.packed, rows.value, scratch.x, scratch.touched
    r = packed.shape[1] // 2
    n = np.uint64(0)
    for e in range(np.uint64(graph.indptr[i]), np.uint64(graph.indptr[i + 1])):
        j, w = np.uint64(graph.indices[e]), graph.values[e]
        for t in range(r):
            c = packed[j, np.uint64(t)]
            if c < 0:
                break
            c = np.uint64(c)
            before = x[c]
            touched[n] = c
            n += np.uint64(before == 0.0)
            after = before + w * value[j, np.uint64(r + t)]
            x[c] = TINY if after == 0.0 else after
    return np.int64(n)


@compiled
def clear_sums(n, scratch):
    """Set ``x`` to 0 at the first n touched columns."""
    x, touched = scratch.x, scratch.touched
    for q in range(n):
        x[touched[q]] = 0.0


@compiled
def entry(rows, i, c):
    """Return the entry of row i in column c."""
    packed, value = rows.packed, rows.value
    r = packed.shape[1] // 2
    found = np.float32(0.0)
    for t in range(r):
        if packed[i, t] == c:
            found = value[i, r + t]
    return found


@compiled
def add(rows, i, sign, target):
    """Add row i, times a sign, to a dense vector."""
    packed, value = rows.packed, rows.value
    r = packed.shape[1] // 2
    for t in range(r):
        c = packed[i, t]
        if c >= 0:
            target[c] += sign * value[i, r + t]


@compiled
def clear(rows, i, target):
    """Set a dense vector to zero where row i has entries."""
    packed = rows.packed
    for t in range(packed.shape[1] // 2):
        c = packed[i, t]
        if c >= 0:
            target[c] = 0.0


# NumPy's division raises nothing: else Numba would count references, see kernels.py.
@compiled(error_model="numpy")
def keep_largest(rows, p, scratch, n, tau):
    """Write the largest of the n entries of ``y`` as row p, of unit length; return their length.

    Entries that are not above 0, and entries below tau times the largest, are left out. Of equal
    entries the first in ``touched`` comes first. The entries that are kept become 0 in ``y``.
    """
    packed, value, y = rows.packed, rows.value, scratch.y
    r = packed.shape[1] // 2
    squares, least, kept, at = 0.0, np.float32(0.0), 0, 0
    while kept < r and at >= 0:
        best, at = least, -1
        for q in range(n):
            if y[q] > best:
                best, at = y[q], q
        if at >= 0:
            if kept == 0:
                least = np.float32(tau * best)
            packed[p, kept] = scratch.touched[at]
            value[p, r + kept] = best
            y[at] = 0.0
            squares += float(best) ** 2
            kept += 1
    norm = np.sqrt(squares)
    for t in range(kept):
        value[p, r + t] /= norm
    for t in range(kept, r):
        packed[p, t] = -1
        value[p, r + t] = 0.0
    return norm


@compiled
def distance(rows, p, other_rows, i):
    """Return the sum of absolute differences of row p of ``rows`` and row i of ``other_rows``."""
    packed, value = rows.packed, rows.value
    other, other_value = other_rows.packed, other_rows.value
    r = packed.shape[1] // 2
    total = np.float32(0.0)
    for t in range(r):
        mine, theirs = value[p, r + t], other_value[i, r + t]
        for q in range(r):
            if other[i, q] == packed[p, t]:
                mine -= other_value[i, r + q]
            if packed[p, q] == other[i, t]:
                theirs = np.float32(0.0)
        total += abs(mine) + theirs
    return total


@compiled
def fill_columns(graph, rows, columns):
    """Fill in the columns of all rows; sums and numbers of rows are 0 before, stacks are empty.

    Of the empty columns of a component, the first one is on top of the stack.
    """
    packed, value, n_rows, s = rows.packed, rows.value, columns.n_rows, columns.s
    component_ptr = graph.component_ptr
    r = packed.shape[1] // 2
    for i in range(len(packed)):
        for t in range(r):
            c = packed[i, t]
            if c >= 0:
                n_rows[c] += 1
                s[c] += graph.weight[i] * value[i, r + t]
    for component in range(len(component_ptr) - 1):
        for c in range(component_ptr[component + 1] - 1, component_ptr[component] - 1, -1):
            if n_rows[c] == 0:
                _push(c, component, columns)


@compiled
def _push(c, component, columns):
    """Put an empty column on top of the stack of its component."""
    n_rows, free = columns.n_rows, columns.free
    n_rows[c] = -2 - free[component]
    free[component] = c


@compiled
def _pop(component, columns):
    """Take the empty column that is on top of a stack, and return it; its ``n_rows`` becomes 0."""
    n_rows, free = columns.n_rows, columns.free
    c = free[component]
    free[component] = -2 - n_rows[c]
    n_rows[c] = 0
    return c


@compiled
def leave_columns(i, weight, rows, columns, component):
    """Take the row of item i out of the columns; columns may become empty."""
    packed, value, n_rows, s = rows.packed, rows.value, columns.n_rows, columns.s
    r = packed.shape[1] // 2
    for t in range(r):
        c = packed[i, t]
        if c < 0:
            break
        n_rows[c] -= 1
        s[c] -= weight * value[i, r + t]
        if n_rows[c] == 0:
            s[c] = 0.0
            _push(c, component, columns)


@compiled
def enter_columns(i, p, weight, rows, columns, proposed, component):
    """Copy proposed row p to item i, and add it to the columns.

    If it has no entry, the item gets an empty column.
    """
    new, new_value = proposed.packed, proposed.value
    r = new.shape[1] // 2
    if new[p, 0] < 0:
        new[p, 0], new_value[p, r] = _pop(component, columns), 1.0
    for t in range(r):
        c = new[p, t]
        rows.packed[i, t] = c
        rows.value[i, r + t] = new_value[p, r + t]
        if c < 0:
            continue
        columns.n_rows[c] += 1
        columns.s[c] += weight * new_value[p, r + t]


@compiled
def round_rows(graph, rows):
    """Return as label of each item the column of the largest entry of its row.

    Of the items of a group with the same column, the item with the largest entry keeps it; every
    other item of them gets a column of its component that no item has.
    """
    labels = rows.packed[:, 0].copy()
    if len(graph.group) == 0:
        return labels
    m, component_ptr, unit_ptr = len(labels), graph.component_ptr, graph.unit_ptr
    used, best = np.zeros(m, np.bool_), np.full(m, -1, np.int32)
    for i in range(m):
        used[labels[i]] = True
    component, free = -1, 0
    for unit in range(len(unit_ptr) - 1):
        while component_ptr[component + 1] <= unit_ptr[unit]:
            component += 1
            free = component_ptr[component]
        items = range(unit_ptr[unit], unit_ptr[unit + 1])
        if len(items) > 1:
            free = _separate(items, rows, labels, used, best, free)
    return labels


@compiled
def _separate(items, rows, labels, used, best, free):
    """Let one item of a unit keep each label; the rest get unused labels, from ``free`` on.

    Returns the last label that was tried. ``best`` is -1 before and after.
    """
    packed, value = rows.packed, rows.value
    r = packed.shape[1] // 2
    for i in items:
        c = packed[i, 0]
        if best[c] < 0 or value[i, r] > value[best[c], r]:
            best[c] = i
    for i in items:
        if best[packed[i, 0]] != i:
            while used[free]:
                free += 1
            used[free] = True
            labels[i] = free
    for i in items:
        best[packed[i, 0]] = -1
    return free
