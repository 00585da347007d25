"""Parquet files, read and written with pyarrow, which is optional."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from spherelax.errors import InvalidInputError
from spherelax.io.faults import about, first_line
from spherelax.io.items import Columns

ENDING = ".parquet"


def read_parquet(path: str | Path) -> Any:
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
    return _read_by(Path(path), lambda file: file.read(use_threads=False))


def parquet_columns(path: str | Path) -> list[str]:
    """Return the names of the columns of a Parquet file, without reading their values."""
    names: list[str] = _read_by(Path(path), lambda file: file.schema_arrow.names)
    return names


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


def _read_by(path: Path, read: Callable[[Any], Any]) -> Any:
    """Open a file and read from it; errors name the file."""
    pyarrow, parquet = _libraries(str(path))
    # No Python file objects and no Arrow threads: with both, a process may abort when it ends
    # (apache/arrow issues 34314 and 50482).
    with about(path, pyarrow.ArrowException, UnicodeDecodeError), pyarrow.OSFile(str(path)) as file:
        return read(parquet.ParquetFile(file, pre_buffer=False))


def _libraries(name: str) -> tuple[Any, Any]:
    """Import pyarrow and its part for Parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError(f"{name}: {ENDING} needs pyarrow: pip install pyarrow") from None
