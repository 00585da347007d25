"""A project: pairs, judgements and answers that last, in one file."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from spherelax._solve import solve
from spherelax.errors import InvalidInputError
from spherelax.io.answers.saved import parse_result
from spherelax.io.files.faults import about
from spherelax.io.files.source import File
from spherelax.io.items import Columns
from spherelax.io.readers.judgements import check_contradictions, read_judgements, settle
from spherelax.io.readers.pairs import ENDS, Records, read_pairs
from spherelax.io.tables.frames import Frame
from spherelax.judgements import Judgements
from spherelax.project.adding import Scored, add_judgements
from spherelax.project.forgetting import named_records, remove, rewrite
from spherelax.project.run import Run, number_entities, write_run
from spherelax.project.tables import NEXT_RUN, RECORD, ask, connect, fault
from spherelax.result import Callback, Result
from spherelax.scale.origins import name
from spherelax.scale.workspace import library
from spherelax.settings import Coordinate

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Settings that what was learnt depends on: only a run that learns anew may have others.
LEARNT = ("one_per_group", "solver", "pick", "n_labels")


class Project:
    """Pairs, judgements, what was learnt, and entities whose ids stay, in one DuckDB file.

    A project is used in ``with``: all that is done in a block is kept when the block ends, or
    nothing, if there is an error or the process is killed. The file is locked until then. Its
    tables are for any program that reads DuckDB. Ids of records are kept as text.

    Parameters
    ----------
    path : str or Path
        The file; it is made if it is not there.

    Raises
    ------
    InvalidInputError
        If the file is in use, damaged, of something else or of a newer version, or the disk is
        full: one sentence. The file is then as it was before.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import spherelax as sl
    >>> pairs = pd.DataFrame(
    ...     [("shop", 1, "bank", 1, 0.9), ("shop", 2, "bank", 2, 0.8), ("shop", 1, "bank", 2, 0.1)],
    ...     columns=["source_a", "id_a", "source_b", "id_b", "score"],
    ... )
    >>> more = pd.DataFrame([("shop", 3, "bank", 3, 0.8)], columns=pairs.columns)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with sl.Project(f"{folder}/people.duckdb") as people:
    ...         people.add_pairs(pairs)
    ...         print(people.solve())
    ...     with sl.Project(f"{folder}/people.duckdb") as people:
    ...         people.add_pairs(more)
    ...         print(people.solve())
    ...         people.entities()["entity"]
    run 1: 2 entities
    run 2, entities since run 1: 2 kept, 1 new; 2 ids kept, 1 new, 0 ended; the next one is 3
    [0, 0, 1, 1, 2, 2]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __enter__(self) -> Self:
        self._is_new = not self.path.exists()
        try:
            self._db: DuckDBPyConnection = connect(self.path)
        except library().Error as error:
            raise fault(self.path, error) from None
        self._run = int(self._value(NEXT_RUN))
        self._records: Records | None = None
        self._forgets = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        duckdb = library()
        try:
            if error is None and self._forgets:
                rewrite(self._db, self.path)
            elif error is None:
                ask(self._db, "COMMIT")
        except duckdb.Error as found:
            error = found
        finally:
            self._db.close()
        if error is not None and self._is_new:
            for ending in ("", ".wal"):
                Path(f"{self.path}{ending}").unlink(missing_ok=True)
        if isinstance(error, duckdb.Error):
            raise fault(self.path, error) from None

    def add_pairs(
        self,
        source: Frame | File,
        *,
        columns: Mapping[str, str] | Sequence[str] | None = None,
        duplicate_free_sources: Iterable[Hashable] | None = None,
        records: Any = None,
        kind: str | None = None,
    ) -> None:
        """Add scored pairs of records; a pair that is there gets its new score.

        Parameters
        ----------
        source, columns, duplicate_free_sources, records, kind
            As in :func:`spherelax.io.read_pairs`. What is given is kept for later runs. Kind,
            sources and the column of scores must stay what they are. Tables of records need to
            have only those that are new.
        """
        settings = self.settings()
        scored = Scored(source, columns, kind or settings.get("kind"))
        first = self._value("SELECT count(*) FROM pairs") == 0
        about_pairs = {"score": scored.column, "sources": scored.has_sources}
        for what, found in {**about_pairs, "kind": kind}.items():
            if found is not None and not first and settings.get(what) != found:
                raise InvalidInputError(
                    f"{scored.sheet.name}: {what} of the project {self.path.name} must stay "
                    f"{settings.get(what)!r}; found {found!r}"
                )
        free = None if duplicate_free_sources is None else [*map(str, duplicate_free_sources)]
        self._set(**about_pairs, kind=kind, duplicate_free_sources=free)
        scored.add_records(self._db, records, self._run)
        scored.add_pairs(self._db, self._run)
        self._records = None

    def judge(self, source: Frame | File) -> None:
        """Add judgements, a table as in :func:`spherelax.io.read_judgements`.

        Columns ``who`` and ``when`` are kept, too. A row that is there already is not added again.
        """
        records = self.records()
        read_judgements(source, records)
        add_judgements(self._db, source, records, self._run)

    def forget(self, records: Any) -> Run:
        """Forget records and all that is known of them, and solve again like before.

        Their pairs, details, judgements and entities of all runs go, and the components that they
        were in are solved again with what was learnt: as if they had never been there, see
        :meth:`spherelax.Result.forget`. When the block ends, the file is written anew, so that no
        byte of it tells of them.

        Parameters
        ----------
        records : table, file, or list of ids
            A table as the ``records`` of :func:`spherelax.io.read_pairs`, each record once; or a
            list of ids or, if records have sources, of pairs of source and id.

        Returns
        -------
        Run
            The run without them.

        Raises
        ------
        InvalidInputError
            If a record is not in the project, or comes twice, if no pair would be left, or if
            another program keeps tables in the file.
        """
        rows = ask(self._db, "SELECT DISTINCT source FROM items")
        has_sources = self.settings().get("sources", False)
        keys = named_records(records, [source for (source,) in rows] if has_sources else None)
        remove(self._db, self.path, keys)
        free = self.settings().get("duplicate_free_sources")
        if free is not None:
            left = {source for (source,) in ask(self._db, "SELECT DISTINCT source FROM items")}
            self._set(duplicate_free_sources=[source for source in free if source in left])
        self._records, self._forgets = None, True
        return self.solve()

    def solve(
        self,
        *,
        anew: bool = False,
        one_per_group: str | None = None,
        solver: Coordinate | None = None,
        pick: str | float | None = None,
        n_labels: int | None = None,
        contradictions: str | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> Run:
        """Find the entities of all records, with what was learnt before, and keep them.

        The first run learns what scores are worth, at which level records are the same, and so on.
        Later runs extend its answer: see :meth:`spherelax.Result.extend`. Judgements of all runs
        are kept, and so are the ids of entities: see :func:`spherelax.keep_ids`.

        Parameters
        ----------
        anew : bool
            Learn again, from all pairs. Ids of entities stay, by the records that they share.
        one_per_group, solver, pick
            As in :func:`spherelax.solve`; the solver is "coordinate". What is given is kept for
            later runs, and may change only if ``anew``.
        n_labels : int, optional
            As in :meth:`spherelax.Result.with_n_labels`; like the others.
        contradictions : {"refuse", "drop"}, optional
            Judgements that contradict each other; "drop": later ones correct earlier ones. It is
            kept for later runs. Default: "refuse".
        n_jobs, callback
            As in :func:`spherelax.solve`.

        Returns
        -------
        Run
            Its records, result, ids and what has changed.
        """
        check_contradictions(contradictions)
        given = {
            "one_per_group": one_per_group,
            "solver": None if solver is None else asdict(solver),
            "pick": pick,
            "n_labels": n_labels,
        }
        lesson = None if anew else self._lesson()
        if lesson is not None:
            self._check_same(given)
        self._set(**given, contradictions=contradictions)
        records = self.records()
        judged = self.judgements()
        if lesson is not None:
            result = lesson.extend(records.problem)
        else:
            result = self._learn(records, n_jobs, callback)
        return self._keep(records, result.judge(judged), judged, is_anew=lesson is None)

    def unjudged(self) -> tuple[Records, Result]:
        """Return all records, and their result before judgements since the last run.

        It is where the next run begins; nothing is kept.
        """
        lesson = self._lesson()
        if lesson is None:
            raise InvalidInputError(f"{self.path}: must have a run; found none yet")
        records = self.records()
        return records, lesson.extend(records.problem)

    def settings(self) -> dict[str, Any]:
        """Return the settings that were given in any run."""
        rows = ask(self._db, "FROM settings")
        return {setting: json.loads(value) for setting, value in rows}

    def records(self) -> Records:
        """Return all records with their pairs, in the order of the table ``items``."""
        if self._records is None:
            self._records = self._read_records()
        return self._records

    def judgements(self, *, until: int | None = None) -> Judgements:
        """Return judgements; refuse those that contradict each other, or drop earlier ones.

        Parameters
        ----------
        until : int, optional
            Number of a run: only those that came with it or before. None: all.
        """
        records = self.records()
        some = "" if until is None else f"WHERE run <= {int(until)}"
        table = self._db.sql(f"FROM judgements {some} ORDER BY judgement").to_arrow_table()
        if len(table) == 0:
            return Judgements.of(None)
        groups = records.problem.groups
        with about(self.path):
            found = read_judgements(table, records)
            return settle(found, records, groups, self.settings().get("contradictions"))

    def runs(self) -> Columns:
        """Return the table ``runs`` as columns."""
        return self._columns("FROM runs ORDER BY run")

    def entities(self, run: int | None = None) -> Columns:
        """Return the entity of each record as columns: source if any, id, entity, confidence.

        They can be compared: ``sl.diff(project.entities(1), project.entities(2))``.

        Parameters
        ----------
        run : int, optional
            Number of the run. None: the last one.
        """
        last = self._run - 1
        chosen = last if run is None else run
        if not 1 <= chosen <= last:
            raise InvalidInputError(f"{self.path}: has runs 1 to {last}; found run {chosen}")
        key = ", ".join(self._key)
        return self._columns(
            f"SELECT {key}, entity, confidence FROM entities JOIN items USING (item) "
            f"WHERE entities.run = {int(chosen)} ORDER BY item"
        )

    @property
    def _key(self) -> tuple[str, ...]:
        """The columns that name a record."""
        return RECORD if self.settings().get("sources") else RECORD[1:]

    def _read_records(self) -> Records:
        """Read all pairs and records."""
        if self._value("SELECT count(*) FROM pairs") == 0:
            raise InvalidInputError(f"{self.path}: must have pairs; found none yet")
        settings = self.settings()
        ends = ENDS if settings["sources"] else ENDS[1::2]
        score = name(settings["score"])
        pairs = self._db.sql(f"SELECT {', '.join(ends)}, score AS {score} FROM pairs")
        items = self._columns(f"SELECT {', '.join(self._key)}, details FROM items ORDER BY item")
        details = [json.loads(cell or "{}") for cell in items.pop("details")]
        for column in {column: None for row in details for column in row}:
            items[column] = [row.get(column) for row in details]
        with about(self.path):
            return read_pairs(
                pairs.to_arrow_table(),
                columns=[*ends, settings["score"]],
                duplicate_free_sources=settings.get("duplicate_free_sources"),
                records=import_module("pyarrow").table(items),
                kind=settings.get("kind"),
            )

    def _learn(self, records: Records, n_jobs: int | None, callback: Callback | None) -> Result:
        """Solve all pairs; refuse to keep what was interrupted."""
        settings = self.settings()
        result = solve(
            records.problem,
            one_per_group=settings.get("one_per_group", "always"),
            solver=Coordinate(**settings.get("solver", {})),
            pick=settings.get("pick"),
            n_jobs=n_jobs,
            callback=callback,
        )
        if not result.path.is_complete:
            raise KeyboardInterrupt
        n_labels = settings.get("n_labels")
        return result if n_labels is None else result.with_n_labels(n_labels)

    def _lesson(self) -> Result | None:
        """Return the last result, to be extended; None: there is none yet."""
        rows = ask(self._db, "SELECT run, content, checksum FROM lesson")
        if not rows:
            return None
        ((run, content, checksum),) = rows
        if sha256(content).hexdigest() != checksum:
            raise InvalidInputError(
                f"{self.path}: what was learnt was damaged; anew=True or --anew learns again"
            )
        lesson = parse_result(f"{self.path}, run {run}", content)
        if lesson._extend is None:
            raise InvalidInputError(
                f"{self.path}: what was learnt was saved by another version of spherelax; "
                "anew=True or --anew learns again"
            )
        return lesson

    def _check_same(self, given: Mapping[str, object]) -> None:
        """Refuse settings other than those with which it was learnt."""
        settings = self.settings()
        for setting in LEARNT:
            found, known = given[setting], settings.get(setting)
            if found is not None and found != known:
                raise InvalidInputError(
                    f"{self.path}: goes on with {setting} {known!r}, as it was learnt; found "
                    f"{found!r}; anew=True or --anew learns again"
                )

    def _keep(self, records: Records, result: Result, judged: Judgements, *, is_anew: bool) -> Run:
        """Give entities their ids and write the run."""
        items = self._columns("SELECT item FROM items ORDER BY item")["item"]
        before = self._columns(
            f"SELECT item, entity FROM entities WHERE run = {self._run - 1} ORDER BY item"
        )
        free = int(self._value("SELECT coalesce(max(next_id), 0) FROM runs"))
        run = number_entities(records, result, items, number=self._run, before=before, free=free)
        run = replace(run, n_judged=len(judged))
        write_run(self._db, run, items, is_anew=is_anew)
        self._run += 1
        return run

    def _set(self, **given: Any) -> None:
        """Keep settings that are given."""
        for setting, value in given.items():
            if value is not None:
                ask(self._db, "DELETE FROM settings WHERE name = ?", [setting])
                ask(self._db, "INSERT INTO settings VALUES (?, ?)", [setting, json.dumps(value)])

    def _columns(self, query: str) -> Columns:
        """Return an answer as columns."""
        found: Columns = self._db.sql(query).to_arrow_table().to_pydict()
        return found

    def _value(self, query: str) -> Any:
        """Return the only value of an answer."""
        return ask(self._db, query)[0][0]
