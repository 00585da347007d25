"""From the user's tables to those of a project: pairs, records and judgements, by text ids."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

from spherelax.io.files.source import File
from spherelax.io.items import Columns, Names
from spherelax.io.readers.judgements import SURE, VERDICT, judged_columns, read_judged
from spherelax.io.readers.pairs import (
    ENDS,
    Key,
    Records,
    keys_of_pairs,
    legal_scores,
    read_records,
    read_scored,
)
from spherelax.io.readers.scoring import Scoring, number, quoted
from spherelax.io.tables.frames import Frame
from spherelax.judgements import WORDS, read_verdict
from spherelax.project.tables import RECORD, ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The columns of a judgement beside its pair, and what tables call them.
SAID = {VERDICT: VERDICT, SURE: SURE, "who": "who", "judged_at": "when"}


def insert(db: DuckDBPyConnection, query: str, columns: Mapping[str, Any]) -> list[Any]:
    """Run a statement that has columns as its table ``given``, and return its answer."""
    db.register("given", import_module("pyarrow").table(dict(columns)))
    rows = ask(db, query)
    db.unregister("given")
    return rows


def match(one: str, other: str, columns: Iterable[str]) -> str:
    """Return SQL that says that two tables have the same values; NULL is a value.

    Examples
    --------
    >>> match("items", "given", ["source", "id"])
    'items.source IS NOT DISTINCT FROM given.source AND items.id IS NOT DISTINCT FROM given.id'
    """
    return " AND ".join(f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in columns)


class Scored:
    """Scored pairs of a table, by the text of their records.

    Attributes
    ----------
    column : str
        Name of the column of scores.
    has_sources : bool
        Whether records have sources.
    """

    def __init__(
        self,
        source: Frame | File,
        columns: Mapping[str, str] | Sequence[str] | None,
        kind: str | None,
    ) -> None:
        self.sheet, names = read_scored(source, columns)
        self.column = names[-1]
        self.has_sources = len(names) == len(ENDS) + 1
        self.scores = legal_scores(self.sheet, Scoring.of(self.column, kind)).tolist()
        pairs = keys_of_pairs(self.sheet, names)
        self.pairs = [(as_text(one), as_text(other)) for one, other in pairs]

    def add_records(self, db: DuckDBPyConnection, records: Any, run: int) -> None:
        """Add the records of the pairs or, if there are tables of records, those of the tables."""
        found = dict.fromkeys(chain.from_iterable(self.pairs))
        if records is None:
            _add_items(db, list(found), None, run)
            return
        sources = {source for source, _ in found} if self.has_sources else None
        known, details = read_records(records, sources)
        _add_items(db, [as_text(key) for key in known], details, run)
        listed = set(ask(db, "SELECT source, id FROM items"))
        for row, pair in enumerate(self.pairs):
            for key in pair:
                if key not in listed:
                    said = quoted(*(name for name in key if name is not None))
                    raise self.sheet.fault(row, f"record {said} is not in the table of records")

    def add_pairs(self, db: DuckDBPyConnection, run: int) -> None:
        """Add the pairs: each in one direction, its largest score, which replaces an earlier."""
        ends = zip(*(chain(*sorted(pair, key=str)) for pair in self.pairs), strict=True)
        given = {**dict(zip(ENDS, ends, strict=True)), "score": self.scores}
        insert(db, f"DELETE FROM pairs USING given WHERE {match('pairs', 'given', ENDS)}", given)
        names = ", ".join(ENDS)
        is_pair = "id_a <> id_b OR source_a IS DISTINCT FROM source_b"
        insert(
            db,
            f"INSERT INTO pairs SELECT {names}, max(score), {run} FROM given WHERE {is_pair} "
            f"GROUP BY {names} ORDER BY {names}",
            given,
        )


def add_judgements(
    db: DuckDBPyConnection, source: Frame | File, records: Records, run: int
) -> None:
    """Add judgements that were checked; one that is there already is not added again."""
    sheet = read_judged(source)
    names = judged_columns(sheet, records)
    ends = [list(map(str, sheet.values(name))) for name in names]
    nothing: Names = [None] * len(ends[0])
    if records.sources is None:
        ends = [nothing, ends[0], nothing, ends[1]]
    said = {
        name: sheet.values(given) if given in sheet.columns else nothing
        for name, given in SAID.items()
    }
    said[VERDICT] = [WORDS[read_verdict(value)] for value in said[VERDICT]]
    said[SURE] = [1.0 if value is None else number(value) for value in said[SURE]]
    texts = {name: [_cell_text(value) for value in said[name]] for name in ("who", "judged_at")}
    given = {**dict(zip(ENDS, ends, strict=True)), **said, **texts}
    columns = ", ".join(given)
    insert(
        db,
        f"INSERT INTO judgements SELECT (SELECT coalesce(max(judgement) + 1, 0) FROM judgements) "
        f"+ row_number() OVER (ORDER BY place) - 1, {columns}, {run} "
        f"FROM (SELECT min(place) AS place, {columns} FROM given GROUP BY {columns}) AS given "
        f"ANTI JOIN judgements ON {match('judgements', 'given', given)} ORDER BY place",
        {**given, "place": range(len(nothing))},
    )


def _add_items(db: DuckDBPyConnection, keys: list[Key], details: Columns | None, run: int) -> None:
    """Add records that are not there yet, and what else is known of each."""
    given: dict[str, Sequence[Any]] = {
        **dict(zip(RECORD, zip(*keys, strict=True), strict=True)),
        "details": [None] * len(keys),
        "place": range(len(keys)),
    }
    same = match("items", "given", RECORD)
    if details:
        given["details"] = [
            json.dumps({name: str(cell) for name, cell in row.items() if cell is not None})
            for row in (
                dict(zip(details, cells, strict=True))
                for cells in zip(*details.values(), strict=True)
            )
        ]
        insert(db, f"UPDATE items SET details = given.details FROM given WHERE {same}", given)
    insert(
        db,
        "INSERT INTO items SELECT (SELECT coalesce(max(item) + 1, 0) FROM items) "
        f"+ row_number() OVER (ORDER BY place) - 1, source, id, details, {run} "
        f"FROM given ANTI JOIN items ON {same} ORDER BY place",
        given,
    )


def as_text(key: Key) -> tuple[Hashable, str]:
    """Return the source of a record, None if there are no sources, and its id, as text."""
    *source, name = key
    return (str(source[0]) if source else None), str(name)


def _cell_text(value: object) -> str | None:
    """Return a cell as text."""
    return None if value is None else str(value)
