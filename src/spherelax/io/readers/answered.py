"""The file of answers: an SQLite database that keeps each answer the moment it is given."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import first_line
from spherelax.io.files.writing import check_target
from spherelax.io.items import Named
from spherelax.io.readers.judgements import (
    NUMBER,
    TABLE,
    VERDICT,
    Places,
    Verdict,
    find_places,
    judged_names,
    names_of_pair,
    read_verdicts,
    sheet_of_database,
)
from spherelax.judgements import WORDS

WHEN = "when"
WAIT = 5.0  # seconds until a file that others use is given up
# An answer is on the disk when it is committed, and so is the end of the log of a commit.
SETTINGS = ("synchronous = EXTRA", "trusted_schema = OFF", "cell_size_check = ON")
FOREIGN = "must be a file of answers; found something else"
# What the errors of SQLite mean, by how their names begin.
REASONS = {
    "SQLITE_BUSY": "is in use by another program; try again when that has ended",
    "SQLITE_READONLY": "cannot be written; it is read-only",
    "SQLITE_FULL": "cannot be written; the disk is full",
    "SQLITE_CORRUPT": "was damaged after it was written; take a copy of it from before",
    "SQLITE_NOTADB": FOREIGN,
}


class AnswerFile:
    """A file of answers to questions about items, as ``--judgements`` reads it.

    Its table ``judgements`` has a row for each answer: the names of both items as text, the
    verdict, and when it was given. It is made if it is not there. Several processes may use it.

    Parameters
    ----------
    path : Path
        The file.
    items : Items
        The items that are asked about.

    Raises
    ------
    InvalidInputError
        If the file is locked, damaged, read-only, or of something else.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from spherelax.io import Items, read_judgements
    >>> people = Items(np.ones((3, 3)), ids=["ann", "anna", "bob"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.sqlite")
    ...     with AnswerFile(path, people).changing() as answers:
    ...         answers.add((0, 2), False)
    ...     read_judgements(path, people).pairs
    array([[0, 2]])
    """

    def __init__(self, path: Path, items: Named) -> None:
        self.path, self._items = path, items
        self._places = find_places(items)
        check_target(path)
        with self._connected() as db:
            self._check(db)

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def changing(self) -> Iterator[Answers]:
        """Yield the answers, which nobody else can change; what is changed is kept at the end."""
        with self._connected() as db:
            yield Answers(db, self.path, self._items, self._places)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Open the file and begin a transaction; commit it at the end."""
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as db:
                for setting in SETTINGS:
                    db.execute(f"PRAGMA {setting}")
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            is_text = isinstance(error, UnicodeDecodeError)
            name = "SQLITE_CORRUPT" if is_text else getattr(error, "sqlite_errorname", "")
            reason = next((said for start, said in REASONS.items() if name.startswith(start)), None)
            said = reason or f"cannot be used; {first_line(error)}"
            raise InvalidInputError(f"{self.path}: {said}") from None

    def _check(self, db: sqlite3.Connection) -> None:
        """Make the table, or refuse one with other columns."""
        names = [*judged_names(self._items), VERDICT, WHEN]
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        if not tables:
            typed = ", ".join(f'"{name}" TEXT NOT NULL' for name in names)
            db.execute(f"CREATE TABLE {TABLE} ({NUMBER} INTEGER PRIMARY KEY, {typed})")
        elif TABLE not in tables:
            raise InvalidInputError(f"{self.path}: {FOREIGN}")
        found = list(sheet_of_database(db, self.path).columns)
        if found != [NUMBER, *names]:
            raise InvalidInputError(
                f"{self.path}: must hold answers with columns {', '.join(names)}; found "
                f"{', '.join(found[1:])}, so they are of another problem"
            )


@dataclass(frozen=True)
class Answers:
    """The answers of a file while nobody else can change them."""

    db: sqlite3.Connection
    path: Path
    items: Named
    places: Places

    def rows(self) -> list[Verdict]:
        """Return all answers, in the order of their giving."""
        return read_verdicts(sheet_of_database(self.db, self.path), self.items, self.places)

    def add(self, pair: tuple[int, int], same: bool | None) -> None:
        """Add an answer; None: nobody can tell."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        values = [*names_of_pair(self.items, pair), WORDS[same], when]
        marks = ", ".join("?" for _ in values)
        self.db.execute(f"INSERT INTO {TABLE} VALUES (NULL, {marks})", values)

    def undo(self) -> None:
        """Remove the last answer."""
        self.db.execute(f"DELETE FROM {TABLE} WHERE {NUMBER} = (SELECT max({NUMBER}) FROM {TABLE})")
