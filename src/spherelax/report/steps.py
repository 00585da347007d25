"""The steps of the sweep: what the page shows when its slider is moved.

The similarity matrix is drawn in a limited number of cells, each the mean of its similarities, and
steps with the same labels share a frame. So the page stays small even with 10^5 items.
"""

from __future__ import annotations

import struct
import zlib
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.report.case import Case

# Largest number of cells along each side of the picture of the similarities.
MAX_CELLS = 128
# Up to this number of labels, all items are drawn. With more, only the largest labels are drawn:
# at least FEW_LABELS, and more as long as every item has its own cell.
MAX_LABELS = 60
FEW_LABELS = 24
# Cells above this percentile of the positive means have the full colour; number of shades.
FULLEST = 95
SHADES = 16
INK = (0x00, 0x72, 0xB2)
# Number of labels in the list of the largest ones, and of names for each.
LISTED = 8
MEMBERS = 6


class Listed(NamedTuple):
    """One of the largest labels: its size, the share of its pairs that are similar, some items."""

    size: int
    direct: float
    members: list[int]


class Frame(NamedTuple):
    """What the page shows for one labeling.

    ``picture`` is a PNG of the similarities with the items sorted by label. ``ends`` says where
    the labels end in it, as shares of its side. ``sizes`` holds the number of labels with 1, 2,
    3-4, 5-8, ... items.
    """

    n_shown: int
    n_labels_shown: int
    picture: bytes
    ends: list[float]
    sizes: list[int]
    listed: list[Listed]


class Steps(NamedTuple):
    """The frames, and the number of the frame of each step of the path."""

    frames: list[Frame]
    of_step: list[int]


def make_steps(case: Case) -> Steps:
    """Make a frame for every step whose labels differ from those of the step before."""
    chosen = case.result.path.picked
    labelings = case.result.path.labels
    starts = [0] + [
        step
        for step in range(1, len(labelings))
        if labelings[step] is not labelings[step - 1]
        and not np.array_equal(labelings[step], labelings[step - 1])
    ]
    of_step = np.searchsorted(starts, np.arange(len(labelings)), side="right") - 1
    order = _sorted(labelings[chosen], np.arange(case.n_items))
    position = np.empty(case.n_items, dtype=np.intp)
    position[order] = np.arange(case.n_items)
    drawn = [_Drawing.of(case, labelings[step], position) for step in starts]
    means = drawn[of_step[chosen]].means
    fullest = float(np.percentile(means[means > 0], FULLEST)) if means.max() > 0 else 1.0
    return Steps([one.frame(case, fullest) for one in drawn], of_step.tolist())


def size_bins(n_bins: int) -> list[str]:
    """Name the bins of sizes: 1, 2, 3-4, 5-8, ...

    Examples
    --------
    >>> size_bins(4)
    ['1', '2', '3-4', '5-8']
    """
    return ["1", "2", *(f"{2 ** (b - 1) + 1:,}-{2**b:,}" for b in range(2, n_bins))][:n_bins]


class _Drawing(NamedTuple):
    """A labeling before it becomes a frame: items sorted by label, and the means of the cells."""

    labels: NDArray[np.int32]
    order: NDArray[np.intp]
    sizes: NDArray[np.intp]
    n_labels_shown: int
    means: NDArray[np.float64]

    @classmethod
    def of(cls, case: Case, labels: NDArray[np.int32], position: NDArray[np.intp]) -> _Drawing:
        """Sort the items by label and average their similarities over cells."""
        order = _sorted(labels, position)
        sizes = np.sort(np.bincount(labels))[::-1]
        ends = np.cumsum(sizes)
        n_labels = len(sizes)
        if n_labels > MAX_LABELS:
            n_labels = max(FEW_LABELS, int(np.searchsorted(ends, MAX_CELLS, side="right")))
        return cls(labels, order, sizes, n_labels, _cell_means(case, order[: ends[n_labels - 1]]))

    def frame(self, case: Case, fullest: float) -> Frame:
        """Return the frame; a cell with a mean of ``fullest`` or more has the full colour."""
        ends = np.cumsum(self.sizes[: self.n_labels_shown])
        shades = np.ceil((SHADES - 1) * np.minimum(self.means / fullest, 1.0)).astype(np.uint8)
        bins = np.ceil(np.log2(self.sizes)).astype(int)
        return Frame(
            n_shown=int(ends[-1]),
            n_labels_shown=self.n_labels_shown,
            picture=_png(shades),
            ends=(ends / ends[-1]).tolist() if self.n_labels_shown <= MAX_LABELS else [],
            sizes=np.bincount(bins).tolist(),
            listed=self._listed(case),
        )

    def _listed(self, case: Case) -> list[Listed]:
        """List the largest labels."""
        same = self.labels[case.rows] == self.labels[case.graph.indices]
        inside = np.bincount(self.labels[case.rows[same]], minlength=len(self.sizes)) // 2
        listed, start = [], 0
        for size in self.sizes[:LISTED].tolist():
            if size == 1:
                break
            members = self.order[start : start + size]
            direct = float(inside[self.labels[members[0]]] / (size * (size - 1) / 2))
            listed.append(Listed(size, direct, members[:MEMBERS].tolist()))
            start += size
        return listed


def _sorted(labels: NDArray[np.int32], position: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort items by label, the largest label first; then by position."""
    sizes = np.bincount(labels)
    first = np.full(len(sizes), len(labels))
    np.minimum.at(first, labels, position)
    return np.lexsort((position, first[labels], -sizes[labels]))


def _cell_means(case: Case, order: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the mean similarity of different items in each cell; items are in this order."""
    n_cells = ceil(len(order) / ceil(len(order) / MAX_CELLS))
    cell = np.full(case.n_items, -1)
    cell[order] = np.arange(len(order)) * n_cells // len(order)
    row, column = cell[case.rows], cell[case.graph.indices]
    drawn = (row >= 0) & (column >= 0)
    sums = np.bincount(
        row[drawn] * n_cells + column[drawn], case.graph.values[drawn], n_cells * n_cells
    ).reshape(n_cells, n_cells)
    counts = np.bincount(cell[order])
    pairs = np.outer(counts, counts) - np.diag(counts)
    return np.asarray(sums / np.maximum(pairs, 1))


def _png(shades: NDArray[np.uint8]) -> bytes:
    """Draw shades as a PNG in one colour, more or less transparent, for any background."""
    height, width = shades.shape
    padded = np.pad(shades, ((0, 0), (0, width % 2)))
    packed = padded[:, ::2] << 4 | padded[:, 1::2]
    lines = np.pad(packed, ((0, 0), (1, 0))).astype(np.uint8).tobytes()
    transparency = bytes(255 * shade // (SHADES - 1) for shade in range(SHADES))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
        (b"PLTE", bytes(INK) * SHADES),
        (b"tRNS", transparency),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
