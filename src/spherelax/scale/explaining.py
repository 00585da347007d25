"""Why records are one entity or not: by the shards that hold them, and what the run has learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spherelax.coordinate.sampling import Rivals
from spherelax.coordinate.solved import CoordinateSolved
from spherelax.errors import InvalidInputError, shown
from spherelax.io.answers.packed import Values
from spherelax.io.files.mapped import mapped
from spherelax.io.readers.scoring import Scoring
from spherelax.io.tables.parquet import parquet_columns
from spherelax.io.words import RECORDS
from spherelax.labels import Labels, renumber
from spherelax.result import Explanation
from spherelax.scale.entities import Entities, read_entities
from spherelax.scale.origins import text
from spherelax.scale.protocol import last_round, read_settings
from spherelax.scale.rounds import Some
from spherelax.scale.run import SHARDS
from spherelax.scale.shards import ITEMS, Plan, Several, read_plan
from spherelax.scale.shares import LABELS, Share
from spherelax.scale.workspace import Row, library
from spherelax.settings import Coordinate

MOST_NAMED = 3  # records with one id that a message names


class Names(Sequence[str]):
    """Names of the records of some shards, in the order of their numbers, read when needed."""

    def __init__(self, shards: Several) -> None:
        self.order, self.parts = shards.order, [shard.items() for shard in shards.shards]
        self.starts = np.cumsum([0, *(len(part.number) for part in self.parts)])

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.order)

    def __getitem__(self, at: Any) -> Any:
        """Return the name of a record, or those of several."""
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        place = self.order[at]
        which = int(np.searchsorted(self.starts, place, side="right")) - 1
        part, row = self.parts[which], int(place - self.starts[which])
        name = str(part.id[row].as_py())
        return name if part.source is None else f"{part.source[row].as_py()} {name}"


@dataclass(frozen=True, eq=False)
class Explained:
    """Why records are one entity or not; ``print`` says it in sentences.

    Attributes
    ----------
    explanation : Explanation
        As :meth:`spherelax.Result.explain` returns it; items are places in ``names``.
    names : sequence of str
        Names of the records of the shards that were looked at.
    column, kind : str or None
        Those of the plan.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = pa.table({"id_a": ["x"], "id_b": ["y"], "score": [0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = scale.solve(pairs, folder, n_jobs=1)
    ...     why = scale.explain(folder, ("x", "y"))
    >>> why.explanation.are_together, list(why.names)
    (True, ['x', 'y'])
    """

    explanation: Explanation
    names: Sequence[str]
    column: str
    kind: str | None

    def __str__(self) -> str:
        """Return the sentences."""
        scores = Scoring(self.column, self.kind).scores
        return self.explanation.text(self.names, speak=RECORDS.speak, scores=scores)


def explain(
    folder: str | Path, pair: tuple[str, str] | None = None, *, entity: int | None = None
) -> Explained:
    """Explain why two records of a run are one entity or not, or what holds an entity together.

    Only the shards that hold them are read, one or two. What was learnt is that of the run.

    Parameters
    ----------
    folder : str or Path
        The folder of the answers of :func:`solve`, with its folder of shards.
    pair : tuple of two str
        Names of two records, such as ``"shop 7"``; or ids alone, if they are of one source only.
    entity : int
        Number of an entity instead.

    Raises
    ------
    InvalidInputError
        If the run is not complete, or there are no such records.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = {"id_a": ["x", "y", "b"], "id_b": ["y", "z", "c"], "score": [0.9, 0.8, 0.9]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = scale.solve(pa.table(pairs), folder, n_jobs=1)
    ...     print(str(scale.explain(folder, ("x", "z"))).partition(". ")[0])
    x and z are together, in an entity of 3 records
    """
    folder = Path(folder)
    entities, plan = read_entities(folder)[0], read_plan(folder / SHARDS)
    if pair is None and entity is not None:
        asked = [_find_entity(entities, entity)]
    elif pair is None or entity is not None:
        raise InvalidInputError("explain needs one of pair and entity")
    else:
        asked = [_find_record(plan, name) for name in pair]
        if asked[0] == asked[1]:
            raise InvalidInputError(f"explain needs two records; found {shown(pair[0])} twice")
    order, before = last_round(plan)
    settings = read_settings(plan.folder)
    is_one = order.pop("what") == "take"
    held = plan.shards if is_one else [plan.shards[at] for at in sorted({at for at, _ in asked})]
    several = Several(held, plan.folder)
    wanted = [int(plan.shards[at].numbers()[row]) for at, row in asked]
    one, *rest = np.searchsorted(several.numbers(), wanted).tolist()
    items = one, rest[0] if rest else None
    if is_one:
        result = Some.of(before).solve(plan, settings)
        found = result._solved.explain(result.labels, result.path.alpha, *items)
    else:
        found = _explain(plan, several, settings, order, items)
    return Explained(found, Names(several), plan.column, plan.kind)


def _explain(
    plan: Plan,
    several: Several,
    settings: Coordinate,
    order: Values,
    asked: tuple[int, int | None],
) -> Explanation:
    """Explain items of some shards with what the last order of their run holds."""
    at, which, alpha = order.pop("at"), order.pop("which"), order.pop("alpha")
    del order["level"]
    own = [Share(plan, shard, settings, n_threads=1) for shard in several.shards]
    place = several.order
    found = _line_up([share.found(at, which, **order) for share in own])[place]
    labels = renumber(_line_up([mapped(shard.folder / LABELS) for shard in several.shards])[place])
    share = own[0] if len(own) == 1 else Share(plan, several, settings, n_threads=1)
    model = share.model(**order)
    graph, judged = model.given, share.judged
    teacher = renumber(found)[graph.given]
    kept = replace(judged, pairs=np.argsort(graph.given)[judged.pairs]) if len(judged) else None
    unseen = Rivals([teacher], np.ones(1)) if which == "joined" else None
    solved = CoordinateSolved(model, share.route, teacher, (), unseen=unseen, kept=kept)
    return solved.explain(labels, alpha, *asked)


def _line_up(labels: Sequence[Labels]) -> Labels:
    """Return labels of shards that follow each other, which share none."""
    starts = np.cumsum([0, *(int(each.max()) + 1 for each in labels)])
    return np.concatenate([each + start for each, start in zip(labels, starts[:-1], strict=True)])


def _find_record(plan: Plan, name: str) -> tuple[int, int]:
    """Return the shard and the row of a record by its name, or by its id if that is of one only."""
    has_sources = "source" in parquet_columns(plan.shards[0].file(ITEMS))
    full = "source::VARCHAR || ' ' || id::VARCHAR" if has_sources else "id::VARCHAR"
    for known in dict.fromkeys([full, "id::VARCHAR"]):
        found = _look_up(
            [shard.file(ITEMS) for shard in plan.shards], full, f"{known} = {text(name)}"
        )
        if len(found) == 1:
            return found[0][:2]
        if found:
            several = ", ".join(row[2] for row in found[:MOST_NAMED])
            raise InvalidInputError(f"pair must name one record; found {several}")
    raise InvalidInputError(f"pair must name records of the run; found {shown(name)}")


def _find_entity(entities: Entities, entity: int) -> tuple[int, int]:
    """Return the shard and the row of the first record of an entity."""
    found = _look_up(list(entities.parts), "''", f"entity = {int(entity)}")
    if not found:
        raise InvalidInputError(f"entity must be the number of one entity; found {entity}")
    return min(found)[:2]


def _look_up(files: list[Path], name: str, condition: str) -> list[Row]:
    """Return the number of the file, the row and the name of all records with a condition."""
    place = {str(file): at for at, file in enumerate(files)}
    listed = ", ".join(map(text, files))
    with library().connect(":memory:") as db:
        rows = db.execute(
            f"SELECT filename, file_row_number, {name} FROM read_parquet([{listed}], "
            f"filename = true, file_row_number = true) WHERE {condition}"
        ).fetchall()
    return [(place[file], row, named) for file, row, named in rows]
