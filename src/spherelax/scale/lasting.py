"""Ids of entities that stay from one run to the next, by overlap; DuckDB compares the records."""

from __future__ import annotations

import shutil
from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.changes.ids import COLUMNS, ENDED, LIVING, WHOLE, Given, give_ids, register_beside
from spherelax.changes.overlap import Overlap
from spherelax.errors import InvalidInputError, shown
from spherelax.io.answers.labelled import key_columns, label_column
from spherelax.io.files.seals import check_file, digest_file, read_json
from spherelax.io.files.writing import drafted
from spherelax.io.readers.pairs import present
from spherelax.io.tables.parquet import parquet_batches, parquet_columns, write_parquet
from spherelax.scale.entities import REGISTER, SUMMARY
from spherelax.scale.numbering import check_rows, rows_of
from spherelax.scale.origins import Origin, Part, one_type, text
from spherelax.scale.workspace import WORK, Progress, Workspace, reading, workspace

if TYPE_CHECKING:
    from pyarrow import RecordBatch


class Earlier(NamedTuple):
    """An earlier answer.

    Attributes
    ----------
    name : str
        Its name in messages.
    files : tuple of Path
        Its tables.
    register : Path or None
        The file of all ids that were given up to then.
    run : str
        What tells it from others.
    """

    name: str
    files: tuple[Path, ...]
    register: Path | None
    run: str

    @classmethod
    def of(cls, path: str | Path) -> Earlier:
        """Find the files of an answer: a table, or a folder of :func:`spherelax.scale.solve`.

        Examples
        --------
        >>> Earlier.of("nowhere.csv")
        Traceback (most recent call last):
            ...
        spherelax.errors.InvalidInputError: nowhere.csv: must be a file; found none
        """
        path = Path(path)
        if path.is_dir():
            checksums = read_json(path / SUMMARY)["checksums"]
            files = tuple(path / file for file in checksums if file.startswith("part-"))
            register = path / REGISTER if REGISTER in checksums else None
            for file in (*files, *([register] if register else [])):
                check_file(file, checksums[file.name])
            return cls(str(path), files, register, digest_file(path / SUMMARY))
        files = Origin.of(path).files
        register = register_beside(path) if register_beside(path).exists() else None
        digests = [digest_file(file) for file in (*files, *([register] if register else []))]
        return cls(str(path), files, register, sha256("".join(digests).encode()).hexdigest())


class Lasting(NamedTuple):
    """The ids of entities that have numbers of their own, which rise."""

    own: NDArray[np.int64]
    given: Given

    def of(self, entity: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids of entities by their own numbers."""
        return np.asarray(self.given.numbers[np.searchsorted(self.own, entity)])

    def counts(self) -> dict[str, int]:
        """Return how many ids were kept, are new and have ended, and the next free one."""
        counts = ("n_kept", "n_new", "n_ended", "next_free")
        return {name: getattr(self.given, name) for name in counts}


def keep_ids(
    earlier: Earlier, parts: Sequence[Path], memory_limit: str, progress: Progress
) -> Lasting:
    """Give the entities in files the ids of an earlier answer, and write the register beside.

    The ids are those of :func:`spherelax.keep_ids`. Of the records, DuckDB keeps within its memory
    limit; entities are kept as numbers.

    Raises
    ------
    InvalidInputError
        If the earlier answer cannot be used, or the register is not its.
    """
    into = parts[0].parent
    progress("keep ids", 0.0)
    with workspace(into, memory_limit, progress) as work:
        work.drop(*work.tables())
        ended = _compare(work, earlier, parts)
        before, after = (_order_entities(work, side) for side in ("before", "after"))
        last = max([int(before.max()), *(number for number, _, _ in ended)])
        overlap = _overlap(work, before, after)
        given = give_ids(overlap, last + 1)
        _write_register(work, into / REGISTER, overlap, given, ended)
    shutil.rmtree(into / WORK, ignore_errors=True)
    order = np.argsort(after)
    found = Lasting(after[order], given._replace(numbers=given.numbers[order]))
    for at, file in enumerate(parts):
        _renumber(file, found)
        progress("keep ids", (at + 1) / len(parts))
    return found


def _compare(work: Workspace, earlier: Earlier, parts: Sequence[Path]) -> list[tuple[int, ...]]:
    """Make a table of all records of both answers; return the ids that have ended before."""
    old, new = (_parts(work, files) for files in (earlier.files, parts))
    if len(old[0].columns) != len(new[0].columns):
        raise InvalidInputError(
            "the answers must name items by the same columns; found "
            f"{', '.join(old[0].columns[:-1])} and {', '.join(new[0].columns[:-1])}"
        )
    key = [f"key{place}" for place in range(len(new[0].columns) - 1)]
    types = [
        {one_type([(part, place) for part in side], "ids") for side in (old, new)}
        for place in range(len(key))
    ]
    is_text = any(len(kinds) > 1 for kinds in types)
    kinds = ["VARCHAR" if is_text else next(iter(found)) for found in types]
    for part in old:
        with reading(part.name):
            check_rows(work, part, [*kinds, "VARCHAR"], None)
    names = ", ".join(key)
    work.make(
        "listed", rows_of(old, [*key, "entity"], [*kinds, "VARCHAR"]), "read the earlier answer"
    )
    _check_ids(work, earlier.name, old[0].columns[-1], names)
    ended = [] if earlier.register is None else _read_ended(work, earlier.register)
    after = rows_of(new, [*key, "after"], [*kinds, "BIGINT"])
    work.make(
        "records",
        f"SELECT {names}, before, after "
        f"FROM (SELECT {names}, entity::BIGINT AS before FROM listed) "
        f"FULL OUTER JOIN ({after}) USING ({names})",
        "compare records",
    )
    return ended


def _parts(work: Workspace, files: Sequence[Path]) -> list[Part]:
    """Return tables of records, with the columns of their keys and labels."""
    return Origin.of(list(files)).parts(
        work, files[0], lambda sheet: [*key_columns(sheet), label_column(sheet)]
    )


def _check_ids(work: Workspace, name: str, word: str, key: str) -> None:
    """Refuse no records, those that are listed twice, and labels that are no whole numbers."""
    if not work.value("SELECT count(*) FROM listed"):
        raise InvalidInputError(f"{name}: must have at least one row; found none")
    wrong = work.rows(
        f"SELECT entity FROM listed WHERE NOT regexp_full_match(entity, '{WHOLE.pattern}') LIMIT 1"
    )
    if wrong:
        raise InvalidInputError(
            f"ids to keep must be whole numbers from 0; found {word} {shown(wrong[0][0])}"
        )
    twice = work.rows(f"SELECT {key} FROM listed GROUP BY ALL HAVING count(*) > 1 LIMIT 1")
    if twice:
        found: Hashable = twice[0] if len(twice[0]) > 1 else twice[0][0]
        raise InvalidInputError(f"{name}: items must be listed once; found {shown(found)} again")


def _read_ended(work: Workspace, register: Path) -> list[tuple[int, ...]]:
    """Read the ids that have ended; refuse the register of another answer."""
    parts = Origin.of(register).parts(work, register, lambda sheet: present(sheet, COLUMNS))
    with reading(str(register)):
        work.make(
            "register",
            rows_of(
                parts, ["id", "state", "items", "successor"], ["BIGINT", "VARCHAR", *["BIGINT"] * 2]
            ),
            "read the register",
        )
    living = f"SELECT id FROM register WHERE state = '{LIVING}'"
    answer = "SELECT entity::BIGINT FROM listed"
    for one, other, what in ((living, answer, "not in that"), (answer, living, "in that only")):
        odd = work.rows(f"({one} EXCEPT {other}) ORDER BY 1 LIMIT 1")
        if odd:
            raise InvalidInputError(
                f"{register}: must be the register of the earlier answer; id {odd[0][0]} is {what}"
            )
    return work.rows(f"SELECT id, items, successor FROM register WHERE state = '{ENDED}'")


def _order_entities(work: Workspace, side: str) -> NDArray[np.int64]:
    """Return the entities of an answer in the order of their first records."""
    keys = [name for name, *_ in work.rows("DESCRIBE records") if name.startswith("key")]
    query = (
        f"SELECT {side} FROM records WHERE {side} IS NOT NULL GROUP BY {side} "
        f"ORDER BY min(row({', '.join(keys)}))"
    )
    return np.concatenate([column for (column,) in work.arrays(query)])


def _overlap(work: Workspace, before: NDArray[np.int64], after: NDArray[np.int64]) -> Overlap:
    """Count the records of each entity of both answers."""
    query = "SELECT coalesce(before, -1), coalesce(after, -1), count(*) FROM records GROUP BY 1, 2"
    flows = [np.concatenate(each) for each in zip(*work.arrays(query), strict=True)]
    old, new = (_places(side, flow) for side, flow in zip((before, after), flows, strict=False))
    order = np.lexsort((new, old))
    return Overlap(
        old[order],
        new[order],
        flows[2][order],
        before.tolist(),
        after.tolist(),
        np.empty(0, dtype=np.intp),
    )


def _places(entities: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the places of some entities among all; -1 for no entity.

    Examples
    --------
    >>> _places(np.array([7, 4]), np.array([4, -1, 7]))
    array([ 1, -1,  0])
    """
    order = np.argsort(entities)
    found = order[np.searchsorted(entities, wanted, sorter=order).clip(max=len(order) - 1)]
    return np.where(wanted < 0, -1, found)


def _write_register(
    work: Workspace, path: Path, overlap: Overlap, given: Given, ended: list[tuple[int, ...]]
) -> None:
    """Write all ids that were ever given, as :meth:`spherelax.Ids.register` has them."""
    is_there = overlap.after >= 0
    sizes = np.bincount(overlap.after[is_there], overlap.n_items[is_there]).astype(np.int64)
    work.insert("living", id=given.numbers, items=sizes)
    over = [(number, n, -1 if to is None else to) for number, n, to in (*ended, *given.ended)]
    numbers, items, successor = np.array(over, dtype=np.int64).reshape(-1, 3).T
    work.insert("ended", id=numbers, items=items, successor=successor)
    with drafted(path) as draft:
        work.rows(
            f"COPY (SELECT id, '{LIVING}' AS state, items, NULL::BIGINT AS successor "
            f"FROM (FROM living ORDER BY id) UNION ALL SELECT id, '{ENDED}', items, "
            f"nullif(successor, -1) FROM ended) TO {text(draft)} (FORMAT csv, HEADER)"
        )


def _renumber(file: Path, ids: Lasting) -> None:
    """Write a file of entities again, with their ids."""
    columns = parquet_columns(file)
    schema = next(parquet_batches(file, columns, n_rows=1)).schema

    def batches() -> Iterator[RecordBatch]:
        for batch in parquet_batches(file, columns):
            place = columns.index("entity")
            entity = import_module("pyarrow").array(ids.of(batch["entity"].to_numpy()))
            yield batch.set_column(place, schema.field(place), entity)

    write_parquet(file, batches(), schema)
