"""Images of a database: found by name, read when asked for, with keypoints in their pixels."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import spherelax as sl
from spherelax.io import ImageFolder, Keypoints

NAMES = ["one.JPG", "two/three.png", "lost.png"]
# Corners of images of 40 by 20 pixels as COLMAP counts, and one in the middle.
POSITIONS = np.array([[0.5, 0.5], [39.5, 19.5], [20.0, 10.0], [1.0, 1.0]])


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keypoints:
    """Keypoints of three images, of which two are in a folder, one of them at half its size."""
    pillow = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("x.db")) as database, database:
        database.executescript(
            "CREATE TABLE cameras (camera_id, width, height);"
            "CREATE TABLE images (image_id, name, camera_id);"
            "INSERT INTO cameras VALUES (7, 40, 20);"
        )
        rows = [(number, name, 7) for number, name in enumerate(NAMES)]
        database.executemany("INSERT INTO images VALUES (?, ?, ?)", rows)
    Path("folder/two").mkdir(parents=True)
    pillow.new("L", (40, 20)).save("folder/one.jpg")
    pillow.new("L", (20, 10)).save("folder/two/three.png")
    groups = [NAMES[0], NAMES[0], NAMES[1], NAMES[2]]
    ids = list(zip(groups, [0, 1, 0, 0], strict=True))
    shape = {"positions": POSITIONS, "path": Path("x.db"), "table": "matches"}
    return Keypoints(np.eye(4), ids, groups, **shape)


def test_files_by_name(items: Keypoints) -> None:
    folder = ImageFolder("folder", items)
    assert list(folder) == NAMES[:2]
    assert len(folder) == 2
    assert "lost.png" not in folder
    assert folder["one.JPG"] == Path("folder/one.jpg").read_bytes()
    with pytest.raises(KeyError):
        folder["lost.png"]


def test_files_are_read_when_asked_for(items: Keypoints) -> None:
    folder = ImageFolder("folder", items)
    Path("folder/one.jpg").write_bytes(b"new")
    assert folder["one.JPG"] == b"new"


def test_positions_are_in_pixels_of_the_files(items: Keypoints) -> None:
    expected = [[0, 0], [39, 19], [9.5, 4.5], [np.nan, np.nan]]
    np.testing.assert_allclose(ImageFolder("folder", items).positions(), expected)


def test_faults(items: Keypoints, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("empty").mkdir()
    message = r"^empty: must hold images of x\.db, such as one\.JPG; found none of them$"
    with pytest.raises(sl.InvalidInputError, match=message):
        ImageFolder("empty", items)
    Path("folder/one.jpg").write_bytes(b"not an image")
    folder = ImageFolder("folder", items)
    with pytest.raises(sl.InvalidInputError, match=r"^folder/one\.jpg: not a readable image; "):
        folder.positions()
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r'images need Pillow: pip install "spherelax\[plot\]"'):
        folder.positions()


def test_names_do_not_lead_out_of_the_folder(items: Keypoints) -> None:
    secret = Keypoints(
        np.eye(2), [("../x.db", 0), ("one.JPG", 0)], ["../x.db", "one.JPG"],
        positions=POSITIONS[:2], path=Path("x.db"), table="matches",
    )  # fmt: skip
    assert list(ImageFolder("folder", secret)) == ["one.JPG"]
    assert items.path == secret.path
