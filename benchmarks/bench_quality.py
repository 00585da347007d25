"""How good are the labels? Mean F-score of every family of problems, beside the best on the path.

Run with ``make quality``, or ``python benchmarks/bench_quality.py --only house points``.

The solver is not told the number of labels. F is the F-score over pairs of items (of different
groups, if there are groups). Real data are looked for in SPHERELAX_DATA or ../shared/data; what
is not there is left out, with a line that says so. For planted partitions, the F-score of Leiden
(modularity) is shown too if igraph is installed.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import spherelax as sl
from spherelax.baselines import leiden_graph, leiden_of_graph

# igraph is optional: its licence is the GPL.
HAS_IGRAPH = find_spec("igraph") is not None

DATA = Path(os.environ.get("SPHERELAX_DATA", Path(__file__).parents[2] / "shared" / "data"))

# Objects, universe, observed, shuffled; F to reach.
PARTIAL = {
    "R1": ((20, 20, 0.5, 0.3), 1.0),
    "R2": ((20, 20, 0.6, 0.5), 0.992),
    "R3": ((20, 20, 0.6, 0.7), 0.76),
    "R4": ((20, 20, 0.3, 0.4), 0.98),
    "R5": ((20, 20, 0.9, 0.7), 0.91),
    "R6": ((40, 20, 0.5, 0.7), 0.985),
    "R7": ((30, 60, 0.5, 0.4), 1.0),
}
# Rewired, missing; F to reach.
BINARY = {
    "binary .4 .2": ((0.4, 0.2), 1.0),
    "binary .6 .2": ((0.6, 0.2), 0.94),
    "binary .7 .2": ((0.7, 0.2), 0.64),
    "binary .3 .5": ((0.3, 0.5), 0.99),
    "binary .3 .8": ((0.3, 0.8), 0.71),
}
GRAPHS = {"football": 0.905, "polbooks": 0.79, "karate": 0.88, "dolphins": 0.97}
WILLOW = {"car": 1.0, "duck": 0.925, "motorbike": 0.97, "winebottle": 0.978}
HOUSE = (20, 40, 60, 80, 111)
# Point sets that settings were chosen on; the others are held out.
CHOSEN_ON = {
    *("Atom", "Chainlink", "EngyTime", "TwoDiamonds", "WingNut", "parabolic", "ring", "square"),
    *("aggregation", "jain", "pathbased", "wdbc", "mk3", "mk4", "smile"),
}


class Task(NamedTuple):
    """One problem: its family, how to solve it, and the labelings that count as right."""

    family: str
    solve: Callable[[], sl.Result]
    truths: list[np.ndarray]
    groups: np.ndarray | None = None
    target: float | None = None
    rival: Callable[[], np.ndarray] | None = None


def similarity_task(
    family: str, W: Any, truth: np.ndarray, settings: dict[str, Any], **more: Any
) -> Task:
    """Return a problem given by similarities."""
    groups = more.get("groups")
    return Task(family, lambda: sl.solve(W, groups, **settings), [truth], **more)


def matching_task(
    family: str, data: sl.datasets.MatchingData, settings: dict[str, Any], **more: Any
) -> Task:
    """Return a problem of matched images."""
    return similarity_task(
        family, data.similarity, data.labels, settings, groups=data.groups, **more
    )


def partial_matchings(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Synthetic partial multi-matching."""
    for family, ((q, universe, observed, shuffled), target) in PARTIAL.items():
        for seed in seeds:
            W, groups, truth = sl.datasets.make_partial_matching(
                q, universe, observed=observed, shuffled=shuffled, random_state=seed
            )
            yield similarity_task(family, W, truth, settings, groups=groups, target=target)


def binary_similarities(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Random binary similarities of 150 items in 5 clusters."""
    for family, ((rewired, missing), target) in BINARY.items():
        for seed in seeds:
            W, truth = sl.datasets.make_binary_similarity(
                150, 5, rewired=rewired, missing=missing, random_state=seed
            )
            yield similarity_task(family, W, truth, settings, target=target)


def house(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Keypoints of the CMU house sequence, in random order within each frame."""
    for q in HOUSE:
        for seed in seeds:
            data = sl.datasets.load_house(q, data_home=DATA, random_state=seed)
            yield matching_task(f"house {q}", data, settings, target=0.97)


def willow(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Keypoints of WILLOW-ObjectClass matched by graph matching, in random order."""
    for name, target in WILLOW.items():
        for seed in seeds:
            data = sl.datasets.load_willow(name, data_home=DATA, random_state=seed)
            yield matching_task(name, data, settings, target=target)


def graphs(_: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Labelled graphs."""
    for name, target in GRAPHS.items():
        W, truth = sl.datasets.load_graph(name, data_home=DATA)
        yield similarity_task(name, W, truth, settings, target=target, rival=lambda W=W: leiden(W))


def planted_partitions(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Planted partitions of 500 items in 10 groups with power-law degrees."""
    for sizes in ("equal", "power-law"):
        for exponent in (2.0, 2.5, 3.0):
            for mixing in (0.2, 0.35, 0.5):
                for seed in seeds:
                    W, truth = planted(sizes, exponent, mixing, seed)
                    yield similarity_task(
                        f"planted, {sizes} sizes",
                        W,
                        truth,
                        settings,
                        rival=lambda W=W: leiden(W),
                    )


def planted(sizes: str, exponent: float, mixing: float, seed: int) -> tuple[Any, np.ndarray]:
    """Draw a planted partition whose expected degrees follow a power law of mean 12."""
    rng = np.random.default_rng(seed)
    share = np.ones(10) if sizes == "equal" else (1 - rng.random(10)) ** (-1 / 1.5)
    truth = np.repeat(np.arange(10), np.maximum(10, np.rint(500 * share / share.sum())).astype(int))
    degree = np.minimum((1 - rng.random(len(truth))) ** (-1 / (exponent - 1)), 30.0)
    degree *= 12 / degree.mean()
    pairs = np.outer(degree, degree)
    inside = np.where(truth[:, None] == truth, pairs / np.bincount(truth, degree)[truth], 0.0)
    chance = mixing * pairs / degree.sum() + (1 - mixing) * inside
    half = np.triu(rng.random(chance.shape) < chance, 1)
    return sp.csr_array((half | half.T).astype(float)), truth


def weighted_graphs(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Similarities of many sizes without groups: sparse, and between all items."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(10), 50)
        same = truth[:, None] == truth
        joined = np.triu(rng.random(same.shape) < np.where(same, 0.25, 0.01), 1)
        z = rng.normal(size=same.shape)
        outlying = joined.astype(float)
        outlying[tuple(np.argwhere(joined)[0])] = 1000.0
        halves = {
            "weighted, one outlier": outlying,
            "weighted, lognormal": joined * np.exp(2.0 * z),
            "weighted, larger inside": joined * np.exp(z + same),
            "compared, sigmoid": 1.0 / (1.0 + np.exp(-z - 0.7 * same)),
            "compared, exponential": np.exp(z + 0.7 * same),
            "compared, hubs": np.exp(z + 2.0 * same + np.add.outer(*2 * [rng.normal(size=500)])),
        }
        for family, half in halves.items():
            W = sp.csr_array(np.triu(half, 1))
            W = W + W.T
            yield similarity_task(
                family, W, truth, {**settings, "kind": "graph"}, rival=lambda W=W: leiden(W)
            )
        yield texts(seed, settings)


def texts(seed: int, settings: dict[str, Any]) -> Task:
    """Return the cosines between 300 texts, drawn from some topics and words of every topic."""
    rng = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, 2001) ** 1.1
    common /= common.sum()
    topics = rng.dirichlet(150.0 * common, int(rng.integers(4, 9)))
    truth = np.sort(rng.choice(len(topics), 300, p=rng.dirichlet(np.full(len(topics), 4.0))))
    words = [rng.multinomial(rng.integers(30, 150), (topics[t] + common) / 2) for t in truth]
    used = np.array(words)
    weights = np.log1p(used) * np.log(len(used) / np.maximum((used > 0).sum(axis=0), 1))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    W = np.clip(weights @ weights.T, 0.0, 1.0)
    return similarity_task("texts, all compared", W, truth, settings, rival=lambda: leiden(W))


def leiden(W: Any) -> np.ndarray:
    """Labels of the best of three runs of Leiden for modularity."""
    graph = leiden_graph(W)
    runs = [
        leiden_of_graph(
            graph, objective="modularity", resolution=1.0, n_iterations=-1, random_state=seed
        )
        for seed in range(3)
    ]
    return max(runs, key=lambda labels: sl.metrics.modularity(W, labels))


def points(_: range, settings: dict[str, Any]) -> Iterator[Task]:
    """FCPS and labelled benchmark sets; label 0 is noise and is not scored."""
    for name in sl.datasets.POINT_SETS:
        X, truths = sl.datasets.load_points(name, data_home=DATA)
        half = "chosen on" if name in CHOSEN_ON else "left out"
        yield Task(f"points {half}", points_solver(X, settings), list(truths))


def points_solver(X: np.ndarray, settings: dict[str, Any]) -> Callable[[], sl.Result]:
    """Cluster points as the estimator does by default."""
    return lambda: sl.SphereClustering(**settings).fit(X).result_


def one_cluster(seeds: range, settings: dict[str, Any]) -> Iterator[Task]:
    """Points of one cluster: F is 1 if one label is found, less than 1 otherwise."""
    draws: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
        "one Gaussian, 2-D": lambda rng: rng.normal(size=(200, 2)),
        "one Gaussian, 3-D": lambda rng: rng.normal(size=(200, 3)),
        "one Gaussian, 10-D": lambda rng: rng.normal(size=(200, 10)),
        "one square": lambda rng: rng.random((200, 2)),
        "one Gaussian, 2-D, 1000": lambda rng: rng.normal(size=(1000, 2)),
        "one Gaussian, 10-D, 1000": lambda rng: rng.normal(size=(1000, 10)),
    }
    for family, draw in draws.items():
        for seed in seeds:
            X = draw(np.random.default_rng(seed))
            yield Task(family, points_solver(X, settings), [np.ones(len(X), dtype=int)])


FAMILIES: dict[str, Callable[[range, dict[str, Any]], Iterator[Task]]] = {
    "partial": partial_matchings,
    "house": house,
    "willow": willow,
    "binary": binary_similarities,
    "graphs": graphs,
    "planted": planted_partitions,
    "weighted": weighted_graphs,
    "points": points,
    "one": one_cluster,
}


def score(task: Task, labels: np.ndarray) -> float:
    """F-score against the best of the truths; items labelled 0 are left out of point sets."""

    def against(truth: np.ndarray) -> float:
        scored = truth > 0 if task.family.startswith("points") else np.ones(len(truth), dtype=bool)
        groups = None if task.groups is None else task.groups[scored]
        return sl.metrics.pairwise_scores(truth[scored], labels[scored], groups).f_score

    return max(map(against, task.truths))


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=9000)
    parser.add_argument("--solver", default="coordinate", choices=("coordinate", "power"))
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", sl.SphereWarning)
    seeds = range(options.seed, options.seed + options.repeats)
    rows: dict[str, list[tuple[float, ...]]] = {}
    targets: dict[str, float | None] = {}
    for name in options.only:
        try:
            for task in FAMILIES[name](seeds, {"solver": options.solver}):
                result = task.solve()
                best = max(score(task, labels) for labels in result.path.labels)
                rival = score(task, task.rival()) if task.rival and HAS_IGRAPH else np.nan
                found, n_true = score(task, result.labels), len(np.unique(task.truths[0]))
                row = found, max(best, found), result.n_labels, n_true, rival
                rows.setdefault(task.family, []).append(row)
                targets[task.family] = task.target
        except FileNotFoundError as error:
            print(f"{name}: left out; {error}", file=sys.stderr)
    print(f"{'family':28}      F   goal  best on path  labels   true  Leiden    n")
    for family, values in rows.items():
        found, best, n_labels, n_true, rival = np.mean(values, axis=0)
        goal = "" if targets[family] is None else f"{targets[family]:.3f}"
        beside = "" if np.isnan(rival) else f"{rival:.3f}"
        print(
            f"{family:28} {found:6.3f} {goal:>6} {best:7.3f} {found / best:5.3f} "
            f"{n_labels:7.1f} {n_true:6.1f} {beside:>7} {len(values):4}"
        )


if __name__ == "__main__":
    main()
