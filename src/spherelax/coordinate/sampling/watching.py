"""What drawn labels say of other labels: compiled.

Each visit of an item says how likely it is to join each label, given where all others are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.sampling.drawing import choose, clear, collect, put_in, take_out, weigh
from spherelax.labels import Labels, count_pairs


class Seen(NamedTuple):
    """The labels that are watched, and the sums of what is likely of them."""

    labels: Any  # int64 (m)
    start: Any  # int64 (n_labels + 1), where the items of each label begin
    member: Any  # int64 (m), the items, label by label
    rank: Any  # int64 (m), place of each item among those of its label
    begin: Any  # int64 (n_labels), where the pairs of each label begin
    item: Any  # float64 (m)
    pure: Any  # float64 (n_labels)
    whole: Any  # float64 (n_labels)
    pairs: Any  # float64 (n_pairs), or empty

    @classmethod
    def of(cls, labels: Labels, *, has_pairs: bool) -> Seen:
        """Return labels of which nothing has been seen."""
        size = np.bincount(labels)
        start = np.r_[0, np.cumsum(size)]
        member = np.argsort(labels, kind="stable")
        rank = np.empty(len(labels), np.int64)
        rank[member] = np.arange(len(labels)) - np.repeat(start[:-1], size)
        n = count_pairs(size)
        begin = np.cumsum(n) - n
        pairs = np.zeros(n.sum() if has_pairs else 0)
        sums = (np.zeros(len(labels)), np.zeros(len(size)), np.zeros(len(size)), pairs)
        return cls(labels.astype(np.int64), start, member, rank, begin, *sums)


@compiled
def watch_all(net, beliefs, state, sums, seen, openings, chance):
    """Draw a new label for every item in turn, given those of all others; count what is likely.

    Reads net and beliefs; writes state, seen and openings. ``chance`` is a random order of the
    items and a random number for each.
    """
    spare = 0
    for at in range(len(state.labels)):
        i = np.int64(chance[0, at])
        take_out(i, state)
        n = collect(i, net, beliefs, state, sums)
        best = weigh(i, n, net, beliefs, state, sums, openings)
        to = choose(n, sums, best, chance[1, at])
        _watch(i, sums.odds[n], state, sums.same, seen)
        clear(n, sums)
        spare = put_in(i, to, spare, state)


@compiled
def _watch(i, none, state, likely, seen):
    """Count what item i, which has no label now, makes of its watched label.

    ``likely`` says of each label how likely the item is to join it, ``none`` that it joins none.
    """
    c = seen.labels[i]
    begin, end = seen.start[c], seen.start[c + 1]
    if end - begin == 1:
        seen.item[i] += none
        seen.pure[c] += 1.0
        seen.whole[c] += none
        return
    together, first, is_one, is_closed = none, -1, True, True
    for at in range(begin, end):
        j = seen.member[at]
        if j == i:
            continue
        d = state.labels[j]
        seen.item[i] += 0.5 * likely[d]
        seen.item[j] += 0.5 * likely[d]
        if len(seen.pairs) > 0:
            seen.pairs[_place(i, j, seen)] += likely[d]
        is_one &= first in (-1, d)
        first = d
        k = state.first[d]
        if k == j:
            together += likely[d]
            while k >= 0 and is_closed:
                is_closed = seen.labels[k] == c
                k = state.next[k]
        is_closed &= seen.labels[state.first[d]] == c
    if is_one:
        seen.pure[c] += likely[first]
    if is_closed:
        seen.whole[c] += together


@compiled
def _place(i, j, seen):
    """Return the place of a pair of items of one label among all pairs inside labels."""
    c = seen.labels[i]
    low, high = min(seen.rank[i], seen.rank[j]), max(seen.rank[i], seen.rank[j])
    size = seen.start[c + 1] - seen.start[c]
    return seen.begin[c] + low * size - low * (low + 1) // 2 + high - low - 1
