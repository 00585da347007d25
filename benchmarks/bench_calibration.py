"""Can the confidence of an item be taken at its word? Calibration of every family of problems.

Run with ``python benchmarks/bench_calibration.py``, or with ``--only graphs points``; constants
were chosen with ``--chosen-on``, on other seeds and other songs.

An item is right as far as the other items of its label are the same thing; alone, it is right if
it should be (`metrics.correctness`). ``said`` is the mean confidence, ``right`` the mean share that
is right. ``error`` is the expected calibration error of all items of a row together, in ten bins;
``each`` is the mean of the errors of single problems. ``AUC`` is how often an item of which less
than half is right is less sure than one of which at least half is, in one problem; problems in
which all items are of one sort are left out. The last rows put all problems of a family together.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from bench_candidates import lists
from bench_quality import BINARY, PARTIAL, planted
from bench_records import DATA, tables
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.datasets import make_blobs, make_circles, make_moons

import spherelax as sl

HELD_OUT, CHOSEN_ON = 7000, 400
HOUSE = 10, 20, 40
WILLOW = "car", "duck", "motorbike", "winebottle"
# Mean distances of the centres of mixtures, in units in which the mean variance is 0.7.
DISTANCES = 1.0, 2.0, 4.0, 8.0
# Numbers of Gaussians, and how many times as often as other problems mixtures of so many are drawn:
# a label of points is right or wrong as a whole, and each mixture has few. One has no distance.
GAUSSIANS = {1: 4, 2: 1, 3: 1, 5: 8, 8: 1, 12: 1}
SHAPES = 300, 1000
# Every so many of the tables of songs.
SONGS = 3


class Drawn(NamedTuple):
    """Which problems to draw: seeds, and the half of the songs."""

    seeds: range
    half: str


class Points(NamedTuple):
    """Points with known clusters."""

    name: str
    points: NDArray[np.float64]
    truth: NDArray[np.intp]


class Solved(NamedTuple):
    """What a result says of its items, and the truth."""

    name: str
    said: NDArray[np.float64]
    right: NDArray[np.float64]

    @classmethod
    def of(cls, name: str, result: sl.Result, truth: NDArray[Any]) -> Solved:
        """Compare the confidence of a result with the truth."""
        return cls(name, result.confidence, sl.metrics.correctness(truth, result.labels).items)


def matching(drawn: Drawn) -> Iterator[Solved]:
    """Plain matches of images: generated, and those of house and WILLOW in random orders."""
    for name in ("R2", "R3", "R4", "R5"):
        (q, universe, observed, shuffled), _ = PARTIAL[name]
        for seed in drawn.seeds:
            data = sl.datasets.make_partial_matching(
                q, universe, observed=observed, shuffled=shuffled, random_state=seed
            )
            W, groups, truth = data
            yield Solved.of(f"partial, {shuffled:.0%} shuffled", sl.solve(W, groups), truth)
    for seed in islice(drawn.seeds, 2):
        loaded = [sl.datasets.load_house(q, data_home=DATA, random_state=seed) for q in HOUSE]
        loaded += [
            sl.datasets.load_willow(name, data_home=DATA, random_state=seed) for name in WILLOW
        ]
        for name, data in zip(("house",) * len(HOUSE) + ("willow",) * 4, loaded, strict=True):
            result = sl.solve(data.similarity, data.groups)
            yield Solved.of(name, result, data.labels)


def records(drawn: Drawn) -> Iterator[Solved]:
    """Scored pairs of records: songs of five sources, and lists of candidates."""
    songs = sl.datasets.load_records(data_home=DATA)
    for table in islice(tables(songs, drawn.half), 0, None, SONGS):
        yield Solved.of("songs", sl.solve(table.similarity, table.sources), table.truth)
    for table, has_sources in lists():
        result = sl.solve(table.similarity, table.sources if has_sources else None)
        yield Solved.of("two sources" if has_sources else "duplicates", result, table.truth)


def graphs(drawn: Drawn) -> Iterator[Solved]:
    """Planted partitions with power-law degrees, and random binary similarities."""
    for sizes in ("equal", "power-law"):
        for mixing in (0.35, 0.5, 0.6):
            for seed in drawn.seeds:
                W, truth = planted(sizes, 2.5, mixing, seed)
                result = sl.solve(W, kind="graph")
                yield Solved.of(f"planted, mixing {mixing}", result, truth)
    for rewired, missing in (shares for shares, _ in BINARY.values()):
        for seed in drawn.seeds:
            W, truth = sl.datasets.make_binary_similarity(
                150, 5, rewired=rewired, missing=missing, random_state=seed
            )
            yield Solved.of(f"binary, rewired {rewired}, missing {missing}", sl.solve(W), truth)


def mixtures(drawn: Drawn, n_gaussians: int) -> Iterator[Points]:
    """Draw mixtures of Gaussians that overlap more or less."""
    first, n = drawn.seeds.start, len(drawn.seeds)
    for distance in DISTANCES if n_gaussians > 1 else (1.0,):
        for seed in range(first, first + GAUSSIANS[n_gaussians] * n):
            X, truth = sl.datasets.make_gaussian_mixture(
                400, n_gaussians, mean_distance=distance, random_state=seed
            )
            many = "one Gaussian" if n_gaussians == 1 else f"{n_gaussians}, distance {distance:g}"
            yield Points(many, X, truth)


def shapes(drawn: Drawn) -> Iterator[Points]:
    """Draw shapes with sharp edges, and clouds that hardly touch."""
    for seed, n in product(drawn.seeds, SHAPES):
        square = np.random.default_rng(seed).random((n, 2))
        yield Points("one square", square, np.zeros(n, dtype=np.intp))
        yield Points("moons", *make_moons(n, noise=0.06, random_state=seed))
        yield Points("circles", *make_circles(n, noise=0.04, factor=0.5, random_state=seed))
        yield Points("clouds", *make_blobs(n, centers=3, random_state=seed))


def drawn_points(drawn: Drawn) -> Iterator[Points]:
    """Draw shapes, and mixtures of any number of Gaussians."""
    yield from shapes(drawn)
    for n_gaussians in GAUSSIANS:
        yield from mixtures(drawn, n_gaussians)


def points(drawn: Drawn) -> Iterator[Solved]:
    """Mixtures of Gaussians and shapes as points."""
    for name, X, truth in drawn_points(drawn):
        yield Solved.of(name, sl.SphereClustering().fit(X).result_, truth)


def neighbors(drawn: Drawn) -> Iterator[Solved]:
    """Give the same points as a neighbour graph that somebody else made."""
    for name, X, truth in drawn_points(drawn):
        W = sl.similarity.nearest_neighbors(X)
        yield Solved.of(name, sl.solve(W, kind="neighbors"), truth)


def sets(_: Drawn) -> Iterator[Solved]:
    """Point sets with known clusters: by the labeling that agrees best, without its noise, 0."""
    for name in sl.datasets.POINT_SETS:
        X, truths = sl.datasets.load_points(name, data_home=DATA)
        result = sl.SphereClustering().fit(X).result_
        scores = [sl.metrics.pairwise_scores(truth, result.labels).f_score for truth in truths]
        truth = truths[int(np.argmax(scores))]
        right = sl.metrics.correctness(truth[truth > 0], result.labels[truth > 0]).items
        yield Solved("point sets", result.confidence[truth > 0], right)


FAMILIES: dict[str, Callable[[Drawn], Iterator[Solved]]] = {
    "matching": matching,
    "records": records,
    "graphs": graphs,
    "points": points,
    "neighbors": neighbors,
    "sets": sets,
}


def auc(said: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return how often a wrong item is less sure than a right one; NaN if all are of one sort."""
    is_wrong = right < 0.5
    n_wrong, n_right = np.count_nonzero(is_wrong), np.count_nonzero(~is_wrong)
    if n_wrong == 0 or n_right == 0:
        return np.nan
    ranks = rankdata(-said)[is_wrong].sum() - n_wrong * (n_wrong + 1) / 2
    return float(ranks / (n_wrong * n_right))


def row(solved: list[Solved]) -> str:
    """Return a row of the table."""
    said, right = (
        np.concatenate([getattr(one, of) for one in solved]) for of in Solved._fields[1:]
    )
    each = np.mean([sl.metrics.reliability(one.said, one.right).error for one in solved])
    ranks = np.array([auc(one.said, one.right) for one in solved])
    ranked = np.nanmean(ranks) if np.isfinite(ranks).any() else np.nan
    error = sl.metrics.reliability(said, right).error
    return (
        f"{said.mean():8.3f}{right.mean():8.3f}{error:8.3f}{each:8.3f}{ranked:8.3f}{len(solved):6}"
    )


def by_name(solved: Iterable[Solved]) -> dict[str, list[Solved]]:
    """Collect problems by their names."""
    found: dict[str, list[Solved]] = {}
    for one in solved:
        found.setdefault(one.name, []).append(one)
    return found


def draw(path: Path, families: dict[str, list[Solved]]) -> None:
    """Draw the reliability diagram of every family."""
    figure, axes = plt.subplots(1, len(families), figsize=(2.6 * len(families), 2.9), sharey=True)
    for ax, (name, solved) in zip(np.atleast_1d(axes), families.items(), strict=True):
        said, right = (
            np.concatenate(part) for part in zip(*(one[1:] for one in solved), strict=True)
        )
        bins = sl.metrics.reliability(said, right)
        seen = bins.n > 0
        ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls="dashed")
        sizes = 12 + 140 * bins.n[seen] / bins.n.max()
        ax.scatter(bins.said[seen], bins.right[seen], s=sizes, color="#0072b2")
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal", xlabel="confidence")
        ax.set_title(f"{name}: error {bins.error:.3f}", fontsize="medium")
    np.atleast_1d(axes)[0].set_ylabel("share that is right")
    figure.tight_layout()
    figure.savefig(path, dpi=100, facecolor="white")


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--chosen-on", action="store_true", help="problems for choosing constants")
    parser.add_argument("--plot", type=Path, help="where to draw the reliability diagrams")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", sl.SphereWarning)
    first, half = (CHOSEN_ON, "chosen-on") if options.chosen_on else (HELD_OUT, "held-out")
    drawn = Drawn(range(first, first + options.repeats), half)
    print(f"{'':40}    said   right   error    each     AUC     n")
    families: dict[str, list[Solved]] = {}
    for name in options.only:
        try:
            families[name] = list(FAMILIES[name](drawn))
        except FileNotFoundError as error:
            print(f"{name}: left out; {error}", file=sys.stderr)
            continue
        for part, solved in by_name(families[name]).items():
            print(f"{part:40}{row(solved)}", flush=True)
    for name, solved in families.items():
        print(f"{name:40}{row(solved)}")
    if options.plot:
        draw(options.plot, families)


if __name__ == "__main__":
    main()
