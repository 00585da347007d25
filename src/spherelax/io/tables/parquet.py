"""Parquet files, read and written with pyarrow, which is optional."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about, first_line
from spherelax.io.files.writing import drafted
from spherelax.io.items import Columns

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema, Table
    from pyarrow.parquet import ParquetFile

ENDING = ".parquet"
Found = TypeVar("Found")
Rows = TypeVar("Rows", "Table", "RecordBatch")
# Rows that are encoded together.
ROW_GROUP = 1 << 20


def read_parquet(path: str | Path) -> Table:
    """Read a Parquet file into a pyarrow Table.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged.
    ImportError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "entities.parquet")
    ...     _ = path.write_bytes(parquet_bytes({"id": [7, 8], "entity": [0, 0]}, "entities"))
    ...     read_parquet(path).to_pydict()
    {'id': [7, 8], 'entity': [0, 0]}
    """
    return _read_by(Path(path), lambda file: _valid(file.read(use_threads=False)))


def parquet_batches(
    path: str | Path, columns: list[str] | None = None, n_rows: int = ROW_GROUP
) -> Iterator[RecordBatch]:
    """Read a Parquet file of any size, or some of its columns, as Arrow record batches.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "items.parquet")
    ...     _ = path.write_bytes(parquet_bytes({"id": [7, 8, 9]}, "items"))
    ...     [batch["id"].to_pylist() for batch in parquet_batches(path, n_rows=2)]
    [[7, 8], [9]]
    """
    with _opened(Path(path)) as file:
        yield from map(_valid, file.iter_batches(n_rows, columns=columns, use_threads=False))


def parquet_columns(path: str | Path) -> list[str]:
    """Return the names of the columns of a Parquet file, without reading their values."""
    return _read_by(Path(path), lambda file: list(file.schema_arrow.names))


def parquet_bytes(columns: Columns, name: str) -> bytes:
    """Return columns as the content of a Parquet file; ``name`` is its name in messages.

    Examples
    --------
    >>> parquet_bytes({"id": [7, 8], "entity": [0, 0]}, "entities.parquet")[:4]
    b'PAR1'
    """
    pyarrow, parquet = _libraries(name)
    arrays = {}
    for title, column in columns.items():
        try:
            arrays[title] = pyarrow.array(column)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidInputError(
                f"{name}: the column {title} must have one type, which Parquet has; "
                f"{first_line(error)}"
            ) from None
    content = BytesIO()
    parquet.write_table(pyarrow.table(arrays), content)
    return content.getvalue()


def write_parquet(path: Path, batches: Iterable[RecordBatch], schema: Schema) -> int:
    """Write Arrow record batches to a Parquet file, completely or not at all; return its rows.

    The bytes of the file depend on the rows alone, not on how they are cut into batches.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow
    >>> batches = [pyarrow.record_batch({"id": [7]}), pyarrow.record_batch({"id": [8, 9]})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "items.parquet")
    ...     write_parquet(path, batches, batches[0].schema), read_parquet(path).to_pydict()
    (3, {'id': [7, 8, 9]})
    """
    pyarrow, parquet = _libraries(str(path))
    n_rows = 0
    with drafted(path) as draft, parquet.ParquetWriter(draft, schema, compression="zstd") as writer:
        for table in _of_equal_length(pyarrow, batches, schema):
            writer.write_table(table, row_group_size=ROW_GROUP)
            n_rows += table.num_rows
    return n_rows


def _of_equal_length(
    pyarrow: ModuleType, batches: Iterable[RecordBatch], schema: Schema
) -> Iterator[Table]:
    """Cut rows into tables of one length; the last one is shorter."""
    rest = schema.empty_table()
    for batch in batches:
        rest = pyarrow.concat_tables([rest, pyarrow.Table.from_batches([batch], schema)])
        while rest.num_rows >= ROW_GROUP:
            yield rest.slice(0, ROW_GROUP).combine_chunks()
            rest = rest.slice(ROW_GROUP)
    if rest.num_rows:
        yield rest.combine_chunks()


def _valid(rows: Rows) -> Rows:
    """Return rows whose text is UTF-8, which nothing else checks; refuse others."""
    rows.validate(full=True)
    return rows


def _read_by(path: Path, read: Callable[[ParquetFile], Found]) -> Found:
    """Open a file and read from it."""
    with _opened(path) as file:
        return read(file)


@contextmanager
def _opened(path: Path) -> Iterator[ParquetFile]:
    """Open a file; errors name it."""
    pyarrow, parquet = _libraries(str(path))
    # No Python file objects and no Arrow threads: with both, a process may abort when it ends
    # (apache/arrow issues 34314 and 50482).
    with about(path, pyarrow.ArrowException, UnicodeDecodeError), pyarrow.OSFile(str(path)) as file:
        yield parquet.ParquetFile(file, pre_buffer=False)


def _libraries(name: str) -> tuple[ModuleType, ModuleType]:
    """Import pyarrow and its part for Parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError(f"{name}: {ENDING} needs pyarrow: pip install pyarrow") from None
