"""How far drawn labels agree with labels that are judged, counted in hash tables: compiled.

Whatever the size of labels, each visit of an item takes time in proportion to the number of labels
that it may join.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


class Counts(NamedTuple):
    """How many items of each code have each label: a hash table, with a part for each code.

    In one sweep, a code of n items meets at most 2 n labels: those of its items before, and after.
    """

    code: Codes  # (m), -1: is not counted; or empty
    begin: Ints  # (n_codes + 1), where the part of each code begins
    key: Codes  # (4 m), labels; -1: this place is empty
    n: Codes  # (4 m), number of items

    @classmethod
    def of(cls, code: Codes) -> Counts:
        """Return an empty table."""
        begin = np.r_[0, 4 * np.cumsum(np.bincount(code[code >= 0]))]
        return cls(code, begin, np.full(begin[-1], -1, np.int32), np.zeros(begin[-1], np.int32))


class Agreement(NamedTuple):
    """Labels that are judged by those drawn, and the sums of how far both agree.

    A drawn label is *mixed* if it holds items of several judged labels. ``gain`` sums for each cell
    of ``cells`` how likely an item joined it; the share of an item there is what it gained since
    the item came.
    """

    cells: Counts  # items by judged label and drawn label
    gain: Floats  # (as many as places in the table)
    mark: Floats  # (m), the gain of its cell when an item came
    n_sorts: Ints  # (m), number of judged labels in each drawn label
    sum_sorts: Ints  # (m), sum of these judged labels
    n_mixed: Ints  # (n_labels), mixed drawn labels with items of each judged label
    start: Ints  # (n_labels + 1), where the items of each judged label begin
    member: Ints  # (m), the items, label by label
    rank: Ints  # (m), place of each item among those of its label
    begin: Ints  # (n_labels), where the pairs of each label begin
    item: Floats  # (m)
    pure: Floats  # (n_labels)
    whole: Floats  # (n_labels)
    pairs: Floats  # (n_pairs), or empty

    @classmethod
    def of(cls, labels: NDArray[np.integer], *, has_pairs: bool = False) -> Agreement:
        """Return labels of which nothing has been seen; empty ones are not judged."""
        m, size = len(labels), np.bincount(labels)
        start = np.r_[0, np.cumsum(size)]
        member = np.argsort(labels, kind="stable")
        rank = np.empty(m, np.int64)
        rank[member] = np.arange(m) - np.repeat(start[:-1], size)
        n_pairs = size * (size - 1) // 2
        begin = np.cumsum(n_pairs) - n_pairs
        cells = Counts.of(labels.astype(np.int32))
        sorts = (np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(len(size), np.int64))
        pairs = np.zeros(int(n_pairs.sum()) if has_pairs else 0)
        sums = (np.zeros(m), np.zeros(len(size)), np.zeros(len(size)), pairs)
        places = (start, member, rank, begin)
        return cls(cells, np.zeros(len(cells.key)), np.zeros(m), *sorts, *places, *sums)


@compiled
def count_all(counts, labels):
    """Count all items anew."""
    counts.key[:] = -1
    counts.n[:] = 0
    for i in range(len(counts.code)):
        count(counts, i, labels[i], 1)


@compiled
def count(counts, i, c, n):
    """Count n more items with the code of item i and label c; return how many there are."""
    if len(counts.code) == 0 or counts.code[i] < 0:
        return 0
    at = place(counts, counts.code[i], c)
    if n != 0:
        counts.key[at] = c
        counts.n[at] += n
    return counts.n[at]


@compiled
def place(counts, code, c):
    """Return where a table counts the items with a code and label c."""
    begin, end = counts.begin[code], counts.begin[code + 1]
    mixed = np.uint64(c) * np.uint64(0x9E3779B1) & np.uint64(0xFFFFFFFF)
    at = begin + np.int64(mixed * np.uint64(end - begin) >> np.uint64(32))
    while counts.key[at] != c and counts.key[at] != -1:
        at = at + 1 if at + 1 < end else begin
    return at


@compiled
def enter_all(labels, agreement):
    """Count the items of all judged labels anew."""
    agreement.cells.key[:] = -1
    agreement.cells.n[:] = 0
    agreement.gain[:] = 0.0
    agreement.n_sorts[:] = 0
    agreement.sum_sorts[:] = 0
    agreement.n_mixed[:] = 0
    for i in range(len(agreement.cells.code)):
        enter(i, labels[i], agreement)


@compiled
def enter(i, d, agreement):
    """Count item i, which has come to the drawn label d."""
    cells = agreement.cells
    if len(cells.code) == 0:
        return
    c = cells.code[i]
    at = place(cells, c, d)
    cells.key[at] = d
    cells.n[at] += 1
    if cells.n[at] == 1:
        if agreement.n_sorts[d] == 1:
            agreement.n_mixed[agreement.sum_sorts[d]] += 1
        agreement.n_mixed[c] += agreement.n_sorts[d] > 0
        agreement.n_sorts[d] += 1
        agreement.sum_sorts[d] += c
    agreement.mark[i] = agreement.gain[at]


@compiled
def leave(i, d, agreement):
    """Discount item i, which leaves the drawn label d; add what it gained there."""
    cells = agreement.cells
    if len(cells.code) == 0:
        return
    c = cells.code[i]
    at = place(cells, c, d)
    cells.n[at] -= 1
    agreement.item[i] += 0.5 * (agreement.gain[at] - agreement.mark[i])
    if cells.n[at] == 0:
        agreement.n_sorts[d] -= 1
        agreement.sum_sorts[d] -= c
        agreement.n_mixed[c] -= agreement.n_sorts[d] > 0
        if agreement.n_sorts[d] == 1:
            agreement.n_mixed[agreement.sum_sorts[d]] -= 1


@compiled
def judge(i, n, labels, sums, agreement):
    """Add what item i, which has no label now, makes of its judged label.

    ``sums.same`` says of each of n labels how likely the item joins it, ``odds[n]`` that it joins
    none.
    """
    if len(agreement.cells.code) == 0:
        return
    c, none = agreement.cells.code[i], sums.odds[n]
    n_mates = agreement.start[c + 1] - agreement.start[c] - 1
    if n_mates == 0:
        agreement.item[i] += none
        agreement.pure[c] += 1.0
        agreement.whole[c] += none
        return
    joins = 0.0
    for q in range(n):
        d = sums.touched[q]
        likely = sums.same[d]
        if agreement.n_sorts[d] == 1 and agreement.sum_sorts[d] != c:
            continue  # no table is needed to see that it holds no item of the judged label
        at = place(agreement.cells, c, d)
        here = agreement.cells.n[at]
        if here > 0:
            agreement.gain[at] += likely
            agreement.item[i] += 0.5 * likely * here
            joins += likely
        if here == n_mates:
            agreement.pure[c] += likely
    if agreement.n_mixed[c] == 0:
        agreement.whole[c] += none + joins
    if len(agreement.pairs) > 0:
        _judge_pairs(i, c, labels, sums.same, agreement)


@compiled
def _judge_pairs(i, c, labels, likely, agreement):
    """Add how likely item i, of the judged label c, joins each of the other items of that label."""
    size = agreement.start[c + 1] - agreement.start[c]
    for at in range(agreement.start[c], agreement.start[c + 1]):
        j = agreement.member[at]
        if j != i:
            low = min(agreement.rank[i], agreement.rank[j])
            high = max(agreement.rank[i], agreement.rank[j])
            place = low * size - low * (low + 1) // 2 + high - low - 1
            agreement.pairs[agreement.begin[c] + place] += likely[labels[j]]
