"""Similar pairs whose items have different labels, and why: who has the place instead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.io.words import count
from spherelax.report.case import Case

# Why the items of a similar pair have different labels.
PLACE = "another item of the same group has the place in the label"
SHARED = "both labels have an item of one group"
WEAK = "too few pairs connect the two labels"


class Dropped(NamedTuple):
    """The dropped pairs as rows ``i < j``, and what speaks against them.

    ``holder`` is an item of the same group as one end, ``end``, in the label of the other end; -1:
    there is none. ``fits`` says whether it has more similar items in that label than the end that
    it replaces. ``apart`` says whether both labels have an item of one group, so that they cannot
    be one label.
    """

    pairs: NDArray[np.intp]
    end: NDArray[np.intp]
    holder: NDArray[np.intp]
    fits: NDArray[np.bool_]
    apart: NDArray[np.bool_]


def find_dropped(case: Case) -> Dropped:
    """Find the dropped pairs and what speaks against them."""
    labels, groups = case.result.labels.astype(np.int64), case.problem.groups
    rows, columns = case.rows.astype(np.intp), case.graph.indices.astype(np.intp)
    drop = (rows < columns) & (labels[rows] != labels[columns])
    pairs = np.column_stack([rows[drop], columns[drop]])
    end, there = pairs[:, 0].copy(), labels[pairs[:, 1]]
    holder, apart = np.full(len(pairs), -1), np.zeros(len(pairs), dtype=np.bool_)
    if groups is not None:
        held = _Lookup(labels, groups)
        holder = held.find(there, groups[end])
        other = holder < 0
        end[other], there[other] = pairs[other, 1], labels[pairs[other, 0]]
        holder[other] = held.find(there[other], groups[end[other]])
        holds = sp.csr_array((np.ones(len(labels)), (labels, groups)))
        both = holds[labels[pairs[:, 0]]].multiply(holds[labels[pairs[:, 1]]])
        apart = np.asarray(both.sum(axis=1)).ravel() > 0
    links = _Lookup(rows, labels[columns])
    fits = (holder >= 0) & (links.count(holder, there) > links.count(end, there))
    return Dropped(pairs, end, holder, fits, apart)


def say_dropped(case: Case, dropped: Dropped) -> str:
    """Say how many similar pairs were dropped, and why."""
    n, taken = len(dropped.pairs), dropped.holder >= 0
    if n == 0:
        return case.say("No similar pair has different labels.")
    away = ""
    if case.spots is not None and taken.any():
        between = case.spots[dropped.end[taken]] - case.spots[dropped.holder[taken]]
        median = float(np.median(np.linalg.norm(between, axis=1)))
        away = f", {median:.1f} pixels away in the median"
    reasons = {
        f"{PLACE}{away}, and is similar to more items there": dropped.fits,
        f"{PLACE}{away if not dropped.fits.any() else ''}": taken & ~dropped.fits,
        SHARED: dropped.apart & ~taken,
        WEAK: ~dropped.apart & ~taken,
    }
    counted = {why: int(found.sum()) for why, found in reasons.items()}
    said = "; ".join(f"{number:,} because {why}" for why, number in counted.items() if number)
    return case.say(f"{count(n, 'similar pair')} with different labels: {said}.")


def why(case: Case, dropped: Dropped) -> dict[tuple[int, int], str]:
    """Return the reason why each pair was dropped."""
    said = {}
    for (i, j), holder, fits, apart in zip(
        dropped.pairs.tolist(), *(part.tolist() for part in dropped[2:]), strict=True
    ):
        reason = case.say(SHARED if apart else WEAK)
        if holder >= 0:
            better = case.say(" and is similar to more items there") if fits else ""
            reason = f"{case.names[holder]} has the place{better}"
        said[i, j] = reason
    return said


class _Lookup:
    """Finds entries by two non-negative integers, such as the item of a group in a label."""

    def __init__(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> None:
        self._width = int(second.max(initial=0)) + 1
        keys = self._key(first, second)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the place of the first entry of each pair of integers; -1: there is none."""
        wanted = self._key(first, second)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[at] == wanted, self._order[at], -1)

    def count(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the number of entries of each pair of integers."""
        wanted = self._key(first, second)
        high = np.searchsorted(self._keys, wanted, side="right")
        return np.asarray(high - np.searchsorted(self._keys, wanted))

    def _key(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one integer for two."""
        return first.astype(np.int64) * self._width + second.astype(np.int64)
