"""Tables in memory (of many packages, read with narwhals) and in CSV and Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.source import File, Source
from spherelax.io.items import Names
from spherelax.io.tables import rows
from spherelax.io.tables.columnar import split_columns
from spherelax.io.tables.parquet import ENDING as PARQUET
from spherelax.io.tables.parquet import read_parquet

WIDTHS = tuple(range(1, 1001))
NAMES_SHOWN = 12
# A table in memory, of pandas, polars, Arrow, DuckDB or splink; and one of its columns.
Frame = Any
Column = Any


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table: its columns by name, its own name, and the numbers of its rows in messages.

    Attributes
    ----------
    name : str
        The file, or the name of a table in memory, for messages.
    columns : dict of str to list or narwhals Series
        All columns of the table.
    lines : list of int or None
        Line of each row in the file; None: rows are counted from 0.

    Examples
    --------
    >>> print(Sheet("pairs.csv", {"id": ["x", None]}, [2, 3]).fault(1, "id must not be empty"))
    pairs.csv, row 3: id must not be empty
    """

    name: str
    columns: dict[str, Column]
    lines: Sequence[int] | None

    def values(self, name: str) -> Names:
        """Return the values of a column as Python objects; missing values and NaN become None."""
        column = self.columns[name]
        if isinstance(column, list):
            return column
        missing = column.is_null()
        if column.dtype.is_float():
            missing = missing | column.is_nan()
        values: Names = column.to_list()
        if missing.any():
            return [None if gone else value for value, gone in zip(values, missing, strict=True)]
        return values

    def fault(self, row: int, reason: str) -> InvalidInputError:
        """Return the error for a row, with the name of the table and the number of the row."""
        place = f"row {row} (from 0)" if self.lines is None else f"row {self.lines[row]}"
        return InvalidInputError(f"{self.name}, {place}: {reason}")


def read_sheet(source: Frame | File, what: str) -> Sheet:
    r"""Read a table with a header and at least one row.

    Parameters
    ----------
    source : str, Path, Source, or a table of pandas, polars, Arrow, DuckDB or splink
        A file ends in ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``. Cells of text files are text.
    what : str
        What the table is, for messages.

    Returns
    -------
    Sheet
        Values keep their types; empty cells are missing values.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or has no rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "records.csv")
    ...     _ = path.write_text("source,id\nshop,007\nbank,\n")
    ...     read_sheet(path, "a table of records").columns
    {'source': ['shop', 'bank'], 'id': ['007', None]}
    """
    if not isinstance(source, File):
        name, frame = what, _in_memory(source, what)
    elif Source.of(source).ending in rows.ENDINGS:
        return _read_text(Source.of(source), what)
    elif Source.of(source).ending == PARQUET:
        table = read_parquet(Source.of(source).path)
        _check_names(str(source), table.column_names)
        name, frame = str(source), nw.from_native(table, eager_only=True)
    else:
        expected = ", ".join((*rows.ENDINGS, PARQUET))
        raise InvalidInputError(f"{source}: {what} must end in {expected}")
    if len(frame) == 0:
        raise InvalidInputError(f"{name}: must have at least one row; found none")
    return Sheet(name, {column.name: column for column in frame.iter_columns()}, None)


def listed(names: Iterable[str]) -> str:
    """Return the names of columns as text; of many, the first ones.

    Examples
    --------
    >>> listed(["id", "score"]), listed([])
    ('id, score', 'no column')
    """
    names = [str(name) for name in names]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more or "no column"


def _read_text(source: Source, what: str) -> Sheet:
    """Read a text file whose first row has the names of the columns."""
    large = split_columns(source, WIDTHS, lambda _: True)
    if large is not None:
        first, cells = large
        names = [cell.strip() for cell in first]
        _check_names(str(source), names)
        frame = nw.from_dict(dict(zip(names, cells, strict=True)), backend="pyarrow")
        filled = [nw.when(nw.col(name) != "").then(nw.col(name)).alias(name) for name in names]
        columns = {column.name: column for column in frame.select(filled).iter_columns()}
        return Sheet(str(source), columns, range(2, len(frame) + 2))
    header: list[str] = []

    def keep_names(columns: rows.Columns) -> bool:
        header.extend(column[0].strip() for column in columns)
        return True

    table = rows.read_table(source, what, WIDTHS, keep_names)
    _check_names(str(source), header)
    values = [[cell or None for cell in column] for column in table.columns]
    return Sheet(str(source), dict(zip(header, values, strict=True)), table.lines)


def _check_names(table: str, names: list[str]) -> None:
    """Refuse columns that have the same name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(
            f"{table}: names of columns must differ; found {shown(twice)} twice"
        )


def _in_memory(source: Frame, what: str) -> nw.DataFrame[Any]:
    """Return the columns of a table of any library; a lazy table is computed."""
    as_pandas = getattr(source, "as_pandas_dataframe", None)  # of splink
    try:
        frame = nw.from_native(source if as_pandas is None else as_pandas())
    except TypeError:
        raise InvalidInputError(
            f"{what} must be a file or a table of pandas, polars, Arrow, DuckDB or splink; "
            f"found {type(source).__name__}"
        ) from None
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame
