"""COLMAP databases in and out."""

import os
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spherelax import InvalidInputError, Result, baselines, metrics, solve
from spherelax.io import colmap
from spherelax.io.colmap import Keypoints, MatchCounts, read_colmap, write_colmap

ROOT = Path(__file__).resolve().parents[1]
MAX = 2147483647
SCHEMA = """
CREATE TABLE images (image_id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE);
CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE descriptors (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE matches (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER,
    data BLOB, config INTEGER, F BLOB, camera1 BLOB);
INSERT INTO descriptors VALUES (7, 1, 128, zeroblob(128));
PRAGMA user_version = 4020100;
"""
TABLES = ("images", "keypoints", "descriptors", "matches", "two_view_geometries")
# Ids are not in the order of names; the last is the largest that COLMAP allows.
IMAGES = {7: "a.jpg", 2: "b.jpg", 12: "c.jpg", 5: "d.jpg", MAX - 1: "e.jpg"}
N_POINTS = 12
# Keypoint k of an image shows point ORDER[image][k].
ORDER = {image: np.random.default_rng(image).permutation(N_POINTS) for image in IMAGES}
PAIRS = [(first, second) for first in IMAGES for second in IMAGES if first < second]


def true_matches(first, second):
    """Rows of keypoints that show the same point."""
    return np.column_stack([np.argsort(ORDER[first]), np.argsort(ORDER[second])])


def wrong_match(first, second):
    """The keypoints of two points that are not the same, in one row."""
    return [int(np.argmax(ORDER[first] == 0)), int(np.argmax(ORDER[second] == 1))]


def blob(matches):
    return np.array(matches, dtype="<u4").tobytes()


def run(path, *statements):
    """Change a database."""
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(*([statement] if isinstance(statement, str) else statement))
        database.commit()
    return path


def insert(table, pair, matches, pad=""):
    return (
        f"INSERT INTO {table} VALUES (?, ?, 2, ?{pad})",
        (MAX * pair[0] + pair[1], len(matches), blob(matches)),
    )


def make(path, verified=(), raw=(), n_columns=6):
    """Write a database; the keypoints of an image have the positions (0, 0.5), (1, 1.5), ..."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
        for image, name in IMAGES.items():
            data = np.zeros((N_POINTS, n_columns), dtype="<f4")
            data[:, :2] = np.arange(N_POINTS)[:, None] + [0, 0.5]
            database.execute("INSERT INTO images VALUES (?, ?)", (image, name))
            database.execute(
                "INSERT INTO keypoints VALUES (?, ?, ?, ?)",
                (image, N_POINTS, n_columns, data.tobytes()),
            )
        database.commit()
    run(path, *(insert("matches", pair, matches) for pair, matches in raw))
    pad = ", 3, zeroblob(72), 'camera'"
    return run(path, *(insert("two_view_geometries", *row, pad) for row in verified))


@pytest.fixture
def scene(tmp_path):
    """Five images: the pair of the first two has a wrong match instead of two right ones."""
    verified = [(pair, true_matches(*pair)) for pair in PAIRS]
    verified[0] = (PAIRS[0], [*true_matches(*PAIRS[0])[2:].tolist(), wrong_match(*PAIRS[0])])
    raw = [(pair, [[0, 0], [1, 1]]) for pair in PAIRS]
    return make(tmp_path / "database.db", verified, raw)


def labelled(items):
    """Return a result that has the points as labels."""
    image_of = {name: image for image, name in IMAGES.items()}
    labels = [ORDER[image_of[name]][keypoint] for name, keypoint in items.ids]
    return replace(solve(items.similarity, items.groups, pick=1.0), labels=np.array(labels))


def content(path, table):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def matches_of(path, table="two_view_geometries"):
    return {
        divmod(row[0], MAX): np.frombuffer(row[3], "<u4").reshape(-1, 2).tolist()
        for row in content(path, table)
    }


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
        whole[:-1]: "is cut off; must have whole pages of 4096 bytes, found [0-9]+ bytes",
        whole[:17]: "(cannot be read|is cut off); .*",
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
    apart = replace(result, labels=labels)
    assert items.tracks(apart)[3] == -1
    assert len(items.answer(apart)["track"]) == len(labels) - 1
    assert set(items.answer(apart)["track"]) == set(range(N_POINTS))
    with pytest.raises(InvalidInputError, match="one label per keypoint, 60; found 59"):
        items.tracks(replace(result, labels=labels[:-1]))


def test_the_copy_has_the_matches_inside_tracks(scene, tmp_path):
    before = scene.read_bytes()
    items = read_colmap(scene)
    target = tmp_path / "cleaned.db"
    counts = write_colmap(target, items, labelled(items))
    n_true = len(PAIRS) * N_POINTS - 2
    assert counts == MatchCounts(kept=n_true, removed=1, added=0)
    found = matches_of(target)
    for pair in PAIRS[1:]:
        assert found[pair] == true_matches(*pair).tolist()
    assert found[PAIRS[0]] == true_matches(*PAIRS[0])[2:].tolist()
    assert scene.read_bytes() == before
    for table in TABLES[:4]:
        assert content(target, table) == content(scene, table)
    for old, new in zip(*(content(p, TABLES[4]) for p in (scene, target)), strict=True):
        assert (new[0], *new[2:3], *new[4:]) == (old[0], *old[2:3], *old[4:])
        assert new[1] * 8 == len(new[3])
    assert run(target).read_bytes()[60:64] == before[60:64]  # the version that COLMAP looks at
    assert sorted(tmp_path.iterdir()) == [target, scene]


def test_missing_matches_are_added_where_images_are_matched(scene, tmp_path):
    lost = MAX * PAIRS[4][0] + PAIRS[4][1]
    without = MAX * PAIRS[5][0] + PAIRS[5][1]
    run(
        scene,
        f"UPDATE two_view_geometries SET rows = 0, data = NULL, config = 1 WHERE pair_id = {lost}",
        f"DELETE FROM two_view_geometries WHERE pair_id = {without}",
    )
    items = read_colmap(scene)
    target = tmp_path / "added.db"
    counts = write_colmap(target, items, labelled(items), add_missing=True)
    assert counts == MatchCounts(kept=8 * N_POINTS - 2, removed=1, added=2)
    rows = {row[0]: row for row in content(target, "two_view_geometries")}
    assert rows[lost] == next(
        row for row in content(scene, "two_view_geometries") if row[0] == lost
    )
    assert without not in rows
    first = rows[MAX * PAIRS[0][0] + PAIRS[0][1]]
    matches = np.frombuffer(first[3], "<u4").reshape(-1, 2).tolist()
    assert matches[:-2] == true_matches(*PAIRS[0])[2:].tolist()
    assert sorted(matches) == sorted(true_matches(*PAIRS[0]).tolist())


def test_matches_of_keypoints_that_are_left_alone_are_removed(scene, tmp_path):
    items = read_colmap(scene)
    alone = replace(labelled(items), labels=np.arange(len(items.ids)))
    assert write_colmap(tmp_path / "cleaned.db", items, alone, add_missing=True) == MatchCounts(
        kept=0, removed=len(PAIRS) * N_POINTS - 1, added=0
    )
    assert not any(matches_of(tmp_path / "cleaned.db").values())


def test_raw_matches_are_cleaned_if_they_were_read(tmp_path):
    raw = [(pair, [*true_matches(*pair).tolist(), wrong_match(*pair)]) for pair in PAIRS]
    verified = [(PAIRS[0], raw[0][1][-3:])]
    items = read_colmap(make(tmp_path / "database.db", verified, raw), table="matches")
    target = tmp_path / "cleaned.db"
    counts = write_colmap(target, items, labelled(items))
    assert counts == MatchCounts(kept=len(PAIRS) * N_POINTS, removed=len(PAIRS), added=0)
    assert matches_of(target, "matches") == {pair: true_matches(*pair).tolist() for pair in PAIRS}
    assert matches_of(target) == {PAIRS[0]: true_matches(*PAIRS[0])[-2:].tolist()}


def test_the_copy_takes_no_name_that_would_do_harm(scene, tmp_path):
    items = read_colmap(scene)
    result = labelled(items)
    before = scene.read_bytes()
    (tmp_path / "link.db").symlink_to(scene)
    (tmp_path / "twin.db").hardlink_to(scene)
    (tmp_path / "busy.db-wal").touch()
    os.mkfifo(tmp_path / "pipe.db")
    for name, reason in {
        "database.db": "is the database that was read; name another file",
        "link.db": "is the database that was read; name another file",
        "twin.db": "is the database that was read; name another file",
        "busy.db": "is in use or was left unfinished; found .*busy.db-wal",
        "pipe.db": "must be a file; found something else of this name",
        ".": "must be a file; found something else of this name",
        "nowhere/cleaned.db": "cannot be written; No such file or directory",
    }.items():
        with pytest.raises(InvalidInputError, match=f"{reason}$"):
            write_colmap(tmp_path / name, items, result)
    assert scene.read_bytes() == before


def test_an_interrupted_copy_leaves_what_was_there(scene, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    items = read_colmap(scene)
    target = tmp_path / "cleaned.db"
    target.write_text("an earlier file")
    monkeypatch.setattr(colmap, "_implied", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_colmap(target, items, labelled(items), add_missing=True)
    assert target.read_text() == "an earlier file"
    assert sorted(tmp_path.iterdir()) == [target, scene]
    write_colmap(target, items, labelled(items))
    assert len(matches_of(target)) == len(PAIRS)


@pytest.fixture(scope="module")
def castle(data_home) -> tuple[Keypoints, Result]:
    """Photographs of a castle, and the labels of their keypoints."""
    items = read_colmap(data_home / "sfm/sceaux_castle/database.db")
    return items, solve(items.similarity, items.groups)


def n_conflicting(labels, groups):
    """Count the labels that two items of one group share."""
    cells, sizes = np.unique(
        np.c_[labels, np.unique(groups, return_inverse=True)[1]], axis=0, return_counts=True
    )
    return len(np.unique(cells[sizes > 1, 0]))


def test_tracks_of_the_castle(castle, data_home):
    items, result = castle
    with np.load(data_home / "sfm/sceaux_castle/sceaux_castle.npz") as stored:
        names = stored["image_names"][stored["kp_image"]].tolist()
        starts = dict(zip(*np.unique(names, return_index=True), strict=True))
        track, xy = stored["track"], stored["kp_xy"]
    rows = [starts[name] + keypoint for name, keypoint in items.ids]
    np.testing.assert_array_equal(items.positions, xy[rows])
    assert items.similarity.nnz // 2 == 22022
    scored = track[rows] >= 0
    images = np.array(items.groups)[scored]

    def f_score(labels):
        return metrics.pairwise_scores(track[rows][scored], labels[scored], images).f_score

    joined = baselines.union_find(items.similarity, items.groups)
    dropped = baselines.union_find(items.similarity, items.groups, conflicts="drop")
    assert n_conflicting(joined, items.groups) == 95
    assert n_conflicting(result.labels, items.groups) == 0
    assert f_score(result.labels) > f_score(joined) + 0.02 > f_score(dropped) + 0.03


def test_colmap_reads_the_copy(castle, tmp_path):
    pycolmap = pytest.importorskip("pycolmap")
    items, result = castle
    counts = write_colmap(tmp_path / "cleaned.db", items, result)
    label_of = dict(zip(items.ids, result.labels.tolist(), strict=True))
    with pycolmap.Database.open(tmp_path / "cleaned.db") as cleaned:
        assert cleaned.num_inlier_matches() == counts.kept
        names = {image.image_id: image.name for image in cleaned.read_all_images()}
        for pair_id, geometry in zip(*cleaned.read_two_view_geometries(), strict=True):
            first, second = (names[image] for image in pycolmap.pair_id_to_image_pair(pair_id))
            assert all(
                label_of[first, k] == label_of[second, j]
                for k, j in geometry.inlier_matches.tolist()
            )


def test_colmap_maps_the_copy_at_least_as_well(castle, tmp_path, monkeypatch):
    pytest.importorskip("pycolmap")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    bench = import_module("bench_colmap")
    files = bench.copies(castle[0].path, tmp_path)
    before, after = (
        bench.incremental_mapping(files[name], seed=0) for name in ("original", "cleaned")
    )
    assert after.images >= before.images
    assert after.points >= before.points
    assert after.error <= before.error
