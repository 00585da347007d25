"""SQLite databases: opened without changing any file, and written completely or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.files.writing import drafted

MAGIC = b"SQLite format 3\0"
# Bytes of the header with the page size (1 means 65536) and with the versions, which are WAL if
# the database uses a write-ahead log.
PAGE_SIZE, VERSIONS = slice(16, 18), slice(18, 20)
WAL = b"\2\2"
LOGS = ("-wal", "-journal")
# The database is not trusted: it may not call functions with effects, nor have cells that overlap.
GUARDS = ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON")


@contextmanager
def opened_database(path: Path, *, recovers: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a database read-only, also if its folder cannot be written to.

    While it is open, other programs have to wait before they can write to it, so that all tables
    are read in the same state. With ``recovers``, what a program that was killed has left
    unfinished is taken back, if the file can be written.

    Examples
    --------
    >>> with opened_database(Path("nowhere.db")) as database:
    ...     pass
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: nowhere.db: No such file or directory
    """
    try:
        with about(path), path.open("rb") as file:
            header = file.read(20)
        if header and not header.startswith(MAGIC):
            raise InvalidInputError(f"{path}: must be an SQLite database; found another file")
        # SQLite itself would read the missing part of the last page as zeros.
        page, size = int.from_bytes(header[PAGE_SIZE], "big"), path.stat().st_size
        if page > 1 and size % page:
            raise InvalidInputError(
                f"{path}: must have whole pages of {page} bytes; found {size}, so it is cut off"
            )
        # SQLite would create a log for such a database. If there is none, no other program is
        # writing, and the database can be opened without one.
        is_closed = header[VERSIONS] == WAL and not _beside(path, "-wal").exists()
        is_unfinished = recovers and _beside(path, "-journal").exists()
        options = "mode=ro&immutable=1" if is_closed else f"mode={'rw' if is_unfinished else 'ro'}"
        address = f"{path.absolute().as_uri()}?{options}"
        with closing(sqlite3.connect(address, uri=True)) as database:
            for setting in GUARDS:
                database.execute(f"PRAGMA {setting}")
            database.execute("BEGIN")
            yield database
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}") from None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path}: cannot be read; {error}") from None


@contextmanager
def replaced(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a new database; it gets its name only after everything was written to it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replaced(Path(folder, "new.db")) as database:
    ...         _ = database.execute("CREATE TABLE images (image_id, name)")
    ...         before = Path(folder, "new.db").exists()
    ...     before, Path(folder, "new.db").exists()
    (False, True)
    """
    if path.exists() and not path.is_file():
        raise InvalidInputError(f"{path}: must be a file; found something else with this name")
    for log in (_beside(path, ending) for ending in LOGS):
        # SQLite would apply the changes in the log to the new database.
        if log.exists():
            raise InvalidInputError(
                f"{path}: must not be in use or unfinished; found its log {log}"
            )
    try:
        with drafted(path) as draft, closing(sqlite3.connect(draft)) as database:
            yield database
            database.commit()
            # A write-ahead log would be left behind when the file is renamed.
            database.execute("PRAGMA journal_mode = DELETE")
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{path}: cannot be written; {reason}") from None


def _beside(path: Path, ending: str) -> Path:
    """Return the path of a log of a database; links are followed."""
    target = path.resolve()
    return target.with_name(f"{target.name}{ending}")
