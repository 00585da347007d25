"""Tables in memory and in files: pandas, polars and Arrow by way of narwhals, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import narwhals.stable.v2 as nw

from spherelax.io import rows
from spherelax.io.items import Columns
from spherelax.io.parquet import ENDING as PARQUET
from spherelax.io.parquet import first_line, read_parquet
from spherelax.problem import InvalidInputError

Library = Literal["pandas", "polars", "pyarrow"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars", "pyarrow")
WIDTHS = tuple(range(1, 1001))
NAMES_SHOWN = 12
# What polars and pyarrow raise for values that they have no type for.
UNHELD = (TypeError, ValueError, OverflowError)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns by name, where they are from, and how messages count their rows.

    Attributes
    ----------
    name : str
        The file, or what a table in memory is called in messages.
    columns : dict of str to list or narwhals Series
        All columns of the table.
    lines : list of int or None
        Line of the file that each row is from; None: rows are counted from 0.

    Examples
    --------
    >>> print(Sheet("pairs.csv", {"id": ["x", None]}, [2, 3]).fault(1, "id must not be empty"))
    pairs.csv, row 3: id must not be empty
    """

    name: str
    columns: dict[str, Any]
    lines: list[int] | None

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as Python objects; missing ones, NaN too, are None."""
        column = self.columns[name]
        if isinstance(column, list):
            return column
        missing = column.is_null()
        if column.dtype.is_float():
            missing = missing | column.is_nan()
        values: list[Any] = column.to_list()
        if missing.any():
            return [None if gone else value for value, gone in zip(values, missing, strict=True)]
        return values

    def fault(self, row: int, reason: str) -> InvalidInputError:
        """Return the error that says what is wrong with a row."""
        place = f"row {row} (from 0)" if self.lines is None else f"row {self.lines[row]}"
        return InvalidInputError(f"{self.name}, {place}: {reason}")


def read_sheet(source: Any, what: str) -> Sheet:
    r"""Read a table, which has a header and at least one row.

    Parameters
    ----------
    source : str, Path, or a pandas, polars or Arrow table
        A file ends in ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``. Cells of text files are text.
    what : str
        What the table is, for messages.

    Returns
    -------
    Sheet
        Values are as the table has them; empty cells are missing values.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or has no rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "records.csv")
    ...     _ = path.write_text("source,id\nshop,007\nbank,\n")
    ...     read_sheet(path, "a table of records").columns
    {'source': ['shop', 'bank'], 'id': ['007', None]}
    """
    if isinstance(source, str | Path) and Path(source).suffix.lower() in rows.ENDINGS:
        return _read_text(Path(source), what)
    frame = read_frame(source, what)
    name = str(source) if isinstance(source, str | Path) else what
    if len(frame) == 0:
        raise InvalidInputError(f"{name}: holds no rows")
    return Sheet(name, {column.name: column for column in frame.iter_columns()}, None)


def read_frame(
    source: Any, what: str = "a table", *, columns: Iterable[str] = ()
) -> nw.DataFrame[Any]:
    """Read a table into a narwhals frame, whatever library it is from.

    Parameters
    ----------
    source : str, Path, or a pandas, polars or Arrow table
        A file must end in ``.parquet``; it is read by pyarrow.
    what : str
        What the table is, for messages.
    columns : iterable of str
        Columns that must be there.

    Returns
    -------
    narwhals.DataFrame
        ``.to_native()`` gives the table itself; that of a file is a pyarrow Table.

    Raises
    ------
    InvalidInputError
        If the file is missing, damaged or without a column, or the source is no table.

    Examples
    --------
    >>> import pandas as pd
    >>> read_frame(pd.DataFrame({"id": [7]}), columns=["id", "score"])
    Traceback (most recent call last):
        ...
    spherelax.problem.InvalidInputError: a table: must have the columns id, score; found id
    """
    if isinstance(source, str | Path):
        if Path(source).suffix.lower() != PARQUET:
            expected = ", ".join((*rows.ENDINGS, PARQUET))
            raise InvalidInputError(f"{source}: {what} must end in {expected}")
        name = str(source)
        frame: nw.DataFrame[Any] = nw.from_native(read_parquet(source), eager_only=True)
    else:
        frame, name = _in_memory(source, what), what
    wanted = list(columns)
    if not set(wanted) <= set(frame.columns):
        raise InvalidInputError(
            f"{name}: must have the columns {', '.join(wanted)}; found {listed(frame.columns)}"
        )
    return frame


def to_frame(columns: Columns, like: Library | None = None) -> Any:
    """Put columns into a table of pandas, polars or Arrow.

    Parameters
    ----------
    columns : dict of str to list
        Columns of one length.
    like : {"pandas", "polars", "pyarrow"}, optional
        The library; None takes the first of these that is installed.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Raises
    ------
    InvalidInputError
        If the library has no type for the values of a column; pandas has one for all.
    ImportError
        If the library is not installed.

    Examples
    --------
    >>> to_frame({"id": ["x", "y"], "entity": [0, 0]}, like="pandas")
      id  entity
    0  x       0
    1  y       0
    """
    if like is not None and like not in LIBRARIES:
        raise InvalidInputError(f"like must be one of {', '.join(LIBRARIES)}; found {like!r}")
    library = next(filter(find_spec, LIBRARIES), LIBRARIES[0]) if like is None else like
    _library(library, "a frame")
    # From lists: columns of Python objects that polars has made already lose their values here.
    try:
        return nw.from_dict(columns, backend=library).to_native()
    except UNHELD as error:
        names = [name for name, values in columns.items() if not _holds(library, values)]
        raise InvalidInputError(
            f"columns {listed(names)}: {library} cannot hold such values together; "
            f"{first_line(error)}"
        ) from None


def listed(names: Iterable[str]) -> str:
    """Name the columns that were found, or the first of many.

    Examples
    --------
    >>> listed(["id", "score"]), listed([])
    ('id, score', 'no column')
    """
    names = [str(name) for name in names]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more or "no column"


def _read_text(path: Path, what: str) -> Sheet:
    """Read a text file, of which the first row names the columns."""
    header: list[str] = []

    def keep_names(columns: rows.Columns) -> bool:
        header.extend(column[0].strip() for column in columns)
        return True

    table = rows.read_table(path, what, WIDTHS, keep_names)
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InvalidInputError(f"{path}: names of columns must differ; found {twice!r} twice")
    values = [[cell or None for cell in column] for column in table.columns]
    return Sheet(str(path), dict(zip(header, values, strict=True)), table.lines)


def _in_memory(source: Any, what: str) -> nw.DataFrame[Any]:
    """Take a table of any library; a lazy one is collected."""
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise InvalidInputError(
            f"{what} must be a file or a table of pandas, polars or Arrow; "
            f"found {type(source).__name__}"
        ) from None
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _holds(library: Library, values: list[Any]) -> bool:
    """Tell whether a library has a type for a column."""
    try:
        nw.new_series("", values, backend=library)
    except UNHELD:
        return False
    return True


def _library(name: str, what: str) -> Any:
    """Import a library of tables, all of which are optional."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ImportError(f"{what} needs {package}: pip install {package}") from None
