"""The section with the images: two at a time, with lines between matched items."""

from __future__ import annotations

import base64

import numpy as np

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.markup import isolated, name, text
from spherelax.report.pictures import KINDS, Pair, Pictures

# Pixels between two images.
GAP = 12
# Largest height of the images on the page, in rem.
HIGHEST = 30
MEANINGS = {
    "dropped": "similar, but without a common label",
    "added": "not similar, but with a common label",
    "kept": "similar, and with a common label",
}


def pictures_section(case: Case, pictures: Pictures) -> str:
    """Draw each pair of images; the pair with the most dropped matches is shown first."""
    changed = [(pair.counts["dropped"], pair.counts["added"]) for pair in pictures.pairs]
    first = changed.index(max(changed)) if changed else 0
    files = "".join(
        f'<image id="image-{at}" width="{one.width}" height="{one.height}" '
        f'href="data:image/jpeg;base64,{base64.b64encode(one.content).decode()}"/>'
        for at, one in enumerate(pictures.thumbnails)
    )
    drawn = "".join(
        _pair(pictures, pair, is_hidden=at != first) for at, pair in enumerate(pictures.pairs)
    )
    options = "".join(
        f'<option value="pair-{pair.first}-{pair.second}"{" selected" if at == first else ""}>'
        f"{_title(pictures, pair)} ({pair.counts['dropped']:,} dropped)</option>"
        for at, pair in enumerate(pictures.pairs)
    )
    n_shown = len(pictures.thumbnails)
    which = f"All {n_shown} images are shown."
    if n_shown < pictures.n_images:
        which = (
            f"{n_shown} of {pictures.n_images:,} images are shown: those with the most dropped "
            "matches."
        )
    kinds = "".join(
        f'<label><input type="checkbox" id="show-{kind}" checked>'
        f'<svg class="swatch" viewBox="0 0 35 8" aria-hidden="true">'
        f'<line class="{kind}" x1="0" y1="4" x2="35" y2="4"/></svg>'
        f"<span><b>{kind}</b> {case.say(MEANINGS[kind])}</span></label>"
        for kind in KINDS
    )
    return (
        f'<svg class="store" aria-hidden="true"><defs>{files}</defs></svg>'
        f'<p class="chooser" hidden><label for="pair-choice">Two images</label>'
        f'<select id="pair-choice" data-shows="pair" autocomplete="off">{options}</select></p>'
        f'<div class="pictures">{drawn}<fieldset class="choice"><legend>'
        f"{case.say('Lines between items')}</legend>{kinds}</fieldset></div>"
        f'<p class="note">{which} Point at a dropped line to see why.</p>'
    )


def _pair(pictures: Pictures, pair: Pair, *, is_hidden: bool) -> str:
    """Draw two images side by side, and the lines between them."""
    one, two = pictures.thumbnails[pair.first], pictures.thumbnails[pair.second]
    dx = one.width + GAP
    width, height = dx + two.width, max(one.height, two.height)
    key = f"pair-{pair.first}-{pair.second}"
    lines = "".join(_lines(pair, kind, dx) for kind in reversed(KINDS))
    n_lines = sum(pair.counts.values())
    some = f" {len(pair.kinds)} of them are drawn." if len(pair.kinds) < n_lines else ""
    said = ", ".join(f"{pair.counts[kind]:,} {kind}" for kind in KINDS)
    return (
        f'<figure class="pair" id="{key}" style="max-width:{HIGHEST * width / height:.1f}rem"'
        f"{' hidden' if is_hidden else ''}>"
        f'<svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Lines between {_title(pictures, pair)}">'
        f'<use href="#image-{pair.first}"/>'
        f'<use href="#image-{pair.second}" x="{dx}"/>{lines}</svg>'
        f"<figcaption>{name(one.group)} and {name(two.group)}: "
        f"{count(n_lines, 'line')}, {said}.{some}</figcaption></figure>"
    )


def _lines(pair: Pair, kind: str, dx: int) -> str:
    """Draw the lines of one kind."""
    drawn = []
    for ends, found, note in zip(pair.ends, pair.kinds, pair.notes, strict=True):
        if found == kind:
            title = f"<title>{text(note)}</title>" if note else ""
            x1, y1, x2, y2 = (f"{at:.1f}" for at in np.add(ends, (0, 0, dx, 0)))
            line = f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
            drawn.append(
                f'<g>{title}<line class="{kind} halo" {line}<line class="{kind}" {line}'
                f'<circle class="{kind}" cx="{x1}" cy="{y1}" r="3.5"/>'
                f'<circle class="{kind}" cx="{x2}" cy="{y2}" r="3.5"/></g>'
            )
    return f'<g class="{kind}">{"".join(drawn)}</g>'


def _title(pictures: Pictures, pair: Pair) -> str:
    """Name two images."""
    groups = (pictures.thumbnails[at].group for at in (pair.first, pair.second))
    return " and ".join(map(isolated, groups))
