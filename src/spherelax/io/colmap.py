"""COLMAP databases: pairwise matches of keypoints in, feature tracks and a cleaned copy out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.io.items import Columns, Items
from spherelax.io.sqlite import opened, replaced
from spherelax.problem import InvalidInputError
from spherelax.result import Result

# A pair of images is numbered MAX_IMAGES * smaller id + larger id.
MAX_IMAGES = 2147483647
VERIFIED, RAW = "two_view_geometries", "matches"
# x and y, then scale and orientation, or the four numbers of an affine shape.
KEYPOINT_COLUMNS = (2, 4, 6)

Matches = NDArray[np.intp]


class _Image(NamedTuple):
    """An image; its keypoints are numbered from ``start`` among those of all images."""

    name: str
    start: int
    size: int


# Number of a pair of images, both images, and their matches as rows of two keypoints.
_Pair = tuple[int, _Image, _Image, Matches]


class MatchCounts(NamedTuple):
    """What became of the matches of a database, as :func:`write_colmap` counts them.

    Examples
    --------
    >>> MatchCounts(kept=95, removed=5, added=20)
    MatchCounts(kept=95, removed=5, added=20)
    """

    kept: int
    removed: int
    added: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Keypoints(Items):
    """Matched keypoints of images; the group of a keypoint is its image.

    Attributes
    ----------
    similarity : csr_array of shape (n_items, n_items)
        1 for each match, 0 elsewhere.
    ids : list of (str, int)
        Name of the image, and number of the keypoint in it from 0.
    groups : list of str
        Name of the image.
    positions : ndarray of shape (n_items, 2)
        x and y in pixels; in COLMAP the centre of the top left pixel is at (0.5, 0.5).
    path : Path
        The database.
    table : {"two_view_geometries", "matches"}
        The table of the matches.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = sp.csr_array(np.kron(np.eye(2), [[0, 1], [1, 0]])[:3, :3])
    >>> ids = [("a.jpg", 0), ("b.jpg", 7), ("b.jpg", 9)]
    >>> items = Keypoints(W, ids, ["a.jpg", "b.jpg", "b.jpg"], positions=np.ones((3, 2)),
    ...                   path=Path("database.db"), table="matches")
    >>> result = sl.solve(W, items.groups)
    >>> items.tracks(result)
    array([ 0,  0, -1])
    >>> items.answer(result)
    ... # doctest: +NORMALIZE_WHITESPACE
    {'track': [0, 0], 'image': ['a.jpg', 'b.jpg'], 'keypoint': [0, 7], 'x': [1.0, 1.0],
     'y': [1.0, 1.0], 'confidence': [1.0, 1.0]}
    """

    positions: NDArray[np.float64]
    path: Path
    table: str

    @property
    def names(self) -> list[str]:
        """Name of each keypoint as text, such as ``castle.jpg:12``."""
        return [f"{image}:{keypoint}" for image, keypoint in self._ids()]

    def tracks(self, result: Result) -> NDArray[np.intp]:
        """Return the track of each keypoint, numbered from 0; -1 for one that is left alone."""
        if len(result.labels) != self.similarity.shape[0]:
            raise InvalidInputError(
                f"result must have one label per keypoint, {self.similarity.shape[0]}; "
                f"found {len(result.labels)}"
            )
        shared = np.bincount(result.labels)[result.labels] > 1
        tracks = np.full(len(shared), -1)
        tracks[shared] = np.unique(result.labels[shared], return_inverse=True)[1]
        return tracks

    def answer(self, result: Result) -> Columns:
        """Return columns of tracks: track, image, keypoint, x, y, confidence, sorted by track.

        Keypoints that are left alone are left out.
        """
        tracks = self.tracks(result)
        order = np.argsort(tracks, kind="stable")[np.count_nonzero(tracks < 0) :]
        ids = [self._ids()[item] for item in order]
        return {
            "track": tracks[order].tolist(),
            "image": [image for image, _ in ids],
            "keypoint": [keypoint for _, keypoint in ids],
            "x": self.positions[order, 0].tolist(),
            "y": self.positions[order, 1].tolist(),
            "confidence": result.confidence[order].tolist(),
        }


def read_colmap(path: str | Path, *, table: str | None = None) -> Keypoints:
    """Read the matches of a COLMAP database, which is opened read-only.

    Items are the keypoints that occur in a match of two images, sorted by the name of the image;
    all others have nothing to be tracked by and are left out. A match that is listed twice counts
    once.

    Parameters
    ----------
    path : str or Path
        A database of any version of COLMAP that has the tables.
    table : {"two_view_geometries", "matches"}, optional
        The matches that agree with a two-view geometry, or the raw ones. None takes the former if
        there are any.

    Returns
    -------
    Keypoints
        With a symmetric CSR similarity of ones.

    Raises
    ------
    InvalidInputError
        At the first fault, with file, pair of images and reason.

    Examples
    --------
    >>> read_colmap("database.db")
    Traceback (most recent call last):
        ...
    spherelax.problem.InvalidInputError: database.db: No such file or directory
    """
    path = Path(path)
    if table not in (None, VERIFIED, RAW):
        raise InvalidInputError(f"table must be {VERIFIED!r}, {RAW!r} or None; found {table!r}")
    with opened(path) as database:
        table = _table_with_matches(path, database, table)
        images = _images(database)
        pairs = [codes for _, _, _, codes in _pairs(path, database, table, images)]
        if not pairs:
            raise InvalidInputError(f"{path}: {table} has no match of two different images")
        codes, ends = np.unique(np.concatenate(pairs), return_inverse=True)
        ids: list[tuple[str, int]] = []
        positions = []
        firsts = np.searchsorted(codes, [image.start for image in images.values()])
        for (image_id, image), found in zip(
            images.items(), np.split(codes, firsts[1:]), strict=True
        ):
            if len(found):
                keypoints = found - image.start
                ids += [(image.name, keypoint) for keypoint in keypoints.tolist()]
                positions.append(_positions(path, database, image_id, image)[keypoints])
    return Keypoints(
        _similarity(ends.reshape(-1, 2), len(codes)),
        ids,
        [name for name, _ in ids],
        positions=np.concatenate(positions),
        path=path,
        table=table,
    )


def write_colmap(
    path: str | Path, items: Keypoints, result: Result, *, add_missing: bool = False
) -> MatchCounts:
    """Write a copy of a COLMAP database whose matches are those inside tracks.

    A match of ``two_view_geometries``, the table that COLMAP's mapper reads, stays if its two
    keypoints share a track. All else in the copy is as it was: descriptors, cameras, and of each
    pair of images the geometry and its kind. The raw ``matches`` stay too, for they are what a new
    verification would start from; if the items were read from them, they are cleaned as well. The
    mapper passes over pairs of images with fewer than 15 matches, also if they had more before.

    Parameters
    ----------
    path : str or Path
        The file to write: whole or not at all, and never over the database that was read.
    items : Keypoints
        What :func:`read_colmap` returned.
    result : Result
        Labels of the items.
    add_missing : bool
        Add the matches that follow from a track but were not found, between images that have
        matches already. Other pairs of images have no geometry that the mapper could use.

    Returns
    -------
    MatchCounts
        What became of the matches in ``items.table``.

    Raises
    ------
    InvalidInputError
        If the file cannot be written, or the database cannot be read any more.

    Examples
    --------
    >>> import tempfile
    >>> import spherelax as sl
    >>> script = '''CREATE TABLE images (image_id, name);
    ...     CREATE TABLE keypoints (image_id, rows, cols, data);
    ...     CREATE TABLE matches (pair_id, rows, cols, data);
    ...     INSERT INTO images VALUES (1, 'a.jpg'), (2, 'b.jpg');
    ...     INSERT INTO keypoints SELECT image_id, 1, 2, zeroblob(8) FROM images;
    ...     INSERT INTO matches VALUES (2147483647 + 2, 1, 2, zeroblob(8));'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replaced(Path(folder, "database.db")) as database:
    ...         _ = database.executescript(script)
    ...     items = read_colmap(Path(folder, "database.db"))
    ...     result = sl.solve(items.similarity, items.groups, pick=0.1)
    ...     write_colmap(Path(folder, "cleaned.db"), items, result)
    MatchCounts(kept=1, removed=0, added=0)
    """
    path = Path(path)
    if path.exists() and path.samefile(items.path):
        raise InvalidInputError(f"{path}: is the database that was read; name another file")
    tracks = items.tracks(result)
    with opened(items.path) as source, replaced(path) as copy:
        source.backup(copy)
        images = _images(source)
        starts = {image.name: image.start for image in images.values()}
        track_of = np.full(sum(image.size for image in images.values()), -1)
        track_of[[starts[name] + keypoint for name, keypoint in items.ids or ()]] = tracks
        others = (table for table in _tables(source) & {VERIFIED} if table != items.table)
        counts = [
            _clean(
                _pairs(items.path, source, table, images),
                copy,
                table,
                track_of,
                add_missing=add_missing,
            )
            for table in (items.table, *others)
        ]
    return counts[0]


def _clean(
    pairs: Iterable[_Pair],
    copy: sqlite3.Connection,
    table: str,
    track_of: NDArray[np.intp],
    *,
    add_missing: bool,
) -> MatchCounts:
    """Write the matches of a table that are inside tracks into its copy, and count them."""
    n_kept = n_removed = n_added = 0
    for pair_id, first, second, codes in pairs:
        ends = track_of[codes]
        inside = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
        kept = codes[inside]
        added = _implied(first, second, track_of, kept) if add_missing else kept[:0]
        n_kept, n_removed = n_kept + len(kept), n_removed + len(codes) - len(kept)
        n_added += len(added)
        local = np.concatenate([kept, added]) - [first.start, second.start]
        copy.execute(
            f"UPDATE {table} SET rows = ?, data = ? WHERE pair_id = ?",
            (len(local), local.astype("<u4").tobytes(), pair_id),
        )
    return MatchCounts(n_kept, n_removed, n_added)


def _implied(first: _Image, second: _Image, track_of: NDArray[np.intp], known: Matches) -> Matches:
    """Return the matches of two images that follow from tracks but are not known."""
    ends = [np.arange(image.start, image.start + image.size) for image in (first, second)]
    free = [codes[track_of[codes] >= 0] for codes in ends]
    free = [codes[~np.isin(codes, column)] for codes, column in zip(free, known.T, strict=True)]
    _, one, other = np.intersect1d(track_of[free[0]], track_of[free[1]], return_indices=True)
    return np.column_stack([free[0][one], free[1][other]])


def _images(database: sqlite3.Connection) -> dict[int, _Image]:
    """Return the images by id, sorted by name."""
    images, start = {}, 0
    for image_id, name, size in database.execute(
        "SELECT image_id, name, COALESCE(rows, 0) FROM images LEFT JOIN keypoints USING (image_id)"
        " ORDER BY name, image_id"
    ):
        images[image_id] = _Image(name, start, size)
        start += size
    return images


def _pairs(
    path: Path, database: sqlite3.Connection, table: str, images: Mapping[int, _Image]
) -> Iterator[_Pair]:
    """Yield the pairs of different images with their matches, as rows of two keypoints."""
    for pair_id, rows, cols, data in database.execute(
        f"SELECT pair_id, rows, cols, data FROM {table} WHERE rows > 0 ORDER BY pair_id"
    ):
        ids = divmod(pair_id, MAX_IMAGES)
        where = f"{path}, {table}, images {ids[0]} and {ids[1]}"
        for image_id in ids:
            if image_id not in images:
                raise InvalidInputError(f"{where}: there is no image {image_id}")
        if ids[0] == ids[1]:
            continue
        matches = _matrix(where, data, (rows, cols), "<u4", (2,)).astype(np.intp)
        first, second = images[ids[0]], images[ids[1]]
        for image, column in zip((first, second), matches.T, strict=True):
            if column.max() >= image.size:
                raise InvalidInputError(
                    f"{where}: keypoints of {image.name} must be below their number, "
                    f"{image.size}; found {column.max()}"
                )
        yield pair_id, first, second, matches + np.array([first.start, second.start])


def _positions(
    path: Path, database: sqlite3.Connection, image_id: int, image: _Image
) -> NDArray[np.float64]:
    """Return x and y of the keypoints of an image."""
    query = "SELECT rows, cols, data FROM keypoints WHERE image_id = ?"
    *shape, data = database.execute(query, (image_id,)).fetchone()
    where = f"{path}, keypoints, image {image_id} ({image.name})"
    return _matrix(where, data, shape, "<f4", KEYPOINT_COLUMNS)[:, :2].astype(np.float64)


def _matrix(
    where: str, data: Any, shape: Sequence[int], dtype: str, widths: tuple[int, ...]
) -> NDArray[Any]:
    """Unpack a matrix of numbers of four bytes, or say what is wrong with it."""
    n_rows, n_columns = shape
    if n_columns not in widths:
        legal = " or ".join(map(str, widths))
        raise InvalidInputError(f"{where}: must have {legal} columns; found {n_columns}")
    n_bytes = len(data) if isinstance(data, bytes) else 0
    if n_bytes != 4 * n_rows * n_columns:
        raise InvalidInputError(
            f"{where}: must hold {n_rows} rows of {n_columns} numbers, "
            f"{4 * n_rows * n_columns} bytes; found {n_bytes}"
        )
    return np.frombuffer(data, dtype).reshape(n_rows, n_columns)


def _similarity(ends: Matches, n_items: int) -> Any:
    """Return the symmetric similarity that is 1 for each match, however often it is listed."""
    rows, columns = np.concatenate([ends, ends[:, ::-1]]).T
    similarity = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n_items, n_items))
    similarity = similarity.tocsr()
    similarity.data[:] = 1.0
    return similarity


def _tables(database: sqlite3.Connection) -> set[str]:
    """Return the names of the tables."""
    return {
        name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }


def _table_with_matches(path: Path, database: sqlite3.Connection, table: str | None) -> str:
    """Return the table to read, if it has matches."""
    found = _tables(database)
    wanted = [name for name in (VERIFIED, RAW) if table in (None, name)]
    there = [name for name in wanted if name in found]
    if not there or not {"images", "keypoints"} <= found:
        raise InvalidInputError(
            f"{path}: must have COLMAP's tables images, keypoints and {' or '.join(wanted)}; "
            f"found {', '.join(sorted(found)) or 'none'}"
        )
    for name in there:
        if database.execute(f"SELECT 1 FROM {name} WHERE rows > 0").fetchone():
            return name
    raise InvalidInputError(f"{path}: has no matches in {' and '.join(there)}; match images first")
