"""Judgements of records: read with the numbers that records have, and those of some records."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.io.files.faults import about
from spherelax.io.readers.judgements import VERDICT, judged_columns, read_verdicts, settle
from spherelax.io.readers.pairs import Records, present
from spherelax.io.tables.frames import Sheet
from spherelax.judgements import Judgements
from spherelax.scale.shards import FREE, codes_of
from spherelax.scale.workspace import Workspace


def digest(sheet: Sheet) -> str:
    """Return what tells judgements from others, whatever their file is called.

    Examples
    --------
    >>> one, other = ({"id_a": ["x"], "verdict": [verdict]} for verdict in ("same", "different"))
    >>> digest(Sheet("a.csv", one, None)) == digest(Sheet("b.csv", one, None))
    True
    >>> digest(Sheet("a.csv", one, None)) == digest(Sheet("a.csv", other, None))
    False
    """
    columns = {name: list(map(str, sheet.values(name))) for name in sheet.columns}
    return sha256(json.dumps(columns).encode()).hexdigest()


def number_judgements(
    work: Workspace,
    sheet: Sheet,
    key: Sequence[str],
    duplicate_free_sources: Sequence[Hashable],
    contradictions: str,
) -> Judgements:
    """Return judgements by the numbers of records, which are the rows of the table ``items``.

    Only the records that are judged are read into memory.

    Raises
    ------
    InvalidInputError
        If a record is not known, or judgements contradict each other and shall not be dropped.
    """
    columns = judged_columns(sheet, _records(key, []))
    present(sheet, [*columns, VERDICT])
    cells = [list(map(str, sheet.values(name))) for name in columns]
    ends = [one + other for one, other in zip(cells[: len(key)], cells[len(key) :], strict=True)]
    work.drop("judged")
    work.insert("judged", **dict(zip(key, map(np.array, ends), strict=True)))
    same = " AND ".join(f"items.{name}::VARCHAR = judged.{name}" for name in key)
    named = ", ".join(f"items.{name}" for name in key)
    query = f"SELECT DISTINCT items.rowid, {named} FROM items JOIN judged ON {same} ORDER BY 1"
    found = work.rows(query)
    numbers = np.array([row[0] for row in found], dtype=np.intp)
    records = _records(key, [row[1:] for row in found])
    judged = Judgements.of(read_verdicts(sheet, records))
    groups = _groups(records.sources or [], duplicate_free_sources)
    with about(sheet.name):
        judged = settle(judged, records, groups, contradictions)
    return replace(judged, pairs=numbers[judged.pairs])


def judgements_among(judged: Judgements, numbers: NDArray[np.int64]) -> Judgements:
    """Return the judgements of items with some numbers, which rise, by the places of these.

    Examples
    --------
    >>> judged = Judgements.of([(3, 9, "same"), (3, 4, "different")])
    >>> judgements_among(judged, np.array([3, 8, 9])).pairs
    array([[0, 2]])
    """
    place = np.searchsorted(numbers, judged.pairs).clip(max=len(numbers) - 1)
    is_here = np.asarray((numbers[place] == judged.pairs).all(axis=1))
    return replace(judged, pairs=place).among(is_here)


def _records(key: Sequence[str], rows: Sequence[Sequence[object]]) -> Records:
    """Return records without similarities, by rows of their keys."""
    sources = [row[0] for row in rows] if len(key) > 1 else None
    return Records(sp.csr_array((len(rows),) * 2), [row[-1] for row in rows], sources=sources)


def _groups(
    sources: Sequence[Hashable], duplicate_free_sources: Sequence[Hashable]
) -> NDArray[np.int32] | None:
    """Return the groups of records as a problem has them."""
    place = {source: at for at, source in enumerate(duplicate_free_sources)}
    return codes_of(np.array([place.get(each, FREE) for each in sources], dtype=np.int32))
