"""Where tables come from: files, a table of a DuckDB database, a relation, an Arrow dataset."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spherelax.errors import InvalidInputError
from spherelax.io.files.seals import digest_file
from spherelax.io.readers.pairs import present
from spherelax.io.tables.frames import Sheet, listed
from spherelax.io.tables.parquet import ENDING as PARQUET
from spherelax.io.tables.rows import ENDINGS, read_header
from spherelax.scale.workspace import Workspace, library, reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")}
INTEGERS |= {"INTEGER", "UINTEGER"}
# What ids and sources are read as.
NUMBER, TEXT = "BIGINT", "VARCHAR"
QUOTE = '"'
# Chooses the columns that are needed.
Choose = Callable[[Sheet], Sequence[str]]
Thing = TypeVar("Thing")
Done = TypeVar("Done")


class Reader(NamedTuple):
    """SQL that reads tables, before and after the list of files, and types of needed columns."""

    before: str
    after: str
    types: tuple[tuple[str, str], ...]


class Part(NamedTuple):
    """A table that is read at once: its name in messages, how it is read, and if it is a file.

    ``content`` tells a file from others with another content.
    """

    name: str
    reader: Reader
    file: Path | None = None
    content: str | None = None

    @property
    def columns(self) -> list[str]:
        """Columns that are needed."""
        return [name for name, _ in self.reader.types]


@dataclass(frozen=True, eq=False)
class Origin:
    """What the user gave.

    Attributes
    ----------
    given : object
        A path or glob, a list of these, a relation or an Arrow dataset.
    table : str or None
        A table of the database that was given.
    files : tuple of Path
        The files, in order of their names; none for a relation or a dataset.
    """

    given: object
    table: str | None
    files: tuple[Path, ...]

    @classmethod
    def of(cls, given: object, table: str | None = None) -> Origin:
        """Find the files.

        Examples
        --------
        >>> Origin.of("nowhere/*.parquet")
        Traceback (most recent call last):
            ...
        spherelax.errors.InvalidInputError: nowhere/*.parquet: must be a file; found none
        """
        patterns = [given] if isinstance(given, str | Path) else given
        found: set[Path] = set()
        if isinstance(patterns, Sequence):
            found.update(*map(_files, patterns))
            if not found:
                raise InvalidInputError("pairs must be in at least one file; found an empty list")
        if table is not None and len(found) != 1:
            raise InvalidInputError(
                f"table names a table of one DuckDB database; found {len(found)} files"
            )
        return cls(given, table, tuple(sorted(found)))

    @property
    def name(self) -> str:
        """Name in messages."""
        return str(self.given) if isinstance(self.given, str | Path) else "pairs"

    @cached_property
    def content_of(self) -> dict[Path, str]:
        """Digest of what each file holds."""
        return {file: digest_file(file) for file in self.files}

    def contents(self) -> list[str]:
        """Return what tells the content of all files from any other, whatever they are called."""
        return sorted(self.content_of.values())

    def parts(self, work: Workspace, spool: Path, choose: Choose) -> list[Part]:
        """Return the tables; what is neither a file nor in a database is copied to a file."""
        if not self.files:
            return [_spooled(work, self.given, spool, choose)]
        if self.table is not None:
            part = _attached(work, self.files[0], self.table, choose)
            return [part._replace(content=self.content_of[self.files[0]])]
        chosen: list[str] = []

        def same(sheet: Sheet) -> Sequence[str]:
            """Choose the columns of the first table; the others must have them too."""
            chosen.extend([] if chosen else choose(sheet))
            return present(sheet, chosen)

        def read(file: Path) -> Part:
            return _from_file(work, file, same)._replace(content=self.content_of[file])

        return each(self.files, str, read)


def each(
    things: Iterable[Thing], name: Callable[[Thing], str], do: Callable[[Thing], Done]
) -> list[Done]:
    """Do something with all things; then raise if some of them failed, and name these.

    Examples
    --------
    >>> each([Path("a.csv"), Path("b.csv")], str, read_header)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: a.csv: No such file or directory; b.csv failed too
    """
    done: list[Done] = []
    failed: list[str] = []
    first: InvalidInputError | None = None
    for thing in things:
        try:
            done.append(do(thing))
        except InvalidInputError as error:
            first = first or error
            failed.append(name(thing))
    if first is None:
        return done
    others = f"; {listed(failed[1:])} failed too" if len(failed) > 1 else ""
    raise InvalidInputError(f"{first}{others}")


def scan(parts: Sequence[Part]) -> str:
    """Return SQL for the rows of parts that have the same reader."""
    before, after, _ = parts[0].reader
    files = ", ".join(text(glob.escape(str(part.file))) for part in parts if part.file)
    return f"{before}[{files}]{after}" if files else before


def text(value: object) -> str:
    """Return a value as text in SQL.

    Examples
    --------
    >>> print(text("it's"))
    'it''s'
    """
    return "'" + str(value).replace("'", "''") + "'"


def name(column: str) -> str:
    """Return a name in SQL.

    Examples
    --------
    >>> print(name("id of shop"))
    "id of shop"
    """
    return '"' + column.replace('"', '""') + '"'


def one_type(columns: Iterable[tuple[Part, int]], what: str) -> str:
    """Return the type of columns of parts, given by their places: integers or text, never both."""
    found: set[str] = set()
    for part, place in columns:
        column, kind = part.reader.types[place]
        is_text = kind == TEXT or kind.startswith("ENUM")
        if not is_text and kind not in INTEGERS:
            raise InvalidInputError(
                f"{part.name}: {column} must hold integers or text; found {kind}"
            )
        found.add(TEXT if is_text else NUMBER)
        if len(found) > 1:
            raise InvalidInputError(
                f"{part.name}: {what} must be all integers or all text; found "
                f"{'text' if is_text else 'integers'} in {column}, unlike before"
            )
    return found.pop()


def _files(pattern: str | Path) -> list[Path]:
    """Return the files that a path or a glob names."""
    found = [Path(pattern)]
    if not found[0].exists():
        found = [Path(file) for file in glob.glob(str(pattern), recursive=True)]  # noqa: PTH207
    files = [file for file in found if file.is_file()]
    if not files:
        raise InvalidInputError(
            f"{pattern}: must be a file; found {'a folder' if found else 'none'}"
        )
    return files


def _from_file(work: Workspace, file: Path, choose: Choose) -> Part:
    """Return a file with the types of its columns."""
    ending = file.suffix.lower()
    if ending == PARQUET:
        before, after = "read_parquet(", ", hive_partitioning = false)"
        part = Part(str(file), Reader(before, after, ()), file)
        return _described(work, part, choose)
    if ending not in ENDINGS:
        expected = ", ".join((*ENDINGS, PARQUET))
        raise InvalidInputError(
            f"{file}: must end in {expected}, or be a DuckDB database one of whose tables is named"
        )
    header, delimiter = read_header(file)
    columns = choose(Sheet(str(file), dict.fromkeys(header), None))
    cells = ", ".join(f"nullif(ltrim({name(cell)}), '') AS {name(cell)}" for cell in columns)
    types = ", ".join(f"{text(cell)}: {text(TEXT)}" for cell in header)
    quotes = f"quote = {text(QUOTE)}, escape = {text(QUOTE)}"
    after = f", auto_detect = false, header = true, delim = {text(delimiter)}, {quotes}, "
    after += f"columns = {{{types}}}))"
    reader = Reader(f"(SELECT {cells} FROM read_csv(", after, tuple((c, TEXT) for c in columns))
    return Part(str(file), reader, file)


def _attached(work: Workspace, file: Path, table: str, choose: Choose) -> Part:
    """Return a table of another database, which is opened for reading."""
    with reading(str(file)):
        work.rows(f"ATTACH {text(file)} AS given (READ_ONLY)")
    path = ".".join(map(name, ["given", *table.split(".")]))
    part = Part(f"{file}, {table}", Reader(path, "", ()))
    return _described(work, part, choose)


def _spooled(work: Workspace, given: object, spool: Path, choose: Choose) -> Part:
    """Copy the columns that are needed to a file."""
    duckdb = library()
    relation: DuckDBPyRelation = given
    if not isinstance(given, duckdb.DuckDBPyRelation):
        try:
            relation = work.db.from_arrow(given)
        except (duckdb.Error, TypeError):
            raise InvalidInputError(
                "pairs must be files, a table of a DuckDB database, a relation or an Arrow "
                f"dataset; found {type(given).__name__}"
            ) from None
    columns = choose(Sheet("pairs", dict.fromkeys(relation.columns), None))
    with reading("pairs"):
        relation.project(", ".join(map(name, columns))).write_parquet(str(spool))
    part = _from_file(work, spool, lambda _: columns)
    return part._replace(name="pairs")


def _described(work: Workspace, part: Part, choose: Choose) -> Part:
    """Add the columns that are needed and their types."""
    with reading(part.name):
        found = work.rows(f"DESCRIBE SELECT * FROM {scan([part])}")
    types = {column: kind for column, kind, *_ in found}
    columns = choose(Sheet(part.name, dict.fromkeys(types), None))
    reader = part.reader._replace(types=tuple((column, types[column]) for column in columns))
    return part._replace(reader=reader)
