"""Why: what holds labels together, and why the most similar item outside is not in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.markup import name, table, text
from spherelax.result import Explanation
from spherelax.result.saying import Speaker

# Labels that are explained, and pairs and items of each that are named.
MAX_EXPLAINED = 100
MAX_PAIRS = 6
MAX_MEMBERS = 8


class Explained(NamedTuple):
    """A label that is explained.

    ``inside`` is the explanation of the label; ``outside`` that of the most similar pair of an item
    of it and another one, None if there is none or ``inside`` is that pair.
    """

    members: list[int]
    inside: Explanation
    outside: Explanation | None


class Whys(NamedTuple):
    """Labels that are explained; or a sentence that says why none can be."""

    labels: list[Explained]
    refusal: str = ""


def explain_labels(case: Case, shown: Iterable[int]) -> Whys:
    """Explain the labels of items that are shown elsewhere, then the least certain ones."""
    labels = case.result.labels
    is_single = np.bincount(labels) == 1
    doubtful = np.lexsort((case.sure, is_single))[:MAX_EXPLAINED].tolist()
    chosen = dict.fromkeys([*(int(labels[item]) for item in shown), *doubtful])
    try:
        return Whys([_explain(case, label) for label in list(chosen)[:MAX_EXPLAINED]])
    except InvalidInputError as error:
        return Whys([], str(error))


def _explain(case: Case, label: int) -> Explained:
    """Explain a label, and its most similar pair with an item outside."""
    inside = case.result.explain(entity=label)
    members = np.flatnonzero(case.result.labels == label)
    graph, best, outside = case.graph, 0.0, None
    for item in members.tolist() if inside.are_together else ():
        entries = slice(graph.indptr[item], graph.indptr[item + 1])
        others = graph.indices[entries]
        values = np.where(case.result.labels[others] != label, graph.values[entries], 0.0)
        if values.max(initial=0.0) > best:
            best, outside = float(values.max()), (item, int(others[values.argmax()]))
    apart = None if outside is None else case.result.explain(*outside)
    return Explained(members.tolist(), inside, apart)


def why_section(case: Case, whys: Whys) -> str:
    """Show a field to search for an item, and one explained label at a time."""
    find = (
        f'<p class="chooser" hidden><label for="search">{text(case.say("Find an item"))}</label>'
        '<input type="search" id="search" autocomplete="off" spellcheck="false"></p>'
        '<ul id="hits" hidden></ul><div id="found" hidden><h3 tabindex="-1"></h3><p></p></div>'
    )
    if whys.refusal:
        return f"{find}<p>{text(case.say(whys.refusal))}</p>"
    n_labels, item = int(case.result.labels.max()) + 1, case.words.item
    which = f"All {count(n_labels, case.words.label)} are explained here."
    if len(whys.labels) < n_labels:
        which = (
            f"{len(whys.labels):,} of {count(n_labels, case.words.label)} are explained here: "
            f"those that are shown above, and the most doubtful ones. For any other {item}, use "
            "<code>spherelax explain</code>."
        )
    shown = "".join(
        f'<div class="why" id="why-{at}"{" hidden" if at else ""}>{_show(case, one)}</div>'
        for at, one in enumerate(whys.labels)
    )
    return f'{find}<p id="search-note" class="note">{which}</p>{shown}'


def _show(case: Case, one: Explained) -> str:
    """Return what is said of a label."""
    speaker, number = _speaker(case, one.inside), case.number(one.members[0])
    n_items = count(len(one.members), case.words.item)
    head = f"{case.words.label.capitalize()} {number}: {n_items}"
    if number == "none":
        head = case.words.single(len(one.members))
    members = ", ".join(name(case.names[item]) for item in one.members[:MAX_MEMBERS])
    more = len(one.members) - MAX_MEMBERS
    said = [members + (f" and {more:,} more" if more > 0 else "")]
    pairs = ""
    if one.inside.are_together and len(one.inside.items) == 2:
        pairs = _pairs(case, speaker)
        if one.inside.cut is not None:
            said.append(speaker.cut(one.inside.cut))
    else:
        said += [speaker.state(), *map(speaker.reason, one.inside.reasons)]
    apart = ""
    if one.outside is not None:
        other = _speaker(case, one.outside)
        sentences = [other.state(), *map(other.reason, one.outside.reasons)]
        outside = case.say("The most similar item outside")
        apart = f"<h4>{outside}</h4>" + "".join(f"<p>{sentence}</p>" for sentence in sentences)
    body = "".join(f"<p>{sentence}</p>" for sentence in said)
    return f'<h3 tabindex="-1">{head}</h3>{body}{pairs}{apart}'


def _pairs(case: Case, speaker: Speaker) -> str:
    """Return the table of the pairs that hold a label together, and of those against it."""
    values = speaker.about.pairs.worth
    n_for, n_against = int(np.sum(values > 0.0)), int(np.sum(values <= 0.0))
    n_first = min(n_for, max(MAX_PAIRS - n_against, MAX_PAIRS // 2))
    n_last = min(n_against, MAX_PAIRS - n_first)
    rows = [*range(n_first), *range(len(values) - n_last, len(values))]
    absent = speaker.about.pairs.n_absent
    missing = f", and {absent:,} not listed" if absent else ""
    caption = case.say(
        f"Pairs inside: {n_for:,} for one label, {n_against:,} against it{missing}."
        + (" The strongest of each are shown." if len(rows) < len(values) else "")
    )
    cells = []
    for row in rows:
        score, word, right, worth = speaker.columns(row)
        cells.append((speaker.pair(row), score, f"{right} {word}", worth))
    return table(caption, ("pair", "score", "right", "worth"), cells, numbers=(1, 3))


def _speaker(case: Case, about: Explanation) -> Speaker:
    """Return what says an explanation as HTML, in the words of the input."""
    return Speaker(about, lambda item: name(case.names[item]), case.say, case.scores)
