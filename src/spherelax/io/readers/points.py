"""Tables of features: one row of numbers per item and, optionally, its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.source import File, Source
from spherelax.io.items import Items, Named, Names, View
from spherelax.io.tables import rows
from spherelax.io.tables.arrays import read_matrix
from spherelax.io.tables.parquet import read_parquet
from spherelax.io.words import POINTS, Words
from spherelax.problem import Problem

if TYPE_CHECKING:
    from spherelax.similarity import NeighborGraph

ENDINGS = (*rows.ENDINGS, ".parquet", ".npy")
# A column with one of these names holds ids, not a feature; pandas writes the first two.
ID_NAMES = frozenset((
    "", "__index_level_0__", "unnamed: 0", "barcode", "cell", "id", "index", "item", "key", "name",
    "node", "record", "sample",
))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Points(Named):
    """Points that were read, with the user's names of them.

    Attributes
    ----------
    points : ndarray of shape (n_items, n_features)
        As in :class:`spherelax.SphereClustering`.
    ids : list or None
        Name of each point, of any type. None: points are numbered from 0.
    columns : list of str or None
        Names of the features. None: they are numbered from 0.

    Examples
    --------
    >>> Points(np.zeros((2, 3)), ids=None).names
    ['0', '1']
    """

    points: NDArray[np.float64]
    ids: Names | None
    columns: list[str] | None = None
    words: ClassVar[Words] = POINTS

    @property
    def n_items(self) -> int:
        """Number of points."""
        return len(self.points)

    def joined(self, graph: NeighborGraph) -> Items:
        """Return the points joined with their neighbours, for a report.

        Examples
        --------
        >>> import spherelax as sl
        >>> table = Points(np.array([[0.0], [1.0], [5.0]]), ["a", "b", "c"])
        >>> items = table.joined(sl.similarity.neighbor_graph(table.points))
        >>> items.names, items.view.columns
        (['a', 'b', 'c'], ['feature 0'])
        """
        names = self.columns or [f"feature {at}" for at in range(self.points.shape[1])]
        unit = 1.0 if graph.places is None else graph.places.unit
        problem = Problem(graph.similarity, None, "graph")  # the graph is a checked matrix
        return Neighbors.of(problem, self.ids, View(self.points, names, unit))


class Neighbors(Items):
    """Points that are joined with their neighbours: the similarities that clustering uses.

    Examples
    --------
    >>> Neighbors(np.eye(2), ids=None).words.item
    'point'
    """

    words: ClassVar[Words] = POINTS


def read_points(file: File, *, columns: Sequence[str] | None = None) -> Points:
    r"""Read a table of features: one item per row, one number per column.

    The ids of the items are in the first column with a usual name, such as ``id``, or without a
    name. If there is none, they are in the first column that holds mostly text. All cells of
    features must be finite numbers. The first row is a header if it has no number and the second
    row has one, or if it starts with a usual name of ids.

    Parameters
    ----------
    file : str, Path or Source
        ``.csv``, ``.tsv`` or ``.txt`` with ids as text; ``.parquet`` with ids of any type, which
        needs pyarrow; ``.npy``, a two-dimensional array without ids.
    columns : sequence of str, optional
        Names of the columns that are features. None: all but that of the ids.

    Returns
    -------
    Points
        For ``SphereClustering().fit(table.points)``.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the row, the column and the reason.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "flowers.csv")
    ...     _ = path.write_text("name,width,length\nrose,1,2.5\nlily,3,4\n")
    ...     table = read_points(path)
    >>> table.ids, table.points.tolist()
    (['rose', 'lily'], [[1.0, 2.5], [3.0, 4.0]])
    """
    source = Source.of(file)
    path, ending = source.path, source.ending
    if ending not in ENDINGS:
        raise InvalidInputError(
            f"{path}: a table of features must end in one of {', '.join(ENDINGS)}"
        )
    if ending == ".npy":
        if columns is not None:
            raise InvalidInputError(f"{path}: columns of an array have no names; leave them out")
        table = _from_npy(path)
    elif ending == ".parquet":
        table = _from_parquet(path, columns)
    else:
        table = _from_text(source, columns)
    if len(table.points) < 2:
        raise InvalidInputError(f"{path}: must hold at least two items; found {len(table.points)}")
    return table


class _AnyWidth(tuple[int, ...]):
    """Contains every number: a table of features may have any number of columns."""

    __slots__ = ()

    def __contains__(self, width: object) -> bool:
        """Allow any number."""
        return True


def _from_npy(path: Path) -> Points:
    """Read an array of numbers."""
    X = read_matrix(path)
    if X.ndim != 2 or X.shape[1] == 0 or X.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{path}: must be an array of numbers, items by features; found shape {X.shape} and "
            f"dtype {X.dtype}"
        )
    X = np.asarray(X, dtype=float)
    broken = np.argwhere(~np.isfinite(X))
    if len(broken):
        row, column = broken[0].tolist()
        raise InvalidInputError(
            f"{path}, row {row}, column {column}: must be a finite number; found {X[row, column]}"
        )
    return Points(X, ids=None)


def _from_text(source: Source, chosen: Sequence[str] | None) -> Points:
    """Read the columns of a text file; the first that holds names holds the ids."""
    header: list[str] = []

    def has_header(columns: rows.Columns) -> bool:
        if _is_header([column[:2] for column in columns]):
            header.extend(column[0] for column in columns)
        return bool(header)

    table = rows.read_table(source, "a table of features", _AnyWidth(), has_header)
    names = header or [str(number) for number in range(1, len(table.columns) + 1)]
    at = _id_column(header, [_is_mostly_text(column) for column in table.columns])
    features, taken = [], []
    for number in _features(source.path, names, at, chosen):
        column = table.columns[number]
        taken.append(names[number])
        values = _numbers(column)
        broken = np.flatnonzero(~np.isfinite(values))
        if len(broken):
            cell = column[broken[0]]
            found = shown(cell) if cell else "nothing"
            raise table.fault(
                int(broken[0]),
                f"column {shown(names[number])} must hold finite numbers; found {found}",
            )
        features.append(values)
    ids = None if at is None else table.columns[at]
    return Points(_stacked(source.path, features), ids, taken if header else None)


def _from_parquet(path: Path, chosen: Sequence[str] | None) -> Points:
    """Read the columns of a Parquet file; rows are numbered from 1."""
    table = read_parquet(path)
    kinds = import_module("pyarrow").types
    numeric = [
        kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind)
        for kind in table.schema.types
    ]
    at = _id_column(table.column_names, [not is_number for is_number in numeric])
    features, taken = [], []
    for number in _features(path, table.column_names, at, chosen):
        name, column = table.column_names[number], table.column(number)
        taken.append(name)
        if not numeric[number]:
            raise InvalidInputError(
                f"{path}, column {shown(name)}: must hold numbers; found {column.type}"
            )
        values = column.cast("float64", safe=False).to_numpy()
        broken = np.flatnonzero(~np.isfinite(values))
        if len(broken):
            found = column[int(broken[0])].as_py()
            raise InvalidInputError(
                f"{path}, row {broken[0] + 1}: column {shown(name)} must hold finite "
                f"numbers; found {'nothing' if found is None else found}"
            )
        features.append(values)
    ids = None if at is None else table.column(at).to_pylist()
    return Points(_stacked(path, features), ids, taken)


def _features(
    path: Path, names: list[str], at: int | None, chosen: Sequence[str] | None
) -> list[int]:
    """Return the columns that are features: those chosen by name, else all but that of the ids."""
    if chosen is None:
        return [number for number in range(len(names)) if number != at]
    for name in chosen:
        if name not in names:
            known = ", ".join(map(shown, names))
            raise InvalidInputError(f"{path}: columns must be among {known}; found {shown(name)}")
    return [names.index(name) for name in chosen]


def _is_header(tops: list[list[str]]) -> bool:
    """Tell by the first two cells of each column whether the first ones are names."""
    first = [column[0] for column in tops]
    if first[0].strip().lower() in ID_NAMES - {""}:
        return True
    below = [cell for column in tops for cell in column[1:]]
    return not np.isfinite(_numbers(first)).any() and bool(np.isfinite(_numbers(below)).any())


def _id_column(names: list[str], are_text: list[bool]) -> int | None:
    """Return the column with the names of the items: by its own name, or the first of text."""
    for number, name in enumerate(names):
        if name.strip().lower() in ID_NAMES:
            return number
    return are_text.index(True) if True in are_text else None


def _is_mostly_text(column: list[str]) -> bool:
    """Tell whether a column holds names, and not numbers with a few errors."""
    n_text = int(np.isnan(_numbers(column)).sum()) - column.count("")
    return 2 * n_text > len(column)


def _numbers(cells: list[str]) -> NDArray[np.float64]:
    """Return cells as numbers; NaN for a cell that is not a number."""
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array([_number(cell) for cell in cells])


def _number(cell: str) -> float:
    """Return a cell as a number, or NaN."""
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _stacked(path: Path, features: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return columns as one array."""
    if not features:
        raise InvalidInputError(f"{path}: must have a column of numbers; found none")
    return np.column_stack(features)
