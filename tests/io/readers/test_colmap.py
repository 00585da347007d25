"""COLMAP databases: matches in, tracks out."""

import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from support.colmap_scene import (
    IMAGES,
    MAX,
    N_POINTS,
    ORDER,
    content,
    labelled,
    make,
    make_scene,
    run,
)
from support.problems import with_labels

from spherelax import InvalidInputError, solve
from spherelax.io.files.sqlite import opened_database
from spherelax.io.readers.colmap import read_colmap, write_colmap


@pytest.fixture
def scene(tmp_path):
    return make_scene(tmp_path / "database.db")


@pytest.mark.parametrize("n_columns", [2, 4, 6])
@pytest.mark.parametrize("table", ["two_view_geometries", "matches"])
def test_matches_are_read_as_colmap_numbers_them(tmp_path, table, n_columns):
    rows = {(2, 7): [[3, 0], [1, 4]], (7, MAX - 1): [[4, 11]], (5, 12): [[0, 0]]}
    rows_of = {"verified" if table == "two_view_geometries" else "raw": list(rows.items())}
    items = read_colmap(make(tmp_path / "x.db", n_columns=n_columns, **rows_of))
    ids = [
        *(("a.jpg", 0), ("a.jpg", 4), ("b.jpg", 1), ("b.jpg", 3), ("c.jpg", 0), ("d.jpg", 0)),
        ("e.jpg", 11),
    ]
    assert items.ids == ids
    assert items.groups == [name for name, _ in ids]
    assert items.names[:2] == ["a.jpg:0", "a.jpg:4"]
    assert items.table == table
    np.testing.assert_array_equal(items.positions, [(k, k + 0.5) for _, k in ids])
    expected = np.zeros((7, 7))
    for pair, matches in rows.items():
        for match in matches:
            i, j = (ids.index((IMAGES[image], k)) for image, k in zip(pair, match, strict=True))
            expected[i, j] = expected[j, i] = 1
    np.testing.assert_array_equal(items.similarity.toarray(), expected)


def test_verified_matches_come_first(tmp_path):
    empty, some = ((2, 7), np.empty((0, 2))), ((2, 7), [[0, 0]])
    both = make(tmp_path / "both.db", [some], [((2, 7), [[1, 1], [2, 2]])])
    assert len(read_colmap(both).ids) == 2
    assert len(read_colmap(both, table="matches").ids) == 4
    unverified = make(tmp_path / "unverified.db", [empty], [some])
    assert read_colmap(unverified).table == "matches"
    old = run(make(tmp_path / "old.db", raw=[some]), "DROP TABLE two_view_geometries")
    assert read_colmap(old).table == "matches"


def test_repeated_rows_and_matches_within_an_image_do_no_harm(tmp_path):
    plain = read_colmap(make(tmp_path / "plain.db", [((2, 7), [[0, 1]])]))
    odd = [((2, 7), [[0, 1], [0, 1]]), ((5, 5), [[3, 3], [1, 2]])]
    items = read_colmap(make(tmp_path / "odd.db", odd))
    assert items.ids == plain.ids == [("a.jpg", 1), ("b.jpg", 0)]
    np.testing.assert_array_equal(items.similarity.toarray(), plain.similarity.toarray())


PAIR = MAX * 2 + 7
FAULTS = {
    "a blob was cut": (
        f"UPDATE matches SET data = zeroblob(15) WHERE pair_id = {PAIR}",
        "matches, images 2 and 7: must hold 2 rows of 2 numbers, 16 bytes; found 15",
    ),
    "text for a blob": (
        f"UPDATE matches SET data = 'sixteen letters.' WHERE pair_id = {PAIR}",
        "images 2 and 7: must hold 2 rows of 2 numbers, 16 bytes; found 0",
    ),
    "three columns": (
        f"UPDATE matches SET cols = 3 WHERE pair_id = {PAIR}",
        "matches, images 2 and 7: must have 2 columns; found 3",
    ),
    "no such keypoint": (
        "UPDATE keypoints SET rows = 11, data = zeroblob(264) WHERE image_id = 7",
        "images 2 and 7: keypoints of a.jpg must be below their number, 11; found 11",
    ),
    "no keypoints": (
        "DELETE FROM keypoints WHERE image_id = 7",
        "images 2 and 7: keypoints of a.jpg must be below their number, 0; found 11",
    ),
    "a cut blob of keypoints": (
        "UPDATE keypoints SET data = zeroblob(287) WHERE image_id = 7",
        "keypoints, image 7 (a.jpg): must hold 12 rows of 6 numbers, 288 bytes; found 287",
    ),
    "keypoints of three columns": (
        "UPDATE keypoints SET cols = 3 WHERE image_id = 7",
        "keypoints, image 7 (a.jpg): must have 2 or 4 or 6 columns; found 3",
    ),
    "no such image": (
        "DELETE FROM images WHERE image_id = 7",
        "matches, images 2 and 7: there is no image 7",
    ),
    "no matches": (
        "DELETE FROM matches",
        "has no matches in two_view_geometries and matches; match images first",
    ),
    "only matches within an image": (
        f"UPDATE matches SET pair_id = {MAX * 7 + 7}",
        "matches has no match of two different images",
    ),
    "no images": (
        "DROP TABLE images",
        "must have COLMAP's tables images, keypoints and two_view_geometries or matches; "
        "found descriptors, keypoints, matches, two_view_geometries",
    ),
    "another matches table": (
        "ALTER TABLE matches RENAME COLUMN data TO pairs",
        "cannot be read; no such column: data",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(tmp_path, fault):
    path = make(tmp_path / "x.db", raw=[((2, 7), [[0, 0], [1, 11]])])
    statement, reason = FAULTS[fault]
    run(path, statement)
    with pytest.raises(InvalidInputError) as caught:
        read_colmap(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith(reason)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_a_whole_database_is_refused(scene, tmp_path):
    whole = scene.read_bytes()
    for content_, reason in {
        b"track,image\n": "must be an SQLite database; found another file",
        b"": "found none",
        whole[:-4096]: "cannot be read; database disk image is malformed",
        whole[:-1]: "must have whole pages of 4096 bytes; found [0-9]+, so it is cut off",
        whole[:17]: "(cannot be read; |must have whole pages).*",
        whole[:100] + b"x" * (len(whole) - 100): "cannot be read; .*",
    }.items():
        broken = tmp_path / "broken.db"
        broken.write_bytes(content_)
        with pytest.raises(InvalidInputError, match=f"^{re.escape(str(broken))}: .*{reason}$"):
            read_colmap(broken)
    with pytest.raises(InvalidInputError, match=r"No such file or directory$"):
        read_colmap(tmp_path / "nowhere.db")
    with pytest.raises(InvalidInputError, match=r"Is a directory$"):
        read_colmap(tmp_path)
    with pytest.raises(InvalidInputError, match=r"table must be .* or None; found 'inliers'"):
        read_colmap(scene, table="inliers")


def test_reading_leaves_no_trace(scene):
    """COLMAP's databases keep a write-ahead log, for which SQLite makes files even to read."""
    run(scene, "PRAGMA journal_mode = WAL")
    odd = scene.rename(scene.with_name("50% done? #1.db"))
    before = odd.read_bytes()
    assert len(read_colmap(odd).ids) == len(IMAGES) * N_POINTS
    assert list(odd.parent.iterdir()) == [odd]
    assert odd.read_bytes() == before


def test_what_is_still_in_the_log_is_read_too(scene, tmp_path):
    with closing(sqlite3.connect(scene)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("DELETE FROM two_view_geometries WHERE pair_id >= ?", (MAX * 5,))
        writer.commit()
        items = read_colmap(scene)
        assert {name for name, _ in items.ids} == set(IMAGES.values())
        assert items.similarity.nnz // 2 == 4 * N_POINTS
        write_colmap(tmp_path / "cleaned.db", items, labelled(items))
    assert len(content(tmp_path / "cleaned.db", "two_view_geometries")) == 4
    assert not list(tmp_path.glob("cleaned.db-*"))


def test_what_is_read_is_of_one_state(scene):
    run(scene, "PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(scene)) as writer:
        writer.execute("DELETE FROM matches WHERE pair_id = 0")
        writer.commit()
        with opened_database(scene) as database:
            before = database.execute("SELECT COUNT(*) FROM matches").fetchone()
            writer.execute("DELETE FROM matches")
            writer.commit()
            assert database.execute("SELECT COUNT(*) FROM matches").fetchone() == before


def test_pycolmap_writes_what_is_read(tmp_path):
    """Its matches are given in either order of images; some images and pairs have nothing."""
    pycolmap = pytest.importorskip("pycolmap")
    path = tmp_path / "database.db"
    points = np.arange(10, dtype=np.float32).reshape(5, 2)
    geometry = pycolmap.TwoViewGeometry()
    geometry.config, geometry.inlier_matches = 2, np.array([[0, 4]], dtype=np.uint32)
    with pycolmap.Database.open(path) as database:
        camera = database.write_camera(
            pycolmap.Camera(model="SIMPLE_PINHOLE", width=640, height=480, params=[500, 320, 240])
        )
        names = ("z.jpg", "a.jpg", "bare.jpg", "new.jpg")
        z, a, bare, _ = (
            database.write_image(pycolmap.Image(name=name, camera_id=camera)) for name in names
        )
        for image, size in ((z, 5), (a, 5), (bare, 0)):
            database.write_keypoints(image, points[:size])
        database.write_matches(a, z, np.array([[0, 4], [1, 3]], dtype=np.uint32))
        database.write_matches(z, bare, np.empty((0, 2), dtype=np.uint32))
        database.write_two_view_geometry(a, z, geometry)
    assert read_colmap(path).ids == [("a.jpg", 0), ("z.jpg", 4)]
    items = read_colmap(path, table="matches")
    assert items.ids == [("a.jpg", 0), ("a.jpg", 1), ("z.jpg", 3), ("z.jpg", 4)]
    np.testing.assert_array_equal(items.positions, points[[0, 1, 3, 4]])
    np.testing.assert_array_equal(items.similarity.toarray(), np.eye(4)[::-1])
    alone = with_labels(solve(items.similarity, items.groups, pick=1.0), np.arange(4))
    write_colmap(tmp_path / "empty.db", items, alone)
    with pycolmap.Database.open(tmp_path / "empty.db") as empty:
        assert empty.num_matches() == empty.num_inlier_matches() == 0
        assert len(empty.read_two_view_geometry(a, z).inlier_matches) == 0


def test_answer_has_the_tracks_in_order(scene):
    items = read_colmap(scene)
    result = solve(items.similarity, items.groups)
    columns = items.answer(result)
    assert list(columns) == ["track", "image", "keypoint", "x", "y", "confidence"]
    rows = list(zip(*columns.values(), strict=True))
    assert len(rows) == len(IMAGES) * N_POINTS
    assert sorted(set(columns["track"])) == list(range(N_POINTS))
    assert [row[:2] for row in rows] == sorted({row[:2] for row in rows})
    image_of = {name: image for image, name in IMAGES.items()}
    for track in range(N_POINTS):
        assert len({ORDER[image_of[row[1]]][row[2]] for row in rows if row[0] == track}) == 1
    assert all((x, y) == (k, k + 0.5) for _, _, k, x, y, _ in rows)
    confidence = dict(zip(items.ids, result.confidence.tolist(), strict=True))
    assert columns["confidence"] == [confidence[row[1], row[2]] for row in rows]


def test_keypoints_that_are_left_alone_are_in_no_track(scene):
    items = read_colmap(scene)
    result = labelled(items)
    labels = result.labels.copy()
    labels[3] = labels.max() + 1
    apart = with_labels(result, labels)
    assert items.tracks(apart)[3] == -1
    assert len(items.answer(apart)["track"]) == len(labels) - 1
    assert set(items.answer(apart)["track"]) == set(range(N_POINTS))
    with pytest.raises(InvalidInputError, match="each of 60 keypoints; found 59"):
        items.tracks(with_labels(result, labels[:-1]))
