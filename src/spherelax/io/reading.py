"""Reading of any file: its format is found from its content and ending, then it is read."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import isfinite
from pathlib import Path

import numpy as np

from spherelax.coordinate.kinds import kind_of_graph
from spherelax.errors import InvalidInputError
from spherelax.io.answers.saved import RECOGNISED
from spherelax.io.files.faults import about
from spherelax.io.files.hdf5 import ENDING as HDF5
from spherelax.io.files.hdf5 import members
from spherelax.io.files.source import File, Source
from spherelax.io.files.streams import ending_of, spooled
from spherelax.io.files.writing import is_device
from spherelax.io.items import Items
from spherelax.io.readers.cells import read_h5ad
from spherelax.io.readers.colmap import read_colmap
from spherelax.io.readers.hloc import read_hloc
from spherelax.io.readers.pairs import KNOWN, read_pairs
from spherelax.io.readers.points import Points, read_points
from spherelax.io.readers.tables import read_edges
from spherelax.io.tables import rows
from spherelax.io.tables.arrays import BROKEN, read_matrix
from spherelax.io.tables.frames import Frame
from spherelax.io.tables.parquet import ENDING as PARQUET
from spherelax.io.tables.parquet import parquet_columns
from spherelax.problem import KINDS

FORMATS = ("matrix", "edges", "pairs", "points", "colmap", "hloc", "h5ad")
SAVED_RESULT = "result"
# An edge table has two or three columns; a text file with more is one of features.
EDGE_COLUMNS = 3
ROWS_SEEN = 1000  # rows of a text file that are used to find its format
DATABASE = ".db"


def read(
    file: File,
    *,
    reads_as: str | None = None,
    columns: Sequence[str] | None = None,
    duplicate_free_sources: Iterable[str] | None = None,
    records: Frame | File | None = None,
    table: str | None = None,
    features: str | Path | None = None,
    kind: str | None = None,
) -> Items | Points:
    r"""Read a file of any format: similarities, edges, scored pairs, points, matches of keypoints.

    Parameters
    ----------
    file : str, Path or Source
        A file of one of the formats.
    reads_as : {"matrix", "edges", "pairs", "points", "colmap", "hloc", "h5ad"}, optional
        What the file holds; None: :func:`format_of` finds it.
    columns, duplicate_free_sources, records
        For pairs, as in :func:`read_pairs`; a file with columns is read as pairs, unless
        ``reads_as`` is "points": then, the names of the features, as in :func:`read_points`.
    table
        For a database, as in :func:`read_colmap`.
    features
        For matches of hloc, the file of their keypoints, as in :func:`read_hloc`.
    kind : {"graph", "neighbors", "pairs", "odds", "information"}, optional
        What the similarities are: the kind of :func:`spherelax.solve`. Those of points are always
        a graph. "odds" may be negative, and is for a matrix, edges or pairs. None: edges and h5ad
        hold a graph; of others, that is to be found out.

    Returns
    -------
    Items or Points
        Points for a table of features, items with similarities for everything else.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the row and the reason.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.txt")
    ...     _ = path.write_text("ann anna\nbob rob\n")
    ...     read(path).ids
    ['ann', 'anna', 'bob', 'rob']
    """
    if reads_as not in (None, *FORMATS):
        raise InvalidInputError(f"reads_as must be one of {', '.join(FORMATS)}; found {reads_as!r}")
    with recognised(file) as source:
        chosen = reads_as or ("pairs" if columns is not None else format_of(source))
        if chosen == SAVED_RESULT:
            raise InvalidInputError(
                f"{source}: must hold similarities or points; found a saved result"
            )
        for what, value, owner in (
            ("names of columns", None if chosen == "points" else columns, "pairs"),
            ("duplicate-free sources", duplicate_free_sources, "pairs"),
            ("tables of records", records, "pairs"),
            ("the choice of a table", table, "colmap"),
            ("a file of keypoints", features, "hloc"),
        ):
            if value is not None and chosen != owner:
                raise InvalidInputError(f"{source}: {what} must be for {owner}; found {chosen}")
        _check_kind(source, chosen, kind)
        if chosen == "pairs":
            return read_pairs(
                source,
                columns=columns,
                duplicate_free_sources=duplicate_free_sources,
                records=records,
                kind=kind,
            )
        if chosen == "colmap":
            return replace(read_colmap(source.path, table=table), kind=kind)
        if chosen == "hloc":
            if features is None:
                raise InvalidInputError(
                    f"{source}: matches of hloc must come with their keypoints, features= or "
                    "--features; found none"
                )
            return replace(read_hloc(source.path, features), kind=kind)
        if chosen == "points":
            return read_points(source, columns=columns)
        try:
            items: Items | Points = READERS[chosen](source, kind)
        except InvalidInputError as error:
            if reads_as is None and chosen == "edges":
                error = InvalidInputError(
                    f"{error} (read as edges; reads_as= or --as sets another format)"
                )
            raise error from None
        if isinstance(items, Items):
            with about(source.path):
                items.problem  # noqa: B018 (checked here, so that a fault names the file)
        return items


@contextmanager
def recognised(file: File) -> Iterator[Source]:
    r"""Yield a file that can be read twice and has the ending of its format.

    Parameters
    ----------
    file : str, Path or Source
        Any file or pipe; a source is yielded unchanged.

    Yields
    ------
    Source
        The file itself if its ending is known or it is a database. Otherwise a copy with the
        ending that fits its content, ``.txt`` for text; messages name the original file.

    Raises
    ------
    InvalidInputError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.dat")
    ...     _ = path.write_text("ann anna\nbob rob\n")
    ...     with recognised(path) as source:
    ...         source.path.name
    'input.txt'
    """
    if isinstance(file, Source):
        yield file
        return
    path = Path(file)
    with about(path):
        is_known = not is_device(path) and (
            path.suffix.lower() in TELL or ending_of(path) == DATABASE
        )
        stream = None if is_known else path.open("rb")
    if stream is None:
        yield Source(path)
        return
    with stream, spooled(stream, str(path)) as copy:
        yield Source(copy)


def format_of(file: File) -> str:
    r"""Return the format of a file, which is found from its content and its ending.

    A database is recognised by its content, and so is a file with an unknown ending.
    ``.parquet``, ``.csv``, ``.tsv`` and ``.txt`` hold pairs if their columns have the names that
    :func:`read_pairs` knows. Other text of two or three columns is a table of edges, unless one of
    the first two holds a number that no item is called, with a fraction or below zero; then, or
    with more columns, it is a table of features, and so is other Parquet. ``.npy`` is a matrix if
    it is square, else points. If this is wrong, give :func:`read` ``reads_as``.

    Parameters
    ----------
    file : str, Path or Source
        The file; a source keeps the answer.

    Returns
    -------
    str
        One of the formats of :func:`read`, or "result" for what :func:`save_result` saved.

    Raises
    ------
    InvalidInputError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     _ = path.write_text("unique_id_l,unique_id_r,match_probability\n1,2,0.9\n")
    ...     format_of(path)
    'pairs'
    """
    with recognised(file) as source:
        if source.format is None:
            with about(source.path):
                is_database = ending_of(source.path) == DATABASE
            source.format = "colmap" if is_database else TELL[source.ending](source)
        return source.format


def _check_kind(source: Source, reads_as: str, kind: str | None) -> None:
    """Refuse a kind of similarities that a format of file cannot have."""
    if kind not in (None, *KINDS):
        raise InvalidInputError(f"kind must be one of {', '.join(KINDS)}; found {kind!r}")
    is_legal = {
        "points": kind in (None, "graph"),
        "colmap": kind != "odds",
        "hloc": kind != "odds",
        "h5ad": kind != "odds",
    }
    if not is_legal.get(reads_as, True):
        raise InvalidInputError(
            f"{source}: similarities of {reads_as} must not be {kind}; leave it out"
        )


def _text_format(source: Source) -> str:
    """Return the format of a text file by its first rows, of which one may be a header."""
    first = rows.first_rows(source, ROWS_SEEN)
    if not first:
        return "edges"
    if _are_pairs(first[0]):
        return "pairs"
    if len(first[0]) > EDGE_COLUMNS:
        return "points"
    return "points" if any(_is_no_name(cell) for row in first for cell in row[:2]) else "edges"


def _parquet_format(source: Source) -> str:
    """Return the format of a Parquet file by the names of its columns."""
    return "pairs" if _are_pairs(parquet_columns(source.path)) else "points"


def _npy_format(source: Source) -> str:
    """Return "matrix" or "points" by the shape; a damaged file is refused later by its reader."""
    with suppress(OSError, *BROKEN):
        shape = np.lib.format.open_memmap(source.path, mode="r").shape
        return "points" if len(shape) == 2 and shape[0] != shape[1] else "matrix"
    return "matrix"


def _npz_format(source: Source) -> str:
    """Return "result" or "matrix"; a damaged file is refused later by its reader."""
    with suppress(OSError, *BROKEN), zipfile.ZipFile(source.path) as archive:
        if {f"{name}.npy" for name in RECOGNISED} <= set(archive.namelist()):
            return SAVED_RESULT
    return "matrix"


def _hdf5_format(source: Source) -> str:
    """Return "h5ad" for an AnnData, else "hloc"."""
    return "h5ad" if {"obs", "var"} <= set(members(source.path)) else "hloc"


def _are_pairs(columns: Iterable[str]) -> bool:
    """Tell whether columns have the names of scored pairs."""
    found = {column.strip() for column in columns}
    return any({id_a, id_b, score} <= found for _, id_a, _, id_b, score in KNOWN)


def _is_no_name(cell: str) -> bool:
    """Tell whether a cell cannot be a name: a number with a fraction, or below zero."""
    with suppress(ValueError):
        number = float(cell)
        return isfinite(number) and (number % 1 != 0 or number < 0)
    return False


def _read_edges(source: Source, kind: str | None) -> Items:
    """Read a table of edges; if nobody says its kind, it is the one that the graph looks like."""
    items = read_edges(source, kind=kind or "graph")
    return items if kind else replace(items, kind=kind_of_graph(items.similarity))


def _read_cells(source: Source, kind: str | None) -> Items:
    """Read a neighbour graph of cells, which may be said to be another kind."""
    cells = read_h5ad(source.path)
    return replace(cells, kind=kind or cells.kind)


TELL: dict[str, Callable[[Source], str]] = {
    **dict.fromkeys(rows.ENDINGS, _text_format),
    PARQUET: _parquet_format,
    ".npz": _npz_format,
    ".npy": _npy_format,
    ".mtx": lambda _: "matrix",
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), lambda _: "colmap"),
    ".h5ad": lambda _: "h5ad",
    HDF5: _hdf5_format,
}
READERS: dict[str, Callable[[Source, str | None], Items | Points]] = {
    "matrix": lambda source, kind: Items(read_matrix(source.path), ids=None, kind=kind),
    "edges": _read_edges,
    "h5ad": _read_cells,
}
