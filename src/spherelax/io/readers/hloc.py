"""hloc: reads matches of keypoints with their scores, and writes those inside tracks."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, shown
from spherelax.io.files.apart import Arrays, apart
from spherelax.io.files.hdf5 import (
    check_inside,
    check_installed,
    datasets,
    opened_hdf5,
    packed,
    unpacked,
)
from spherelax.io.files.writing import drafted
from spherelax.io.readers.colmap import (
    Keypoints,
    MatchCounts,
    gather,
    implied_matches,
    track_of_each,
)
from spherelax.io.readers.colmap_tables import RAW, Image
from spherelax.result import Result

MATCHES, SCORES, KEYPOINTS, SIZE = "matches0", "matching_scores0", "keypoints", "image_size"
# hloc puts the centre of the top left pixel at (0, 0), COLMAP at (0.5, 0.5).
CORNER = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class HlocKeypoints(Keypoints):
    """Keypoints that hloc has matched; the similarity of two is the score of their match.

    Attributes
    ----------
    path : Path
        The file of matches.
    features : Path
        The file of keypoints.
    images : list
        Name, number of its first keypoint over all images, and number of keypoints of each image.
    sizes : dict of str to (float, float)
        Width and height of each image whose size is in the file of keypoints.

    Examples
    --------
    >>> items = HlocKeypoints(
    ...     np.array([[0, 0.8], [0.8, 0]]), [("a.jpg", 0), ("b.jpg", 3)], ["a.jpg", "b.jpg"],
    ...     positions=np.zeros((2, 2)), path=Path("matches.h5"), features=Path("features.h5"))
    >>> items.names
    ['a.jpg:0', 'b.jpg:3']
    """

    table: str = RAW  # hloc matches, COLMAP verifies
    features: Path
    images: list[Image] = field(default_factory=list, repr=False)
    sizes: dict[str, tuple[float, float]] = field(default_factory=dict, repr=False)

    def image_sizes(self) -> dict[str, tuple[float, float]]:
        """Return width and height of the images in pixels of the positions."""
        return self.sizes


class _Matches(NamedTuple):
    """The matches of all pairs of images; rows of two keypoints, counted over all images."""

    pairs: list[tuple[Image, Image]]
    pair: NDArray[np.intp]  # number of the pair of each match
    ends: NDArray[np.intp]
    scores: NDArray[np.float64]


def read_hloc(matches: str | Path, features: str | Path) -> HlocKeypoints:
    """Read the matches of hloc with their scores, and the positions of the keypoints.

    Items are the keypoints that occur in a match, sorted by the name of the image. If a pair of
    images is listed in both directions, the larger score of a match counts; a match with score 0
    is none.

    Parameters
    ----------
    matches : str or Path
        What hloc's ``match_features`` wrote, such as ``matches.h5``: a group for each pair of
        images with ``matches0`` and, if matches have scores, ``matching_scores0``. Needs h5py.
    features : str or Path
        What hloc's ``extract_features`` wrote, such as ``features.h5``: a group for each image
        with ``keypoints``.

    Returns
    -------
    HlocKeypoints
        With the scores as similarities, and positions as COLMAP has them.

    Raises
    ------
    InvalidInputError
        At the first error; the message has the file, the pair of images and the reason.

    Examples
    --------
    >>> import h5py, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with h5py.File(f"{folder}/features.h5", "w") as file:
    ...         file["a.jpg/keypoints"] = [[5.0, 7.0], [1.0, 2.0]]
    ...         file["b.jpg/keypoints"] = [[9.0, 8.0]]
    ...     with h5py.File(f"{folder}/matches.h5", "w") as file:
    ...         file["a.jpg/b.jpg/matches0"] = [-1, 0]
    ...         file["a.jpg/b.jpg/matching_scores0"] = [0, 0.75]
    ...     items = read_hloc(f"{folder}/matches.h5", f"{folder}/features.h5")
    >>> items.ids, items.similarity.toarray()[0].tolist(), items.positions[0]
    ([('a.jpg', 1), ('b.jpg', 0)], [0.0, 0.75], array([1.5, 2.5]))
    """
    path, features = Path(matches), Path(features)
    for file in (path, features):
        check_installed(file)
    listed = apart(_listed, path)
    wanted = sorted({name for pair in unpacked(listed["names"]) for name in pair})
    given = apart(_given, features, wanted=wanted)
    names, counts = unpacked(given["names"]), given["counts"]
    starts = (np.cumsum(counts) - counts).tolist()
    images = [Image(*each) for each in zip(names, starts, counts.tolist(), strict=True)]
    found = _matches(path, listed, images)
    if not len(found.ends):
        raise InvalidInputError(f"{path}: has no match of two different images")
    matched = gather(images, found.ends, found.scores)
    rows = [image.start + part for image, part in zip(images, matched.keypoints, strict=True)]
    sizes = zip(names, given["sizes"].tolist(), strict=True)
    return HlocKeypoints(
        matched.similarity,
        matched.ids,
        [name for name, _ in matched.ids],
        positions=given["positions"][np.concatenate(rows)] + CORNER,
        path=path,
        features=features,
        images=images,
        sizes={name: (width, height) for name, (width, height) in sizes if width > 0},
        n_unmatched=sum(image.size for image in images) - len(matched.ids),
    )


def write_hloc(
    path: str | Path, items: HlocKeypoints, result: Result, *, add_missing: bool = False
) -> MatchCounts:
    """Write a copy of hloc's file of matches with only those inside tracks.

    hloc's ``reconstruction`` and ``triangulation`` take it in place of the file that was read,
    with the same features and pairs. Everything else in the file is copied unchanged.

    Parameters
    ----------
    path : str or Path
        The file to write, completely or not at all; it must not be the file that was read.
    items : HlocKeypoints
        What :func:`read_hloc` returned.
    result : Result
        Labels of the items.
    add_missing : bool
        Add the matches that follow from a track but were not found, between images that were
        matched; their score is the smaller confidence of their keypoints.

    Returns
    -------
    MatchCounts
        Numbers of matches that were kept, removed and added.

    Raises
    ------
    InvalidInputError
        If the file cannot be written, or can no longer be read as it was.

    Examples
    --------
    >>> write_hloc("matches.h5", HlocKeypoints(
    ...     np.eye(1), [("a.jpg", 0)], ["a.jpg"], positions=np.zeros((1, 2)),
    ...     path=Path("matches.h5"), features=Path("features.h5")), None)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: matches.h5: must not be the file that was read; name \
another file
    """
    path = Path(path)
    if path.resolve() == items.path.resolve():
        raise InvalidInputError(f"{path}: must not be the file that was read; name another file")
    found = _matches(items.path, apart(_listed, items.path), items.images)
    track_of = track_of_each(items.images, items, items.tracks(result))
    tracks = track_of[found.ends]
    is_kept = (tracks[:, 0] == tracks[:, 1]) & (tracks[:, 0] >= 0)
    kept = _Matches(found.pairs, found.pair[is_kept], found.ends[is_kept], found.scores[is_kept])
    written = _with_missing(kept, items, result, track_of) if add_missing else kept
    starts = np.array([[image.start for image in pair] for pair in found.pairs])
    with drafted(path) as draft:
        apart(
            _write,
            items.path,
            draft=str(draft),
            pair=written.pair,
            ends=written.ends - starts[written.pair],
            scores=written.scores,
        )
    n_kept = len(kept.pair)
    return MatchCounts(n_kept, len(found.pair) - n_kept, len(written.pair) - n_kept)


def _with_missing(
    kept: _Matches, items: HlocKeypoints, result: Result, track_of: NDArray[np.intp]
) -> _Matches:
    """Return matches with those that follow from tracks, whose scores are confidences."""
    start_of = {image.name: image.start for image in items.images}
    sure = np.zeros(len(track_of))
    sure[[start_of[name] + keypoint for name, keypoint in items.ids or ()]] = result.confidence
    order = np.argsort(kept.pair, kind="stable")
    firsts = np.searchsorted(kept.pair[order], np.arange(1, len(kept.pairs)))
    added = [
        known[:0] if pair[0] is pair[1] else implied_matches(*pair, track_of, known)
        for pair, known in zip(kept.pairs, np.split(kept.ends[order], firsts), strict=True)
    ]
    ends = np.concatenate(added)
    return _Matches(
        kept.pairs,
        np.concatenate([kept.pair, np.repeat(np.arange(len(added)), list(map(len, added)))]),
        np.concatenate([kept.ends, ends]),
        np.concatenate([kept.scores, sure[ends].min(axis=1)]),
    )


def _matches(path: Path, listed: Arrays, images: list[Image]) -> _Matches:
    """Return matches of different images; refuse those of keypoints that images do not have."""
    image_of = {_flat(image.name): image for image in images}
    names = unpacked(listed["names"])
    for name in (name for pair in names for name in pair):
        if name not in image_of:
            raise InvalidInputError(f"{path}: must be as it was read; found a new image, {name}")
    pairs = [(image_of[first], image_of[second]) for first, second in names]
    for (first, second), rows, last in zip(pairs, listed["rows"], listed["last"], strict=True):
        where = f"{path}, {first.name} and {second.name}"
        if rows != first.size:
            raise InvalidInputError(
                f"{where}: must have a row for each keypoint of {first.name}, {first.size}; "
                f"found {rows}"
            )
        if last >= second.size:
            raise InvalidInputError(
                f"{where}: keypoints of {second.name} must be below their number, {second.size}; "
                f"found {last}"
            )
    starts = np.array([[image.start for image in pair] for pair in pairs])
    pair, scores = listed["pair"], listed["scores"]
    is_match = (starts[pair, 0] != starts[pair, 1]) & (scores > 0)
    return _Matches(
        pairs,
        pair[is_match],
        (listed["ends"] + starts[pair])[is_match],
        scores[is_match],
    )


def _flat(name: str) -> str:
    """Return the name of an image as hloc names it in a pair."""
    return name.replace("/", "-")


# What follows runs in the other process.


def _listed(path: Path) -> Arrays:
    """Read the matches of all pairs of images, by the numbers that keypoints have in each image."""
    names, rows, last, parts = [], [], [], []
    with opened_hdf5(path) as file:
        for number, (group, node) in enumerate(datasets(file, MATCHES)):
            pair = group.split("/")
            if len(pair) != 2:
                raise InvalidInputError(
                    f"{MATCHES} must be in a group of two names of images; found {shown(group)}"
                )
            to = _vector(node, "iu", group)
            first = np.flatnonzero(to >= 0)
            scores = np.ones(len(first))
            if SCORES in file[group]:
                values = _vector(file[group][SCORES], "f", group)
                if len(values) != len(to):
                    raise InvalidInputError(
                        f"{group}: must have a score for each row of {MATCHES}, {len(to)}; "
                        f"found {len(values)}"
                    )
                scores = values[first].astype(np.float64)
                if not (np.isfinite(scores) & (scores >= 0)).all():
                    raise InvalidInputError(f"{group}: scores must be finite and not negative")
            names.append(pair)
            rows.append(len(to))
            last.append(int(to[first].max(initial=-1)))
            parts.append((np.full(len(first), number), first, to[first].astype(np.intp), scores))
    if not names:
        raise InvalidInputError(
            f"must hold matches of hloc, groups of two images with {MATCHES}; found none"
        )
    pair_of, first, second, scores = map(np.concatenate, zip(*parts, strict=True))
    return {
        "names": packed(names),
        "rows": np.array(rows),
        "last": np.array(last),
        "pair": pair_of,
        "ends": np.column_stack([first, second]),
        "scores": scores,
    }


def _given(path: Path, *, wanted: list[str]) -> Arrays:
    """Read the keypoints of images, whose names are those that pairs have."""
    found: dict[str, tuple[str, Any, tuple[float, float]]] = {}
    with opened_hdf5(path) as file:
        for name, node in datasets(file, KEYPOINTS):
            if _flat(name) not in wanted:
                continue
            if _flat(name) in found:
                other = found[_flat(name)][0]
                raise InvalidInputError(
                    f"names of images must differ also with - for /; found {other} and {name}"
                )
            if node.ndim != 2 or node.shape[1] < 2 or node.dtype.kind not in "fiu":
                raise InvalidInputError(
                    f"{name}: {KEYPOINTS} must have columns x and y; found the shape {node.shape}"
                )
            xy = node[:, :2].astype(np.float64)
            if not np.isfinite(xy).all():
                raise InvalidInputError(f"{name}: {KEYPOINTS} must be finite numbers")
            found[_flat(name)] = name, xy, _size(file[name])
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InvalidInputError(f"must have the keypoints of {missing[0]}; found none")
    images = sorted(found.values(), key=lambda image: image[0])
    return {
        "names": packed([name for name, _, _ in images]),
        "counts": np.array([len(xy) for _, xy, _ in images]),
        "positions": np.concatenate([xy for _, xy, _ in images]),
        "sizes": np.array([size for _, _, size in images]),
    }


def _size(group: Any) -> tuple[float, float]:
    """Return width and height of an image, 0 if they are not known."""
    if SIZE not in group:
        return 0.0, 0.0
    width, height = _vector(group[SIZE], "iuf", group.name)[:2].tolist()
    return float(width), float(height)


def _vector(node: Any, kinds: str, group: str) -> NDArray[Any]:
    """Return a dataset of one dimension; refuse other ones."""
    if getattr(node, "ndim", None) != 1 or node.dtype.kind not in kinds:
        raise InvalidInputError(
            f"{group}: must hold a list of numbers in each dataset; found {shown(str(node))}"
        )
    check_inside(group, node)
    return np.asarray(node[:])


def _write(path: Path, *, draft: str, pair: Any, ends: Any, scores: Any) -> Arrays:
    """Write a copy of the matches in which these alone are left."""
    shutil.copyfile(path, draft)
    order = np.argsort(pair, kind="stable")
    with opened_hdf5(Path(draft), "r+") as file:
        groups = list(datasets(file, MATCHES))
        firsts = np.searchsorted(pair[order], np.arange(1, len(groups)))
        for (group, node), rows in zip(groups, np.split(order, firsts), strict=True):
            to, values = np.full(len(node), -1), np.zeros(len(node))
            to[ends[rows, 0]], values[ends[rows, 0]] = ends[rows, 1], scores[rows]
            if to.max(initial=-1) > np.iinfo(node.dtype).max:
                raise InvalidInputError(
                    f"{group}: keypoints must be at most {np.iinfo(node.dtype).max}, as the "
                    f"{node.dtype} of {MATCHES} can hold; found {to.max()}"
                )
            node[:] = to
            if SCORES in file[group]:
                file[group][SCORES][:] = values
    return {}
