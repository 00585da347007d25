"""How good are entities of lists without sources, family by family? F, doubt and calibration.

Run with ``python benchmarks/list_families.py``; ``--half held-out`` has the tables and seeds that
no rule was chosen on, ``--kind pairs`` says that the similarities are lists. Tables are looked for
in SPHERELAX_DATA or ../shared/data: every second one is for development. Others are made: few
copies in one table, entities of geometric, power-law and large sizes, pairs, families of persons,
nearly complete lists, and scores with few values. For each: F of connected components at their best
threshold, F of spherelax, how many labels another answer has, and the calibration errors of
`bench_candidates`, if there are probabilities.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from bench_candidates import Calibration
from bench_records import DATA, Stored, Table, best_components
from numpy.typing import NDArray

import spherelax as sl

FOLDERS = ("lists", "scored_pairs", "many_sources")
HALVES = ("development", "held-out")
COLUMNS = ("components*", "spherelax", "alternative", *Calibration._fields, "AUC")
N_FEATURES = 40
# Share of records with a copy, and how noisy a copy is.
COPIES = tuple((share, noise) for share in (0.03, 0.1, 0.3) for noise in (0.4, 0.8))


def stored(half: str) -> Iterator[Table]:
    """Yield every second of the stored tables whose sources say nothing."""
    root = DATA / "entity_resolution"
    paths = [path for folder in FOLDERS for path in sorted((root / folder).glob("*.npz"))]
    chosen = [path for path in paths if "src" not in path.stem]
    for path in chosen[HALVES.index(half) :: 2]:
        yield Stored.read(path).table


def nearest(name: str, points: NDArray[np.float64], truth: NDArray[np.intp], k: int) -> Table:
    """Return a table of the k nearest neighbours of each point, by cosine."""
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    cosine = points @ points.T
    np.fill_diagonal(cosine, 0.0)
    near = np.argsort(-cosine, axis=1)[:, :k]
    rows = np.repeat(np.arange(len(points)), k)
    W = np.zeros_like(cosine)
    W[rows, near.ravel()] = np.maximum(cosine[rows, near.ravel()], 0.0)
    return Table(name, sp.csr_array(np.maximum(W, W.T)), np.zeros(len(truth), int), truth)


def few_copies(seed: int, share: float, noise: float, n: int = 400) -> Table:
    """Return records of which a share has a noisy copy."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, N_FEATURES))
    n_copies = int(share * n)
    noisy = points[:n_copies] + noise * rng.normal(size=(n_copies, N_FEATURES))
    truth = np.r_[np.arange(n), np.arange(n_copies)]
    return nearest(f"few copies {share:.0%} {noise}", np.r_[points, noisy], truth, 5)


def sized(seed: int, name: str, sizes: NDArray[np.intp], k: int = 10, noise: float = 0.7) -> Table:
    """Return entities of these sizes."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    centre = rng.normal(size=(len(sizes), N_FEATURES))
    return nearest(
        name, centre[truth] + noise * rng.normal(size=(len(truth), N_FEATURES)), truth, k
    )


def families(seed: int, n: int = 200) -> Table:
    """Return families of three persons, each with two records."""
    rng = np.random.default_rng(seed)
    person = np.repeat(rng.normal(size=(n, N_FEATURES)), 3, axis=0)
    person += 0.7 * rng.normal(size=person.shape)
    truth = np.repeat(np.arange(3 * n), 2)
    return nearest(
        "families", person[truth] + 0.35 * rng.normal(size=(6 * n, N_FEATURES)), truth, 10
    )


def made(half: str) -> Iterator[Table]:
    """Yield made-up tables; the two halves have different seeds."""
    seed = 1000 * HALVES.index(half)
    rng = np.random.default_rng(seed)
    for at, (share, noise) in enumerate(COPIES):
        yield few_copies(seed + at, share, noise)
    geometric = rng.geometric(0.4, 600)
    large = rng.poisson(14, 100) + 1
    yield sized(seed, "geometric sizes", geometric)
    yield sized(seed, "power-law sizes", np.minimum(rng.pareto(1.0, 400) + 1, 100).astype(np.intp))
    yield sized(seed, "large entities", large)
    yield sized(seed, "nearly all right", large, k=5)
    yield sized(seed, "pairs", np.full(700, 2))
    yield families(seed)
    coarse = sized(seed, "six values", geometric)
    W = coarse.similarity.copy()
    W.data = np.ceil(6.0 * W.data) / 6.0
    yield coarse._replace(similarity=W)


def compare(table: Table, kind: str | None) -> list[float]:
    """Return F of components and of spherelax, another answer, and the calibration."""
    result = sl.solve(table.similarity, kind=kind)
    known = result.listed_probability() is not None
    errors = Calibration.of(result, table.truth).errors() if known else [np.nan] * 6
    other = np.nan if result.alternative is None else float(result.alternative)
    return [best_components(table), table.f_score(result.labels), other, *errors]


def main() -> None:
    """Print a row per table, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--kind", choices=("pairs", "graph"))
    given = parser.parse_args()
    warnings.simplefilter("ignore", sl.SphereWarning)
    print(f"{'':36}" + "".join(f"{head:>12}" for head in COLUMNS))
    for make in (stored, made):
        rows = []
        for table in make(given.half):
            rows.append(compare(table, given.kind))
            print(f"{table.name:36}" + "".join(f"{x:12.3f}" for x in rows[-1]), flush=True)
        means = np.nanmean(rows, axis=0)
        print(f"{make.__name__ + ', mean':36}" + "".join(f"{x:12.3f}" for x in means), flush=True)


if __name__ == "__main__":
    main()
