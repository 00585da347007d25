"""The items in a plane, with their labels as colours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from spherelax.io.items import View
from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.charts import linear
from spherelax.report.markup import name, text

# Width and height of the picture in its own units, and its margin as a share of both.
WIDTH, HEIGHT, MARGIN = 1000, 700, 0.03
# Items that are drawn, labels that have a colour, and different colours.
MAX_DRAWN = 20_000
MAX_COLOURED = 30
COLOURS = 7
# Points get smaller as they get more: thickest and thinnest in pixels, and pixels for one.
THICKEST, THINNEST, ONE = 8.0, 2.5, 140.0
# Items whose label is more likely wrong than right are drawn as rings.
LIKELY = 0.5


class Plane(NamedTuple):
    """Places of items in a plane, an array of shape (n_items, 2), and what its axes are called."""

    places: NDArray[np.float64]
    axes: tuple[str, str]


def make_plane(view: View) -> Plane:
    """Return the two columns of a view or, of more, their first two principal components.

    A single column is drawn from left to right, with chance as the height.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(100, 3)) * [5, 2, 0.1]
    >>> make_plane(View(points, ["a", "b", "c"])).axes
    ('first principal component (88% of the variance)', 'second (12%)')
    """
    n_columns = view.points.shape[1]
    if n_columns == 1:
        chance = np.random.default_rng(0).random(len(view.points))
        return Plane(np.column_stack([view.points[:, 0], chance]), (str(view.columns[0]), ""))
    if n_columns == 2:
        return Plane(view.points, (str(view.columns[0]), str(view.columns[1])))
    centred = (view.points - view.points.mean(axis=0)) / view.unit
    if min(centred.shape) <= 3:
        _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    else:
        _, sizes, axes = svds(centred, k=2, v0=np.ones(min(centred.shape)))
    first = np.argsort(-sizes)[:2]
    axes, total = axes[first], float((centred**2).sum()) or 1.0
    axes *= np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1, 1)[:, None]
    one, two = sizes[first] ** 2 / total
    names = f"first principal component ({one:.0%} of the variance)", f"second ({two:.0%})"
    return Plane(centred @ axes.T, names)


def plane_figure(case: Case, view: View, coloured: list[int]) -> str:
    """Draw the items in a plane; labels in ``coloured`` have a colour, in this order."""
    plane = make_plane(view)
    known = np.flatnonzero(np.isfinite(plane.places).all(axis=1))
    if len(known) == 0:
        return case.say("<p>No item has a place in the plane.</p>")
    x, y = (linear(plane.places[known, axis]) for axis in (0, 1))
    at = np.column_stack([x.places, 1.0 - y.places]) * (1 - 2 * MARGIN) + MARGIN
    drawn = np.arange(len(known))
    if len(known) > MAX_DRAWN:
        drawn = np.sort(np.random.default_rng(0).permutation(len(known))[:MAX_DRAWN])
    labels, unlikely = case.result.labels[known], case.result.confidence[known] < LIKELY
    pixels = np.round(at * (WIDTH, HEIGHT)).astype(int)
    rings = drawn[unlikely[drawn]]
    rest = drawn[~np.isin(labels[drawn], coloured)]
    others = rings[~np.isin(labels[rings], coloured)]
    parts = [_points(case.say("other labels"), "rest", pixels[rest], pixels[others])]
    tags = []
    for place, label in enumerate(coloured):
        number = case.number(int(np.argmax(case.result.labels == label)))
        own, unsure = drawn[labels[drawn] == label], rings[labels[rings] == label]
        said = f"{case.words.label} {number}"
        parts.append(_points(said, f"c{place % COLOURS}", pixels[own], pixels[unsure]))
        if len(own):
            left, top = 100 * np.median(at[own], axis=0)
            tags.append(f'<b style="left:{left:.1f}%;top:{top:.1f}%">{number}</b>')
    width = float(np.clip(ONE / np.sqrt(len(drawn)), THINNEST, THICKEST))
    ticks = _ticks(x.ticks, y.ticks) if view.are_features and view.points.shape[1] == 2 else ""
    across, up = (name(axis) if axis else "" for axis in plane.axes)
    return (
        f'<figure class="plane" style="--point:{width:.1f}px"><p class="up">{up}</p>'
        f'<div class="field">{ticks}'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="'
        f'{text(case.say(_described(case, known, drawn)))}">{"".join(parts)}</svg>'
        f'<div class="tags" aria-hidden="true">{"".join(tags)}</div></div>'
        f'<p class="across{" ticked" if ticks else ""}">{across}</p>'
        f"<figcaption>{case.say(_note(case, known, drawn, unlikely))}</figcaption></figure>"
    )


def _points(said: str, colour: str, own: NDArray[np.intp], rings: NDArray[np.intp]) -> str:
    """Draw the items of a label at their pixels: dots, and holes in those that are rings."""
    if len(own) == 0:
        return ""
    hole = f'<path class="hole" d="{_dots(rings)}"/>' if len(rings) else ""
    return f'<g><title>{text(said)}</title><path class="{colour}" d="{_dots(own)}"/>{hole}</g>'


def _dots(pixels: NDArray[np.intp]) -> str:
    """Return a path with a dot at each pixel."""
    return "".join(f"M{x} {y}h0" for x, y in np.unique(pixels, axis=0).tolist())


def _ticks(x: list[tuple[float, str]], y: list[tuple[float, str]]) -> str:
    """Return the numbers along both axes."""
    inner = 1 - 2 * MARGIN
    below = "".join(
        f'<span style="left:{100 * (MARGIN + inner * at):.2f}%">{text(said)}</span>'
        for at, said in x
    )
    beside = "".join(
        f'<span style="top:{100 * (MARGIN + inner * (1 - at)):.2f}%">{text(said)}</span>'
        for at, said in y
    )
    return (
        f'<div class="below" aria-hidden="true">{below}</div>'
        f'<div class="beside" aria-hidden="true">{beside}</div>'
    )


def _described(case: Case, known: NDArray[np.intp], drawn: NDArray[np.intp]) -> str:
    """Describe the picture in words; the table beside it has the labels."""
    return f"{_which(case, known, drawn)} in a plane, with labels as colours."


def _which(case: Case, known: NDArray[np.intp], drawn: NDArray[np.intp]) -> str:
    """Say which items are drawn."""
    if len(drawn) == case.n_items:
        return f"All {count(case.n_items, 'item')}"
    why = "" if len(known) == case.n_items else ", those with a place"
    return f"{len(drawn):,} of {count(case.n_items, 'item')}{why}"


def _note(
    case: Case, known: NDArray[np.intp], drawn: NDArray[np.intp], unlikely: NDArray[np.bool_]
) -> str:
    """Say what is drawn."""
    rings = " Rings: more likely in a wrong label than in the right one."
    return f"{_which(case, known, drawn)}.{rings if unlikely[drawn].any() else ''}"
