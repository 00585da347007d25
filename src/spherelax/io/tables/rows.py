"""Text files as rows of fields.

A table has one row per line, separated by commas, semicolons or tabs, and in ``.txt`` files also
by blanks. It is UTF-8 text. Fields may be quoted. Blank lines and lines that start with ``#`` are
ignored. Blanks after a separator are not part of a field. Messages have the number of the line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.faults import about
from spherelax.io.files.source import File, Source

ENDINGS = (".csv", ".tsv", ".txt")
# In a table without numbers, a first row with these names is a header.
ITEM_NAMES = frozenset((
    "a", "b", "feature", "from", "id", "id_a", "id_b", "item", "item_a", "item_b", "keypoint",
    "left", "name", "node", "record", "right", "source", "target", "to", "u", "v",
))  # fmt: skip
GROUP_NAMES = frozenset(("camera", "group", "groups", "image", "object", "source"))
# A text with one of these is not plain: it cannot be split at every separator and line break.
ODD = ('"', "#", "\r", "\0", "\n\n", "\n ", "\n\t")

BEGINNING = 1 << 20  # bytes that are enough to know the format of a large file

Columns = list[list[str]]


@dataclass(frozen=True, eq=False)
class Table:
    """A table by columns, without its header, and the line of each row in the file.

    It is kept by columns, because one list per row would be slow to garbage-collect.
    """

    source: Source
    lines: Sequence[int]
    columns: Columns

    def fault(self, row: int, reason: str) -> InvalidInputError:
        """Return the error for a row, with the file and the line."""
        return InvalidInputError(f"{self.source}, row {self.lines[row]}: {reason}")


def read_table(
    file: File,
    what: str,
    widths: tuple[int, ...],
    has_header: Callable[[Columns], bool],
) -> Table:
    r"""Read a table; refuse rows whose number of columns differs from the first row.

    Parameters
    ----------
    file : str, Path or Source
        ``.csv``, ``.tsv`` or ``.txt``.
    what : str
        What the table is, for messages.
    widths : tuple of int
        The allowed numbers of columns.
    has_header : callable
        Gets the columns and returns whether their first cells are names.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text('# friends\nfrom,to\n"Doe, J.",bob\n')
    ...     table = read_table(path, "an edge table", (2, 3), has_edge_header)
    >>> table.columns, table.lines
    ([['Doe, J.'], ['bob']], [3])
    """
    source = Source.of(file)
    if source.ending not in ENDINGS:
        raise InvalidInputError(f"{source}: {what} must end in {', '.join(ENDINGS)}")
    found = _plain_columns(source.text, source.ending)
    if found is None or len(found) not in widths:
        table = _columns_by_row(source, what, widths)
    else:
        table = Table(source, range(1, len(found[0]) + 1), found)
    first = int(has_header(table.columns))
    if len(table.lines) == first:
        raise InvalidInputError(f"{source}: must have rows after the header; found none")
    return Table(source, table.lines[first:], [column[first:] for column in table.columns])


def first_rows(file: File, n_rows: int) -> list[list[str]]:
    r"""Return the cells of the first rows of a text file, including a header.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text("# made by hand\nann;anna;0.9\n")
    ...     first_rows(path, 2)
    [['ann', 'anna', '0.9']]
    """
    source = Source.of(file)
    beginning = _beginning(source)
    if beginning is not None:
        with suppress(InvalidInputError):
            found = [row for _, row in islice(_split(source, beginning), n_rows)]
            if len(found) == n_rows:
                return found
    return [row for _, row in islice(_split(source, source.text), n_rows)]


def _beginning(source: Source) -> str | None:
    """Return whole lines at the beginning of a large UTF-8 file that nobody has read; else None."""
    if "text" in vars(source):
        return None
    with about(source.path), source.path.open("rb") as file:
        content = file.read(BEGINNING)
    lines = content[: content.rfind(b"\n") + 1]
    with suppress(UnicodeDecodeError):
        return lines.decode("utf-8-sig") if lines and len(content) == BEGINNING else None
    return None


def read_header(path: Path) -> tuple[list[str], str]:
    r"""Return the cells of the first line of a text file, and the separator; read nothing else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     _ = path.write_text("id_a;id_b;score\n1;2;0.9\n")
    ...     read_header(path)
    (['id_a', 'id_b', 'score'], ';')
    """
    with about(path, UnicodeDecodeError), path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline()
    delimiter = delimiter_of(line, path.suffix.lower())
    if delimiter is None:
        raise InvalidInputError(
            f"{path}: must have columns separated by commas, semicolons or tabs"
        )
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])], delimiter


def has_edge_header(columns: Columns) -> bool:
    """Tell whether the first row of an edge table names its columns.

    It does if its third cell is a word; with two columns, if it has no number while all other
    rows are numbers, or if both names are usual ones such as ``source,target``.

    Examples
    --------
    >>> has_edge_header([["x"], ["y"], ["weight"]]), has_edge_header([["x"], ["y"]])
    (True, False)
    """
    if len(columns) == 3:
        name = columns[2][0]
        return all(column[0] for column in columns) and _is_word(name) and not is_number(name)
    return _are_known(columns, ITEM_NAMES, ITEM_NAMES) or all(map(_tops_numbers, columns))


def has_group_header(columns: Columns) -> bool:
    """Tell whether the first row of a file of groups names its columns.

    It does if it is ``group`` or ``groups``; with two columns, if both names are usual ones such
    as ``item,group``, or if its item is not a number while all other items are.

    Examples
    --------
    >>> has_group_header([["id"], ["group"]]), has_group_header([["ann"], ["left"]])
    (True, False)
    """
    if len(columns) == 1:
        return columns[0][0].lower() in ("group", "groups")
    return _are_known(columns, ITEM_NAMES, GROUP_NAMES) or _tops_numbers(columns[0])


def _plain_columns(text: str, ending: str) -> Columns | None:
    """Split a plain table at once, which is many times quicker than row by row.

    Return None if it is not plain: if it has quotes, comments, blank lines, blanks at the start of
    a cell, or rows of different lengths.
    """
    text = "\n" + text.replace("\r\n", "\n").removesuffix("\n")  # a break before every line
    if any(odd in text for odd in ODD):
        return None
    lines = text.split("\n")[1:]
    delimiter = delimiter_of(lines[0], ending)
    if delimiter is None or f"{delimiter} " in text or not all(map(str.strip, lines)):
        return None
    n_delimiters = set(map(str.count, lines, repeat(delimiter)))
    if len(n_delimiters) != 1:
        return None
    width = n_delimiters.pop() + 1
    cells = text.replace("\n", delimiter).split(delimiter)
    return [cells[column::width] for column in range(1, width + 1)]


def _columns_by_row(source: Source, what: str, widths: tuple[int, ...]) -> Table:
    """Read any table row by row; a header is returned as the first row."""
    lines: list[int] = []
    columns: Columns = []
    for line, row in _split(source, source.text):
        if not columns and len(row) in widths:
            columns = [[] for _ in row]
        if len(row) != len(columns):
            legal = " or ".join(map(str, widths))
            expected = f"{len(columns)}, as its first row" if columns else legal
            raise InvalidInputError(
                f"{source}, row {line}: the number of columns of {what} must be {expected}; "
                f"found {len(row)}: {shown(' | '.join(row))}"
            )
        lines.append(line)
        for column, cell in zip(columns, row, strict=True):
            column.append(cell)
    if not lines:
        raise InvalidInputError(f"{source}: must hold {what}; found an empty file")
    return Table(source, lines, columns)


def _split(source: Source, text: str) -> Iterator[tuple[int, list[str]]]:
    """Split the text of a file into rows of fields, numbered by line."""
    number = 0

    def counting() -> Iterator[str]:
        nonlocal number
        number = 0
        for line in io.StringIO(text, newline=""):
            number += 1
            content = line.lstrip()
            if content and content[0] != "#":
                yield line

    try:
        delimiter = delimiter_of(next(counting(), ""), source.ending)
        if delimiter is None:
            yield from ((number, line.split()) for line in counting())
            return
        for row in csv.reader(counting(), delimiter=delimiter, skipinitialspace=True, strict=True):
            yield number, row
    except csv.Error as error:
        raise InvalidInputError(f"{source}, row {number}: {error}") from None


def delimiter_of(line: str, ending: str) -> str | None:
    """Return the separator that splits a line into the most fields; None means blanks.

    Examples
    --------
    >>> delimiter_of("ann;bob;0,9;1", ".csv"), delimiter_of("ann bob", ".txt")
    (';', None)
    """
    if ending == ".tsv":
        return "\t"
    found = max(",;\t", key=lambda delimiter: _n_fields(line, delimiter))
    return None if ending == ".txt" and found not in line else found


def _n_fields(line: str, delimiter: str) -> int:
    """Count the fields of a line; none if one of them is longer than the csv module reads."""
    try:
        return len(next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error:
        return 0


def _are_known(columns: Columns, *names: frozenset[str]) -> bool:
    """Tell whether every column starts with one of its usual names."""
    return all(column[0].lower() in known for column, known in zip(columns, names, strict=True))


def _tops_numbers(column: list[str]) -> bool:
    """Tell whether all cells of a column but the first hold numbers."""
    return len(column) > 1 and not is_number(column[0]) and all(map(is_number, column[1:]))


def _is_word(cell: str) -> bool:
    """Tell whether a cell can be the name of a column; a mistyped number cannot."""
    return cell.replace(" ", "_").replace("-", "_").isidentifier()


def is_number(cell: str) -> bool:
    """Tell whether a cell holds a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
