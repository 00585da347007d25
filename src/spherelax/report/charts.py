"""Curves over the sweep as HTML: lines are SVG that stretches, numbers are text that does not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.report.markup import text
from spherelax.result import Result, Status, SweepPath

# Share of the largest eta that counts as zero; its logarithmic scale ends there.
ETA_FLOOR = 1e-9
# Ticks that fit beside a small curve, and below it on a phone.
MAX_TICKS = 4
MAX_TICKS_BELOW = 6
# Savings below zero by this share of the largest are cut off: labels worse than none are bad alike.
CUT = 0.25
# Space above and below a curve, as a share of the height.
MARGIN = 0.08
# How labels are chosen by eta, and by neither eta nor savings.
BY_ETA = (Status.VALLEY, Status.SETTLED, Status.SINGLE, Status.RISING, Status.STILL)
OTHERWISE = (Status.VALLEYS, Status.STABLE, Status.CHOSEN, Status.NEAREST)


class Axis(NamedTuple):
    """Places from 0 to 1 for values, and named ticks at some of them."""

    places: NDArray[np.float64]
    ticks: list[tuple[float, str]]


class Curve(NamedTuple):
    """One quantity over the sweep: its name, what it means, its places and ticks, and in words."""

    name: str
    meaning: str
    axis: Axis
    summary: str


def linear(values: NDArray[np.float64], max_ticks: int = MAX_TICKS) -> Axis:
    """Return a linear axis that just holds the values.

    Examples
    --------
    >>> linear(np.array([0.0, 5.0, 10.0])).places
    array([0. , 0.5, 1. ])
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Axis(np.full(len(values), 0.5), [(0.5, _number(low))])
    step = 10.0 ** np.floor(np.log10((high - low) / 2))
    step *= next(n for n in (0.5, 1, 2, 5, 10) if (high - low) / (n * step) < max_ticks)
    ticks = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    places = (ticks - low) / (high - low)
    named = [(float(at), _number(tick)) for at, tick in zip(places, ticks, strict=True)]
    return Axis((values - low) / (high - low), named)


def logarithmic(values: NDArray[np.float64], floor: float, max_ticks: int = MAX_TICKS) -> Axis:
    """Return a logarithmic axis; what is below the floor counts as the floor.

    Examples
    --------
    >>> logarithmic(np.array([1.0, 10.0, 100.0]), floor=1.0)
    Axis(places=array([0. , 0.5, 1. ]), ticks=[(0.0, '1'), (0.5, '10'), (1.0, '100')])
    """
    raised = np.maximum(values, floor)
    low, high = float(np.log10(raised.min())), float(np.log10(raised.max()))
    if low == high:
        return Axis(np.full(len(values), 0.5), [(0.5, _number(values[0]))])
    decades = np.arange(np.floor(low), np.ceil(high) + 1)
    for mantissas in ((1, 2, 5), (1, 3), (1,)):
        ticks = np.add.outer(decades, np.log10(mantissas)).ravel()
        ticks = ticks[(ticks >= low - 1e-9) & (ticks <= high + 1e-9)]
        if len(ticks) <= max_ticks:
            break
    ticks = ticks[:: max(1, int(np.ceil(len(ticks) / max_ticks)))]
    if len(ticks) < 2:
        ticks = np.array([low, high])
    places = (ticks - low) / (high - low)
    named = [(float(at), _number(10.0**tick)) for at, tick in zip(places, ticks, strict=True)]
    return Axis((np.log10(raised) - low) / (high - low), named)


def across(path: SweepPath) -> tuple[Axis, str]:
    """Return the axis of the steps and its name: the resolution, or alpha where its steps are even.

    The slider has even steps, too, so that it points at its place in the curves.
    """
    distances = np.diff(path.alphas)
    if np.allclose(distances, distances[:1]):
        return linear(path.alphas, MAX_TICKS_BELOW), "alpha"
    return logarithmic(path.resolutions, 0.0, MAX_TICKS_BELOW), "resolution"


def curves(result: Result) -> list[Curve]:
    """Return what is drawn over the sweep: what a pick can be made by, labels, stability."""
    path, at, n_labels = result.path, result.position, result.n_labels_per_step
    first = _savings(result) if shows_savings(result) else _eta(result)
    stays = "over how wide a range of ln(resolution) the labels stay the same; a plateau is a "
    return [
        first,
        Curve(
            "labels",
            "how many there are at each step",
            logarithmic(n_labels.astype(float), 1.0),
            _summary("the number of labels", n_labels, at),
        ),
        Curve(
            "stability",
            stays + "structure of its own",
            linear(path.stability),
            _summary("stability", path.stability, at),
        ),
    ]


def shows_savings(result: Result) -> bool:
    """Tell whether savings are drawn: if there are any, and the choice was not made by eta."""
    is_by_eta = result.status in BY_ETA or result.right is not None
    return result.path.savings is not None and not is_by_eta


def drawn(curve: Curve, x: Axis, result: Result, number: int) -> str:
    """Draw a curve, its marks and its cursor."""
    y = MARGIN + (1 - 2 * MARGIN) * (1 - curve.axis.places)
    points = " ".join(f"{1000 * a:.1f},{100 * b:.2f}" for a, b in zip(x.places, y, strict=True))
    ticks = "".join(
        f'<span style="top:{100 * (MARGIN + (1 - 2 * MARGIN) * (1 - at)):.2f}%">'
        f"<b>{text(said)}</b></span>"
        for at, said in curve.axis.ticks
    )
    marks = ((result.position, "pick"), (result.left, "peak"), (result.right, "peak"))
    dots = "".join(
        _dot(kind, float(x.places[step]), float(y[step]))
        for step, kind in marks
        if step is not None and (kind == "pick" or number == 0)
    )
    here = float(x.places[result.position]), float(y[result.position])
    return (
        f'<figure class="chart"><figcaption><b>{text(curve.name)}</b> '
        f"<span>{text(curve.meaning)}</span></figcaption>"
        f'<div class="plot"><div class="ticks" aria-hidden="true">{ticks}</div>'
        f'<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="'
        f'{text(curve.name)} over the sweep. {text(curve.summary)}">'
        f'<polyline points="{points}"/></svg>'
        f'<i class="rule pick" style="left:{100 * here[0]:.2f}%"></i>{dots}'
        f'<i class="rule cursor" style="left:{100 * here[0]:.2f}%"></i>{_dot("cursor", *here)}'
        "</div></figure>"
    )


def places(curve: Curve) -> list[float]:
    """Return how far from the top each step lies, in percent, for the cursor."""
    return [round(100 * float(MARGIN + (1 - 2 * MARGIN) * (1 - at)), 2) for at in curve.axis.places]


def _eta(result: Result) -> Curve:
    """Return how much the iteration still moved at each step."""
    etas = result.path.etas
    return Curve(
        "eta",
        "how much the labels still moved; the best stay in the valley between two peaks"
        + _undecided(result),
        logarithmic(etas, ETA_FLOOR * float(etas.max() or 1.0)),
        _summary("eta", etas, result.position),
    )


def _savings(result: Result) -> Curve:
    """Return how many nats the labels of each step save."""
    savings = np.asarray(result.path.savings)
    lowest = -CUT * max(float(savings.max()), 0.0) or -np.inf
    cut = "; cut off far below zero" if savings.min() < lowest else ""
    return Curve(
        "nats saved",
        "how much shorter the labels make the description of the similarities; more is better"
        + _undecided(result)
        + cut,
        linear(np.maximum(savings, lowest)),
        _summary("savings", savings, result.position),
    )


def _undecided(result: Result) -> str:
    """Say so if a curve is not what the choice was made by."""
    return ", but the choice was made otherwise" if result.status in OTHERWISE else ""


def _dot(kind: str, x: float, y: float) -> str:
    """Draw a point."""
    return f'<i class="dot {kind}" style="left:{100 * x:.2f}%;top:{100 * y:.2f}%"></i>'


def _summary(what: str, values: NDArray[np.float64] | NDArray[np.intp], at: int) -> str:
    """Say what a curve shows to those who cannot see it."""
    return (
        f"From the coarsest to the finest step {what} goes from {_number(values[-1])} to "
        f"{_number(values[0])}, between {_number(values.min())} and {_number(values.max())}; "
        f"it is {_number(values[at])} at the chosen step."
    )


def _number(value: float) -> str:
    """Write a number briefly; -0 is 0."""
    value = value or 0.0
    size = abs(float(value))
    if 1e6 <= size < 1e9:
        return f"{value / 1e6:.3g}M"
    if size and not 1e-3 <= size < 1e9:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}"
