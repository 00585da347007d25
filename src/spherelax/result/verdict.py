"""How far to trust labels, in one word and one sentence."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spherelax.result.path import steady_steps
from spherelax.result.sentences import percent, say_tied
from spherelax.result.status import Status

if TYPE_CHECKING:
    from spherelax.result.answer import Result

# Where confidence is a probability: from this expected share of wrong labels on, all are doubtful.
WRONG = 0.1
# Where it is none: a confidence below UNSURE means that another label is nearly as good. If more
# than the share DOUBTFUL of the items has one, all labels are doubtful.
UNSURE, DOUBTFUL = 0.1, 0.25
# Below this stability the labels are called doubtful: they change if the resolution changes by a
# factor of less than exp(0.25) = 1.28.
RESTLESS = 0.25


class Verdict(NamedTuple):
    """How far to trust labels: a level, a word for it, and the reason without a capital letter."""

    level: str
    word: str
    said: str


def judge(result: Result) -> Verdict:
    """Judge labels by status, how many are wrong or unsure, other answers, and stability.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> judge(sl.solve(np.kron(np.eye(3), np.ones((4, 4)))))
    Verdict(level='clear', word='Clear', said='no item is expected to have a wrong label')
    """
    if result.status.is_odd:
        return Verdict("odd", "Check first", "do not rely on these labels yet")
    sure = float(np.mean(result.confidence))
    is_known = result.is_probability and isfinite(sure)
    found = _expected(result, 1.0 - sure) if is_known else _unsure(result)
    other = _other_answer(result)
    if found.level == "clear" and other:
        return Verdict("doubtful", "With doubts", other)
    return found


def _expected(result: Result, wrong: float) -> Verdict:
    """Judge labels by the expected share of items whose label is wrong."""
    n_wrong = round(wrong * len(result.labels))
    some = "item" if n_wrong == 1 else "items"
    said = f"about {n_wrong:,} {some} ({percent(wrong)}) may have a wrong label"
    if wrong > WRONG:
        return Verdict("doubtful", "With doubts", said)
    if n_wrong == 0:
        return Verdict("clear", "Clear", "no item is expected to have a wrong label")
    return Verdict("clear", "Clear", f"by their probabilities, {said}")


def _unsure(result: Result) -> Verdict:
    """Judge labels by the share of items that have another label which is nearly as good."""
    n_unsure = int((result.confidence < UNSURE).sum())
    share = n_unsure / len(result.labels)
    some, have = ("item", "has") if n_unsure == 1 else ("items", "have")
    said = f"{n_unsure:,} {some} ({percent(share)}) {have} another label that is nearly as good"
    if share > DOUBTFUL:
        return Verdict("doubtful", "With doubts", said)
    said = f"only {said}" if n_unsure else "no item has another label that is nearly as good"
    return Verdict("clear", "Clear", said)


def _other_answer(result: Result) -> str | None:
    """Return why other labels may be as good, or nothing tells that they are not; None: no doubt.

    Labels that follow from the probabilities of pairs depend on no resolution.
    """
    if say_tied(result):
        return "the scores show only which items look the same"
    if result.alternative is not None:
        return "it is one of two answers"
    path = result.path
    steady = steady_steps(path.labels, path.picked)
    changes = len(steady) < len(path.labels) and result.status is not Status.LIKELIEST
    if changes and path.stability[path.picked] < RESTLESS:
        return "a slightly coarser or finer answer has other labels"
    return None
