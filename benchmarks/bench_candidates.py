"""How good are entities from lists of candidates? F over tables of scored pairs.

Run with ``python benchmarks/bench_candidates.py``. The tables are looked for in SPHERELAX_DATA or
../shared/data: candidate pairs of two sources, and of one table with duplicates. spherelax gets no
threshold; tables of two sources are also solved without the sources. It is compared with single
best links (pairs are joined from the highest score to the lowest, unless a source would be in an
entity twice), once all and once down to the best threshold, and with connected components at the
best threshold; both thresholds are known only if the truth is known.

Then the calibration: the mean difference, in ten bins, between probabilities and the share that is
right, of listed pairs, of pairs that share a label, of labels (pure, of several items; whole) and
of items; and how well confidence ranks items whose label is wrong (AUC). With ``--records`` it is
that of the tables of songs that `bench_records` makes, of the half that was held out, each table by
itself and all together.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_records import DATA, HALVES, Stored, Table, best_components, links, tables
from numpy.typing import NDArray
from scipy.stats import rankdata

import spherelax as sl

FOLDER = DATA / "entity_resolution" / "scored_pairs"
METHODS = ("components*", "links", "links*", "spherelax")


Compared = tuple[NDArray[np.float64], NDArray[Any]]


def lists() -> Iterator[Stored]:
    """Yield the tables of scored pairs; those of a model's probabilities have no sources."""
    yield from map(Stored.read, sorted(FOLDER.glob("*.npz")))


class Calibration(NamedTuple):
    """Probabilities, and whether each is right; items that are wrong have less than half right."""

    listed: Compared
    pairs: Compared
    pure: Compared
    whole: Compared
    items: Compared

    @classmethod
    def of(cls, result: sl.Result, truth: NDArray[np.integer]) -> Calibration:
        """Compare what a result says with the truth."""
        found, right = result.entities(), sl.metrics.correctness(truth, result.labels)
        listed = sp.triu(result.listed_probability()).tocoo()
        several = np.bincount(result.labels) > 1
        return cls(
            (listed.data, truth[listed.row] == truth[listed.col]),
            (result.pairs().probability, right.pairs),
            (found.pure[several], right.pure[several]),
            (found.whole, right.whole),
            (result.confidence, right.items),
        )

    def errors(self) -> list[float]:
        """Return the calibration errors, and the AUC of wrong items."""
        errors = [sl.metrics.reliability(said, right).error for said, right in self]
        sure, is_wrong = self.items[0], self.items[1] < 0.5
        if not 0 < np.count_nonzero(is_wrong) < len(is_wrong):
            return [*errors, np.nan]
        n_wrong, n_right = np.count_nonzero(is_wrong), np.count_nonzero(~is_wrong)
        ranks = rankdata(-sure)[is_wrong].sum() - n_wrong * (n_wrong + 1) / 2
        return [*errors, float(ranks / (n_wrong * n_right))]


def songs() -> None:
    """Print the calibration on tables of songs: their mean, and of all tables together."""
    records = sl.datasets.load_records(data_home=DATA)
    for half in HALVES[1:]:
        found = []
        for table in tables(records, half):
            result = sl.solve(table.similarity, table.sources)
            found.append(Calibration.of(result, np.unique(table.truth, return_inverse=True)[1]))
        pooled = Calibration(*map(_joined, zip(*found, strict=True)))
        _print(f"songs {half}, mean of {len(found)}", _means([each.errors() for each in found]))
        _print(f"songs {half}, together", pooled.errors())


def _means(rows: list[list[float]]) -> list[float]:
    """Return the means of columns, without what is not known."""
    is_known = np.isfinite(rows)
    sums = np.where(is_known, rows, 0.0).sum(axis=0)
    return (sums / np.where(is_known.any(axis=0), is_known.sum(axis=0), np.nan)).tolist()


def _joined(each: tuple[Compared, ...]) -> Compared:
    """Put the probabilities of several tables together, and whether they are right."""
    said, right = zip(*each, strict=True)
    return np.concatenate(said), np.concatenate(right)


def _print(name: str, row: list[float]) -> None:
    """Print a row of numbers."""
    print(f"{name:46}" + "".join(f"{x:12.3f}" for x in row), flush=True)


def compare(table: Table, *, has_sources: bool) -> list[float]:
    """Return F of all methods, the calibration errors and the AUC."""
    result = sl.solve(table.similarity, table.sources if has_sources else None)
    scores = [np.nan]
    if has_sources:
        scores = [links(table, t) for t in (0.0, *table.thresholds)]
    return [
        best_components(table),
        scores[0],
        max(scores),
        table.f_score(result.labels),
        *Calibration.of(result, table.truth).errors(),
    ]


def main() -> None:
    """Print a row per table, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", action="store_true", help="calibration on tables of songs")
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = [] if (is_records := parser.parse_args().records) else [*METHODS]
    print(f"{'':46}" + "".join(f"{head:>12}" for head in (*heads, *Calibration._fields, "AUC")))
    if is_records:
        songs()
        return
    for told in (True, False):
        rows = []
        for table, has_sources in lists():
            if told <= has_sources:
                rows.append(compare(table, has_sources=told))
                _print(f"{table.name}{'' if told or not has_sources else ', not told'}", rows[-1])
        _print(f"mean of {len(rows)}", _means(rows))
    print("* at the best threshold")


if __name__ == "__main__":
    main()
