"""Tables of a COLMAP database, made by hand."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.io.readers.colmap_tables import MAX_IMAGES, RAW, VERIFIED, Tables


@pytest.fixture
def tables():
    """Images 5 (two keypoints) and 2 (three), by name in the other order, and one match."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE images (image_id, name);"
            "CREATE TABLE keypoints (image_id, rows, cols, data);"
            "CREATE TABLE matches (pair_id, rows, cols, data);"
            "CREATE TABLE two_view_geometries (pair_id, rows, cols, data);"
            "INSERT INTO images VALUES (2, 'b.jpg'), (5, 'a.jpg');"
        )
        for image, n in ((2, 3), (5, 2)):
            points = np.arange(4 * n, dtype="<f4").tobytes()
            database.execute("INSERT INTO keypoints VALUES (?, ?, 4, ?)", (image, n, points))
        matches = np.array([[2, 1]], "<u4").tobytes()
        pair = 2 * MAX_IMAGES + 5
        database.execute("INSERT INTO matches VALUES (?, 1, 2, ?)", (pair, matches))
        yield Tables(Path("w.db"), database)


def test_keypoints_are_counted_over_images_in_the_order_of_names(tables):
    assert {key: tuple(image) for key, image in tables.images.items()} == {
        5: ("a.jpg", 0, 2),
        2: ("b.jpg", 2, 3),
    }
    (pair,) = tables.pairs(RAW)
    assert pair.matches.tolist() == [[2 + 2, 0 + 1]]
    np.testing.assert_array_equal(tables.positions(5), [[0, 1], [4, 5]])


def test_raw_matches_are_taken_if_there_are_no_others(tables):
    assert tables.with_matches(None) == RAW
    with pytest.raises(
        InvalidInputError, match=f"has no matches in {VERIFIED}; match images first"
    ):
        tables.with_matches(VERIFIED)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE matches SET rows = 'x'", "rows must be an integer"),
        ("UPDATE matches SET cols = 3", "must have 2 columns; found 3"),
        ("UPDATE matches SET rows = 2", "16 bytes; found 8"),
        ("UPDATE keypoints SET rows = 1 WHERE image_id = 5", "keypoints of a.jpg must be below"),
        ("DELETE FROM images WHERE image_id = 5", "there is no image 5"),
    ],
)
def test_damaged_tables_are_named(tables, change, message):
    tables.database.execute(change)
    with pytest.raises(InvalidInputError, match=f"^w.db, .*{message}"):
        list(tables.pairs(RAW))
