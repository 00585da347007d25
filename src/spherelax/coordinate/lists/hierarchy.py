"""Average linkage of a list of scored pairs: which items join, and at what level.

Two clusters A and B have c listed pairs, whose scores above the lowest one of the list sum to S.
The other pairs of A and B are absent: these items are not alike, so that the mean is S / |A||B|, or
they were not compared, so that it is S / c. The level of a merge is a geometric mean of both

    S / (c^(1 - w) (|A| |B|)^w)

with the weight w = `ABSENT`. The pair of clusters with the highest level merges first. Clusters
that hold items of one group never do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine.compiled import compiled

# How much absent pairs speak against a merge: 0: they were not compared; 1: they are not alike.
ABSENT = 1.0 / 3.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Hierarchy(NamedTuple):
    """Merges of items as links: of two clusters that merge, the smaller one is linked to the other.

    Levels never rise along links, and no item is more than log2(n) links from the last one.

    Attributes
    ----------
    up : ndarray of shape (n_items,)
        The item that an item is linked to; itself if it is not.
    level : ndarray of shape (n_items,)
        The level of the merge that made this link; minus infinity if there is none.
    first : ndarray of shape (n_items,)
        The level at which an item stops being alone; minus infinity if it never does.
    """

    up: Ints
    level: Floats
    first: Floats

    @classmethod
    def of(
        cls, n_items: int, one: Ints, other: Ints, score: Floats, group: NDArray[np.int32]
    ) -> Hierarchy:
        """Merge items by pairs, each listed once; scores are above 0. ``group`` may be empty.

        Examples
        --------
        >>> one, other, score = np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0.9, 0.2, 0.8])
        >>> found = Hierarchy.of(4, one, other, score, np.empty(0, np.int32))
        >>> found.labels(0.5), found.meet(np.array([0, 0]), np.array([1, 3])).round(2)
        (array([0, 0, 2, 2]), array([0.9 , 0.13]))
        """
        found = cls(np.arange(n_items), np.full(n_items, -np.inf), np.full(n_items, -np.inf))
        if len(one):
            _merge(one, other, score.astype(float), group, found)
        return found

    @property
    def levels(self) -> Floats:
        """The levels of all merges, which rise."""
        return np.sort(self.level[np.isfinite(self.level)])

    def labels(self, cut: float) -> Ints:
        """Return labels after all merges at or above a level: one of its items stands for each."""
        top = np.where(self.level >= cut, self.up, np.arange(len(self.up)))
        while not np.array_equal(top, further := top[top]):
            top = further
        return top

    def meet(self, one: Ints, other: Ints) -> Floats:
        """Return the level at which items of pairs join; minus infinity: never."""
        return np.asarray(_meet(self, one, other))


@compiled
def _meet(links, one, other):
    """Climb from both items of each pair, always by the earlier of two links."""
    found = np.empty(len(one))
    for q in range(len(one)):
        i, j, level = one[q], other[q], np.inf
        while i != j and level > -np.inf:
            if links.level[i] < links.level[j]:
                i, j = j, i
            level = links.level[i]
            i = links.up[i]
        found[q] = level
    return found


class _Net(NamedTuple):
    """Pairs of clusters; each is in the list of either cluster, as half 2e and as half 2e + 1."""

    end: Ints  # (2 n_pairs), the cluster that a half belongs to
    total: Floats  # (n_pairs), sum of scores
    n_listed: Floats  # (n_pairs), number of listed pairs; 0: it has become part of another
    bound: Floats  # (n_pairs), the level in the heap, which is never below the level
    after: Ints  # (2 n_pairs), the next half in the list of its cluster; -1: none
    head: Ints  # (n_items), the first half of a cluster
    tail: Ints  # (n_items), the last one
    size: Floats  # (n_items), number of items of a cluster
    key: Ints  # (n_slots), table of pairs by their clusters; -1: empty
    pair: Ints  # (n_slots)
    n_used: Ints  # (1), slots in use


class _Heap(NamedTuple):
    """Pairs by their level, the highest first."""

    level: Floats  # (2 n_pairs)
    pair: Ints  # (2 n_pairs)
    n: Ints  # (1)


class _Mates(NamedTuple):
    """The items of each cluster as a chain, and the groups that were met last."""

    group: NDArray[np.int32]  # (n_items), or empty
    after: Ints  # (n_items), the next item of a cluster; -1: none
    tail: Ints  # (n_items), the last one
    met: Ints  # (n_items), when a group was met


@compiled
def _merge(one, other, score, group, links):
    """Merge clusters until nothing is left to merge; write the links."""
    n, n_pairs = len(links.up), len(one)
    n_slots = 4
    while n_slots < 4 * n_pairs:
        n_slots *= 2
    halves = np.empty(2 * n_pairs, np.int64)
    net = _Net(
        halves,
        score.copy(),
        np.ones(n_pairs),
        score.copy(),
        np.full(2 * n_pairs, -1),
        np.full(n, -1),
        np.full(n, -1),
        np.ones(n),
        np.full(n_slots, -1),
        np.empty(n_slots, np.int64),
        np.zeros(1, np.int64),
    )
    heap = _Heap(np.empty(2 * n_pairs), np.empty(2 * n_pairs, np.int64), np.zeros(1, np.int64))
    for e in range(n_pairs):
        net.end[2 * e], net.end[2 * e + 1] = one[e], other[e]
        _append(net, one[e], 2 * e)
        _append(net, other[e], 2 * e + 1)
        _push(heap, score[e], e)
    _fill(net)
    mates = _Mates(group, np.full(n, -1), np.arange(n), np.full(len(group), -1))
    last = np.full(n, np.inf)
    while heap.n[0] > 0:
        e = _next(net, heap)
        if e < 0:
            break
        level, p, q = net.bound[e], net.end[2 * e], net.end[2 * e + 1]
        net.n_listed[e] = 0.0
        if len(group) > 0 and _share_group(p, q, mates, e):
            continue
        if net.size[p] < net.size[q]:
            p, q = q, p
        level = min(level, last[p], last[q])
        for i in (p, q):
            if net.size[i] == 1.0:
                links.first[i] = level
        links.up[q], links.level[q], last[p] = p, level, level
        net.size[p] += net.size[q]
        mates.after[mates.tail[p]], mates.tail[p] = q, mates.tail[q]
        _hand_over(net, heap, p, q)


@compiled
def _next(net, heap):
    """Take the pair with the highest level out of the heap; -1: none is left.

    Clusters that have grown since have a lower level: their pairs go back.
    """
    while heap.n[0] > 0:
        bound, e = heap.level[0], heap.pair[0]
        _pop(heap)
        if net.n_listed[e] == 0.0 or bound != net.bound[e]:
            continue
        net.bound[e] = _level(net, e)
        if net.bound[e] == bound:
            return e
        _push(heap, net.bound[e], e)
    return -1


@compiled
def _level(net, e):
    """Return the level of a pair of clusters."""
    n_possible = net.size[net.end[2 * e]] * net.size[net.end[2 * e + 1]]
    return net.total[e] / (net.n_listed[e] ** (1.0 - ABSENT) * n_possible**ABSENT)


@compiled
def _hand_over(net, heap, p, q):
    """Make the pairs of cluster q, the smaller one, pairs of cluster p."""
    h = net.head[q]
    while h >= 0:
        following, e, c = net.after[h], h // 2, net.end[h ^ 1]
        if net.n_listed[e] > 0.0:
            if 2 * net.n_used[0] > len(net.key):
                _fill(net)
            slot = _slot(net, p, c)
            known = net.pair[slot]
            if known >= 0 and net.n_listed[known] > 0.0:
                net.total[known] += net.total[e]
                net.n_listed[known] += net.n_listed[e]
                net.n_listed[e] = 0.0
                net.bound[known] = _level(net, known)
                _push(heap, net.bound[known], known)
            else:
                net.pair[slot], net.end[h] = e, p
                _append(net, p, h)
        h = following


@compiled
def _append(net, cluster, half):
    """Append a half to the list of a cluster."""
    net.after[half] = -1
    if net.head[cluster] < 0:
        net.head[cluster] = half
    else:
        net.after[net.tail[cluster]] = half
    net.tail[cluster] = half


@compiled
def _slot(net, p, q):
    """Return the slot of two clusters in the table; a new one has the pair -1."""
    n_slots = len(net.key)
    key = min(p, q) * len(net.size) + max(p, q)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(20)) & (n_slots - 1)
    while net.key[slot] >= 0 and net.key[slot] != key:
        slot = (slot + 1) & (n_slots - 1)
    if net.key[slot] < 0:
        net.key[slot], net.pair[slot] = key, -1
        net.n_used[0] += 1
    return slot


@compiled
def _fill(net):
    """Fill the table with the pairs that are left."""
    net.key[:] = -1
    net.n_used[0] = 0
    for e in range(len(net.total)):
        if net.n_listed[e] > 0.0:
            net.pair[_slot(net, net.end[2 * e], net.end[2 * e + 1])] = e


@compiled
def _share_group(p, q, mates, number):
    """Tell whether two clusters hold items of one group; ``number`` is another one each time."""
    i = p
    while i >= 0:
        mates.met[mates.group[i]] = number
        i = mates.after[i]
    i = q
    while i >= 0:
        if mates.met[mates.group[i]] == number:
            return True
        i = mates.after[i]
    return False


@compiled
def _is_before(heap, one, other):
    """Tell whether one place of the heap comes before another; of equal levels, by their pairs."""
    if heap.level[one] != heap.level[other]:
        return heap.level[one] > heap.level[other]
    return heap.pair[one] < heap.pair[other]


@compiled
def _swap(heap, one, other):
    """Swap two places of a heap."""
    heap.level[one], heap.level[other] = heap.level[other], heap.level[one]
    heap.pair[one], heap.pair[other] = heap.pair[other], heap.pair[one]


@compiled
def _push(heap, level, e):
    """Put a pair into a heap."""
    at = heap.n[0]
    heap.level[at], heap.pair[at] = level, e
    heap.n[0] += 1
    while at > 0 and _is_before(heap, at, (at - 1) // 2):
        _swap(heap, at, (at - 1) // 2)
        at = (at - 1) // 2


@compiled
def _pop(heap):
    """Take the first pair out of a heap."""
    heap.n[0] -= 1
    n, at = heap.n[0], 0
    heap.level[0], heap.pair[0] = heap.level[n], heap.pair[n]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and _is_before(heap, child + 1, child):
            child += 1
        if _is_before(heap, at, child):
            break
        _swap(heap, at, child)
        at = child
