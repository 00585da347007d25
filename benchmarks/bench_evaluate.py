"""Coverage of the 95 % intervals of `sl.evaluate`: how often they hold the truth, and how wide.

Run with ``python benchmarks/bench_evaluate.py``; ``--half chosen-on`` has the two tables on which
the strata and the kind of interval were chosen, ``--half seen`` those that a prototype had been
tried on. Tables are looked for in SPHERELAX_DATA or ../shared/data. Many samples of each are
drawn, and judged by the truth; who judges a record or an
entity names all that is the same, listed or not. The recall of pairs is that among listed ones.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from bench_records import DATA
from numpy.typing import NDArray

import spherelax as sl

TABLES = {
    "chosen-on": ("scored_pairs/2src_abt-buy_tri_k3", "scored_pairs/dedupe_cora_citations_tri_k10"),
    "seen": (
        "scored_pairs/2src_dblp-acm_tri_k3",
        "scored_pairs/dedupe_febrl3_weak_tri_k5",
        "many_sources/10src_airports_tri_k3",
        "many_sources/dedupe_territories_tri_k15",
        "lists/hist300_names_k5",
    ),
    "held-out": (
        "scored_pairs/2src_febrl4_names_address_only_tri_k3",
        "scored_pairs/4src_computers_duplicate-free_tri_k3",
        "scored_pairs/dedupe_affiliations_tri_k10",
        "lists/pv60_k10",
        "lists/rl500_k5",
    ),
}
Columns = dict[str, list[object]]


def load(name: str) -> tuple[sl.Result, NDArray[np.intp]]:
    """Return the answer for a table, and the truth."""
    with np.load(DATA / "entity_resolution" / f"{name}.npz") as file:
        m = len(file["truth"])
        once = sp.coo_array((file["score"].astype(float), (file["i"], file["j"])), shape=(m, m))
        is_free = "duplicate_free" in file and file["duplicate_free"].any()
        groups = file["source"].tolist() if is_free else None
        truth = np.unique(file["truth"], return_inverse=True)[1]
    kind = None if is_free else "pairs"
    return sl.solve(sp.csr_array(once + once.T), groups, kind=kind), truth


def judge(drawn: Columns, truth: NDArray[np.intp]) -> Columns:
    """Return a sample with the verdicts of somebody who knows the truth."""
    a, b = np.array(drawn["item_a"]), np.array(drawn["item_b"])
    drawn["verdict"] = np.where(truth[a] == truth[b], "same", "different").tolist()
    if drawn["of"][0] == "pairs":
        return drawn
    things = defaultdict(list)
    for item, thing in enumerate(truth.tolist()):
        things[thing].append(item)
    seen = set(zip(drawn["case"], a.tolist(), strict=True))
    seen |= set(zip(drawn["case"], b.tolist(), strict=True))
    rows = list(zip(*drawn.values(), strict=True))
    for case, item, _, _, *rest in {row[:2]: row for row in rows}.values():
        for other in things[int(truth[item])]:
            if (case, other) not in seen:
                seen.add((case, other))
                rows.append((case, item, other, "same", *rest))
    return dict(zip(drawn, map(list, zip(*rows, strict=True)), strict=True))


def true_measures(result: sl.Result, truth: NDArray[np.intp], of: str) -> dict[str, float]:
    """Return the four measures; of pairs, recall among those that are listed or share a label."""
    labels = result.labels.astype(np.int64)
    _, cell, n = np.unique(
        labels * (truth.max() + 1) + truth, return_inverse=True, return_counts=True
    )
    both = n[cell]
    found = sl.metrics.pairwise_scores(truth, labels)
    measures = {"pair_precision": found.precision, "pair_recall": found.recall}
    if of == "pairs":
        i, j = sp.triu(result.listed_probability(), 1, format="coo").coords
        n_missed = np.count_nonzero((truth[i] == truth[j]) & (labels[i] != labels[j]))
        n_right = 0.5 * (both - 1).sum()
        return measures | {"pair_recall": n_right / (n_right + n_missed)}
    return measures | {
        "bcubed_precision": float(np.mean(both / np.bincount(labels)[labels])),
        "bcubed_recall": float(np.mean(both / np.bincount(truth)[truth])),
    }


def coverage(
    result: sl.Result, truth: NDArray[np.intp], of: str, n: int, repeats: int
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield of each measure its truth, the model's value, coverage and mean width."""
    known = true_measures(result, truth, of)
    held, width = defaultdict(list), defaultdict(list)
    for seed in range(repeats):
        drawn = sl.sample(result, n, of=of, random_state=seed)
        found = sl.evaluate(result, judge(drawn, truth))
        for name, value in known.items():
            one = found.judged[name]
            held[name].append(one.low - 1e-9 <= value <= one.high + 1e-9)
            width[name].append(one.high - one.low)
    for name, value in known.items():
        model = found.model[name]
        yield (
            name,
            value,
            np.nan if model is None else model,
            np.mean(held[name]),
            np.mean(width[name]),
        )


def main() -> None:
    """Print a row for each table, kind of sample and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=TABLES, default="held-out")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=400)
    given = parser.parse_args()
    warnings.simplefilter("ignore", sl.SphereWarning)
    covered = []
    print("| table | sample | measure | truth | model | coverage | width |")
    print("|---|---|---|---|---|---|---|")
    for name in TABLES[given.half]:
        result, truth = load(name)
        for of in ("records", "entities", "pairs"):
            rows = coverage(result, truth, of, given.cases, given.repeats)
            for measure, value, model, share, width in rows:
                covered.append((of, share))
                table = name.partition("/")[2]
                numbers = f"{value:.3f} | {model:.3f} | {share:.3f} | {width:.3f}"
                print(f"| {table} | {of} | {measure} | {numbers} |", flush=True)
    for of in dict.fromkeys(kind for kind, _ in covered):
        shares = [share for kind, share in covered if kind == of]
        print(f"{of}: mean {np.mean(shares):.3f}, from {min(shares):.3f} to {max(shares):.3f}")


if __name__ == "__main__":
    main()
