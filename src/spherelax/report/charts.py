"""Curves over the sweep: lines are SVG that fits the width, numbers are text of fixed size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.report.case import Case
from spherelax.report.markup import text
from spherelax.result import Result, Status, SweepPath

# Smaller values of eta, relative to the largest, count as zero; its logarithmic scale ends there.
ETA_FLOOR = 1e-9
# Number of ticks that fit beside a small curve, and below it on a phone.
MAX_TICKS = 4
MAX_TICKS_BELOW = 6
# Savings are cut off at minus this share of the largest one: it does not matter how bad labels are.
CUT = 0.25
LEAST = 1e-100  # values that differ by less are equal
# Space above and below a curve, as a share of the height.
MARGIN = 0.08
# Status of labels that were chosen by eta, and of those chosen neither by eta nor by saving.
BY_ETA = (Status.VALLEY, Status.SETTLED, Status.SINGLE, Status.RISING, Status.STILL)
OTHERWISE = (
    Status.VALLEYS,
    Status.CLOUD,
    Status.BORDERS,
    Status.STABLE,
    Status.CHOSEN,
    Status.LINKED,
    Status.NEAREST,
)


class Axis(NamedTuple):
    """Place of each value on the axis, from 0 to 1, and ticks: a place and a text each."""

    places: NDArray[np.float64]
    ticks: list[tuple[float, str]]


class Curve(NamedTuple):
    """One quantity over the sweep: its name, its meaning, its axis, and a summary in words."""

    name: str
    meaning: str
    axis: Axis
    summary: str


def linear(values: NDArray[np.float64], max_ticks: int = MAX_TICKS) -> Axis:
    """Return a linear axis from the smallest to the largest finite value, where others end.

    Examples
    --------
    >>> linear(np.array([0.0, 5.0, 10.0, np.inf])).places
    array([0. , 0.5, 1. , 1. ])
    """
    is_finite = np.isfinite(values)
    low = float(values.min(where=is_finite, initial=np.inf))
    high = float(values.max(where=is_finite, initial=-np.inf))
    values = np.nan_to_num(values, nan=low, posinf=high, neginf=low)
    if not LEAST <= high - low < np.inf:
        return Axis(np.full(len(values), 0.5), [(0.5, _number(low))])
    step = 10.0 ** np.floor(np.log10((high - low) / 2))
    step *= next(n for n in (0.5, 1, 2, 5, 10) if (high - low) / (n * step) < max_ticks)
    ticks = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    places = (ticks - low) / (high - low)
    named = [(float(at), _number(tick)) for at, tick in zip(places, ticks, strict=True)]
    return Axis((values - low) / (high - low), named)


def logarithmic(values: NDArray[np.float64], floor: float, max_ticks: int = MAX_TICKS) -> Axis:
    """Return a logarithmic axis; values below the floor are raised to it.

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


def across(path: SweepPath) -> Axis:
    """Return the axis of the steps, with resolutions as ticks.

    The steps of the slider are equal, and so are they here, whether the solver made them equal in
    ln(resolution) or in alpha. So the slider stands below its place in the curves.
    """
    distances = np.diff(path.alphas)
    if np.allclose(distances, distances[:1]):
        places, ticks = linear(path.alphas, MAX_TICKS_BELOW)
        low, span = float(path.alphas.min()), float(np.ptp(path.alphas))
        alphas = [low + span * at for at, _ in ticks]
        named = [_number(alpha / (1.0 - alpha)) for alpha in alphas]
        return Axis(places, [(at, said) for (at, _), said in zip(ticks, named, strict=True)])
    lowest = path.resolutions.min(where=path.resolutions > 0, initial=1.0)
    return logarithmic(path.resolutions, float(lowest) / 2, MAX_TICKS_BELOW)


def curves(case: Case) -> list[Curve]:
    """Return the curves of the page: saving or movement, number of labels, stability."""
    result, n_labels = case.result, case.n_labels_per_step
    at = result.path.picked
    first = _savings(case) if shows_savings(result) else _movement(case)
    return [
        first,
        Curve(
            case.say("number of labels"),
            "at each step",
            logarithmic(n_labels.astype(float), 1.0),
            _summary(case.say("the number of labels"), n_labels, at),
        ),
        Curve(
            "stability",
            case.say(
                "width of the range of resolutions around a step in which nearly the same pairs "
                "share a label, as ln(highest / lowest); a wide range means that the labels depend "
                "little on the resolution"
            ),
            linear(case.result.path.stability),
            _summary("stability", case.result.path.stability, at),
        ),
    ]


def shows_savings(result: Result) -> bool:
    """Tell whether savings are drawn: they are known, and labels were not chosen by eta."""
    is_by_eta = result.status in BY_ETA or result.path.maxima[0] is not None
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
    path = result.path
    marks = ((path.picked, "pick"), *((step, "peak") for step in reversed(path.maxima)))
    dots = "".join(
        _dot(kind, float(x.places[step]), float(y[step]))
        for step, kind in marks
        if step is not None and (kind == "pick" or number == 0)
    )
    here = float(x.places[path.picked]), float(y[path.picked])
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


def _movement(case: Case) -> Curve:
    """Return the curve of eta, how much the last pass of each step still gained."""
    result, etas = case.result, case.result.path.etas
    return Curve(
        "movement",
        case.say(
            "how much the last pass of a step still gained; the best labels are usually where it "
            "is small, between its two maxima" + _undecided(result)
        ),
        logarithmic(etas, ETA_FLOOR * float(etas.max() or 1.0)),
        _summary("the movement", etas, result.path.picked),
    )


def _savings(case: Case) -> Curve:
    """Return the curve of the saving of each step, in nats."""
    result, savings = case.result, np.asarray(case.result.path.savings)
    lowest = -CUT * max(float(savings.max()), 0.0) or -np.inf
    cut = "; values far below zero are cut off" if savings.min() < lowest else ""
    return Curve(
        "saving",
        case.say(
            "how much shorter the labels make the description of the similarities; larger is better"
            + _undecided(result)
            + cut
        ),
        linear(np.maximum(savings, lowest)),
        _summary("the saving", savings, result.path.picked),
    )


def _undecided(result: Result) -> str:
    """Say so if the labels were not chosen by this curve."""
    return ", but the labels were chosen in another way" if result.status in OTHERWISE else ""


def _dot(kind: str, x: float, y: float) -> str:
    """Draw a point."""
    return f'<i class="dot {kind}" style="left:{100 * x:.2f}%;top:{100 * y:.2f}%"></i>'


def _summary(what: str, values: NDArray[np.float64] | NDArray[np.intp], at: int) -> str:
    """Describe a curve in words, for screen readers."""
    return (
        f"From the lowest to the highest resolution, {what} goes from {_number(values[-1])} to "
        f"{_number(values[0])}, between {_number(values.min())} and {_number(values.max())}; "
        f"it is {_number(values[at])} at the chosen step."
    )


def _number(value: float) -> str:
    """Return a number as a short text; -0 becomes 0."""
    value = value or 0.0
    size = abs(float(value))
    if 1e6 <= size < 1e9:
        return f"{value / 1e6:.3g}M"
    if size and not 1e-3 <= size < 1e9:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:,.0f}" if size >= 1000 else f"{value:.3g}"
