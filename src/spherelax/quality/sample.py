"""Samples of records, entities or pairs to judge, drawn at random in strata.

All three are stratified simple random samples. A *case* is what was drawn; its rows are the pairs
that have to be judged to know how good the answer is there. Strata hold equal sums of what a case
adds to the error of an estimate (for pairs, the standard deviation that their probability says;
for entities, their size), so that as many cases of each are nearly Neyman's optimal allocation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.items import Columns, Items, Named, check_count, name_columns
from spherelax.result import Result
from spherelax.settings import POSITIVE_INTEGER, check_range

STRATA = 5  # of pairs inside labels, of pairs outside, and of entities
LEAST_CASES = 2  # of each stratum, so that a variance can be estimated
SUREST = 0.95  # no pair counts as surer, so that sure pairs are drawn too

Pair = tuple[int, int]


class Frame(NamedTuple):
    """What a sample is drawn from: the stratum of each case, its size in items, its pairs."""

    stratum: NDArray[np.intp]
    size: NDArray[np.intp]
    rows: Callable[[int], Iterable[Pair]]


def sample(
    result: Result,
    n: int,
    *,
    of: str = "records",
    items: Named | None = None,
    random_state: int = 0,
) -> Columns:
    """Draw a sample to judge, for :func:`evaluate`.

    Parameters
    ----------
    result : Result
        The answer.
    n : int
        Number of cases; fewer if there are not so many.
    of : {"records", "entities", "pairs"}
        What is drawn. "records": items, each with an equal chance; each is judged with all items of
        its label and with its candidates. "entities": labels, in strata of their size; all pairs of
        their items and the candidates of these. "pairs": pairs inside labels and candidates outside
        of them, in strata of their probability.
    items : Items or Points, optional
        The items, whose names the table has. None: they are numbered from 0.
    random_state : int
        Seed of the draw.

    Returns
    -------
    dict of str to list
        A row per pair, in the columns of judgements: ``item_a``, ``item_b`` or what else names two
        items, and an empty ``verdict``. Besides, ``case`` numbers what was drawn, ``of`` says what
        that is, ``size`` of how many items; it was drawn in a ``stratum`` of ``out_of`` cases. The
        order of cases is random, so that whoever stops early has judged a sample, too.

    Raises
    ------
    InvalidInputError
        If there is nothing to judge, or n is less than two for each stratum.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(4), np.ones((3, 3))))
    >>> drawn = sl.sample(result, 2)
    >>> drawn["case"], drawn["item_a"], drawn["item_b"]
    ([0, 0, 1, 1], [7, 7, 9, 9], [6, 8, 10, 11])
    """
    check_range(POSITIVE_INTEGER, n=n)
    if of not in FRAMES:
        raise InvalidInputError(f"of must be one of {', '.join(FRAMES)}; found {of!r}")
    named = name_items(result, items)
    frame = FRAMES[of](result)
    sizes = np.bincount(frame.stratum)
    if len(sizes) == 0:
        raise InvalidInputError("result must have pairs to judge; found none")
    if n < LEAST_CASES * len(sizes):
        raise InvalidInputError(
            f"n must be at least {LEAST_CASES} for each of {len(sizes)} strata; found {n}"
        )
    rng = np.random.default_rng(random_state)
    by_stratum = [np.flatnonzero(frame.stratum == h) for h in range(len(sizes))]
    counts = allocate(sizes, n)
    drawn = [
        rng.choice(cases, count, replace=False)
        for cases, count in zip(by_stratum, counts.tolist(), strict=True)
    ]
    cases = rng.permutation(np.concatenate(drawn)).tolist()
    rows = [(case, *pair) for case, unit in enumerate(cases) for pair in frame.rows(unit)]
    number, *ends = map(list, zip(*rows, strict=True))
    size, stratum = frame.size[cases][number], frame.stratum[cases][number]
    return {
        "case": number,
        **{
            f"{name}_{side}": [column[item] for item in end]
            for side, end in zip("ab", ends, strict=True)
            for name, column in name_columns(named).items()
        },
        "verdict": [""] * len(rows),
        "of": [of] * len(rows),
        "size": size.tolist(),
        "stratum": stratum.tolist(),
        "out_of": sizes[stratum].tolist(),
    }


def name_items(result: Result, items: Named | None) -> Named:
    """Return the items of a result; without any, those that are numbered from 0."""
    m = len(result.labels)
    if items is None:
        return Items(sp.csr_array((m, m)), None)
    check_count(result, items.n_items, "items")
    return items


def stratify(by: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return strata in rising order of ``by`` that hold about equal sums of weights.

    Examples
    --------
    >>> stratify(np.array([9.0, 1.0, 1.0, 1.0, 2.0, 3.0]), np.ones(6))
    array([4, 0, 1, 2, 2, 3])
    """
    order = np.argsort(by, kind="stable")
    middle = np.cumsum(weight[order]) - 0.5 * weight[order]
    found = np.empty(len(by), dtype=np.intp)
    found[order] = np.minimum(middle / max(weight.sum(), 1e-300) * STRATA, STRATA - 1)
    return np.unique(found, return_inverse=True)[1]


def allocate(sizes: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return how many cases to draw of each stratum: as many of each, or all of a small one.

    Examples
    --------
    >>> allocate(np.array([50, 3, 100]), 30)
    array([13,  3, 14])
    """
    found = np.zeros_like(sizes)
    order = np.argsort(sizes, kind="stable")
    for place, h in enumerate(order.tolist()):
        found[h] = min(sizes[h], (n - found.sum()) // (len(sizes) - place))
    return found


def list_outside(result: Result) -> sp.csr_array:
    """Return how likely candidates in different labels are the same; empty where unknown."""
    m, labels = len(result.labels), result.labels
    known = result.listed_probability()
    listed = sp.coo_array((m, m)) if known is None else sp.coo_array(known)
    is_outside = labels[listed.row] != labels[listed.col]
    ends = (listed.row[is_outside], listed.col[is_outside])
    return sp.csr_array(sp.coo_array((listed.data[is_outside], ends), shape=(m, m)))


def _likeliest(outside: sp.csr_array, item: int) -> list[Pair]:
    """Return the candidates of an item outside of its label, the likeliest first."""
    row = slice(outside.indptr[item], outside.indptr[item + 1])
    order = np.argsort(-outside.data[row], kind="stable")
    return [(item, other) for other in outside.indices[row][order].tolist()]


def _frame_pairs(result: Result) -> Frame:
    """Return pairs inside labels, and candidates outside of them, in strata of probability."""
    inside, outside = result.pairs(), sp.triu(list_outside(result), 1, format="coo")
    pairs = np.r_[inside.items, np.c_[outside.row, outside.col]]
    known = inside.probability
    strata, n_before = [], 0
    for likely in (np.ones(len(inside.items)) if known is None else known, outside.data):
        p = np.clip(likely, 1.0 - SUREST, SUREST)
        strata.append(n_before + stratify(likely, np.sqrt(p * (1.0 - p))))
        n_before = int(strata[-1].max(initial=n_before - 1)) + 1
    two = np.full(len(pairs), 2)
    return Frame(np.concatenate(strata), two, lambda at: [(int(pairs[at, 0]), int(pairs[at, 1]))])


def _frame_records(result: Result) -> Frame:
    """Return items that share a label or have candidates, in one stratum."""
    labels, outside = result.labels, list_outside(result)
    has_rows = (np.bincount(labels)[labels] > 1) | (np.diff(outside.indptr) > 0)
    records = np.flatnonzero(has_rows).tolist()

    def rows(at: int) -> list[Pair]:
        item = records[at]
        mates = np.flatnonzero(labels == labels[item]).tolist()
        return [(item, mate) for mate in mates if mate != item] + _likeliest(outside, item)

    zero = np.zeros(len(records), dtype=np.intp)
    return Frame(zero, zero + 1, rows)


def _frame_entities(result: Result) -> Frame:
    """Return labels of several items, or of one that has candidates, in strata of size."""
    labels, outside = result.labels, list_outside(result)
    sizes = np.bincount(labels)
    n_outside = np.bincount(labels, np.diff(outside.indptr))
    entities = np.flatnonzero((sizes > 1) | (n_outside > 0))
    first = result.representatives()

    def rows(at: int) -> list[Pair]:
        # Pairs with the representative come first: of a right label, all others follow from them.
        label = entities[at]
        mates = np.flatnonzero(labels == label).tolist()
        mates.sort(key=lambda item: item != first[label])
        return [
            *combinations(mates, 2),
            *(pair for item in mates for pair in _likeliest(outside, item)),
        ]

    size = sizes[entities].astype(float)
    return Frame(stratify(size, size), sizes[entities], rows)


FRAMES: dict[str, Callable[[Result], Frame]] = {
    "records": _frame_records,
    "entities": _frame_entities,
    "pairs": _frame_pairs,
}
