"""The sentence at the top of the page: what was found, and whether to trust it."""

from __future__ import annotations

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
    """Judge the labels by their status, how many are unsure or wrong, and their stability."""
    result, n_unsure = case.result, outcome.n_unsure
    share = n_unsure / case.n_items
    unsure = (
        f"{count(n_unsure, 'item')} ({percent(share)}) {'has' if n_unsure == 1 else 'have'} "
        "another label that is nearly as good"
    )
    if result.status.is_odd:
        return Verdict("odd", "Check first", "Do not rely on these labels yet.")
    wrong = 1.0 - outcome.mean_confidence if outcome.entities is not None else None
    if wrong is not None and (result.status is Status.LIKELIEST or wrong > WRONG):
        return _expect(wrong)
    if wrong is None and share > DOUBTFUL:
        return Verdict("doubtful", "With doubts", f"But {unsure}.")
    # The labels of the first and last steps could stay the same beyond the ends of the sweep.
    is_inside = 0 < result.position < len(result.path.alphas) - 1
    if is_inside and outcome.stability < RESTLESS:
        said = "But a slightly different resolution gives different labels."
        return Verdict("doubtful", "With doubts", said)
    if wrong is not None:
        return _expect(wrong)
    said = f"Only {unsure}" if n_unsure else "No item has another label that is nearly as good"
    return Verdict("clear", "Clear", f"{said}.")


def _expect(wrong: float) -> Verdict:
    """Judge labels by the expected share of items whose label is wrong."""
    said = f"about {percent(wrong)} of the items are expected to have a wrong label."
    if wrong > WRONG:
        return Verdict("doubtful", "With doubts", f"But {said}")
    return Verdict("clear", "Clear", f"By their probabilities, {said}")


def verdict_section(case: Case, outcome: Outcome, n_oddities: int) -> str:
    """Return the verdict, the status, and a link to what is unusual in the input."""
    level, word, said = judge(case, outcome)
    odd = count(n_oddities, "thing")
    hint = f'<p><a href="#oddities">{odd} to check in the input</a></p>' if n_oddities else ""
    copies = case.words.copies(case.result, case.names, case.groups)
    if copies:
        hint = f"<p>Duplicates: {text(copies)}.</p>{hint}"
    return (
        f'<section aria-label="Verdict"><div class="verdict {level}"><p class="word">{word}</p>'
        f'<p class="sentence">{case.found()}. {case.say(said)}</p>'
        f"<p>{text(case.words.chosen(case.result))}</p>{hint}</div></section>"
    )
