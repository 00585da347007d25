"""Ids of entities that stay from one answer to the next, and what became of those that ended."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.changes.overlap import Overlap
from spherelax.errors import InvalidInputError, shown
from spherelax.io.answers.labelled import Labelled, sheet_of
from spherelax.io.tables.frames import listed
from spherelax.io.words import count

LIVING, ENDED = "living", "ended"
WHOLE = re.compile("0|[1-9][0-9]{0,17}")  # what an id looks like
COLUMNS = ("id", "state", "items", "successor")

# For each id that has ended and each successor: the id, the number of items, the successor.
Ended = tuple[tuple[int, int, int | None], ...]


@dataclass(frozen=True, eq=False)
class Ids:
    """Ids of the entities of an answer, and of all that ended before.

    Attributes
    ----------
    numbers : ndarray of shape (n_items,)
        Id of the entity of each item.
    next_free : int
        The first id that was never used.
    n_kept, n_new, n_ended : int
        How many ids were kept, are new, and have ended since the answer before.

    Examples
    --------
    >>> import spherelax as sl
    >>> ids = sl.keep_ids([0, 0, 1], [0, 0, 0, 1])
    >>> ids.numbers, ids.next_free
    (array([0, 0, 0, 2]), 3)
    >>> ids.register()["successor"]
    [None, None, 0]
    """

    numbers: NDArray[np.int64]
    next_free: int
    n_kept: int = 0
    n_new: int = 0
    n_ended: int = 0
    _answer: Labelled = field(repr=False, kw_only=True)
    _ended: Ended = field(default=(), repr=False, kw_only=True)

    def register(self) -> dict[str, list[Any]]:
        """Return all ids that were ever given, as columns: id, state, items, successor.

        A living id has one row with its number of items. An id that has ended has a row for each id
        that took over some of its items when it ended, with their number; the successor is None
        for items that were gone.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.keep_ids([0, 0, 1], [0, 0]).register()["state"]
        ['living', 'ended']
        """
        living = np.column_stack(np.unique(self.numbers, return_counts=True)).tolist()
        rows = [
            *((number, LIVING, n, None) for number, n in living),
            *((number, ENDED, n, successor) for number, n, successor in self._ended),
        ]
        return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def __str__(self) -> str:
        return say_ids(self.n_kept, self.n_new, self.n_ended, self.next_free)


def say_ids(n_kept: int, n_new: int, n_ended: int, next_free: int) -> str:
    """Return what became of ids as text.

    Examples
    --------
    >>> say_ids(3, 1, 0, 4)
    '3 ids kept, 1 new, 0 ended; the next one is 4'
    """
    return (
        f"{count(n_kept, 'id')} kept, {n_new:,} new, {n_ended:,} ended; "
        f"the next one is {next_free:,}"
    )


def keep_ids(before: Any, after: Any, *, register: Any = None) -> Ids:
    """Give the entities of an answer the ids of those of an earlier one.

    An entity keeps an id if it shares items with the entity that had it. Each id is kept by one
    entity at most, and each entity keeps one at most, so that as many items as possible stay under
    their id: a linear assignment. Other entities get ids that were never used before. The ids
    depend on the items of entities alone, not on their order or on labels.

    Parameters
    ----------
    before : Ids, or an answer as in :func:`diff`
        The earlier answer. Its labels are the ids: whole numbers.
    after : an answer as in :func:`diff`
        The new answer.
    register : table or file, optional
        What :meth:`Ids.register` returned for the answer before, so that no id of it is used again.
        None: if ``before`` is a file, such as ``june.csv``, and there is a file ``june.ids.csv``
        beside it, that; else no id has ended yet.

    Returns
    -------
    Ids
        The id of each item's entity, and the register of all ids.

    Raises
    ------
    InvalidInputError
        If an earlier label is no whole number, or the register is not that of ``before``.

    Examples
    --------
    >>> import spherelax as sl
    >>> june = {"id": ["ann", "anna", "bob"], "entity": [4, 4, 7]}
    >>> july = {"id": ["bob", "cem", "ann", "anna"], "entity": [0, 1, 2, 2]}
    >>> sl.keep_ids(june, july).numbers
    array([7, 8, 4, 4])
    """
    earlier = before if isinstance(before, Ids) else _read(before, register)
    new = Labelled.of(after, "after")
    overlap = Overlap.of(replace(earlier._answer, labels=earlier.numbers.tolist()), new)
    given = give_ids(overlap, earlier.next_free)
    return Ids(
        given.numbers[overlap.of_items],
        given.next_free,
        given.n_kept,
        given.n_new,
        given.n_ended,
        _answer=new,
        _ended=(*earlier._ended, *given.ended),
    )


class Given(NamedTuple):
    """Ids of the entities of an answer.

    Attributes
    ----------
    numbers : ndarray of shape (n_entities,)
        Id of each entity.
    next_free, n_kept, n_new, n_ended : int
        Those of `Ids`.
    ended : tuple
        The ids that have ended with this answer: the id, the number of items, and the successor.
    """

    numbers: NDArray[np.int64]
    next_free: int
    n_kept: int
    n_new: int
    n_ended: int
    ended: Ended


def give_ids(overlap: Overlap, next_free: int) -> Given:
    """Give entities the ids of those that they overlap with, whose labels these are.

    Examples
    --------
    >>> overlap = Overlap.of(Labelled.of([4, 4, 7]), Labelled.of([0, 0, 0, 1]))
    >>> give_ids(overlap, 8).numbers, give_ids(overlap, 8).ended
    (array([4, 8]), ((7, 1, 4),))
    """
    successor = overlap.successors()
    number = np.full(len(overlap.labels_after), -1, dtype=np.int64)
    old = np.array(overlap.labels_before, dtype=np.int64)
    is_kept = successor >= 0
    number[successor[is_kept]] = old[is_kept]
    free = np.flatnonzero(number < 0)
    number[free] = next_free + np.arange(len(free))
    leaves = (overlap.before >= 0) & ~is_kept[overlap.before]
    flows = np.column_stack([overlap.before, overlap.after, overlap.n_items])[leaves].tolist()
    ended = [(int(old[a]), n, None if b < 0 else int(number[b])) for a, b, n in flows]
    return Given(
        number,
        next_free + len(free),
        int(is_kept.sum()),
        len(free),
        int((~is_kept).sum()),
        tuple(sorted(ended, key=itemgetter(0))),
    )


def register_beside(path: str | Path) -> Path:
    """Return the file of the register that belongs to a file of an answer.

    Examples
    --------
    >>> register_beside("june.csv").name
    'june.ids.csv'
    """
    path = Path(path)
    return path.with_suffix(f".ids{path.suffix}")


def _read(before: Any, register: Any) -> Ids:
    """Read an earlier answer, and the register of its ids if there is one."""
    answer = Labelled.of(before, "before")
    numbers = np.array([_read_whole(label, answer.word) for label in answer.labels], dtype=np.int64)
    if register is None and isinstance(before, str | Path) and register_beside(before).exists():
        register = register_beside(before)
    ended: Ended = ()
    last = int(numbers.max())
    if register is not None:
        ended = _read_ended(register, set(numbers.tolist()))
        last = max([last, *(number for number, _, _ in ended)])
    return Ids(numbers, last + 1, _answer=answer, _ended=ended)


def _read_ended(register: Any, living: set[int]) -> Ended:
    """Read the ids that have ended; refuse the register of another answer."""
    sheet = sheet_of(register, "a register of ids")
    if not set(COLUMNS) <= sheet.columns.keys():
        raise InvalidInputError(
            f"{sheet.name}: a register of ids must have the columns {', '.join(COLUMNS)}; "
            f"found {listed(sheet.columns)}"
        )
    rows = list(zip(*map(sheet.values, COLUMNS), strict=True))
    known = {_read_whole(number, "id") for number, state, _, _ in rows if state == LIVING}
    if known != living:
        odd = min(known ^ living)
        raise InvalidInputError(
            f"{sheet.name}: must be the register of the earlier answer; id {odd} is "
            f"{'not in that' if odd in known else 'in that only'}"
        )
    return tuple(
        (
            _read_whole(number, "id"),
            _read_whole(n, "items"),
            None if successor is None else _read_whole(successor, "successor"),
        )
        for number, state, n, successor in rows
        if state == ENDED
    )


def _read_whole(label: object, word: str) -> int:
    """Return a label as a whole number; refuse others."""
    said = str(label)
    if not WHOLE.fullmatch(said):
        raise InvalidInputError(
            f"ids to keep must be whole numbers from 0; found {word} {shown(label)}"
        )
    return int(said)
