"""Judgements: pairs of items that somebody knows to be the same thing, or to be different things.

Judgements contradict each other if following those of the same thing leads from one item to another
that it is said to differ from, or that is in the same group. The smallest set of judgements that
cannot all hold is what a person can check, so it is what a message names.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from spherelax.errors import InvalidInputError, shown
from spherelax.labels import Labels

# What a verdict may be, in any case of letters; None: the judge cannot tell, and nothing follows.
VERDICTS: dict[object, bool | None] = {
    **dict.fromkeys(("same", "match", "yes", "true", "1", "1.0"), True),
    **dict.fromkeys(("different", "distinct", "no match", "no", "false", "0", "0.0"), False),
    **dict.fromkeys(("cannot tell", "unsure", "unknown", "none", "nan", ""), None),
}
WORDS = {True: "same", False: "different", None: "cannot tell"}  # how a verdict is written
UNSURE = 0.5  # who is not surer than that says nothing
MOST_NAMED = 6  # judgements of a contradiction that a message names


class Contradiction(NamedTuple):
    """Judgements that cannot all hold.

    Attributes
    ----------
    rows : list of int
        The judgements, a path of those of the same thing; the last one may be of different things.
    ends : tuple of two ints
        The items at both ends of the path.
    in_group : bool
        Whether the ends are of one group, rather than judged to be different.
    """

    rows: list[int]
    ends: tuple[int, int]
    in_group: bool


@dataclass(frozen=True, eq=False)
class Judgements:
    """Pairs that are known to be the same thing, or different things, in the order of their giving.

    Attributes
    ----------
    pairs : ndarray of shape (n_judgements, 2)
        The two items of each pair, by their numbers.
    same : ndarray of shape (n_judgements,)
        Whether they are the same thing.
    sure : ndarray of shape (n_judgements,)
        How likely the judge is right, above 0.5; what has 1 is kept without exception.

    Examples
    --------
    >>> import spherelax as sl
    >>> judged = sl.Judgements.of([(0, 1, "same"), (1, 2, "different"), (0, 3, "cannot tell")])
    >>> judged.pairs.tolist(), judged.same.tolist()
    ([[0, 1], [1, 2]], [True, False])
    >>> import numpy as np
    >>> W = np.kron(np.eye(2), np.ones((4, 4)))
    >>> sl.solve(W, judgements=judged).labels
    array([0, 0, 1, 0, 2, 2, 2, 2], dtype=int32)
    """

    pairs: NDArray[np.intp]
    same: NDArray[np.bool_]
    sure: NDArray[np.float64]

    @classmethod
    def of(cls, given: object) -> Judgements:
        """Return judgements from rows of two items, a verdict and, if it may be wrong, how sure.

        Items are named by their numbers. A verdict is "same", "different" or "cannot tell", or
        True, False or None. Who cannot tell, or is sure with a probability of 0.5 or less, says
        nothing. Without a probability, the verdict is kept without exception.

        Raises
        ------
        InvalidInputError
            If a row is something else, a verdict is unknown, or an item is judged with itself.
        """
        if isinstance(given, Judgements):
            return given
        rows = [] if given is None else [_read_row(row) for row in _listed(given)]
        known = [row for row in rows if row[2] is not None and row[3] > UNSURE]
        pairs = np.array([row[:2] for row in known], dtype=np.intp).reshape(-1, 2)
        same = np.array([row[2] for row in known], dtype=np.bool_)
        return cls(pairs, same, np.array([row[3] for row in known], dtype=float))

    def __len__(self) -> int:
        """Return the number of judgements."""
        return len(self.same)

    def check(
        self,
        n_items: int,
        groups: NDArray[np.integer] | None,
        names: Sequence[str] | None = None,
    ) -> None:
        """Refuse judgements of unknown items, and those that contradict each other.

        ``groups`` is the group of each item; ``names`` are used in messages.
        """
        if len(self) and not 0 <= self.pairs.min() <= self.pairs.max() < n_items:
            wrong = self.pairs[(self.pairs < 0) | (self.pairs >= n_items)][0]
            raise InvalidInputError(
                f"judgements must be of items 0 to {n_items - 1}; found item {wrong}"
            )
        found = self.find_contradiction(groups)
        if found is not None:
            raise InvalidInputError(self._say(found, names))

    def find_contradiction(self, groups: NDArray[np.integer] | None = None) -> Contradiction | None:
        """Return the smallest set of judgements that cannot all hold; None: all can.

        Examples
        --------
        >>> judged = Judgements.of([(0, 1, True), (5, 6, True), (1, 2, True), (0, 2, False)])
        >>> judged.find_contradiction().rows
        [0, 2, 3]
        """
        walls = self.same & (self.sure == 1.0)
        near = defaultdict(list)
        for at in np.flatnonzero(walls).tolist():
            one, other = self.pairs[at].tolist()
            near[one].append((other, at))
            near[other].append((one, at))
        best: Contradiction | None = None
        for a, b, row in self._clashes(groups):
            path = _shortest(near, a, b)
            rows = path if row is None else [*path, row]
            if best is None or len(rows) < len(best.rows):
                best = Contradiction(rows, (a, b), row is None)
        return best

    def without_contradictions(self, groups: NDArray[np.integer] | None = None) -> Judgements:
        """Return judgements that can all hold: later answers correct earlier ones.

        As long as some cannot all hold, the one that was given first is dropped from the smallest
        set of them.

        Examples
        --------
        >>> judged = Judgements.of([(0, 1, True), (1, 2, True), (0, 2, False)])
        >>> judged.without_contradictions().pairs.tolist()
        [[1, 2], [0, 2]]
        """
        left = self
        while (found := left.find_contradiction(groups)) is not None:
            kept = np.arange(len(left)) != min(found.rows)
            left = left.among(kept)
        return left

    def among(self, kept: NDArray[np.bool_]) -> Judgements:
        """Return some of the judgements.

        Examples
        --------
        >>> judged = Judgements.of([(0, 1, True), (1, 2, False, 0.9)])
        >>> judged.among(judged.sure < 1).pairs
        array([[1, 2]])
        """
        return Judgements(self.pairs[kept], self.same[kept], self.sure[kept])

    def moved(self, places: NDArray[np.integer]) -> Judgements:
        """Return judgements of items that have other numbers; those of items below 0 are left out.

        Examples
        --------
        >>> Judgements.of([(0, 1, True), (1, 2, True)]).moved(np.array([5, 3, -1])).pairs
        array([[5, 3]])
        """
        pairs = places[self.pairs].astype(np.intp).reshape(-1, 2)
        return replace(self, pairs=pairs).among(pairs.min(axis=1, initial=0) >= 0)

    def corrected(self, later: Judgements) -> Judgements:
        """Return all judgements; of pairs that were judged again, the later ones.

        Examples
        --------
        >>> judged = Judgements.of([(0, 1, True), (1, 2, True)])
        >>> judged.corrected(Judgements.of([(1, 0, False)])).same
        array([ True, False])
        """
        again = {*map(frozenset, later.pairs.tolist())}
        left = self.among(np.array([{*pair} not in again for pair in self.pairs.tolist()], bool))
        return left.with_more(later)

    def with_more(self, later: Judgements) -> Judgements:
        """Return these judgements, and later ones after them.

        Examples
        --------
        >>> judged = Judgements.of([(0, 1, True)]).with_more(Judgements.of([(1, 2, False)]))
        >>> judged.pairs.tolist(), judged.same.tolist()
        ([[0, 1], [1, 2]], [True, False])
        """
        return Judgements(
            np.concatenate([self.pairs, later.pairs]),
            np.concatenate([self.same, later.same]),
            np.concatenate([self.sure, later.sure]),
        )

    def clumps(self, n_items: int | None = None) -> Labels:
        """Return a number for each item, the same for those that are judged to be the same thing.

        Examples
        --------
        >>> Judgements.of([(0, 2, True), (1, 2, False)]).clumps()
        array([0, 1, 0], dtype=int32)
        """
        n = int(self.pairs.max(initial=-1)) + 1 if n_items is None else n_items
        a, b = self.pairs[self.same & (self.sure == 1.0)].T
        joined = sp.coo_array((np.ones(len(a)), (a, b)), shape=(n, n))
        return np.asarray(connected_components(joined, directed=False)[1])

    def _clashes(self, groups: NDArray[np.integer] | None) -> Iterator[tuple[int, int, int | None]]:
        """Yield pairs in one clump that differ, and the judgement; None: groups say so."""
        clumps, walls, (one, other) = self.clumps(), self.sure == 1.0, self.pairs.T
        for row in np.flatnonzero(walls & ~self.same & (clumps[one] == clumps[other])).tolist():
            yield int(one[row]), int(other[row]), row
        if groups is None:
            return
        judged = np.unique(self.pairs[self.same & walls])
        seen: dict[tuple[int, int], list[int]] = defaultdict(list)
        for item in judged.tolist():
            mates = seen[int(clumps[item]), int(groups[item])]
            yield from ((mate, item, None) for mate in mates)
            mates.append(item)

    def _say(self, found: Contradiction, names: Sequence[str] | None) -> str:
        """Return the sentence about a contradiction."""

        def name(item: int) -> str:
            return f"item {item}" if names is None else names[item]

        said = []
        for row in found.rows:
            a, b = self.pairs[row].tolist()
            said.append(f"{name(a)} {'=' if self.same[row] else '≠'} {name(b)}")
        shown_rows = said[:MOST_NAMED] + (["..."] if len(said) > MOST_NAMED else [])
        reason = ""
        if found.in_group:
            a, b = found.ends
            reason = f"; {name(a)} and {name(b)} are of one group, which holds a thing once"
        return f"judgements must not contradict each other; found {', '.join(shown_rows)}{reason}"


def read_verdict(value: object) -> bool | None:
    """Return whether a verdict says "the same"; None: it says nothing.

    Examples
    --------
    >>> read_verdict("Different"), read_verdict(1), read_verdict("cannot tell")
    (False, True, None)
    """
    text = str(value).strip().lower()
    if text not in VERDICTS:
        raise InvalidInputError(
            f"a verdict must be same, different or cannot tell; found {shown(value)}"
        )
    return VERDICTS[text]


def _listed(given: Any) -> Iterable[Any]:
    """Return what can be gone through row by row; refuse anything else."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInputError(
            f"judgements must be rows of two items and a verdict; found {shown(given)}"
        )
    return given


def _read_row(row: Any) -> tuple[int, int, bool | None, float]:
    """Return the items, the verdict and how sure it is; refuse anything else."""
    try:
        a, b, verdict, *rest = row
        one, other, (sure,) = index(a), index(b), [float(p) for p in rest] or [1.0]
    except (TypeError, ValueError):
        raise InvalidInputError(
            "judgements must be rows of two items, a verdict and, if any, how sure it is; "
            f"found {shown(row)}"
        ) from None
    if one == other:
        raise InvalidInputError(f"judgements must be of two items; found item {one} twice")
    if not 0.0 <= sure <= 1.0:
        raise InvalidInputError(f"a verdict must be sure with a probability; found {sure}")
    return one, other, read_verdict(verdict), sure


def _shortest(near: dict[int, list[tuple[int, int]]], start: int, end: int) -> list[int]:
    """Return the rows of a shortest path of judgements of the same thing."""
    came: dict[int, tuple[int, int]] = {start: (start, -1)}
    queue = deque([start])
    while end not in came:
        item = queue.popleft()
        for other, row in near[item]:
            if other not in came:
                came[other] = item, row
                queue.append(other)
    rows, at = [], end
    while at != start:
        at, row = came[at]
        rows.append(row)
    return rows[::-1]
