"""Average linkage of a list of scored pairs: which items join, and at what level.

Two clusters A and B have c listed pairs, whose scores above the lowest one of the list sum to S. The
other pairs of A and B are absent: these items are not alike, so that the mean is S / |A||B|, or they
were not compared, so that it is S / c. The level of a merge is between both, the geometric mean

    S / (c^(1 - w) (|A| |B|)^w)

with the weight w = `ABSENT`. The pair of clusters with the highest level merges first. Clusters that
hold items of one group never do.
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
    count: Floats  # (n_pairs), number of listed pairs; 0: it has become part of another
    bound: Floats  # (n_pairs), the level in the heap: never below the level
    after: Ints  # (2 n_pairs), the next half in the list of its cluster; -1: none
    head: Ints  # (n_items)
    tail: Ints  # (n_items)
    size: Floats  # (n_items)
    key: Ints  # table of pairs by their clusters: (n_slots), -1: empty
    pair: Ints  # (n_slots)


@compiled
def _merge(one, other, score, group, links):
    """Merge clusters until nothing is left to merge; write the links."""
    n, n_pairs = len(links.up), len(one)
    n_slots = 4
    while n_slots < 4 * n_pairs:
        n_slots *= 2
    net = _Net(
        np.empty(2 * n_pairs, np.int64),
        score.copy(),
        np.ones(n_pairs),
        score.copy(),
        np.full(2 * n_pairs, -1),
        np.full(n, -1),
        np.full(n, -1),
        np.ones(n),
        np.full(n_slots, -1),
        np.empty(n_slots, np.int64),
    )
    value, of, n_heap, n_used = np.empty(2 * n_pairs), np.empty(2 * n_pairs, np.int64), 0, n_pairs
    for e in range(n_pairs):
        net.end[2 * e], net.end[2 * e + 1] = one[e], other[e]
        _append(net, one[e], 2 * e)
        _append(net, other[e], 2 * e + 1)
        net.pair[_slot(net, one[e], other[e])] = e
        n_heap = _push(value, of, n_heap, score[e], e)
    last, reached = np.full(n, np.inf), np.zeros(len(group), np.int64)
    mate, end_mate = np.full(n, -1), np.arange(n)
    n_asked = 0
    while n_heap > 0:
        top, e = value[0], of[0]
        n_heap = _pop(value, of, n_heap)
        if net.count[e] == 0.0 or top != net.bound[e]:
            continue
        p, q = net.end[2 * e], net.end[2 * e + 1]
        level = net.total[e] / (
            net.count[e] ** (1.0 - ABSENT) * (net.size[p] * net.size[q]) ** ABSENT
        )
        if level < top:
            net.bound[e] = level
            n_heap = _push(value, of, n_heap, level, e)
            continue
        n_asked += 1
        if len(group) > 0 and _share_group(p, q, group, mate, reached, n_asked):
            net.count[e] = 0.0
            continue
        if net.size[p] < net.size[q]:
            p, q = q, p
        level = min(level, last[p], last[q])
        for i in (p, q):
            if net.size[i] == 1.0:
                links.first[i] = level
        links.up[q], links.level[q], last[p] = p, level, level
        net.count[e] = 0.0
        net.size[p] += net.size[q]
        mate[end_mate[p]], end_mate[p] = q, end_mate[q]
        # Pairs of the smaller cluster become pairs of the larger one.
        h = net.head[q]
        while h >= 0:
            following, f, c = net.after[h], h // 2, net.end[h ^ 1]
            if net.count[f] > 0.0:
                if 2 * n_used > n_slots:
                    n_used = _fill(net)
                slot = _slot(net, p, c)
                known = net.pair[slot]
                if known >= 0 and net.count[known] > 0.0:
                    net.total[known] += net.total[f]
                    net.count[known] += net.count[f]
                    net.count[f] = 0.0
                    net.bound[known] = net.total[known] / (
                        net.count[known] ** (1.0 - ABSENT)
                        * (net.size[p] * net.size[c]) ** ABSENT
                    )
                    n_heap = _push(value, of, n_heap, net.bound[known], known)
                else:
                    n_used += known < 0
                    net.pair[slot], net.end[h] = f, p
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
    return slot


@compiled
def _fill(net):
    """Fill the table anew with the pairs that are left; return how many slots are used."""
    net.key[:] = -1
    n_used = 0
    for e in range(len(net.total)):
        if net.count[e] > 0.0:
            net.pair[_slot(net, net.end[2 * e], net.end[2 * e + 1])] = e
            n_used += 1
    return n_used


@compiled
def _share_group(p, q, group, mate, reached, number):
    """Tell whether two clusters hold items of one group; ``number`` is another each time."""
    i = p
    while i >= 0:
        reached[group[i]] = number
        i = mate[i]
    i = q
    while i >= 0:
        if reached[group[i]] == number:
            return True
        i = mate[i]
    return False


@compiled
def _push(value, of, n, x, e):
    """Put a value into a heap of n, the largest first; of equal values the smaller pair first."""
    at = n
    while at > 0:
        above = (at - 1) // 2
        if value[above] > x or (value[above] == x and of[above] < e):
            break
        value[at], of[at] = value[above], of[above]
        at = above
    value[at], of[at] = x, e
    return n + 1


@compiled
def _pop(value, of, n):
    """Take the largest value out of a heap of n."""
    n -= 1
    x, e = value[n], of[n]
    at = 0
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and (
            value[child + 1] > value[child]
            or (value[child + 1] == value[child] and of[child + 1] < of[child])
        ):
            child += 1
        if x > value[child] or (x == value[child] and e < of[child]):
            break
        value[at], of[at] = value[child], of[child]
        at = child
    value[at], of[at] = x, e
    return n
