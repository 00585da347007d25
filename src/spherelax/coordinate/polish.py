"""Exact ascent on the discrete objective: labels in, labels that no simple move improves out.

For labels at resolution gamma the objective is the sum over pairs with the same label of ::

    W_ij - gamma n_i n_j

n being the weights of the null model. Three kinds of moves raise it until none does: an item goes
to its best label, or to one of its own; the items of a group are reassigned together, by the best
assignment in which no two share a label; two labels that share no group become one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from spherelax.coordinate.assignment import assign
from spherelax.coordinate.graph import Graph
from spherelax.labels import Labels, count_labels, renumber

# Gains below this share of the largest similarity are rounding.
ROUNDING = 1e-6
# Alternations of moves and merges, and passes over the items in each: few are needed.
MAX_ROUNDS = 6
MAX_PASSES = 20


class Occupancy(NamedTuple):
    """What is kept up to date with the labels, which are below n_items."""

    labels: Any  # int32 (m)
    size: Any  # float64 (m), summed weights of the items with a label
    count: Any  # int32 (m), their number
    awake: Any  # bool (m), items whose surroundings have changed


class Level(NamedTuple):
    """Similarities between labels: CSR, their sizes, and the groups that they hold."""

    indptr: Any  # int64 (k + 1)
    indices: Any  # int32
    values: Any  # float32
    size: Any  # float64 (k), or float32
    group_ptr: Any  # int32 (k + 1), or empty where there are no groups
    groups: Any  # int32


def polished(graph: Graph, labels: NDArray[np.integer], gamma: float) -> Labels:
    """Improve labels, all below n_items, until no move does; they must respect the groups.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
    >>> polished(graph, np.array([0, 0, 1, 2, 1, 2]), gamma=0.5)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    moved = _moved(graph, labels, gamma, np.ones(len(labels), dtype=np.bool_))
    merged = lowered(graph, moved, gamma)
    return moved if merged is None else merged


def moved_once(graph: Graph, labels: NDArray[np.integer], gamma: float) -> Labels:
    """Move each item once, and merge nothing: what labels are worth, without the last word."""
    return _moved(graph, labels, gamma, np.ones(len(labels), dtype=np.bool_), n_passes=1)


def lowered(graph: Graph, labels: Labels, gamma: float) -> Labels | None:
    """Go on from polished labels to a lower resolution: merge, then move. None: nothing merges."""
    found, least = None, _least_gain(graph)
    for _ in range(MAX_ROUNDS):
        mapping = _merge_all(graph, labels, gamma, least)
        if mapping is None:
            break
        awake = (np.bincount(mapping) > 1)[mapping][labels]
        found = labels = _moved(graph, mapping[labels], gamma, awake)
    return found


def _moved(
    graph: Graph,
    labels: NDArray[np.integer],
    gamma: float,
    awake: NDArray[np.bool_],
    n_passes: int = MAX_PASSES,
) -> Labels:
    """Move items until none gains."""
    m = len(labels)
    size = np.bincount(labels, weights=graph.weight, minlength=m)
    count = np.bincount(labels, minlength=m).astype(np.int32)
    state = Occupancy(labels.astype(np.int32), size, count, awake)
    move = _move_units if graph.grouped else _move_items
    move(graph, state, gamma, _least_gain(graph), n_passes)
    return renumber(state.labels)


def _least_gain(graph: Graph) -> float:
    """Return the gain below which a move is rounding."""
    return ROUNDING * float(graph.values.max(initial=0.0))


def items_level(graph: Graph) -> Level:
    """Return the level on which each item has a label of its own."""
    groups, group_ptr = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    if graph.grouped:
        groups, group_ptr = graph.group(), np.arange(graph.n_items + 1, dtype=np.int32)
    return Level(*graph[:3], graph.weight, group_ptr, groups)


def contract(level: Level, labels: NDArray[np.int32], k: int, gamma: float) -> Level:
    """Return the level whose labels, all in 0 .. k - 1, are those of another one's.

    Only pairs of labels with a mean similarity above gamma are kept.
    """
    grouped = len(level.groups) > 0
    indptr, size = np.zeros(k + 1, dtype=np.int64), np.zeros(k)
    group_ptr = np.zeros(k + 1 if grouped else 0, dtype=np.int32)
    groups = np.empty_like(level.groups)
    # Ctrl-C while Numba makes Python objects of several arrays ends in a crash: kernels return one
    # at most, here the two whose length they find.
    entries = _contract(level, labels, gamma, indptr, size, group_ptr, groups)
    return Level(indptr, entries[0], entries[1].view(np.float32), size, group_ptr, groups)


def _merge_all(
    graph: Graph, labels: NDArray[np.int32], gamma: float, least: float
) -> NDArray[np.int32] | None:
    """Merge pairs of labels while that gains; return where each went, or None if none did.

    Pairs that would lose by merging are left out, to save memory. Where one of them would have
    added to the gain of another, a later round sees it.
    """
    mapping = None
    level = contract(items_level(graph), labels, count_labels(labels), gamma)
    while True:
        step = _best_partners(level, gamma, least)
        n_merged = count_labels(step)
        if n_merged == len(step):
            return mapping
        level = contract(level, step, n_merged, 0.0)
        mapping = step if mapping is None else step[mapping]


@njit(cache=True, nogil=True)
def _widest(graph):
    """Return the largest number of neighbours."""
    widest = 1
    for i in range(len(graph.members)):
        widest = max(widest, graph.indptr[i + 1] - graph.indptr[i])
    return widest


@njit(cache=True, nogil=True)
def _gather(graph, labels, i, x, touched):
    """Sum the similarities of item i into its neighbours' labels; return how many there are."""
    n = 0
    for e in range(graph.indptr[i], graph.indptr[i + 1]):
        c = labels[graph.indices[e]]
        if x[c] == 0.0:
            touched[n] = c
            n += 1
        x[c] += graph.values[e]
    return n


@njit(cache=True, nogil=True)
def _spare(count, at):
    """Return the first empty label from ``at`` on, or else from 0 on."""
    while at < len(count) and count[at] > 0:
        at += 1
    if at == len(count):
        at = 0
        while count[at] > 0:
            at += 1
    return at


@njit(cache=True, nogil=True)
def _move_items(graph, state, gamma, least, n_passes):
    """Move items to their best labels until none moves."""
    labels, size, count, awake = state.labels, state.size, state.count, state.awake
    indptr, indices, values, weight = graph.indptr, graph.indices, graph.values, graph.weight
    m = len(labels)
    x, touched = np.zeros(m, np.float32), np.empty(_widest(graph), np.int32)
    spare, all_seen = 0, False
    for _ in range(n_passes):
        moved = False
        for i in range(m):
            if not awake[i]:
                continue
            awake[i] = False
            here, n = labels[i], 0
            for e in range(indptr[i], indptr[i + 1]):
                c = labels[indices[e]]
                if x[c] == 0.0:
                    touched[n] = c
                    n += 1
                x[c] += values[e]
            price = gamma * weight[i]
            stay = x[here] - price * (size[here] - weight[i])
            best, to = max(stay, 0.0) + least, np.int32(-1)
            for q in range(n):
                c = touched[q]
                gain = x[c] - price * size[c]
                if c != here and (gain > best or (gain == best and c < to)):
                    best, to = gain, c
                x[c] = 0.0
            if to < 0:
                if stay >= -least or count[here] == 1:
                    continue
                spare = _spare(count, spare)
                to = np.int32(spare)
            count[here] -= 1
            size[here] = size[here] - weight[i] if count[here] else 0.0
            count[to] += 1
            size[to] += weight[i]
            labels[i] = to
            moved = True
            for e in range(indptr[i], indptr[i + 1]):
                awake[indices[e]] = True
        if not moved and all_seen:
            break
        # Sizes matter to items that are no neighbours: the last pass sees all of them.
        all_seen = not moved
        if all_seen:
            awake[:] = True


@njit(cache=True, nogil=True)
def _move_units(graph, state, gamma, least, n_passes):
    """Move items, those of a group together, to their best labels until none moves."""
    labels, size, count, awake = state.labels, state.size, state.count, state.awake
    indptr, indices, weight = graph.indptr, graph.indices, graph.weight
    unit_ptr, members = graph.unit_ptr, graph.members
    m, n_units = len(labels), len(unit_ptr) - 1
    x, touched = np.zeros(m, np.float32), np.empty(_widest(graph), np.int32)
    slot, names = np.full(m, -1, np.int32), np.empty(m, np.int32)
    spare, all_seen = 0, False
    widest, most = 0, 0
    for unit in range(n_units):
        n = 0
        for at in range(unit_ptr[unit], unit_ptr[unit + 1]):
            n += indptr[members[at] + 1] - indptr[members[at]]
        widest, most = max(widest, unit_ptr[unit + 1] - unit_ptr[unit]), max(most, n)
    old, chosen = np.empty(widest, np.int32), np.empty(widest, np.int32)
    ptr, column, cost = np.zeros(widest + 1, np.int64), np.empty(most, np.int32), np.empty(most)
    for _ in range(n_passes):
        moved = False
        for unit in range(n_units):
            begin, end = unit_ptr[unit], unit_ptr[unit + 1]
            due = False
            for at in range(begin, end):
                due |= awake[members[at]]
                awake[members[at]] = False
            if not due:
                continue
            for at in range(begin, end):
                i = members[at]
                c = labels[i]
                old[at - begin] = c
                count[c] -= 1
                size[c] = size[c] - weight[i] if count[c] else 0.0
            n_columns, before = 0, 0.0
            for at in range(begin, end):
                p, i = at - begin, members[at]
                n = _gather(graph, labels, i, x, touched)
                before += x[old[p]] - gamma * weight[i] * size[old[p]]
                ptr[p + 1] = ptr[p]
                for q in range(n):
                    c = touched[q]
                    gain = x[c] - gamma * weight[i] * size[c]
                    x[c] = 0.0
                    if gain > 0.0:
                        if slot[c] < 0:
                            slot[c] = n_columns
                            names[n_columns] = c
                            n_columns += 1
                        column[ptr[p + 1]] = slot[c]
                        cost[ptr[p + 1]] = -gain
                        ptr[p + 1] += 1
            better = -assign(end - begin, ptr, column, cost, n_columns, chosen) > before + least
            for q in range(n_columns):
                slot[names[q]] = -1
            for at in range(begin, end):
                p, i = at - begin, members[at]
                c = old[p]
                if better and chosen[p] >= 0:
                    c = names[chosen[p]]
                elif better and count[c] > 0:
                    spare = _spare(count, spare)
                    c = np.int32(spare)
                labels[i] = c
                size[c] += weight[i]
                count[c] += 1
            if not better:
                continue
            moved = True
            for at in range(begin, end):
                i = members[at]
                if labels[i] != old[at - begin]:
                    for e in range(indptr[i], indptr[i + 1]):
                        awake[indices[e]] = True
        if not moved and all_seen:
            break
        # Sizes matter to items that are no neighbours: the last pass sees all of them.
        all_seen = not moved
        if all_seen:
            awake[:] = True


@njit(cache=True, nogil=True)
def _contract(level, labels, gamma, ptr, size, group_ptr, groups):
    """Fill the arrays of a contracted level; return indices, and values seen as int32."""
    indptr, indices, values = level.indptr, level.indices, level.values
    m, k = len(labels), len(size)
    start = np.zeros(k + 2, np.int64)
    for i in range(m):
        start[labels[i] + 2] += 1
    for a in range(k):
        start[a + 2] += start[a + 1]
    items = np.empty(m, np.int32)
    for i in range(m):
        items[start[labels[i] + 1]] = i
        start[labels[i] + 1] += 1
    x, touched = np.zeros(k, np.float32), np.empty(k, np.int32)
    for i in range(m):
        size[labels[i]] += level.size[i]
    grouped = len(level.groups) > 0
    entries = np.empty((2, 4 * k + 16), np.int32)
    column, value = entries[0], entries[1].view(np.float32)
    for a in range(k):
        n = 0
        if grouped:
            group_ptr[a + 1] = group_ptr[a]
        for at in range(start[a], start[a + 1]):
            i = items[at]
            if grouped:
                for p in range(level.group_ptr[i], level.group_ptr[i + 1]):
                    groups[group_ptr[a + 1]] = level.groups[p]
                    group_ptr[a + 1] += 1
            for e in range(indptr[i], indptr[i + 1]):
                b = labels[indices[e]]
                if b == a:
                    continue
                if x[b] == 0.0:
                    touched[n] = b
                    n += 1
                x[b] += values[e]
        used = ptr[a]
        if used + n > len(column):
            # Somewhat more than the labels so far suggest.
            wider = np.empty((2, 16 + int(1.25 * (used + n) * k / (a + 1))), np.int32)
            wider[:, :used] = entries[:, :used]
            entries = wider
            column, value = entries[0], entries[1].view(np.float32)
        for q in range(n):
            b = touched[q]
            if x[b] > gamma * size[a] * size[b]:
                column[used], value[used] = b, x[b]
                used += 1
            x[b] = 0.0
        ptr[a + 1] = used
    return entries[:, : ptr[k]]


@njit(cache=True, nogil=True)
def _clash(level, a, b, stamp):
    """Tell whether two labels hold items of the same group; ``stamp`` marks the groups of a."""
    for p in range(level.group_ptr[b], level.group_ptr[b + 1]):
        if stamp[level.groups[p]] == a:
            return True
    return False


@njit(cache=True, nogil=True)
def _best_partners(level, gamma, least):
    """Merge labels that are each other's best partner; return the new label of each.

    The best partner is the one to gain most by merging with, the first of several, that holds no
    item of the same group.
    """
    k = len(level.size)
    grouped = len(level.groups) > 0
    stamp = np.full(1 + (level.groups.max() if grouped else 0), -1, np.int32)
    partner = np.full(k, -1, np.int32)
    for a in range(k):
        best, stamped = least, False
        for e in range(level.indptr[a], level.indptr[a + 1]):
            b = level.indices[e]
            gain = level.values[e] - gamma * level.size[a] * level.size[b]
            if gain < best or (gain == best and (partner[a] < 0 or b > partner[a])):
                continue
            if not grouped:
                best, partner[a] = gain, b
                continue
            if not stamped:
                stamped = True
                for p in range(level.group_ptr[a], level.group_ptr[a + 1]):
                    stamp[level.groups[p]] = a
            if not _clash(level, a, b, stamp):
                best = gain
                partner[a] = b
    mapping = np.full(k, -1, np.int32)
    n = 0
    for a in range(k):
        if mapping[a] < 0:
            mapping[a] = n
            if partner[a] > a and partner[partner[a]] == a:
                mapping[partner[a]] = n
            n += 1
    return mapping


@njit(cache=True, nogil=True)
def within(graph, labels, n_labels):
    """Return for each label the summed similarity of the pairs that share it."""
    inside = np.zeros(n_labels)
    for i in range(len(labels)):
        total = 0.0
        for e in range(graph.indptr[i], graph.indptr[i + 1]):
            if labels[graph.indices[e]] == labels[i]:
                total += graph.values[e]
        inside[labels[i]] += 0.5 * total
    return inside


@njit(cache=True, nogil=True)
def confidence(graph, labels, n_labels, gamma):
    """Return ``1 - y / x``, x being what each item gains by its label and y by the next best.

    Being alone gains 0. An item that is alone is sure, unless some label attracts it.
    """
    indptr, indices, values, weight = graph.indptr, graph.indices, graph.values, graph.weight
    size = np.zeros(n_labels)
    for i in range(len(labels)):
        size[labels[i]] += weight[i]
    x, touched = np.zeros(n_labels), np.empty(n_labels, np.int32)
    sure = np.empty(len(labels))
    for i in range(len(labels)):
        here, n = labels[i], 0
        for e in range(indptr[i], indptr[i + 1]):
            c = labels[indices[e]]
            if x[c] == 0.0:
                touched[n] = c
                n += 1
            x[c] += values[e]
        own = x[here] - gamma * weight[i] * (size[here] - weight[i])
        other = 0.0
        for q in range(n):
            c = touched[q]
            if c != here:
                other = max(other, x[c] - gamma * weight[i] * size[c])
            x[c] = 0.0
        if other > 0.0:
            sure[i] = max(1.0 - other / own, 0.0) if own > 0.0 else 0.0
        else:
            sure[i] = 1.0 if own >= 0.0 else 0.0
    return sure
