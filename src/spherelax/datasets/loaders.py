"""Loaders of real data sets. Their labels are the true ones and are used for scores only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from spherelax.datasets.home import find_arrays, find_file, find_images, find_table
from spherelax.datasets.kinds import GraphData, MatchingData, PointData, RecordData, Seed
from spherelax.errors import InvalidInputError, shown
from spherelax.io import read_matrix
from spherelax.io.tables.rows import Table
from spherelax.labels import encode
from spherelax.settings import Range, check_range

N_FRAMES = 111  # of the house
# Keypoints and images of each object class; half of the cars and motorbikes have none.
WILLOW_MARKS = {
    "car": ("keypoints_pf20", "images_pf"),
    "duck": ("keypoints", "images"),
    "motorbike": ("keypoints_pf20", "images_pf"),
    "winebottle": ("keypoints", "images"),
}
WILLOW = tuple(WILLOW_MARKS)
WILLOW_MATCHES = {"graph": "graphmatch_derived", "linear": "pairwise"}

FCPS = (
    "Atom", "Chainlink", "EngyTime", "GolfBall", "Hepta", "Lsun3D", "Target", "Tetra",
    "TwoDiamonds", "WingNut",
)  # fmt: skip
BATTERIES = {
    "sipu": ("aggregation", "flame", "jain", "pathbased", "r15", "spiral", "s3"),
    "wut": ("mk1", "mk3", "mk4", "smile", "z1"),
    "other": ("square",),
    "uci": ("wdbc", "yeast"),
    "graves": ("dense", "fuzzyx", "parabolic", "ring", "zigzag"),
}
# The start of the names of the arrays of each point set.
POINT_PREFIXES = {name: f"{name}_" for name in FCPS} | {
    name: f"{battery}__{name}__" for battery, names in BATTERIES.items() for name in names
}
POINT_SETS = tuple(POINT_PREFIXES)

GRAPHS = ("football", "polbooks", "dolphins", "karate")
RECORD_COLUMNS = (
    "id", "cluster_id", "source", "number", "title", "length", "artist", "album", "year",
    "language",
)  # fmt: skip

# Width and height of the castle's images as shown and as photographed.
CASTLE_SCALE = np.array([480, 361]) / [2832, 2128]


def load_house(
    n_images: int = N_FRAMES, *, data_home: str | Path | None = None, random_state: Seed = 0
) -> MatchingData:
    """Load the CMU house: 30 landmarks in up to 111 frames, matched in every pair of frames.

    The frames are ``round(linspace(1, 111, n_images))``, as in the published evaluation of these
    matches. Every frame shows all landmarks and every match is a permutation. Matches of distant
    frames have more errors.

    Parameters
    ----------
    n_images : int in [1, 111]
        Number of frames.
    data_home : str or Path, optional
        Folder that holds ``cmu_house``; see :func:`data_home`.
    random_state : int, RandomState or None
        Seed or generator of the order of the items within each frame, as in scikit-learn.

    Returns
    -------
    MatchingData
        Labels are landmarks, counted from 0.

    Examples
    --------
    >>> load_house(20, data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: cmu_house/house_sync_data.mat not found in nowhere; it comes from ...
    """
    check_range(Range(1, N_FRAMES, high_open=False, integer=True), n_images=n_images)
    matches = find_arrays(data_home, "cmu_house/house_sync_data.mat", "Wnoise")["Wnoise"]
    landmarks = read_matrix(find_file(data_home, "cmu_house/house_landmarks.npy"))
    frames = np.rint(np.linspace(1, N_FRAMES, n_images)).astype(int) - 1
    rows = np.arange(len(matches)).reshape(N_FRAMES, -1)[frames].ravel()
    # One less: the landmarks come from MATLAB, which counts pixels from 1.
    return _in_random_order(
        sp.csr_array(matches[np.ix_(rows, rows)], dtype=float),
        landmarks[frames] - 1,
        find_images(data_home, "cmu_house/images", (f"house.seq{i}.png" for i in frames)),
        random_state,
    )


def load_willow(
    name: str,
    *,
    matching: str = "graph",
    data_home: str | Path | None = None,
    random_state: Seed = 0,
) -> MatchingData:
    """Load photographs of one object class of WILLOW-ObjectClass: 10 keypoints in each.

    There are 40 images of cars and of motorbikes, 50 of ducks and 66 of wine bottles. Every image
    shows all keypoints and every match is a permutation. Only 20 of the motorbikes were matched as
    graphs. Positions and image files are known for these 20, for 20 of the cars, and for all ducks
    and wine bottles.

    Parameters
    ----------
    name : {"car", "duck", "motorbike", "winebottle"}
        The object class, one of ``WILLOW``.
    matching : {"graph", "linear"}
        How pairs of images were matched: by descriptors and the geometry of the keypoints, or by
        descriptors alone, which is wrong about half of the time.
    data_home : str or Path, optional
        Folder that holds ``willow``; see :func:`data_home`.
    random_state : int, RandomState or None
        Seed or generator of the order of the items within each image, as in scikit-learn.

    Returns
    -------
    MatchingData
        Labels are keypoints, counted from 0.

    Examples
    --------
    >>> load_willow("car", data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: willow/car_graphmatch_derived.npz not found in nowhere; it comes from ...
    """
    _check_choice("name", name, WILLOW)
    _check_choice("matching", matching, WILLOW_MATCHES)
    pairs = find_arrays(
        data_home,
        f"willow/{name}_{WILLOW_MATCHES[matching]}.npz",
        *("names", "X", "pair_i", "pair_j"),
    )
    file, folder = WILLOW_MARKS[name]
    marks = find_arrays(data_home, f"willow/{name}_{file}.npz", "names", "kpts")
    n_images, n_points = len(pairs["names"]), pairs["X"].shape[1]
    pair, first, second = np.nonzero(pairs["X"])
    similarity = _symmetric(
        n_points * pairs["pair_i"][pair].astype(np.intp) + first,
        n_points * pairs["pair_j"][pair].astype(np.intp) + second,
        n_images * n_points,
    )
    # Pixels are counted from 1 in the annotations, and the files of some images are reduced.
    scales = marks.get("jpg_scale", np.ones(len(marks["kpts"])))[:, None, None]
    known = dict(zip(marks["names"].tolist(), (marks["kpts"] - 0.5) * scales - 0.5, strict=True))
    unknown = np.full((n_points, 2), np.nan)
    names = pairs["names"].tolist()
    return _in_random_order(
        similarity + sp.eye_array(n_images * n_points),
        np.array([known.get(image, unknown) for image in names]),
        find_images(data_home, f"willow/{name}_{folder}", (f"{image}.jpg" for image in names)),
        random_state,
    )


def load_points(name: str, *, data_home: str | Path | None = None) -> PointData:
    """Load points with known clusters: a set of FCPS or of the clustering data of Gagolewski.

    Parameters
    ----------
    name : str
        One of ``POINT_SETS``, such as ``"Hepta"`` or ``"aggregation"``.
    data_home : str or Path, optional
        Folder that holds ``clustering``; see :func:`data_home`.

    Returns
    -------
    PointData
        With several labelings where several count as right.

    Examples
    --------
    >>> len(POINT_SETS), POINT_SETS[4]
    (30, 'Hepta')
    >>> load_points("Hepta", data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: clustering/fcps.npz not found in nowhere; it comes from ...
    """
    _check_choice("name", name, POINT_SETS)
    file = "fcps" if name in FCPS else "gagolews_v1_subset"
    prefix = POINT_PREFIXES[name]
    arrays = find_arrays(data_home, f"clustering/{file}.npz", f"{prefix}X")
    labelings = sorted(key for key in arrays if key.startswith(f"{prefix}y"))
    return PointData(
        arrays[f"{prefix}X"].astype(np.float64),
        tuple(arrays[key].astype(np.intp) for key in labelings),
    )


def load_graph(name: str, *, data_home: str | Path | None = None) -> GraphData:
    """Load a graph with known classes.

    Football teams that played each other (115, by conference), books on politics bought together
    (105, by leaning), dolphins seen together (62, two groups) and friends in a karate club (34, by
    the club they joined when it split).

    Parameters
    ----------
    name : {"football", "polbooks", "dolphins", "karate"}
        The graph, one of ``GRAPHS``.
    data_home : str or Path, optional
        Folder that holds ``graphs``; see :func:`data_home`.

    Returns
    -------
    GraphData
        Similarity and labels.

    Examples
    --------
    >>> load_graph("karate", data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: graphs/karate_edges.csv not found in nowhere; it comes from ...
    """
    _check_choice("name", name, GRAPHS)
    edges = find_table(data_home, f"graphs/{name}_edges.csv", ("u", "v"))
    classes = find_table(data_home, f"graphs/{name}_labels.csv", ("node", "label"))
    labels = encode(classes.columns[1], "labels")
    nodes = Range(0, len(labels), integer=True)
    first, second = (_integers(edges, column, nodes) for column in (0, 1))
    return GraphData(_symmetric(first, second, len(labels)), labels)


def load_records(*, data_home: str | Path | None = None) -> RecordData:
    """Load a part of MusicBrainz 20K: 683 records of 300 songs in five sources.

    The publishers changed the records: formats, typing errors and missing fields differ from source
    to source. No source has a song twice. Blanks before a field are removed.

    Parameters
    ----------
    data_home : str or Path, optional
        Folder that holds ``entity_resolution``; see :func:`data_home`.

    Returns
    -------
    RecordData
        With the columns number, title, length, artist, album, year and language.

    Examples
    --------
    >>> load_records(data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: entity_resolution/musicbrainz20k_small.csv not found in nowhere; it ...
    """
    table = find_table(data_home, "entity_resolution/musicbrainz20k_small.csv", RECORD_COLUMNS)
    ids, entities, _, *columns = map(tuple, table.columns)
    return RecordData(
        dict(zip(RECORD_COLUMNS[3:], columns, strict=True)),
        _integers(table, 2, Range(1, integer=True)),
        encode(entities, "labels"),
        ids,
    )


def load_tracks(*, data_home: str | Path | None = None) -> MatchingData:
    """Load the keypoints of 11 photographs of a castle, matched as for structure from motion.

    Similarity is 1 for the matches of each pair of images that agree with a two-view geometry. Most
    keypoints have none.

    Parameters
    ----------
    data_home : str or Path, optional
        Folder that holds ``sfm``; see :func:`data_home`.

    Returns
    -------
    MatchingData
        Labels are the tracks of a reconstruction from the same matches: a good reference, but not
        an independent one, and 24 of them have two keypoints in one image. Items labelled -1 were
        not reconstructed and should not be scored.

    Examples
    --------
    >>> load_tracks(data_home="nowhere")
    Traceback (most recent call last):
        ...
    FileNotFoundError: sfm/sceaux_castle/sceaux_castle.npz not found in nowhere; it comes from ...
    """
    castle = find_arrays(
        data_home,
        "sfm/sceaux_castle/sceaux_castle.npz",
        *("image_names", "kp_image", "kp_xy", "verified_matches", "track"),
    )
    first, second = castle["verified_matches"].T
    n_items = len(castle["track"])
    # Half less: in COLMAP the centre of the top left pixel is at (0.5, 0.5).
    return MatchingData(
        _symmetric(first, second, n_items) + sp.eye_array(n_items, format="csr"),
        castle["kp_image"].astype(np.intp),
        castle["track"].astype(np.intp),
        castle["kp_xy"] * CASTLE_SCALE - 0.5,
        find_images(
            data_home,
            "sfm/sceaux_castle/images_small",
            (Path(image).with_suffix(".jpg").name for image in castle["image_names"].tolist()),
        ),
    )


def _integers(table: Table, column: int, legal: Range) -> NDArray[np.intp]:
    """Return the integers of a column."""
    for row, cell in enumerate(table.columns[column]):
        if not cell.isdecimal() or int(cell) not in legal:
            raise table.fault(row, f"column {column + 1} must be {legal}; found {shown(cell)}")
    return np.array(table.columns[column], dtype=np.intp)


def _symmetric(first: NDArray[np.intp], second: NDArray[np.intp], n_items: int) -> sp.csr_array:
    """Return the similarity that is 1 for the listed pairs."""
    half = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items))
    return ((half + half.T) > 0).astype(np.float64).tocsr()


def _in_random_order(
    similarity: sp.csr_array,
    positions: NDArray[np.float64],
    images: tuple[Path | None, ...],
    random_state: Seed,
) -> MatchingData:
    """Shuffle the points of each image; in the files their order is the same in all images."""
    n_images, n_points, _ = positions.shape
    rng = check_random_state(random_state)
    points = np.array([rng.permutation(n_points) for _ in range(n_images)])
    groups = np.repeat(np.arange(n_images), n_points)
    rows = n_points * groups + points.ravel()
    return MatchingData(
        sp.csr_array(similarity)[rows][:, rows],
        groups,
        points.ravel(),
        positions.reshape(-1, 2)[rows],
        images,
    )


def _check_choice(what: str, found: str, legal: Iterable[str]) -> None:
    """Refuse a value that is not one of the names."""
    if found not in legal:
        raise InvalidInputError(f"{what} must be one of {', '.join(legal)}; found {found!r}")
