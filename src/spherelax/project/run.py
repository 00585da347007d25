"""A run of a project: entities with ids that stay, what has changed, and its rows in the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from spherelax._version import __version__
from spherelax.changes import Diff, Ids, diff, keep_ids
from spherelax.io.answers.labelled import Labelled
from spherelax.io.answers.saved import dump_result
from spherelax.io.items import Columns, Names
from spherelax.io.readers.pairs import Records
from spherelax.io.words import count
from spherelax.project.adding import insert
from spherelax.project.tables import ask
from spherelax.result import Result

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, eq=False)
class Run:
    """A run of a project.

    Attributes
    ----------
    number : int
        From 1.
    items : Records
        All records; their entities have the ids that stay: ``items.answer(result)``.
    result : Result
        Labels of the records, and how they were chosen.
    ids : Ids
        The ids of entities, and which have ended.
    diff : Diff or None
        What has changed since the run before; None for the first.
    n_judged : int
        Number of judgements that count.

    Examples
    --------
    See :class:`Project`.
    """

    number: int
    items: Records
    result: Result
    ids: Ids
    diff: Diff | None
    n_judged: int = 0

    def __str__(self) -> str:
        if self.diff is None:
            return f"run 1: {count(self.ids.n_new, 'entity')}"
        kinds = self.diff.counts().items()
        changes = ", ".join(f"{n.changes:,} {kind}" for kind, n in kinds)
        return f"run {self.number}, entities since run {self.number - 1}: {changes}; {self.ids}"


def number_entities(
    records: Records, result: Result, items: Names, *, number: int, before: Columns, free: int
) -> Run:
    """Give entities the ids of the run before, by the records that they share.

    ``items`` are the numbers of the records in the project, ``before`` has columns item and entity
    of the run before, and ``free`` is the first id that was never used.
    """
    after: Columns = {"item": items, "entity": result.labels.tolist()}
    if before["item"]:
        known = Ids(np.array(before["entity"]), free, _answer=Labelled.of(before))
        ids = keep_ids(known, after)
    else:
        n_new, numbers = result.n_labels, result.labels.astype(np.int64) + free
        ids = Ids(numbers, free + n_new, n_new=n_new, _answer=Labelled.of(after))
    after["entity"] = ids.numbers.tolist()
    lasting = np.empty(result.n_labels, dtype=np.int64)
    lasting[result.labels] = ids.numbers
    changed = diff(before, after) if before["item"] else None
    return Run(number, replace(records, lasting=lasting), result, ids, changed)


def write_run(db: DuckDBPyConnection, run: Run, items: Names, *, is_anew: bool) -> None:
    """Write a run to its tables."""
    number, result, ids = run.number, run.result, run.ids
    answer = {"item": items, "entity": ids.numbers, "confidence": result.confidence}
    insert(db, f"INSERT INTO entities SELECT {number}, item, entity, confidence FROM given", answer)
    insert(
        db,
        f"INSERT INTO tombstones SELECT id, {number}, items, successor FROM given "
        "WHERE state = 'ended'",
        ids.register(),
    )
    content = dump_result(result)
    ask(db, "DELETE FROM lesson")
    lesson = [number, content, sha256(content).hexdigest()]
    ask(db, "INSERT INTO lesson VALUES (?, ?, ?)", lesson)
    ask(
        db,
        "INSERT INTO runs SELECT ?, now() AT TIME ZONE 'UTC', ?, ?, ?, ?, "
        "(SELECT count(*) FROM pairs), ?, ?, ?, ?",
        [
            *(number, __version__, is_anew, str(result.status), run.items.n_items),
            *(run.n_judged, result.n_labels, ids.next_free, str(run)),
        ],
    )
