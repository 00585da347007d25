"""The sentence at the top of the page: what was found, and whether to trust it."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.markup import percent, text
from spherelax.report.outcome import Outcome
from spherelax.result import Status

# If more than this share of the items is unsure, all labels are called doubtful.
DOUBTFUL = 0.25
# Below this stability the labels are called doubtful: they change if the resolution changes by a
# factor of less than exp(0.25) = 1.28.
RESTLESS = 0.25
# Where confidence is a probability: from this expected share of wrong labels on, all are doubtful.
WRONG = 0.1


class Verdict(NamedTuple):
    """How far to trust the labels: a level, a word for it, and the reason."""

    level: str
    word: str
    said: str


def judge(case: Case, outcome: Outcome) -> Verdict:
    """Judge labels by status, how many are wrong or unsure, other answers, and stability."""
    result = case.result
    if result.status.is_odd:
        return Verdict("odd", "Check first", "Do not rely on these labels yet.")
    is_known = result.is_probability and isfinite(outcome.mean_confidence)
    found = _expected(case, outcome) if is_known else _unsure(case, outcome)
    if found.level == "clear":
        return _other_answer(case, outcome) or found
    return found


def _expected(case: Case, outcome: Outcome) -> Verdict:
    """Judge labels by the expected share of items whose label is wrong."""
    wrong = 1.0 - outcome.mean_confidence
    n_wrong = round(wrong * case.n_items)
    said = f"about {count(n_wrong, 'item')} ({percent(wrong)}) may have a wrong label."
    if wrong > WRONG:
        return Verdict("doubtful", "With doubts", f"But {said}")
    if n_wrong == 0:
        return Verdict("clear", "Clear", "No item is expected to have a wrong label.")
    return Verdict("clear", "Clear", f"By their probabilities, {said}")


def _unsure(case: Case, outcome: Outcome) -> Verdict:
    """Judge labels by the share of items that have another label which is nearly as good."""
    n_unsure = outcome.n_unsure
    share = n_unsure / case.n_items
    said = (
        f"{count(n_unsure, 'item')} ({percent(share)}) {'has' if n_unsure == 1 else 'have'} "
        "another label that is nearly as good"
    )
    if share > DOUBTFUL:
        return Verdict("doubtful", "With doubts", f"But {said}.")
    said = f"Only {said}" if n_unsure else "No item has another label that is nearly as good"
    return Verdict("clear", "Clear", f"{said}.")


def _other_answer(case: Case, outcome: Outcome) -> Verdict | None:
    """Doubt labels beside which others are about as good, or nothing tells that they are not."""
    result = case.result
    if case.words.tied(result):
        said = "But the scores show only which items look the same."
        return Verdict("doubtful", "With doubts", said)
    if result.alternative is not None:
        return Verdict("doubtful", "With doubts", "But it is one of two answers.")
    # The labels of the first and last steps could stay the same beyond the ends of the sweep.
    is_inside = 0 < result.path.picked < len(result.path.alphas) - 1
    if is_inside and outcome.stability < RESTLESS and result.status is not Status.LIKELIEST:
        said = "But a slightly different resolution gives different labels."
        return Verdict("doubtful", "With doubts", said)
    return None


def verdict_section(case: Case, outcome: Outcome, n_oddities: int) -> str:
    """Return the verdict, the status, and a link to what is unusual in the input."""
    level, word, said = judge(case, outcome)
    odd = count(n_oddities, "thing")
    hint = f'<p><a href="#oddities">{odd} to check in the input</a></p>' if n_oddities else ""
    other = case.words.alternative(case.result)
    if other:
        hint = f"<p>{text(other)} The slider below shows both.</p>{hint}"
    tied = case.words.tied(case.result)
    if tied:
        hint = f"<p>{text(tied)}</p>{hint}"
    copies = case.words.copies(case.result, case.names, case.groups)
    if copies:
        hint = f"<p>Duplicates: {text(copies)}.</p>{hint}"
    return (
        f'<section aria-label="Verdict"><div class="verdict {level}"><p class="word">{word}</p>'
        f'<p class="sentence">{case.found()}. {case.say(said)}</p>'
        f"<p>{text(case.words.chosen(case.result))}</p>{hint}</div></section>"
    )
