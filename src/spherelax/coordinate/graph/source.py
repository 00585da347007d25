"""Copies of the similarities of a problem, in another order of the items, compiled.

Left out are similarities of an item with itself, inside a group, and too small to count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.machine.prefetch import AHEAD, prefetch

# Entries of the similarity that are read, or ranked, together; so that it takes little memory.
BLOCK_ENTRIES = 1 << 15


class Source(NamedTuple):
    """Similarities as they were given, and what they are divided by."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.integer]
    data: NDArray[np.floating]
    scale: float
    faint: float  # similarities up to this one, after division, are left out
    most: float  # those above this one count as it: an item that is new may have any


class Rows(NamedTuple):
    """Similarities of items in some order: CSR, and the group of each item.

    ``group`` is empty if there are no groups.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    group: NDArray[np.int32]


class Target(NamedTuple):
    """The order of a copy, and room for its similarities."""

    given: NDArray[np.int32]  # the number that each item has in the source
    place: NDArray[np.int32]  # the number in the copy of each item of the source
    group: NDArray[np.int32]  # in the order of the copy; empty if there are no groups
    indices: NDArray[np.int32]
    values: NDArray[np.float32]


@compiled
def copy_rows(source, target, indptr, n_entries):
    """Copy the rows in the order of a target, which has room for all similarities.

    Writes where they end into ``indptr``, and adds to ``n_entries`` how many rows have an item.
    """
    given, place, group = target.given, target.place, target.group
    indices, values = target.indices, target.values
    row_ptr, columns, at = source.indptr, source.indices, np.uint64(0)
    for i in range(len(given)):
        _look_ahead(i, source, target, n_entries)
        row = given[i]
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + 1])):
            j = np.uint64(place[np.uint64(columns[e])])
            indices[at], values[at] = j, _value(source, e)
            is_kept = _is_kept(source, np.uint64(i), j, values[at], group)
            n_entries[j] += is_kept
            at += np.uint64(is_kept)
        indptr[i + 1] = at


@compiled
def enter_columns(source, target, ends):
    """Enter the rows in the order of a target as columns, each similarity at the end of its column.

    So the neighbours of each item come in order.
    """
    given, place, group = target.given, target.place, target.group
    indices, values = target.indices, target.values
    row_ptr, columns = source.indptr, source.indices
    for i in range(len(given)):
        _look_ahead(i, source, target, ends)
        row = given[i]
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + 1])):
            j, value = np.uint64(place[np.uint64(columns[e])]), _value(source, e)
            if _is_kept(source, np.uint64(i), j, value, group):
                at = np.uint64(ends[j])
                indices[at], values[at] = i, value
                ends[j] = at + np.uint64(1)


@compiled
def _look_ahead(i, source, target, of_columns):
    """Fetch what the rows of a target after the i-th need, and what is kept of their columns."""
    given, place, group = target.given, target.place, target.group
    row_ptr, columns, data, last = source.indptr, source.indices, source.data, len(given) - 1
    prefetch(row_ptr, given[min(i + 3 * AHEAD, last)])
    row = given[min(i + 2 * AHEAD, last)]
    prefetch(columns, row_ptr[row])
    prefetch(data, row_ptr[row])
    row = given[min(i + AHEAD, last)]
    for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + 1])):
        j = np.uint64(place[np.uint64(columns[e])])
        prefetch(of_columns, j)
        prefetch(group, j)


@compiled
def _value(source, e):
    """Return a similarity in the unit of the copy."""
    return np.float32(min(source.data[e], source.most) / source.scale)


@compiled
def _is_kept(source, i, j, value, group):
    """Tell whether the similarity of items i and j counts."""
    is_kept = (i != j) & (abs(value) > source.faint)
    if len(group) > 0:
        is_kept &= group[i] != group[j]
    return is_kept
