"""The tables of a project, which other programs may read, and errors of its file in one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spherelax._version import __version__
from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import first_line
from spherelax.scale.origins import text
from spherelax.scale.workspace import DAMAGED, is_full, library

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The number of the form of the tables: a file with a larger one was made by a newer version.
FORMAT = 1
RECORD = ("source", "id")
# DuckDB opens tables of other formats too, but in memory: what is written there is lost.
FILE = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
# What DuckDB says of a file that another process has opened, of one of another program, and of one
# that a newer DuckDB wrote.
LOCKED, FOREIGN, NEWER = "Could not set lock", "not a valid DuckDB", "version number"
CUT, LIMITED = "Could not read enough bytes", "File too large"


class Table(NamedTuple):
    """What a table holds, and the type and the meaning of each column."""

    meaning: str
    columns: dict[str, tuple[str, str]]


_SOURCE = ("VARCHAR", "source of the record; NULL if there are no sources")
_ENDS = {
    "source_a": ("VARCHAR", "source of the first record; NULL if there are no sources"),
    "id_a": ("VARCHAR", "id of the first record"),
    "source_b": ("VARCHAR", "source of the second record"),
    "id_b": ("VARCHAR", "id of the second record"),
}
TABLES = {
    "project": Table(
        "one row: what the file is",
        {
            "format": ("INTEGER", "number of the form of these tables"),
            "version": ("VARCHAR", "version of spherelax that made the file"),
        },
    ),
    "settings": Table(
        "one row per setting that somebody has given; later runs use it",
        {
            "name": ("VARCHAR", "as in Python: kind, pick, one_per_group, ..."),
            "value": ("VARCHAR", "as JSON"),
        },
    ),
    "items": Table(
        "one row per record",
        {
            "item": ("BIGINT", "number of the record, from 0, in the order of their coming"),
            "source": _SOURCE,
            "id": ("VARCHAR", "id of the record"),
            "details": ("VARCHAR", "other columns of its table of records, as JSON; NULL: none"),
            "run": ("INTEGER", "run that it came with"),
        },
    ),
    "pairs": Table(
        "one row per pair of records, in one direction",
        {
            **_ENDS,
            "score": ("DOUBLE", "the score as it was given last"),
            "run": ("INTEGER", "run that this score came with"),
        },
    ),
    "judgements": Table(
        "one row per judged pair, in the order of their giving",
        {
            "judgement": ("BIGINT", "number of the judgement, from 0"),
            **_ENDS,
            "verdict": ("VARCHAR", "same, different or cannot tell"),
            "sure": ("DOUBLE", "how likely the judge is right, 0 to 1; 1 or NULL: certain"),
            "who": ("VARCHAR", "the judge, as given; NULL: not said"),
            "judged_at": ("VARCHAR", "when it was judged, as given; NULL: not said"),
            "run": ("INTEGER", "run that it came with"),
        },
    ),
    "runs": Table(
        "one row per run that was completed",
        {
            "run": ("INTEGER", "number of the run, from 1"),
            "finished": ("TIMESTAMP", "when it was completed, UTC"),
            "version": ("VARCHAR", "version of spherelax"),
            "is_anew": ("BOOLEAN", "whether it learnt from all pairs, not from the run before"),
            "status": ("VARCHAR", "how the entities were chosen: Result.status"),
            "items": ("BIGINT", "number of records"),
            "pairs": ("BIGINT", "number of pairs"),
            "judgements": ("BIGINT", "number of judgements that count"),
            "entities": ("BIGINT", "number of entities"),
            "next_id": ("BIGINT", "the first id of an entity that was never used"),
            "changes": ("VARCHAR", "what has changed since the run before, in words"),
        },
    ),
    "entities": Table(
        "one row per record and run",
        {
            "run": ("INTEGER", "the run"),
            "item": ("BIGINT", "the record"),
            "entity": ("BIGINT", "id of its entity, which stays from run to run"),
            "confidence": ("FLOAT", "probability that it is in the right entity, 0 to 1"),
        },
    ),
    "tombstones": Table(
        "one row per id that has ended and id that took over some of its records",
        {
            "entity": ("BIGINT", "the id that has ended; it is never used again"),
            "run": ("INTEGER", "the run in which it ended"),
            "items": ("BIGINT", "number of records that went to the successor"),
            "successor": ("BIGINT", "id that took them over; NULL: they are gone"),
        },
    ),
    "lesson": Table(
        "one row: the last result with what was learnt, from which the next run goes on",
        {
            "run": ("INTEGER", "the run that it is of"),
            "content": ("BLOB", "as spherelax.io.save_result saves it, without names"),
            "checksum": ("VARCHAR", "SHA-256 of the content"),
        },
    ),
}
ANSWER = """
CREATE VIEW answer AS SELECT source, id, entity, confidence
FROM entities JOIN items USING (item)
WHERE entities.run = (SELECT max(run) FROM runs) ORDER BY item
"""
NEXT_RUN = "SELECT coalesce(max(run), 0) + 1 FROM runs"


def ask(db: DuckDBPyConnection, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """Run a statement and return all rows of its answer."""
    rows: list[Any] = db.execute(query, list(values)).fetchall()
    return rows


def connect(path: Path) -> DuckDBPyConnection:
    """Open the file of a project, or make it; refuse one of something else or a newer version."""
    db = library().connect(str(path))
    try:
        _check(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _check(db: DuckDBPyConnection, path: Path) -> None:
    """Begin a transaction; make the tables if there is none, or check that they are a project."""
    if not ask(db, FILE)[0][0]:
        raise InvalidInputError(f"{path}: must be a project; found a table")
    ask(db, "BEGIN")
    found = {name for (name,) in ask(db, "SELECT table_name FROM duckdb_tables()")}
    if not found:
        _make(db)
    elif "project" not in found:
        raise InvalidInputError(f"{path}: must be a project; found a database of something else")
    ((form, version),) = ask(db, "SELECT format, version FROM project")
    if form > FORMAT:
        raise InvalidInputError(
            f"{path}: was made by spherelax {version}, which is newer; install that version"
        )


def _make(db: DuckDBPyConnection) -> None:
    """Make the tables, with comments that say what they hold."""
    for name, (meaning, columns) in TABLES.items():
        typed = ", ".join(f"{column} {kind}" for column, (kind, _) in columns.items())
        ask(db, f"CREATE TABLE {name} ({typed})")
        ask(db, f"COMMENT ON TABLE {name} IS {text(meaning)}")
        for column, (_, said) in columns.items():
            ask(db, f"COMMENT ON COLUMN {name}.{column} IS {text(said)}")
    ask(db, ANSWER)
    ask(db, "INSERT INTO project VALUES (?, ?)", [FORMAT, __version__])


def fault(path: Path, error: Exception) -> InvalidInputError:
    """Return an error of DuckDB as one sentence that names the file of the project.

    Examples
    --------
    >>> print(fault(Path("people.duckdb"), library().IOException("No space left on device")))
    people.duckdb: the disk is full; the project is as it was before this run
    """
    said = str(error)
    reasons = {
        "the disk is full; the project is as it was before this run": is_full(error)
        or LIMITED in said,
        "is in use by another process; run this again when that has ended": LOCKED in said,
        "was written by a newer DuckDB; install that": NEWER in said,
        "must be a project; found a file of something else": FOREIGN in said,
        "was damaged after it was written; take a copy of it from before": any(
            words in said for words in (CUT, *DAMAGED)
        ),
        "was changed meanwhile by another part of this program; run this again": isinstance(
            error, library().TransactionException
        ),
    }
    otherwise = f"cannot be used; {first_line(error)}"
    reason = next((reason for reason, is_so in reasons.items() if is_so), otherwise)
    return InvalidInputError(f"{path}: {reason}")
