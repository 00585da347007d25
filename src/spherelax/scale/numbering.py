"""From the user's tables to numbered pairs: items sorted by source and id, each pair once.

The rules are those of :func:`spherelax.io.read_pairs`. DuckDB does the work, in its memory limit;
the tables of the workspace are the state, so that a run that was stopped can go on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.answers.packed import Values
from spherelax.io.readers.judgements import REFUSE, check_contradictions
from spherelax.io.readers.pairs import (
    RECORD,
    named_sources,
    no_sources,
    pair_columns,
    record_columns,
)
from spherelax.io.readers.scoring import Scoring, quoted
from spherelax.io.tables.frames import Sheet
from spherelax.judgements import Judgements
from spherelax.problem import KINDS
from spherelax.scale.components import MANY_ITEMS
from spherelax.scale.judged import digest, number_judgements
from spherelax.scale.origins import Origin, Part, each, name, one_type, scan, text
from spherelax.scale.workspace import WORK, Workspace, clear_shards, reading


@dataclass(frozen=True, eq=False)
class Request:
    """What the user asked for, as in :func:`spherelax.scale.ingest`."""

    pairs: Origin
    records: Origin | None
    columns: Mapping[str, str] | Sequence[str] | None
    duplicate_free_sources: Collection[Hashable] | None
    kind: str | None
    floor: float | None
    max_pairs: int | None = None
    n_shards: int | None = None
    judgements: Sheet | None = None
    contradictions: str = REFUSE

    def __post_init__(self) -> None:
        check_contradictions(self.contradictions)
        if self.kind is not None and self.kind not in KINDS:
            raise InvalidInputError(f"kind must be one of {', '.join(KINDS)}; found {self.kind!r}")
        if self.floor is not None and not isfinite(self.floor):
            raise InvalidInputError(f"floor must be a finite number; found {self.floor}")
        for option, count in (("max_pairs", self.max_pairs), ("n_shards", self.n_shards)):
            if count is not None and count < 1:
                raise InvalidInputError(f"{option} must be at least 1; found {count}")

    @property
    def is_in_files(self) -> bool:
        """Whether everything is in files, so that a later run can tell that nothing has changed."""
        return bool(self.pairs.files and (self.records is None or self.records.files))

    def settings(self) -> Values:
        """Return everything but the files of pairs, as JSON has it."""
        free = self.duplicate_free_sources
        return {
            "table": self.pairs.table,
            "records": None if self.records is None else self.records.contents(),
            "columns": self.columns,
            "duplicate_free_sources": None if free is None else sorted(map(str, free)),
            "kind": self.kind,
            "floor": self.floor,
            "max_pairs": self.max_pairs,
            "n_shards": self.n_shards,
            "judgements": None if self.judgements is None else digest(self.judgements),
            "contradictions": self.contradictions,
        }


@dataclass(frozen=True, eq=False)
class Numbered:
    """What is known when the tables ``items`` and ``pairs`` of a workspace are there.

    Row i of ``items`` has the key of item i: its source, if there are sources, and its id. A row of
    ``pairs`` has two items, ``a < b``, and the largest score that is listed for them.
    ``judgements`` are of items by their numbers.
    """

    key: tuple[str, ...]
    n_items: int
    scoring: Scoring
    duplicate_free_sources: tuple[Hashable, ...]
    judgements: Judgements


@dataclass(frozen=True, eq=False)
class _Tables:
    """The parts of a request, the names and types of the columns of a key, and the scores."""

    pairs: list[Part]
    records: list[Part]
    key: tuple[str, ...]
    types: tuple[str, ...]
    scoring: Scoring


def number(work: Workspace, request: Request, folder: Path) -> Numbered:
    """Make the tables of items and of pairs; go on where an earlier run was stopped."""
    tables = _tables(work, request, folder / WORK)
    _resume(work, request, folder)
    if not work.has("items"):
        _read_keys(work, tables)
        _make_items(work, request, tables)
    n_items = int(work.value("SELECT count(*) FROM items"))
    free = _duplicate_free_sources(work, request) if len(tables.key) == 2 else ()
    judged = Judgements.of(None)
    if request.judgements is not None:
        how = request.contradictions
        judged = number_judgements(work, request.judgements, tables.key, free, how)
    if not work.has("homes"):
        _make_pairs(work, request, tables, n_items)
    return Numbered(tables.key, n_items, tables.scoring, free, judged)


def double(value: float) -> str:
    """Return a number in SQL, to the last bit.

    Examples
    --------
    >>> print(double(0.1))
    '0.1'::DOUBLE
    """
    return f"{text(float(value))}::DOUBLE"


def _tables(work: Workspace, request: Request, spool: Path) -> _Tables:
    """Find the tables; refuse columns that do not fit, in any file, before rows are read."""
    pairs = request.pairs.parts(
        work, spool / "pairs.parquet", lambda sheet: pair_columns(sheet, request.columns)
    )
    n_keys = len(pairs[0].columns) // 2
    if n_keys == 1 and request.duplicate_free_sources is not None:
        raise no_sources(request.pairs.name)
    records: list[Part] = []
    if request.records is not None:
        records = request.records.parts(
            work, spool / "records.parquet", lambda sheet: record_columns(sheet, n_keys == 2)
        )
    key = RECORD[-n_keys:]
    types = []
    for place, what in enumerate(key):
        columns = [(part, place + start) for part in pairs for start in (0, n_keys)]
        types.append(one_type([*columns, *((part, place) for part in records)], f"{what}s"))
    scoring = Scoring.of(pairs[0].columns[-1], request.kind)
    return _Tables(pairs, records, key, tuple(types), scoring)


def _resume(work: Workspace, request: Request, folder: Path) -> None:
    """Keep what an earlier run has left, if it fits: same settings, and no file that has gone."""
    settings = json.dumps(request.settings())
    files = set(request.pairs.contents())
    if work.has("request") and request.is_in_files and work.value("FROM request") == settings:
        done = {content for (content,) in work.rows("FROM done")}
        if done == files or (done < files and not work.has("items")):
            return
    work.drop(*work.tables())
    clear_shards(folder)
    work.rows(f"CREATE TABLE request AS SELECT {text(settings)} AS settings")
    work.rows("CREATE TABLE done (content TEXT)")


def _read_keys(work: Workspace, tables: _Tables) -> None:
    """Check the rows of all parts and gather the keys; what was read before is not read again."""
    columns = [f"{column} {kind}" for column, kind in zip(tables.key, tables.types, strict=True)]
    work.rows(f"CREATE TABLE IF NOT EXISTS keys ({', '.join(columns)})")
    work.rows(f"CREATE TABLE IF NOT EXISTS compared ({columns[0]})")
    done = {content for (content,) in work.rows("FROM done")}
    left = [part for part in tables.pairs if part.content not in done]

    def read(at: int) -> None:
        """Check a part, and add its keys if it is sound."""
        work.progress("read ids", at / len(left))
        with reading(left[at].name), work.at_once():
            check_rows(work, left[at], (*tables.types, *tables.types), tables.scoring)
            _add_keys(work, left[at], tables)

    each(range(len(left)), lambda at: left[at].name, read)
    work.progress("read ids", 1.0)


def _add_keys(work: Workspace, part: Part, tables: _Tables) -> None:
    """Add the keys of a part, its sources inside which records are compared, and its content."""
    n_keys = len(tables.key)
    sides = [rows_of([part], tables.key, tables.types, start) for start in (0, n_keys)]
    work.rows(f"INSERT INTO keys SELECT DISTINCT * FROM ({' UNION ALL '.join(sides)})")
    if n_keys == 2:
        source_a, id_a, source_b, id_b, _ = map(name, part.columns)
        work.rows(
            f"INSERT INTO compared SELECT DISTINCT {source_a} FROM {scan([part])} "
            f"WHERE {source_a} = {source_b} AND {id_a} <> {id_b}"
        )
    if part.content is not None:
        work.rows(f"INSERT INTO done VALUES ({text(part.content)})")


def _make_items(work: Workspace, request: Request, tables: _Tables) -> None:
    """Make the table of items; their order is that of their keys."""
    if not work.value("SELECT count(*) FROM (FROM keys LIMIT 1)"):
        raise InvalidInputError(f"{request.pairs.name}: must have at least one row; found none")
    key, known = ", ".join(tables.key), "keys"
    if request.records is not None:
        known = "known"
        for part in tables.records:
            with reading(part.name):
                check_rows(work, part, tables.types, None)
        work.make(known, rows_of(tables.records, tables.key, tables.types), "read records")
        twice = work.rows(f"SELECT {key} FROM known GROUP BY ALL HAVING count(*) > 1 LIMIT 1")
        if twice:
            raise InvalidInputError(
                f"{request.records.name}: records must be listed once; "
                f"found {quoted(*twice[0])} again"
            )
        new = work.rows(f"SELECT {key} FROM keys ANTI JOIN known USING ({key}) LIMIT 1")
        if new:
            raise InvalidInputError(
                f"{request.pairs.name}: record {quoted(*new[0])} is not in the table of records"
            )
    work.make("items", f"SELECT DISTINCT {key} FROM {known} ORDER BY {key}", "sort ids")
    work.drop("keys", "known")


def _make_pairs(work: Workspace, request: Request, tables: _Tables, n_items: int) -> None:
    """Make the table of pairs: each once, with its largest score, unless that says nothing."""
    kind = "INTEGER" if n_items < MANY_ITEMS else "BIGINT"
    roles = [f"{column}_{side}" for side in "ab" for column in tables.key]
    rows = rows_of(tables.pairs, [*roles, "score"], (*tables.types, *tables.types, "DOUBLE"))
    joins = " ".join(
        f"JOIN items AS {side} ON "
        + " AND ".join(f"{side}.{column} = listed.{column}_{side}" for column in tables.key)
        for side in "ab"
    )
    low = "" if request.floor is None else f"WHERE score >= {double(request.floor)}"
    silent = float(tables.scoring.scores(np.zeros(1))[0])
    work.make(
        "pairs",
        f"SELECT least(x, y)::{kind} AS a, greatest(x, y)::{kind} AS b, max(score) AS score "
        f"FROM (SELECT a.rowid AS x, b.rowid AS y, score FROM ({rows}) AS listed {joins} {low}) "
        f"WHERE x <> y GROUP BY 1, 2 HAVING max(score) <> {double(silent)}",
        "number pairs",
    )


def _duplicate_free_sources(work: Workspace, request: Request) -> tuple[Hashable, ...]:
    """Return the sources that hold each entity at most once, sorted."""
    sources = {source for (source,) in work.rows("SELECT DISTINCT source FROM items")}
    if request.duplicate_free_sources is not None:
        return tuple(
            sorted(named_sources(request.pairs.name, request.duplicate_free_sources, sources))
        )
    return tuple(sorted(sources - {source for (source,) in work.rows("FROM compared")}))


def rows_of(
    parts: Sequence[Part], names: Sequence[str], types: Sequence[str], start: int = 0
) -> str:
    """Return SQL for the rows of parts: columns from one on, with other names and with types."""
    queries = []
    for _, alike in groupby(sorted(parts, key=lambda part: part.reader), lambda part: part.reader):
        same = list(alike)
        columns = same[0].columns[start : start + len(names)]
        cells = ", ".join(
            f"CAST({name(column)} AS {kind}) AS {new}"
            for column, kind, new in zip(columns, types, names, strict=True)
        )
        queries.append(f"SELECT {cells} FROM {scan(same)}")
    return " UNION ALL ".join(queries)


def check_rows(work: Workspace, part: Part, types: Sequence[str], scoring: Scoring | None) -> None:
    """Refuse rows whose keys are empty or too large, or whose scores are not legal."""
    tests = [f"TRY_CAST({{}} AS {kind}) IS NOT NULL" for kind in types]
    if scoring is not None:
        low, high = map(double, scoring.bounds)
        score = "TRY_CAST({0} AS DOUBLE)"
        tests.append(f"coalesce(isfinite({score}) AND {score} BETWEEN {low} AND {high}, false)")
    checks = [
        (column, test.format(name(column)))
        for column, test in zip(part.columns, tests, strict=True)
    ]
    counts = ", ".join(f"count_if(NOT {is_legal})" for _, is_legal in checks)
    found = work.rows(f"SELECT {counts} FROM {scan([part])}")[0]
    for (column, is_legal), count in zip(checks, found, strict=True):
        if count:
            row, value = work.rows(
                f"SELECT row, {name(column)} FROM (SELECT *, row_number() OVER () - 1 AS row "
                f"FROM {scan([part])}) WHERE NOT {is_legal} ORDER BY row LIMIT 1"
            )[0]
            if scoring is not None and column == scoring.column:
                reason = scoring.illegal(value)
            elif value is None:
                reason = f"{column} must not be empty"
            else:
                reason = f"{column} must be an integer of 64 bits or text; found {value}"
            raise Sheet(part.name, {}, None).fault(row, reason)
