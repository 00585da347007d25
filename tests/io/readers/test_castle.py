"""Real photographs, from COLMAP and back to it."""

from importlib import import_module
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest
from support.colmap_scene import matches_of, run
from support.program import invoke

from spherelax import Result, baselines, metrics, solve
from spherelax.io.readers.colmap import Keypoints, read_colmap, write_colmap

ROOT = Path(__file__).resolve().parents[3]


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


@pytest.fixture(scope="module")
def cleaned(castle, tmp_path_factory):
    """The copy without the matches that contradict the tracks, and how many matches it has."""
    path = tmp_path_factory.mktemp("castle") / "cleaned.db"
    return path, write_colmap(path, *castle).kept


def test_colmap_reads_the_copy(castle, cleaned):
    pycolmap = pytest.importorskip("pycolmap")
    (items, result), (path, n_kept) = castle, cleaned
    label_of = dict(zip(items.ids, result.labels.tolist(), strict=True))
    with pycolmap.Database.open(path) as database:
        assert database.num_inlier_matches() == n_kept
        names = {image.image_id: image.name for image in database.read_all_images()}
        for pair_id, geometry in zip(*database.read_two_view_geometries(), strict=True):
            first, second = (names[image] for image in pycolmap.pair_id_to_image_pair(pair_id))
            assert all(
                label_of[first, k] == label_of[second, j]
                for k, j in geometry.inlier_matches.tolist()
            )


def test_colmap_maps_the_copy_at_least_as_well(castle, cleaned, tmp_path, monkeypatch):
    pytest.importorskip("pycolmap")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    bench = import_module("bench_colmap")
    original = tmp_path / "original.db"
    copyfile(castle[0].path, original)  # COLMAP writes to what it opens
    before, after = (
        bench.incremental_mapping(path, seed=0, tolerance=1e-4) for path in (original, cleaned[0])
    )
    assert after.images >= before.images
    assert after.points >= before.points
    assert after.error <= before.error


def test_a_copy_of_raw_matches_can_be_mapped_after_what_the_summary_says(data_home, tmp_path):
    pycolmap = pytest.importorskip("pycolmap")
    raw, copy = tmp_path / "raw.db", tmp_path / "cleaned.db"
    copyfile(data_home / "sfm/sceaux_castle/database.db", raw)
    run(raw, "DELETE FROM two_view_geometries")
    done = invoke(*("match", str(raw), "--out", str(tmp_path / "tracks.csv")),
                  *("--write-database", str(copy)))  # fmt: skip
    assert "matches: read from matches, not verified\n" in done.stderr
    assert f"colmap geometric_verifier --database_path {copy}\n" in done.stderr
    pycolmap.geometric_verification(copy)
    kept = sum(map(len, matches_of(copy).values()))
    assert kept > 0.9 * sum(map(len, matches_of(copy, "matches").values()))
