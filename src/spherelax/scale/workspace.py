"""A database of DuckDB for work in progress: bounded memory, tables that survive a stop."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about, first_line
from spherelax.io.files.mapped import Array
from spherelax.io.files.seals import damaged

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import RecordBatchReader

# Gets what is being done, and the share of it that is done.
Progress = Callable[[str, float], None]
# A row of an answer.
Row = tuple[Any, ...]
# Rows that Python gets at once.
CHUNK = 1 << 20
# Memory without which a thread of DuckDB may fail.
THREAD_BYTES = 250_000_000
# Seconds between two looks at how far a statement is.
LOOK = 0.5
# Folder of the database, and its file.
WORK, DATABASE = "work", "work.duckdb"
# What DuckDB and the system say if the disk is full.
FULL = ("No space left", "max_temp_directory_size", "failed to offload")
# What DuckDB says if its file is damaged: a checksum does not fit, or a table is lost.
DAMAGED = ("Corrupt database", "Corrupt WAL", "replaying WAL", "checksum", "Catalog Error")


@dataclass(frozen=True, eq=False)
class Workspace:
    """A database in a folder.

    Attributes
    ----------
    db : duckdb.DuckDBPyConnection
        The only connection to it.
    progress : callable
        Gets what is being done, and the share of it that is done.
    """

    db: DuckDBPyConnection
    progress: Progress

    def has(self, table: str) -> bool:
        """Tell whether there is a table."""
        return table in self.tables()

    def tables(self) -> list[str]:
        """Return the names of the tables."""
        query = "SELECT table_name FROM duckdb_tables() WHERE database_name <> 'given'"
        return [name for (name,) in self.rows(query)]

    def rows(self, query: str) -> list[Row]:
        """Run a statement and return its answer, which must be small."""
        return self._run(query, lambda: None)

    def value(self, query: str) -> Any:
        """Return the only value of an answer."""
        return self.rows(query)[0][0]

    def make(self, table: str, query: str, what: str) -> None:
        """Make a table of a query, if it is not there from an earlier run."""
        if self.has(table):
            return
        self.progress(what, 0.0)
        self._run(f"CREATE TABLE {table} AS {query}", lambda: self.progress(what, self._share()))
        self.progress(what, 1.0)

    def drop(self, *tables: str) -> None:
        """Remove tables; their room in the database is used again."""
        for table in tables:
            self.rows(f"DROP TABLE IF EXISTS {table}")

    def insert(self, table: str, **columns: Array) -> None:
        """Make a table of arrays."""
        self.db.register("arrays", import_module("pyarrow").table(columns))
        self.rows(f"CREATE TABLE {table} AS FROM arrays")
        self.db.unregister("arrays")

    def reader(self, query: str) -> RecordBatchReader:
        """Return an answer of any size as a reader of Arrow record batches, in its order."""
        return self.db.sql(query).to_arrow_reader(CHUNK)

    def arrays(self, query: str) -> Iterator[tuple[Array, ...]]:
        """Return an answer of any size as arrays, one per column, piece by piece."""
        for batch in self.reader(query):
            yield tuple(column.to_numpy(zero_copy_only=False) for column in batch.columns)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make all changes of a block, or none."""
        self.rows("BEGIN")
        try:
            yield
        except BaseException:
            self.rows("ROLLBACK")
            raise
        self.rows("COMMIT")

    def _run(self, statement: str, look: Callable[[], None]) -> list[Row]:
        """Run a statement in a thread, and look at it now and then: so Ctrl-C ends it at once."""
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(lambda: self.db.execute(statement).fetchall())
            try:
                while not wait([job], LOOK).done:
                    look()
            except BaseException:
                self.db.interrupt()
                raise
            answer: list[Row] = job.result()
            return answer

    def _share(self) -> float:
        """Return how much of the running statement is done; below 0 means that it is not known."""
        return max(float(self.db.query_progress()) / 100.0, 0.0)


@contextmanager
def workspace(folder: Path, memory_limit: str, progress: Progress) -> Iterator[Workspace]:
    """Open the database in a folder, or make it.

    Raises
    ------
    InvalidInputError
        If memory or disk are too small, or another process works there. If the disk is full, what
        was written is removed; otherwise it stays, so that the next run can go on.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with workspace(Path(folder), "1GB", lambda what, share: None) as work:
    ...         work.make("squares", "SELECT range * range AS x FROM range(4)", "square")
    ...         work.rows("FROM squares")
    [(0,), (1,), (4,), (9,)]
    """
    duckdb = library()
    home = folder / WORK
    try:
        home.mkdir(parents=True, exist_ok=True)
        db = _connect(home, memory_limit)
        try:
            yield Workspace(db, progress)
        finally:
            db.close()
    except (duckdb.Error, OSError) as error:
        if is_full(error):
            clear_shards(folder)
            shutil.rmtree(home)
            reason = f"{folder}: the disk is full; free some room or choose another folder"
        elif isinstance(error, duckdb.OutOfMemoryException):
            reason = f"memory_limit must be larger for these pairs; found {memory_limit}"
        elif any(words in str(error) for words in DAMAGED):
            raise damaged(home / DATABASE) from None
        else:
            reason = f"{folder}: {first_line(error)}"
        raise InvalidInputError(reason) from None


def clear_shards(folder: Path) -> None:
    """Remove the shards of a run that was not completed."""
    for found in folder.glob("shard-*"):
        shutil.rmtree(found)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn errors while a file is read into errors that name the file."""
    duckdb = library()
    try:
        with about(name):
            yield
    except duckdb.Error as error:
        if is_full(error) or isinstance(error, duckdb.OutOfMemoryException):
            raise
        raise InvalidInputError(f"{name}: cannot be read; {first_line(error)}") from None


def is_full(error: Exception) -> bool:
    """Tell whether an error says that the disk is full.

    Examples
    --------
    >>> is_full(OSError(errno.ENOSPC, "No space left on device")), is_full(OSError("damaged"))
    (True, False)
    """
    is_enospc = isinstance(error, OSError) and error.errno == errno.ENOSPC
    return is_enospc or any(words in str(error) for words in FULL)


def size_of(memory_limit: str) -> int:
    """Return a size in bytes.

    Examples
    --------
    >>> size_of("4GB"), size_of("1 MiB")
    (4000000000, 1048576)
    """
    duckdb = library()
    try:
        with duckdb.connect(":memory:") as db:
            query = "SELECT parse_formatted_bytes(?)"
            return int(db.execute(query, [memory_limit]).fetchone()[0])
    except duckdb.Error:
        raise _no_size(memory_limit) from None


def library() -> ModuleType:
    """Import DuckDB."""
    try:
        return import_module("duckdb")
    except ImportError:
        raise ImportError("this needs DuckDB: pip install 'spherelax[scale]'") from None


def _connect(home: Path, memory_limit: str) -> DuckDBPyConnection:
    """Open the database; a bar of progress is not printed, but can be asked for its state."""
    duckdb = library()
    settings = {"memory_limit": memory_limit, "temp_directory": str(home / "temp")}
    try:
        db = duckdb.connect(str(home / DATABASE), config=settings)
    except (duckdb.ParserException, duckdb.InvalidInputException):
        raise _no_size(memory_limit) from None
    limit, threads = db.execute(
        "SELECT parse_formatted_bytes(current_setting('memory_limit')), current_setting('threads')"
    ).fetchone()
    db.execute(f"SET threads = {max(min(threads, limit // THREAD_BYTES), 1)}")
    db.execute("SET enable_progress_bar = true")
    db.execute("SET enable_progress_bar_print = false")
    return db


def _no_size(memory_limit: str) -> InvalidInputError:
    """Return the error about a text that is no size."""
    return InvalidInputError(f"memory_limit must be a size such as 4GB; found {memory_limit!r}")
