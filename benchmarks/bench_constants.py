"""How much does each constant of the default solver matter? F with each of them halved and doubled.

Run with ``python benchmarks/bench_constants.py --out constants.csv``. It takes about half an hour
of CPU time, and an interrupted run goes on where it was. ``--only STEPS TOP`` measures some
constants alone, ``--ledger docs/architecture.md`` writes values and changes into the table there.

All problems are made once; seeds are `SEEDS`. For each value of a constant a new process is forked,
which imports the solver with that value. numba copies some constants into compiled code; for those
the child compiles everything anew. F is the F-score over pairs of items (of different groups,
where there are groups), the mean over problems of a family, and overall the mean over families. The
families `TOLD` are different: their figure is the share of problems in which noise is told from
structure, and they do not count for the mean. Real data are looked for in SPHERELAX_DATA or
../shared/data; what is not there is left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Children must not wait for threads that their parent had.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import constants
import numpy as np
import reached
import scipy.sparse as sp
from bench_candidates import lists
from bench_quality import DATA, Task, planted, points_solver, score, similarity_task
from bench_records import tables
from constants import Constant
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
# Families whose figure is not F.
NOISE, STRUCTURE = "noise is called so", "structure is not"
TOLD = (NOISE, STRUCTURE)
NOTHING = "\N{EN DASH}"


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


def candidates() -> Iterator[Task]:
    """Yield lists of candidates of two sources, and of one table with duplicates."""
    for table, has_sources in lists():
        groups = table.sources if has_sources else None
        family = "candidates, two sources" if has_sources else "candidates, duplicates"
        yield similarity_task(family, table.similarity, table.truth, {}, groups=groups)


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


FAMILIES = (
    *(partial_matchings, binary_similarities, planted_partitions, images, graphs, points),
    *(one_cluster, records, many_items, noise),
)


class Answer(NamedTuple):
    """What one problem gave: its family, its figure, and a fingerprint of labels and status."""

    family: str
    figure: float
    fingerprint: str


def make_problems() -> list[Task]:
    """Make all problems; this must not import the solver."""
    tasks: list[Task] = []
    for family in FAMILIES:
        try:
            tasks += family()
        except FileNotFoundError as error:
            print(f"{family.__name__}: left out; {error}", file=sys.stderr)
    return tasks


def solve(task: Task) -> Answer:
    """Solve a problem and judge the answer."""
    result = task.solve()
    called = result.status is sl.Status.NOISE
    if task.family in TOLD:
        figure = float(called == (task.family == NOISE))
    else:
        figure = score(task, result.labels)
    seen = result.labels.astype(np.int64).tobytes() + result.status.name.encode()
    return Answer(task.family, figure, hashlib.sha1(seen).hexdigest())


def solve_unchanged(
    tasks: list[Task],
) -> tuple[list[Answer], list[Constant], dict[str, list[int]]]:
    """Return the answers, the constants, and which problems reach each; to be called in a child."""
    warnings.simplefilter("ignore")
    seen = [reached.watched(lambda task=task: solve(task)) for task in tasks]
    found, read = constants.find_constants(), reached.readers()
    reach = {}
    for constant in found:
        places = read(constant.name)
        reach[constant.name] = [
            at for at, (_, ran) in enumerate(seen) if places is None or not places.isdisjoint(ran)
        ]
    return [answer for answer, _ in seen], found, reach


def solve_changed(tasks: list[Task], constant: Constant, value: Any) -> list[Answer]:
    """Return the answers with another value of a constant; to be called in a child."""
    warnings.simplefilter("ignore")
    constants.change(constant, value)
    if not constant.is_compiled:
        return [solve(task) for task in tasks]
    import numba  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as empty:
        numba.config.CACHE_DIR = empty
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
    module: str
    variation: str
    value: str
    family: str
    n_problems: int
    n_reached: int
    n_changed: int
    before: float
    after: float


class Unchanged(NamedTuple):
    """All problems, their answers, the constants, and which problems reach each."""

    tasks: list[Task]
    answers: list[Answer]
    found: list[Constant]
    reach: dict[str, list[int]]


def compare(
    before: Unchanged, families: list[str], constant: Constant, variation: str, value: Any
) -> list[Row]:
    """Solve problems that reach a constant with another value; a row for each of the families."""
    tasks, answers = before.tasks, list(before.answers)
    at = [i for i in before.reach[constant.name] if tasks[i].family in families]
    if at:
        found = in_child(solve_changed, [tasks[i] for i in at], constant, value)
        for i, answer in zip(at, found, strict=True):
            answers[i] = answer
    rows = []
    for family in families:
        which = [i for i, task in enumerate(tasks) if task.family == family]
        old, new = ([some[i] for i in which] for some in (before.answers, answers))
        rows.append(
            Row(
                *(constant.name, constant.module, variation, constants.written(value), family),
                n_problems=len(which),
                n_reached=len(set(which) & set(at)),
                n_changed=sum(
                    a.fingerprint != b.fingerprint for a, b in zip(old, new, strict=True)
                ),
                before=round(float(np.mean([answer.figure for answer in old])), 6),
                after=round(float(np.mean([answer.figure for answer in new])), 6),
            )
        )
    return rows


def read_rows(path: Path) -> list[Row]:
    """Return the lines of a CSV, none if there is no file yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(*line[:5], *map(int, line[5:8]), *map(float, line[8:]))
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
    """Say what a value does: change of mean F, the family that changes most, noise.

    Examples
    --------
    >>> row = Row("A", "walk", "halved", "1", "points", 8, 8, 2, before=0.9, after=0.8)
    >>> effect([row, row._replace(family="house", before=0.5, after=0.5, n_changed=0)])
    '-0.050 (points -0.100)'
    """
    if not rows:
        return NOTHING
    if not any(row.n_reached for row in rows):
        return "not reached"
    if not any(row.n_changed for row in rows):
        return "same labels"
    F = {row.family: row.after - row.before for row in rows if row.family not in TOLD}
    most = max(F, key=lambda family: abs(F[family]))
    text = _signed(float(np.mean(list(F.values()))))
    if abs(F[most]) >= 0.0005:
        text += f" ({most} {_signed(F[most])})"
    told = [row for row in rows if row.family in TOLD and row.after != row.before]
    return "; ".join([text, *(f"{row.family} {_signed(row.after - row.before)}" for row in told)])


def _signed(number: float) -> str:
    """Return a number with its sign and three decimals; zero has none."""
    return "0.000" if abs(number) < 0.0005 else f"{number:+.3f}"


def measured(constant: Constant, rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of the values that stand for half and twice the present one."""
    return {
        variation: [row for row in rows if row[0] == constant.name and row[2:4] == key]
        for variation, value in constants.variations(constant).items()
        for key in [(variation, constants.written(value))]
    }


def print_table(found: list[Constant], rows: list[Row]) -> None:
    """Print a Markdown table of all constants, and the figures without a change."""
    print("| constant | value | half | F | labels changed | twice | F | labels changed |")
    print("|---|---|---|---|---|---|---|---|")
    for constant in found:
        cells = [f"`{constant.full_name}`", constants.written(constant.value)]
        for these in measured(constant, rows).values():
            n_changed, n_reached = (sum(row[at] for row in these) for at in (7, 6))
            value = these[0].value if these else NOTHING
            cells += [value, effect(these), f"{n_changed} of {n_reached}"]
        print("| " + " | ".join(cells) + " |")
    print("\n| family | problems | F, or share |\n|---|---|---|")
    for family, row in {row.family: row for row in rows}.items():
        print(f"| {family} | {row.n_problems} | {row.before:.3f} |")


def update_ledger(path: Path, found: list[Constant], rows: list[Row]) -> None:
    """Write values and effects into the table of a page; words, and what is not measured, stay."""
    known = {constant.full_name: constant for constant in found}

    def cells(name: str, old: list[str]) -> list[str]:
        if name not in known:
            return old
        both = measured(known[name], rows).values()
        new = [effect(these) if these else cell for these, cell in zip(both, old[-2:], strict=True)]
        return [constants.written(known[name].value), *old[1:-2], *new]

    text = path.read_text(encoding="utf-8")
    path.write_text(constants.rewrite_ledger(text, cells), encoding="utf-8")


def measure(path: Path, only: list[str]) -> list[Constant]:
    """Measure what a CSV does not have yet, and return all constants."""
    tasks = make_problems()
    before = Unchanged(tasks, *in_child(solve_unchanged, tasks))
    names = [constant.name for constant in before.found]
    if len(set(names)) < len(names):
        raise ValueError("two constants of one name: the CSV could not tell them apart")
    done = {(row.name, row.variation, row.value, row.family) for row in read_rows(path)}
    began = time.monotonic()
    # Those that take longest come last.
    for constant in sorted(before.found, key=lambda constant: constant.is_compiled):
        for variation, value in constants.variations(constant).items():
            key = (constant.name, variation, constants.written(value))
            families = [
                family
                for family in dict.fromkeys(task.family for task in tasks)
                if (*key, family) not in done
            ]
            if value is None or not families or (only and constant.name not in only):
                continue
            try:
                rows = compare(before, families, constant, variation, value)
            except RuntimeError as error:
                print(f"{constant.full_name} {variation}: {error}", file=sys.stderr)
                continue
            add_rows(path, rows)
            text = f"{constant.full_name} {variation}, {key[2]}: {effect(rows)}"
            print(f"{time.monotonic() - began:6.0f} s  {text}", file=sys.stderr, flush=True)
    return before.found


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, print the table, and fill in the ledger if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("constants.csv"))
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--ledger", type=Path, metavar="FILE")
    parser.add_argument("--table", action="store_true", help="print what there is; solve nothing")
    options = parser.parse_args(argv)
    if options.table:
        found = in_child(constants.find_constants)
    else:
        found = measure(options.out, options.only)
    rows = read_rows(options.out)
    print_table(found, rows)
    if options.ledger:
        update_ledger(options.ledger, found, rows)


if __name__ == "__main__":
    main()
