"""From tables of pairs of any size to shards: whole components in files, in bounded memory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.answers.packed import Values
from spherelax.io.files.seals import sum_file
from spherelax.io.readers.judgements import REFUSE
from spherelax.io.tables.frames import read_sheet
from spherelax.io.tables.parquet import write_parquet
from spherelax.scale.components import Forest, pack, ranks
from spherelax.scale.kept import keep
from spherelax.scale.numbering import Numbered, Request, number
from spherelax.scale.origins import Origin
from spherelax.scale.shards import (
    EDGES,
    FREE,
    ITEMS,
    JUDGEMENTS,
    MANIFEST,
    Edges,
    Plan,
    Shard,
    read_plan,
)
from spherelax.scale.workspace import WORK, Progress, Workspace, workspace

if TYPE_CHECKING:
    from pyarrow import RecordBatch

MEMORY = "4GB"


def ingest(
    source: object,
    into: str | Path,
    *,
    table: str | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    duplicate_free_sources: Collection[Hashable] | None = None,
    records: Origin | None = None,
    kind: str | None = None,
    floor: float | None = None,
    max_pairs: int | None = None,
    n_shards: int | None = None,
    judgements: Any = None,
    contradictions: str = REFUSE,
    memory_limit: str = MEMORY,
    progress: Progress | None = None,
) -> Plan:
    """Read scored pairs of records and write them as shards of whole components.

    Columns, scores, duplicates, pairs of a record with itself, sources and kinds are as in
    :func:`spherelax.io.read_pairs`: the similarities are the same. Records are numbered in the
    order of their sources and ids, numbers as numbers and text by its UTF-8 bytes, so that shards
    do not depend on the order of files or rows. Pairs whose similarity is 0 join nothing.

    If ``into`` holds a plan already, it is returned if settings and the content of the input files
    are the same, and refused otherwise. A run that was stopped goes on where it was, unless
    a file that it has read is another one now: then it begins anew.

    Parameters
    ----------
    source : str, Path, list of these, DuckDB relation or Arrow dataset
        Files, also by a glob such as ``pairs/*.parquet``, that end in ``.parquet``, ``.csv``,
        ``.tsv`` or ``.txt``; or a DuckDB database.
    into : str or Path
        The folder to write to; it is made if it is not there.
    table : str, optional
        The table of pairs, if ``source`` is a DuckDB database.
    columns, duplicate_free_sources, kind
        As in :func:`spherelax.io.read_pairs`.
    records : str, Path, list of these, DuckDB relation or Arrow dataset, optional
        All records. Each one that is in no pair is a component of its own.
    floor : float, optional
        Pairs with a lower score are left out, but not their records.
    max_pairs : int, optional
        Pairs of a shard, about. A component with more of them gets a shard of its own. None: a
        64th of all pairs, but at least 1 and at most 10 million.
    n_shards : int, optional
        Number of shards; it takes the place of ``max_pairs``.
    judgements : file or table, optional
        Judged pairs, as :func:`spherelax.io.read_judgements` reads them. Records that are judged to
        be the same are in one shard. The plan keeps the judgements for :func:`solve`.
    contradictions : {"refuse", "drop"}
        What happens to judgements that contradict each other: they are refused, or later ones
        correct earlier ones.
    memory_limit : str
        Memory of DuckDB. Some 30 bytes for each record come on top.
    progress : callable, optional
        Gets what is being done, and the share of it that is done.

    Returns
    -------
    Plan
        Also ``Plan.load(into)``.

    Raises
    ------
    InvalidInputError
        If a table cannot be used; every file that fails is named. If the disk is full, what was
        written is removed.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = {"id_a": ["x", "b", "y"], "id_b": ["y", "c", "x"], "score": [0.9, 0.8, 0.7]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plan = scale.ingest(pa.table(pairs), folder, n_shards=2)
    ...     for shard in plan.shards:
    ...         print(shard.items().id.to_pylist(), shard.edges().similarity)
    ['b', 'c'] [0.8]
    ['x', 'y'] [0.9]
    """
    into = Path(into)
    request = Request(
        Origin.of(source, table),
        None if records is None else Origin.of(records),
        columns,
        duplicate_free_sources,
        kind,
        floor,
        max_pairs,
        n_shards,
        None if judgements is None else read_sheet(judgements, "judgements"),
        contradictions,
    )
    asked = json.loads(json.dumps({"files": request.pairs.contents(), **request.settings()}))
    if (into / MANIFEST).exists():
        plan = _as_it_is(into, asked if request.is_in_files else None)
    else:
        with workspace(into, memory_limit, progress or silent) as work:
            found = number(work, request, into)
            _make_homes(work, found, request)
            shards = tuple(_write_shards(work, found, into))
        if request.judgements is not None:
            keep(into / JUDGEMENTS, {"judgements": found.judgements})
        scoring, sources = found.scoring, found.duplicate_free_sources
        plan_kind = scoring.kind_of(has_groups=bool(sources))
        plan = Plan(into, shards, str(scoring.column), plan_kind, sources, asked)
        plan.save()
    shutil.rmtree(into / WORK, ignore_errors=True)
    return plan


def components(work: Workspace, found: Numbered) -> Forest:
    """Return the components of numbered pairs; what is judged to be the same is joined, too."""
    forest = Forest.of(found.n_items)
    judged = found.judgements
    forest.add(*judged.pairs[judged.same].T.astype(forest.parent.dtype, order="C"))
    for a, b in work.arrays("SELECT a, b FROM pairs"):
        forest.add(a, b)
    return forest


def silent(what: str, share: float) -> None:
    """Report nothing."""


def _as_it_is(into: Path, asked: Values | None) -> Plan:
    """Return the plan of a folder if it is what was asked for."""
    plan = read_plan(into)
    if asked is None or plan.request != asked:
        raise InvalidInputError(
            f"{into}: holds shards of other input or settings; "
            "choose another folder, or delete this one"
        )
    return plan


def _make_homes(work: Workspace, found: Numbered, request: Request) -> None:
    """Give each item its shard, and sort items and pairs by it."""
    if not work.has("homes"):
        work.progress("find components", 0.0)
        parts = components(work, found).components()
        shard = pack(parts.n_pairs, max_pairs=request.max_pairs, n_shards=request.n_shards)
        home = shard[parts.of_item]
        with work.at_once():
            work.insert("homes", item=np.arange(found.n_items), shard=home)
            n_components = np.bincount(shard)
            work.insert("packs", shard=np.arange(len(n_components)), n_components=n_components)
        work.progress("find components", 1.0)
    work.make(
        "sorted_pairs",
        "SELECT shard, a, b, score FROM pairs JOIN homes ON a = item ORDER BY shard, a, b",
        "sort pairs",
    )
    work.drop("pairs")
    group, join = f"{FREE}", ""
    if found.duplicate_free_sources:
        work.drop("free")
        codes = np.arange(len(found.duplicate_free_sources), dtype=np.int32)
        work.insert("free", source=np.array(found.duplicate_free_sources), code=codes)
        group, join = f"coalesce(code, {FREE})", "LEFT JOIN free USING (source)"
    key = ", ".join(found.key)
    work.make(
        "sorted_items",
        f'SELECT shard, item, {key}, {group}::INTEGER AS "group" FROM '
        f"(SELECT rowid AS item, {key} FROM items) JOIN homes USING (item) {join} "
        "ORDER BY shard, item",
        "sort records",
    )


def _write_shards(work: Workspace, found: Numbered, into: Path) -> Iterator[Shard]:
    """Write the shards, those of an earlier run again."""
    home = np.empty(found.n_items, dtype=np.int32)
    for item, shard in work.arrays("SELECT item, shard FROM homes"):
        home[item] = shard
    row = ranks(home)
    packs = work.rows("SELECT shard, n_components FROM packs ORDER BY shard")
    for shard, n_components in packs:
        work.progress("write shards", shard / len(packs))
        folder = into / f"shard-{shard:05d}"
        folder.mkdir(exist_ok=True)
        n_items = _write_items(work, found, folder / ITEMS, shard)
        n_pairs = _write_edges(work, found, folder / EDGES, shard, row)
        files = [folder / EDGES, folder / ITEMS]
        n_bytes = sum(file.stat().st_size for file in files)
        yield Shard(folder, n_items, n_pairs, n_components, n_bytes, *map(sum_file, files))
    work.progress("write shards", 1.0)


def _write_items(work: Workspace, found: Numbered, path: Path, shard: int) -> int:
    """Write the items of a shard; return their number."""
    key = ", ".join(found.key)
    query = f'SELECT item, {key}, "group" FROM sorted_items WHERE shard = {shard}'
    reader = work.reader(query)
    return write_parquet(path, reader, reader.schema)


def _write_edges(
    work: Workspace, found: Numbered, path: Path, shard: int, row: NDArray[np.int32]
) -> int:
    """Write the pairs of a shard, with the rows of its items; return their number."""
    pyarrow = import_module("pyarrow")
    kinds = (pyarrow.int32(), pyarrow.int32(), pyarrow.float64())
    schema = pyarrow.schema(list(zip(Edges._fields, kinds, strict=True)))

    def batches() -> Iterator[RecordBatch]:
        query = f"SELECT a, b, score FROM sorted_pairs WHERE shard = {shard}"
        for a, b, score in work.arrays(query):
            edges = [row[a], row[b], found.scoring.similarities(score)]
            yield pyarrow.record_batch(edges, schema=schema)

    return write_parquet(path, batches(), schema)
