"""Answers to questions about the records of a project, kept in its table of judgements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from spherelax.io.readers.judgements import Places, Verdict, find_places, read_verdicts
from spherelax.io.readers.pairs import Records
from spherelax.io.tables.frames import read_sheet
from spherelax.judgements import WORDS
from spherelax.project.tables import NEXT_RUN, ask, connect, fault
from spherelax.scale.workspace import library

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class ProjectAnswers:
    """Judgements of a project that came after its last run.

    The file is open while an answer is kept, and not in between, so that others can use it.

    Parameters
    ----------
    path : Path
        The file of the project.
    records : Records
        Its records.
    since : int, optional
        Number of the run with which the first of them came. None: the next run.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import spherelax as sl
    >>> pairs = pd.DataFrame({"id_a": ["ann", "ann"], "id_b": ["anna", "bob"], "score": [0.9, 0.2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.duckdb")
    ...     with sl.Project(path) as people:
    ...         people.add_pairs(pairs)
    ...         run = people.solve()
    ...     with ProjectAnswers(path, run.items).changing() as answers:
    ...         answers.add((0, 2), False)
    ...     with sl.Project(path) as people:
    ...         people.judgements().pairs
    array([[0, 2]])
    """

    def __init__(self, path: Path, records: Records, since: int | None = None) -> None:
        self.path, self._records = path, records
        self._places = find_places(records)
        with self._connected() as db:
            ((next_run,),) = ask(db, NEXT_RUN)
        self._since = next_run if since is None else since

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def changing(self) -> Iterator[Answers]:
        """Yield the answers, which nobody else can change; what is changed is kept at the end."""
        with self._connected() as db:
            yield Answers(db, self._records, self._places, self._since)

    @contextmanager
    def _connected(self) -> Iterator[DuckDBPyConnection]:
        """Open the file and begin a transaction; commit it at the end."""
        try:
            db = connect(self.path)
            try:
                yield db
                ask(db, "COMMIT")
            finally:
                db.close()
        except library().Error as error:
            raise fault(self.path, error) from None


@dataclass(frozen=True)
class Answers:
    """The answers since a run, while nobody else can change them."""

    db: DuckDBPyConnection
    records: Records
    places: Places
    since: int

    def rows(self) -> list[Verdict]:
        """Return all answers, in the order of their giving."""
        query = f"FROM judgements WHERE run >= {self.since} ORDER BY judgement"
        table = self.db.sql(query).to_arrow_table()
        if len(table) == 0:
            return []
        return read_verdicts(read_sheet(table, "judgements"), self.records, self.places)

    def add(self, pair: tuple[int, int], same: bool | None) -> None:
        """Add an answer; None: nobody can tell."""
        sources, ids = self.records.sources, self.records.who()["id"]
        names = [part for item in pair for part in (sources and str(sources[item]), str(ids[item]))]
        when = datetime.now(UTC).isoformat(timespec="seconds")
        ask(
            self.db,
            "INSERT INTO judgements SELECT (SELECT coalesce(max(judgement) + 1, 0) FROM "
            f"judgements), ?, ?, ?, ?, ?, 1.0, NULL, ?, ({NEXT_RUN})",
            [*names, WORDS[same], when],
        )

    def undo(self) -> None:
        """Remove the last answer."""
        last = f"(SELECT max(judgement) FROM judgements WHERE run >= {self.since})"
        ask(self.db, f"DELETE FROM judgements WHERE judgement = {last}")
