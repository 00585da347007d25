"""Some labels whole: all their items with the user's own columns, or on their images."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.markup import isolated, name, table, text

# Labels that can be shown, and items of each; half of the labels are the least certain ones.
MAX_WHOLE = 10
MAX_MEMBERS = 30
# Columns of the user's own tables.
MAX_DETAILS = 6


class Whole(NamedTuple):
    """A label with its items, and for each how many of the others it is similar to."""

    number: str
    size: int
    members: list[int]
    n_similar: list[int]


def choose_whole(case: Case) -> list[Whole]:
    """Choose labels of several items: the least certain ones, then the largest."""
    labels = case.result.labels
    sizes = np.bincount(labels)
    several = np.flatnonzero(sizes > 1)
    doubtful = several[np.argsort(case.sure[several], kind="stable")][: MAX_WHOLE // 2]
    large = several[np.argsort(-sizes[several], kind="stable")][:MAX_WHOLE]
    chosen = list(dict.fromkeys([*doubtful.tolist(), *large.tolist()]))[:MAX_WHOLE]
    together = labels[case.rows] == labels[case.graph.indices]
    n_similar = np.bincount(case.rows[together], minlength=case.n_items)
    return [
        Whole(
            case.number(int(members[0])),
            len(members),
            members[:MAX_MEMBERS].tolist(),
            n_similar[members[:MAX_MEMBERS]].tolist(),
        )
        for members in (_least_first(case, np.flatnonzero(labels == label)) for label in chosen)
    ]


def _least_first(case: Case, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the items of a label with the lowest confidence first."""
    return members[np.argsort(case.result.confidence[members], kind="stable")]


def whole_section(case: Case, wholes: list[Whole], crops: Mapping[int, bytes]) -> str:
    """Show one label at a time, as a table or on the images."""
    if not wholes:
        return case.say("<p>No label has several items.</p>")
    word = case.words.label
    options = "".join(
        f'<option value="whole-{at}">{word} {one.number}, {_least(case, one)}</option>'
        for at, one in enumerate(wholes)
    )
    shown = "".join(
        f'<div class="whole" id="whole-{at}"{" hidden" if at else ""}>'
        f"{_on_images(case, one, crops) if crops else ''}{_table(case, one)}</div>"
        for at, one in enumerate(wholes)
    )
    zoom = (
        '<p id="zoom-control" class="chooser" hidden><label for="zoom">Zoom</label>'
        '<input type="range" id="zoom" min="1" max="8" step="0.5" value="1" autocomplete="off"></p>'
    )
    return (
        f'<p class="chooser" hidden><label for="whole-choice">{word.capitalize()}</label>'
        f'<select id="whole-choice" data-shows="whole" autocomplete="off">{options}</select></p>'
        f"{zoom if crops else ''}{shown}"
    )


def _least(case: Case, whole: Whole) -> str:
    """Say how large a label is, and how likely it is pure or how sure its least certain item."""
    pure = case.purity(int(case.result.labels[whole.members[0]]))
    least = float(case.result.confidence[whole.members].min())
    said = f"one thing: {pure} likely" if pure else f"confidence from {least:.2f}"
    return f"{count(whole.size, case.words.item)}, {said}"


def _table(case: Case, whole: Whole) -> str:
    """Return the items of a label with the user's own columns."""
    columns, label = _columns(case), int(case.result.labels[whole.members[0]])
    others, is_mixed = whole.size - 1, bool(case.mixed[label])
    rows = [
        (
            name(case.names[item]),
            *(name(_plain(column[item])) for column in columns.values()),
            *(() if is_mixed else (f"{case.result.confidence[item]:.2f}",)),
            f"{n_similar:,} of {others:,}",
        )
        for item, n_similar in zip(whole.members, whole.n_similar, strict=True)
    ]
    some = f"{len(rows)} of its" if len(rows) < whole.size else "All its"
    pure = case.purity(label)
    likely = f" It is {pure} likely that all are the same thing." if pure else ""
    if is_mixed:
        likely += " More likely they are not, so that no single item has a probability."
    caption = case.say(
        f"Label {whole.number}. {some} {count(whole.size, 'item')}, the least certain first, and "
        f"to how many of the others each is similar.{likely}"
    )
    sure = () if is_mixed else ("confidence",)
    heads = (case.words.item, *map(isolated, columns), *sure, "similar to")
    first = 1 if case.view is not None else 1 + len(columns)
    numbers = range(first, len(heads))
    return table(caption, heads, rows, numbers=numbers, is_stacked=True)


def _columns(case: Case) -> dict[str, Sequence[object]]:
    """Return the columns that stand beside the items: the user's own, or features of points."""
    view = case.view
    if view is None or not view.are_features:
        return dict(islice(case.details.items(), MAX_DETAILS))
    named = zip(view.columns, view.points.T, strict=True)
    return dict(islice(((str(name), column) for name, column in named), MAX_DETAILS))


def _on_images(case: Case, whole: Whole, crops: Mapping[int, bytes]) -> str:
    """Show the place of each item on its image, in the middle of a small part of it."""
    shown = "".join(
        f'<li><div class="crop"><img alt="{text(case.names[item])}" '
        f'src="data:image/jpeg;base64,{base64.b64encode(crops[item]).decode()}"></div>'
        f"<p>{name(case.names[item])} <span>{_sure(case, item)}</span></p></li>"
        for item in whole.members
        if item in crops
    )
    return f'<ul class="crops">{shown}</ul>'


def _sure(case: Case, item: int) -> str:
    """Return the confidence of an item; empty if its label likely holds different things."""
    is_mixed = bool(case.mixed[case.result.labels[item]])
    return "" if is_mixed else f"{case.result.confidence[item]:.2f}"


def _plain(value: object) -> str:
    """Return a value of the user as text; a missing one is empty."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
