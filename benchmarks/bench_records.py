"""How good are the entities? F over many tables of scored pairs of the same songs.

Run with ``python benchmarks/bench_records.py``. The constants of
``spherelax.coordinate.worth.evidence`` were chosen on half of the songs; ``--half held-out`` takes
only the others.

Pairs of songs from MusicBrainz are scored by six measures on four choices of fields, with three
lowest scores. In some tables nearly all pairs are right, in others one in ten. spherelax gets no
threshold. It is compared with connected components at the best threshold, which is known only if
the truth is known, and with single best links: pairs are joined from the highest score to the
lowest, unless a source would be in an entity twice; once all pairs, and once down to the best
threshold.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import spherelax as sl
from spherelax.baselines import single_best_links

DATA = Path(os.environ.get("SPHERELAX_DATA", Path(__file__).parents[2] / "shared" / "data"))
FIELDS = (("title",), ("title", "artist"), ("artist", "album"), ("title", "artist", "album"))
FLOORS = 0.1, 0.25, 0.4
WORD = r"\w+"
# A measure is left out if it gives more pairs than this; such tables are not realistic.
MOST = 10_000
N_THRESHOLDS = 60
HALVES = ("all", "chosen-on", "held-out")


class Table(NamedTuple):
    """Scored pairs of songs from different sources, and which songs are the same."""

    name: str
    similarity: Any
    sources: NDArray[Any]
    truth: NDArray[Any]

    def f_score(self, labels: NDArray[np.integer]) -> float:
        """Return F over pairs of songs."""
        return sl.metrics.pairwise_scores(self.truth, labels).f_score

    @property
    def thresholds(self) -> NDArray[np.float64]:
        """Thresholds to try."""
        return np.unique(np.quantile(self.similarity.data, np.linspace(0, 1, N_THRESHOLDS)))


class Stored(NamedTuple):
    """A table of scored pairs in a file, and whether its sources hold an entity at most once."""

    table: Table
    has_sources: bool

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read pairs with scores or probabilities; without sources, each record is its own."""
        with np.load(path) as file:
            truth = np.unique(file["truth"], return_inverse=True)[1]
            m, score = len(truth), file["score" if "score" in file else "p"].astype(float)
            half = sp.coo_array((score, (file["i"], file["j"])), shape=(m, m))
            has_sources = "duplicate_free" in file and bool(file["duplicate_free"])
            sources = file["source"] if has_sources else np.arange(m)
        return cls(Table(path.stem, sp.csr_array(half + half.T), sources, truth), has_sources)


def cosine(texts: list[str], **terms: Any) -> NDArray[np.float64]:
    """Return the cosines of texts by their terms."""
    rows = TfidfVectorizer(**terms).fit_transform(texts)
    return np.minimum((rows @ rows.T).toarray(), 1.0)


def measures(texts: list[str]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield similarities of texts: cosines of n-grams and of words, and shares of common words."""
    for n in (2, 3, 4):
        yield f"{n}-grams", cosine(texts, analyzer="char_wb", ngram_range=(n, n))
    yield "words", cosine(texts, token_pattern=WORD)
    rows = CountVectorizer(binary=True, token_pattern=WORD).fit_transform(texts).astype(float)
    common, count = (rows @ rows.T).toarray(), np.asarray(rows.sum(axis=1)).ravel()
    yield "Jaccard", common / np.maximum(count[:, None] + count - common, 1.0)
    yield "overlap", common / np.maximum(np.minimum.outer(count, count), 1.0)


def tables(songs: Any, half: str = "all") -> Iterator[Table]:
    """Yield tables of scored pairs of the songs, or of those of half of the entities."""
    entities = np.unique(songs.labels)
    first = np.random.default_rng(1).permutation(entities)[: len(entities) // 2]
    in_first = np.isin(songs.labels, first)
    kept = {"all": np.ones(len(in_first), bool), "chosen-on": in_first, "held-out": ~in_first}[half]
    sources, truth = np.asarray(songs.sources)[kept], np.asarray(songs.labels)[kept]
    apart = sources[:, None] != sources
    for fields in FIELDS:
        cells = zip(*(np.asarray(songs.records[field])[kept] for field in fields), strict=True)
        for name, scores in measures([" ".join(row) for row in cells]):
            for floor in FLOORS:
                W = sp.csr_array(np.where(apart & (scores >= floor), scores, 0.0))
                if W.nnz <= 2 * MOST:
                    yield Table(f"{name} of {', '.join(fields)} from {floor}", W, sources, truth)


def best_components(table: Table) -> float:
    """Return F of connected components at the threshold that is best for them."""
    W = table.similarity
    return max(
        table.f_score(connected_components(W * (t <= W), directed=False)[1])
        for t in table.thresholds
    )


def links(table: Table, threshold: float = 0.0) -> float:
    """Return F of single best links down to a threshold."""
    return table.f_score(single_best_links(table.similarity, table.sources, threshold=threshold))


def compare(table: Table) -> list[float]:
    """Return the share of right pairs, and F of all methods."""
    pairs = table.similarity.tocoo()
    scores = [links(table, t) for t in (0.0, *table.thresholds)]
    return [
        float(np.mean(table.truth[pairs.row] == table.truth[pairs.col])),
        best_components(table),
        scores[0],
        max(scores),
        table.f_score(sl.solve(table.similarity, table.sources).labels),
    ]


def main() -> None:
    """Print a row per table, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, default="all", help="which songs")
    half = parser.parse_args().half
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = ("pairs", "right", "components*", "links", "links*", "spherelax")
    print(f"{'':44}" + "".join(f"{head:>12}" for head in heads) + "    * at the best threshold")
    rows = []
    for table in tables(sl.datasets.load_records(data_home=DATA), half):
        rows.append([table.similarity.nnz / 2, *compare(table)])
        print(f"{table.name:44}{rows[-1][0]:12.0f}" + "".join(f"{x:12.3f}" for x in rows[-1][1:]))
    means = np.mean(rows, axis=0)
    print(f"{f'mean of {len(rows)}':44}{means[0]:12.0f}" + "".join(f"{x:12.3f}" for x in means[1:]))
    ours, F = np.array(rows)[:, -1], np.array(rows)[:, 2:-1]
    print(f"{'above, equal':56}" + " " * 12, end="")
    print("".join(f"{f'{np.sum(ours > f)}, {np.sum(ours == f)}':>12}" for f in F.T))


if __name__ == "__main__":
    main()
