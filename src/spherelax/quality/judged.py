"""Judged samples that are read back: cases, and which of their items are the same thing.

The verdicts of a case tell which of its items are the same thing, by following those that say
"same"; what follows from others need not be judged. A case counts if all its pairs are decided. The
judge of a record or an entity names all items that are the same thing: any other item is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from spherelax.errors import InvalidInputError, shown
from spherelax.io.answers.labelled import sheet_of
from spherelax.io.items import Named
from spherelax.io.readers.judgements import VERDICT, read_verdicts
from spherelax.io.readers.pairs import present
from spherelax.io.readers.scoring import number
from spherelax.io.tables.frames import Sheet
from spherelax.judgements import UNSURE, Judgements
from spherelax.quality.estimate import Design
from spherelax.quality.sample import FRAMES

CASE = ("case", "of", "size", "stratum", "out_of")


class Cases(NamedTuple):
    """Cases of a sample that were judged.

    Attributes
    ----------
    of : {"records", "entities", "pairs"}
        What was drawn.
    n_drawn : int
        Number of cases, judged or not.
    design : Design
        Where judged cases were drawn.
    first : ndarray of shape (n_cases,)
        The first item of each judged case, which was drawn.
    size : ndarray of shape (n_cases,)
        Number of items that were drawn with it: of an entity all, of a record itself.
    case, item, thing : ndarray of shape (n_members,)
        Each item of each judged case, and a number of the thing that it is there.
    """

    of: str
    n_drawn: int
    design: Design
    first: NDArray[np.intp]
    size: NDArray[np.float64]
    case: NDArray[np.intp]
    item: NDArray[np.intp]
    thing: NDArray[np.intp]


def read_cases(source: Any, items: Named) -> Cases:
    """Read a sample that was judged; refuse one that contradicts itself or misses a stratum.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(4), np.ones((3, 3))))
    >>> drawn = sl.sample(result, 2) | {"verdict": ["same", "different", "same", ""]}
    >>> found = read_cases(drawn, sl.io.Items(np.eye(12), None))
    >>> found.n_drawn, found.item, found.thing
    (2, array([6, 7, 8]), array([0, 0, 1]))
    """
    sheet = sheet_of(source, "judged")
    if not sheet.values(present(sheet, (*CASE, VERDICT))[0]):
        raise InvalidInputError(f"{sheet.name}: must have at least one row; found none")
    rows = read_verdicts(sheet, items)
    name, of, size, stratum, out_of = (sheet.values(column) for column in CASE)
    if len(set(of)) != 1 or of[0] not in FRAMES:
        found = ", ".join(sorted({shown(value) for value in of}))
        raise InvalidInputError(
            f"{sheet.name}: of must be one of {', '.join(FRAMES)} in all rows; found {found}"
        )
    drawn = _read_counts(sheet, "size", size, name)
    sizes = _read_counts(sheet, "out_of", out_of, stratum)
    known = [row[2] if row[3] > UNSURE else None for row in rows]
    try:
        Judgements.of(rows).check(items.n_items, None, items.names)
    except InvalidInputError as error:
        raise InvalidInputError(f"{sheet.name}: {error}") from None
    first_row, case = np.unique(list(map(str, name)), return_index=True, return_inverse=True)[1:]
    ends = np.array([row[:2] for row in rows], dtype=np.intp)
    member, at = np.unique(case[:, None] * items.n_items + ends, return_inverse=True)
    at = at.reshape(-1, 2)
    same = np.array([verdict is True for verdict in known])
    thing = _join(at[same], len(member))
    is_judged = np.ones(len(first_row), dtype=np.bool_)
    is_judged[case[~_are_decided(thing[at], known)]] = False
    cases = [str(name[row]) for row in first_row[is_judged].tolist()]
    strata, code = np.unique([str(stratum[row]) for row in first_row], return_inverse=True)
    for h in np.flatnonzero(np.bincount(code[is_judged], minlength=len(strata)) == 0).tolist():
        raise InvalidInputError(
            f"{sheet.name}: each stratum must have a judged case; found none of stratum {strata[h]}"
        )
    place = np.cumsum(is_judged) - 1
    in_case, item = np.divmod(member, items.n_items)
    kept = is_judged[in_case]
    return Cases(
        str(of[0]),
        len(first_row),
        Design(code[is_judged], np.array([sizes[h] for h in strata.tolist()])),
        ends[first_row[is_judged], 0],
        np.array([drawn[case] for case in cases]),
        place[in_case[kept]],
        item[kept],
        np.unique(thing[kept], return_inverse=True)[1],
    )


def _read_counts(sheet: Sheet, column: str, counts: list[Any], of: list[Any]) -> dict[str, float]:
    """Return a number for each case or stratum; refuse two, and what is no number from 1."""
    found: dict[str, float] = {}
    for row, (count, name) in enumerate(zip(counts, of, strict=True)):
        value = number(count)
        if not value >= 1.0 or found.setdefault(str(name), value) != value:
            reason = "must be a number from 1, the same wherever sample wrote the same"
            raise sheet.fault(row, f"{column} {reason}; found {shown(count)}")
    return found


def _join(pairs: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return a number for each of n members, the same for those that pairs join."""
    joined = sp.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(connected_components(joined, directed=False)[1], dtype=np.intp)


def _are_decided(things: NDArray[np.intp], known: list[bool | None]) -> NDArray[np.bool_]:
    """Tell of each row whether its verdict, or those of others, tell if its things differ."""
    low, high = np.sort(things, axis=1).T
    key = low * (int(things.max()) + 1) + high
    differ = np.array([verdict is False for verdict in known])
    return np.asarray((low == high) | np.isin(key, key[differ]))
