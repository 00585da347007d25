"""A small COLMAP database whose true matches are known, for tests."""

import sqlite3
from contextlib import closing

import numpy as np
from support.problems import with_labels

from spherelax import solve

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


def make_scene(path):
    """Five images: the pair of the first two has a wrong match instead of two right ones."""
    verified = [(pair, true_matches(*pair)) for pair in PAIRS]
    verified[0] = (PAIRS[0], [*true_matches(*PAIRS[0])[2:].tolist(), wrong_match(*PAIRS[0])])
    raw = [(pair, [[0, 0], [1, 1]]) for pair in PAIRS]
    return make(path, verified, raw)


def labelled(items):
    """Return a result that has the points as labels."""
    image_of = {name: image for image, name in IMAGES.items()}
    labels = [ORDER[image_of[name]][keypoint] for name, keypoint in items.ids]
    return with_labels(solve(items.similarity, items.groups, pick=1.0), np.array(labels))


def content(path, table):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def matches_of(path, table="two_view_geometries"):
    return {
        divmod(row[0], MAX): np.frombuffer(row[3], "<u4").reshape(-1, 2).tolist()
        for row in content(path, table)
    }
