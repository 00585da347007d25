"""Records that go, with all that a project knows of them, and the file written without them.

DuckDB frees what is deleted and may leave it in the file. So all tables are copied into a new file,
which replaces the old one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spherelax.errors import InvalidInputError
from spherelax.io.files.writing import drafted
from spherelax.io.readers.pairs import Key, read_records
from spherelax.io.readers.scoring import quoted
from spherelax.project.adding import as_text, insert, match
from spherelax.project.tables import RECORD, TABLES, ask, connect
from spherelax.scale.workspace import CHUNK

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Tables and views in the file.
THERE = """
SELECT table_name FROM duckdb_tables() WHERE NOT temporary
UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name <> 'answer'
"""
# The ids that have ended, by the entities of each run and of the one after it.
ENDED = """
INSERT INTO tombstones SELECT old.entity, old.run + 1 AS run, count(*), new.entity AS successor
FROM entities AS old JOIN entities AS new ON new.item = old.item AND new.run = old.run + 1
ANTI JOIN entities AS living ON living.run = old.run + 1 AND living.entity = old.entity
GROUP BY old.entity, old.run, new.entity ORDER BY run, old.entity, successor
"""


def named_records(records: Any, sources: Collection[str] | None) -> list[Key]:
    """Return the records of a table or a list by their text; refuse one that comes twice.

    ``sources`` are those of the project; None: its records have none.

    Examples
    --------
    >>> named_records([("shop", 7)], ["shop"]), named_records(["x", "x"], None)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: records to forget must be listed once; found 'x' again
    """
    if not isinstance(records, list | tuple | set | frozenset):
        found, _ = read_records(records, None if sources is None else set(sources))
        return [as_text(key) for key in found]
    keys: dict[Key, None] = {}
    for record in records:
        is_pair = isinstance(record, Sequence) and not isinstance(record, str) and len(record) == 2
        if is_pair == (sources is None):
            expected = "ids" if sources is None else "pairs of source and id"
            raise InvalidInputError(f"records to forget must be {expected}; found {record!r}")
        key = as_text(tuple(record) if is_pair else (record,))
        if key in keys:
            said = quoted(*(name for name in key if name is not None))
            raise InvalidInputError(f"records to forget must be listed once; found {said} again")
        keys[key] = None
    return list(keys)


def remove(db: DuckDBPyConnection, path: Path, keys: list[Key]) -> None:
    """Remove records from all tables; refuse those that are not there, and tables of others."""
    others = sorted({name for (name,) in ask(db, THERE)} - TABLES.keys())
    if others:
        raise InvalidInputError(
            f"{path}: holds {others[0]} of another program, in which records may be kept; move it "
            "to another file before any is forgotten"
        )
    if not keys:
        raise InvalidInputError(f"{path}: records to forget must be at least one; found none")
    known = set(ask(db, "SELECT source, id FROM items"))
    missing = next((key for key in keys if key not in known), None)
    if missing:
        said = quoted(*(name for name in missing if name is not None))
        raise InvalidInputError(f"{path}: records to forget must be in the project; found {said}")
    given = dict(zip(RECORD, zip(*keys, strict=True), strict=True))
    left = " ".join(f"ANTI JOIN given AS {end} ON {_is_end('pairs', end)}" for end in "ab")
    if not insert(db, f"SELECT id_a FROM pairs {left} LIMIT 1", given):
        raise InvalidInputError(
            f"{path}: records to forget must leave a pair of others; found none left: delete the "
            "file instead"
        )
    same = match("items", "given", RECORD)
    gone = f"SELECT item FROM items JOIN given ON {same}"
    insert(db, f"DELETE FROM entities WHERE item IN ({gone})", given)
    insert(db, f"DELETE FROM items USING given WHERE {same}", given)
    for table, end in product(("pairs", "judgements"), "ab"):
        insert(db, f"DELETE FROM {table} USING given AS {end} WHERE {_is_end(table, end)}", given)
    ask(db, "DELETE FROM tombstones")
    ask(db, ENDED)


def _is_end(table: str, end: str) -> str:
    """Return SQL that says that a record is an end of a pair: "a" or "b", as the record is called.

    Examples
    --------
    >>> _is_end("pairs", "a")
    'pairs.source_a IS NOT DISTINCT FROM a.source AND pairs.id_a = a.id'
    """
    return f"{table}.source_{end} IS NOT DISTINCT FROM {end}.source AND {table}.id_{end} = {end}.id"


def rewrite(db: DuckDBPyConnection, path: Path) -> None:
    """Replace the file by one that holds what the open transaction sees, and close the database.

    Until the new file is complete, the old one is as it was.
    """
    with drafted(path) as draft:
        fresh = connect(draft)
        try:
            ask(fresh, "DELETE FROM project")
            for table in TABLES:
                fresh.register("given", db.sql(f"FROM {table}").to_arrow_reader(CHUNK))
                ask(fresh, f"INSERT INTO {table} FROM given")
                fresh.unregister("given")
            ask(fresh, "COMMIT")
            ask(fresh, "CHECKPOINT")
        finally:
            fresh.close()
        ask(db, "ROLLBACK")
        ask(db, "CHECKPOINT")  # what is in its log goes with the file
        db.close()
