"""What are answers worth? F after some answers, by how the pairs to judge are chosen.

Run with ``python benchmarks/bench_questions.py NAME ...``; names are stems of tables in
SPHERELAX_DATA or ../shared/data; default: `HELD_OUT`. The way of choosing was found on
`CHOSEN_ON`.
``--errs 0.05`` lets the judge err in this share of the answers, and say so; with ``--certain``, the
judge errs and is certain. Questions are asked in batches of ten, each after the answers to those
before. The rivals choose among the listed pairs: any of them, those whose probability is nearest
one half, and those whose score is nearest the threshold that agrees best with the labels.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from bench_records import DATA, Table
from numpy.typing import NDArray

import spherelax as sl

CHOSEN_ON = (
    "2src_abt-buy_tri_k3",
    "10src_airports_tri_k3",
    "dedupe_airports_tri_k10",
    "dedupe_febrl1_weak_tri_k10",
    "syn_family_two_k5",
)
HELD_OUT = (
    "historical_splink_p",
    "2src_abt-buy_word_k10",
    "dedupe_febrl3_weak_tri_k5",
    "10src_airports_tri_k1",
    "15src_territories_tri_k3",
    "dedupe_territories_tri_k15",
    "syn_family_upto5_k10",
)
MARKS = (0, 10, 20, 50, 100, 200)
BATCH = 10
SEED = 1

Pairs = NDArray[np.integer]
Choose = Callable[[sl.Result, list[tuple[int, int]]], Pairs]


def load(name: str) -> tuple[Table, bool]:
    """Return a table and whether its sources hold each thing once."""
    (path,) = (DATA / "entity_resolution").glob(f"*/{name}.npz")
    with np.load(path) as file:
        m, score = len(file["truth"]), file["score" if "score" in file else "p"].astype(float)
        half = sp.coo_array((score, (file["i"], file["j"])), shape=(m, m))
        source = file["source"] if "source" in file else np.zeros(m, dtype=int)
        table = Table(name, sp.csr_array(half + half.T), source, file["truth"])
        return table, bool(file["duplicate_free"]) if "duplicate_free" in file else False


def ways(table: Table, result: sl.Result) -> dict[str, Choose]:
    """Return the ways of choosing pairs: each gets a result and the pairs that were judged."""
    listed = sp.triu(table.similarity).tocoo()
    pairs, score = np.column_stack([listed.row, listed.col]), listed.data
    right = result.listed_probability()
    doubt = np.abs(np.asarray(right[listed.row, listed.col]).ravel() - 0.5)
    is_inside = result.labels[listed.row] == result.labels[listed.col]
    order = np.argsort(-score, kind="stable")
    agree = np.cumsum(np.where(is_inside[order], 1, -1))
    distance = np.abs(np.argsort(order) - agree.argmax())
    chance = np.random.default_rng(SEED).random(len(pairs))

    def by(rank: NDArray[np.floating]) -> Choose:
        ranked = pairs[np.lexsort((chance, rank))]
        return lambda _, judged: ranked[len(judged) : len(judged) + BATCH]

    def questions(now: sl.Result, judged: list[tuple[int, int]]) -> Pairs:
        return now.questions(BATCH + len(judged)).but(set(judged)).items[:BATCH]

    return {
        "random": by(chance),
        "most uncertain": by(doubt),
        "at the threshold": by(distance),
        "questions": questions,
    }


def follow(
    table: Table, result: sl.Result, choose: Choose, errs: float, sure: float
) -> list[float]:
    """Return F at each mark."""
    rng, judged, rows, found, now = np.random.default_rng(SEED), [], [], [], result
    while True:
        if len(rows) in MARKS:
            found.append(table.f_score(now.labels))
        if len(rows) >= MARKS[-1]:
            return found
        pairs = choose(now, judged)
        if len(pairs) == 0:
            return found + [found[-1]] * (len(MARKS) - len(found))
        for a, b in pairs.tolist():
            verdict = (table.truth[a] == table.truth[b]) != (rng.random() < errs)
            judged.append((a, b))
            rows.append((a, b, bool(verdict), sure))
        given = sl.Judgements.of(rows)
        try:
            now = result.judge(given)
        except sl.InvalidInputError:
            groups = table.sources if result._solved.model.graph.grouped else None
            now = result.judge(given.without_contradictions(groups))


def main() -> None:
    """Print a row per table and way of choosing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=HELD_OUT)
    parser.add_argument("--errs", type=float, default=0.0, help="share of wrong answers")
    parser.add_argument("--certain", action="store_true", help="the judge is certain all the same")
    parser.add_argument("--ways", nargs="*", help="some ways of choosing")
    given = parser.parse_args()
    sure = 1.0 if given.certain else 1.0 - given.errs
    warnings.simplefilter("ignore", sl.SphereWarning)
    print(f"{'':34}{'':18}" + "".join(f"{mark:8}" for mark in MARKS))
    for name in given.names:
        table, has_groups = load(name)
        result = sl.solve(table.similarity, table.sources if has_groups else None, kind="pairs")
        for way, choose in ways(table, result).items():
            if given.ways and way not in given.ways:
                continue
            row = follow(table, result, choose, given.errs, sure)
            print(f"{name:34}{way:18}" + "".join(f"{f:8.3f}" for f in row), flush=True)


if __name__ == "__main__":
    main()
