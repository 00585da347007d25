"""Merging whole labels: two labels that gain most by each other become one, until no two gain.

A `Level` is a graph of labels: its items are the labels of a finer level, the similarity of two of
them is the sum over their items. Merging two labels a and b gains ::

    S_ab - gamma n_a n_b

S being the similarities of the level and n the sizes, the summed weights of the items. It is
allowed if the two hold no items of the same group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.neighbors import Sums, fetch_ahead, gather
from spherelax.coordinate.machine import AHEAD, Threads, compiled
from spherelax.labels import count_labels, renumber

# When the room for similarities is used up, this factor times what the labels so far suggest.
SPARE_ROOM = 1.25
# If less than this share of the labels that would gain by merging are each other's best partner,
# as of a hub and all that is similar to it alone, labels join their best partners in turn.
MUTUAL = 1 / 64
# The groups of labels that hold more than this number are sorted, so that they can be searched.
FEW_GROUPS = 64


class Level(NamedTuple):
    """Similarities between labels: CSR, their sizes, and the groups that they hold."""

    indptr: NDArray[np.int64]  # (k + 1)
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    size: NDArray[np.float64]  # (k)
    group_ptr: NDArray[np.int32]  # (k + 1), or empty where there are no groups
    groups: NDArray[np.int32]


class _Outline(NamedTuple):
    """The arrays of a level whose lengths are known before its similarities are.

    ``indptr`` has the number of similarities of each label, until all are known.
    """

    indptr: NDArray[np.int64]
    size: NDArray[np.float64]
    group_ptr: NDArray[np.int32]
    groups: NDArray[np.int32]


def merge_all(
    graph: Graph,
    labels: NDArray[np.int32],
    gamma: float,
    least: float,
    n_threads: int = 1,
    free: NDArray[np.bool_] | None = None,
) -> NDArray[np.int32] | None:
    """Merge pairs of labels while that gains more than ``least``; return the new label of each.

    None if nothing merges. ``free`` tells which labels may, by default all. Pairs of labels that
    would lose by merging are left out of the levels, to save memory; if such a pair would have
    added to the gain of a later merge, the next round of the caller sees it. Log odds below 0 would
    have lessened it, so with these all pairs are kept. The number of threads changes nothing.
    """
    k = count_labels(labels)
    floors = _floors(graph, gamma)
    level = contract(items_level(graph), labels, k, floors[0], n_threads)
    if free is not None:
        level = _among(level, free)
    return _merge_level(level, _components(graph, labels, k), gamma, least, floors[1], n_threads)


def join_known(
    graph: Graph, labels: NDArray[np.int32], n_known: int, gamma: float, least: float
) -> NDArray[np.int32]:
    """Merge labels from ``n_known`` on with others while that gains; return the new label of each.

    The first ones are known: no two of them merge. They keep their numbers, and the others are
    numbered after them.
    """
    k = count_labels(labels)
    floors = _floors(graph, gamma)
    level = _with_one_group_more(contract(items_level(graph), labels, k, floors[0]), n_known)
    mapping = _merge_level(level, _components(graph, labels, k), gamma, least, floors[1], 1)
    if mapping is None:
        return np.arange(k, dtype=np.int32)
    number = np.full(count_labels(mapping), -1, dtype=np.int32)
    number[mapping[:n_known]] = np.arange(n_known, dtype=np.int32)
    number[number < 0] = np.arange(n_known, n_known + np.count_nonzero(number < 0))
    return number[mapping]


def _merge_level(
    level: Level,
    component: NDArray[np.int32],
    gamma: float,
    least: float,
    floor: float,
    n_threads: int,
) -> NDArray[np.int32] | None:
    """Merge the labels of a level, whose components are given, as `merge_all` does."""
    mapping = None
    while True:
        stamp = np.full(1 + level.groups.max(initial=0), -1, dtype=np.int32)
        partner = _best_partners(level, gamma, least, stamp)
        step = _pair_up(partner)
        n_merged = count_labels(step)
        if n_merged == len(step):
            return mapping
        is_slow = _are_slow(partner, component)
        if is_slow.any():
            joined = _join_in_turn(level, gamma, least, np.where(is_slow, partner, np.int32(-1)))
            step = renumber(np.where(is_slow, joined, _first_of_pairs(partner)))
            n_merged = count_labels(step)
        level = contract(level, step, n_merged, floor, n_threads)
        before, component = component, np.empty(n_merged, dtype=np.int32)
        component[step] = before
        mapping = step if mapping is None else step[mapping]


def _floors(graph: Graph, gamma: float) -> tuple[float, float]:
    """Return the mean similarity above which pairs of labels are kept: at first, and later."""
    is_signed = graph.values.min(initial=0.0) < 0.0
    return (-np.inf, -np.inf) if is_signed else (gamma, 0.0)


def _components(graph: Graph, labels: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Return the component of each label."""
    sizes, component = np.diff(graph.component_ptr), np.empty(k, dtype=np.int32)
    component[labels] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return component


def _with_one_group_more(level: Level, n_labels: int) -> Level:
    """Return a level whose first labels hold one more group, the same one."""
    n_held = np.diff(level.group_ptr) if len(level.groups) else np.zeros(len(level.size), np.int32)
    more = np.int32(1 + level.groups.max(initial=-1))
    ends = np.cumsum(n_held)[:n_labels]
    return level._replace(
        group_ptr=np.r_[0, np.cumsum(n_held + (np.arange(len(n_held)) < n_labels))].astype(
            np.int32
        ),
        groups=np.insert(level.groups, ends, more).astype(np.int32),
    )


def _first_of_pairs(partner: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the smaller label of each mutual pair for both its labels; any other stays itself."""
    own = np.arange(len(partner), dtype=np.int32)
    is_mutual = (partner >= 0) & (partner[partner] == own)
    return np.where(is_mutual, np.minimum(own, partner), own)


def _are_slow(partner: NDArray[np.int32], component: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell of each label whether hardly any two of its component are each other's partner."""
    is_mutual = (partner >= 0) & (partner[partner] == np.arange(len(partner)))
    n_mutual = np.bincount(component, weights=is_mutual)
    n_wanted = np.bincount(component, weights=partner >= 0)
    return np.asarray(((n_mutual > 0) & (n_mutual < MUTUAL * n_wanted))[component])


def items_level(graph: Graph) -> Level:
    """Return the level on which each item has a label of its own."""
    groups, group_ptr = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    if graph.grouped:
        groups, group_ptr = graph.group, np.arange(graph.n_items + 1, dtype=np.int32)
    return Level(*graph[:3], graph.weight.astype(np.float64), group_ptr, groups)


def contract(
    level: Level, labels: NDArray[np.int32], k: int, floor: float, n_threads: int = 1
) -> Level:
    """Give the items of a level labels in 0 .. k - 1; return the level of the labels.

    Only pairs of labels with a mean similarity above ``floor`` are kept.
    """
    grouped = len(level.groups) > 0
    outline = _Outline(
        indptr=np.zeros(k + 1, dtype=np.int64),
        size=np.zeros(k),
        group_ptr=np.zeros(k + 1 if grouped else 0, dtype=np.int32),
        groups=np.empty_like(level.groups),
    )
    start = np.zeros(k + 2, dtype=np.int64)
    items = _measure(level, labels, start, outline)
    threads = Threads(n_threads, level.indptr)
    parts = threads.parts_of_rows(start[: k + 1])
    sums = [
        Sums(np.zeros(k, dtype=np.float32), np.empty(k + 1, dtype=np.int32))
        for _ in range(threads.n_threads)
    ]
    found: dict[int, NDArray[np.int32]] = {}

    def contract_part(first: int, last: int, thread: int) -> None:
        args = (level, labels, items, start, floor, outline, sums[thread])
        found[first] = _contract(first, last, *args)

    with threads:
        threads.run(parts, contract_part)
    entries = np.concatenate([found[first] for first, _ in parts], axis=1)
    indptr, size, group_ptr, groups = outline
    np.cumsum(indptr, out=indptr)
    return Level(indptr, entries[0], entries[1].view(np.float32), size, group_ptr, groups)


def _among(level: Level, free: NDArray[np.bool_]) -> Level:
    """Return a level in which only free labels are similar to each other."""
    row = np.repeat(np.arange(len(free)), np.diff(level.indptr))
    kept = free[row] & free[level.indices]
    indptr = np.r_[0, np.cumsum(np.bincount(row[kept], minlength=len(free)))]
    return level._replace(indptr=indptr, indices=level.indices[kept], values=level.values[kept])


@compiled
def _measure(level, labels, start, outline):
    """Fill in the sizes and groups of labels; return the items as `_sort_by_label` does."""
    size, group_ptr = outline.size, outline.group_ptr
    grouped = len(level.groups) > 0
    for i in range(len(labels)):
        size[labels[i]] += level.size[i]
        if grouped:
            group_ptr[labels[i] + 1] += level.group_ptr[i + 1] - level.group_ptr[i]
    for a in range(len(group_ptr) - 1):
        group_ptr[a + 1] += group_ptr[a]
    items = _sort_by_label(labels, start)
    if grouped:
        _collect_groups(level, items, outline)
        _sort_groups(outline)
    return items


# Ctrl-C while Numba makes Python objects of several arrays ends in a crash: kernels return one at
# most, here the two whose length they find.
@compiled
def _contract(first, last, level, labels, items, start, floor, outline, sums):
    """Find and count the similarities of labels ``first .. last - 1``.

    ``items`` are in order of their labels; the items of label a begin at ``start[a]``. Returns the
    indices of the level that are similar to these labels, and the similarities seen as int32.
    """
    final = len(items) - 1
    entries, end = np.empty((2, 4 * (last - first) + 16), np.int32), 0
    for a in range(first, last):
        n = 0
        for at in range(start[a], start[a + 1]):
            near, far = items[min(at + AHEAD, final)], items[min(at + 2 * AHEAD, final)]
            fetch_ahead(near, far, items[min(at + 3 * AHEAD, final)], level, labels)
            n = gather(level, labels, items[at], sums, n)
        needed = end + n
        if needed > entries.shape[1]:
            share = (a + 1 - first) / (last - first)
            wider = np.empty((2, 16 + int(SPARE_ROOM * needed / share)), np.int32)
            # Not by slices: Numba would compile the text of their error messages, for 2 s.
            for e in range(end):
                wider[0, e], wider[1, e] = entries[0, e], entries[1, e]
            entries = wider
        before, end = end, _keep_similar(a, n, sums, floor, outline, entries, end)
        outline.indptr[a + 1] = end - before
    return entries[:, :end]


@compiled(allocates=True)
def _sort_by_label(labels, start):
    """Return the items in order of their labels; the items of label a begin at ``start[a]``.

    ``start`` has two entries more than there are labels, and is 0 before.
    """
    for i in range(len(labels)):
        start[labels[i] + 2] += 1
    for a in range(len(start) - 2):
        start[a + 2] += start[a + 1]
    items = np.empty(len(labels), np.int32)
    for i in range(len(labels)):
        items[start[labels[i] + 1]] = i
        start[labels[i] + 1] += 1
    return items


@compiled
def _collect_groups(level, items, outline):
    """Write the groups that the items of a level hold, in the order of their labels."""
    end = 0
    for i in items:
        for p in range(level.group_ptr[i], level.group_ptr[i + 1]):
            outline.groups[end] = level.groups[p]
            end += 1


@compiled(allocates=True)
def _sort_groups(outline):
    """Sort the groups of labels that hold many."""
    group_ptr, groups = outline.group_ptr, outline.groups
    group, holder = np.empty_like(groups), np.empty_like(groups)
    n = 0
    for a in range(len(group_ptr) - 1):
        if group_ptr[a + 1] - group_ptr[a] > FEW_GROUPS:
            for p in range(group_ptr[a], group_ptr[a + 1]):
                group[n], holder[n] = groups[p], a
                n += 1
    if n > 0:
        ends = group_ptr.copy()
        for p in _sort_by_label(group[:n], np.zeros(groups.max() + 3, np.int64)):
            groups[ends[holder[p]]] = group[p]
            ends[holder[p]] += 1


@compiled
def _keep_similar(a, n, sums, floor, outline, entries, end):
    """Write the labels whose mean similarity to label a is above a floor; return where they end.

    Reads the first ``n`` sums and sets them to 0; writes ``entries`` from ``end`` on.
    """
    column, value = entries[0], entries[1].view(np.float32)
    x, size = sums.x, outline.size
    for q in range(n):
        b = sums.touched[q]
        if b != a and x[b] > floor * size[a] * size[b]:
            column[end], value[end] = b, x[b]
            end += 1
        x[b] = 0.0
    return end


@compiled
def _best_partners(level, gamma, least, stamp):
    """Return the best partner of each label; -1: none.

    It is the label by which this label gains most, and more than ``least``, among the labels that
    hold no item of the same group; of equal gains the first label counts. ``stamp`` has an entry
    for each group, and is -1 before.
    """
    k = len(level.size)
    grouped = len(level.groups) > 0
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
                _stamp_groups(level, a, a, stamp)
            if not _clash(level, a, b, stamp):
                best = gain
                partner[a] = b
    return partner


@compiled
def _clash(level, a, b, stamp):
    """Tell whether two labels hold items of the same group; ``stamp`` is a for the groups of a."""
    group_ptr, groups = level.group_ptr, level.groups
    begin, end = group_ptr[b], group_ptr[b + 1]
    if end - begin > max(FEW_GROUPS, group_ptr[a + 1] - group_ptr[a]):
        for p in range(group_ptr[a], group_ptr[a + 1]):
            if _holds(groups, begin, end, groups[p]):
                return True
        return False
    return _is_stamped(level, b, a, stamp)


@compiled
def _stamp_groups(level, a, name, stamp):
    """Set the stamp of the groups of label a, if there are groups, to a name."""
    if len(level.groups) > 0:
        for p in range(level.group_ptr[a], level.group_ptr[a + 1]):
            stamp[level.groups[p]] = name


@compiled
def _is_stamped(level, a, name, stamp):
    """Tell whether any group of label a is stamped with a name."""
    found = False
    if len(level.groups) > 0:
        for p in range(level.group_ptr[a], level.group_ptr[a + 1]):
            found |= stamp[level.groups[p]] == name
    return found


@compiled
def _holds(groups, begin, end, group):
    """Tell whether sorted ``groups[begin:end]`` hold a group."""
    last = end
    while begin < end:
        middle = (begin + end) // 2
        if groups[middle] < group:
            begin = middle + 1
        else:
            end = middle
    return begin < last and groups[begin] == group


@compiled(allocates=True)
def _pair_up(partner):
    """Return a new label for each label, the same for two that are each other's partner."""
    mapping = np.full(len(partner), -1, np.int32)
    n = 0
    for a in range(len(partner)):
        if mapping[a] < 0:
            mapping[a] = n
            if partner[a] > a and partner[partner[a]] == a:
                mapping[partner[a]] = n
            n += 1
    return mapping


@compiled
def _join_in_turn(level, gamma, least, partner):
    """Merge labels into their best partners in turn; return the label that each has become.

    Label a merges into its best partner b if the gain, with all labels already merged into b,
    exceeds ``least``. Label a is skipped if other labels have merged into it, or if more labels
    have a as best partner than have b.
    """
    k = len(partner)
    start = np.zeros(k + 3, np.int64)
    suitors = _sort_by_label(np.where(partner < 0, np.int32(k), partner), start)
    stamp = np.full(1 + (level.groups.max() if len(level.groups) > 0 else 0), -1, np.int32)
    root, is_joined = np.arange(k).astype(np.int32), np.zeros(k, np.bool_)
    for b in range(k):
        if root[b] != b:
            continue
        size, n_suitors = level.size[b], start[b + 1] - start[b]
        _stamp_groups(level, b, b, stamp)
        for a in suitors[start[b] : start[b + 1]]:
            if is_joined[a] or start[a + 1] - start[a] > n_suitors:
                continue
            gain = -gamma * level.size[a] * size
            for e in range(level.indptr[a], level.indptr[a + 1]):
                gain += level.values[e] if root[level.indices[e]] == b else 0.0
            if gain > least and not _is_stamped(level, a, b, stamp):
                root[a], is_joined[b] = b, True
                size += level.size[a]
                _stamp_groups(level, a, b, stamp)
    return root
