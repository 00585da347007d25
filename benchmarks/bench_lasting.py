"""Do answers stay when records come? Old entities that stay, and F, after 1, 10 and 50 % more.

Run with ``python benchmarks/bench_lasting.py NAME ...``; names are stems of tables in
SPHERELAX_DATA or ../shared/data, or ``songs`` for `SONGS`. Default: `TABLES`. Random records of a
table are known; the others come later, all at once. The whole table is then solved like the answer
of the known records, and afresh.

Columns: the share of old entities that stay as they are among those that no new record joins; F
over all records of the answer that was extended, and of the fresh one; and what share of the old
entities that no new record joins stays in the fresh one, if its ids are kept by overlap.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from bench_questions import load
from bench_records import DATA, Table, tables
from numpy.typing import NDArray

import spherelax as sl

TABLES = ("songs", "historical_splink_p", "10src_airports_tri_k3")
SONGS = (
    "3-grams of title, artist from 0.25",
    "words of title, artist, album from 0.25",
    "2-grams of title, artist, album from 0.4",
    "Jaccard of artist, album from 0.25",
)
GROWTH = 0.01, 0.1, 0.5
SEEDS = 3


def untouched(before: NDArray[np.integer], after: NDArray[np.integer]) -> tuple[int, int]:
    """Return how many old entities no new record joins, and how many of these are as they were.

    The items of ``before`` are the first ones of ``after``.

    Examples
    --------
    >>> untouched(np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 3, 3]))
    (2, 1)
    """
    n = len(before)
    size_before, size_after = np.bincount(before), np.bincount(after)
    has_new = np.bincount(after[n:], minlength=len(size_after)) > 0
    is_joined = np.bincount(before, weights=has_new[after[:n]]) > 0
    is_whole = size_after[after[:n]] == size_before[before]
    first = np.unique(before, return_index=True)[1]
    is_one = after[:n] == after[first[before]]
    stays = np.bincount(before, weights=is_whole & is_one) == size_before
    return int(np.sum(~is_joined)), int(np.sum(stays & ~is_joined))


def grow(table: Table, has_groups: bool, kind: str | None, growth: float, seed: int) -> list[float]:
    """Return the share that stays, F extended and afresh, and the share that stays afresh."""
    m = len(table.truth)
    order = np.random.default_rng(seed).permutation(m)
    n = round(m / (1.0 + growth))
    W, truth = table.similarity[order][:, order], table.truth[order]
    groups = table.sources[order] if has_groups else None
    some = None if groups is None else groups[:n]
    earlier = sl.solve(W[:n, :n], some, kind=kind)
    grown, fresh = earlier.extend(W, groups), sl.solve(W, groups, kind=kind)
    found = []
    for result in (grown, fresh):
        n_apart, n_same = untouched(earlier.labels, result.labels)
        f_score = sl.metrics.pairwise_scores(truth, result.labels).f_score
        found.append((n_same / max(n_apart, 1), f_score))
    (stay, extended), (stay_fresh, afresh) = found
    return [stay, extended, afresh, stay_fresh]


def read(name: str) -> list[tuple[Table, bool, str | None]]:
    """Return the tables of a name, whether they have groups, and what their scores are."""
    if name != "songs":
        return [(*load(name), "pairs")]
    songs = tables(sl.datasets.load_records(data_home=DATA))
    return [(table, True, None) for table in songs if table.name in SONGS]


def main() -> None:
    """Print a row per table and growth: means over seeds, and the lowest differences in F."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=TABLES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = ("more", "stay", "F extended", "F fresh", "difference", "lowest", "stay fresh")
    print(f"{'':44}" + "".join(f"{head:>12}" for head in heads))
    for name in given.names:
        for table, has_groups, kind in read(name):
            for growth in GROWTH:
                seeds = range(given.first, given.first + given.seeds)
                found = np.array([grow(table, has_groups, kind, growth, seed) for seed in seeds])
                stay, extended, afresh, stay_fresh = found.mean(axis=0)
                lowest = float((found[:, 1] - found[:, 2]).min())
                cells = (stay, extended, afresh, extended - afresh, lowest, stay_fresh)
                row = "".join(f"{cell:12.4f}" for cell in cells)
                print(f"{table.name:44}{growth:12.0%}{row}", flush=True)


if __name__ == "__main__":
    main()
