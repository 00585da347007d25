"""Pictures of the sweep, the similarity, the sphere and the matches; they need matplotlib.

Every function draws on given Axes, or on those of a new figure, and returns the Axes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spherelax import metrics
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores
from spherelax.problem import Matrix, Similarity
from spherelax.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from mpl_toolkits.mplot3d import Axes3D

# Close to the colours of Okabe and Ito, which colour-blind readers can distinguish. As in the
# paper, eta is pink, the F-score blue and the pick green.
PINK, BLUE, GREEN, RED, GREY, PLUM = (
    "#C2559A", "#0072B2", "#009E73", "#D55E00", "#8C8C8C", "#7A2E5D"
)  # fmt: skip
ETA_FLOOR = 1e-9  # smaller eta, relative to the largest, is drawn as zero; the log scale ends there
SPINE_GAP = 50  # points between the scales of the F-score and of the number of labels
MAX_CELLS = 1000  # largest number of cells per side of the image of a similarity
DARKEST = 95  # percentile of the positive similarities above which the image is black
MAX_RULED = 60  # largest number of clusters with lines between them
# What probabilities can be of: their number, and what they say.
KINDS = {
    "pairs": ("pairs", "a pair is right"),
    "pure": ("labels", "a label is pure"),
    "whole": ("labels", "a label is whole"),
    "items": ("items", "the label of an item is right"),
}
IMAGE_GAP = 0.03  # gap between images, as a share of the widest image

Labels = Sequence[Hashable] | NDArray[np.generic]


class _Curve(NamedTuple):
    """A curve over the sweep: x and y of each step."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


def sweep(
    result: Result,
    *,
    truth: Labels | None = None,
    groups: Labels | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the whole sweep: the curve that the pick is made by, the pick, the number of labels.

    If the labels were picked by description, the curve is the saving over the resolution: how much
    shorter the labels make the description of the similarities, in nats (a nat is 1.44 bits).
    Otherwise it is eta over alpha, with its maxima, on a logarithmic scale; eta is how much the
    last pass of a step still gained. The legend is above the Axes, so set a title on the figure.
    Returns the Axes of this curve; ``ax.figure.axes`` has all.

    Parameters
    ----------
    result : Result
        The result whose path is drawn.
    truth : sequence of n_items labels, optional
        True labels. If given, the F-score of every step is drawn, too, and a dashed line at that of
        the pick.
    groups : sequence of n_items labels, optional
        If given, only pairs of items from different groups count for the F-score.
    ax : matplotlib Axes, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> W, truth = sl.datasets.make_binary_similarity(60, 3, random_state=0)
    >>> ax = sl.plot.sweep(sl.solve(W), truth=truth)
    >>> [scale.get_ylabel() for scale in ax.figure.axes]
    ['saving, in nats', 'number of labels', 'F-score']
    """
    ax = _axes(ax, figsize=(7.2, 4.2))
    path = result.path
    if path.savings is None:
        curve = _Curve(path.alphas, path.etas)
        _draw_eta(ax, curve)
        _scale_eta(ax, path.etas)
    else:
        curve = _Curve(path.resolutions, path.savings)
        _draw_savings(ax, curve)
    _draw_marks(ax, result, curve)
    counts = ax.twinx()
    n_labels = path.n_labels
    counts.step(curve.x, n_labels, where="mid", color=GREY, lw=1)
    counts.set_yscale("log", subs=[])
    counts.yaxis.get_major_locator().set_params(subs=(1, 2, 5))
    counts.yaxis.set_major_formatter("{x:g}")
    counts.set_ylim(0.8, 1.6 * n_labels.max())
    _name(counts, "number of labels", GREY)
    scales = [ax, counts]
    if truth is not None:
        scales.append(_draw_scores(ax, result, truth, groups, curve.x))
        counts.spines["right"].set_position(("outward", SPINE_GAP))
    _legend(*scales)
    return ax


def illustration(
    result: Result,
    truth: Labels,
    *,
    groups: Labels | None = None,
    figure: Figure | SubFigure | None = None,
) -> NDArray[np.object_]:
    """Draw the paper's illustration: eta alone, and eta with the pick and the F-score.

    Both have linear scales, as in the paper. Arguments are those of :func:`sweep`, but with a
    figure instead of Axes. Returns an array of the two Axes.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> W, truth = sl.datasets.make_binary_similarity(60, 3, random_state=0)
    >>> left, right = sl.plot.illustration(sl.solve(W, solver="power"), truth)
    >>> len(left.lines), len(right.lines)
    (1, 4)
    """
    if figure is None:
        figure = _matplotlib("pyplot").figure(figsize=(10, 3.8), layout="constrained")
    panels: NDArray[np.object_] = figure.subplots(1, 2)
    curve = _Curve(result.path.alphas, result.path.etas)
    for ax in panels:
        _draw_eta(ax, curve)
        top = curve.y.max() or 1.0
        ax.set_ylim(-0.04 * top, 1.2 * top)
    _draw_marks(panels[1], result, curve)
    _legend(panels[1], _draw_scores(panels[1], result, truth, groups, curve.x))
    return panels


def similarity(
    similarity: Similarity, *, labels: Labels | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a similarity matrix as an image, darker for more similar.

    With more than 1000 items, the image has 1000 x 1000 cells at most, and each shows the mean of
    its similarities; no copy of the matrix is made. To add a scale, call
    ``ax.figure.colorbar(ax.images[0])``.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items)
        The matrix to draw.
    labels : sequence of n_items labels, optional
        If given, items are sorted by label, the largest label first. Up to 60 labels have lines
        between them.
    ax : matplotlib Axes, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> ax = sl.plot.similarity([[5, 0, 1], [0, 7, 0], [1, 0, 6]], labels=["a", "b", "a"])
    >>> print(ax.images[0].get_array())
    [[5. 1. 0.]
     [1. 6. 0.]
     [0. 0. 7.]]
    """
    W = sp.csr_array(similarity) if sp.issparse(similarity) else np.asarray(similarity)
    _require(W.ndim == 2 and W.shape[0] == W.shape[1] > 0, "similarity", W, "(n_items, n_items)")
    m = W.shape[0]
    order, ends = np.arange(m), np.array([m])
    if labels is not None:
        names = np.asarray(labels)
        _require(names.shape == (m,), "labels", names, f"({m},)")
        _, first, codes, sizes = np.unique(
            names, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first[codes], -sizes[codes]))
        ends = np.cumsum(np.sort(sizes)[::-1])
    ax = _axes(ax, figsize=(4.8, 4.8))
    edges = (-0.5, m - 0.5)
    means = _cell_means(W, order)
    darkest = np.percentile(means[means > 0], DARKEST) if means.max() > 0 else 1.0
    ax.imshow(means, cmap="Greys", vmin=0, vmax=darkest, extent=(*edges, *edges[::-1]))
    if len(ends) <= MAX_RULED:
        ax.hlines(ends[:-1] - 0.5, *edges, color=RED, lw=0.6)
        ax.vlines(ends[:-1] - 0.5, *edges, color=RED, lw=0.6)
    ax.set_xlabel("item" if labels is None else "item, sorted by label")
    return ax


def sphere(U: ArrayLike, *, labels: Labels | None = None, ax: Axes3D | None = None) -> Axes3D:
    """Draw rows of U as points on the non-negative part of the unit sphere in three dimensions.

    An item at a corner has one label; an item between corners belongs to several labels in part.
    Zero rows (items that are similar to nothing) are left out.

    Parameters
    ----------
    U : array-like of shape (n_items, 3)
        For example ``solve(W, solver=Power(max_labels=3)).embedding()``.
    labels : sequence of n_items labels, optional
        If given, the colours of the points.
    ax : matplotlib Axes3D, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> ax = sl.plot.sphere([[1, 0, 0], [0.6, 0.8, 0]], labels=["corner", "edge"])
    >>> [text.get_text() for text in ax.texts]
    ['$e_1$', '$e_2$', '$e_3$']
    """
    rows = np.asarray(U, dtype=float)
    _require(rows.ndim == 2 and rows.shape[1:] == (3,), "U", rows, "(n_items, 3)")
    names = np.zeros(len(rows)) if labels is None else np.asarray(labels)
    _require(names.shape == (len(rows),), "labels", names, f"({len(rows)},)")
    ax = _axes(ax, figsize=(4.8, 4.6), subplot_kw={"projection": "3d"})
    if ax.name != "3d":
        raise InvalidInputError(f"ax must be three-dimensional; found projection {ax.name!r}")
    _draw_octant(ax)
    kinds, codes = np.unique(names, return_inverse=True)
    cmap, top = ("tab10", 10) if len(kinds) <= 10 else ("turbo", len(kinds))
    style = {"cmap": cmap, "vmin": 0, "vmax": top - 1, "depthshade": False, "zorder": 3}
    shown = rows.any(axis=1)
    ax.scatter(*rows[shown].T, c=codes[shown], s=40, edgecolors="white", lw=0.5, **style)
    return ax


def matches(
    images: Sequence[ArrayLike | None] | Mapping[Hashable, ArrayLike | None],
    positions: ArrayLike,
    groups: Labels,
    pairs: ArrayLike,
    *,
    correct: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw matches as lines between images in a row.

    Parameters
    ----------
    images : dict or sequence of arrays of shape (height, width) or (height, width, 3 or 4), or None
        The images to show, in this order: a dict by the name of the group, or a sequence of all
        images if groups are numbers from 0. Grey or in colour; None for an image that is missing.
    positions : array-like of shape (n_items, 2)
        x to the right and y downwards of each item in its image, in pixels.
    groups : sequence of n_items labels
        The image of each item, as in :func:`spherelax.solve`.
    pairs : array-like of shape (n_pairs, 2)
        Pairs of items, such as ``result.pairs().items`` or part of it. Pairs with an item in an
        image that is not shown are left out.
    correct : array-like of n_pairs booleans, optional
        Which pairs are right, such as ``truth[pairs[:, 0]] == truth[pairs[:, 1]]``. If given, right
        pairs are green, wrong ones red and dashed.
    ax : matplotlib Axes, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> positions, groups = [[5, 5], [20, 8], [6, 5], [22, 9]], ["a", "a", "b", "b"]
    >>> pairs = [[0, 2], [1, 3]]
    >>> shown = {"a": None, "b": None}
    >>> ax = sl.plot.matches(shown, positions, groups, pairs, correct=[True, False])
    >>> [text.get_text() for text in ax.get_legend().texts]
    ['1 right', '1 wrong']
    """
    points, image_of = np.asarray(positions, dtype=float), _places(images, groups)
    ends = np.asarray(pairs) if np.size(pairs) else np.empty((0, 2), dtype=np.intp)
    right = np.ones(len(ends), dtype=bool) if correct is None else np.asarray(correct, dtype=bool)
    _require(points.ndim == 2 and points.shape[1:] == (2,), "positions", points, "(n_items, 2)")
    _require(image_of.shape == (len(points),), "groups", image_of, f"({len(points)},)")
    _require(ends.ndim == 2 and ends.shape[1:] == (2,), "pairs", ends, "(n_pairs, 2)")
    _require(right.shape == (len(ends),), "correct", right, f"({len(ends)},)")
    if len(images) == 0:
        raise InvalidInputError("images must hold at least one image or None; found none")
    _require_below(len(points), "pairs", ends)
    seen = image_of >= 0
    both_seen = seen[ends].all(axis=1)
    ends, right = ends[both_seen], right[both_seen]
    in_order = list(images.values()) if isinstance(images, Mapping) else images
    ax, offsets = _draw_images(ax, in_order, points, image_of)
    points = points + offsets[image_of]
    ax.plot(*points[seen].T, "o", ms=3, mfc="white", mec="black", mew=0.5, zorder=3)
    kinds = [(right, GREEN, "solid", "right"), (~right, RED, "dashed", "wrong")]
    if correct is None:
        kinds = [(right, BLUE, "solid", "matches")]
    for part, color, style, word in kinds:
        segments, label = points[ends[part]], f"{np.count_nonzero(part)} {word}"
        lines = _matplotlib("collections").LineCollection(
            segments, color=color, ls=style, lw=1.1, label=label
        )
        ax.add_collection(lines)
    _legend(ax)
    return ax


def reliability(
    result: Result, truth: Labels, *, of: str = "pairs", n_bins: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw how often labels are right, by the probability that the result has of it.

    Points near the diagonal show that the probabilities can be taken at their word. Points below it
    are too sure, points above it not sure enough. A larger point stands for more of them, and
    vertical lines show the range of two standard errors. The legend has the expected calibration
    error, the mean distance to the diagonal.

    Parameters
    ----------
    result : Result
        A result whose confidence is a probability (``result.is_probability``); for anything but
        items, one with :meth:`Result.entities`.
    truth : sequence of n_items labels
        True labels.
    of : {"pairs", "pure", "whole", "items"}
        What is compared: pairs that share a label; labels of several items, whether they are pure;
        all labels, whether they are whole; or the confidence of items.
    n_bins : int
        Number of bins of equal width.
    ax : matplotlib Axes, optional
        Where to draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import spherelax as sl
    >>> result = sl.solve([[0, 2, -2], [2, 0, 0], [-2, 0, 0]], kind="odds")
    >>> ax = sl.plot.reliability(result, ["a", "a", "b"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('probability that a pair is right', 'share that is right')
    """
    found = metrics.reliability(*_likely_and_right(result, truth, of), n_bins=n_bins)
    ax = _axes(ax, figsize=(4.8, 4.4))
    ax.plot([0, 1], [0, 1], color=GREY, lw=1, ls="dashed", label="as said")
    seen = found.n > 0
    said, right, n = found.said[seen], found.right[seen], found.n[seen]
    spread = 2.0 * np.sqrt(np.clip(said * (1.0 - said), 0.0, 0.25) / n)
    ends = np.clip([said - spread, said + spread], 0.0, 1.0)
    ax.vlines(said, *ends, color=GREY, lw=4, alpha=0.35)
    what, event = KINDS[of]
    name = f"{int(n.sum()):,} {what}, error {found.error:.3f}"
    sizes = 12 + 140 * n / n.max(initial=1)
    ax.scatter(said, right, s=sizes, color=BLUE, zorder=3, label=name)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set(xlabel=f"probability that {event}", ylabel="share that is right")
    _legend(ax)
    return ax


def _likely_and_right(
    result: Result, truth: Labels, of: str
) -> tuple[NDArray[np.float64], NDArray[np.generic]]:
    """Return probabilities of a result, and whether each is right."""
    if of not in KINDS:
        raise InvalidInputError(f"of must be one of {', '.join(KINDS)}; found {of!r}")
    right = metrics.correctness(truth, result.labels)
    if of == "items" and result.is_probability:
        return result.confidence, right.items
    entities = result.entities()
    if entities is None:
        raise InvalidInputError(
            f"result must have probabilities of {of}, as for kind='pairs'; found none"
        )
    if of == "pairs":
        return np.asarray(result.pairs().probability), right.pairs
    if of == "whole":
        return entities.whole, right.whole
    several = np.bincount(result.labels) > 1
    return entities.pure[several], right.pure[several]


def _matplotlib(module: str) -> ModuleType:
    """Import a module of matplotlib; the error says how to install it."""
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        message = 'spherelax.plot needs matplotlib: pip install "spherelax[plot]"'
        raise ImportError(message) from error


def _axes(ax: Axes | None, **settings: object) -> Axes:
    """Return the given Axes, or those of a new figure."""
    if ax is None:
        ax = _matplotlib("pyplot").subplots(layout="constrained", **settings)[1]
    return ax


def _require(holds: bool, name: str, found: Matrix, expected: str) -> None:
    """Refuse an array of the wrong shape."""
    if not holds:
        raise InvalidInputError(f"{name} must have shape {expected}; found {found.shape}")


def _require_below(end: int, name: str, found: NDArray[np.generic]) -> None:
    """Refuse anything but integers from 0 to end - 1."""
    if found.size and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= end):
        raise InvalidInputError(
            f"{name} must be integers from 0 to {end - 1}; "
            f"found {found.dtype} from {found.min()} to {found.max()}"
        )


def _places(
    images: Sequence[object] | Mapping[Hashable, object], groups: Labels
) -> NDArray[np.intp]:
    """Return the place in the row of the image of each item, or -1 if it is not shown."""
    if isinstance(images, Mapping):
        place = {name: index for index, name in enumerate(images)}
        names = groups.tolist() if isinstance(groups, np.ndarray) else groups
        return np.array([place.get(name, -1) for name in names], dtype=np.intp)
    numbers = np.asarray(groups)
    _require_below(len(images), "groups", numbers)
    return numbers


def _legend(front: Axes, *others: Axes) -> None:
    """Draw one legend for all Axes above the first one, which is drawn in front of the others."""
    handles = [handle for ax in (front, *others) for handle in ax.get_legend_handles_labels()[0]]
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": len(handles)}
    front.legend(handles=handles, frameon=False, fontsize="small", columnspacing=1.4, **place)
    if others:
        others[0].patch.set(visible=True, facecolor=front.get_facecolor())
        front.patch.set_visible(False)
        front.set_zorder(max(ax.get_zorder() for ax in others) + 1)


def _draw_eta(ax: Axes, curve: _Curve) -> None:
    """Draw the eta curve."""
    ax.plot(curve.x, curve.y, color=PINK, lw=1.8)
    ax.set(xlim=(0, 1), xlabel="alpha")
    _name(ax, "eta", PINK)


def _scale_eta(ax: Axes, etas: NDArray[np.float64]) -> None:
    """Give eta a logarithmic scale, which becomes linear near zero."""
    top, low = etas.max() or 1.0, etas.min()
    floor = 10 ** np.ceil(np.log10(ETA_FLOOR * top))
    if low > floor:
        ax.set_yscale("log")
        ax.set_ylim(low / 10, 10 * top)
    else:
        ax.set_yscale("symlog", linthresh=floor)
        ax.set_ylim(-0.3 * floor, 10 * top)
    ax.yaxis.get_major_locator().set_params(numticks=6)


def _draw_savings(ax: Axes, curve: _Curve) -> None:
    """Draw the saving, in nats, over the resolution on a logarithmic scale."""
    ax.plot(curve.x, curve.y, color=PINK, lw=1.8)
    ax.set_xscale("log")
    ax.set_xlabel("resolution, in units of the average similarity")
    ax.margins(y=0.12)
    _name(ax, "saving, in nats", PINK)


def _name(scale: Axes, name: str, color: str) -> None:
    """Name a vertical scale, in the colour of its curve."""
    scale.set_ylabel(name, color=color)
    scale.tick_params(axis="y", which="both", labelcolor=color)


def _draw_marks(ax: Axes, result: Result, curve: _Curve) -> None:
    """Mark the pick and, if there are any, the two maxima of eta."""
    right, left = result.path.maxima
    for index, marker, color, label in (
        (right, ">", PLUM, "right maximum"),
        (left, "<", PLUM, "left maximum"),
        (result.path.picked, "o", GREEN, "pick"),
    ):
        if index is not None:
            at = curve.x[index], curve.y[index]
            ax.plot(*at, marker, c=color, mec="white", ms=9, label=label, clip_on=False, zorder=3)


def _draw_scores(
    ax: Axes, result: Result, truth: Labels, groups: Labels | None, x: NDArray[np.float64]
) -> Axes:
    """Draw the F-score of every step, and a dashed line at that of the pick, on new Axes."""
    scores = [pairwise_scores(truth, labels, groups).f_score for labels in result.path.labels]
    picked = scores[result.path.picked]
    scale = ax.twinx()
    scale.plot(x, scores, color=BLUE, lw=1.5)
    scale.axhline(picked, color="black", ls="--", lw=1, label=f"F-score of the pick, {picked:.3f}")
    scale.set_ylim(-0.035, 1.05)
    _name(scale, "F-score", BLUE)
    return scale


def _cell_means(W: Matrix, order: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return means of W, with items in this order, over at most MAX_CELLS cells per side."""
    m = len(order)
    n_cells = min(m, MAX_CELLS)
    cell = np.empty(m, dtype=np.intp)
    cell[order] = np.arange(m) * n_cells // m
    shares = 1.0 / np.bincount(cell)[cell]
    P = sp.csr_array((shares, (np.arange(m), cell)), shape=(m, n_cells))
    if sp.issparse(W):
        return np.asarray((P.T @ W @ P).toarray())
    means = np.zeros((n_cells, n_cells))
    for first in range(0, m, MAX_CELLS):
        rows = slice(first, first + MAX_CELLS)
        means += P[rows].T @ (W[rows] @ P)
    return means


def _draw_octant(ax: Axes3D) -> None:
    """Draw the non-negative part of the unit sphere, its edges and its corners."""
    angle = np.linspace(0, np.pi / 2, 31)
    arc = np.array([np.cos(angle), np.sin(angle), np.zeros(len(angle))])
    x, y = np.multiply.outer(arc[:2], arc[1])
    z = np.broadcast_to(arc[0], x.shape)
    ax.computed_zorder = False
    grid = {"rcount": 7, "ccount": 7, "edgecolor": "black", "lw": 0.3}
    ax.plot_surface(x, y, z, color=GREY, alpha=0.2, shade=False, zorder=0, **grid)
    for axis, corner in enumerate(np.eye(3)):
        ax.plot(*np.roll(arc, axis, axis=0), color=GREY, lw=1, zorder=1)
        ax.plot(*np.outer(corner, (0, 1)), color=GREY, lw=0.7, ls=":", zorder=1)
        ax.plot(*corner[:, None], "ko", ms=4, zorder=2)
        ax.text(*1.12 * corner, f"$e_{axis + 1}$", ha="center", va="center")
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0.1, 1.1))  # in the middle of the picture
    ax.set_box_aspect((1, 1, 1), zoom=0.9)
    ax.view_init(elev=28, azim=38)
    ax.set_axis_off()


def _draw_images(
    ax: Axes | None,
    images: Sequence[ArrayLike | None],
    points: NDArray[np.float64],
    image_of: NDArray[np.intp],
) -> tuple[Axes, NDArray[np.float64]]:
    """Draw images in a row, or boxes around the points; return the shift of each image."""
    boxes = np.array([_box(image, points[image_of == i]) for i, image in enumerate(images)])
    low, size = boxes[:, 0], boxes[:, 1] - boxes[:, 0]
    steps = size[:, 0] + IMAGE_GAP * size[:, 0].max()
    left = np.cumsum(steps) - steps
    width, height = left[-1] + size[-1, 0], size[:, 1].max()
    ax = _axes(ax, figsize=(10, 0.5 + 10 * height / width))
    for image, x, (w, h) in zip(images, left, size, strict=True):
        if image is None:
            ax.add_patch(_matplotlib("patches").Rectangle((x, 0), w, h, fc="0.95", ec=GREY))
        else:
            ax.imshow(np.asarray(image), cmap="gray", extent=(x, x + w, h, 0))
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.set_axis_off()
    return ax, np.column_stack([left, np.zeros(len(left))]) - low


def _box(image: ArrayLike | None, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the smallest and the largest x, y of an image, or of a box around the points."""
    if image is not None:
        shape = np.shape(image)
        drawable = len(shape) == 2 or (len(shape) == 3 and shape[2] in (3, 4))
        _require(drawable, "images", np.asarray(image), "(height, width[, 3 or 4])")
        return np.array([[0, 0], shape[1::-1]]) - 0.5
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else np.zeros((2, 2))
    margin = 0.05 * (high - low).max() or 1.0
    return np.array([low - margin, high + margin])
