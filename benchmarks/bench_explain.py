"""Do explanations hold? Pairs that they name are removed or raised, and all is solved again.

Run with ``python benchmarks/bench_explain.py``; ``--seed`` takes other problems. Of each problem
some pairs and labels are explained. Then the whole problem, not only the components in question, is
solved again with all that was learnt kept: *warm* from the labels as they are, and *afresh* from
items that are all alone. Also by ``result.extend`` with the changed similarities, which moves items
but splits no label, and *anew*, by ``solve``, which learns again. The columns have the share of
explanations that name a change, the shares of all explanations whose change holds, the number of
pairs that are named, and milliseconds: the median and the 95 % quantile of an explanation with what
would have to change, and the median without. Pairs inside a group are left out, and lists that
cannot tell right pairs from wrong ones, where nothing is to be named.

With ``--large list``, or another family of `large`, one problem with 100,000 items in one component
(``labels``: labels of 5,000 items) is explained instead; it is not solved anew.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from graph_families import graphs
from group_families import problems
from list_families import few_copies, sized
from numpy.typing import NDArray

import spherelax as sl

SHARES = ("named", "warm", "afresh", "extend", "anew")
COLUMNS = ("explained", *SHARES, "pairs", "ms", "95 %", "without")
ASKED = 10  # explanations of each problem, half of items that are together
MOST_ITEMS = 1500
LARGE = ("graph", "labels", "list", "odds", "matches")


class Case(NamedTuple):
    """A problem of a family."""

    family: str
    similarity: sp.csr_array
    groups: NDArray[np.integer] | None = None
    kind: str | None = None


def cases(seed: int) -> Iterator[Case]:
    """Yield problems: matches of groups, lists with two sources and without, log odds, graphs."""
    for _, _, found in problems(range(seed, seed + 1)):
        yield Case("matches of groups", found.similarity, found.groups)
    for at in range(16):
        rng = np.random.default_rng([seed, at])
        yield two_sources(rng)
        yield log_odds(rng)
        sizes = rng.geometric(0.4, 200)
        table = sized(seed + at, "", sizes) if at % 2 else few_copies(seed + at, 0.3, 0.4)
        yield Case("lists", table.similarity, None, "pairs")
    for graph in graphs(seed):
        yield Case(
            "noise" if graph.family.startswith("noise") else "graphs",
            graph.similarity,
            None,
            "graph",
        )


def two_sources(rng: np.random.Generator, n: int = 150, k: int = 4) -> Case:
    """Make a list between two sources, most of whose items have a partner."""
    one, other = np.repeat(np.arange(n), k), n + rng.integers(n, size=n * k)
    matched = np.flatnonzero(rng.random(n) < 0.7)
    pairs = np.unique(np.c_[np.r_[one, matched], np.r_[other, n + matched]], axis=0)
    right = pairs[:, 1] == pairs[:, 0] + n
    score = 1.0 / (1.0 + np.exp(-rng.normal(size=len(pairs)) - rng.uniform(1.5, 4.0) * right))
    return Case("lists of two sources", _symmetric(2 * n, pairs, score), np.repeat([0, 1], n))


def log_odds(rng: np.random.Generator, n: int = 120) -> Case:
    """Make log odds of pairs of records of entities of a few records."""
    truth = rng.integers(n // 3, size=n)
    pairs = np.argwhere(
        np.triu(rng.random((n, n)) < np.where(truth[:, None] == truth, 0.9, 0.05), 1)
    )
    right = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    odds = rng.normal(np.where(right, 2.0, -2.0), 2.0)
    return Case("log odds", _symmetric(n, pairs, odds), None, "odds")


def large(family: str, rng: np.random.Generator, n: int = 100_000) -> Case:
    """Make a problem most of whose items hang together."""
    size, inside, outside = {
        "graph": (50, 12, 3),
        "labels": (5000, 40, 4),
        "list": (3, 4, 6),
        "odds": (4, 4, 6),
        "matches": (20, 8, 1),
    }[family]
    n = n // 5 if family == "labels" else n
    one, stranger = rng.integers(n, size=(2, n * (inside + outside) // 2))
    mate = np.minimum(one - one % size + rng.integers(size, size=len(one)), n - 1)
    other = np.where(rng.random(len(one)) * (inside + outside) < inside, mate, stranger)
    pairs = np.unique(np.sort(np.column_stack([one, other]), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    right = pairs[:, 0] // size == pairs[:, 1] // size
    odds = rng.normal(np.where(right, 3.0, -3.0), 2.0)
    if family in ("graph", "labels"):
        return Case(family, _symmetric(n, pairs, np.ones(len(pairs))), None, "graph")
    if family == "odds":
        return Case(family, _symmetric(n, pairs, odds), None, "odds")
    score = 1.0 / (1.0 + np.exp(-odds / 2.0))
    if family == "list":
        return Case(family, _symmetric(n, pairs, score), None, "pairs")
    return Case(family, _symmetric(n, pairs, score), np.arange(n) % size)


def _symmetric(n: int, pairs: NDArray[np.intp], values: NDArray[np.float64]) -> sp.csr_array:
    """Return a symmetric matrix of listed pairs."""
    half = sp.coo_array((values, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sp.csr_array(half + half.T)


def explanations(
    case: Case, result: sl.Result, rng: np.random.Generator
) -> Iterator[tuple[Any, list[float]]]:
    """Yield explanations of pairs and labels, and how long each took: with its change, without."""
    labels, listed = result.labels, case.similarity.tocoo()
    shared = np.flatnonzero(np.bincount(labels)[labels] > 1)
    apart = np.flatnonzero(labels[listed.row] != labels[listed.col])
    for at in range(ASKED):
        if at < ASKED // 2:
            if len(shared) == 0:
                continue
            a = int(rng.choice(shared))
            mates = np.flatnonzero(labels == labels[a])
            b = int(rng.choice(mates[mates != a]))
        elif at % 2 and len(apart):
            entry = int(rng.choice(apart))
            a, b = int(listed.row[entry]), int(listed.col[entry])
        else:
            a, b = map(int, rng.choice(len(labels), 2, replace=False))
        if case.groups is not None and case.groups[a] == case.groups[b]:
            continue
        begin = time.perf_counter()
        of_label = at < ASKED // 2 and at % 2
        found = result.explain(entity=int(labels[a])) if of_label else result.explain(a, b)
        if any(reason.why == "untold" for reason in found.reasons):
            continue
        without = 1e3 * (time.perf_counter() - begin)
        _ = found.change
        yield found, [1e3 * (time.perf_counter() - begin), without]


def check(case: Case, result: sl.Result, why: Any, *, is_large: bool) -> list[float]:
    """Return whether a change holds: solved warm, afresh, by ``extend``, and anew if not large."""
    frozen = result._solved.freeze(result.labels, result.path.alpha, np.arange(len(result.labels)))
    W = sp.lil_array(case.similarity, dtype=float)
    inner, unit = sp.lil_array(frozen.scores), result._solved.model.reading.unit
    change = why.change
    for matrix, score in ((W, change.score), (inner, change.score / unit)):
        for a, b in change.removed.tolist():
            matrix[a, b] = matrix[b, a] = 0.0
        for a, b in change.raised.tolist():
            matrix[a, b] = matrix[b, a] = max(matrix[a, b], score)
    changed = np.unique(np.r_[change.removed, change.raised])
    answers = frozen.solve(sp.csr_array(inner), changed)
    extended = result.extend(sp.csr_array(W), case.groups).labels
    found = [answers[0], answers[-1], extended]
    if not is_large:
        found.append(sl.solve(sp.csr_array(W), case.groups, kind=result.kind, n_jobs=1).labels)
    a, b = why.items
    held = [float((labels[a] == labels[b]) != why.are_together) for labels in found]
    return held + [np.nan] * is_large


def explain_all(case: Case, seed: int, *, is_large: bool) -> Iterator[tuple[str, list[float]]]:
    """Yield a row of the table for each explanation of a problem."""
    result = sl.solve(case.similarity, case.groups, kind=case.kind, n_jobs=1)
    for why, spent in explanations(case, result, np.random.default_rng(seed)):
        if len(why.items) == 1:
            continue
        held, n_pairs = [0.0] * 3 + [np.nan if is_large else 0.0], np.nan
        if why.change is not None:
            held = check(case, result, why, is_large=is_large)
            n_pairs = float(len(why.change.removed) + len(why.change.raised))
        state = "together" if why.are_together else "apart"
        yield f"{case.family}, {state}", [float(why.change is not None), *held, n_pairs, *spent]


def main(argv: list[str] | None = None) -> None:
    """Print a row per family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--most", type=int, help="problems of a family at most")
    parser.add_argument("--large", choices=LARGE, help="one large problem instead")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    is_large = options.large is not None
    rows: dict[str, list[list[float]]] = {}
    n_cases: dict[str, int] = {}
    one = [large(options.large, np.random.default_rng(options.seed))] if is_large else None
    for number, case in enumerate(one or cases(options.seed)):
        n_cases[case.family] = n_cases.get(case.family, 0) + 1
        too_many = options.most is not None and n_cases[case.family] > options.most
        if too_many or (not is_large and case.similarity.shape[0] > MOST_ITEMS):
            continue
        for name, row in explain_all(case, number, is_large=is_large):
            rows.setdefault(name, []).append(row)
    rows["all"] = [row for found in rows.values() for row in found]
    print(f"{'':34}" + "".join(f"{head:>10}" for head in COLUMNS))
    for name, found in rows.items():
        *shares, n_pairs, spent, without = np.array(found).T
        print(
            f"{name:34}{len(found):10}"
            + "".join(f"{share.mean():10.3f}" for share in shares)
            + f"{np.nanmean(n_pairs):10.1f}{np.median(spent):10.0f}"
            + f"{np.quantile(spent, 0.95):10.0f}{np.median(without):10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
