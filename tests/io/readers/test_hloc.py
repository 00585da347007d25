"""Matches of hloc with their scores, in and out."""

import csv
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from support.colmap_scene import IMAGES, N_POINTS, ORDER, PAIRS
from support.hloc_scene import NAMES, RIGHT, WRONG, make_hloc, write_features, write_matches
from support.program import invoke

import spherelax as sl
from spherelax import io
from spherelax.io.readers.colmap_tables import MAX_IMAGES

h5py = pytest.importorskip("h5py")
XY = {"a.jpg": [[1.0, 2.0], [3.0, 4.0]], "b.jpg": [[5.0, 6.0]]}


@pytest.fixture
def scene(tmp_path):
    return make_hloc(tmp_path)


def point_of(items):
    """Return the point that each keypoint shows."""
    image_of = {name: image for image, name in NAMES.items()}
    return np.array([ORDER[image_of[name]][keypoint] for name, keypoint in items.ids])


def test_scores_positions_and_names_are_those_of_the_files(scene):
    items = io.read_hloc(*scene)
    assert items.groups == [name for name, _ in items.ids]
    assert items.groups == sorted(items.groups)
    assert set(items.groups) == {f"view/{name}" for name in IMAGES.values()}
    points = point_of(items)
    np.testing.assert_allclose(items.positions, np.c_[points + 0.5, np.full(len(points), 10.5)])
    assert items.image_sizes() == dict.fromkeys(set(items.groups), (640.0, 480.0))
    edges = items.similarity.tocoo()
    is_right = points[edges.row] == points[edges.col]
    np.testing.assert_allclose(edges.data, np.where(is_right, RIGHT, WRONG), rtol=1e-3)
    assert np.count_nonzero(~is_right) == 2 * len(PAIRS)


def test_tracks_are_found_in_spite_of_wrong_matches(scene):
    items = io.read_hloc(*scene)
    result = sl.solve(items.problem)
    assert sl.metrics.pairwise_scores(point_of(items), result.labels).f_score == 1
    joined = sl.baselines.union_find(items.similarity)
    assert sl.metrics.pairwise_scores(point_of(items), joined).precision < 1


@pytest.mark.parametrize("add_missing", [False, True])
def test_the_copy_has_the_matches_inside_tracks(scene, tmp_path, add_missing):
    items = io.read_hloc(*scene)
    result = sl.solve(items.problem)
    copy = tmp_path / "cleaned.h5"
    counts = io.write_hloc(copy, items, result, add_missing=add_missing)
    n_listed = items.similarity.nnz // 2
    assert counts.kept == n_listed - len(PAIRS)
    assert counts.removed == len(PAIRS)
    again = io.read_hloc(copy, scene[1])
    assert again.similarity.nnz // 2 == counts.kept + counts.added
    track = dict(zip(items.ids, items.tracks(result).tolist(), strict=True))
    edges = again.similarity.tocoo()
    for row, column in zip(edges.row, edges.col, strict=True):
        assert track[again.ids[row]] == track[again.ids[column]] >= 0
    if add_missing:  # every track is complete, in every pair of images
        sizes = Counter(value for value in track.values() if value >= 0)
        assert again.similarity.nnz == sum(n * (n - 1) for n in sizes.values())
        assert counts.added > 0
    with h5py.File(scene[0]) as before, h5py.File(copy) as after:
        names = []
        before.visit(names.append)
        found = []
        after.visit(found.append)
        assert names == found
        for name in names:
            if hasattr(before[name], "shape"):
                assert before[name].dtype == after[name].dtype
                assert before[name].shape == after[name].shape
    assert io.read_hloc(*scene).similarity.nnz == 2 * n_listed


def test_matches_without_scores_are_ones_and_both_directions_count_once(tmp_path):
    write_features(tmp_path / "f.h5", {"a.jpg": XY["a.jpg"], "b.jpg": XY["a.jpg"]})
    write_matches(
        tmp_path / "m.h5",
        {
            ("a.jpg", "b.jpg"): ([[0, 1]], [0.25], 2),
            ("b.jpg", "a.jpg"): ([[1, 0], [0, 1]], None, 2),
            ("a.jpg", "a.jpg"): ([[0, 1]], None, 2),
        },
    )
    items = io.read_hloc(tmp_path / "m.h5", tmp_path / "f.h5")
    assert items.ids == [("a.jpg", 0), ("a.jpg", 1), ("b.jpg", 0), ("b.jpg", 1)]
    np.testing.assert_array_equal(items.similarity.toarray(), np.eye(4)[::-1])
    result = sl.solve(items.problem)
    counts = io.write_hloc(tmp_path / "cleaned.h5", items, result, add_missing=True)
    assert (counts.kept, counts.removed, counts.added) == (3, 0, 1)
    with h5py.File(tmp_path / "cleaned.h5") as file:
        assert file["a.jpg/a.jpg/matches0"][:].tolist() == [-1, -1]
        assert file["a.jpg/b.jpg/matches0"][:].tolist() == [1, 0]


def overwrite(file, name, values):
    """Put other values in place of a dataset."""
    del file[name]
    file[name] = values


def put_elsewhere(file, name):
    """Put a dataset in place of another whose values are in another file."""
    del file[name]
    file.create_dataset(name, (2,), "i2", external=[("secret.bin", 0, 4)])


PAIR = "a.jpg/b.jpg"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, _: m.pop("a.jpg"), r"m\.h5: must hold matches of hloc, .* found none"),
        (
            lambda m, _: m["a.jpg"].move("b.jpg", "c.jpg"),
            r"f\.h5: must have the keypoints of c\.jpg; found none",
        ),
        (
            lambda m, _: m.move(PAIR, "pair"),
            r"m\.h5: matches0 must be in a group of two names of images; found 'pair'",
        ),
        (
            lambda m, _: overwrite(m, f"{PAIR}/matches0", [7, -1]),
            r"m\.h5, a\.jpg and b\.jpg: keypoints of b\.jpg must be below .*, 1; found 7",
        ),
        (
            lambda m, _: overwrite(m, f"{PAIR}/matches0", [[0, 0]]),
            r"m\.h5: a\.jpg/b\.jpg: must hold a list of numbers in each dataset; found",
        ),
        (
            lambda m, _: overwrite(m, f"{PAIR}/matching_scores0", [0.0, np.nan]),
            r"m\.h5: a\.jpg/b\.jpg: scores must be finite and not negative",
        ),
        (
            lambda m, _: overwrite(m, f"{PAIR}/matching_scores0", [0.5]),
            r"m\.h5: a\.jpg/b\.jpg: must have a score for each row of matches0, 2; found 1",
        ),
        (
            lambda m, _: overwrite(m, f"{PAIR}/matches0", [-1, -1]),
            r"m\.h5: has no match of two different images",
        ),
        (
            lambda m, _: put_elsewhere(m, f"{PAIR}/matches0"),
            r"m\.h5: a\.jpg/b\.jpg.* must be in the file itself; found data elsewhere",
        ),
        (lambda _, f: f["a.jpg"].pop("keypoints"), r"f\.h5: must have the keypoints of a\.jpg"),
        (
            lambda _, f: overwrite(f, "a.jpg/keypoints", [[1.0, 2.0]]),
            r"m\.h5, a\.jpg and b\.jpg: must have a row for each keypoint of a\.jpg, 1; found 2",
        ),
        (
            lambda _, f: overwrite(f, "a.jpg/keypoints", [1.0, 2.0]),
            r"f\.h5: a\.jpg: keypoints must have columns x and y; found the shape \(2,\)",
        ),
        (
            lambda _, f: overwrite(f, "a.jpg/keypoints", [[1.0, np.inf], [0, 0]]),
            r"f\.h5: a\.jpg: keypoints must be finite numbers",
        ),
    ],
)
@pytest.mark.usefixtures("read_here")
def test_what_does_not_fit_is_refused_in_one_line(tmp_path, change, message):
    matches, features = tmp_path / "m.h5", tmp_path / "f.h5"
    write_features(features, XY)
    write_matches(matches, {("a.jpg", "b.jpg"): ([[1, 0]], [0.5], 2)})
    with h5py.File(matches, "r+") as m, h5py.File(features, "r+") as f:
        change(m, f)
    with pytest.raises(sl.InvalidInputError, match=message) as caught:
        io.read_hloc(matches, features)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("read_here")
def test_names_that_pairs_cannot_tell_apart_are_refused(tmp_path):
    write_features(tmp_path / "f.h5", {"x/a.jpg": XY["a.jpg"], "x-a.jpg": XY["a.jpg"], **XY})
    write_matches(tmp_path / "m.h5", {("x/a.jpg", "b.jpg"): ([[1, 0]], [0.5], 2)})
    with pytest.raises(sl.InvalidInputError, match="must differ also with - for /; found x"):
        io.read_hloc(tmp_path / "m.h5", tmp_path / "f.h5")


@pytest.mark.usefixtures("scene", "read_here")
def test_the_command_reads_writes_and_says_what_it_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke(
        *("match", "matches.h5", "--features", "features.h5", "--out", "tracks.csv"),
        *("--write-matches", "cleaned.h5"),
    )
    assert done.exit_code == 0, done.stderr
    assert f"{N_POINTS} tracks from {N_POINTS * len(IMAGES)} keypoints" in done.stderr
    assert "matches: read from matches.h5, not verified" in done.stderr
    assert (
        f"matches: cleaned.h5, {10 * len(PAIRS)} matches kept, {len(PAIRS)} removed" in done.stderr
    )
    rows = list(csv.DictReader(Path("tracks.csv").read_text().splitlines()))
    assert len(rows) == N_POINTS * len(IMAGES)
    for row in rows[:3]:
        assert float(row["x"]) % 1 == 0.5
    assert len(io.read_hloc("cleaned.h5", "features.h5").ids) == len(rows)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("match matches.h5", "matches.h5: matches of hloc must come with their keypoints"),
        ("match edges.csv --features features.h5", "a file of keypoints must be for hloc"),
        ("match matches.h5 --features features.h5 --write-database x.db", "a COLMAP database"),
        ("match matches.h5 --features features.h5 --add-missing", "--add-missing needs"),
        ("match matches.h5 --features features.h5 --write-matches -", "needs a file; found -"),
        ("match matches.h5 --features features.h5 --write-matches matches.h5", "overwritten"),
        ("match matches.h5 --features features.h5 --write-matches features.h5", "overwritten"),
    ],
)
@pytest.mark.usefixtures("scene", "read_here")
def test_commands_that_cannot_be_done(tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text("a,b,1\n")
    done = invoke(*command.split())
    assert done.exit_code == 2
    assert message in done.stderr


def test_an_anndata_that_ends_in_h5_is_told_by_its_content(tmp_path):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(np.ones((9, 2), dtype=np.float32))
    adata.obsp["connectivities"] = np.kron(np.eye(3), np.ones((3, 3)))
    adata.write_h5ad(tmp_path / "cells.h5ad")
    other = (tmp_path / "cells.h5ad").rename(tmp_path / "cells.h5")
    assert io.format_of(other) == "h5ad"
    assert isinstance(io.read(other), io.Cells)


@pytest.fixture(scope="module")
def castle(data_home, tmp_path_factory):
    """The raw matches of photographs of a castle, as hloc would have written them."""
    folder = tmp_path_factory.mktemp("castle")
    database = data_home / "sfm/sceaux_castle/database.db"
    with closing(sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)) as db:
        names = dict(db.execute("SELECT image_id, name FROM images"))
        keypoints = {
            names[image]: np.frombuffer(data, "<f4").reshape(rows, cols)[:, :2] - 0.5
            for image, rows, cols, data in db.execute("SELECT * FROM keypoints")
        }
        matches = {}
        for pair, data in db.execute("SELECT pair_id, data FROM matches WHERE rows > 0"):
            first, second = (names[image] for image in divmod(pair, MAX_IMAGES))
            rows = np.frombuffer(data, "<u4").reshape(-1, 2)
            matches[first, second] = rows, None, len(keypoints[first])
    write_features(folder / "features.h5", keypoints)
    write_matches(folder / "matches.h5", matches)
    return database, folder


def test_the_castle_is_the_same_from_hloc_and_from_colmap(castle):
    database, folder = castle
    ours = io.read_hloc(folder / "matches.h5", folder / "features.h5")
    theirs = io.read_colmap(database, table="matches")
    assert ours.ids == theirs.ids
    assert (ours.similarity != theirs.similarity).nnz == 0
    np.testing.assert_allclose(ours.positions, theirs.positions, atol=1e-3)
