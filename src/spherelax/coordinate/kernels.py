"""Coordinate ascent on sparse rows of U, compiled: passes over the items at one resolution.

With the other rows fixed, the objective is linear in row i of U, and its best row is ::

    x_c = sum_j W_ij U_jc - gamma n_i (s_c - n_i U_ic) - mu (h_c - U_ic),    U_i <- x_+ / |x_+|

n are the node weights of the null model, ``s_c = sum_j n_j U_jc``, and ``h_c`` sums column c over
the items of the same group, which repel each other. Of the positive entries the ``r`` largest are
kept, which is exact ascent over rows with at most r entries. An item that no column attracts gets
an empty one.

A row is packed: r columns (int32, -1 after the last) and then r values (the same memory seen as
float32, 0 after the last), largest first, so that a neighbour costs one memory access.

Items are visited in units: the items of a group one after the other, any other item alone. Units
come in batches. Within a batch all units see the same frozen rows, so that any number of threads
gives the same bits; batches follow each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

# A row that moves by less than this (sum of absolute differences) does not wake its neighbours.
QUIET = 1e-3
# Wake levels: a row is visited once gamma is at or below its level. The level of a row that another
# one of its group keeps from a column is stored as negative: it also wakes when that group moves.
ALWAYS = np.float32(np.inf)
TINY = np.float32(1e-30)


class Rows(NamedTuple):
    """The rows of U and what is kept up to date with them."""

    packed: Any  # int32 (m, 2 r)
    value: Any  # the same memory as float32
    s: Any  # float64 (m), weighted column sums
    count: Any  # int32 (m), rows with an entry in the column
    wake: Any  # float32 (m)
    awake: Any  # bool (m), a neighbour has moved
    free: Any  # int32 (m), stack of columns that may be empty
    n_free: Any  # int64 (1)


class Fresh(NamedTuple):
    """Proposed rows of a batch, by position in ``members`` less that of its first item."""

    packed: Any  # int32 (n, 2 r)
    value: Any  # the same memory as float32
    wake: Any  # float32 (n)
    moved: Any  # float32 (n), how far the row moves; -1: it was asleep
    gain: Any  # float32 (n), what the objective gains


class Scratch(NamedTuple):
    """What one thread works with."""

    x: Any  # float32 (m), zero before and after
    held: Any  # float32 (m), zero before and after; one entry where there are no groups
    y: Any  # float32, as many as a row can touch columns
    touched: Any  # int32, likewise


@njit(cache=True, nogil=True)
def degrees(graph):
    """Return the summed similarity of each item."""
    sums = np.zeros(len(graph.members))
    for i in range(len(sums)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            sums[i] += graph.values[e]
    return sums


@njit(cache=True, nogil=True)
def components(graph):
    """Return the connected component of each item, in order of first appearance."""
    m = len(graph.members)
    component, stack = np.full(m, -1, np.int32), np.empty(m, np.int32)
    n = 0
    for start in range(m):
        if component[start] >= 0:
            continue
        component[start], stack[0], depth = n, start, 1
        while depth > 0:
            depth -= 1
            i = stack[depth]
            for e in range(graph.indptr[i], graph.indptr[i + 1]):
                j = graph.indices[e]
                if component[j] < 0:
                    component[j], stack[depth] = n, j
                    depth += 1
        n += 1
    return component


@njit(cache=True, nogil=True)
def strongest(graph):
    """Return for each item the largest ``W_ij / (n_i n_j)``: below it, somebody attracts it."""
    level = np.zeros(len(graph.members), np.float32)
    for i in range(len(level)):
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            ratio = graph.values[e] / (graph.weight[i] * graph.weight[graph.indices[e]])
            level[i] = max(level[i], ratio)
    return level


@njit(cache=True, nogil=True)
def _attract(indptr, indices, values, packed, value, i, x, touched):
    """Sum ``W_ij U_j`` into x; return how many columns were touched.

    A first look at all neighbours has their rows fetched side by side.
    """
    r = packed.shape[1] // 2
    n = 0
    seen = np.int32(0)
    for e in range(indptr[i], indptr[i + 1]):
        seen += packed[indices[e], 0]
    touched[0] = seen
    for e in range(indptr[i], indptr[i + 1]):
        j, w = indices[e], values[e]
        for t in range(r):
            c = packed[j, t]
            if c < 0:
                break
            if x[c] == 0.0:
                touched[n] = c
                n += 1
            x[c] += w * value[j, r + t]
    return n


@njit(cache=True, nogil=True)
def _entry(packed, value, i, c):
    """Return the entry of row i in column c."""
    r = packed.shape[1] // 2
    for t in range(r):
        if packed[i, t] < 0:
            break
        if packed[i, t] == c:
            return value[i, r + t]
    return np.float32(0.0)


@njit(cache=True, nogil=True)
def _add(packed, value, i, sign, target):
    """Add row i, times a sign, to a dense vector."""
    r = packed.shape[1] // 2
    for t in range(r):
        if packed[i, t] < 0:
            break
        target[packed[i, t]] += sign * value[i, r + t]


@njit(cache=True, nogil=True)
def _clear(packed, i, target):
    """Set a dense vector to zero where row i has entries."""
    for t in range(packed.shape[1] // 2):
        if packed[i, t] < 0:
            break
        target[packed[i, t]] = 0.0


@njit(cache=True, nogil=True)
def _keep_largest(packed, value, p, y, touched, n, tau):
    """Write the largest entries of y as row p, scaled to unit length; return the length.

    Entries below tau times the first are left out; of equal ones the first in ``touched`` counts.
    """
    r = packed.shape[1] // 2
    squares, least, kept = 0.0, np.float32(0.0), 0
    for t in range(r):
        best, at = least, -1
        for q in range(n):
            if y[q] > best:
                best, at = y[q], q
        if at < 0:
            break
        if t == 0:
            least = np.float32(tau * best)
        packed[p, t] = touched[at]
        value[p, r + t] = best
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


@njit(cache=True, nogil=True)
def _distance(packed, value, p, other, other_value, i):
    """Return the sum of absolute differences of row p and row i of another array."""
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


@njit(cache=True, nogil=True)
def propose(first, last, base, graph, rows, gamma, mu, tau, fresh, scratch):
    """Write the best rows of the items of units ``first .. last - 1`` into ``fresh``.

    ``base`` is the position in ``members`` where the batch begins.
    """
    indptr, indices, values = graph.indptr, graph.indices, graph.values
    unit_ptr, members, node_weight = graph.unit_ptr, graph.members, graph.weight
    packed, value, s, count = rows.packed, rows.value, rows.s, rows.count
    new, new_value, moved = fresh.packed, fresh.value, fresh.moved
    x, y, held, touched = scratch.x, scratch.y, scratch.held, scratch.touched
    r = packed.shape[1] // 2
    for unit in range(first, last):
        begin, end = unit_ptr[unit], unit_ptr[unit + 1]
        grouped = end - begin > 1
        any_due = False
        for at in range(begin, end):
            i = members[at]
            due = rows.awake[i] or abs(rows.wake[i]) >= gamma
            moved[at - base] = 0.0 if due else -1.0
            any_due |= due
        if not any_due:
            continue
        if grouped:
            for at in range(begin, end):
                _add(packed, value, members[at], 1.0, held)
        for at in range(begin, end):
            p, i = at - base, members[at]
            if moved[p] < 0.0:
                continue
            if grouped:
                _add(packed, value, i, -1.0, held)
            n = _attract(indptr, indices, values, packed, value, i, x, touched)
            weight = node_weight[i]
            price = gamma * weight
            worth = 0.0
            for t in range(r):
                c = packed[i, t]
                if c < 0:
                    break
                v = value[i, r + t]
                worth += v * (x[c] - price * (s[c] - weight * v))
                if grouped:
                    worth -= mu * v * held[c]
                if x[c] > 0.0:
                    x[c] += price * weight * v
            repelled = False
            for q in range(n):
                c = touched[q]
                y[q] = x[c] - price * s[c]
                if grouped and y[q] > 0.0 and held[c] > 0.0:
                    repelled = True
                    y[q] -= mu * held[c]
            norm = _keep_largest(new, new_value, p, y, touched, n, tau)
            fresh.gain[p] = norm - worth
            alone = new[p, 0] < 0 and packed[i, 1] < 0 and count[packed[i, 0]] == 1
            moved[p] = 0.0 if alone else _distance(new, new_value, p, packed, value, i)
            if moved[p] > 0.0 or new[p, 1] >= 0:
                fresh.wake[p] = ALWAYS
            else:
                # Column c enters when x_c - gamma n_i s_c reaches tau times that of the own one.
                own = packed[i, 0]
                own_pull = tau * max(x[own] - price * weight, 0.0)
                own_room = tau * (s[own] - weight)
                level = 0.0
                for q in range(n):
                    c = touched[q]
                    pull, room = x[c] - own_pull, weight * (s[c] - own_room)
                    if grouped and held[c] > 0.0:
                        continue
                    if c != own and room > 0.0 and pull > level * room:
                        level = pull / room
                fresh.wake[p] = -level - TINY if repelled else level
            for q in range(n):
                x[touched[q]] = 0.0
            if grouped:
                _add(new, new_value, p, 1.0, held)
        if grouped:
            for at in range(begin, end):
                _clear(packed, members[at], held)
                if moved[at - base] >= 0.0:
                    _clear(new, at - base, held)


@njit(cache=True, nogil=True)
def commit(first, last, graph, rows, fresh):
    """Put the proposed rows of a batch into place; return what the objective gained.

    A row that would enter a column which the batch has just emptied stays as it is: two items that
    both move to where the other was would change places for ever.
    """
    members, node_weight = graph.members, graph.weight
    packed, value, s, count = rows.packed, rows.value, rows.s, rows.count
    free, n_free, awake, wake = rows.free, rows.n_free, rows.awake, rows.wake
    new, new_value, moved = fresh.packed, fresh.value, fresh.moved
    r = packed.shape[1] // 2
    total = 0.0
    base = graph.unit_ptr[first]
    for at in range(base, graph.unit_ptr[last]):
        p, i = at - base, members[at]
        if moved[p] < 0.0:
            continue
        awake[i] = False
        wake[i] = fresh.wake[p]
        if moved[p] == 0.0:
            continue
        stuck = new[p, 0] < 0 and n_free[0] == 0 and count[packed[i, 0]] > 1
        for t in range(r):
            c = new[p, t]
            if c < 0:
                break
            stuck |= count[c] == (_entry(packed, value, i, c) > 0.0)
        if stuck:
            awake[i] = True
            moved[p] = 0.0
            continue
        total += fresh.gain[p]
        for t in range(r):
            c = packed[i, t]
            if c < 0:
                break
            count[c] -= 1
            s[c] -= node_weight[i] * value[i, r + t]
            if count[c] == 0:
                s[c] = 0.0
                free[n_free[0]] = c
                n_free[0] += 1
        if new[p, 0] < 0:
            n_free[0] -= 1
            new[p, 0], new_value[p, r] = free[n_free[0]], 1.0
        for t in range(r):
            c = new[p, t]
            packed[i, t] = c
            value[i, r + t] = new_value[p, r + t]
            if c < 0:
                continue
            count[c] += 1
            s[c] += node_weight[i] * new_value[p, r + t]
    return total


@njit(cache=True, nogil=True)
def rouse(first, last, base, graph, rows, fresh):
    """Wake those whom moves of the items of units ``first .. last - 1`` concern."""
    indptr, indices, members = graph.indptr, graph.indices, graph.members
    awake, wake, moved = rows.awake, rows.wake, fresh.moved
    for unit in range(first, last):
        begin, end = graph.unit_ptr[unit], graph.unit_ptr[unit + 1]
        any_moved = False
        for at in range(begin, end):
            if moved[at - base] > QUIET:
                any_moved = True
                i = members[at]
                for e in range(indptr[i], indptr[i + 1]):
                    awake[indices[e]] = True
        if any_moved and end - begin > 1:
            for at in range(begin, end):
                if wake[members[at]] < 0.0:
                    awake[members[at]] = True


@njit(cache=True, nogil=True)
def one_by_one(graph, rows, gamma, mu, tau, fresh, scratch):
    """Visit all units, each in a batch of its own; return what the objective gained."""
    total = 0.0
    for unit in range(len(graph.unit_ptr) - 1):
        propose(unit, unit + 1, graph.unit_ptr[unit], graph, rows, gamma, mu, tau, fresh, scratch)
        total += commit(unit, unit + 1, graph, rows, fresh)
        rouse(unit, unit + 1, graph.unit_ptr[unit], graph, rows, fresh)
    return total


@njit(cache=True, nogil=True)
def round_rows(graph, rows):
    """Return the largest column of each row; of two items of a group the stronger one keeps it."""
    packed, value = rows.packed, rows.value
    m, r = len(graph.members), packed.shape[1] // 2
    labels = packed[:, 0].copy()
    used = np.zeros(m, np.bool_)
    for i in range(m):
        used[labels[i]] = True
    free = 0
    best = np.full(m, -1, np.int32)
    for unit in range(len(graph.unit_ptr) - 1):
        begin, end = graph.unit_ptr[unit], graph.unit_ptr[unit + 1]
        if end - begin == 1:
            continue
        for at in range(begin, end):
            i = graph.members[at]
            c = packed[i, 0]
            if best[c] < 0 or value[i, r] > value[best[c], r]:
                best[c] = i
        for at in range(begin, end):
            i = graph.members[at]
            if best[packed[i, 0]] != i:
                while used[free]:
                    free += 1
                used[free] = True
                labels[i] = free
        for at in range(begin, end):
            best[packed[graph.members[at], 0]] = -1
    return labels
