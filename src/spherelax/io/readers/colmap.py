"""COLMAP databases: reads pairwise matches of keypoints, writes tracks and a cleaned copy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.files.sqlite import opened_database, replaced
from spherelax.io.items import Columns, Items, check_count
from spherelax.io.readers.colmap_tables import RAW, VERIFIED, Image, Matches, Pair, Tables
from spherelax.io.readers.tables import largest_of_each_pair
from spherelax.io.words import KEYPOINTS, Words
from spherelax.memory import NUMBER, check_fits
from spherelax.result import Result


class MatchCounts(NamedTuple):
    """Numbers of matches that :func:`write_colmap` kept, removed and added.

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
    n_unmatched : int
        Number of other keypoints of the database, which match nothing and are no items.

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
    ... # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
    {'track': [0, 0], 'image': ['a.jpg', 'b.jpg'], 'keypoint': [0, 7], 'x': [1.0, 1.0],
     'y': [1.0, 1.0], 'confidence': [0.66..., 0.66...]}
    """

    positions: NDArray[np.float64]
    word: ClassVar[str] = "track"
    words: ClassVar[Words] = KEYPOINTS
    path: Path
    table: str
    n_unmatched: int = 0

    @property
    def is_raw(self) -> bool:
        """Whether the matches were read before COLMAP verified them, which its mapper needs."""
        return self.table == RAW

    @property
    def names(self) -> list[str]:
        """Name of each keypoint as text, such as ``castle.jpg:12``."""
        return [f"{image}:{keypoint}" for image, keypoint in self._ids()]

    def image_sizes(self) -> dict[str, tuple[float, float]]:
        """Return width and height of the images in pixels of the positions, where known."""
        with opened_database(self.path) as database:
            query = "SELECT name, width, height FROM images JOIN cameras USING (camera_id)"
            return {name: size for name, *size in database.execute(query)}

    def tracks(self, result: Result) -> NDArray[np.intp]:
        """Return the track of each keypoint, numbered from 0; -1 if no other shares its label."""
        check_count(result, self.n_items, "keypoints")
        shared = np.bincount(result.labels)[result.labels] > 1
        tracks = np.full(len(shared), -1)
        tracks[shared] = np.unique(result.labels[shared], return_inverse=True)[1]
        return tracks

    def answer(self, result: Result) -> Columns:
        """Return columns of tracks: track, image, keypoint, x, y, confidence, sorted by track.

        Keypoints that are in no track are left out.
        """
        tracks = self.numbers(result)
        order = np.argsort(tracks, kind="stable")[np.count_nonzero(tracks < 0) :]
        who = {name: [column[item] for item in order] for name, column in self.who().items()}
        return {
            self.word: tracks[order].tolist(),
            **who,
            "x": self.positions[order, 0].tolist(),
            "y": self.positions[order, 1].tolist(),
            "confidence": result.confidence[order].tolist(),
        }

    def who(self) -> Columns:
        """Return the image of each keypoint, and its number there."""
        images, keypoints = zip(*self._ids(), strict=True) if self._ids() else ((), ())
        return {"image": list(images), "keypoint": list(keypoints)}

    def _own_numbers(self, result: Result) -> NDArray[np.integer]:
        """Return the track of each keypoint; -1: it is in none."""
        return self.tracks(result)


def read_colmap(path: str | Path, *, table: str | None = None) -> Keypoints:
    """Read the matches of a COLMAP database, which is opened read-only.

    Items are the keypoints that occur in a match of two images, sorted by the name of the image.
    Other keypoints are only counted. A match that is listed twice counts once.

    Parameters
    ----------
    path : str or Path
        A database of any version of COLMAP with the tables images, keypoints and one of those
        below.
    table : {"two_view_geometries", "matches"}, optional
        The matches that agree with a two-view geometry, or the raw ones. None: the first of these
        that has any.

    Returns
    -------
    Keypoints
        With a symmetric CSR similarity of ones.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the pair of images and the reason.

    Examples
    --------
    >>> read_colmap("database.db")
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: database.db: No such file or directory
    """
    path = Path(path)
    if table not in (None, VERIFIED, RAW):
        raise InvalidInputError(f"table must be {VERIFIED!r}, {RAW!r} or None; found {table!r}")
    with opened_database(path) as database:
        tables = Tables(path, database)
        table = tables.with_matches(table)
        pairs = [pair.matches for pair in tables.pairs(table)]
        if not pairs:
            raise InvalidInputError(f"{path}: {table} has no match of two different images")
        matches = np.concatenate(pairs)
        matched = gather(list(tables.images.values()), matches, np.ones(len(matches)))
        positions = [
            tables.positions(image_id)[keypoints]
            for image_id, keypoints in zip(tables.images, matched.keypoints, strict=True)
            if len(keypoints)
        ]
    return Keypoints(
        matched.similarity,
        matched.ids,
        [name for name, _ in matched.ids],
        positions=np.concatenate(positions),
        path=path,
        table=table,
        n_unmatched=sum(image.size for image in tables.images.values()) - len(matched.ids),
    )


def write_colmap(
    path: str | Path, items: Keypoints, result: Result, *, add_missing: bool = False
) -> MatchCounts:
    """Write a copy of a COLMAP database whose matches are those inside tracks.

    A match of ``two_view_geometries``, the table that COLMAP's mapper reads, stays if its two
    keypoints share a track. Everything else is copied unchanged: descriptors, cameras, and the
    geometry of each pair of images and its kind. The raw ``matches`` stay, too, because a new
    verification would start from them; but if the items were read from them, they are cleaned as
    well. The mapper ignores pairs of images with fewer than 15 matches, also if they had more
    before.

    Parameters
    ----------
    path : str or Path
        The file to write, completely or not at all; it must not be the database that was read.
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
        Numbers of matches in ``items.table`` that were kept, removed and added.

    Raises
    ------
    InvalidInputError
        If the file cannot be written, or the database can no longer be read.

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
    ...     result = sl.solve(items.problem, pick=0.1)
    ...     write_colmap(Path(folder, "cleaned.db"), items, result)
    MatchCounts(kept=1, removed=0, added=0)
    """
    path = Path(path)
    if path.exists() and items.path.exists() and path.samefile(items.path):
        raise InvalidInputError(
            f"{path}: must not be the database that was read; name another file"
        )
    tracks = items.tracks(result)
    with opened_database(items.path) as source:
        tables = Tables(items.path, source)
        track_of = track_of_each([*tables.images.values()], items, tracks)
        others = (table for table in tables.names & {VERIFIED} if table != items.table)
        with replaced(path) as copy:
            source.backup(copy)
            counts = [
                _clean(tables.pairs(table), copy, table, track_of, add_missing=add_missing)
                for table in (items.table, *others)
            ]
    return counts[0]


class Matched(NamedTuple):
    """What is known of the keypoints that are in a match, image by image.

    Examples
    --------
    >>> images = [Image("a.jpg", 0, 3), Image("b.jpg", 3, 2)]
    >>> gather(images, np.array([[2, 4]]), np.ones(1)).ids
    [('a.jpg', 2), ('b.jpg', 1)]
    """

    similarity: sp.csr_array
    ids: list[tuple[str, int]]
    keypoints: list[NDArray[np.intp]]  # numbers in each image


def gather(images: list[Image], matches: Matches, scores: NDArray[np.float64]) -> Matched:
    """Make items of matches, whose keypoints are counted over all images."""
    codes, ends = np.unique(matches, return_inverse=True)
    ends = ends.reshape(-1, 2)
    firsts = np.searchsorted(codes, [image.start for image in images[1:]])
    keypoints = [
        part - image.start for image, part in zip(images, np.split(codes, firsts), strict=True)
    ]
    ids = [
        (image.name, keypoint)
        for image, part in zip(images, keypoints, strict=True)
        for keypoint in part.tolist()
    ]
    W = largest_of_each_pair(ends[:, 0], ends[:, 1], scores, len(codes))
    return Matched(W, ids, keypoints)


def track_of_each(
    images: list[Image], items: Keypoints, tracks: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the track of each keypoint of all images, -1 for none."""
    image_of = {image.name: image for image in images}
    places = []
    for name, keypoint in items.ids or ():
        image = image_of.get(name)
        if image is None or keypoint >= image.size:
            raise InvalidInputError(
                f"{items.path}: must be as it was read; found no keypoint {keypoint} of {name}"
            )
        places.append(image.start + keypoint)
    n_keypoints = sum(image.size for image in images)
    check_fits(NUMBER * n_keypoints, f"{items.path}: {n_keypoints} keypoints", "Check its tables.")
    track_of = np.full(n_keypoints, -1)
    track_of[places] = tracks
    return track_of


def _clean(
    pairs: Iterable[Pair],
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
        added = implied_matches(first, second, track_of, kept) if add_missing else kept[:0]
        n_kept, n_removed = n_kept + len(kept), n_removed + len(codes) - len(kept)
        n_added += len(added)
        local = np.concatenate([kept, added]) - [first.start, second.start]
        copy.execute(
            f"UPDATE {table} SET rows = ?, data = ? WHERE pair_id = ?",
            (len(local), local.astype("<u4").tobytes(), pair_id),
        )
    return MatchCounts(n_kept, n_removed, n_added)


def implied_matches(
    first: Image, second: Image, track_of: NDArray[np.intp], known: Matches
) -> Matches:
    """Return the matches of two images that follow from tracks but are not in the table."""
    ends = [np.arange(image.start, image.start + image.size) for image in (first, second)]
    free = [codes[track_of[codes] >= 0] for codes in ends]
    free = [codes[~np.isin(codes, column)] for codes, column in zip(free, known.T, strict=True)]
    _, one, other = np.intersect1d(track_of[free[0]], track_of[free[1]], return_indices=True)
    return np.column_stack([free[0][one], free[1][other]])
