"""Judgements in a table: the pairs that a person or a model has judged, by the user's own names."""

from __future__ import annotations

import sqlite3
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.files.source import File, Source
from spherelax.io.files.sqlite import opened_database
from spherelax.io.items import Named, name_columns
from spherelax.io.readers.pairs import ENDS, SPLINK_ENDS, present
from spherelax.io.readers.scoring import number, quoted
from spherelax.io.tables.frames import Frame, Sheet, read_sheet
from spherelax.judgements import Judgements, read_verdict

VERDICT, SURE = "verdict", "sure"
# The table of a file of answers, and the number of an answer in it.
ENDING, TABLE, NUMBER = ".sqlite", "judgements", "judgement"
REFUSE, DROP = CONTRADICTIONS = ("refuse", "drop")
ADVICE = "--contradictions drop lets later ones count"
# What splink calls the columns of both records.
OF_SPLINK = dict(zip(ENDS, SPLINK_ENDS, strict=True))

# Two items, whether they are the same (None: nobody can tell), and how likely that is right.
Verdict = tuple[int, int, bool | None, float]
# The item that each name is of, as text; None: there are two of this name.
Places = dict[tuple[str, ...], int | None]


def read_judgements(source: Frame | File, items: Named) -> Judgements:
    r"""Read judged pairs of items.

    The table has the columns that name both items, as ``--pairs`` writes them: ``id_a`` and
    ``id_b``, with ``source_a`` and ``source_b`` if there are sources, or splink's names;
    ``item_a`` and ``item_b``; ``image_a``, ``keypoint_a`` and so on. A column ``verdict`` has same,
    different or cannot tell; an empty verdict is none. A column ``sure`` has how likely the judge
    is right; without it, or where it is empty, a verdict is kept without exception. Other columns,
    such as who judged and when, are ignored. Names are compared as text.

    Parameters
    ----------
    source : str, Path, or a table of pandas, polars, Arrow, DuckDB or splink
        A file ends in ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``, or in ``.sqlite`` if
        ``spherelax ask`` has kept answers in it.
    items : Items
        The items that were read.

    Returns
    -------
    Judgements
        For :func:`spherelax.solve`.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the row and the reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import spherelax as sl
    >>> people = sl.io.Items(np.ones((3, 3)), ids=["ann", "anna", "bob"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "judged.csv")
    ...     _ = path.write_text("item_a,item_b,verdict\nann,bob,different\nanna,bob,\n")
    ...     sl.io.read_judgements(path, people).pairs
    array([[0, 2]])
    """
    return Judgements.of(read_verdicts(read_judged(source), items))


def check_contradictions(rule: str | None) -> None:
    """Refuse a word for what to do with contradictions that is none; None: nothing is said."""
    if rule is not None and rule not in CONTRADICTIONS:
        found = f"contradictions must be one of {', '.join(CONTRADICTIONS)}; found {rule!r}"
        raise InvalidInputError(found)


def settle(
    judged: Judgements,
    items: Named,
    groups: NDArray[np.integer] | None,
    contradictions: str | None,
    advice: str = f"contradictions='drop' or {ADVICE}",
) -> Judgements:
    """Return judgements that can all hold: refuse others, or let later ones count."""
    if contradictions == DROP:
        judged = judged.without_contradictions(groups)
    try:
        judged.check(items.n_items, groups, items.names)
    except InvalidInputError as error:
        raise InvalidInputError(f"{error}; {advice}") from None
    return judged


def read_asked(source: Frame | File, items: Named) -> set[tuple[int, int]]:
    """Return the pairs that have a verdict in a table of judgements, also if nobody can tell."""
    sheet = read_judged(source)
    rows = zip(read_verdicts(sheet, items), sheet.values(VERDICT), strict=True)
    return {(min(a, b), max(a, b)) for (a, b, *_), verdict in rows if verdict not in (None, "")}


def read_judged(source: Frame | File) -> Sheet:
    """Read a table of judgements, which may be that of a file of answers."""
    if not isinstance(source, File) or Source.of(source).ending != ENDING:
        return read_sheet(source, "judgements")
    path = Source.of(source).path
    with opened_database(path, recovers=True) as database:
        sheet = sheet_of_database(database, path)
    if not sheet.values(NUMBER):
        raise InvalidInputError(f"{path}: must have at least one answer; found none")
    return sheet


def sheet_of_database(database: sqlite3.Connection, path: Path) -> Sheet:
    """Return the table of a file of answers, in the order of their giving."""
    rows = database.execute(f"SELECT * FROM {TABLE} ORDER BY {NUMBER}")
    names = [column[0] for column in rows.description]
    columns = [*zip(*rows, strict=True)] or [()] * len(names)
    return Sheet(str(path), dict(zip(names, map(list, columns), strict=True)), None)


def find_places(items: Named) -> Places:
    """Return the item of each name.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> find_places(sl.io.Items(np.eye(3), ids=[7, 8, 8]))
    {('7',): 0, ('8',): None}
    """
    places: Places = {}
    for item, name in enumerate(zip(*name_columns(items).values(), strict=True)):
        text = tuple(map(str, name))
        places[text] = None if text in places else item
    return places


def read_verdicts(sheet: Sheet, items: Named, places: Places | None = None) -> list[Verdict]:
    """Return the two items of each row of a table, the verdict or None, and how sure it is."""
    names = judged_columns(sheet, items)
    n_parts = len(names) // 2
    present(sheet, [*names, VERDICT])
    known = find_places(items) if places is None else places
    columns = [sheet.values(name) for name in (*names, VERDICT)]
    sure = sheet.values(SURE) if SURE in sheet.columns else [None] * len(columns[0])
    rows: list[Verdict] = []
    for row, (*cells, verdict) in enumerate(zip(*columns, strict=True)):
        pair: list[int] = []
        for key in (cells[:n_parts], cells[n_parts:]):
            text = tuple(map(str, key))
            item = known.get(text)
            if item is None:
                found = "two items" if text in known else "no item"
                raise sheet.fault(row, f"{quoted(*key)} must name an item; found {found} of it")
            pair.append(item)
        if pair[0] == pair[1]:
            said = quoted(*cells[:n_parts])
            raise sheet.fault(row, f"judgements must be of two items; found {said} twice")
        trust = 1.0 if sure[row] is None else number(sure[row])
        try:
            rows.append((pair[0], pair[1], read_verdict(verdict), trust))
            Judgements.of(rows[-1:])
        except InvalidInputError as error:
            raise sheet.fault(row, str(error)) from None
    return rows


def names_of_pair(items: Named, pair: tuple[int, int]) -> list[str]:
    """Return what the columns that name both items have for a pair, as text."""
    return [str(column[item]) for item in pair for column in name_columns(items).values()]


def judged_names(items: Named) -> list[str]:
    """Return the names of the columns that name both items of a pair.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> judged_names(sl.io.Records(np.eye(2), [7, 8]))
    ['id_a', 'id_b']
    """
    return [f"{name}_{side}" for side, name in product("ab", name_columns(items))]


def judged_columns(sheet: Sheet, items: Named) -> list[str]:
    """Return the columns of a table that name both items of a judged pair."""
    return [_column(sheet, name) for name in judged_names(items)]


def _column(sheet: Sheet, name: str) -> str:
    """Return the name of a column, or what splink calls it."""
    other = OF_SPLINK.get(name, name)
    return name if name in sheet.columns or other not in sheet.columns else other
