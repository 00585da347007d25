"""The page: its sections as HTML, and the data for its slider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.dropped import find_dropped, say_dropped
from spherelax.report.explained import Whys, why_section
from spherelax.report.inputs import Example, Inputs, Oddity
from spherelax.report.layout import Section, render
from spherelax.report.markup import (
    bars,
    facts,
    name,
    own_columns,
    packaged,
    table,
    text,
)
from spherelax.report.opening import opening
from spherelax.report.outcome import CONFIDENCE_BINS, Entities, Outcome, UnsureRow
from spherelax.report.pictures import Pictures
from spherelax.report.plates import pictures_section
from spherelax.report.search import search_data
from spherelax.report.steps import Steps
from spherelax.report.sweep import sweep_data, sweep_section
from spherelax.report.verdict import verdict_section
from spherelax.report.whole import Whole, whole_section
from spherelax.result import SAME, TAKEN_FOR, UNSURE, percent


class Parts(NamedTuple):
    """Everything that the page shows."""

    inputs: Inputs
    oddities: list[Oddity]
    outcome: Outcome
    unsure: list[UnsureRow]
    steps: Steps
    pictures: Pictures | None
    wholes: list[Whole]
    crops: Mapping[int, bytes]
    whys: Whys


def make_page(case: Case, parts: Parts, title: str) -> str:
    """Return the whole page."""
    first = opening(case, parts.steps)
    sections = [] if first is None else [first]
    if parts.pictures is not None:
        body = pictures_section(case, parts.pictures)
        sections.append(Section("images", "Matches on images", body))
    whole = whole_section(case, parts.wholes, parts.crops)
    sections += [
        Section("whole", case.say("One label whole"), whole),
        Section("why", case.say("Find an item"), why_section(case, parts.whys)),
        Section("unsure", case.say("Least certain items"), _unsure(case, parts)),
        Section("output", "Numbers", _output(case, parts)),
        Section("input", "Input", _input(case, parts.inputs, parts.oddities)),
        Section("sweep", "Other resolutions", sweep_section(case, parts.steps)),
    ]
    return render(
        title,
        sections,
        before=verdict_section(case, len(parts.oddities)),
        script=packaged("page.js"),
        data={**sweep_data(case, parts.steps), "find": search_data(case, parts.whys)},
    )


def _input(case: Case, inputs: Inputs, oddities: list[Oddity]) -> str:
    """Return the section about the input, and what is unusual in it."""
    said = [("Items", f"{inputs.n_items:,}", "")]
    if case.groups is not None:
        sizes = case.group_sizes.values()
        free = f"; {count(inputs.n_free, 'item')} without a group" if inputs.n_free else ""
        low, high = min(sizes, default=0), max(sizes, default=0)
        each = count(low, "item") if low == high else f"{low:,} to {high:,} items"
        said.append(("Groups", f"{inputs.n_groups:,}", f"of {each}{free}"))
    said.append(("Similar pairs", f"{inputs.n_edges:,}", f"{percent(inputs.density)} of all pairs"))
    if inputs.smallest != inputs.largest:
        span = f"median, from {inputs.smallest:.3g} to {inputs.largest:.3g}"
        said.append(("Similarity", f"{inputs.median:.3g}", span))
    said += [
        (
            "Connected components",
            f"{inputs.n_components:,}",
            f"sets of items joined by similar pairs; "
            f"the largest has {count(inputs.largest_component, 'item')}",
        ),
    ]
    result = case.result
    said.append(("Taken for", TAKEN_FOR[result.kind], result.reading.sentence))
    return _facts(case, said) + _oddities(oddities)


def _facts(case: Case, rows: Iterable[tuple[str, str, str]]) -> str:
    """Return a list of terms in the words of the input; it has no text from the data."""
    return facts((case.say(term), number, case.say(note)) for term, number, note in rows)


def _oddities(oddities: list[Oddity]) -> str:
    """List what is unusual in the input."""
    if not oddities:
        return '<h3 id="oddities">Nothing unusual was found in the input</h3>'
    entries = "".join(
        f'<li><p class="what">{text(odd.what)}</p><p>{text(odd.why)}</p>'
        f'<p class="note">For example {", ".join(map(_example, odd.examples))}</p></li>'
        for odd in oddities
    )
    return f'<h3 id="oddities">Check in the input</h3><ul class="odd-list">{entries}</ul>'


def _example(example: Example) -> str:
    """Show one example of something unusual."""
    return example.said.format(*map(name, example.names))


def _output(case: Case, parts: Parts) -> str:
    """Return the section about the labels."""
    inputs, outcome = parts.inputs, parts.outcome
    alone = case.words.single(outcome.n_single) if outcome.n_single else "none with one item"
    similar = f"{outcome.direct:,} of {count(inputs.n_edges, 'similar pair')}"
    said = [
        (
            "Number of labels",
            f"{outcome.n_labels:,}",
            f"items per label: median {outcome.median:g}, largest {outcome.largest:,}; {alone}",
        ),
        (
            "Resolution",
            f"{case.result.resolution:.4g}",
            "two labels become one if the mean similarity between their items is higher, in units "
            "of the average similarity",
        ),
        (
            "Similarity inside labels",
            percent(outcome.kept) if inputs.n_edges else "none",
            f"{similar}; {outcome.implied:,} other pairs share a label without being similar",
        ),
    ]
    why = ""
    if case.groups is not None:
        dropped = find_dropped(case)
        why = f'<p class="below">{say_dropped(case, dropped)}</p>'
        components = count(inputs.n_components, "component")
        split = f"; split into {count(outcome.split, 'label')}" if inputs.n_conflicted else ""
        said += [
            (
                "Conflicts resolved",
                f"{inputs.n_conflicted:,}",
                f"of {components} had two items of one group{split}",
            ),
            (
                "Dropped pairs",
                f"{len(dropped.pairs):,}",
                "similar, but without a common label",
            ),
        ]
    said.append(
        (
            "Confidence",
            f"{outcome.mean_confidence:.2f}",
            f"on average, from 0 to 1; below {UNSURE:g} for {count(outcome.n_unsure, 'item')}",
        )
    )
    if outcome.entities is not None:
        said.append(
            (
                "Expected to be wrong",
                f"{outcome.entities.n_wrong:,.0f}",
                f"of {count(case.n_items, 'item')} may have a wrong label; about "
                f"{outcome.entities.n_impure:,.0f} labels hold different things, and about "
                f"{outcome.entities.n_lacking:,.0f} lack an item",
            )
        )
    if len(case.result.path.alphas) > 1:
        said.append(("Stability", f"{outcome.stability:.2f}", _steady(case)))
    meaning = (
        "the probability that the label is right"
        if case.result.is_probability
        else "0 if another label would be as good for the item, 1 if no other has a claim on it"
    )
    confidence = _bars(case, outcome.confidence, "items by confidence", meaning, "confidence")
    entities = "" if outcome.entities is None else _entities(case, outcome.entities)
    two = f'<div class="two">{confidence}{_groups(case, outcome)}</div>{entities}'
    return f"<p>{text(case.words.chosen(case.result))}</p>{_facts(case, said)}{why}{two}"


def _steady(case: Case) -> str:
    """Say over which resolutions the labels stay nearly the same, and how many there are."""
    steps, path = case.steady, case.result.path
    if len(steps) == 1:
        return "the next resolutions that were tried give other labels"
    low, high = path.resolutions[steps[-1]], path.resolutions[steps[0]]
    counts = case.n_labels_per_step[steps.start : steps.stop]
    n_labels = f"{counts.min():,} to {counts.max():,}" if np.ptp(counts) else f"{counts[0]:,}"
    return (
        f"from resolution {low:.3g} to {high:.3g} nearly the same pairs share a label, {SAME:.0%} "
        f"or more, and there are {n_labels} labels"
    )


def _entities(case: Case, entities: Entities) -> str:
    """Return the histograms of how likely labels are pure, and whole."""
    pure = _bars(
        case,
        entities.pure,
        "labels of several items by purity",
        "the probability that all items of the label are the same thing",
        "purity",
    )
    whole = _bars(
        case,
        entities.whole,
        "labels by wholeness",
        "the probability that no item outside is the same thing as one of the label",
        "wholeness",
    )
    return f'<div class="two">{pure}{whole}</div>'


def _bars(case: Case, counts: list[int], what: str, meaning: str, name: str) -> str:
    """Return a histogram of the probabilities of items or labels, the first word of ``what``."""
    edges = [f"{at / CONFIDENCE_BINS:.1f}" for at in range(CONFIDENCE_BINS + 1)]
    rows = zip(edges[:-1], edges[1:], counts, strict=True)
    said = [(f"{low}-{high}", n) for low, high, n in rows]
    unit = case.say(what.partition(" ")[0])
    return bars(case.say(f"Number of {what}: {meaning}"), (name, unit), said, name)


def _groups(case: Case, outcome: Outcome) -> str:
    """Return the table of the groups, those with the smallest share of matched items first."""
    if not outcome.groups:
        return ""
    caption = "Groups, those with the smallest share of matched items first"
    if len(case.group_sizes) > len(outcome.groups):
        n_groups = f"{len(outcome.groups)} of {len(case.group_sizes):,}"
        caption = f"The {n_groups} groups with the smallest share of matched items"
    return table(
        case.say(caption),
        (case.say("group"), case.say("items"), "matched", "confidence"),
        [
            (name(row.name), f"{row.n_items:,}", f"{row.n_shared:,}", f"{row.confidence:.2f}")
            for row in outcome.groups
        ],
        numbers=(1, 2, 3),
        id="groups",
    )


def _unsure(case: Case, parts: Parts) -> str:
    """Return the table of the items with the lowest confidence."""
    rows = parts.unsure
    if not rows:
        return case.say("<p>Every item has confidence 1.00.</p>")
    columns = {
        "item": [_described(case, row.item) for row in rows],
        "group": [name(row.group or "") for row in rows],
        "label": [f"{row.label}" for row in rows],
        "confidence": [f"{row.confidence:.2f}" for row in rows],
        "similarity": [f"{row.own:.3g}" for row in rows],
        "other label": [
            "none" if row.other_label is None else f"{row.other_label}" for row in rows
        ],
        "similarity there": [f"{row.other:.3g}" for row in rows],
        "closest item there": [
            "<bdi></bdi>" if row.witness is None else _described(case, row.witness) for row in rows
        ],
        "place there": [_place(row) for row in rows],
    }
    if all(case.names[row.item].startswith(row.group or "") for row in rows):
        del columns["group"]
    taken = ""
    if all(row.other_label is None for row in rows):
        for absent in ("other label", "similarity there", "closest item there", "place there"):
            del columns[absent]
    elif case.groups is None:
        del columns["place there"]
    elif any(row.taken for row in rows):
        taken = " A place is taken if an item of the same group has the other label."
    other = ", and the best other label of each" if "other label" in columns else ""
    caption = (
        f"The {len(rows)} of {count(case.n_items, 'item')} with the lowest confidence{other}. "
        f"Similarities are sums over the items of a label.{taken}"
    )
    is_number = ("label", "confidence", "similarity", "other label", "similarity there")
    return table(
        case.say(caption),
        [case.say(head) for head in columns],
        list(zip(*columns.values(), strict=True)),
        numbers=[at for at, head in enumerate(columns) if head in is_number],
        id="least",
        is_stacked=True,
    )


def _described(case: Case, item: int) -> str:
    """Return the name of an item, and what the user's own columns say of it."""
    own = own_columns(case.details, item)
    shown = f' <span class="own">{text(own)}</span>' if own else ""
    return f"{name(case.names[item])}{shown}"


def _place(row: UnsureRow) -> str:
    """Say whether an item could have the other label, if there is one."""
    if row.other_label is None:
        return ""
    return "taken" if row.taken else "free"
