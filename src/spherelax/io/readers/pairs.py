"""Scored pairs of records, the input of entity resolution, and the entities of the records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.files.source import File, Source
from spherelax.io.items import Columns, Items, Names, check_count
from spherelax.io.readers.scoring import PROBABILITY, WEIGHT, Scoring, number, quoted
from spherelax.io.readers.tables import largest_of_each_pair
from spherelax.io.tables.columnar import number_keys, numbers
from spherelax.io.tables.frames import Frame, Sheet, listed, read_sheet
from spherelax.io.words import RECORDS, Words
from spherelax.labels import encode
from spherelax.result import Result

ENDS = ("source_a", "id_a", "source_b", "id_b")
ROLES = (*ENDS, "score")
SPLINK_ENDS = ("source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r")
SPLINK = (*SPLINK_ENDS, PROBABILITY)
SPLINK_WEIGHT = (*SPLINK_ENDS, WEIGHT)
# Names of columns that are recognised, the best ones first.
KNOWN = (ROLES, SPLINK, SPLINK_WEIGHT)
RECORD = ("source", "id")
SPLINK_RECORD = ("source_dataset", "unique_id")

# The key of a record: its source, if there are sources, and its id.
Key = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Records(Items):
    """Similarities of records; a record is named by its source and id, or by its id alone.

    Attributes
    ----------
    sources : list or None
        Source of each record; None if the pairs have no sources.
    column : str or None
        Name of the column that the scores come from; None: not known.
    details : dict of str to list, or None
        The other columns of the tables of records, such as names and towns, for reports.

    Examples
    --------
    >>> import numpy as np
    >>> Records(np.eye(2), [7, 7], ["shop", "bank"], ["shop", "bank"]).names
    ['shop 7', 'bank 7']
    """

    sources: Names | None = None
    column: str | None = field(default=None, kw_only=True)
    details: Columns | None = field(default=None, kw_only=True)
    word: ClassVar[str] = "entity"
    words: ClassVar[Words] = RECORDS

    @property
    def names(self) -> list[str]:
        """Name of each record as text: its source, if any, and its id."""
        if self.sources is None:
            return super().names
        return [f"{source} {name}" for source, name in zip(self.sources, self._ids(), strict=True)]

    def answer(self, result: Result) -> Columns:
        """Return the entity of each record: source if any, id, entity, confidence.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> W = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
        >>> records = Records(W, [7, 7, 8], sources=["shop", "bank", "bank"])
        >>> columns = records.answer(sl.solve(W, pick=1.5))
        >>> list(columns), columns["entity"]
        (['source', 'id', 'entity', 'confidence'], [0, 0, 1])
        """
        check_count(result, self.n_items, "records")
        return super().answer(result)

    def who(self) -> Columns:
        """Return the columns that name each record, as `read_pairs` reads them."""
        return ({} if self.sources is None else {"source": self.sources}) | {"id": self._ids()}

    def scores(self, similarity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return similarities as the scores of the column that they come from.

        Examples
        --------
        >>> import numpy as np
        >>> records = Records(np.eye(2), [7, 8], column="match_probability")
        >>> records.scores(np.array([np.log(2.0), np.log(10.0)])).round(3)
        array([0.5, 0.9])
        """
        return Scoring(self.column, self.kind).scores(similarity)


def read_pairs(
    source: Frame | File,
    *,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    duplicate_free_sources: Iterable[Hashable] | None = None,
    records: Any = None,
    kind: str | None = None,
) -> Records:
    """Read scored pairs of records.

    A record is named by its source and its id. They may have any type: 7 and "7" are different.
    Scores must be finite and not negative; they are the similarities. If a pair is listed more than
    once, in one or both directions, its largest score counts. A pair of a record with itself is
    ignored.

    Two columns of splink say what a score is worth: a ``match_probability`` p and a
    ``match_weight``, the log odds to the base 2, which may be negative. Both become ``-log(1 - p)``
    nats, with p at most 1 - 1e-9: the information that the pair would be wrong. The kind of the
    records is then "information".

    Parameters
    ----------
    source : str, Path, or a table of pandas, polars, Arrow, DuckDB, splink or recordlinkage
        A file ends in ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``; its columns have names. What
        splink predicts is taken as it is, and so is a Series or DataFrame of recordlinkage, whose
        index is the two ids; the score is the sum of its columns.
    columns : sequence or mapping of str, optional
        Names of the columns of source, id, source, id and score, or of id, id and score, in this
        order; or a mapping to them from ``source_a``, ``id_a``, ``source_b``, ``id_b`` and
        ``score``. None: these five names are recognised, and those of splink,
        ``source_dataset_l``, ``unique_id_l``, ``source_dataset_r``, ``unique_id_r`` and
        ``match_probability`` or, if there is none, ``match_weight``; both also without the
        sources.
    duplicate_free_sources : iterable of sources, optional
        Sources that list each entity at most once: no two of their records become one entity. A
        source is given as in the table or as text. None: every source of which no two records are
        paired, because pairs inside a source mean that it may have duplicates.
    records : a table as above, or a list of them, optional
        All records, in columns ``source`` and ``id``, or splink's ``source_dataset`` and
        ``unique_id``; without sources ``id`` or ``unique_id``. A file without a column of sources
        holds those of the source that it is named after. Each record that is in no pair becomes
        its own entity. The answer has this order. None: the records of the pairs, in order of
        first appearance.
    kind : {"graph", "pairs", "odds", "information"}, optional
        What the scores are, as in :func:`spherelax.solve`. "odds": log odds in nats, which may be
        negative; with it, both columns of splink become these. None: "information" for these two
        columns; else "pairs" or, if sources are free of duplicates, to be found out.

    Returns
    -------
    Records
        Groups are the duplicate-free sources, and None for the records of the others.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the row and the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> import spherelax as sl
    >>> pairs = pd.DataFrame(
    ...     [("shop", 1, "bank", 1, 0.9), ("shop", 2, "bank", 2, 0.8), ("shop", 1, "bank", 2, 0.1)],
    ...     columns=["source_a", "id_a", "source_b", "id_b", "score"],
    ... )
    >>> records = read_pairs(pairs)
    >>> result = sl.solve(records.problem)
    >>> pd.DataFrame(records.answer(result))[["source", "id", "entity"]]
      source  id  entity
    0   shop   1       0
    1   bank   1       0
    2   shop   2       1
    3   bank   2       1
    """
    sheet, names = read_scored(source, columns)
    scoring = Scoring.of(names[-1], kind)
    scores = scoring.similarities(legal_scores(sheet, scoring))
    has_sources = len(names) == len(ROLES)
    known = details = None
    if records is not None:
        paired = {*sheet.values(names[0]), *sheet.values(names[2])} if has_sources else None
        known, details = read_records(records, paired)
    codes, first, second = _encoded(sheet, names, known)
    scores[first == second] = 0
    similarity = largest_of_each_pair(first, second, scores, len(codes))
    ids = [key[-1] for key in codes]
    groups, sources = None, None
    if has_sources:
        sources = [key[0] for key in codes]
        if duplicate_free_sources is None:
            free = set(sources) - _compared(sources, first, second)
        else:
            free = named_sources(sheet.name, duplicate_free_sources, set(sources))
        groups = [source if source in free else None for source in sources] if free else None
    elif duplicate_free_sources is not None:
        raise no_sources(sheet.name)
    found = Records(
        similarity,
        ids,
        groups,
        sources,
        kind=scoring.kind_of(has_groups=groups is not None),
        column=scoring.column,
        details=details,
    )
    with about(sheet.name):
        found.problem  # noqa: B018 (checked here, so that a fault names the file)
    return found


def read_scored(
    source: Frame | File, columns: Mapping[str, str] | Sequence[str] | None
) -> tuple[Sheet, Sequence[str]]:
    """Read a table of pairs, and return it with the names of its columns."""
    sheet = read_sheet(_flat(source), "a table of pairs")
    return sheet, pair_columns(sheet, columns)


def pair_columns(sheet: Sheet, columns: Mapping[str, str] | Sequence[str] | None) -> Sequence[str]:
    """Return the names of the columns of source if any, id, source if any, id and score.

    Examples
    --------
    >>> sheet = Sheet("pairs.csv", dict.fromkeys(["id_b", "note", "id_a", "score"]), None)
    >>> pair_columns(sheet, None)
    ('id_a', 'id_b', 'score')
    """
    return _recognised(sheet) if columns is None else _named(sheet, columns)


def record_columns(sheet: Sheet, has_sources: bool) -> Sequence[str]:
    """Return the names of the columns of source if any, and id, in a table of records."""
    first = 0 if has_sources else 1
    roles = RECORD if set(RECORD[first:]) <= set(sheet.columns) else SPLINK_RECORD
    if not set(roles) & set(sheet.columns):
        roles = RECORD
    return present(sheet, roles[first:])


def named_sources(table: str, names: Iterable[Hashable], sources: set[Hashable]) -> set[Any]:
    """Return the sources that are named, by themselves or by their text."""
    if isinstance(names, str):
        raise InvalidInputError(
            f"duplicate_free_sources must be a list of sources; found {names!r}"
        )
    by_text = {str(source): source for source in sources}
    found = set()
    for name in names:
        if name not in sources and name not in by_text:
            raise InvalidInputError(
                f"{table}: duplicate-free sources must be some of "
                f"{listed(sorted(by_text))}; found {name!r}"
            )
        found.add(name if name in sources else by_text[str(name)])
    return found


def no_sources(table: str) -> InvalidInputError:
    """Return the error for a table without sources some of which are said to be duplicate-free."""
    return InvalidInputError(f"{table}: duplicate-free sources need columns of sources; found none")


def _flat(source: Frame) -> Frame:
    """Return pairs that pandas indexes by two ids, as recordlinkage does, with columns for them."""
    index = getattr(source, "index", None)
    if index is None or getattr(index, "nlevels", 1) != 2:
        return source
    flat = index.to_frame(index=False, name=["id_a", "id_b"])
    if (flat["id_a"] == flat["id_b"]).any():
        twice = flat["id_a"][flat["id_a"] == flat["id_b"]].tolist()[0]
        raise InvalidInputError(
            f"a table of pairs: ids of different records must differ; found {quoted(twice)} "
            "paired with itself (put the name of its table before each id)"
        )
    flat["score"] = (source if source.ndim == 1 else source.sum(axis=1)).to_numpy()
    return flat


def _recognised(sheet: Sheet) -> Sequence[str]:
    """Return the names of the columns, with sources if there are any."""
    for roles in KNOWN:
        _, id_a, _, id_b, score = roles
        if {id_a, id_b, score} <= set(sheet.columns):
            has_sources = not sheet.columns.keys().isdisjoint({roles[0], roles[2]})
            return present(sheet, roles if has_sources else (id_a, id_b, score))
    raise InvalidInputError(
        f"{sheet.name}: must have the columns {', '.join(ROLES)}, or splink's "
        f"{', '.join(SPLINK)} or {WEIGHT}, or others that columns= or --columns names; "
        f"found {listed(sheet.columns)}"
    )


def _named(sheet: Sheet, columns: Mapping[str, str] | Sequence[str]) -> Sequence[str]:
    """Return the names of the columns that the user gave."""
    if isinstance(columns, Mapping):
        roles = [role for role in ROLES if role in columns]
        is_legal = set(columns) in (set(ROLES), set(ROLES[1::2]) | {ROLES[-1]})
        names = [columns[role] for role in roles]
    else:
        names = list(columns)
        is_legal = not isinstance(columns, str) and len(names) in (3, len(ROLES))
    if not is_legal:
        raise InvalidInputError(
            f"columns must name {', '.join(ROLES)}, or id_a, id_b, score; found {columns!r}"
        )
    return present(sheet, names)


def present(sheet: Sheet, names: Sequence[str]) -> Sequence[str]:
    """Return names of columns; refuse those that the table does not have."""
    if not set(names) <= set(sheet.columns):
        raise InvalidInputError(
            f"{sheet.name}: must have the columns {', '.join(map(str, names))}; "
            f"found {listed(sheet.columns)}"
        )
    return names


def legal_scores(sheet: Sheet, scoring: Scoring) -> NDArray[np.float64]:
    """Return the scores of pairs; refuse a row whose score is not legal."""
    column = str(scoring.column)
    scores = numbers(sheet.columns[column])
    if scores is None:
        scores = np.array([number(value) for value in sheet.values(column)], dtype=float)
    low, high = scoring.bounds
    legal = np.isfinite(scores) & (low <= scores) & (scores <= high)
    if not legal.all():
        row = int(legal.argmin())
        raise sheet.fault(row, scoring.illegal(sheet.values(column)[row]))
    return scores


def keys_of_pairs(sheet: Sheet, names: Sequence[str]) -> Iterator[tuple[Key, Key]]:
    """Return the keys of both records of each row."""
    middle = len(names) // 2
    return zip(_keys(sheet, names[:middle]), _keys(sheet, names[middle:-1]), strict=True)


def _keys(sheet: Sheet, names: Sequence[str]) -> Iterator[Key]:
    """Return the source, if any, and the id of each row."""
    columns = [sheet.values(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if None in column:
            raise sheet.fault(column.index(None), f"{name} must not be empty")
    return zip(*columns, strict=True)


def read_records(
    records: Frame | File, sources: set[Hashable] | None
) -> tuple[dict[Key, int], Columns]:
    """Return all records with their numbers, in the order of their tables, and other columns.

    ``sources`` are those of the pairs; None: they have none. A file that has no column of sources
    may be named after one.
    """
    codes: dict[Key, int] = {}
    details: Columns = {}
    for table in records if isinstance(records, list | tuple) else [records]:
        sheet = read_sheet(table, "a table of records")
        source, n_before = _source_of_all(sheet, table, sources or set()), len(codes)
        names = record_columns(sheet, sources is not None and not source)
        for row, name in enumerate(_keys(sheet, names)):
            key = (*source, *name)
            if _code(codes, key, sheet, row) < n_before + row:
                raise sheet.fault(row, f"records must be listed once; found {quoted(*key)} again")
        for column in (name for name in sheet.columns if name not in names):
            details.setdefault(column, [None] * n_before).extend(sheet.values(column))
        for values in details.values():
            values.extend([None] * (len(codes) - len(values)))
    return codes, details


def _source_of_all(sheet: Sheet, table: Frame | File, sources: set[Hashable]) -> tuple[str, ...]:
    """Return the source that a file without a column of sources is named after; none: empty."""
    has_column = not sheet.columns.keys().isdisjoint({RECORD[0], SPLINK_RECORD[0]})
    if has_column or not isinstance(table, File):
        return ()
    stem = Source.of(table).path.stem
    return (stem,) if stem in sources else ()


def _encoded(
    sheet: Sheet, names: Sequence[str], known: dict[Key, int] | None
) -> tuple[dict[Key, int], NDArray[np.intp], NDArray[np.intp]]:
    """Return all records with their numbers, and the numbers of both records of each pair."""
    middle = len(names) // 2
    ends = names[:middle], names[middle:-1]
    found = number_keys([[sheet.columns[name] for name in end] for end in ends])
    if found is not None:
        keys = list(zip(*found.names, strict=True))
        codes = dict(zip(keys, range(len(keys)), strict=True)) if known is None else known
        numbers_of = np.array([codes.get(key, -1) for key in keys])
        if numbers_of.min() >= 0:
            first, second = numbers_of[found.places].T
            return codes, first, second
    return _encoded_by_row(sheet, keys_of_pairs(sheet, names), known)


def _encoded_by_row(
    sheet: Sheet, pairs: Iterable[tuple[Key, Key]], known: dict[Key, int] | None
) -> tuple[dict[Key, int], NDArray[np.intp], NDArray[np.intp]]:
    """Return the same of keys of any types; refuse a record that is not known."""
    codes = {} if known is None else known
    n_known = len(codes)
    places: list[int] = []
    for row, pair in enumerate(pairs):
        for key in pair:
            places.append(_code(codes, key, sheet, row))
            if known is not None and places[-1] >= n_known:
                raise sheet.fault(row, _unlisted(key, islice(codes, n_known)))
    return codes, np.array(places[::2]), np.array(places[1::2])


def _unlisted(key: Key, known: Iterable[Key]) -> str:
    """Return the reason to refuse a record that is in no table of records."""
    texts = tuple(map(str, key))
    of_type = next((other for other in known if tuple(map(str, other)) == texts), None)
    hint = "" if of_type is None else f" (there it is {quoted(*of_type)}; types must be the same)"
    return f"record {quoted(*key)} is not in the table of records{hint}"


def _code(codes: dict[Key, int], key: Key, sheet: Sheet, row: int) -> int:
    """Return the number of a record; a new record gets the next number."""
    try:
        return codes.setdefault(key, len(codes))
    except TypeError:
        raise sheet.fault(row, f"source and id must be hashable; found {quoted(*key)}") from None


def _compared(sources: Names, first: NDArray[np.intp], second: NDArray[np.intp]) -> set[Hashable]:
    """Return the sources of which two records are paired."""
    source = encode(sources, "sources")
    inside = first[(first != second) & (source[first] == source[second])]
    return {sources[record] for record in np.unique(inside).tolist()}
