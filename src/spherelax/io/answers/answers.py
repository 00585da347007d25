"""Labels in files: as a table, or as a summary in JSON."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np

from spherelax._version import __version__
from spherelax.errors import InvalidInputError
from spherelax.io.answers.saved import save_result
from spherelax.io.files.writing import replace_file
from spherelax.io.items import Columns, Named, Names
from spherelax.io.tables.parquet import parquet_bytes
from spherelax.result import UNSURE, Result

TABLES = (".csv", ".tsv", ".parquet")
ENDINGS = (*TABLES, ".json", ".npz")
# A spreadsheet takes text that begins with one of these for a formula, or drops it.
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
# The method of items that returns the columns of each kind of rows.
ROWS = {"items": "answer", "entities": "entities", "pairs": "pairs"}


def write_answer(
    path: str | Path,
    items: Named,
    result: Result,
    *,
    of: str = "items",
    escape_formulas: bool = False,
) -> None:
    r"""Write a result in the format of the file's ending, completely or not at all.

    Parameters
    ----------
    path : str or Path
        ``.csv`` or ``.tsv``: the columns of ``items.answer(result)`` as text, fractions with four
        decimals. ``.parquet``: the same columns with types and all digits; needs pyarrow.
        ``.json``: the :func:`summary`. ``.npz``: see :func:`save_result`.
    items : Items or Points
        The items that were labelled.
    result : Result
        Their labels.
    of : {"items", "entities", "pairs"}
        What each row is. "entities" writes ``items.entities(result)``: each label with its size,
        if known how likely it is pure, and whole, and what to show for it. "pairs" writes
        ``items.pairs(result)``: the pairs that share a label and, if known, how likely each is
        right. Both are tables only.
    escape_formulas : bool
        For ``.csv`` and ``.tsv``, as in :func:`columns_csv`.

    Raises
    ------
    InvalidInputError
        If the ending is not one of these, or Parquet has no type for the ids.

    Examples
    --------
    >>> import tempfile
    >>> import spherelax as sl
    >>> items = sl.io.Items(np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]]), ["a", "b", "c"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.tsv")
    ...     write_answer(path, items, sl.solve(items.problem, pick=9.0))
    ...     path.read_text().splitlines()[:2]
    ['item\tlabel\tconfidence', 'a\t0\t0.3333']
    """
    path = Path(path)
    ending = path.suffix.lower()
    if of not in ROWS:
        raise InvalidInputError(f"of must be one of {', '.join(ROWS)}; found {of!r}")
    known = ENDINGS if of == "items" else TABLES
    if ending not in known:
        raise InvalidInputError(f"{path}: an answer must end in one of {', '.join(known)}")
    if ending == ".npz":
        save_result(path, result, items)
        return
    if ending == ".json":
        replace_file(path, (json.dumps(summary(items, result), indent=2) + "\n").encode())
        return
    write_columns(path, getattr(items, ROWS[of])(result), escape_formulas=escape_formulas)


def write_columns(path: str | Path, columns: Columns, *, escape_formulas: bool = False) -> None:
    r"""Write columns as a table in the format of the file's ending, completely or not at all.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv`` or ``.parquet``, as in :func:`write_answer`.
    columns : dict of str to list
        Columns by name, all of the same length.
    escape_formulas : bool
        As in :func:`columns_csv`.

    Raises
    ------
    InvalidInputError
        If the ending is not one of these, or Parquet has no type for a column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "sizes.csv")
    ...     write_columns(path, {"label": [0, 1], "size": [3, 2]})
    ...     path.read_text()
    'label,size\n0,3\n1,2\n'
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in TABLES:
        raise InvalidInputError(f"{path}: a table must end in one of {', '.join(TABLES)}")
    if ending == ".parquet":
        content = parquet_bytes(columns, str(path))
    else:
        delimiter = "\t" if ending == ".tsv" else ","
        content = columns_csv(
            columns, delimiter=delimiter, escape_formulas=escape_formulas
        ).encode()
    replace_file(path, content)


def columns_csv(columns: Columns, *, delimiter: str = ",", escape_formulas: bool = False) -> str:
    r"""Return columns as CSV with a header; confidence has four decimals.

    Parameters
    ----------
    columns : dict of str to list
        Columns by name, all of the same length.
    delimiter : str
        What separates cells.
    escape_formulas : bool
        Put an apostrophe before text that a spreadsheet would take for a formula: what begins with
        ``=``, ``+``, ``-``, ``@``, a tab or a line break.

    Returns
    -------
    str
        The text of the file.

    Examples
    --------
    >>> columns_csv({"item": ["a", "b, c"], "label": [0, 1], "confidence": [1.0, 0.25]})
    'item,label,confidence\na,0,1.0000\n"b, c",1,0.2500\n'
    >>> columns_csv({"item": ["=1+1"], "label": [0]}, escape_formulas=True)
    "item,label\n'=1+1,0\n"
    """
    if escape_formulas:
        columns = {name: list(map(_escaped, column)) for name, column in columns.items()}
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(_cells, columns.values()), strict=True))
    return text.getvalue()


def summary(items: Named, result: Result) -> dict[str, object]:
    """Return the main numbers of a result and its path as a dictionary, for scripts.

    Parameters
    ----------
    items : Items or Points
        The items that were labelled.
    result : Result
        Their labels.

    Returns
    -------
    dict
        version : str, of spherelax.
        n_items, n_labels : int.
        n_groups : int or None, number of groups; items without one are not counted.
        resolution : float, of the step that the labels come from.
        status : str, its name, such as "described".
        sentence : str, what the status means.
        is_odd : bool, whether the labels need a check, as the status says.
        kind : str, what the similarities were taken for.
        reading : str, the name of what was done with them, such as "ranked".
        alternative : int or None, number of labels of another answer that is about as good.
        sizes : dict of str to int, number of labels by number of items.
        mean_confidence : float or None; None if it is not known.
        n_unsure : int, number of items whose confidence is below 0.1.
        n_wrong : float or None, expected number of items whose label is wrong; None if the
        confidence is not a probability.
        path : dict, is_complete, picked (the step that the labels come from), and one list for each
        number of the steps: alphas, resolutions, n_labels, etas, objectives, stability, and
        savings, which may be None.

    Examples
    --------
    >>> import spherelax as sl
    >>> items = sl.io.Items(np.kron(np.eye(2), np.ones((3, 3))), ids=None)
    >>> found = summary(items, sl.solve(items.problem))
    >>> found["n_labels"], found["sizes"], found["status"]
    (2, {'3': 2}, 'described')
    """
    path, n_wrong = result.path, np.sum(1.0 - result.confidence)
    sizes, counts = np.unique(np.bincount(result.labels), return_counts=True)
    return {
        "version": __version__,
        "n_items": len(result.labels),
        "n_groups": None if items.groups is None else len({*items.groups} - {None}),
        "n_labels": result.n_labels,
        "resolution": result.resolution,
        "status": str(result.status),
        "sentence": result.status.sentence,
        "is_odd": result.status.is_odd,
        "kind": result.kind,
        "reading": str(result.reading),
        "alternative": result.alternative,
        "sizes": {str(size): int(count) for size, count in zip(sizes, counts, strict=True)},
        "mean_confidence": _known(float(result.confidence.mean())),
        "n_unsure": int((result.confidence < UNSURE).sum()),
        "n_wrong": _known(float(n_wrong)) if result.is_probability else None,
        "path": {
            "is_complete": path.is_complete,
            "picked": path.picked,
            "alphas": path.alphas.tolist(),
            "resolutions": path.resolutions.tolist(),
            "n_labels": path.n_labels.tolist(),
            "etas": path.etas.tolist(),
            "objectives": path.objectives.tolist(),
            "stability": path.stability.tolist(),
            "savings": None if path.savings is None else path.savings.tolist(),
        },
    }


def _cells(column: Names) -> Names:
    """Write numbers with a fraction to four decimals."""
    types = set(map(type, column))
    if float not in types:
        return column
    if types == {float}:
        return list(map("{:.4f}".format, column))
    return [f"{value:.4f}" if isinstance(value, float) else value for value in column]


def _escaped(cell: object) -> object:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell


def _known(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON does not have."""
    return None if np.isnan(value) else value
