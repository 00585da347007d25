"""The page: sections of HTML around the numbers, and the data that its slider moves through."""

from __future__ import annotations

import base64
import hashlib
from string import Template
from typing import NamedTuple

import spherelax
from spherelax.report.case import Case
from spherelax.report.inputs import Inputs, Oddity
from spherelax.report.markup import (
    bars,
    count,
    embedded,
    facts,
    name,
    packaged,
    percent,
    table,
    text,
)
from spherelax.report.outcome import (
    CONFIDENCE_BINS,
    DOUBTFUL,
    UNSURE,
    Outcome,
    UnsureRow,
)
from spherelax.report.pictures import Pictures
from spherelax.report.plates import pictures_section
from spherelax.report.steps import Steps
from spherelax.report.sweep import sweep_data, sweep_section


class Section(NamedTuple):
    """A part of the page: where it is found, its heading and its HTML."""

    id: str
    heading: str
    body: str


class Parts(NamedTuple):
    """All that the page tells."""

    inputs: Inputs
    oddities: list[Oddity]
    outcome: Outcome
    unsure: list[UnsureRow]
    steps: Steps
    pictures: Pictures | None


def make_page(case: Case, parts: Parts, title: str) -> str:
    """Return the whole page."""
    sections = [
        Section("input", "What went in", _input(case, parts.inputs, parts.oddities)),
        Section("output", "What came out", _output(case, parts.inputs, parts.outcome)),
        Section("sweep", "Finer and coarser answers", sweep_section(case, parts.steps)),
    ]
    if parts.pictures is not None:
        sections.append(Section("images", "On the images", pictures_section(parts.pictures)))
    sections.append(Section("unsure", "Least certain items", _unsure(case, parts)))
    script = packaged("page.js")
    body = "\n".join(
        f'<section aria-labelledby="{part.id}"><h2 id="{part.id}">{part.heading}</h2>'
        f"{part.body}</section>"
        for part in sections
    )
    return Template(packaged("page.html")).substitute(
        title=text(title),
        style=packaged("page.css"),
        script=script,
        script_hash=_hash(script),
        contents="".join(f'<li><a href="#{part.id}">{part.heading}</a></li>' for part in sections),
        sections=_verdict(case, parts) + body,
        data=embedded(sweep_data(case, parts.steps)),
        version=text(spherelax.__version__),
    )


def _verdict(case: Case, parts: Parts) -> str:
    """Say in one sentence what was found and whether to believe it."""
    outcome, status = parts.outcome, case.result.status
    share = outcome.n_unsure / case.n_items
    found = f"{count(outcome.n_labels, 'label')} for {count(case.n_items, 'item')}"
    if status.is_odd:
        level, word, said = "odd", "Look closer", "but nothing to rely on yet."
    elif share > DOUBTFUL:
        level, word = "doubtful", "With doubts"
        said = f"but for {percent(share)} of the items another label is nearly as good."
    else:
        level, word = "clear", "Clear"
        said = "and for no item another label is nearly as good."
        if share:
            said = f"and only for {percent(share)} of the items another label is nearly as good."
    odd = count(len(parts.oddities), "thing")
    hint = f'<p><a href="#oddities">{odd} in the input to look at</a></p>' if parts.oddities else ""
    return (
        f'<section aria-label="Verdict"><div class="verdict {level}"><p class="word">{word}</p>'
        f'<p class="sentence">{found}, {said}</p><p>{text(status)}</p>{hint}</div></section>'
    )


def _input(case: Case, inputs: Inputs, oddities: list[Oddity]) -> str:
    """Tell what went in, and what is odd about it."""
    span = f"{inputs.smallest:.3g} to {inputs.largest:.3g}, median {inputs.median:.3g}"
    if inputs.smallest == inputs.largest:
        span = f"all {inputs.largest:.3g}"
    said = [("Items", f"<b>{inputs.n_items:,}</b>")]
    if case.groups is not None:
        sizes = case.group_sizes.values()
        free = f", {count(inputs.n_free, 'item')} in none" if inputs.n_free else ""
        low, high = min(sizes, default=0), max(sizes, default=0)
        each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        said.append(("Groups", f"<b>{inputs.n_groups:,}</b> of {each} items{free}"))
    largest = count(inputs.largest_component, "item")
    said += [
        ("Similar pairs", f"<b>{inputs.n_edges:,}</b>, {percent(inputs.density)} of all"),
        ("Similarities", span if inputs.n_edges else "none"),
        ("Connected components", f"<b>{inputs.n_components:,}</b>, the largest of {largest}"),
    ]
    return facts(said) + _oddities(oddities)


def _oddities(oddities: list[Oddity]) -> str:
    """List what looks odd in the input."""
    if not oddities:
        return '<h3 id="oddities">Nothing odd was found in the input</h3>'
    entries = "".join(
        f'<li><p class="what">{text(odd.what)}</p><p>{text(odd.why)}</p>'
        f'<p class="note">For example {", ".join(map(name, odd.examples))}</p></li>'
        for odd in oddities
    )
    return f'<h3 id="oddities">Worth a look in the input</h3><ul class="odd-list">{entries}</ul>'


def _output(case: Case, inputs: Inputs, outcome: Outcome) -> str:
    """Tell what came out."""
    alone = f"{outcome.n_single:,} of one item" if outcome.n_single else "none of one item"
    said = [
        ("Labels", f"<b>{outcome.n_labels:,}</b>, {alone}"),
        ("Items of a label", f"median <b>{outcome.median:g}</b>, at most {outcome.largest:,}"),
        ("Similarity inside labels", f"<b>{percent(outcome.kept)}</b> of all"),
        (
            "Pairs that share a label",
            f"<b>{outcome.direct:,}</b> similar, {outcome.implied:,} joined by others only",
        ),
    ]
    if case.groups is not None:
        split = f", split into {count(outcome.split, 'label')}" if inputs.n_conflicted else ""
        components = count(inputs.n_components, "component")
        resolved = f"<b>{inputs.n_conflicted:,}</b> of {components}{split}"
        said.append(("Conflicts resolved", resolved))
    said.append(
        (
            "Confidence",
            f"<b>{outcome.mean_confidence:.2f}</b> on average, below {UNSURE:g} for "
            f"{count(outcome.n_unsure, 'item')}",
        )
    )
    edges = [f"{at / CONFIDENCE_BINS:.1f}" for at in range(CONFIDENCE_BINS + 1)]
    confidence = bars(
        "How many items are how sure of their label: 0 if another label is as good, 1 if no other "
        "has a claim on the item",
        ("confidence", "items"),
        [
            (f"{low}-{high}", n)
            for low, high, n in zip(edges[:-1], edges[1:], outcome.confidence, strict=True)
        ],
        "confidence",
    )
    return facts(said) + f'<div class="two">{confidence}{_groups(case, outcome)}</div>'


def _groups(case: Case, outcome: Outcome) -> str:
    """Tell how the groups fared, those with the fewest matches first."""
    if not outcome.groups:
        return ""
    caption = "Groups, those with the smallest share of matched items first"
    if len(case.group_sizes) > len(outcome.groups):
        n_groups = f"{len(outcome.groups)} of {len(case.group_sizes):,}"
        caption = f"The {n_groups} groups with the smallest share of matched items"
    return table(
        caption,
        ("group", "items", "matched", "confidence"),
        [
            (name(row.name), f"{row.n_items:,}", f"{row.n_shared:,}", f"{row.confidence:.2f}")
            for row in outcome.groups
        ],
        numbers=(1, 2, 3),
        id="groups",
    )


def _unsure(case: Case, parts: Parts) -> str:
    """List the least certain items."""
    if not parts.unsure:
        return "<p>No other label has a claim on any item.</p>"
    has_groups = case.groups is not None
    heads = ["item", "group", "label", "confidence", "strongest other claim"]
    rows = []
    for row in parts.unsure:
        cells = [name(row.name), name(row.group or ""), str(row.label), f"{row.confidence:.2f}"]
        rows.append([*cells, _claim(row)])
    if not has_groups:
        heads, rows = heads[:1] + heads[2:], [row[:1] + row[2:] for row in rows]
    caption = (
        f"{count(parts.outcome.n_unsure, 'item')} of {case.n_items:,} below a confidence of "
        f"{UNSURE:g}; the {len(rows)} least certain ones are listed"
    )
    numbers = (2, 3) if has_groups else (1, 2)
    return table(caption, heads, rows, numbers=numbers, id="least", is_stacked=True)


def _claim(row: UnsureRow) -> str:
    """Say which other label has the best claim on an item."""
    if row.other_label is None:
        return "none; it could stand alone"
    taken = "; holds another item of its group" if row.taken else ""
    return (
        f"label {row.other_label}, by {name(row.witness)}: similarity {row.other:.3g} there, "
        f"{row.own:.3g} here{taken}"
    )


def _hash(script: str) -> str:
    """Return what tells the browser that this script is ours; no other one runs."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
