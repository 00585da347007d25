"""Large tables column by column, by Arrow where it is installed.

What comes out is what `rows` and dictionaries of Python make of the same table, several times
quicker. What they would refuse, and what Arrow may understand in another way, is left to them:
then each function returns None, and the slow way finds the answer, or the row of the fault.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from spherelax.io.files.source import Source
from spherelax.io.tables.rows import ENDINGS, ODD, Columns, delimiter_of
from spherelax.labels import SPARSE, count_labels, renumber

if TYPE_CHECKING:
    from pyarrow import ChunkedArray

# Smaller tables are read sooner than Arrow is imported.
LARGE_TEXT = 1 << 22  # bytes
MANY_ROWS = 1 << 16
# Blanks that separate cells of a table that is separated by blanks, besides the usual one.
OTHER_BLANKS = (b"\t", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x1f")
MARK = b"\xef\xbb\xbf"  # that text is UTF-8


class Numbered(NamedTuple):
    """Different keys in order of first appearance, and the number of the key of each end."""

    names: list[list[Any]]  # by column
    places: NDArray[np.intp]  # (n_rows, n_ends)


def split_columns(
    source: Source,
    widths: Sequence[int],
    has_header: Callable[[Columns], bool],
    *,
    n_integers: int = 0,
) -> tuple[list[str], list[ChunkedArray]] | None:
    r"""Return the cells of the first row of a large text file, and the columns without a header.

    Parameters
    ----------
    source : Source
        The file.
    widths : sequence of int
        The allowed numbers of columns.
    has_header : callable
        Gets the first cell of each column and, of two columns, all different cells below it;
        returns whether the first cells are names.
    n_integers : int
        The number of columns that become integers if all their cells are integers as they are
        printed. Others are text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text("from,to\n" + "ann,bob\n" * 600_000)
    ...     first, columns = split_columns(Source(path), (2,), lambda _: True)
    >>> first, len(columns[1]), columns[1][0].as_py()
    (['from', 'to'], 600000, 'bob')
    """
    content = _large(source)
    if content is None:
        return None
    line, _, below = content.partition(b"\n")
    found = _first_row(line, source.ending, is_ascii=content.isascii())
    if found is None or not below:
        return None
    first, delimiter = found
    may_have_header = has_header([[cell, "0"] for cell in first])
    body = below if may_have_header else content
    if len(first) not in widths or len(first) == 1 or not _is_plain(body, delimiter):
        return None
    columns = n_integers and _integers(body, delimiter, len(first), n_integers)
    if not columns:
        columns = _parsed(body, delimiter, len(first), 0)
        if columns and may_have_header and len(first) == 2:
            cells = [[cell, *_different(c)] for cell, c in zip(first, columns, strict=True)]
            if not has_header(cells):
                plain = _is_plain(line, delimiter)
                columns = _parsed(content, delimiter, len(first), 0) if plain else None
        if columns and delimiter in "\t " and "" in map(str.strip, _different(columns[0])):
            return None  # a line of blanks is no row
    return (first, columns) if columns else None


def number_keys(ends: Sequence[Sequence[Any]]) -> Numbered | None:
    """Return numbers for the keys of many rows, which are text or integers.

    Parameters
    ----------
    ends : sequence of sequences of columns
        The columns that name the first end of each row, such as its source and its id, those of the
        second end, and so on. Rows are read one after the other, in each row from the first end on.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw, pyarrow as pa
    >>> table = nw.from_native(pa.table({"a": [7, 8] * 40_000, "b": [9, 7] * 40_000}))
    >>> found = number_keys([(table["a"],), (table["b"],)])
    >>> found.names, found.places[:2].tolist()
    ([[7, 9, 8]], [[0, 1], [2, 0]])
    """
    if len(ends[0][0]) < MANY_ROWS:
        return None
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        return None
    values: list[Any] = []
    codes: Any = 0
    with suppress(arrow.ArrowException, UnicodeError, OverflowError):
        for columns in zip(*ends, strict=True):
            joined = _joined(columns)
            if joined is None:
                return None
            different, at = _coded(arrow, joined)
            values.append(different)
            codes = codes * len(different) + at
    if len(values) < len(ends[0]):
        return None
    by_row = codes.reshape(len(ends), -1).T.ravel()
    if len(values) > 1:
        found = arrow.array(by_row).dictionary_encode()
        keys, places = found.dictionary.to_numpy(), found.indices.to_numpy()
    else:
        places = renumber(by_row)
        keys = np.empty(count_labels(places), dtype=np.int64)
        keys[places] = by_row
    names = []
    for different in reversed(values):
        keys, at = np.divmod(keys, len(different))
        names.append(different.take(arrow.array(at)).to_pylist())
    return Numbered(names[::-1], places.astype(np.intp).reshape(-1, len(ends)))


def numbers(column: Any) -> NDArray[np.float64] | None:
    """Return a column of numbers, or of text that holds numbers; missing ones are NaN.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw, pyarrow as pa
    >>> numbers(nw.from_native(pa.table({"score": [0.5, None]}))["score"])
    array([0.5, nan])
    """
    if isinstance(column, list):
        return None
    if isinstance(column, nw.Series):
        if column.dtype.is_numeric() and not column.dtype.is_decimal():
            found = column.cast(nw.Float64)
            found = found.fill_null(np.nan) if found.is_null().any() else found
            return np.array(found.to_numpy())
        if column.dtype != nw.String or len(column) < MANY_ROWS:
            return None
        try:
            column = column.to_arrow()
        except ImportError:
            return None
    with suppress(ValueError):  # Arrow's own
        return np.array(column.cast("float64"))
    return None


def _large(source: Source) -> bytes | None:
    """Return the content of a text file, with usual line breaks, if it is large."""
    try:
        if source.ending not in ENDINGS or source.path.stat().st_size < LARGE_TEXT:
            return None
        import_module("pyarrow.csv")
        content = source.path.read_bytes().removeprefix(MARK)
    except (OSError, ImportError):
        return None
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def _first_row(line: bytes, ending: str, *, is_ascii: bool) -> tuple[list[str], str] | None:
    """Return the cells of the first row, and the separator."""
    try:
        text = line.decode()
        delimiter = delimiter_of(text, ending) or (" " if is_ascii else "")
        if not text or text[0].isspace() or text[0] == "#" or "\0" in text or not delimiter:
            return None
        row = csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=True)
        return next(row), delimiter
    except (UnicodeDecodeError, csv.Error):
        return None


def _is_plain(body: bytes, delimiter: str) -> bool:
    """Tell whether a text can be split at every separator and line break."""
    if body[:1].isspace() or any(odd.encode() in body for odd in ODD):
        return False
    others = OTHER_BLANKS if delimiter == " " else ()
    return f"{delimiter} ".encode() not in body and not any(blank in body for blank in others)


def _integers(body: bytes, delimiter: str, width: int, n: int) -> list[ChunkedArray] | None:
    """Split text whose first n columns hold integers as they are printed; None if it does not.

    Integers that are written in another way, such as 007, would make another text longer.
    """
    if b"x" in body or b"X" in body:  # Arrow knows hexadecimal numbers
        return None
    columns = _parsed(body, delimiter, width, n)
    if columns is None:
        return None
    length = import_module("pyarrow.compute").binary_length
    n_bytes = width * len(columns[0]) - (not body.endswith(b"\n"))
    n_bytes += sum(_n_digits(column.to_numpy()) for column in columns[:n])
    n_bytes += sum(int(length(column).to_numpy().sum()) for column in columns[n:])
    return columns if n_bytes == len(body) else None


def _n_digits(values: NDArray[np.int64]) -> int:
    """Return the number of digits and signs that integers are printed with, in all."""
    most = max(int(values.max()), -int(values.min()))
    powers = [10**power for power in range(1, len(str(most)))]
    larger = sum(int(((values >= power) | (values <= -power)).sum()) for power in powers)
    return len(values) + int((values < 0).sum()) + larger


def _parsed(body: bytes, delimiter: str, width: int, n: int) -> list[ChunkedArray] | None:
    """Split plain text into n columns of integers, others of text; None if Arrow refuses it."""
    arrow, text = import_module("pyarrow"), import_module("pyarrow.csv")
    kinds = [arrow.int64()] * n + [arrow.string()] * (width - n)
    names = list(map(str, range(width)))
    try:
        table = text.read_csv(
            arrow.py_buffer(body),
            read_options=text.ReadOptions(use_threads=False, column_names=names),
            parse_options=text.ParseOptions(
                delimiter=delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=text.ConvertOptions(
                column_types=dict(zip(names, kinds, strict=True)), null_values=[]
            ),
        )
    except arrow.ArrowException:
        return None
    return table.columns if table.num_rows else None


def _different(column: ChunkedArray) -> list[str]:
    """Return the different cells of a column of text."""
    found: list[str] = column.unique().to_pylist()
    return found


def _coded(arrow: ModuleType, column: ChunkedArray) -> tuple[Any, NDArray[np.int64]]:
    """Return values among which are all of a column, and the place there of each of its cells."""
    if column.type == arrow.int64():
        cells = column.to_numpy()
        least, most = int(cells.min()), int(cells.max())
        if most - least < SPARSE * len(cells):
            return arrow.array(np.arange(least, most + 1)), cells - least
    encoded = column.dictionary_encode().combine_chunks()
    return encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)


def _joined(columns: Sequence[Any]) -> ChunkedArray | None:
    """Return columns one after the other, as text or as integers; None if not all cells are so."""
    arrow = import_module("pyarrow")
    found = []
    for column in columns:
        if isinstance(column, list):
            array = arrow.array(column, arrow.string()) if {*map(type, column)} <= {str} else None
        elif isinstance(column, nw.Series):
            is_name = column.dtype in (nw.String, nw.Categorical) or column.dtype.is_integer()
            array = column.to_arrow() if is_name else None
        else:
            array = column
        if array is None or array.null_count:
            return None
        types = arrow.types
        kind = array.type.value_type if types.is_dictionary(array.type) else array.type
        if types.is_integer(kind):
            wide = arrow.int64()
        elif types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            wide = arrow.large_string()
        else:
            return None
        found.append(array.cast(kind).cast(wide))
    if len({array.type for array in found}) > 1:
        return None
    chunks = (getattr(array, "chunks", [array]) for array in found)
    return arrow.chunked_array(list(chain.from_iterable(chunks)))
