"""How good an answer is: as judged by a sample, and as the model itself says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.items import Named
from spherelax.quality.estimate import Estimate, estimate_ratio
from spherelax.quality.judged import Cases, read_cases
from spherelax.quality.sample import list_outside, name_items
from spherelax.result import Result
from spherelax.result.frames import make_frame

Floats = NDArray[np.float64]
MEASURES = ("pair_precision", "pair_recall", "bcubed_precision", "bcubed_recall")
# Sums over cases, by measure: the measure is the ratio of both.
Sums = dict[str, tuple[Floats, Floats]]
UNKNOWN = "-"
BEYOND = ", and those that the judge added"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good an answer is.

    The four measures are ``pair_precision``, ``pair_recall``, ``bcubed_precision`` and
    ``bcubed_recall``.

    Attributes
    ----------
    judged : dict of str to Estimate or None
        By measure, ``value`` and the 95 % interval from ``low`` to ``high``; None: the sample does
        not tell. Empty without a sample.
    model : dict of str to float or None
        By measure, what the probabilities of the model say, without any judgement; None: they do
        not tell.
    of : str or None
        What was drawn; None: there is no sample.
    n_judged, n_drawn : int
        Number of judged cases, and of all.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve([[0, 2, -2], [2, 0, 0], [-2, 0, 0]], kind="odds")
    >>> print(sl.evaluate(result))
                         model
    pair precision       0.852
    pair recall          0.877
    B-cubed precision    0.951
    B-cubed recall       0.944
    """

    judged: dict[str, Estimate | None]
    model: dict[str, float | None]
    of: str | None = None
    n_judged: int = 0
    n_drawn: int = 0

    def columns(self) -> dict[str, list[Any]]:
        """Return a row per measure: measure, value, low and high as judged, and model.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.evaluate(sl.solve([[0, 2], [2, 0]], kind="odds")).columns()["measure"][:2]
        ['pair_precision', 'pair_recall']
        """
        found = [self.judged.get(name) or (None, None, None) for name in MEASURES]
        value, low, high = map(list, zip(*found, strict=True))
        model = [self.model[name] for name in MEASURES]
        return {
            "measure": [*MEASURES], "value": value, "low": low, "high": high, "model": model
        }  # fmt: skip

    def to_frame(self, like: str = "pandas") -> Any:
        """Return :meth:`columns` as a data frame of pandas, polars or pyarrow.

        Examples
        --------
        >>> import spherelax as sl
        >>> sl.evaluate(sl.solve([[0, 2], [2, 0]], kind="odds")).to_frame().shape
        (4, 5)
        """
        return make_frame(self.columns(), like)

    def __str__(self) -> str:
        is_judged = self.of is not None
        lines = [f"{'':<18}" + (f"{'judged':>8}{'95 % interval':>17}" if is_judged else "")]
        lines[0] += f"{'model':>8}"
        for name, *numbers in zip(*self.columns().values(), strict=True):
            value, low, high, model = (
                UNKNOWN if number is None else f"{number:.3f}" for number in numbers
            )
            said = name.replace("bcubed", "B-cubed").replace("_", " ")
            interval = UNKNOWN if low == UNKNOWN else f"{low} to {high}"
            middle = f"{value:>8}{interval:>17}" if is_judged else ""
            lines.append(f"{said:<18}{middle}{model:>8}")
        if is_judged:
            lines.append(f"{self.n_judged:,} of {self.n_drawn:,} {self.of} of the sample judged")
            is_pairs = self.of == "pairs"
            lines.append(f"recall is that among listed pairs{'' if is_pairs else BEYOND}")
        return "\n".join(lines)


def evaluate(result: Result, judged: Any = None, *, items: Named | None = None) -> Evaluation:
    """Estimate how good an answer is, from a judged sample and from the model's probabilities.

    Pair precision is the share of the pairs inside labels that are the same thing; pair recall is
    the share of the pairs of the same thing that are inside labels. B-cubed takes the same shares
    of each item, itself included, and averages them over items.

    Parameters
    ----------
    result : Result
        The answer.
    judged : table or file, optional
        What :func:`sample` drew, with verdicts: same, different or cannot tell. A table of pandas,
        polars, Arrow or DuckDB, a dictionary of columns, or a file that ends in ``.csv``, ``.tsv``,
        ``.txt`` or ``.parquet``. A sample of records can be judged once and used for later answers.
    items : Items or Points, optional
        The items, if the sample has their names.

    Returns
    -------
    Evaluation
        A table; as text with ``print``.

    Raises
    ------
    InvalidInputError
        If verdicts contradict each other, items are unknown, a stratum has no judged case, or
        entities were drawn from another answer.

    Notes
    -----
    A sample of pairs tells nothing of B-cubed, and its recall is that among listed pairs: those
    that nobody listed are not in it. Records and entities tell all four measures; of pairs that
    were never listed they see those that the judge adds as rows of the case. Judgements that
    :meth:`Result.judge` was given say nothing about its labels: judge other cases.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(40), np.ones((3, 3))))
    >>> drawn = sl.sample(result, 50)
    >>> drawn["verdict"] = ["different" if 0 in pair else "same" for pair in
    ...                     zip(drawn["item_a"], drawn["item_b"])]
    >>> print(sl.evaluate(result, drawn))
                        judged    95 % interval   model
    pair precision       0.960   0.904 to 0.988   1.000
    pair recall          1.000   0.923 to 1.000       -
    B-cubed precision    0.973   0.936 to 0.992   1.000
    B-cubed recall       1.000   0.925 to 1.000       -
    50 of 50 records of the sample judged
    recall is that among listed pairs, and those that the judge added
    """
    named, model = name_items(result, items), _ask_model(result)
    if judged is None:
        return Evaluation({}, model)
    cases = read_cases(judged, named)
    count = _count_pairs if cases.of == "pairs" else _count_records
    estimates = {
        name: estimate_ratio(*sums, cases.design) for name, sums in count(cases, result).items()
    }
    if cases.of != "pairs":
        n_cases = len(result.labels) if cases.of == "records" else result.n_labels
        n_alone = max(n_cases - cases.design.sizes.sum(), 0.0)
        for name in MEASURES[2:]:
            if (found := estimates[name]) is not None:
                estimates[name] = found.mixed_with_ones(n_alone / len(result.labels))
    return Evaluation(
        {name: estimates.get(name) for name in MEASURES},
        model,
        cases.of,
        len(cases.first),
        cases.n_drawn,
    )


def _count_pairs(cases: Cases, result: Result) -> Sums:
    """Return what each case of two items adds to the sums of pairs."""
    if (np.bincount(cases.case) != 2).any():
        raise InvalidInputError("cases of pairs must have two items each; found more in one")
    order = np.argsort(cases.case, kind="stable").reshape(-1, 2)
    one, other = cases.item[order].T
    is_inside = (result.labels[one] == result.labels[other]).astype(float)
    is_same = (cases.thing[order[:, 0]] == cases.thing[order[:, 1]]).astype(float)
    both = is_inside * is_same
    return {"pair_precision": (both, is_inside), "pair_recall": (both, is_same)}


def _count_records(cases: Cases, result: Result) -> Sums:
    """Return what each case adds to all sums: its record, or all items of its entity."""
    labels, case, item, thing = result.labels, cases.case, cases.item, cases.thing
    sizes, n = np.bincount(labels), len(cases.first)
    if cases.of == "records":
        is_drawn = item == cases.first[case]
    else:
        is_drawn = labels[item] == labels[cases.first[case]]
        n_known = np.bincount(case[is_drawn], minlength=n)
        if (n_known != cases.size).any() or (sizes[labels[cases.first]] != cases.size).any():
            raise InvalidInputError(
                "entities must be drawn from the same answer; found other labels. A sample of "
                "records can be used for later answers"
            )
    n_things = np.bincount(thing)
    _, cell, n_both = np.unique(
        thing * np.int64(len(sizes)) + labels[item], return_inverse=True, return_counts=True
    )
    counts = (n_both[cell], sizes[labels[item]], n_things[thing])
    sums = _sum_up(*(number[is_drawn].astype(float) - 1.0 for number in counts))
    at = case[is_drawn]
    return {
        name: (np.bincount(at, part, n).astype(float), np.bincount(at, whole, n).astype(float))
        for name, (part, whole) in sums.items()
    }


def _sum_up(both: Floats, labelled: Floats, same: Floats) -> Sums:
    """Return what each item adds to the sums of all measures.

    Of the other items, ``labelled`` have its label, ``same`` are the same thing, and ``both`` both.
    """
    one = np.ones_like(both)
    return {
        "pair_precision": (both, labelled),
        "pair_recall": (both, same),
        "bcubed_precision": ((both + 1.0) / (labelled + 1.0), one),
        "bcubed_recall": ((both + 1.0) / (same + 1.0), one),
    }


def _ask_model(result: Result) -> dict[str, float | None]:
    """Return the measures with the expected numbers of items in place of judged ones."""
    if not result.is_probability:
        return dict.fromkeys(MEASURES)
    labelled = np.bincount(result.labels)[result.labels].astype(float) - 1.0
    both = np.where(labelled > 0.0, result.confidence * labelled, 0.0)
    try:
        known = result.listed_probability()
    except InvalidInputError:  # of a result from a file
        known = None
    missed = np.nan if known is None else np.asarray(list_outside(result).sum(axis=1)).ravel()
    sums = _sum_up(both, labelled, both + missed)
    return {name: _ratio(*both_sums) for name, both_sums in sums.items()}


def _ratio(part: Floats, whole: Floats) -> float | None:
    """Return the ratio of two sums; None: it is not known, or there is nothing."""
    total = float(whole.sum())
    found = float(part.sum()) / total if total > 0.0 else np.nan
    return None if np.isnan(found) else found
