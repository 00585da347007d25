"""What has become of the entities of one answer in another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.changes.overlap import Codes, Overlap
from spherelax.changes.page import page
from spherelax.io.answers.labelled import Labelled
from spherelax.io.words import count
from spherelax.result.frames import make_frame

# What may become of entities, in the order of tables.
KINDS = ("kept", "grown", "shrunk", "renewed", "merged", "split", "moved", "new", "gone")


class Count(NamedTuple):
    """How many changes of a kind there are, and what they are about.

    Attributes
    ----------
    changes : int
        Number of changes: sets of entities that share items.
    before, after : int
        Number of their entities in both answers.
    items : int
        Number of items, of both answers together.

    Examples
    --------
    >>> import spherelax as sl
    >>> sl.diff([0, 0, 1], [0, 0, 0]).counts()["merged"]
    Count(changes=1, before=2, after=1, items=3)
    """

    changes: int
    before: int
    after: int
    items: int


@dataclass(frozen=True, eq=False)
class Diff:
    """What has become of every entity: a row for each flow of items from one to another.

    Attributes
    ----------
    n_items_before, n_items_after : int
        Number of items of both answers.
    n_before, n_after : int
        Number of their entities.

    Examples
    --------
    >>> import spherelax as sl
    >>> print(sl.diff([0, 0, 1, 2], [0, 0, 0, 1, 1]))
    3 labels of 4 items before, 2 labels of 5 items after
               changes    before     after     items
    grown            1         1         1         2
    merged           1         2         1         3
    """

    word: str
    n_items_before: int
    n_items_after: int
    n_before: int
    n_after: int
    _change: Codes = field(repr=False)
    _kind: NDArray[np.intp] = field(repr=False)
    _before: list[Any] = field(repr=False)
    _after: list[Any] = field(repr=False)
    _items: Codes = field(repr=False)

    def columns(self) -> dict[str, list[Any]]:
        """Return a table as columns: change, kind, before, after, items.

        Each item of either answer is counted in one row. Rows with the same number of a change
        belong together. A label before is None for items that are new, and a label after for items
        that are gone.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.diff(["a", "a"], [0, 1]).columns()["after"]
        [0, 1]
        """
        return {
            "change": self._change.tolist(),
            "kind": [KINDS[kind] for kind in self._kind],
            "before": list(self._before),
            "after": list(self._after),
            "items": self._items.tolist(),
        }

    def counts(self) -> dict[str, Count]:
        """Return how many changes of each kind there are; kinds that do not occur are left out.

        Examples
        --------
        >>> import spherelax as sl
        >>> list(sl.diff([0, 0, 1, 1], [0, 1, 1, 0]).counts())
        ['moved']
        """
        found = {}
        for code in np.unique(self._kind).tolist():
            rows = np.flatnonzero(self._kind == code)
            before, after = (
                len({side[row] for row in rows.tolist()} - {None})
                for side in (self._before, self._after)
            )
            n_changes = len(np.unique(self._change[rows]))
            found[KINDS[code]] = Count(n_changes, before, after, int(self._items[rows].sum()))
        return found

    def to_frame(self, like: str = "pandas") -> Any:
        """Return :meth:`columns` as a data frame of pandas, polars or pyarrow.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.diff([0, 0, 1], [0, 0, 1]).to_frame()["kind"].tolist()
        ['kept', 'kept']
        """
        return make_frame(self.columns(), like)

    def html(self, title: str = "What has changed") -> str:
        """Return an HTML page of the changes, the largest first; it needs no other files.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.diff([0, 0, 1], [0, 0, 0]).html().splitlines()[0]
        '<!DOCTYPE html>'
        """
        return page(self, title)

    def said(self) -> str:
        """Say how many entities of how many items both answers have."""
        sides = (
            (self.n_before, self.n_items_before, "before"),
            (self.n_after, self.n_items_after, "after"),
        )
        return ", ".join(
            f"{count(n, self.word)} of {count(m, 'item')} {when}" for n, m, when in sides
        )

    def __str__(self) -> str:
        lines = [self.said(), f"{'':<8}" + "".join(f"{head:>10}" for head in Count._fields)]
        for kind, numbers in self.counts().items():
            lines.append(f"{kind:<8}" + "".join(f"{number:>10,}" for number in numbers))
        return "\n".join(lines)


def diff(before: Any, after: Any) -> Diff:
    """Compare two answers: which entities are kept, grown, merged, split, and so on.

    Entities that share items, directly or through others, are one change. Its kind:

    ========  ==================================================================
    kept      one entity, with the same items
    grown     one entity, with its items and new ones
    shrunk    one entity, without items that are gone
    renewed   one entity; some of its items are gone, and others are new
    merged    several entities have become one
    split     one entity has become several
    moved     several entities have exchanged items
    new       an entity of new items
    gone      an entity whose items are all gone
    ========  ==================================================================

    Parameters
    ----------
    before, after : Result, sequence of labels, table or file
        The answers. Items of a result or of labels are known by their number. A table (of pandas,
        polars, Arrow or DuckDB, or a dictionary of columns such as ``items.answer(result)``) and a
        file (``.csv``, ``.tsv``, ``.txt``, ``.parquet``, or a result saved as ``.npz``) have the
        columns that the command line writes: ``source`` and ``id``, ``id``, ``item``, or ``image``
        and ``keypoint``; and ``entity``, ``label`` or ``track``. Names of labels do not matter.

    Returns
    -------
    Diff
        A table; as text with ``print``, and as a page.

    Raises
    ------
    InvalidInputError
        If an item is listed twice, or columns are missing.

    Examples
    --------
    >>> import spherelax as sl
    >>> before = {"id": ["ann", "anna", "bob"], "entity": [0, 0, 1]}
    >>> after = {"id": ["bob", "rob", "ann", "anna"], "entity": [0, 0, 1, 1]}
    >>> sl.diff(before, after).columns()["kind"]
    ['kept', 'grown', 'grown']
    """
    old, new = Labelled.of(before, "before"), Labelled.of(after, "after")
    overlap = Overlap.of(old, new)
    change = overlap.components()
    kind = _kinds(overlap, change)[change]
    n_items = np.bincount(change, overlap.n_items)[change]
    # Flows are in order of their entities, and so are changes.
    order = np.lexsort((_first(overlap, change)[change], -n_items, kind))
    labels_before, labels_after = (
        [None if code < 0 else labels[code] for code in codes[order].tolist()]
        for codes, labels in (
            (overlap.before, overlap.labels_before),
            (overlap.after, overlap.labels_after),
        )
    )
    starts = np.r_[True, np.diff(change[order]) != 0]
    return Diff(
        new.word,
        len(old.labels),
        len(new.labels),
        len(overlap.labels_before),
        len(overlap.labels_after),
        np.cumsum(starts) - 1,
        kind[order],
        labels_before,
        labels_after,
        overlap.n_items[order],
    )


def _kinds(overlap: Overlap, change: Codes) -> Codes:
    """Return the kind of each change, as its place in `KINDS`."""
    n = int(change.max()) + 1
    n_before = np.bincount(_change_of(overlap.before, change), minlength=n)
    n_after = np.bincount(_change_of(overlap.after, change), minlength=n)
    has_new = np.bincount(change, overlap.before < 0, n) > 0
    has_gone = np.bincount(change, overlap.after < 0, n) > 0
    return np.select(
        [
            n_before == 0,
            n_after == 0,
            (n_before > 1) & (n_after > 1),
            n_before > 1,
            n_after > 1,
            has_new & has_gone,
            has_new,
            has_gone,
        ],
        [KINDS.index(name) for name in
         ("new", "gone", "moved", "merged", "split", "renewed", "grown", "shrunk")],
        KINDS.index("kept"),
    )  # fmt: skip


def _change_of(codes: Codes, change: Codes) -> Codes:
    """Return the change of each entity of one answer."""
    found, first = np.unique(codes, return_index=True)
    return change[first[found >= 0]]


def _first(overlap: Overlap, change: Codes) -> Codes:
    """Return where each change stands by its entities: those before first, then new ones."""
    n_old = len(overlap.labels_before)
    entity = np.where(overlap.before >= 0, overlap.before, n_old + overlap.after)
    first = np.full(int(change.max()) + 1, len(entity) + n_old)
    np.minimum.at(first, change, entity)
    return first
