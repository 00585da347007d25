"""How CPU time grows with the number of similarities, for shapes that are bad for some algorithm.

Each shape is solved at three sizes, in several ways: as plain matches, at a low resolution, with
scores, with groups, and as scored candidates whose labels are then judged. The last column is the
exponent of the power law that fits the CPU seconds: 1 is linear, 2 quadratic in the similarities.
What every solve costs, however small, is taken off first.

    python benchmarks/bench_adversarial.py --pairs 64000 256000 --only star path
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from measure import exponent, warm_up
from threadpoolctl import threadpool_limits

import spherelax as sl

SEED = 0
PAIRS = 16_000, 64_000, 256_000
# A resolution at which nearly all that is connected joins.
LOW = 1e-3
CLIQUE = 10
NEIGHBORS = 4
SHARED = 10
# With a way that took longer than this number of seconds, no larger size is tried.
PATIENCE = 30.0


class Shape(NamedTuple):
    """Pairs of items, each once, and a group of each item."""

    one: np.ndarray
    other: np.ndarray
    groups: np.ndarray


def star(n: int) -> Shape:
    """One item is similar to all others, which are in one group."""
    return Shape(np.zeros(n, int), np.arange(1, n + 1), np.r_[0, np.ones(n, int)])


def two_hubs(n: int) -> Shape:
    """Two items are similar to all others, which are in one group."""
    n_others = n // 2
    one, other = np.divmod(np.arange(2 * n_others), n_others)
    return Shape(one, other + 2, np.r_[0, 0, np.ones(n_others, int)])


def one_group(n: int) -> Shape:
    """All items of a group are similar to the same few items, which are free."""
    n_group = n // SHARED
    one, other = np.divmod(np.arange(n_group * SHARED), SHARED)
    return Shape(one, n_group + other, np.r_[np.zeros(n_group, int), 1 + np.arange(SHARED)])


def free_and_group(n: int) -> Shape:
    """Free items are each similar to one item of a group that comes after them."""
    return Shape(np.arange(n), n + np.arange(n), np.r_[np.arange(n), np.full(n, n)])


def pairs_of_groups(n: int) -> Shape:
    """Each two items are a group, and similar to two items of the next group."""
    item = np.arange(n)
    return Shape(item, item + 2, np.arange(n + 2) // 2)


def path(n: int) -> Shape:
    """Each item is similar to the next one; two groups alternate."""
    return Shape(np.arange(n), np.arange(1, n + 1), np.arange(n + 1) % 2)


def ladder(n: int) -> Shape:
    """Each item of a group is similar to two items of another: a chain of contests."""
    item = np.arange(n // 2)
    one, other = np.r_[item, item], np.r_[item, item + 1] + len(item)
    return Shape(one, other, np.repeat([0, 1], [len(item), len(item) + 1]))


def clique(n: int) -> Shape:
    """All items are similar to each other; groups are as many as their items."""
    m = round(np.sqrt(2 * n)) + 1
    return Shape(*np.triu_indices(m, 1), np.arange(m) % round(np.sqrt(m)))


def bipartite(n: int) -> Shape:
    """All items of one group are similar to all of another."""
    m = round(np.sqrt(n))
    one, other = np.divmod(np.arange(m * m), m)
    return Shape(one, m + other, np.repeat([0, 1], m))


def all_equal(n: int) -> Shape:
    """Items in a ring are similar to the next few, so that no item differs from another."""
    m = NEIGHBORS + 1
    m *= round(n / NEIGHBORS / m)
    one, step = np.divmod(np.arange(NEIGHBORS * m), NEIGHBORS)
    return Shape(one, (one + 1 + step) % m, np.arange(m) % (NEIGHBORS + 1))


def power_law(n: int) -> Shape:
    """Each new item is similar to some older ones, the more similar ones first; five groups."""
    rng, m = np.random.default_rng(SEED), n // NEIGHBORS
    one = np.repeat(np.arange(1, m), NEIGHBORS)
    other = (one * rng.random(len(one)) ** 3).astype(int)
    pairs = np.unique(np.c_[other, one], axis=0)
    return Shape(*pairs.T, rng.integers(5, size=m))


def twins(n: int) -> Shape:
    """Each item of a random graph has an exact twin; five groups."""
    rng = np.random.default_rng(SEED)
    m = n // (4 * NEIGHBORS) + 3
    drawn = np.sort(rng.integers(m, size=(NEIGHBORS * m, 2)), axis=1)
    one, other = np.unique(drawn[drawn[:, 0] < drawn[:, 1]], axis=0).T
    twin = np.arange(m)
    return Shape(
        np.r_[one, one, one + m, one + m, twin],
        np.r_[other, other + m, other, other + m, twin + m],
        rng.integers(5, size=2 * m),
    )


def chain_of_cliques(n: int) -> Shape:
    """Complete parts of ten items, each joined to the next by one similarity; ten groups."""
    a, b = np.triu_indices(CLIQUE, 1)
    starts = CLIQUE * np.arange(max(n // (len(a) + 1), 1))
    one, other = (np.add.outer(starts, each).ravel() for each in (a, b))
    one, other = np.r_[one, starts[1:] - 1], np.r_[other, starts[1:]]
    return Shape(one, other, np.arange(CLIQUE * len(starts)) % CLIQUE)


SHAPES: dict[str, Callable[[int], Shape]] = {
    "star": star,
    "two hubs": two_hubs,
    "one group of equal items": one_group,
    "free items, then a group": free_and_group,
    "groups of two": pairs_of_groups,
    "path": path,
    "ladder": ladder,
    "clique": clique,
    "complete bipartite": bipartite,
    "all equal": all_equal,
    "power law": power_law,
    "twins": twins,
    "chain of cliques": chain_of_cliques,
}


def plain(shape: Shape) -> Any:
    """Solve with all similarities equal."""
    return sl.solve(_similarity(shape, scored=False), n_jobs=1)


def low(shape: Shape) -> Any:
    """Solve at a low resolution, where nearly all joins."""
    return sl.solve(_similarity(shape, scored=False), pick=LOW, n_jobs=1)


def scored(shape: Shape) -> Any:
    """Solve with random similarities."""
    return sl.solve(_similarity(shape, scored=True), kind="graph", n_jobs=1)


def grouped(shape: Shape) -> Any:
    """Solve with groups."""
    return sl.solve(_similarity(shape, scored=False), shape.groups, n_jobs=1)


def grouped_low(shape: Shape) -> Any:
    """Solve with groups, at a low resolution."""
    return sl.solve(_similarity(shape, scored=False), shape.groups, pick=LOW, n_jobs=1)


def grouped_scored(shape: Shape) -> Any:
    """Solve with groups and random similarities."""
    W = _similarity(shape, scored=True)
    return sl.solve(W, shape.groups, kind="graph", n_jobs=1).confidence


def candidates(shape: Shape) -> Any:
    """Solve random scores of candidates, and judge the labels."""
    return sl.solve(_similarity(shape, scored=True), kind="pairs", n_jobs=1).confidence


def grouped_candidates(shape: Shape) -> Any:
    """Solve random scores of candidates with groups, and judge the labels."""
    W = _similarity(shape, scored=True)
    return sl.solve(W, shape.groups, kind="pairs", n_jobs=1).confidence


WAYS: dict[str, Callable[[Shape], Any]] = {
    "plain": plain,
    "low": low,
    "scored": scored,
    "groups": grouped,
    "groups, low": grouped_low,
    "groups, scored": grouped_scored,
    "pairs": candidates,
    "groups, pairs": grouped_candidates,
}


def _similarity(shape: Shape, *, scored: bool) -> sp.csr_array:
    """Return the similarity of a shape, of random sizes if wanted."""
    m, n = len(shape.groups), len(shape.one)
    values = np.random.default_rng(SEED).uniform(0.1, 1.0, n) if scored else np.ones(n)
    half = sp.coo_array((values, (shape.one, shape.other)), shape=(m, m))
    return sp.csr_array(half + half.T)


def seconds(run: Callable[[Shape], Any], shape: Shape) -> float:
    """Return the CPU seconds of a run."""
    began = time.process_time()
    run(shape)
    return time.process_time() - began


def grown(make: Callable[[int], Shape], run: Callable[[Shape], Any], pairs: list[int]) -> str:
    """Return the CPU seconds at each size, and their exponent in the number of similarities."""
    for n in (50, pairs[0]):
        run(make(n))  # compiles what few and many items need
    least, taken, sizes = seconds(run, make(50)), list[float](), list[int]()
    for n in pairs:
        shape = make(n)
        taken.append(max(seconds(run, shape) - least, 1e-3))
        sizes.append(len(shape.one))
        if taken[-1] > PATIENCE:
            break
    times = "".join(f"{one:9.2f}" for one in taken) + " " * 9 * (len(pairs) - len(taken))
    return f"{times}{exponent(sizes, taken):9.2f}" if len(taken) > 1 else times


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, nargs="+", default=list(PAIRS))
    parser.add_argument("--only", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore", sl.SphereWarning)
    print(f"{'':44}" + "".join(f"{n:>9,}" for n in given.pairs) + " exponent")
    with threadpool_limits(1):
        warm_up()
        for name in given.only:
            for way in given.ways:
                times = grown(SHAPES[name], WAYS[way], given.pairs)
                print(f"{name:28}{way:16}{times}", flush=True)


if __name__ == "__main__":
    main()
