"""Speed of the coordinate solver compared with Leiden and other rivals on one thread, as ratios.

Run with ``make bench``, or ``make bench BENCH=full`` for sizes up to a million items. Runs that are
compared take turns. Times are medians of CPU time, or of wall time if the row says so. A ratio is
the median of the ratios of all rounds; less than 1 means that ours is faster. Leiden is one run of
igraph's ``community_leiden`` at the resolution that is best for the true labels, without the time
to build its graph. Ours is a whole ``solve`` with checks and the choice of the resolution.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import rivals
import scipy.sparse as sp
from measure import (
    Timed,
    command_line,
    cpu_of_all,
    exponent,
    first_call_seconds,
    gathered,
    in_turn,
    peak_bytes,
    script,
    warm_up,
)
from synthetic import Synthetic, matching, planted, power_law, sources
from threadpoolctl import threadpool_limits

import spherelax as sl

DATA = Path(os.environ.get("SPHERELAX_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
# The resolution of Leiden is searched on a problem that is not timed.
SEED, SEARCH_SEED = 0, 1
# Bytes of memory that a nonzero may cost: a copy of its column and value, and a little more.
NONZERO_BYTES = 9
MEGABYTE = 1e6


@dataclass(frozen=True)
class Settings:
    """Sizes of the problems; the quick ones by default."""

    repeats: int = 3
    sizes: tuple[int, ...] = (10_000, 30_000, 100_000)
    search_size: int = 10_000
    hard_size: int = 20_000
    rival_size: int = 1000
    dense_size: int = 2000
    n_small: int = 20
    sources_size: int = 600_000  # so many that threads are worth while


FULL = Settings(sizes=(10_000, 30_000, 100_000, 300_000, 1_000_000), dense_size=5000)
# Two threads and memory are measured at the largest sizes up to these.
THREADS_SIZE, MEMORY_SIZE = 300_000, 1_000_000
# Numbers in memory that are read at random: more than fit into any cache.
PLACES = 1 << 24


@dataclass(frozen=True)
class Row:
    """A line of the table; None gives an empty cell."""

    what: str
    ours: str
    rival: str = ""
    ratio: float | None = None
    target: str = ""
    f_ours: float | None = None
    f_rival: float | None = None

    def __str__(self) -> str:
        """Put the row into columns."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        scores = ["" if f is None else f"{f:.4f}" for f in (self.f_ours, self.f_rival)]
        target = f"[{self.target}]" if self.target else ""
        return (
            f"{self.what:66} {self.ours:>9} {self.rival:>9} {ratio:>7} {target:8} "
            f"{scores[0]:>7} {scores[1]:>7}"
        ).rstrip()


def scale_rows(settings: Settings) -> Iterator[Row]:
    """Compare with Leiden as problems grow."""
    for name, make in {"matching": matching, "planted partition": planted}.items():
        resolution = None
        if rivals.HAS_IGRAPH:
            small = make(settings.search_size, seed=SEARCH_SEED)
            graph = rivals.leiden_graph(small.similarity)
            resolution = rivals.best_resolution(graph, small.labels)
        n_nonzero: list[int] = []
        seconds: dict[str, list[float]] = {}
        for n_items in settings.sizes:
            problem = make(n_items, seed=SEED)
            n_nonzero.append(problem.similarity.nnz)
            timed = in_turn(_runs(problem, resolution), settings.repeats)
            for way, one in timed.items():
                seconds.setdefault(way, []).append(one.median)
            rival = timed.pop("Leiden", None)
            for way, ours in timed.items():
                what = f"{name}, m = {n_items:,}, {way} : Leiden"
                target = ".8" if way == "solve" else "1.3"
                yield _compared(what, ours, rival, problem.labels, target)
        growth = {way: exponent(n_nonzero, each) for way, each in seconds.items()}
        theirs = f"{growth.pop('Leiden'):.2f}" if "Leiden" in growth else ""
        for way, ours in growth.items():
            what = f"{name}, {way} : Leiden, exponent in nonzeros"
            yield Row(what, f"{ours:.2f}", theirs, target="1.12")


def hard_rows(settings: Settings) -> Iterator[Row]:
    """Compare F-scores with Leiden where problems are hard."""
    makers: dict[str, Callable[..., Synthetic]] = {
        "matching, 65 % wrong": partial(matching, wrong=0.65),
        "power-law cluster sizes": power_law,
    }
    for name, make in makers.items():
        problem = make(settings.hard_size, seed=SEED)
        timed = in_turn(_runs(problem, _best_resolution(problem)), 1)
        rival = timed.pop("Leiden", None)
        for way, ours in timed.items():
            what = f"{name}, m = {settings.hard_size:,}, {way} : Leiden"
            yield _compared(what, ours, rival, problem.labels)


def cost_rows(settings: Settings) -> Iterator[Row]:
    """Measure what a second thread saves, and memory."""
    places = np.random.default_rng(SEED).permutation(PLACES)
    gather = partial(gathered, np.ones(PLACES), places)
    gather(1)  # to compile it
    runs = {str(n): partial(gather, n) for n in (2, 1)}
    two, one = in_turn(runs, settings.repeats, clock=time.perf_counter).values()
    yield _compared("random reads from memory alone, two threads : one, wall", two, one)
    n_items = max(m for m in settings.sizes if m <= THREADS_SIZE)
    for name, make in {"matching": matching, "planted partition": planted}.items():
        W = make(n_items, seed=SEED).similarity
        runs = {str(n): partial(_labels, W, n_jobs=n) for n in (2, 1)}
        two, one = in_turn(runs, settings.repeats, clock=time.perf_counter).values()
        what = f"{name}, m = {n_items:,}, two threads : one, wall"
        yield _compared(what, two, one, target=".58")
    few = sources(settings.sources_size, seed=SEED)
    runs = {str(n): partial(_labels, few.similarity, few.groups, n) for n in (2, 1)}
    two, one = in_turn(runs, settings.repeats, clock=time.perf_counter).values()
    what = f"few large groups, m = {settings.sources_size:,}, two threads : one, wall"
    yield _compared(what, two, one, few.labels, target=".65")
    n_items = max(m for m in settings.sizes if m <= MEMORY_SIZE)
    problem = matching(n_items, seed=SEED)
    for way, groups in _ways(problem).items():
        peak = peak_bytes(problem.similarity, groups)
        what = f"matching, m = {n_items:,}, {way}, memory beyond the input"
        if peak is None:
            yield Row(f"{what}: needs Linux", "")
            continue
        yield Row(what, f"{peak / MEGABYTE:.1f} MB")
        per_item = (peak - NONZERO_BYTES * problem.similarity.nnz) / len(problem.labels)
        what = f"    bytes an item, beyond {NONZERO_BYTES} a nonzero"
        yield Row(what, f"{per_item:.0f} B", target="76 B")


def command_rows(settings: Settings) -> Iterator[Row]:
    """Measure what the command line adds to a solve: start, reading, writing and the summary."""
    n_items = max(settings.sizes)
    W = planted(n_items, seed=SEED).similarity
    with tempfile.TemporaryDirectory() as folder:
        matrix, edges = Path(folder, "matrix.npz"), Path(folder, "edges.csv")
        sp.save_npz(matrix, W, compressed=False)
        upper = sp.triu(W).tocoo()
        np.savetxt(edges, np.c_[upper.row, upper.col], fmt="%d", delimiter=",")
        runs: dict[str, Callable[[], np.ndarray]] = {
            "solve": partial(_labels, W),
            "a script that reads and solves": partial(script, matrix),
            **{file.name: partial(command_line, file) for file in (matrix, edges)},
        }
        timed = in_turn(runs, settings.repeats, clock=cpu_of_all)
    what = f"planted partition, m = {n_items:,}, command line"
    for file in (matrix, edges):
        yield _compared(
            f"{what}, {file.name} : solve", timed[file.name], timed["solve"], target="1.15"
        )
    other = "a script that reads and solves"
    yield _compared(f"{what}, {matrix.name} : {other}", timed[matrix.name], timed[other])


def small_rows(settings: Settings) -> Iterator[Row]:
    """Measure small and dense problems."""
    times = [
        in_turn({"ours": partial(_labels, W, groups)}, 1)["ours"].median
        for W, groups in _small_problems(settings.n_small)
    ]
    what = f"m <= 300, warm, median of {settings.n_small} problems"
    yield Row(what, _seconds(median(times)), target=".15 s")

    first_call_seconds()
    first = median(first_call_seconds() for _ in range(settings.repeats))
    yield Row("first call in a new process, with imports, wall", _seconds(first), target="2 s")

    try:
        house = sl.datasets.load_house(data_home=DATA)
    except FileNotFoundError as error:
        yield Row(str(error), "")
    else:
        run = {"ours": partial(_labels, house.similarity.toarray(), house.groups)}
        ours = in_turn(run, settings.repeats)["ours"]
        what = f"CMU house, {len(house.images)} images, m = {len(house.labels)}, groups, warm"
        yield _compared(what, ours, None, house.labels, "2 s")

    m = settings.dense_size
    contents = {
        "half of W": sl.datasets.make_binary_similarity(m, 20, rewired=0.4, random_state=SEED)[0],
        "15 a row": planted(m, seed=SEED).similarity.toarray(),
    }
    for nonzero, W in contents.items():
        runs = {"dense": partial(_labels, W), "CSR": partial(_labels, sp.csr_array(W))}
        dense, sparse = in_turn(runs, settings.repeats).values()
        yield _compared(f"m = {m}, nonzero: {nonzero}, dense : CSR", dense, sparse, target="3")


def rival_rows(settings: Settings) -> Iterator[Row]:
    """Compare with other methods, on problems that the slowest of them can solve."""
    for name, make in {"matching": matching, "planted partition": planted}.items():
        problem = make(settings.rival_size, seed=SEED)
        W, labels = problem.similarity, problem.labels
        inflation = rivals.best_inflation(W, labels)
        runs = _runs(problem, _best_resolution(problem)) | {
            "affinity propagation": partial(rivals.affinity_propagation, W),
            "spectral, told k": partial(rivals.spectral, W, len(np.unique(labels))),
            "Markov, inflation 2": partial(rivals.markov, W),
            f"Markov, best inflation {inflation:g}": partial(rivals.markov, W, inflation),
        }
        timed = in_turn(runs, settings.repeats)
        ours = timed.pop("solve")
        timed.pop("solve with groups", None)
        for rival, theirs in timed.items():
            what = f"{name}, m = {settings.rival_size:,}, solve : {rival}"
            yield _compared(what, ours, theirs, labels)


SECTIONS = {
    "scale": scale_rows,
    "hard problems": hard_rows,
    "threads and memory": cost_rows,
    "command line": command_rows,
    "small and dense": small_rows,
    "other rivals": rival_rows,
}


def main(arguments: list[str] | None = None) -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="sizes up to 100,000")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of each comparison")
    given = parser.parse_args(arguments)
    settings = Settings(**(vars(Settings() if given.quick else FULL) | {"repeats": given.repeats}))
    print_table(settings)


def print_table(settings: Settings) -> None:
    """Measure and print."""
    print(f"Medians of {settings.repeats} run(s) on {os.cpu_count()} processor(s). ", end="")
    print("Before the colon is ours, after it the rival; [target].")
    if not rivals.HAS_IGRAPH:
        print("igraph is not installed: the columns of Leiden stay empty.")
    print(f"{'':66} {'ours':>9} {'rival':>9} {'ratio':>7} {'':8} {'F ours':>7} {'F rival':>7}")
    with threadpool_limits(1):
        warm_up()
        for title, rows in SECTIONS.items():
            print(f"-- {title}", flush=True)
            for row in rows(settings):
                print(row, flush=True)


def _labels(W: object, groups: np.ndarray | None = None, n_jobs: int = 1) -> np.ndarray:
    """Solve as a user does."""
    return sl.solve(W, groups, n_jobs=n_jobs).labels


def _ways(problem: Synthetic) -> dict[str, np.ndarray | None]:
    """Return the groups to solve with, by name."""
    ways: dict[str, np.ndarray | None] = {"solve": None}
    if problem.groups is not None:
        ways["solve with groups"] = problem.groups
    return ways


def _runs(problem: Synthetic, resolution: float | None) -> dict[str, Callable[[], np.ndarray]]:
    """Return our runs of a problem, and that of Leiden where there is a resolution for it."""
    W = problem.similarity
    runs: dict[str, Callable[[], np.ndarray]] = {
        way: partial(_labels, W, groups) for way, groups in _ways(problem).items()
    }
    if resolution is not None:
        runs["Leiden"] = partial(rivals.leiden, rivals.leiden_graph(W), resolution)
    return runs


def _best_resolution(problem: Synthetic) -> float | None:
    """Return the best resolution of Leiden for a problem; None without igraph."""
    if not rivals.HAS_IGRAPH:
        return None
    return rivals.best_resolution(rivals.leiden_graph(problem.similarity), problem.labels)


def _small_problems(n: int) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Make dense problems of at most 300 items, clusterings and matchings in turn."""
    for seed in range(0, n, 2):
        yield sl.datasets.make_binary_similarity(300, 10, random_state=seed)[0], None
        W, groups, _ = sl.datasets.make_partial_matching(20, 25, random_state=seed + 1)
        yield W, groups


def _compared(
    what: str,
    ours: Timed,
    rival: Timed | None,
    labels: np.ndarray | None = None,
    target: str = "",
) -> Row:
    """Put two timed runs into a row, with their F-scores where there are true labels."""
    scores = [
        None
        if each is None or labels is None
        else sl.metrics.pairwise_scores(labels, each.value).f_score
        for each in (ours, rival)
    ]
    theirs, ratio = ("", None) if rival is None else (_seconds(rival.median), ours.ratio(rival))
    return Row(what, _seconds(ours.median), theirs, ratio, target, *scores)


def _seconds(seconds: float) -> str:
    """Write a time in a unit of its size."""
    return f"{1e3 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


if __name__ == "__main__":
    main()
