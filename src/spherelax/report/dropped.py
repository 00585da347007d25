"""Similar pairs whose items have different labels, and why: who has the place instead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.report.case import Case
from spherelax.report.markup import percent


class Dropped(NamedTuple):
    """The dropped pairs as rows ``i < j``, and the item that has the place of one of them.

    ``rival`` is an item of the same group as one end, in the label of the other end; -1: there is
    none. ``fits`` says whether it has more similar items in that label than the end that it
    replaces, which is ``end``.
    """

    pairs: NDArray[np.intp]
    end: NDArray[np.intp]
    rival: NDArray[np.intp]
    fits: NDArray[np.bool_]


def find_dropped(case: Case) -> Dropped:
    """Find the dropped pairs and their rivals."""
    labels, groups = case.result.labels.astype(np.int64), case.problem.groups
    rows, columns = case.rows.astype(np.intp), case.graph.indices.astype(np.intp)
    drop = (rows < columns) & (labels[rows] != labels[columns])
    pairs = np.column_stack([rows[drop], columns[drop]])
    end, there = pairs[:, 0].copy(), labels[pairs[:, 1]]
    rival = np.full(len(pairs), -1)
    if groups is not None:
        held = _Lookup(labels, groups)
        rival = held.find(there, groups[end])
        other = rival < 0
        end[other], there[other] = pairs[other, 1], labels[pairs[other, 0]]
        rival[other] = held.find(there[other], groups[end[other]])
    links = _Lookup(rows, labels[columns])
    fits = (rival >= 0) & (links.count(rival, there) > links.count(end, there))
    return Dropped(pairs, end, rival, fits)


def say_dropped(case: Case, dropped: Dropped) -> str:
    """Say why similar pairs were dropped."""
    n, taken = len(dropped.pairs), dropped.rival >= 0
    if n == 0:
        return "no similar pair has different labels"
    n_taken, n_fits = int(taken.sum()), int(dropped.fits.sum())
    said = []
    if n_taken:
        away = ""
        if case.spots is not None:
            between = case.spots[dropped.end[taken]] - case.spots[dropped.rival[taken]]
            median = float(np.median(np.linalg.norm(between, axis=1)))
            away = f"; it is {median:.1f} pixels away in the median"
        said.append(
            f"{percent(n_taken / n)} because another item of the same group has the place in that "
            f"label, for {n_fits:,} of {n_taken:,} with more similar items there{away}"
        )
    if n_taken < n:
        said.append(f"{percent(1 - n_taken / n)} because too few pairs connect the two labels")
    return case.say("; ".join(said))


def why(case: Case, dropped: Dropped) -> dict[tuple[int, int], str]:
    """Return a sentence for each dropped pair."""
    said = {}
    for pair, rival, fits in zip(
        dropped.pairs.tolist(), dropped.rival.tolist(), dropped.fits.tolist(), strict=True
    ):
        reason = case.say("too few pairs connect the two labels")
        if rival >= 0:
            better = case.say(" with more similar items there") if fits else ""
            reason = f"{case.names[rival]} has the place{better}"
        said[pair[0], pair[1]] = reason
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
