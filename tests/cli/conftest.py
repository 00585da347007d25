"""A folder with one file of each kind."""

import shutil
import sqlite3
from contextlib import chdir, closing
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from support.program import BLOCKS, EDGES, GROUPS, PAIRS


def save_database(path: str) -> None:
    """Save the blocks as a COLMAP database: item i is keypoint i // 3 of image i % 3."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            "CREATE TABLE cameras (camera_id, width, height);"
            "CREATE TABLE images (image_id, name, camera_id);"
            "CREATE TABLE keypoints (image_id, rows, cols, data);"
            "CREATE TABLE matches (pair_id, rows, cols, data);"
            "CREATE TABLE two_view_geometries (pair_id, rows, cols, data);"
            "INSERT INTO cameras VALUES (1, 40, 20)"
        )
        points = np.array([[0.5, 0.5], [20, 10], [39.5, 19.5]], "<f4").tobytes()
        for image in (1, 2, 3):
            database.execute("INSERT INTO images VALUES (?, ?, 1)", (image, f"{image}.JPG"))
            database.execute("INSERT INTO keypoints VALUES (?, 3, 2, ?)", (image, points))
        matches = np.array([[0, 0], [1, 1], [2, 2]], "<u4").tobytes()
        for pair in ((1, 2), (1, 3), (2, 3)):
            values = (2147483647 * pair[0] + pair[1], 3, 2, matches)
            database.execute("INSERT INTO two_view_geometries VALUES (?, ?, ?, ?)", values)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with good and bad files, made once."""
    home = tmp_path_factory.mktemp("files")
    with chdir(home):
        save_files()
    return home


@pytest.fixture(autouse=True)
def folder(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of that folder."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save_files() -> None:
    """Save one file of each kind."""
    Path("edges.csv").write_text(EDGES)
    Path("groups.csv").write_text(GROUPS)
    Path("pairs.csv").write_text(PAIRS)
    Path("points.csv").write_text(
        "".join(f"p{i},{10 * (i // 20) + i % 5},{i % 4},{i % 3}\n" for i in range(40))
    )
    save_database("w.db")
    Path("groups.txt").write_text("".join(f"g{i % 3}\n" for i in range(9)))
    Path("short.txt").write_text("g0\ng1\n")
    Path("empty.csv").touch()
    Path("empty.npz").touch()
    Path("garbage.csv").write_bytes(b"\x93NUMPY\xff\x00\x01" * 50)
    Path("garbage.npz").write_bytes(b"PK\x03\x04\xff\x00\x01" * 50)
    Path("broken.parquet").write_bytes(b"PAR1")
    Path("edges.dat").write_text(EDGES)
    Path("bad.csv").write_text("a,b,1\nb,c,abc\n")
    Path("bad.dat").write_text("a,b,1\nb,c,abc\n")
    Path("stray.csv").write_text(PAIRS + "g0,1\n")
    Path("other.csv").write_text("s1,k1,s2,k2,p\nx,1,y,2,0.5\nx,2,y,1,0.5\n")
    Path("folder").mkdir()
    np.save("w.npy", BLOCKS)
    np.save("objects.npy", np.array([[None]]), allow_pickle=True)
    np.save("nan.npy", np.full((2, 2), np.nan))
    np.save("asymmetric.npy", np.triu(BLOCKS))
    np.save("negative.npy", -BLOCKS)
    np.save("oblong.npy", BLOCKS[:2])
    np.savez("other.npz", first=BLOCKS, second=BLOCKS)
    sp.save_npz("w.npz", sp.csr_array(BLOCKS))
    Path("truncated.npy").write_bytes(Path("w.npy").read_bytes()[:-9])
    Path("truncated.npz").write_bytes(Path("w.npz").read_bytes()[:-9])
    Path("truncated.db").write_bytes(Path("w.db").read_bytes()[:-9])
    Path("pickle.npy").write_bytes(b"\x80\x04K\x01.")
    scipy.io.mmwrite("w.mtx", sp.coo_array(BLOCKS))
