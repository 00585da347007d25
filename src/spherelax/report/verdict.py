"""The sentence at the top of the page: what was found, and whether to trust it."""

from __future__ import annotations

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.markup import text
from spherelax.result import judge


def verdict_section(case: Case, n_oddities: int) -> str:
    """Return the verdict, what speaks against the labels, and what is unusual in the input."""
    result, words = case.result, case.words
    level, word, said = judge(result)
    said = f"But {said}" if level == "doubtful" else f"{said[0].upper()}{said[1:]}"
    odd = count(n_oddities, "thing")
    hints = [f'<a href="#oddities">{odd} to check in the input</a>'] if n_oddities else []
    other = words.alternative(result)
    if other:
        hints.insert(0, f'{text(other)} <a href="#sweep">See both</a>.')
    tied = words.tied(result)
    if tied:
        hints.insert(0, text(tied))
    copies = words.copies(result, case.names, case.groups)
    if copies:
        hints.insert(0, f"Duplicates: {text(copies)}.")
    if result.status.is_odd:
        hints.insert(0, text(words.chosen(result)))
    return (
        f'<section aria-label="Verdict"><div class="verdict {level}"><p class="word">{word}</p>'
        f'<p class="sentence">{case.found()}. {case.say(said)}.</p>'
        f"{''.join(f'<p>{hint}</p>' for hint in hints)}</div></section>"
    )
