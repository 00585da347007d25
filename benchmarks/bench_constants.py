"""How much does each constant of the default solver matter? Each of them is halved and doubled.

Run with ``python benchmarks/bench_constants.py --out constants.csv``. What ``docs/constants.toml``
calls not measured is measured, but for what is going to be replaced, and written into it. An
interrupted run goes on where it was. ``--only walk.STEPS walk.TOP`` measures these again.

The ledger says what sees a constant, and so which problems measure it. Labels: F, the F-score over
pairs of items (of different groups, where there are groups), the mean over problems of a family.
Status: the share of problems of which the right thing is said: that noise is noise and structure is
not, and that there is another answer, where F is below `DOUBTFUL` and only there. Calibration: the
expected calibration error of a family, in ten bins of confidence; more is worse.

All problems of a ruler are made once; seeds are `SEEDS`. Only those that reach a constant are
solved again. For each value a new process is forked, which imports the package with that value;
compiled functions that hold a copy of it are compiled anew. Real data are looked for in
SPHERELAX_DATA or ../shared/data; what is not there is left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

# Children must not wait for threads that their parent had.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import bench_calibration
import constants
import numpy as np
import reached
import scipy.sparse as sp
from bench_quality import (
    BINARY,
    DATA,
    PARTIAL,
    Task,
    planted,
    points_solver,
    score,
    similarity_task,
)
from bench_records import tables
from constants import Constant
from sklearn.datasets import make_blobs, make_moons
from synthetic import matching, power_law
from synthetic import planted as planted_many

import spherelax as sl

SEEDS = range(5000, 5003)
# Four sets that the constants were chosen on, and four that were left out.
POINTS_CHOSEN_ON = ("aggregation", "pathbased", "TwoDiamonds", "mk3")
POINTS_LEFT_OUT = ("flame", "spiral", "Lsun3D", "r15")
# Sets of 1000 points and more, one of each kind.
MORE_POINTS = ("mk4", "fuzzyx")
# Tables of scored pairs, by their place among those of `bench_records`: some of the hard ones.
TABLES = (2, 14, 36, 45)
# Number of items that is more than `spherelax.coordinate.walk.MANY`.
MANY = 6000
# Families whose figure is not F: shares of problems of which the right thing is said, and errors.
NOISE, STRUCTURE = "noise is called so", "structure is not"
ALTERNATIVE = "another answer: "
SAID = "confidence: "
# An answer with a lower F should name another one.
DOUBTFUL = 0.8


def scored(W: Any, truth: np.ndarray, seed: int) -> sp.csr_array:
    """Give matches random scores, to right ones larger ones on average (2/3 against 1/3)."""
    half = sp.triu(sp.csr_array(W)).tocoo()
    right = truth[half.row] == truth[half.col]
    rng = np.random.default_rng(seed)
    data = np.where(right, rng.beta(4, 2, half.nnz), rng.beta(2, 4, half.nnz))
    half = sp.coo_array((data, (half.row, half.col)), shape=half.shape).tocsr()
    return (half + half.T).tocsr()


def partial_matchings() -> Iterator[Task]:
    """Partial matching at three levels of noise, plain and with scores."""
    for shuffled in (0.4, 0.6, 0.7):
        for seed in SEEDS:
            W, groups, truth = sl.datasets.make_partial_matching(
                20, 20, observed=0.6, shuffled=shuffled, random_state=seed
            )
            yield similarity_task("partial matching", W, truth, {}, groups=groups)
            if shuffled == 0.7:
                S = scored(W, truth, seed)
                yield similarity_task("scored matching", S, truth, {}, groups=groups)


def binary_similarities() -> Iterator[Task]:
    """Binary similarities of 150 items."""
    for rewired, missing in ((0.6, 0.2), (0.7, 0.2), (0.3, 0.8)):
        for seed in SEEDS:
            W, truth = sl.datasets.make_binary_similarity(
                150, 5, rewired=rewired, missing=missing, random_state=seed
            )
            yield similarity_task("binary similarities", W, truth, {})


def planted_partitions() -> Iterator[Task]:
    """Planted partitions of 500 items with power-law degrees."""
    for sizes in ("equal", "power-law"):
        for mixing in (0.35, 0.5):
            for seed in SEEDS[:2]:
                W, truth = planted(sizes, 2.5, mixing, seed)
                yield similarity_task("uneven degrees", W, truth, {})


def images() -> Iterator[Task]:
    """Keypoints of photographs, matched."""
    for seed in SEEDS[:2]:
        house = sl.datasets.load_house(20, data_home=DATA, random_state=seed)
        yield similarity_task("house", house.similarity, house.labels, {}, groups=house.groups)
        for name in ("car", "duck"):
            W, groups, truth, *_ = sl.datasets.load_willow(name, data_home=DATA, random_state=seed)
            yield similarity_task("WILLOW", W, truth, {}, groups=groups)


def graphs() -> Iterator[Task]:
    """Labelled graphs."""
    for name in ("football", "polbooks", "karate", "dolphins"):
        W, truth = sl.datasets.load_graph(name, data_home=DATA)
        yield similarity_task("labelled graphs", W, truth, {})


def points() -> Iterator[Task]:
    """Labelled points, four sets that constants were chosen on and four others."""
    for name in POINTS_CHOSEN_ON + POINTS_LEFT_OUT:
        X, truths = sl.datasets.load_points(name, data_home=DATA)
        yield Task("points", points_solver(X, {}), list(truths))
    for name in MORE_POINTS:
        X, truths = sl.datasets.load_points(name, data_home=DATA)
        yield Task("points, 1000 or more", points_solver(X, {}), list(truths))


def one_cluster() -> Iterator[Task]:
    """Points of one cluster."""
    for seed, n_features in zip(SEEDS, (2, 3, 10), strict=True):
        X = np.random.default_rng(seed).normal(size=(200, n_features))
        yield Task("one Gaussian", points_solver(X, {}), [np.ones(len(X), dtype=int)])


def records() -> Iterator[Task]:
    """Scored pairs of the songs that constants were chosen on."""
    for at, table in enumerate(tables(sl.datasets.load_records(data_home=DATA), "chosen-on")):
        if at in TABLES:
            yield similarity_task(
                "records", table.similarity, table.truth, {}, groups=table.sources
            )


def many_items() -> Iterator[Task]:
    """More items than are updated one by one."""
    seed = SEEDS[0]
    for make, wrong in ((planted_many, 0.5), (power_law, 0.3), (matching, 0.6)):
        W, truth, groups = make(MANY, wrong=wrong, seed=seed)
        yield similarity_task("many items", W, truth, {})
        if groups is not None:
            yield similarity_task("many items, groups", W, truth, {}, groups=groups)
            S = scored(W, truth, seed)
            yield similarity_task("many items, scores", S, truth, {}, groups=groups)
    for seed in range(SEEDS[0] + 1, SEEDS[0] + 5):
        W, truth, _ = power_law(MANY, wrong=0.3, seed=seed)
        yield similarity_task("many items, power-law sizes", W, truth, {})


def noise() -> Iterator[Task]:
    """Problems without structure, and some with a little."""
    for seed in SEEDS:
        for family, shuffled, items in ((NOISE, 1.0, 10), (STRUCTURE, 0.65, 20)):
            W, groups, truth = sl.datasets.make_partial_matching(
                12, items, observed=0.6, shuffled=shuffled, random_state=seed
            )
            yield similarity_task(family, W, truth, {}, groups=groups)
            S = scored(W, np.zeros(len(truth)) if family == NOISE else truth, seed)
            yield similarity_task(family, S, truth, {}, groups=groups)
        for degree in (4, 8):
            half = np.triu(np.random.default_rng(seed).random((200, 200)) < degree / 200, 1)
            yield similarity_task(NOISE, (half | half.T).astype(float), np.zeros(200, int), {})


def more_points() -> Iterator[Task]:
    """Points of many dimensions, and points that are contracted to cells."""
    for n_features, spread in ((5, 3.0), (10, 5.0), (20, 7.0), (50, 10.0)):
        X, truth = make_blobs(500, n_features, centers=5, cluster_std=spread, random_state=SEEDS[0])
        yield Task("points of many dimensions", points_solver(X, {}), [truth + 1])
    X, truth = make_blobs(9000, centers=12, cluster_std=0.7, random_state=SEEDS[0])
    yield Task("points, 9000", points_solver(X, {}), [truth + 1])
    X, truth = make_moons(9000, noise=0.1, random_state=SEEDS[0])
    yield Task("points, 9000", points_solver(X, {}), [truth + 1])


def uncertain() -> Iterator[Task]:
    """Yield problems of every kind: another answer should be named where labels are wrong."""
    problems = (binary_similarities, planted_partitions, graphs, points, one_cluster)
    for task in (task for family in problems for task in family()):
        yield task._replace(family=f"{ALTERNATIVE}{task.family}")


def confidences() -> Iterator[Task]:
    """Yield a few problems of the families of `bench_calibration`."""
    drawn = bench_calibration.Drawn(range(SEEDS[0], SEEDS[0] + 2), "held-out")
    for name in ("R2", "R3", "R5"):
        (q, universe, observed, shuffled), _ = PARTIAL[name]
        for seed in drawn.seeds:
            W, groups, truth = sl.datasets.make_partial_matching(
                q, universe, observed=observed, shuffled=shuffled, random_state=seed
            )
            yield similarity_task(f"{SAID}matching", W, truth, {}, groups=groups)
    for sizes, mixing in product(("equal", "power-law"), (0.35, 0.5, 0.6)):
        W, truth = planted(sizes, 2.5, mixing, SEEDS[0])
        yield similarity_task(f"{SAID}graphs", W, truth, {"kind": "graph"})
    for (rewired, missing), _ in BINARY.values():
        W, truth = sl.datasets.make_binary_similarity(
            150, 5, rewired=rewired, missing=missing, random_state=SEEDS[0]
        )
        yield similarity_task(f"{SAID}graphs", W, truth, {})
    for n_gaussians in (1, 2, 5, 8):
        for _, X, truth in islice(bench_calibration.mixtures(drawn, n_gaussians), 0, None, 3):
            yield Task(f"{SAID}points", points_solver(X, {}), [truth])
    for _, X, truth in islice(bench_calibration.shapes(drawn), 8):
        yield Task(f"{SAID}points", points_solver(X, {}), [truth])
    for task in records():
        yield task._replace(family=f"{SAID}records")


# Problems by what they measure.
FAMILIES = {
    "labels": (
        *(partial_matchings, binary_similarities, planted_partitions, images, graphs, points),
        *(one_cluster, more_points, records, many_items),
    ),
    "status": (noise, uncertain),
    "calibration": (confidences,),
}


class Answer(NamedTuple):
    """What one problem gave: its family, its figure, a fingerprint; confidences and the truth."""

    family: str
    figure: float
    fingerprint: str
    said: np.ndarray | None = None
    right: np.ndarray | None = None


def make_problems(ruler: str, most: int, families: list[str]) -> list[Task]:
    """Make the problems that measure one thing: of some families some, evenly spaced."""
    tasks: list[Task] = []
    for family in FAMILIES[ruler]:
        try:
            tasks += family()
        except FileNotFoundError as error:
            print(f"{family.__name__}: left out; {error}", file=sys.stderr)
    by_family: dict[str, list[Task]] = {}
    for task in tasks:
        if not families or task.family in families:
            by_family.setdefault(task.family, []).append(task)
    spaced = {len(some): np.arange(most) * len(some) // most for some in by_family.values()}
    return [some[at] for some in by_family.values() for at in dict.fromkeys(spaced[len(some)])]


def solve(task: Task) -> Answer:
    """Solve a problem and judge the answer."""
    result = task.solve()
    seen = result.labels.astype(np.int64).tobytes() + result.status.name.encode()
    if task.family.startswith(SAID):
        right = sl.metrics.correctness(task.truths[0], result.labels).items
        seen += result.confidence.tobytes()
        fingerprint = hashlib.sha1(seen).hexdigest()
        return Answer(task.family, np.nan, fingerprint, result.confidence, right)
    if task.family in (NOISE, STRUCTURE):
        figure = float((result.status.name == "NOISE") == (task.family == NOISE))
    elif task.family.startswith(ALTERNATIVE):
        family = task.family.removeprefix(ALTERNATIVE)
        is_doubtful = score(task._replace(family=family), result.labels) < DOUBTFUL
        figure = float((result.alternative is not None) == is_doubtful)
        seen += str(result.alternative).encode()
    else:
        figure = score(task, result.labels)
    return Answer(task.family, figure, hashlib.sha1(seen).hexdigest())


def figure(answers: list[Answer]) -> float:
    """Return the mean F or share of a family; of confidences, the calibration error."""
    if answers[0].said is None:
        return float(np.mean([answer.figure for answer in answers]))
    said, right = (np.concatenate([answer[at] for answer in answers]) for at in (3, 4))
    return float(sl.metrics.reliability(said, right).error)


def solve_unchanged(tasks: list[Task], only: list[str]) -> Unchanged:
    """Return the answers, the constants, and which problems reach each; to be called in a child."""
    warnings.simplefilter("ignore")
    seen = [reached.watched(lambda task=task: solve(task)) for task in tasks]
    found, readers = constants.find_constants(), reached.Readers()
    if only:
        found = [constant for constant in found if constant.full_name in only]
    reach = {}
    for constant in found:
        places = readers.places(constant)
        reach[constant.full_name] = [
            at for at, (_, ran) in enumerate(seen) if places is None or not places.isdisjoint(ran)
        ]
    kernels = {constant.full_name: readers.kernels(constant) for constant in found}
    return Unchanged([answer for answer, _ in seen], found, reach, kernels)


def solve_changed(
    tasks: list[Task], constant: Constant, kernels: set[tuple[str, str]], value: Any
) -> list[Answer]:
    """Return the answers with another value of a constant; to be called in a child."""
    warnings.simplefilter("ignore")
    constants.change(constant, value)
    if kernels:  # machine code that holds the old value is neither used nor replaced
        from numba.core.caching import NullCache  # noqa: PLC0415

        for module, name in kernels:
            getattr(import_module(module), name)._cache = NullCache()
    return [solve(task) for task in tasks]


def in_child(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a forked process, so that nothing of it stays."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def call() -> None:
        try:
            sender.send((function(*arguments), None))
        except BaseException:
            sender.send((None, traceback.format_exc()))

    child = context.Process(target=call, daemon=True)
    child.start()
    sender.close()
    try:
        answer, fault = receiver.recv()
    except EOFError:
        answer, fault = None, "the process ended early"
    child.join()
    if fault:
        raise RuntimeError(fault)
    return answer


class Row(NamedTuple):
    """A line of the CSV: what a value of a constant does to a family."""

    name: str
    variation: str
    value: str
    family: str
    n_problems: int
    n_reached: int
    n_changed: int
    before: float
    after: float


class Unchanged(NamedTuple):
    """Answers, constants, which problems reach each, and which kernels hold a copy of each."""

    answers: list[Answer]
    found: list[Constant]
    reach: dict[str, list[int]]
    kernels: dict[str, set[tuple[str, str]]]


def compare(
    tasks: list[Task], before: Unchanged, constant: Constant, variation: str, value: Any
) -> list[Row]:
    """Solve problems that reach a constant with another value; a row for each family."""
    name, answers = constant.full_name, list(before.answers)
    at = before.reach[name]
    if at:
        some = [tasks[i] for i in at]
        found = in_child(solve_changed, some, constant, before.kernels[name], value)
        for i, answer in zip(at, found, strict=True):
            answers[i] = answer
    rows = []
    for family in dict.fromkeys(task.family for task in tasks):
        which = [i for i, task in enumerate(tasks) if task.family == family]
        old, new = ([some[i] for i in which] for some in (before.answers, answers))
        rows.append(
            Row(
                *(name, variation, constants.written(value), family),
                n_problems=len(which),
                n_reached=len(set(which) & set(at)),
                n_changed=sum(
                    a.fingerprint != b.fingerprint for a, b in zip(old, new, strict=True)
                ),
                before=round(figure(old), 6),
                after=round(figure(new), 6),
            )
        )
    return rows


def read_rows(path: Path) -> list[Row]:
    """Return the lines of a CSV, none if there is no file yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(*line[:4], *map(int, line[4:7]), *map(float, line[7:]))
            for line in list(csv.reader(file))[1:]
        ]


def add_rows(path: Path, rows: list[Row]) -> None:
    """Append lines to a CSV, whose first line are the names of the columns."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(Row._fields)
        writer.writerows(rows)


def effect(rows: list[Row]) -> str:
    """Say what a value does: change of the mean figure, and the family that changes most.

    Examples
    --------
    >>> row = Row("walk.A", "halved", "1", "points", 8, 8, 2, before=0.9, after=0.8)
    >>> effect([row, row._replace(family="house", before=0.5, after=0.5, n_changed=0)])
    '-0.050 (points -0.100)'
    """
    if not any(row.n_reached for row in rows):
        return "not reached"
    if not any(row.n_changed for row in rows):
        return "same"
    change = {row.family: row.after - row.before for row in rows}
    most = max(change, key=lambda family: abs(change[family]))
    text = _signed(float(np.mean(list(change.values()))))
    return f"{text} ({most} {_signed(change[most])})" if abs(change[most]) >= 0.0005 else text


def _signed(number: float) -> str:
    """Return a number with its sign and three decimals; zero has none."""
    return "0.000" if abs(number) < 0.0005 else f"{number:+.3f}"


def ruler(row: dict[str, Any]) -> str:
    """Return which problems measure a constant: what should not be seen is measured by labels."""
    return row["seen_by"] if row["seen_by"] in FAMILIES else "labels"


def update_ledger(path: Path, rows: list[Row]) -> None:
    """Write effects into the ledger; what was not measured stays as it is."""
    table = constants.read_table(path)
    for name, row in table["constant"].items():
        for variation in ("halved", "doubled"):
            of_it = [one for one in rows if (one.name, one.variation) == (name, variation)]
            if of_it:
                row[variation] = effect(of_it)
    path.write_text(constants.write_table(table), encoding="utf-8")


def measure(path: Path, only: list[str], most: int, families: list[str]) -> None:
    """Measure what the ledger and a CSV do not have yet."""
    table = constants.read_table(constants.LEDGER)["constant"]
    done = {(row.name, row.variation) for row in read_rows(path)}
    wanted = {
        name: row
        for name, row in table.items()
        if name in only
        or (
            not only
            and not row.get("replaced")
            and constants.NOT_MEASURED in (row["halved"], row["doubled"])
        )
    }
    began = time.monotonic()
    constants.find_constants()  # imports other packages once, before processes are forked
    for which in FAMILIES:
        names = [name for name, row in wanted.items() if ruler(row) == which]
        names = [name for name in names if {(name, "halved"), (name, "doubled")} - done]
        if not names:
            continue
        tasks = make_problems(which, most, families)
        before = in_child(solve_unchanged, tasks, names)
        print(f"{time.monotonic() - began:6.0f} s  {which}: {len(tasks)} problems", flush=True)
        # Those that take longest come last.
        for constant in sorted(before.found, key=lambda constant: constant.is_compiled):
            name = constant.full_name
            for variation, value in constants.variations(constant, table[name]).items():
                if value is None or (name, variation) in done:
                    continue
                try:
                    rows = compare(tasks, before, constant, variation, value)
                except RuntimeError as error:
                    print(f"{name} {variation}: {error}", file=sys.stderr)
                    continue
                add_rows(path, rows)
                text = f"{name} {variation}, {constants.written(value)}: {effect(rows)}"
                print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, and fill in the ledger."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("constants.csv"))
    parser.add_argument("--only", nargs="+", default=[], metavar="module.NAME")
    parser.add_argument("--most", type=int, default=8, help="problems of a family, at most")
    parser.add_argument("--families", nargs="+", default=[], help="of these families alone")
    parser.add_argument("--update", action="store_true", help="write what there is; solve nothing")
    options = parser.parse_args(argv)
    if not options.update:
        measure(options.out, options.only, options.most, options.families)
    update_ledger(constants.LEDGER, read_rows(options.out))


if __name__ == "__main__":
    main()
