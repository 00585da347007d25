"""Matches on images: which were kept, which were added and which were dropped."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from importlib import import_module
from io import BytesIO
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.items import Names
from spherelax.labels import count_labels
from spherelax.report.case import Case
from spherelax.report.dropped import find_dropped, why

if TYPE_CHECKING:
    from PIL.Image import Image

# Largest number of images, longer side of each in pixels, and JPEG quality.
MAX_IMAGES = 8
MAX_SIDE = 640
QUALITY = 70
# Largest number of lines of each kind between two images; the first kind is drawn on top.
MAX_LINES = 50
KINDS = ("dropped", "added", "kept")
# Side of the part of an image around an item, in pixels of the image.
CROP = 160


class Thumbnail(NamedTuple):
    """A small copy of an image: its group, its JPEG file, its size, and the scale."""

    group: str
    content: bytes
    width: int
    height: int
    scale: float


class Pair(NamedTuple):
    """Lines between two thumbnails: both ends of each in pixels, its kind, and counts by kind.

    ``notes`` say why a line was dropped; they are empty for the other kinds.
    """

    first: int
    second: int
    ends: NDArray[np.float64]
    kinds: list[str]
    notes: list[str]
    counts: dict[str, int]


class Pictures(NamedTuple):
    """Thumbnails, the lines between each two, and the number of all images."""

    thumbnails: list[Thumbnail]
    pairs: list[Pair]
    n_images: int


def make_pictures(case: Case, images: Mapping[Hashable, bytes], positions: ArrayLike) -> Pictures:
    """Choose images and draw the matches between them.

    A match is *kept* if the items are similar and share a label, *added* if they share a label and
    are not similar, and *dropped* if they are similar and do not share a label.
    """
    points = np.asarray(positions, dtype=float)
    if points.shape != (case.n_items, 2):
        raise InvalidInputError(
            f"positions must have shape ({case.n_items}, 2); found {points.shape}"
        )
    shown = [group for group in case.group_sizes if group in images]
    if not shown:
        raise InvalidInputError("images must have groups of the items as keys; found none of them")
    number = {group: at for at, group in enumerate(shown)}
    image_of = np.array([number.get(group, -1) for group in case.groups or ()])
    image_of[~np.isfinite(points).all(axis=1)] = -1
    chosen = _most_changed(case, image_of, len(shown))
    thumbnails = [make_thumbnail(str(shown[at]), images[shown[at]]) for at in chosen]
    scale = np.ones(len(shown))
    scale[chosen] = [thumbnail.scale for thumbnail in thumbnails]
    points = (points + 0.5) * scale[image_of][:, None]
    reasons = why(case, find_dropped(case))
    pairs = [
        _pair(
            case,
            points,
            image_of,
            places=(a, b),
            images=(chosen[a], chosen[b]),
            reasons=reasons,
        )
        for a, b in combinations(range(len(chosen)), 2)
    ]
    return Pictures(thumbnails, pairs, len(shown))


def make_crops(
    groups: Names,
    images: Mapping[Hashable, bytes],
    positions: ArrayLike,
    items: Iterable[int],
) -> dict[int, bytes]:
    """Cut out the part of an image around each item, as JPEG; without those that have no image."""
    points = np.asarray(positions, dtype=float)
    placed = [item for item in items if groups[item] in images and np.isfinite(points[item]).all()]
    crops: dict[int, bytes] = {}
    for group in dict.fromkeys(groups[item] for item in placed):
        image = _decoded(str(group), images[group])
        for item in (item for item in placed if groups[item] == group):
            left, top = (round(float(at) - CROP / 2) for at in points[item])
            crops[item] = _jpeg(image.crop((left, top, left + CROP, top + CROP)))
    return crops


def make_thumbnail(group: str, content: bytes) -> Thumbnail:
    """Return a small copy of an image."""
    image = _decoded(group, content)
    width, height = image.size
    scale = min(1.0, MAX_SIDE / max(width, height))
    size = max(1, round(scale * width)), max(1, round(scale * height))
    return Thumbnail(group, _jpeg(image, size), *size, scale)


def _most_changed(case: Case, image_of: NDArray[np.intp], n_images: int) -> list[int]:
    """Return the images with the most dropped matches between them; then the most added."""
    labels, shape = case.result.labels, (n_images, n_images)
    placed = np.flatnonzero(image_of >= 0)
    held = sp.csr_array(
        (np.ones(len(placed)), (image_of[placed], labels[placed])),
        shape=(n_images, count_labels(labels)),
    )
    i, j = image_of[case.rows], image_of[case.graph.indices]
    drawn = (i >= 0) & (j >= 0)
    kept = labels[case.rows] == labels[case.graph.indices]
    n_kept, n_dropped = (
        sp.coo_array((np.ones(np.count_nonzero(of)), (i[of], j[of])), shape=shape).tocsr()
        for of in (drawn & kept, drawn & ~kept)
    )
    n_added = held @ held.T - n_kept
    changed = (n_dropped + n_added / case.n_items**2).tolil()
    changed.setdiag(0)
    changed = changed.tocsr()
    chosen = [int(changed.sum(axis=1).argmax())]
    while len(chosen) < min(n_images, MAX_IMAGES):
        gain = np.asarray(changed[chosen].sum(axis=0), dtype=float).ravel()
        gain[chosen] = -1.0
        chosen.append(int(gain.argmax()))
    return sorted(chosen)


def _pair(
    case: Case,
    points: NDArray[np.float64],
    image_of: NDArray[np.intp],
    *,
    places: tuple[int, int],
    images: tuple[int, int],
    reasons: Mapping[tuple[int, int], str],
) -> Pair:
    """Draw the lines between two images."""
    left, right = (np.flatnonzero(image_of == image) for image in images)
    labels = case.result.labels
    similar = case.graph.matrix(case.graph.values)[left][:, right].tocoo()
    matched = {(int(left[a]), int(right[b])) for a, b in zip(similar.row, similar.col, strict=True)}
    at = {int(labels[item]): int(item) for item in right}
    shared = {(int(a), at[int(labels[a])]) for a in left if int(labels[a]) in at}
    found = matched - shared, shared - matched, matched & shared
    counts = {kind: len(pairs) for kind, pairs in zip(KINDS, found, strict=True)}
    drawn = [_spread(sorted(pairs)) for pairs in found]
    lines = np.array(list(chain(*drawn)), dtype=np.intp).reshape(-1, 2)
    kinds = np.repeat(KINDS, [len(pairs) for pairs in drawn]).tolist()
    notes = [
        reasons.get((min(line), max(line)), "") if kind == "dropped" else ""
        for line, kind in zip(lines.tolist(), kinds, strict=True)
    ]
    return Pair(*places, points[lines].reshape(-1, 4), kinds, notes, counts)


def _spread(lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return all lines, or MAX_LINES of them at equal distances in the list."""
    step = max(1.0, len(lines) / MAX_LINES)
    return [lines[int(at * step)] for at in range(min(len(lines), MAX_LINES))]


def _jpeg(image: Image, size: tuple[int, int] | None = None) -> bytes:
    """Return an image as a JPEG file, perhaps of another size."""
    file = BytesIO()
    mode = "L" if image.mode in ("1", "L", "I;16") else "RGB"
    image = image.convert(mode)
    (image.resize(size) if size else image).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _decoded(group: str, content: bytes) -> Image:
    """Decode an image file."""
    try:
        parser = import_module("PIL.ImageFile").Parser()
    except ImportError:
        raise InvalidInputError(
            'images need Pillow; install it with: pip install "spherelax[plot]"'
        ) from None
    try:
        parser.feed(content)
        image: Image = parser.close()
        return image
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidInputError(
            f"images: the image of group {group!r} cannot be read; {error}"
        ) from None
