"""Are the labels the same as before? Records the answers to many problems, and compares them.

Run ``python benchmarks/same_labels.py record before.npz`` before a change that must not change any
answer, and ``python benchmarks/same_labels.py compare before.npz`` after it. Labels, confidences,
alphas, statuses and probabilities of labels and pairs must be exactly equal; a line names each
array that differs. The problems are of every kind: dense and sparse, with groups and without,
scored, lists of candidates, log odds, points, few and many items, in memory and in shards, the
paper's solver, every pick, warm starts, noise, and unusual but valid input. Real data are looked
for in SPHERELAX_DATA or ../shared/data; what is not there is left out, with a line that says so.
``--only WORD`` takes the problems whose names hold a word.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons
from synthetic import matching, planted, power_law

import spherelax as sl

os.environ.setdefault("SPHERELAX_DATA", str(Path(__file__).parents[2] / "shared" / "data"))
TABLES = Path(os.environ["SPHERELAX_DATA"]) / "entity_resolution"
# Tables of scored pairs: without sources, with few, with many, and with large entities.
LISTS = (
    *("many_sources/10src_airports_tri_k1", "many_sources/15src_territories_tri_k3"),
    *("many_sources/dedupe_airports_tri_k10", "many_sources/dedupe_territories_tri_k15"),
    *("scored_pairs/2src_abt-buy_tri_k3", "scored_pairs/4src_computers_duplicate-free_tri_k3"),
    *("scored_pairs/dedupe_affiliations_tri_k10", "scored_pairs/dedupe_cora_citations_tri_k10"),
    *("scored_pairs/dedupe_febrl1_weak_tri_k10", "lists/febrl3_fs_prob", "lists/hist300_names_k5"),
    *("lists/src3_persons_family_k3", "lists/syn_persons_power_k10"),
)

Problem = tuple[str, Callable[[], Any]]


def binary() -> Iterator[Problem]:
    """Yield dense similarities without groups."""
    for seed, (rewired, missing) in enumerate([(0.3, 0.0), (0.4, 0.2), (0.6, 0.2), (0.7, 0.2)]):
        W = sl.datasets.make_binary_similarity(
            200, 5, rewired=rewired, missing=missing, random_state=seed
        )[0]
        yield f"binary {rewired} {missing}", lambda W=W: sl.solve(W)
        yield f"binary {rewired} {missing} power", lambda W=W: sl.solve(W, solver="power")
    W = sl.datasets.make_binary_similarity(150, 5, rewired=0.5, random_state=7)[0]
    for pick in ("eta", "stability", "description", 2.5):
        for solver in ("coordinate", "power"):
            yield (
                f"binary {solver} by {pick}",
                lambda pick=pick, solver=solver: sl.solve(W, solver=solver, pick=pick),
            )
    yield "binary at 0.3", lambda: sl.solve(W).at(3 / 7)
    yield "binary with 9 labels", lambda: sl.solve(W).with_n_labels(9)
    yield (
        "binary settings",
        lambda: sl.solve(W, solver=sl.Coordinate(n_steps=20, row_entries=8, n_inner=3)),
    )
    yield (
        "binary power settings",
        lambda: sl.solve(
            W, solver=sl.Power(max_labels=40, alpha_step=0.02, kappa=0.1, n_inner=5, eta_floor=0)
        ),
    )
    rng = np.random.default_rng(0)
    scored = sp.random_array((300, 300), density=0.05, rng=rng)
    scored = (scored + scored.T).tocsr()
    yield "noise, scored", lambda: sl.solve(scored)
    yield "noise, all the same", lambda: sl.solve((scored > 0).astype(float))
    lognormal = scored.copy()
    lognormal.data = np.exp(3 * lognormal.data)
    yield "uneven degrees", lambda: sl.solve(lognormal)


def matchings() -> Iterator[Problem]:
    """Yield similarities with groups."""
    for seed, (observed, shuffled) in enumerate([(0.5, 0.3), (0.6, 0.7), (0.3, 0.4), (0.9, 1.0)]):
        W, groups, _ = sl.datasets.make_partial_matching(
            20, 20, observed=observed, shuffled=shuffled, random_state=seed
        )
        name = f"matching {observed} {shuffled}"
        yield name, lambda W=W, g=groups: sl.solve(W, groups=g)
        yield f"{name} power", lambda W=W, g=groups: sl.solve(W, groups=g, solver="power")
        rng = np.random.default_rng(seed)
        S = sp.triu(sp.csr_array(W)).tocsr()
        S.data = rng.random(S.nnz) ** 2
        S = (S + S.T).tocsr()
        yield f"{name} scored", lambda S=S, g=groups: sl.solve(S, groups=g)
        yield f"{name} by eta", lambda S=S, g=groups: sl.solve(S, groups=g, pick="eta")
        yield (
            f"{name} power by description",
            lambda S=S, g=groups: sl.solve(S, groups=g, solver="power", pick="description"),
        )
        known = groups < 17
        for kind, X in (("plain", sp.csr_array(W)), ("scored", S)):
            yield (
                f"{name} {kind} absorbed",
                lambda X=X, k=known, g=groups: sl.solve(X[k][:, k], groups=g[k]).extend(X, g),
            )
        free = [None if group > 15 else group for group in groups.tolist()]
        yield f"{name} partly free", lambda S=S, free=free: sl.solve(S, groups=free)
        two = groups < 2
        yield (
            f"{name} two groups",
            lambda S=S, two=two, g=groups: sl.solve(S[two][:, two], groups=g[two]),
        )


def points() -> Iterator[Problem]:
    """Yield points, for the estimator."""
    moons = make_moons(400, noise=0.07, random_state=0)[0]
    blobs = make_blobs(500, centers=6, cluster_std=0.9, random_state=3)[0]
    wide = make_blobs(300, n_features=12, centers=4, cluster_std=2.0, random_state=1)[0]
    for name, X in (("moons", moons), ("blobs", blobs), ("wide", wide)):
        yield f"{name}", lambda X=X: sl.SphereClustering().fit(X).result_
        for affinity in ("adaptive", "rbf"):
            yield (
                f"{name} {affinity}",
                lambda X=X, a=affinity: sl.SphereClustering(affinity=a).fit(X).result_,
            )
        yield (
            f"{name} power",
            lambda X=X: sl.SphereClustering(solver="power").fit(X).result_,
        )
    yield (
        "blobs, more of them",
        lambda: sl.SphereClustering(warm_start=True).fit(blobs[:400]).fit(blobs).result_,
    )
    many = make_blobs(5000, centers=12, cluster_std=0.6, random_state=5)[0]
    yield "many blobs", lambda: sl.SphereClustering().fit(many).result_


def large() -> Iterator[Problem]:
    """Yield problems with enough items to be solved in batches."""
    for make in (matching, planted, power_law):
        problem = make(8000, seed=2)
        W, groups = problem.similarity, problem.groups
        yield f"8000 {make.__name__}", lambda W=W: sl.solve(W)
        yield f"8000 {make.__name__} at 30", lambda W=W: sl.solve(W, pick=30.0)
        if groups is not None:
            yield "8000 with groups", lambda W=W, g=groups: sl.solve(W, groups=g)
            S = sp.triu(W).tocsr()
            S.data = np.random.default_rng(0).random(S.nnz)
            S = (S + S.T).tocsr()
            yield "8000 with groups scored", lambda S=S, g=groups: sl.solve(S, groups=g)
    W = power_law(90_000, seed=1).similarity
    yield "90000 on two threads", lambda: sl.solve(W, n_jobs=2)


def odd() -> Iterator[Problem]:
    """Yield unusual but valid input."""
    yield "isolated", lambda: sl.solve(np.eye(5))
    yield "two items", lambda: sl.solve([[0, 3], [3, 0]])
    yield "two items power", lambda: sl.solve([[0, 3], [3, 0]], solver="power")
    yield "integers", lambda: sl.solve(np.kron(np.eye(3, dtype=int), np.ones((4, 4), dtype=int)))
    star = np.zeros((12, 12))
    star[0, 1:] = star[1:, 0] = 1.0
    yield "star", lambda: sl.solve(star)
    alone = np.kron(np.eye(3), np.ones((4, 4)))
    alone[-1] = alone[:, -1] = 0
    yield "one alone", lambda: sl.solve(alone)
    yield "one alone power", lambda: sl.solve(alone, solver="power")
    yield "tiny numbers", lambda: sl.solve(1e-200 * alone)


def real() -> Iterator[Problem]:
    """Yield real data."""
    for name in ("football", "karate", "polbooks"):
        yield name, lambda name=name: sl.solve(sl.datasets.load_graph(name).similarity)

    for name, load in (
        ("house", lambda: sl.datasets.load_house(10)),
        ("willow", lambda: sl.datasets.load_willow("duck")),
        ("castle", sl.datasets.load_tracks),
    ):

        def solve(load: Callable[[], Any] = load) -> Any:
            data = load()
            return sl.solve(data.similarity, groups=data.groups)

        yield name, solve


def load_list(name: str) -> tuple[Any, Any]:
    """Return the scores of a table of pairs, and its sources if each holds a thing once."""
    with np.load(TABLES / f"{name}.npz") as table:
        pairs = (table["score"].astype(float), (table["i"], table["j"]))
        half = sp.coo_array(pairs, shape=(len(table["truth"]),) * 2)
        groups = table["source"].astype(int) if table["duplicate_free"] else None
    return (half + half.T).tocsr(), groups


def lists() -> Iterator[Problem]:
    """Yield scored pairs of records, as lists of candidates and as what they look like."""
    for name in LISTS:

        def solve(name: str = name, kind: str | None = "pairs") -> Any:
            W, groups = load_list(name)
            return sl.solve(W, groups, kind=kind)

        yield name, solve
        yield f"{name} unnamed", lambda solve=solve: solve(kind=None)
    yield "historical persons, a part of them", lambda: sl.solve(persons(), kind="information")
    yield "historical persons, log odds", lambda: sl.solve(persons("odds"), kind="odds")


def persons(kind: str = "information") -> Any:
    """Return what a model says of pairs of the first historical persons, in nats."""
    with np.load(TABLES / "scored_pairs" / "historical_splink_p.npz") as table:
        i, j, p = (table[name] for name in ("i", "j", "p"))
    kept = (i < 6000) & (j < 6000)
    p = np.clip(p[kept], 1e-9, 1.0 - 1e-9)
    nats = np.log(p) - np.log1p(-p) if kind == "odds" else -np.log1p(-p)
    half = sp.coo_array((nats, (i[kept], j[kept])), shape=(6000, 6000))
    return (half + half.T).tocsr()


def kinds() -> Iterator[Problem]:
    """Yield similarities of which the kind is told, and groups that hold copies."""
    blobs = make_blobs(600, centers=5, cluster_std=1.2, random_state=11)[0]
    graph = sl.similarity.nearest_neighbors(blobs, n_neighbors=10)
    for kind in ("graph", "neighbors", "pairs"):
        yield f"neighbours as {kind}", lambda kind=kind: sl.solve(graph, kind=kind)
    yield "neighbours unnamed", lambda: sl.solve(graph)
    rng = np.random.default_rng(4)
    odds = np.triu(rng.normal(-1.0, 2.0, (60, 60)), 1)
    odds[:20, :20] += np.triu(np.full((20, 20), 3.0), 1)
    yield "dense log odds", lambda: sl.solve(odds + odds.T, kind="odds")
    W, groups, _ = sl.datasets.make_partial_matching(8, 30, observed=0.8, random_state=5)
    copied = np.r_[np.arange(len(W)), np.flatnonzero(groups == 2)]
    copies, of_copies = W[copied][:, copied], groups[copied]
    yield "copies, hard", lambda: sl.solve(copies, of_copies)
    yield "copies, soft", lambda: sl.solve(copies, of_copies, one_per_group="unless_copies")


class InShards:
    """Entities that were found in shards, with the face of a result."""

    def __init__(self, W: Any, groups: Any) -> None:
        half = sp.triu(W, 1).tocoo()
        ids = np.array([f"{item:07}" for item in range(W.shape[0])])
        pairs = {"id_a": ids[half.row], "id_b": ids[half.col], "score": half.data}
        settings: dict[str, Any] = {}
        if groups is not None:
            names = np.array([f"s{group}" for group in groups])
            pairs |= {"source_a": names[half.row], "source_b": names[half.col]}
            settings["duplicate_free_sources"] = sorted(set(names.tolist()))
        with tempfile.TemporaryDirectory() as folder:
            found = sl.scale.solve(pa.table(pairs), folder, n_jobs=1, n_shards=3, **settings)
            table = pa.concat_tables(map(pq.read_table, found.parts)).sort_by("id").to_pydict()
        self.labels = np.array(table["entity"])
        self.confidence = np.array(table["confidence"])
        self.alpha = found.resolution
        self.status = found.status


def shards() -> Iterator[Problem]:
    """Yield problems that are solved in shards of files: one as a whole, others in rounds."""
    W, groups, _ = sl.datasets.make_partial_matching(20, 20, observed=0.6, random_state=1)
    yield "small in shards", lambda: InShards(sp.csr_array(W), groups)
    problem = matching(60_000, seed=4)
    scored = sp.triu(problem.similarity).tocsr()
    scored.data = np.random.default_rng(1).random(scored.nnz)
    scored = (scored + scored.T).tocsr()
    yield "scored in shards", lambda: InShards(scored, problem.groups)
    plain = planted(40_000, seed=6).similarity
    yield "planted in shards", lambda: InShards(plain, None)


def answers(word: str) -> Iterator[tuple[str, Any]]:
    """Solve the problems whose names hold a word."""
    for family in (binary, matchings, points, large, odd, kinds, lists, shards, real):
        for name, solve in family():
            if word not in name:
                continue
            try:
                yield name, solve()
            except FileNotFoundError as error:
                print(f"{name}: left out, {error}", file=sys.stderr)


def recorded(word: str) -> dict[str, np.ndarray]:
    """Return what is compared, by the name of the problem and of the array."""
    arrays: dict[str, np.ndarray] = {}
    for name, result in answers(word):
        arrays[f"{name}: labels"] = result.labels
        arrays[f"{name}: confidence"] = result.confidence
        is_result = isinstance(result, sl.Result)
        alpha = result.path.alpha if is_result else result.alpha
        arrays[f"{name}: alpha"] = np.array(alpha)
        arrays[f"{name}: status"] = np.array(result.status.name)
        if is_result and (pure := result.entities()) is not None:
            arrays[f"{name}: pure"], arrays[f"{name}: whole"] = pure.pure, pure.whole
            arrays[f"{name}: pairs"] = result.pairs().probability
    return arrays


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("file")
    parser.add_argument("--only", default="", metavar="WORD")
    given = parser.parse_args()
    warnings.simplefilter("ignore", sl.SphereWarning)
    found = recorded(given.only)
    if given.action == "record":
        np.savez_compressed(given.file, **found)
        print(f"{len(found)} arrays recorded")
        return
    with np.load(given.file) as archive:
        before = {name: archive[name] for name in archive if given.only in name.split(": ")[0]}
    differ = [
        name
        for name in sorted(before.keys() | found.keys())
        if name not in before or name not in found or not np.array_equal(before[name], found[name])
    ]
    print("\n".join(f"differs: {name}" for name in differ))
    print(f"{len(found)} arrays compared, {len(differ)} differ")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
