"""The tables of a COLMAP database: images, their keypoints, and the matches of two of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.mapped import Array

# A pair of images is numbered MAX_IMAGES * smaller id + larger id.
MAX_IMAGES = 2147483647
VERIFIED, RAW = "two_view_geometries", "matches"
# x and y, then scale and orientation, or the four numbers of an affine shape.
KEYPOINT_COLUMNS = (2, 4, 6)

Matches = NDArray[np.intp]


class Image(NamedTuple):
    """An image; the numbers of its keypoints, counted over all images, begin with ``start``."""

    name: str
    start: int
    size: int


class Pair(NamedTuple):
    """Two images and their matches: rows of two keypoints, counted over all images."""

    pair_id: int
    first: Image
    second: Image
    matches: Matches


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of an open database.

    Examples
    --------
    >>> from contextlib import closing
    >>> with closing(sqlite3.connect(":memory:")) as database:
    ...     Tables(Path("database.db"), database).with_matches("matches")
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: database.db: must have COLMAP's tables images, keypoints \
and matches; found none
    """

    path: Path
    database: sqlite3.Connection

    @cached_property
    def names(self) -> set[str]:
        """The names of the tables."""
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        return {name for (name,) in self.database.execute(query)}

    @cached_property
    def images(self) -> dict[int, Image]:
        """The images by id, sorted by name."""
        images, start = {}, 0
        for image_id, name, size in self.database.execute(
            "SELECT image_id, name, COALESCE(rows, 0) FROM images "
            "LEFT JOIN keypoints USING (image_id) ORDER BY name, image_id"
        ):
            _check_counts(f"{self.path}, images", image_id=image_id, rows=size)
            if not isinstance(name, str):
                raise InvalidInputError(f"{self.path}, image {image_id}: must have a name as text")
            images[image_id] = Image(name, start, size)
            start += size
        return images

    def with_matches(self, table: str | None) -> str:
        """Return the name of a table with matches; None: two_view_geometries first, then raw."""
        wanted = [name for name in (VERIFIED, RAW) if table in (None, name)]
        there = [name for name in wanted if name in self.names]
        if not there or not {"images", "keypoints"} <= self.names:
            raise InvalidInputError(
                f"{self.path}: must have COLMAP's tables images, keypoints and "
                f"{' or '.join(wanted)}; found {', '.join(sorted(self.names)) or 'none'}"
            )
        for name in there:
            if self.database.execute(f"SELECT 1 FROM {name} WHERE rows > 0").fetchone():
                return name
        raise InvalidInputError(
            f"{self.path}: has no matches in {' and '.join(there)}; match images first"
        )

    def pairs(self, table: str) -> Iterator[Pair]:
        """Yield the pairs of different images that have matches."""
        for pair_id, rows, cols, data in self.database.execute(
            f"SELECT pair_id, rows, cols, data FROM {table} WHERE rows > 0 ORDER BY pair_id"
        ):
            _check_counts(f"{self.path}, {table}", pair_id=pair_id, rows=rows)
            ids = divmod(pair_id, MAX_IMAGES)
            where = f"{self.path}, {table}, images {ids[0]} and {ids[1]}"
            for image_id in ids:
                if image_id not in self.images:
                    raise InvalidInputError(f"{where}: there is no image {image_id}")
            if ids[0] == ids[1]:
                continue
            matches = _matrix(where, data, (rows, cols), "<u4", (2,)).astype(np.intp)
            first, second = (self.images[image_id] for image_id in ids)
            for image, column in zip((first, second), matches.T, strict=True):
                if column.max() >= image.size:
                    raise InvalidInputError(
                        f"{where}: keypoints of {image.name} must be below their number, "
                        f"{image.size}; found {column.max()}"
                    )
            yield Pair(pair_id, first, second, matches + np.array([first.start, second.start]))

    def positions(self, image_id: int) -> NDArray[np.float64]:
        """Return x and y of the keypoints of an image."""
        query = "SELECT rows, cols, data FROM keypoints WHERE image_id = ?"
        *shape, data = self.database.execute(query, (image_id,)).fetchone()
        where = f"{self.path}, keypoints, image {image_id} ({self.images[image_id].name})"
        return _matrix(where, data, shape, "<f4", KEYPOINT_COLUMNS)[:, :2].astype(np.float64)


def _check_counts(where: str, **values: object) -> None:
    """Refuse what is no number of something: a column of SQLite can hold anything."""
    for name, value in values.items():
        most = MAX_IMAGES**2 if name == "pair_id" else MAX_IMAGES
        if not isinstance(value, int) or not 0 <= value <= most:
            raise InvalidInputError(
                f"{where}: {name} must be an integer from 0 to {most}; found {shown(value)}"
            )


def _matrix(
    where: str, data: bytes, shape: Sequence[int], dtype: str, widths: tuple[int, ...]
) -> Array:
    """Unpack a matrix of numbers of four bytes each; refuse one of another size."""
    n_rows, n_columns = shape
    if n_columns not in widths:
        legal = " or ".join(map(str, widths))
        raise InvalidInputError(f"{where}: must have {legal} columns; found {shown(n_columns)}")
    n_bytes = len(data) if isinstance(data, bytes) else 0
    if n_bytes != 4 * n_rows * n_columns:
        raise InvalidInputError(
            f"{where}: must hold {n_rows} rows of {n_columns} numbers, "
            f"{4 * n_rows * n_columns} bytes; found {n_bytes}"
        )
    return np.frombuffer(data, dtype).reshape(n_rows, n_columns)
