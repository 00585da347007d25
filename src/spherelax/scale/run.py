"""From tables of pairs of any size to entities: shards, rounds of work on them, answers."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from spherelax._solve import checked_threads
from spherelax.errors import InvalidInputError
from spherelax.io.files.source import Source
from spherelax.io.files.writing import check_target, replace_file
from spherelax.memory import available
from spherelax.scale.answers import part, read_sums
from spherelax.scale.cluster import Cluster
from spherelax.scale.entities import (
    PAGE,
    REGISTER,
    SUMMARY,
    Entities,
    gathered,
    read_entities,
    read_outcome,
    save_entities,
    to_database,
)
from spherelax.scale.giant import check_memory
from spherelax.scale.ingest import MEMORY, ingest, silent
from spherelax.scale.lasting import Earlier, Lasting, keep_ids
from spherelax.scale.page import page
from spherelax.scale.processes import Processes
from spherelax.scale.protocol import Round, advance
from spherelax.scale.shards import MANIFEST, Plan, Shard, read_plan
from spherelax.scale.tasks import Runner, Task, answer_shard, perform_shard
from spherelax.scale.workspace import Progress, size_of
from spherelax.settings import Coordinate

# Folder of the shards, inside that of the answers.
SHARDS = "shards"
TABLE = "entities"


def solve(
    source: object,
    into: str | Path,
    *,
    table: str | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    duplicate_free_sources: Collection[Hashable] | None = None,
    records: Any = None,
    kind: str | None = None,
    floor: float | None = None,
    max_pairs: int | None = None,
    n_shards: int | None = None,
    judgements: Any = None,
    contradictions: str | None = None,
    ids_like: str | Path | None = None,
    solver: Coordinate | None = None,
    n_jobs: int | None = None,
    client: Any = None,
    memory_limit: str = MEMORY,
    write_database: str | Path | None = None,
    write_table: str = TABLE,
    progress: Progress | None = None,
) -> Entities:
    """Find which records are the same thing, from scored pairs that do not fit into memory.

    Pairs become shards of whole components, workers solve them from file to file, and the entity of
    each record is written beside, as Parquet. A run that was stopped goes on with what is there if
    it is called again; one that is complete is returned.

    Parameters
    ----------
    source : Plan, or as in :func:`ingest`
        Shards, or the pairs: then the shards are in the folder ``shards`` of ``into``.
    into : str or Path
        The folder of the answers; it is made if it is not there.
    table, columns, duplicate_free_sources, records, kind, floor, max_pairs, n_shards
        As in :func:`ingest`; a plan has its own.
    judgements, contradictions
        As in :func:`ingest`; a plan has its own. They are kept as by
        :meth:`spherelax.Result.judge`.
    ids_like : str or Path, optional
        An earlier answer: a folder of this function, or a table. Entities keep its ids by the
        records that they share, as by :func:`spherelax.keep_ids`; ``ids.csv`` in the folder of the
        answers has all ids that were ever given.
    solver : Coordinate, optional
        Settings of the solver.
    n_jobs : int, optional
        Number of processes on this machine. None: one for each processor. Fewer work at once if
        their shards would need more than ``memory_limit``.
    client : distributed.Client, optional
        A client of a Dask cluster; its workers take the place of processes on this machine. All of
        them must have this version of spherelax, and must see ``into`` under the same name.
    memory_limit : str
        Memory of DuckDB, and then of all processes on this machine together.
    write_database : str or Path, optional
        A DuckDB database that gets a copy of the answers, too.
    write_table : str
        The name of the new table.
    progress : callable, optional
        Gets what is being done, or which shard is done, and the share of it that is done.

    Returns
    -------
    Entities
        Also ``Entities.load(into)``.

    Raises
    ------
    InvalidInputError
        If a table cannot be used, a shard needs more memory than there is, or workers are killed
        again and again. Nothing that is done is lost.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from spherelax import scale
    >>> pairs = {"id_a": ["x", "b", "y"], "id_b": ["y", "c", "z"], "score": [0.9, 0.8, 0.7]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = scale.solve(pa.table(pairs), folder, n_jobs=1)
    ...     pq.read_table(found.parts[0]).select(["id", "entity"]).to_pydict()
    {'id': ['b', 'c', 'x', 'y', 'z'], 'entity': [0, 0, 2, 2, 2]}
    """
    into, notify = Path(os.path.realpath(into)), progress or silent
    n_processes = checked_threads(n_jobs)
    if client is not None and n_jobs is not None:
        raise InvalidInputError("n_jobs and client must not be given together; found both")
    if write_database is not None:
        check_target(write_database)
    given = {
        "table": table,
        "columns": columns,
        "duplicate_free_sources": duplicate_free_sources,
        "records": records,
        "kind": kind,
        "floor": floor,
        "max_pairs": max_pairs,
        "n_shards": n_shards,
        "judgements": judgements,
        "contradictions": contradictions,
    }
    earlier = None if ids_like is None else _earlier(Path(ids_like), into)
    plan = _plan(source, into, given, memory_limit, notify)
    settings = solver or Coordinate()
    run = _fingerprint(plan, settings, earlier)
    entities = _found(into, run)
    if entities is None:
        with _runner(n_processes, client, memory_limit, plan.folder) as runner:
            check_memory(plan, runner.memory(), memory_limit, notify)
            _do_rounds(plan, settings, runner, notify)
            _write_answers(plan, into, runner, notify)
        ids = None
        if earlier is not None:
            files = [part(into, shard.number) for shard in plan.shards]
            ids = keep_ids(earlier, files, memory_limit, notify)
        entities = _summarise(plan, into, run, ids)
    if write_database is not None:
        to_database(entities, Path(write_database), write_table)
    return entities


def _plan(
    source: object, into: Path, given: Mapping[str, Any], memory_limit: str, notify: Progress
) -> Plan:
    """Return the plan that was given, or make one."""
    if not isinstance(source, Plan):
        folder = into / SHARDS
        asked = {name: value for name, value in given.items() if value is not None}
        return ingest(source, folder, **asked, memory_limit=memory_limit, progress=notify)
    for name, value in given.items():
        if value is not None:
            raise InvalidInputError(f"{name} belongs to the plan, which is made; leave it out")
    return read_plan(Path(os.path.realpath(source.folder)))


def _runner(
    n_processes: int, client: Any, memory_limit: str, folder: Path
) -> AbstractContextManager[Runner]:
    """Return the workers."""
    if client is None:
        free = min(size_of(memory_limit), available())
        return Processes(n_processes, free)
    return nullcontext(Cluster(client, folder))


def _do_rounds(plan: Plan, settings: Coordinate, runner: Runner, notify: Progress) -> None:
    """Do what the protocol asks for, until nothing is left."""
    before: Round | None = None
    while (order := advance(plan.folder, settings)) is not None:
        if order == before:
            named = ", ".join(plan.shards[shard].folder.name for shard in order.shards[:3])
            raise InvalidInputError(
                f"{plan.folder}: the work on {named} left no files; do all workers share it?"
            )
        before = order
        chosen = [plan.shards[shard] for shard in order.shards]
        said = f"round {order.number + 1} of about {order.n_rounds_about}, {order.what}"
        _run(list(_orders(plan, order, chosen, runner)), runner, len(plan.shards), said, notify)


def _orders(plan: Plan, order: Round, shards: Sequence[Shard], runner: Runner) -> Iterable[Task]:
    """Make the tasks of a round; a shard with most of the pairs has all threads for itself."""
    n_pairs = sum(shard.n_pairs for shard in shards)
    for shard in shards:
        is_alone = 2 * shard.n_pairs > n_pairs
        n_threads = runner.n_threads(len(shards), is_alone=is_alone)
        arguments = (str(plan.folder), order.number, shard.number, n_threads)
        yield Task(perform_shard, arguments, shard.folder.name, shard.memory, is_alone)


def _write_answers(plan: Plan, into: Path, runner: Runner, notify: Progress) -> None:
    """Write the answers of all shards; those of an earlier run again, and no others stay."""
    into.mkdir(parents=True, exist_ok=True)
    for file in into.glob("part-*.parquet"):
        file.unlink()
    tasks = [
        Task(
            answer_shard,
            (str(plan.folder), shard.number, str(into)),
            shard.folder.name,
            shard.memory,
        )
        for shard in plan.shards
    ]
    _run(tasks, runner, len(tasks), "write entities", notify)


def _run(tasks: Sequence[Task], runner: Runner, n_shards: int, said: str, notify: Progress) -> None:
    """Do tasks, and say which shard is done."""
    n_done = n_shards - len(tasks)
    notify(said, n_done / n_shards)

    def done(task: Task) -> None:
        nonlocal n_done
        n_done += 1
        notify(f"{said}: {task.name}", n_done / n_shards)

    runner.run(tasks, done)


def _summarise(plan: Plan, into: Path, run: str, ids: Lasting | None) -> Entities:
    """Add the sums of all shards, and write the report and, last, the summary."""
    sums = [read_sums(shard) for shard in plan.shards]
    entities = gathered(plan, into, sums)
    if ids is not None:
        entities = replace(entities, ids=ids.counts())
        for sample in (sample for shard in sums for sample in shard["samples"]):
            sample["entity"] = int(ids.of(np.array([sample["entity"]]))[0])
    steps = read_outcome(plan).get("steps", [])
    replace_file(into / PAGE, page(plan, entities, sums, steps).encode())
    save_entities(entities, run)
    return entities


def _earlier(path: Path, into: Path) -> Earlier:
    """Find the earlier answer whose ids are kept."""
    if os.path.realpath(path) == str(into):
        raise InvalidInputError(f"ids_like must be another folder than that of the answers: {path}")
    return Earlier.of(path)


def _found(into: Path, run: str) -> Entities | None:
    """Return the entities of a run that is complete; refuse a folder that holds those of others."""
    if not (into / SUMMARY).exists():
        return None
    entities, found = read_entities(into)
    if found != run:
        raise InvalidInputError(
            f"{into}: holds entities of other pairs, settings or ids; "
            "choose another folder, or delete this one"
        )
    needed = (*entities.parts, *([into / REGISTER] if entities.ids else []))
    return entities if all(file.exists() for file in needed) else None


def _fingerprint(plan: Plan, settings: Coordinate, earlier: Earlier | None) -> str:
    """Return what tells a run from others: its shards, settings and earlier answer."""
    about = Source(plan.folder / MANIFEST).text + json.dumps(asdict(settings))
    return sha256((about + (earlier.run if earlier else "")).encode()).hexdigest()
