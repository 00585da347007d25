"""Loaders return what is in the files, in order."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from spherelax.datasets import (
    POINT_SETS,
    load_graph,
    load_house,
    load_points,
    load_records,
    load_tracks,
    load_willow,
)

pytestmark = pytest.mark.usefixtures("read_here")


def in_true_order(data):
    """Similarities and positions with the points of each image in the order of their labels."""
    order = np.lexsort((data.labels, data.groups))
    return data.similarity[order][:, order].toarray(), data.positions[order]


def share_right(data):
    """Share of the matches between images that join the same point."""
    edges = data.similarity.tocoo()
    off = data.groups[edges.row] != data.groups[edges.col]
    return np.mean(data.labels[edges.row[off]] == data.labels[edges.col[off]])


def assert_full_matching(data, n_images, n_points):
    """Every pair of images is matched by a permutation, every image by the identity."""
    W = data.similarity
    assert W.format == "csr"
    assert W.dtype == np.float64
    assert W.has_canonical_format
    assert W.shape == (n_images * n_points, n_images * n_points)
    assert len(data.images) == n_images
    np.testing.assert_array_equal(data.groups, np.repeat(np.arange(n_images), n_points))
    blocks = W.toarray().reshape(n_images, n_points, n_images, n_points)
    np.testing.assert_array_equal(blocks.sum(axis=1), 1.0)
    np.testing.assert_array_equal(blocks, blocks.transpose(2, 3, 0, 1))
    for image in range(n_images):
        np.testing.assert_array_equal(blocks[image, :, image], np.eye(n_points))
    for points in data.labels.reshape(n_images, n_points):
        assert sorted(points) == list(range(n_points))


@pytest.mark.parametrize("n_images", [1, 2, 20, 63])
def test_house_is_the_published_matrix(data_home, n_images):
    raw = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")
    data = load_house(n_images, data_home=data_home)
    assert_full_matching(data, n_images, 30)
    frames = [round(1 + 110 * i / max(1, n_images - 1)) - 1 for i in range(n_images)]
    assert [path.name for path in data.images] == [f"house.seq{frame}.png" for frame in frames]
    assert all(path.is_file() for path in data.images)
    W, positions = in_true_order(data)
    rows = np.ravel([30 * frame + np.arange(30) for frame in frames])
    np.testing.assert_array_equal(W, raw["Wnoise"][np.ix_(rows, rows)])
    marks = np.concatenate([raw["data"].ravel()[frame] for frame in frames])
    np.testing.assert_allclose(positions, marks - 1)


def test_house_errors_grow_with_distance(data_home):
    data = load_house(data_home=data_home)
    assert share_right(data) == pytest.approx(0.866, abs=0.001)
    W, _ = in_true_order(data)
    right = np.trace(W.reshape(111, 30, 111, 30), axis1=1, axis2=3) / 30
    by_gap = [np.diagonal(right, gap).mean() for gap in (1, 20, 60, 110)]
    np.testing.assert_allclose(by_gap, [1.0, 0.988, 0.687, 0.2], atol=0.005)


@pytest.mark.parametrize(
    ("name", "matching", "facts"),
    [
        ("car", "graph", (40, 20, 0.928)),
        ("car", "linear", (40, 20, 0.481)),
        ("duck", "graph", (50, 50, 0.866)),
        ("duck", "linear", (50, 50, 0.427)),
        ("motorbike", "graph", (20, 20, 0.903)),
        ("motorbike", "linear", (40, 20, 0.299)),
        ("winebottle", "graph", (66, 66, 0.978)),
        ("winebottle", "linear", (66, 66, 0.520)),
    ],
)
def test_willow(data_home, name, matching, facts):
    n_images, n_known, right = facts
    data = load_willow(name, matching=matching, data_home=data_home)
    assert_full_matching(data, n_images, 10)
    assert share_right(data) == pytest.approx(right, abs=0.001)
    known = [path is not None for path in data.images]
    assert sum(known) == n_known
    np.testing.assert_array_equal(np.isfinite(data.positions).all(axis=1), np.repeat(known, 10))
    np.testing.assert_array_equal(np.isnan(data.positions).all(axis=1), ~np.repeat(known, 10))
    suffix = "graphmatch_derived" if matching == "graph" else "pairwise"
    raw = np.load(data_home / "willow" / f"{name}_{suffix}.npz")
    for path, image in zip(data.images, raw["names"], strict=True):
        assert path is None or (path.is_file() and path.stem == image)
    blocks = in_true_order(data)[0].reshape(n_images, 10, n_images, 10)
    np.testing.assert_array_equal(blocks[raw["pair_i"], :, raw["pair_j"]], raw["X"])


def test_willow_cars_are_where_other_annotations_have_them(data_home):
    data = load_willow("car", data_home=data_home)
    centred = np.load(data_home / "willow" / "car_keypoints_centred.npz")["kpts_centred"]
    positions = in_true_order(data)[1].reshape(40, 10, 2)
    positions -= positions.mean(axis=1, keepdims=True)
    known = ~np.isnan(positions).any(axis=(1, 2))
    for found, expected in zip(positions[known], centred[known], strict=True):
        scale = np.vdot(found, expected) / np.vdot(found, found)
        np.testing.assert_allclose(scale * found, expected, atol=1e-6 * np.ptp(expected))


@pytest.mark.parametrize("name", ["duck", "winebottle"])
def test_willow_positions_are_in_the_small_images(data_home, name):
    data = load_willow(name, data_home=data_home)
    raw = np.load(data_home / "willow" / f"{name}_keypoints.npz")
    positions = in_true_order(data)[1].reshape(raw["kpts"].shape)
    sizes = (raw["image_size_wh"] * raw["jpg_scale"][:, None])[:, None]
    assert sizes.max() == pytest.approx(320)
    assert ((positions > -1) & (positions < sizes)).all()
    # The corners of an image, 0.5 and its size + 0.5 in MATLAB, stay its corners.
    np.testing.assert_allclose(
        (positions + 0.5) / sizes, (raw["kpts"] - 0.5) / raw["image_size_wh"][:, None]
    )


@pytest.mark.parametrize(
    "load",
    [
        lambda **settings: load_house(5, **settings),
        lambda **settings: load_willow("duck", **settings),
    ],
)
def test_orders_are_random_states(data_home, load):
    first, again = (load(data_home=data_home, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.positions, again.positions)
    assert (first.similarity != again.similarity).nnz == 0
    given = load(data_home=data_home, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(first.labels, given.labels)
    default, zero = load(data_home=data_home), load(data_home=data_home, random_state=0)
    np.testing.assert_array_equal(default.labels, zero.labels)
    assert not np.array_equal(default.labels, first.labels)
    assert not np.array_equal(first.labels[first.groups == 0], first.labels[first.groups == 1])
    for one, other in zip(in_true_order(first), in_true_order(zero), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "shape", "n_labels"),
    [
        ("Atom", (800, 3), [2]),
        ("EngyTime", (4096, 2), [2]),
        ("GolfBall", (4002, 3), [1]),
        ("Hepta", (212, 3), [7]),
        ("Lsun3D", (404, 3), [4]),
        ("Target", (770, 2), [6]),
        ("aggregation", (788, 2), [7]),
        ("flame", (240, 2), [2, 3]),
        ("r15", (600, 2), [15, 9, 8]),
        ("yeast", (1484, 8), [10]),
        ("wdbc", (569, 30), [2]),
        ("fuzzyx", (1000, 2), [5, 3, 5, 3, 3]),
    ],
)
def test_points(data_home, name, shape, n_labels):
    data = load_points(name, data_home=data_home)
    assert data.points.shape == shape
    assert data.points.dtype == np.float64
    assert [len(np.unique(labels)) for labels in data.labelings] == n_labels
    assert all(labels.shape == shape[:1] for labels in data.labelings)


def test_point_sets_are_those_of_the_files(data_home):
    folder = data_home / "clustering"
    names = {key[:-2] for key in np.load(folder / "fcps.npz") if key.endswith("_X")}
    others = np.load(folder / "gagolews_v1_subset.npz")
    names |= {key.split("__")[1] for key in others if key.endswith("__X")}
    assert set(POINT_SETS) == names
    assert len(POINT_SETS) == 30
    loaded = [load_points(name, data_home=data_home) for name in POINT_SETS]
    n_labelings = sum(key[-2:-1] == "y" for key in others)
    assert sum(len(data.labelings) for data in loaded[10:]) == n_labelings
    for data in loaded:
        assert np.isfinite(data.points).all()
        assert min(labels.min() for labels in data.labelings) in (0, 1)
    sizes = np.bincount(load_points("Lsun3D", data_home=data_home).labelings[0])
    assert sizes.tolist() == [0, 200, 100, 100, 4]


@pytest.mark.parametrize(
    ("name", "n_items", "n_edges", "sizes"),
    [
        ("football", 115, 613, None),
        ("polbooks", 105, 441, [13, 43, 49]),
        ("dolphins", 62, 159, [20, 42]),
        ("karate", 34, 78, [17, 17]),
    ],
)
def test_graphs(data_home, name, n_items, n_edges, sizes):
    W, labels = load_graph(name, data_home=data_home)
    assert W.shape == (n_items, n_items)
    assert W.dtype == np.float64
    assert W.nnz == 2 * n_edges
    assert (W.data == 1).all()
    assert (W != W.T).nnz == 0
    assert not W.diagonal().any()
    found = sorted(np.bincount(labels).tolist())
    assert found == sizes if sizes else (len(found), found[0], found[-1]) == (12, 5, 13)
    edges = np.loadtxt(data_home / "graphs" / f"{name}_edges.csv", int, delimiter=",", skiprows=1)
    assert W[edges[:, 0], edges[:, 1]].all()
    table = pd.read_csv(data_home / "graphs" / f"{name}_labels.csv", dtype=str)
    assert len(set(zip(labels, table["label"], strict=True))) == len(found)


def test_records(data_home):
    data = load_records(data_home=data_home)
    table = pd.read_csv(
        data_home / "entity_resolution" / "musicbrainz20k_small.csv",
        dtype=str,
        keep_default_na=False,
    )
    assert data.ids == tuple(table["id"])
    assert list(data.records) == list(table.columns[3:])
    for name, column in data.records.items():
        assert [cell.strip() for cell in column] == [cell.strip() for cell in table[name]]
    np.testing.assert_array_equal(data.sources, table["source"].astype(int))
    assert len(data.labels) == 683
    assert set(data.sources.tolist()) == {1, 2, 3, 4, 5}
    assert len(set(zip(data.labels, table["cluster_id"], strict=True))) == 300
    assert np.count_nonzero(np.bincount(data.labels) == 1) == 100
    assert len(set(zip(data.sources, data.labels, strict=True))) == 683
    assert any("," in title for title in data.records["title"])
    assert not "".join(data.records["title"]).isascii()


def test_tracks(data_home):
    W, groups, labels, positions, images = load_tracks(data_home=data_home)
    m = 24_162
    assert W.shape == (m, m)
    assert W.format == "csr"
    assert W.has_canonical_format
    assert W.nnz == 2 * 22_022 + m
    assert (W.data == 1).all()
    assert (W != W.T).nnz == 0
    np.testing.assert_array_equal(W.diagonal(), 1.0)
    edges = sp.triu(W, 1).tocoo()
    assert (groups[edges.row] < groups[edges.col]).all()
    first, second = labels[edges.row], labels[edges.col]
    assert np.count_nonzero((first != second) & (first >= 0) & (second >= 0)) == 268

    components = connected_components(W, directed=False)[1]
    assert np.count_nonzero(np.bincount(components) >= 2) == 3358
    cells, counts = np.unique(np.c_[components, groups], axis=0, return_counts=True)
    assert len(np.unique(cells[counts >= 2, 0])) == 95
    assert labels.min() == -1
    sizes = np.bincount(labels[labels >= 0])
    assert len(sizes) == 2279
    assert sizes.mean() == pytest.approx(4.97, abs=0.005)

    assert len(images) == 11
    assert all(path.is_file() for path in images)
    assert sorted(images) == list(images)
    assert positions.shape == (m, 2)
    assert ((positions > -0.5) & (positions < [479.5, 360.5])).all()
    np.testing.assert_allclose(np.ptp(positions, axis=0), [480, 361], rtol=0.01)
