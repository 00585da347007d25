"""The section about the sweep: its curves, its slider, and the details of the shown step."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from string import Template

import numpy as np
from numpy.typing import NDArray

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.charts import across, curves, drawn, places, shows_savings
from spherelax.report.markup import (
    bars,
    facts,
    name,
    packaged,
    shortened,
    table,
    text,
)
from spherelax.report.steps import Frame, Steps, size_bins
from spherelax.result import percent

# Longest name, in characters, in the list of the items of a label.
MAX_MEMBER = 32
# Digits of a resolution, and the most that a number has.
FEWEST_DIGITS, MOST_DIGITS = 4, 17


def sweep_section(case: Case, steps: Steps) -> str:
    """Return the section: curves, slider, and the details of the chosen step."""
    result = case.result
    axis, found = across(result.path), curves(case)
    said = _said(case, result.path.picked)
    frame = steps.frames[steps.of_step[result.path.picked]]
    n_bins = max(len(one.sizes) for one in steps.frames)
    sizes = frame.sizes + [0] * (n_bins - len(frame.sizes))
    terms = ("resolution", found[1].name, found[0].name, "stability")
    last = len(steps.of_step) - 1
    peaks = '<li><i class="dot peak"></i>maxima of movement</li>'
    return Template(case.say(packaged("sweep.html"))).substitute(
        peaks="" if result.path.maxima[0] is None else peaks,
        charts="".join(drawn(curve, axis, result, at) for at, curve in enumerate(found)),
        ticks="".join(
            f'<span style="left:{100 * at:.2f}%">{tick}</span>' for at, tick in axis.ticks
        ),
        last=last,
        place=last - result.path.picked,
        now=text(said["now"]),
        numbers=facts(
            (term, f'<span id="{place}">{text(value)}</span>', "")
            for term, (place, value) in zip(terms, said.items(), strict=False)
        ),
        matrix=matrix_figure(case, frame, moves=True),
        sizes=bars(
            case.say("Number of labels by size"),
            (case.say("items"), case.say("labels")),
            zip(size_bins(n_bins), sizes, strict=True),
            "sizes",
        ),
        largest=_largest(case, frame),
    )


def sweep_data(case: Case, steps: Steps) -> dict[str, object]:
    """Return what the page shows for each step of the slider, as data for its script."""
    axis = across(case.result.path)
    return {
        "chosen": case.result.path.picked,
        "x": [round(100 * float(at), 2) for at in axis.places],
        "y": [places(curve) for curve in curves(case)],
        "steps": [
            {"frame": frame, "said": _said(case, step)} for step, frame in enumerate(steps.of_step)
        ],
        "frames": [
            {
                "picture": _base64(frame.picture),
                "alt": _alt(case, frame),
                "note": _note(case, frame),
                "blocks": _blocks(frame),
                "sizes": frame.sizes,
                "listed": list(_listed(case, frame)),
            }
            for frame in steps.frames
        ],
    }


def _largest(case: Case, frame: Frame) -> str:
    """Return the table of the largest labels."""
    return table(
        case.say("Number of items, share of their pairs that are similar, and the first items"),
        (case.say("items"), "similar pairs", case.say("first items")),
        [
            (size, share, ", ".join(map(name, members)))
            for size, share, members in _listed(case, frame)
        ],
        numbers=(0, 1),
        id="largest",
        is_stacked=True,
    )


def matrix_figure(case: Case, frame: Frame, *, moves: bool = False) -> str:
    """Draw the similarities, sorted by label; ``moves`` gives it the ids that the slider knows."""
    matrix, blocks, note = (
        f' id="{part}"' if moves else "" for part in ("matrix", "blocks", "matrix-note")
    )
    return (
        '<figure class="matrix"><div class="box">'
        f'<img{matrix} alt="{text(_alt(case, frame))}" '
        f'src="data:image/png;base64,{_base64(frame.picture)}">'
        '<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">'
        f'<path{blocks} d="{_blocks(frame)}"/></svg></div>'
        f"<figcaption{note}>{text(_note(case, frame))}</figcaption></figure>"
    )


def _said(case: Case, step: int) -> dict[str, str]:
    """Return the numbers of a step as text, by the id of the element that shows them."""
    result, path = case.result, case.result.path
    first = path.savings if shows_savings(result) and path.savings is not None else path.etas
    n_labels = int(case.n_labels_per_step[step])
    resolution = f"{path.resolutions[step]:.{_digits(path.resolutions)}g}"
    chosen = ", chosen" if step == result.path.picked else ""
    return {
        "now-resolution": resolution,
        "now-labels": f"{n_labels:,}",
        "now-first": _rounded(first[step]),
        "now-stability": f"{case.result.path.stability[step]:.2f}",
        "now": f"resolution {resolution}, {count(n_labels, case.words.label)}{chosen}",
    }


def _digits(resolutions: NDArray[np.float64]) -> int:
    """Return the number of digits with which no two resolutions read the same.

    Examples
    --------
    >>> _digits(np.array([2.0, 1.0])), _digits(np.array([1.00001, 1.0]))
    (4, 6)
    """
    values = np.unique(resolutions)
    return next(
        digits
        for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1)
        if digits == MOST_DIGITS or len({f"{one:.{digits}g}" for one in values}) == len(values)
    )


def _rounded(value: float) -> str:
    """Return a movement or a saving with three digits."""
    return f"{value or 0.0:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def _note(case: Case, frame: Frame) -> str:
    """Say what the picture of the similarities shows."""
    shown = f"All {count(frame.n_shown, 'item')}"
    if frame.n_shown < case.n_items:
        shown = (
            f"The {frame.n_labels_shown:,} largest labels, {frame.n_shown:,} of "
            f"{count(case.n_items, 'item')}"
        )
    blocks = "; each frame is a label" if frame.ends else ""
    return case.say(f"{shown}, sorted by label. A stronger colour means more similar{blocks}.")


def _alt(case: Case, frame: Frame) -> str:
    """Describe the picture of the similarities; the tables next to it have the content."""
    return case.say(
        f"Similarity matrix of {count(frame.n_shown, 'item')} sorted by label; the tables next to "
        "it list sizes and largest labels."
    )


def _listed(case: Case, frame: Frame) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the rows of the table of the largest labels as text: size, share and items."""
    if not frame.listed:
        yield "1", "-", [case.say("every label has one item")]
    for row in frame.listed:
        members = [shortened(case.names[item], MAX_MEMBER) for item in row.members]
        more = ["…"] if row.size > len(members) else []
        yield f"{row.size:,}", percent(row.direct), members + more


def _blocks(frame: Frame) -> str:
    """Outline the labels along the diagonal."""
    ends = [round(1000 * end) for end in frame.ends]
    return "".join(
        f"M{a} {a}H{b}V{b}H{a}Z" for a, b in zip([0, *ends[:-1]], ends, strict=False) if b > a
    )


def _base64(content: bytes) -> str:
    """Return bytes as text."""
    return base64.b64encode(content).decode()
