"""What COLMAP's two mappers reconstruct before and after the matches are cleaned.

Run with ``python benchmarks/bench_colmap.py``, or name another database; the photographs are not
needed. "added" also has the matches that follow from tracks. "dropped" lacks every component of
matches with two keypoints in one image. Figures are of the largest model, medians over seeds. It
needs pycolmap.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import NamedTuple, cast

import pycolmap

import spherelax as sl
from spherelax.io import read_colmap, write_colmap
from spherelax.io.files.sqlite import opened_database, replaced

DATA = Path(os.environ.get("SPHERELAX_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
CASTLE = DATA / "sfm/sceaux_castle/database.db"
N_SEEDS = 5


class Mapping(NamedTuple):
    """The largest model of a mapping."""

    images: int
    points: int
    observations: int
    error: float  # mean reprojection error in pixels


def copies(database: Path, folder: Path) -> dict[str, Path]:
    """Write the database as it is and cleaned in three ways; the original may be read-only."""
    items = read_colmap(database)
    result = sl.solve(items.similarity, items.groups)
    cautious = sl.baselines.union_find(items.similarity, items.groups, conflicts="drop")
    files = {name: folder / f"{name}.db" for name in ("original", "cleaned", "added", "dropped")}
    with opened_database(database) as source, replaced(files["original"]) as copy:
        source.backup(copy)
    write_colmap(files["cleaned"], items, result)
    write_colmap(files["added"], items, result, add_missing=True)
    write_colmap(files["dropped"], items, cast("sl.Result", SimpleNamespace(labels=cautious)))
    return files


def incremental_mapping(database: Path, seed: int, *, tolerance: float = 0.0) -> Mapping:
    """Map with one thread, so that the result depends on the seed only.

    COLMAP's own tolerance is 0.
    """
    options = pycolmap.IncrementalPipelineOptions()
    options.extract_colors = False
    options.num_threads = 1
    options.ba_local_function_tolerance = options.ba_global_function_tolerance = tolerance
    options.random_seed = options.mapper.random_seed = options.triangulation.random_seed = seed
    pycolmap.logging.minloglevel = pycolmap.logging.ERROR.value
    with tempfile.TemporaryDirectory() as folder:
        return largest_of(pycolmap.incremental_mapping(database, folder, folder, options))


def global_mapping(database: Path, seed: int) -> Mapping:
    """Map all images at once, with one thread."""
    options = pycolmap.GlobalPipelineOptions()
    options.num_threads = options.mapper.num_threads = 1
    options.random_seed = options.mapper.random_seed = seed
    pycolmap.logging.minloglevel = pycolmap.logging.ERROR.value
    with tempfile.TemporaryDirectory() as folder:
        return largest_of(pycolmap.global_mapping(database, folder, folder, options))


def largest_of(models: dict[int, pycolmap.Reconstruction]) -> Mapping:
    """Return the figures of the model with most images."""
    largest = max(models.values(), key=lambda model: model.num_reg_images())
    return Mapping(
        largest.num_reg_images(),
        largest.num_points3D(),
        largest.compute_num_observations(),
        largest.compute_mean_reprojection_error(),
    )


MAPPERS = {"incremental": incremental_mapping, "global": global_mapping}


def main() -> None:
    """Print a table of medians for each mapper."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path, nargs="?", default=CASTLE)
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = copies(arguments.database, Path(folder))
        for mapper, mapped in MAPPERS.items():
            print(f"{mapper:12}{'images':>8}{'points':>8}{'observations':>14}{'error':>8}")
            for name, file in files.items():
                runs = [mapped(file, seed) for seed in range(arguments.seeds)]
                images, points, observations, error = map(median, zip(*runs, strict=True))
                print(f"{name:12}{images:8g}{points:8g}{observations:14g}{error:8.4f}", flush=True)


if __name__ == "__main__":
    main()
