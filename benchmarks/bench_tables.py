"""How good are the entities, kind of table by kind? F over songs, persons, products and more.

Run with ``python benchmarks/bench_tables.py``, or with ``--kind airports`` for one kind. Tables of
scored pairs are looked for in SPHERELAX_DATA or ../shared/data; the songs are the held-out tables
of `bench_records`. spherelax gets no threshold. It is compared with connected components of the
pairs above one half and above the best threshold, with single best links without and with the best
threshold (where sources are free of duplicates; the best one is known only if the truth is known),
and with HDBSCAN that is told the same groups.

Then the means of each kind: of tables whose sources are free of duplicates, and of others.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from bench_records import DATA, Stored, Table, best_components, links, tables

import spherelax as sl
from spherelax.baselines import constrained_hdbscan, union_find

FOLDERS = ("lists", "scored_pairs", "many_sources")
# What the names of the files of a kind have in common.
KINDS = {
    "songs": (),
    "persons": ("persons", "family", "febrl", "hist", "rl500", "pv60"),
    "products": ("products", "abt-buy", "computers"),
    "citations": ("citations", "dblp-acm"),
    "airports": ("airports",),
    "territories": ("territories",),
    "institutions": ("affiliations",),
}
HALF = 0.5
METHODS = ("components .5", "components*", "links", "links*", "HDBSCAN", "spherelax")


def stored(kind: str) -> Iterator[Stored]:
    """Yield the tables of a kind."""
    if kind == "songs":
        for table in tables(sl.datasets.load_records(data_home=DATA), "held-out"):
            yield Stored(table, has_sources=True)
    for folder in FOLDERS:
        for path in sorted((DATA / "entity_resolution" / folder).glob("*.npz")):
            if any(word in path.stem for word in KINDS[kind]):
                yield Stored.read(path)


def compare(table: Table, *, has_sources: bool) -> list[float]:
    """Return F of all methods."""
    W, sources = table.similarity, table.sources
    linked = [links(table, t) for t in (0.0, *table.thresholds)] if has_sources else [np.nan]
    at_half = table.f_score(union_find(W, threshold=HALF))
    return [
        at_half,
        max(at_half, best_components(table)),
        linked[0],
        max(linked),
        table.f_score(constrained_hdbscan(W, sources)),
        table.f_score(sl.solve(W, sources if has_sources else None).labels),
    ]


def print_row(name: str, row: list[float]) -> None:
    """Print F of all methods."""
    print(f"{name:52}" + "".join(f"{x:15.3f}" for x in row), flush=True)


def main() -> None:
    """Print a row per table, and the means of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, action="append", help="these only")
    warnings.simplefilter("ignore", sl.SphereWarning)
    print(f"{'':52}" + "".join(f"{head:>15}" for head in METHODS) + "    * at the best threshold")
    means: dict[str, list[float]] = {}
    for kind in parser.parse_args().kind or KINDS:
        rows: dict[str, list[list[float]]] = {"sources": [], "one table": []}
        for table, has_sources in stored(kind):
            row = compare(table, has_sources=has_sources)
            rows["sources" if has_sources else "one table"].append(row)
            print_row(table.name, row)
        for which, found in rows.items():
            if found:
                means[f"{kind}, {which}: {len(found)}"] = np.mean(found, axis=0).tolist()
    print()
    for name, row in means.items():
        print_row(name, row)


if __name__ == "__main__":
    main()
