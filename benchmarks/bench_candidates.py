"""How good are entities from lists of candidates? F over tables of scored pairs.

Run with ``python benchmarks/bench_candidates.py``. The tables are looked for in SPHERELAX_DATA or
../shared/data: candidate pairs of two sources, and of one table with duplicates. spherelax gets no
threshold; tables of two sources are also solved without the sources. It is compared with single
best links (pairs are joined from the highest score to the lowest, unless a source would be in an
entity twice), once all and once down to the best threshold, and with connected components at the
best threshold; both thresholds are known only if the truth is known. The calibration error is the
mean difference between the probability of listed pairs and the share that is right, in ten bins.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_records import DATA, Table, best_components, single_best_links
from numpy.typing import NDArray

import spherelax as sl

FOLDER = DATA / "entity_resolution" / "scored_pairs"
N_BINS = 10


class List(NamedTuple):
    """A table of scored pairs, and whether its sources hold an entity at most once."""

    table: Table
    has_sources: bool


def lists() -> Iterator[List]:
    """Yield the tables of scored pairs."""
    for path in sorted(FOLDER.glob("*.npz")):
        with np.load(path) as file:
            m = len(file["truth"])
            half = sp.coo_array((file["score"].astype(float), (file["i"], file["j"])), shape=(m, m))
            table = Table(path.stem, sp.csr_array(half + half.T), file["source"], file["truth"])
            yield List(table, bool(file["duplicate_free"]))


def calibration_error(result: sl.Result, truth: NDArray[np.integer]) -> float:
    """Return how far probabilities are from shares of right pairs, over the listed pairs."""
    P = result.match_probability()
    if P is None:
        return np.nan
    pairs = sp.triu(P).tocoo()
    right = truth[pairs.row] == truth[pairs.col]
    bins = np.minimum((pairs.data * N_BINS).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, weights=pairs.data) - np.bincount(bins, weights=right)
    return float(np.abs(gaps).sum() / len(right))


def compare(table: Table, *, has_sources: bool) -> list[float]:
    """Return F of all methods, and the calibration error."""
    result = sl.solve(table.similarity, table.sources if has_sources else None)
    links = [np.nan]
    if has_sources:
        links = [table.f_score(single_best_links(table, t)) for t in (0.0, *table.thresholds)]
    return [
        best_components(table),
        links[0],
        max(links),
        table.f_score(result.labels),
        calibration_error(result, table.truth),
    ]


def main() -> None:
    """Print a row per table, and the means."""
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = ("components*", "links", "links*", "spherelax", "calibration")
    print(f"{'':46}" + "".join(f"{head:>12}" for head in heads) + "    * at the best threshold")
    for told in (True, False):
        rows = []
        for table, has_sources in lists():
            if told <= has_sources:
                rows.append(compare(table, has_sources=told))
                name = f"{table.name}{'' if told or not has_sources else ', not told'}"
                print(f"{name:46}" + "".join(f"{x:12.3f}" for x in rows[-1]), flush=True)
        print(f"{f'mean of {len(rows)}':46}" + "".join(f"{x:12.3f}" for x in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
