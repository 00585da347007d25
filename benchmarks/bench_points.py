"""Few and many points: whether a finer sample keeps its clusters, and how long it takes.

Run with ``python benchmarks/bench_points.py``; ``--quick`` goes up to 3,000 points. With
``--features 100`` the points are 25 Gaussians in so many dimensions, and the approximate search for
neighbours is compared with the exact one instead.

For each shape and each number of points, the median number of clusters over some seeds, the mean
adjusted Rand index (ARI), and the CPU time as a multiple of that of scikit-learn's HDBSCAN on the
same points. A finer sample of a shape must not have more clusters.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

import spherelax as sl

NUMBERS = 300, 1000, 3000, 10_000, 20_000, 50_000
QUICK_NUMBERS = 300, 1000, 3000
# None of these seeds was used to choose a constant.
FIRST_SEED = 100
# Points whose neighbours are compared with the exact ones.
SOME = 1000

Shape = tuple[NDArray[np.float64], NDArray[np.integer]]


def line(n: int, seed: int) -> Shape:
    """Return a straight line, two hundred times as long as its noise."""
    rng = np.random.default_rng(seed)
    return np.c_[10.0 * rng.random(n), 0.05 * rng.normal(size=n)], np.zeros(n, dtype=int)


def spirals(n: int, seed: int) -> Shape:
    """Return two spirals, one inside the other."""
    rng = np.random.default_rng(seed)
    which, angle = np.arange(n) % 2, 0.5 + 3.0 * np.pi * np.sqrt(rng.random(n))
    turned = angle + np.pi * which
    X = np.c_[angle * np.cos(turned), angle * np.sin(turned)]
    return X + 0.2 * rng.normal(size=X.shape), which


def one(draw: Callable[[np.random.Generator, int], NDArray[np.float64]]) -> Callable[..., Shape]:
    """Return a shape of one cluster."""
    return lambda n, seed: (draw(np.random.default_rng(seed), n), np.zeros(n, dtype=int))


SHAPES: dict[str, Callable[[int, int], Shape]] = {
    "moons": lambda n, seed: make_moons(n, noise=0.05, random_state=seed),
    "circles": lambda n, seed: make_circles(n, noise=0.05, factor=0.5, random_state=seed),
    "line": line,
    "spirals": spirals,
    "square": one(lambda rng, n: rng.random((n, 2))),
    "Gaussian": one(lambda rng, n: rng.normal(size=(n, 2))),
    "3 blobs": lambda n, seed: make_blobs(n, centers=[[0, 0], [4, 0], [2, 4]], random_state=seed),
    "3 densities": lambda n, seed: make_blobs(
        n, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=[1.0, 2.5, 0.5], random_state=seed
    ),
    "25 blobs": lambda n, seed: make_blobs(n, centers=25, cluster_std=0.5, random_state=seed),
}


def timed(fit: Callable[[], NDArray[np.integer]]) -> tuple[NDArray[np.integer], float]:
    """Return labels, and the seconds of CPU time that they took."""
    start = time.process_time()
    labels = fit()
    return labels, time.process_time() - start


def mixture(n: int, n_features: int, seed: int) -> Shape:
    """Return 25 Gaussians that overlap a little, of different sizes."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(25, size=n, p=rng.dirichlet(np.full(25, 5.0)))
    return rng.normal(size=(25, n_features))[labels] + rng.normal(size=(n, n_features)), labels


def compare_searches(n: int, n_features: int, searches: list[str]) -> None:
    """Print the seconds of both searches, the share of neighbours found, and the labels' ARI."""
    X, truth = mixture(n, n_features, FIRST_SEED)
    some = np.random.default_rng(FIRST_SEED).choice(n, size=SOME, replace=False)
    exact = NearestNeighbors(n_neighbors=11, algorithm="brute").fit(X).kneighbors(X[some])[1]
    for search in searches:
        sl.similarity.neighbor_graph(X[:SOME], search=search)  # compiles
        start = time.perf_counter()
        graph = sl.similarity.neighbor_graph(X, standardize=False, search=search)
        searched = time.perf_counter() - start
        result = sl.solve(graph)
        solved = time.perf_counter() - start
        near = graph.places.search.kneighbors()[1][some]
        found = [np.isin(*pair).mean() for pair in zip(exact[:, 1:], near, strict=True)]
        print(
            f"{n:9,} x {n_features}, {search:11}: search {searched:7.1f} s, all {solved:7.1f} s, "
            f"{np.mean(found):.3f} of the neighbours, {result.n_labels} labels, "
            f"ARI {adjusted_rand_score(truth, result.labels):.3f}",
            flush=True,
        )


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--numbers", nargs="+", type=int)
    parser.add_argument("--features", type=int)
    parser.add_argument("--searches", nargs="+", default=["exact", "approximate"])
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", sl.SphereWarning)
    sl.SphereClustering().fit(make_moons(300, noise=0.05, random_state=0)[0])
    if options.features:
        for n in options.numbers or QUICK_NUMBERS:
            compare_searches(n, options.features, options.searches)
        return
    print(f"{'shape':12} {'points':>7} clusters    ARI  HDBSCAN  times its CPU")
    for name in options.only:
        for n in options.numbers or (QUICK_NUMBERS if options.quick else NUMBERS):
            rows = []
            for seed in range(FIRST_SEED, FIRST_SEED + options.repeats):
                X, truth = SHAPES[name](n, seed)
                ours, seconds = timed(lambda X=X: sl.SphereClustering().fit(X).labels_)
                rival, their_seconds = timed(lambda X=X: HDBSCAN(copy=True).fit(X).labels_)
                scores = (adjusted_rand_score(truth, labels) for labels in (ours, rival))
                rows.append((ours.max() + 1, *scores, seconds / their_seconds))
            n_clusters, ari, rival_ari, ratio = zip(*rows, strict=True)
            print(
                f"{name:12} {n:7} {median(n_clusters):8} {np.mean(ari):6.3f} "
                f"{np.mean(rival_ari):8.3f} {median(ratio):14.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
