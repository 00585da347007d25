"""What people look for first: the items in a plane, or their similarities sorted by label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spherelax.io.items import View
from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.layout import Section
from spherelax.report.markup import isolated, name, table
from spherelax.report.plane import COLOURS, MAX_COLOURED, plane_figure
from spherelax.report.steps import Steps
from spherelax.report.sweep import matrix_figure

# Labels and features that are listed, and first items of each label.
MAX_LABELS = 10
MAX_FEATURES = 8
FIRST = 3
# A mean that differs from that of all by this number of standard deviations has the full shade.
FULL = 2.0
SHADES = {True: "0,114,178", False: "213,94,0"}


def opening(case: Case, steps: Steps) -> Section | None:
    """Return the section for points, cells and graphs; None: others have better ones."""
    view = case.view
    if view is not None:
        coloured = _largest(case)[:MAX_COLOURED]
        picture = plane_figure(case, view, coloured)
        means = _means(case, view) if view.are_features else ""
        body = f'<div class="side">{picture}{_labels(case, has_colours=True)}</div>{means}'
        return Section("plane", case.say("Items in a plane"), body)
    if case.groups is not None or case.details:
        return None
    picture = matrix_figure(case, steps.frames[steps.of_step[case.result.path.picked]])
    body = f'<div class="side">{picture}{_labels(case, has_colours=False)}</div>'
    return Section("graph", case.say("Items sorted by label"), body)


def _largest(case: Case) -> list[int]:
    """Return the labels, the largest first."""
    found: list[int] = np.argsort(-case.sizes, kind="stable").tolist()
    return found


def _labels(case: Case, *, has_colours: bool) -> str:
    """Return the table of the largest labels: number, size, confidence and first items."""
    labels, order = case.result.labels, _largest(case)
    sizes = case.sizes
    sure = np.bincount(labels, weights=case.result.confidence) / sizes
    rows = []
    for place, label in enumerate(order[:MAX_LABELS]):
        members = np.flatnonzero(labels == label)[:FIRST]
        swatch = f'<i class="dot c{place % COLOURS}"></i>' if has_colours else ""
        first = ", ".join(name(case.names[item]) for item in members)
        more = ", …" if sizes[label] > FIRST else ""
        row = (f"{swatch}{case.number(int(members[0]))}", f"{sizes[label]:,}", f"{sure[label]:.2f}")
        rows.append(row if has_colours else (*row, f"{first}{more}"))
    some = ""
    if len(order) > MAX_LABELS:
        some = f", the largest {MAX_LABELS} of {len(order):,}"
    heads = ("label", "items", "confidence") + (() if has_colours else ("first items",))
    caption = f"Labels{some}, and how likely an item is in the right one, on average"
    return table(case.say(caption), [case.say(head) for head in heads], rows, numbers=(1, 2))


def _means(case: Case, view: View) -> str:
    """Return the table of the means of features in the largest labels."""
    labels, points = case.result.labels, view.points
    order, sizes = _largest(case)[:MAX_LABELS], case.sizes
    sums = np.stack([np.bincount(labels, weights=column) for column in points.T], axis=1)
    means, overall = sums / sizes[:, None], points.mean(axis=0)
    deviation = points.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    z = (means - overall) / deviation
    between = (sizes[:, None] * z**2).sum(axis=0)
    shown = np.sort(np.argsort(-between, kind="stable")[:MAX_FEATURES])
    rows = [
        (
            case.number(int(np.argmax(labels == label))),
            *_shaded(means[label, shown], z[label, shown]),
        )
        for label in order
    ]
    rows.append(("all", *(f"{mean:.4g}" for mean in overall[shown])))
    n_features = points.shape[1]
    some = ""
    if n_features > MAX_FEATURES:
        some = f" The {MAX_FEATURES} of {count(n_features, 'feature')} that differ most."
    caption = case.say(f"Means of features by label; blue is above the mean of all items.{some}")
    heads = (case.words.label, *(isolated(view.columns[at]) for at in shown.tolist()))
    numbers = range(1, len(heads))
    return table(caption, heads, rows, numbers=numbers, id="means", is_stacked=True)


def _shaded(means: NDArray[np.float64], z: NDArray[np.float64]) -> list[str]:
    """Return means as numbers, blue if they are above that of all items, orange if below."""
    shades = 0.5 * np.minimum(np.abs(z) / FULL, 1.0)
    return [
        f'<span class="shade" style="background:rgba({SHADES[bool(far > 0)]},{shade:.2f})">'
        f"{mean:.4g}</span>"
        for mean, far, shade in zip(means, z, shades, strict=True)
    ]
