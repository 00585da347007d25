"""What is lost if sources hold some things twice? F with walls, without them for copies, and told.

Run with ``python benchmarks/bench_duplicates.py``; ``--seeds`` takes others than those that rules
were chosen on. Tables are made from records whose truth is known, so that a chosen share of the
items of some sources are second copies: persons (Febrl 1, 3) that are dealt out to sources, songs
(MusicBrainz) that are copied with typing errors, publications (DBLP-ACM) and products (Abt-Buy)
whose scores are copied with errors, and generated matchings. *Told* gets the sources that hold
nothing twice as groups, and the items of the others as free ones.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_candidates import lists
from bench_records import DATA, cosine
from numpy.typing import NDArray

import spherelax as sl

SHARES = 0.0, 0.05, 0.15, 0.3


class Case(NamedTuple):
    """Similarities, sources, truth, and which sources hold things twice."""

    name: str
    similarity: Any
    sources: NDArray[np.integer]
    truth: NDArray[np.integer]

    @property
    def twice(self) -> NDArray[np.integer]:
        """Number of items of each source that are second copies."""
        n = self.sources.max() + 1
        _, first = np.unique(self.truth * n + self.sources, return_index=True)
        return np.bincount(self.sources, minlength=n) - np.bincount(
            self.sources[first], minlength=n
        )


def _without_inside(case: Case) -> Case:
    """Return the case without pairs inside sources."""
    W = case.similarity.tocoo()
    apart = case.sources[W.row] != case.sources[W.col]
    kept = (W.data[apart], (W.row[apart], W.col[apart]))
    return case._replace(
        name=f"{case.name}, none inside", similarity=sp.csr_array(sp.coo_array(kept, shape=W.shape))
    )


def dealt(table: Any, share: float, n_sources: int, rng: np.random.Generator) -> Case:
    """Deal the records of one table out to sources; a share of source 0 are second copies.

    Of entities with several records some have two in source 0; all others have one a source, and
    records for which no source is left are dropped.
    """
    truth = table.truth
    source = np.full(len(truth), -1)
    for entity in np.unique(truth):
        items = rng.permutation(np.flatnonzero(truth == entity))
        order = rng.permutation(n_sources)
        source[items[:n_sources]] = order[: len(items)]
    candidates = []
    for entity in np.unique(truth[source == 0]):
        held = np.flatnonzero((truth == entity) & (source > 0))
        if len(held):
            candidates.append(rng.choice(held))
    n_zero = int(np.sum(source == 0))
    n_twice = min(round(share * n_zero / (1.0 - share)), len(candidates))
    source[rng.permutation(candidates)[:n_twice]] = 0
    kept = np.flatnonzero(source >= 0)
    return Case(
        f"{table.name} {n_sources} sources {share}",
        sp.csr_array(table.similarity[kept][:, kept]),
        source[kept],
        truth[kept],
    )


def copied(table: Any, share: float, side: int, rng: np.random.Generator) -> Case:
    """Copy items of one of two sources, their scores with errors.

    An error is half of the difference of two right pairs' scores, so that the copy is about as
    unlike the original as two records of one thing are.
    """
    W, truth, source = table.similarity.tocoo(), table.truth, table.sources
    ours = np.flatnonzero(source == side)
    chosen = rng.permutation(ours)[: round(share * len(ours) / (1.0 - share))]
    right = W.data[truth[W.row] == truth[W.col]]
    m, number = len(truth), np.full(len(truth), -1)
    number[chosen] = m + np.arange(len(chosen))
    of_copy = number[W.row] >= 0
    error = 0.5 * (rng.choice(right, of_copy.sum()) - rng.choice(right, of_copy.sum()))
    score = np.clip(W.data[of_copy] + error, 0.01, 1.0)
    half = sp.triu(W).tocoo()
    rows = np.r_[half.row, W.col[of_copy]]
    columns = np.r_[half.col, number[W.row[of_copy]]]
    shape = (m + len(chosen),) * 2
    new = sp.csr_array(sp.coo_array((np.r_[half.data, score], (rows, columns)), shape=shape))
    return Case(
        f"{table.name} side {side} {share}",
        sp.csr_array(new + new.T),
        np.r_[source, source[chosen]],
        np.r_[truth, truth[chosen]],
    )


def _typo(text: str, rng: np.random.Generator) -> str:
    """Return a text with two typing errors and, at times, without a word."""
    words = text.split()
    if len(words) > 2 and rng.random() < 0.5:
        words.pop(int(rng.integers(len(words))))
    letters = list(" ".join(words))
    for _ in range(2):
        at = int(rng.integers(len(letters)))
        letters[at] = rng.choice(["", "e", letters[at] * 2])
    return "".join(letters)


def songs(share: float, n: int, floor: float, best: int | None, rng: np.random.Generator) -> Case:
    """Copy songs of two of the five sources with typing errors; score n-grams."""
    records = sl.datasets.load_records(data_home=DATA)
    fields = ("title", "artist", "album")
    texts = [" ".join(row) for row in zip(*(records.records[f] for f in fields), strict=True)]
    source = np.unique(np.asarray(records.sources), return_inverse=True)[1]
    truth = np.unique(np.asarray(records.labels), return_inverse=True)[1]
    ours = np.flatnonzero(source < 2)
    chosen = rng.permutation(ours)[: round(share * len(ours) / (1.0 - share))]
    texts += [_typo(texts[i], rng) for i in chosen]
    source, truth = np.r_[source, source[chosen]], np.r_[truth, truth[chosen]]
    scores = cosine(texts, analyzer="char_wb", ngram_range=(n, n))
    np.fill_diagonal(scores, 0.0)
    scores[scores < floor] = 0.0
    if best is not None:
        last = np.sort(scores, axis=1)[:, -best]
        scores[(scores < last[:, None]) & (scores < last)] = 0.0
    return Case(f"songs {n}-grams {floor} best {best} {share}", sp.csr_array(scores), source, truth)


def matchings(share: float, shuffled: float, *, is_split: bool, rng: np.random.Generator) -> Case:
    """Copy items of four of ten groups of a partial matching.

    A match goes to both the item and its copy or, if it is split, to one of them.
    """
    n_groups = 10
    seed = int(rng.integers(1 << 30))
    W, groups, truth = sl.datasets.make_partial_matching(
        n_groups, 100, observed=0.6, shuffled=shuffled, kind="matches", random_state=seed
    )
    ours = np.flatnonzero(groups < 4)
    chosen = rng.permutation(ours)[: round(share * len(ours) / (1.0 - share))]
    m, k = len(truth), len(chosen)
    every = np.zeros((m + k, m + k))
    every[:m, :m] = W - np.eye(m)
    to_copy = (rng.random((k, m)) < 0.5) | (not is_split)
    every[m:, :m] = every[chosen, :m] * to_copy
    every[chosen, :m] *= ~(to_copy & is_split)
    every[:m, :m] = np.minimum(every[:m, :m], every[:m, :m].T)
    every[:m, m:] = every[m:, :m].T
    return Case(
        f"matchings shuffled {shuffled} {'split ' if is_split else ''}{share}",
        sp.csr_array(every),
        np.r_[groups, groups[chosen]],
        np.r_[truth, truth[chosen]],
    )


def cases(seed: int, shares: tuple[float, ...] = SHARES) -> Iterator[Case]:
    """Yield all cases of a seed."""
    tables = {found.table.name: found.table for found in lists()}
    for share in shares:
        rng = np.random.default_rng([seed, round(100 * share)])
        for name, n in (("dedupe_febrl1_tri_k5", 2), ("dedupe_febrl3_weak_tri_k5", 4)):
            case = dealt(tables[name], share, n, rng)
            yield case
            yield _without_inside(case)
        for name in ("2src_dblp-acm_tri_k3", "2src_abt-buy_tri_k3"):
            yield copied(tables[name], share, 1, rng)
        case = songs(share, 3, 0.1, 5, rng)
        yield case
        yield _without_inside(case)
        yield _without_inside(songs(share, 3, 0.4, None, rng))
        for shuffled in (0.2, 0.6):
            yield matchings(share, shuffled, is_split=False, rng=rng)
        yield matchings(share, 0.2, is_split=True, rng=rng)


def told(case: Case) -> list[Any]:
    """Return groups without the sources that hold things twice."""
    is_clean = case.twice == 0
    return [g if is_clean[g] else None for g in case.sources.tolist()]


def f_score(case: Case, groups: Any, **settings: Any) -> float:
    """Return F over pairs of items."""
    labels = sl.solve(case.similarity, groups, **settings).labels
    return sl.metrics.pairwise_scores(case.truth, labels).f_score


def main() -> None:
    """Print a row per case: copies, those found in groups that clearly hold some, and F."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = ("copies", "found", "always", "unless", "told")
    print(f"{'':58}" + "".join(f"{head:>8}" for head in heads))
    for seed in parser.parse_args().seeds:
        for case in cases(seed):
            found = sl.solve(case.similarity, case.sources).duplicates()
            row = [
                f_score(case, case.sources),
                f_score(case, case.sources, one_per_group="unless_copies"),
                f_score(case, told(case)),
            ]
            counts = case.twice.sum(), round(sum(one.expected for one in found if one.is_clear))
            print(f"{case.name:58}{counts[0]:8}{counts[1]:8}" + "".join(f"{x:8.3f}" for x in row))


if __name__ == "__main__":
    main()
