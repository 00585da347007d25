"""One sentence at the top: what was found, and whether to believe it."""

from __future__ import annotations

from typing import NamedTuple

from spherelax.report.case import Case
from spherelax.report.markup import count, percent, text
from spherelax.report.outcome import Outcome

# Share of unsure items from which the whole answer is called doubtful.
DOUBTFUL = 0.25
# Stability below which labels hang on the resolution: less than a third of it makes others.
RESTLESS = 0.25


class Verdict(NamedTuple):
    """How far to believe an answer: a level, a word for it, and what speaks for it."""

    level: str
    word: str
    said: str


def judge(case: Case, outcome: Outcome) -> Verdict:
    """Weigh how the sweep ended, how many items are unsure, and how soon the labels change."""
    result, n_unsure = case.result, outcome.n_unsure
    share = n_unsure / case.n_items
    unsure = (
        f"{count(n_unsure, 'item')} ({percent(share)}) {'has' if n_unsure == 1 else 'have'} "
        "another label that is nearly as good"
    )
    if result.status.is_odd:
        return Verdict("odd", "Look closer", ", but nothing to rely on yet.")
    if share > DOUBTFUL:
        return Verdict("doubtful", "With doubts", f", but {unsure}.")
    # The first and the last step could stay the same beyond the ends of the sweep.
    is_inside = 0 < result.position < len(result.path.alphas) - 1
    if is_inside and outcome.stability < RESTLESS:
        said = ", but a slightly different resolution gives others."
        return Verdict("doubtful", "With doubts", said)
    if n_unsure:
        return Verdict("clear", "Clear", f". Only {unsure}.")
    return Verdict("clear", "Clear", ". No item has another label that is nearly as good.")


def verdict_section(case: Case, outcome: Outcome, n_oddities: int) -> str:
    """Show the verdict, how the labels were chosen, and that there is something odd if there is."""
    level, word, said = judge(case, outcome)
    found = f"{count(outcome.n_labels, 'label')} for {count(case.n_items, 'item')}"
    odd = count(n_oddities, "thing")
    hint = f'<p><a href="#oddities">{odd} in the input to look at</a></p>' if n_oddities else ""
    return (
        f'<section aria-label="Verdict"><div class="verdict {level}"><p class="word">{word}</p>'
        f'<p class="sentence">{found}{said}</p><p>{text(case.result.status)}</p>{hint}</div>'
        "</section>"
    )
