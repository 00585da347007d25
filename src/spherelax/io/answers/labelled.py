"""Answers that are read back: which item has which label."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.source import File, Source
from spherelax.io.items import Names
from spherelax.io.tables.arrays import read_arrays
from spherelax.io.tables.frames import Sheet, read_sheet
from spherelax.io.tables.frames import listed as listed_names
from spherelax.io.tables.rows import ENDINGS as TEXT
from spherelax.labels import listed
from spherelax.result import Result

# Columns that name an item, and columns of labels: the first that a table has are taken.
KEYS = (
    ("source", "id"),
    ("source_dataset", "unique_id"),
    ("image", "keypoint"),
    *(("item",), ("id",), ("unique_id",)),
)
LABELS = ("entity", "label", "track", "cluster_id")


@dataclass(frozen=True, eq=False)
class Labelled:
    """Items with labels, as an answer in a file or in memory has them.

    Attributes
    ----------
    names : sequence
        Name of each item: its id, or a tuple of its source and id; else its number from 0.
    labels : list
        Label of each item, of any type.
    key : tuple of str
        The columns that name an item.
    word : str
        What a label is called.
    is_text : bool
        Whether the names were read from a text file, which has no types.

    Examples
    --------
    >>> Labelled.of({"id": [7, 8], "entity": [0, 0]}).key
    ('id',)
    """

    names: Sequence[Hashable]
    labels: Names
    key: tuple[str, ...] = ("item",)
    word: str = "label"
    is_text: bool = False

    @classmethod
    def of(cls, source: Any, what: str = "an answer") -> Labelled:
        """Read an answer: a result, labels, columns, a table in memory, or a file.

        Examples
        --------
        >>> Labelled.of([5, 5, 2]).names
        range(0, 3)
        """
        if isinstance(source, Labelled):
            return source
        if isinstance(source, File) and Source.of(source).ending == ".npz":
            arrays = read_arrays(Source.of(source).path, "labels")
            labels = arrays["labels"].tolist()
            ids = arrays.get("ids")
            names = (
                range(len(labels)) if ids is None else _check_once(ids.tolist(), str(source), None)
            )
            return cls(names, labels, is_text=ids is not None and ids.dtype.kind == "U")
        if isinstance(source, Mapping | File) or hasattr(source, "columns"):
            is_text = isinstance(source, File) and Source.of(source).ending in TEXT
            return cls._of_sheet(sheet_of(source, what), is_text)
        labels = listed(source.labels if isinstance(source, Result) else source, what)
        if not labels:
            raise InvalidInputError(f"{what} must have at least one label; found none")
        return cls(range(len(labels)), labels)

    @classmethod
    def _of_sheet(cls, sheet: Sheet, is_text: bool) -> Labelled:
        """Take names and labels from the columns of a table."""
        key = key_columns(sheet)
        word = label_column(sheet)
        labels = sheet.values(word)
        if None in labels:
            raise sheet.fault(labels.index(None), f"{word} must not be empty")
        names = _check_once(names_in(sheet, key), sheet.name, sheet)
        return cls(names, labels, key, word, is_text)

    def places_of(self, other: Labelled) -> NDArray[np.intp]:
        """Return where the items of another answer are in this one; -1: nowhere.

        Names from a text file have no types, so that they are compared as text.

        Examples
        --------
        >>> Labelled.of({"id": [7, 8], "entity": [0, 0]}).places_of(Labelled.of([0, 0]))
        array([-1, -1])
        """
        if len(self.key) != len(other.key):
            raise InvalidInputError(
                "the answers must name items by the same columns; found "
                f"{', '.join(self.key)} and {', '.join(other.key)}"
            )
        one, two = self.names, other.names
        if self.is_text != other.is_text:
            one, two = list(map(as_text, one)), list(map(as_text, two))
        place = {name: at for at, name in enumerate(one)}
        return np.fromiter((place.get(name, -1) for name in two), dtype=np.intp, count=len(two))


def sheet_of(source: Any, what: str) -> Sheet:
    """Return a table as a sheet: columns by name, a table in memory, or a file."""
    if isinstance(source, Mapping):
        return Sheet(what, {str(name): list(column) for name, column in source.items()}, None)
    return read_sheet(source, what)


def key_columns(sheet: Sheet) -> tuple[str, ...]:
    """Return the columns that name an item; refuse a table that has none."""
    for key in KEYS:
        if {*key} <= sheet.columns.keys():
            return key
    known = "; ".join(map(", ".join, KEYS))
    raise InvalidInputError(
        f"{sheet.name}: items must be named by the columns {known}; "
        f"found {listed_names(sheet.columns)}"
    )


def label_column(sheet: Sheet) -> str:
    """Return the column of labels; refuse a table that has none."""
    for word in LABELS:
        if word in sheet.columns:
            return word
    raise InvalidInputError(
        f"{sheet.name}: must have one of the columns {', '.join(LABELS)}; "
        f"found {listed_names(sheet.columns)}"
    )


def names_in(sheet: Sheet, key: tuple[str, ...]) -> Names:
    """Return the name of the item in each row; refuse empty cells."""
    columns = [sheet.values(name) for name in key]
    for name, column in zip(key, columns, strict=True):
        if None in column:
            raise sheet.fault(column.index(None), f"{name} must not be empty")
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def order_of(names: Sequence[Hashable]) -> NDArray[np.intp]:
    """Return the place of each name when names are sorted; by text if they cannot be compared.

    Examples
    --------
    >>> order_of(["b", "a", 7])
    array([2, 1, 0])
    """
    if isinstance(names, range):
        return np.arange(len(names))
    try:
        by_name = sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        by_name = sorted(range(len(names)), key=lambda at: str(as_text(names[at])))
    place = np.empty(len(names), dtype=np.intp)
    place[by_name] = np.arange(len(names))
    return place


def as_text(name: Hashable) -> Hashable:
    """Return a name as a text file has it.

    Examples
    --------
    >>> as_text(("shop", 7)), as_text(7)
    (('shop', '7'), '7')
    """
    return tuple(map(str, name)) if isinstance(name, tuple) else str(name)


def _check_once(names: Sequence[Hashable], what: str, sheet: Sheet | None) -> Sequence[Hashable]:
    """Return names; refuse one that is listed twice."""
    if len(set(names)) == len(names):
        return names
    first = {name: row for row, name in reversed(list(enumerate(names)))}
    row = next(row for row, name in enumerate(names) if first[name] < row)
    reason = f"items must be listed once; found {shown(names[row])} again"
    raise sheet.fault(row, reason) if sheet else InvalidInputError(f"{what}: {reason}")
