"""Tables of edges and of groups. ``rows.py`` splits text files into rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.source import File, Source
from spherelax.io.items import Items
from spherelax.io.tables.arrays import read_vector
from spherelax.io.tables.columnar import number_keys, numbers, split_columns
from spherelax.io.tables.rows import Table, has_edge_header, has_group_header, is_number, read_table

WIDTHS = (2, 3)


def read_edges(file: File, *, kind: str = "graph") -> Items:
    r"""Read a table of edges: ``item_a, item_b`` or ``item_a, item_b, similarity``.

    Ids are text and are not changed. Items are in order of first appearance. Without a third
    column every similarity is 1. If an edge is listed more than once, in one or both directions,
    its largest similarity counts.

    Parameters
    ----------
    file : str, Path or Source
        ``.csv``, ``.tsv`` or ``.txt``.
    kind : {"graph", "pairs", "odds", "information"}
        What the similarities are, as in :func:`spherelax.solve`; only "odds" may be negative.

    Returns
    -------
    Items
        With a symmetric CSR similarity.

    Raises
    ------
    InvalidInputError
        At the first fault, with file, row and reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text("anna,ann,0.9\nann,anna,0.7\nann,bob,0.1\n")
    ...     items = read_edges(path)
    >>> items.ids, items.similarity.toarray()[0]
    (['anna', 'ann', 'bob'], array([0. , 0.9, 0. ]))
    """
    source, is_signed = Source.of(file), kind == "odds"
    edges = _large_edges(source, is_signed=is_signed) or _edges(source, is_signed=is_signed)
    W = largest_of_each_pair(edges.first, edges.second, edges.values, len(edges.ids))
    return Items(W, edges.ids, kind=kind)


def read_groups(file: File, items: Items) -> Items:
    r"""Read the group of each item and return the items with their groups.

    A file with one column, or a ``.npy``, has one group per item of a matrix, in order. A table
    with two columns, ``item, group``, names the items; those of a matrix are numbered from 0.
    Items that are in this table but not in an edge table are added; they are similar to no other.

    Parameters
    ----------
    file : str, Path or Source
        ``.csv``, ``.tsv``, ``.txt`` or ``.npy``.
    items : Items
        What :func:`read` returned.

    Returns
    -------
    Items
        The same items with groups and, possibly, more items.

    Raises
    ------
    InvalidInputError
        At the first fault, with file, row and reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "groups.csv")
    ...     _ = path.write_text("item,group\nann,one\nbob,two\neve,two\n")
    ...     items = read_groups(path, Items(sp.eye_array(2).tocsr(), ["ann", "bob"]))
    >>> items.ids, items.groups, items.similarity.shape
    (['ann', 'bob', 'eve'], ['one', 'two', 'two'], (3, 3))
    """
    source = Source.of(file)
    if source.ending == ".npy":
        groups = read_vector(source.path).astype(np.str_).tolist()
        return _in_order(source, items, groups)
    table = read_table(source, "a file of groups", (1, 2), has_group_header)
    _refuse_empty(table, "item and group must not be empty", table.columns)
    if len(table.columns) == 1:
        return _in_order(source, items, table.columns[0])
    return _by_name(table, items)


class _Edges(NamedTuple):
    """The ids of all items, and the numbers of both items of each edge, with its similarity."""

    ids: list[str]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    values: NDArray[np.float64]


def _edges(source: Source, *, is_signed: bool) -> _Edges:
    """Read any table of edges; refuse its first fault."""
    table = read_table(source, "an edge table", WIDTHS, has_edge_header)
    _refuse_empty(table, "an item must not be empty", table.columns[:2])
    first, second = table.columns[:2]
    ids = list(dict.fromkeys(chain.from_iterable(zip(first, second, strict=True))))
    code = dict(zip(ids, range(len(ids)), strict=True)).__getitem__
    values = np.ones(len(table.lines))
    if len(table.columns) == 3:
        values = _similarities(table, is_signed=is_signed)
    return _Edges(ids, _mapped(code, first), _mapped(code, second), values)


def _large_edges(source: Source, *, is_signed: bool) -> _Edges | None:
    """Read a large table of edges by Arrow; None if it cannot, or if there is any fault."""
    found = split_columns(source, WIDTHS, has_edge_header, n_integers=2)
    if found is None:
        return None
    columns = found[1]
    numbered = number_keys([columns[:1], columns[1:2]])
    values = numbers(columns[2]) if len(columns) == 3 else np.ones(len(columns[0]))
    if numbered is None or values is None or not _are_legal(values, is_signed=is_signed).all():
        return None
    ids = list(map(str, numbered.names[0]))
    first, second = numbered.places.T
    return None if "" in ids else _Edges(ids, first, second, values)


def _refuse_empty(table: Table, reason: str, columns: list[list[str]]) -> None:
    """Raise at the first empty cell."""
    for column in columns:
        if "" in column:
            raise table.fault(column.index(""), reason)


def _similarities(table: Table, *, is_signed: bool) -> NDArray[np.float64]:
    """Return the numbers of the third column."""
    cells = table.columns[2]
    try:
        values = np.fromiter(map(float, cells), dtype=float, count=len(cells))
    except ValueError:
        row = next(row for row, cell in enumerate(cells) if not is_number(cell))
        reason = f"similarity must be a number; found {shown(cells[row])}"
        raise table.fault(row, reason) from None
    legal = _are_legal(values, is_signed=is_signed)
    if not legal.all():
        row = int(legal.argmin())
        said = "finite" if is_signed else "finite and not negative"
        reason = f"similarity must be {said}; found {shown(cells[row])}"
        raise table.fault(row, reason)
    return values


def _are_legal(values: NDArray[np.float64], *, is_signed: bool) -> NDArray[np.bool_]:
    """Tell which similarities are legal."""
    found: NDArray[np.bool_] = ((values >= 0) | is_signed) & np.isfinite(values)
    return found


def _mapped(code: Callable[[str], int], column: list[str]) -> NDArray[np.intp]:
    """Return the codes of a column."""
    return np.fromiter(map(code, column), dtype=np.intp, count=len(column))


def largest_of_each_pair(
    first: NDArray[np.intp], second: NDArray[np.intp], values: NDArray[np.float64], n_items: int
) -> sp.csr_array:
    """Return the symmetric similarity with the largest value that is listed for each pair."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair = low * np.int64(n_items) + high
    order = np.argsort(pair)
    starts = np.flatnonzero(np.r_[True, np.diff(pair[order]) != 0])
    values = np.maximum.reduceat(values[order], starts)
    small = np.int32 if n_items <= np.iinfo(np.int32).max else np.int64
    low, high = low[order[starts]].astype(small), high[order[starts]].astype(small)
    off = low != high
    # In this order the columns of each row rise.
    rows, columns = np.r_[high[off], low], np.r_[low[off], high]
    return sp.csr_array((np.r_[values[off], values], (rows, columns)), shape=(n_items, n_items))


def _in_order(source: Source, items: Items, groups: list[str]) -> Items:
    """Give the items of a matrix their groups, in order."""
    if items.ids is not None:
        raise InvalidInputError(
            f"{source}: the items of an edge table have names, so their groups must be a table "
            "with two columns, item and group; found one column"
        )
    n_items = items.similarity.shape[0]
    if len(groups) != n_items:
        raise InvalidInputError(
            f"{source}: must have one group per item, {n_items}; found {len(groups)}"
        )
    return items.with_groups(groups)


def _by_name(table: Table, items: Items) -> Items:
    """Give the items their groups by name, and add items that are named by the groups only."""
    groups: dict[str, str | None] = dict.fromkeys(items.names)
    n_known = len(groups)
    for row, (item, group) in enumerate(zip(*table.columns, strict=True)):
        if items.ids is None and item not in groups:
            reason = f"item must be a number from 0 to {n_known - 1}; found {shown(item)}"
            raise table.fault(row, reason)
        if groups.setdefault(item, group) is None:
            groups[item] = group
        elif groups[item] != group:
            before = shown(str(groups[item]))
            reason = f"item {shown(item)} must have one group; found {shown(group)} after {before}"
            raise table.fault(row, reason)
    missing = [item for item, group in groups.items() if group is None]
    if missing:
        others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise InvalidInputError(
            f"{table.source}: must have a group for each item; found none for "
            f"{shown(missing[0])}{others}"
        )
    named = [str(group) for group in groups.values()]
    if len(groups) == n_known:
        return items.with_groups(named)
    similarity = items.similarity.copy()
    similarity.resize(len(groups), len(groups))
    return Items(similarity, list(groups), named, kind=items.kind)
