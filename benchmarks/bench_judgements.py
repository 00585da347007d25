"""What are verdicts worth if some are wrong? F after verdicts, and of their connected components.

Run with ``python benchmarks/bench_judgements.py NAME ...``; names are stems of tables in
SPHERELAX_DATA or ../shared/data; default: `TABLES`, on which nothing was chosen. A judge such as a
language model gives a verdict on all listed pairs, and errs at random in some share of them. The
rival joins all pairs with the verdict "same". Verdicts say to be sure of `SURE`, whatever the judge
errs: how often it errs is to be learnt. With few verdicts, the judge says how often it errs.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from bench_questions import load
from bench_records import Table
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

import spherelax as sl

TABLES = (
    "2src_abt-buy_word_k10",
    "2src_dblp-acm_tri_k3",
    "10src_airports_tri_k1",
    "15src_territories_tri_k3",
    "dedupe_febrl3_weak_tri_k5",
    "dedupe_territories_tri_k15",
    "dedupe_cora_citations_tri_k10",
    "syn_family_upto5_k10",
    "src5_products_k3",
    "hist300_names_k5",
)
ERRS = (0.02, 0.05, 0.1)
SURE = 0.99
FEW, FEW_ERRS = (50, 200), 0.05
HEADS = ("none", *(f"{errs:.0%}{who}" for errs in ERRS for who in ("", " joined")), *map(str, FEW))


def verdicts(
    table: Table, errs: float, sure: float, seed: int, n: int | None = None
) -> tuple[sl.Judgements, sp.coo_array]:
    """Return verdicts on some listed pairs or on all, and the pairs that they say are the same.

    Examples
    --------
    >>> W = sp.csr_array(np.ones((3, 3)) - np.eye(3))
    >>> table = Table("made", W, np.zeros(3), np.array([0, 0, 1]))
    >>> judged, same = verdicts(table, 0.0, 0.9, 0)
    >>> len(judged), np.column_stack(same.coords).tolist()
    (3, [[0, 1]])
    """
    rng = np.random.default_rng(seed)
    listed = sp.triu(table.similarity, 1).tocoo()
    some = rng.permutation(listed.nnz)[:n]
    one, other = listed.row[some], listed.col[some]
    says = (table.truth[one] == table.truth[other]) != (rng.random(len(some)) < errs)
    rows = zip(one.tolist(), other.tolist(), says.tolist(), [sure] * len(some), strict=True)
    ends = one[says], other[says]
    same = sp.coo_array((np.ones(len(ends[0])), ends), shape=table.similarity.shape)
    return sl.Judgements.of(rows), same


def measure(table: Table, result: sl.Result, seed: int) -> tuple[list[float], float]:
    """Return F in the order of `HEADS`, and the most seconds that one call took."""
    found, most = [table.f_score(result.labels)], 0.0

    def judge(judged: sl.Judgements) -> float:
        nonlocal most
        began = time.process_time()
        labels = result.judge(judged).labels
        most = max(most, time.process_time() - began)
        return table.f_score(labels)

    for errs in ERRS:
        judged, same = verdicts(table, errs, SURE, seed)
        joined: NDArray[np.int32] = connected_components(same, directed=False)[1]
        found += [judge(judged), table.f_score(joined)]
    for n in FEW:
        found.append(judge(verdicts(table, FEW_ERRS, 1.0 - FEW_ERRS, seed, n)[0]))
    return found, most


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row per table: means over seeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=TABLES)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore", sl.SphereWarning)
    print(f"{'':32}" + "".join(f"{head:>12}" for head in (*HEADS, "CPU s")))
    rows = []
    for name in given.names:
        table, has_groups = load(name)
        result = sl.solve(table.similarity, table.sources if has_groups else None, kind="pairs")
        scores, seconds = zip(*(measure(table, result, seed) for seed in given.seeds), strict=True)
        rows.append(np.append(np.mean(scores, axis=0), max(seconds)))
        _print(name, rows[-1])
    _print("mean", np.mean(rows, axis=0))


def _print(name: str, numbers: NDArray[np.float64]) -> None:
    """Print a row."""
    print(f"{name:32}" + "".join(f"{number:12.3f}" for number in numbers), flush=True)


if __name__ == "__main__":
    main()
