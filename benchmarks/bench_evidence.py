"""Is the solver ever sure and wrong? Every family of problems: F, what was said, what is right.

Run with ``python benchmarks/bench_evidence.py``, or with ``--only graphs lists``. ``F`` is over
pairs, ``path`` that of the best step of the solver's own path, ``rival`` that of a method that is
told more: the better one of both readings, greedy links, or components at their best threshold.
``said`` and ``right`` are the mean confidence and the share of items that is right, ``error`` the
calibration error of a problem, ``AUC`` how well confidence tells wrong items from right ones.
``named`` counts results that name another answer, ``clear`` those that do not, have no odd status,
and a mean confidence of at least 0.9; ``wrong`` clear ones with less than 0.8 of the items right.
Real data are looked for in SPHERELAX_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from inspect import getdoc, isclass
from pkgutil import iter_modules
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from bench_calibration import auc
from bench_records import DATA, Stored, Table, best_components, links
from graph_families import graphs
from group_families import problems
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

import spherelax as sl

ENTITIES = DATA / "entity_resolution"
# Families of graphs whose similarities may be taken for scores of candidates.
WEIGHTED = ["Poisson counts", "lognormal weights", "idle weights", "co-occurrence"]
SURE, RIGHT = 0.9, 0.8
PACKAGES = (
    *("argparse", "asyncio", "collections", "concurrent.futures", "csv", "datetime", "decimal"),
    *("email", "fractions", "http", "importlib", "json", "logging", "multiprocessing", "pathlib"),
    *("random", "shutil", "smtplib", "sqlite3", "statistics", "tarfile", "threading", "unittest"),
    *("urllib", "wsgiref", "xml.dom", "xml.sax", "zipfile"),
)


class Case(NamedTuple):
    """A problem, its true labels (of several levels, any), and the F-score of a rival."""

    family: str
    solve: Callable[[], sl.Result]
    truths: tuple[NDArray[np.integer], ...]
    rival: float = np.nan


class Row(NamedTuple):
    """What was found in a problem."""

    f_score: float
    path: float
    rival: float
    said: float
    right: float
    error: float
    auc: float
    is_named: bool
    is_clear: bool
    is_wrong: bool


def f_score(truths: tuple[NDArray[np.integer], ...], labels: NDArray[np.integer]) -> float:
    """Return F over pairs, by the level that fits best."""
    return max(sl.metrics.pairwise_scores(truth, labels).f_score for truth in truths)


def measure(case: Case) -> Row:
    """Solve a problem, and compare what is said with the truth."""
    result = case.solve()
    right = max(
        (sl.metrics.correctness(truth, result.labels).items for truth in case.truths), key=np.mean
    )
    said, found = result.confidence, f_score(case.truths, result.labels)
    is_clear = result.alternative is None and not result.status.is_odd and said.mean() >= SURE
    return Row(
        found,
        max(found, *(f_score(case.truths, labels) for labels in result.path.labels)),
        case.rival,
        said.mean(),
        right.mean(),
        sl.metrics.reliability(said, right).error,
        auc(said, right),
        result.alternative is not None,
        is_clear,
        is_clear and right.mean() < RIGHT,
    )


def of_graphs(seeds: range) -> Iterator[Case]:
    """Yield graphs that are said to be graphs."""
    for seed in seeds:
        for graph in graphs(seed):
            W = graph.similarity
            yield Case(
                f"graph: {graph.family}", lambda W=W: sl.solve(W, kind="graph"), graph.truths
            )


def of_bare(seeds: range) -> Iterator[Case]:
    """Yield weighted graphs and neighbour graphs of texts of which nobody says what they are."""
    for seed in seeds:
        named = [(graph.family, graph.similarity, graph.truths) for graph in graphs(seed, WEIGHTED)]
        named += [(f"texts, {k} nearest", *texts(seed, k)) for k in (5, 10, 20)]
        for family, W, truths in named:
            both = [f_score(truths, sl.solve(W, kind=kind).labels) for kind in ("graph", "pairs")]
            yield Case(f"bare: {family}", lambda W=W: sl.solve(W), truths, max(both))


def of_groups(seeds: range) -> Iterator[Case]:
    """Yield matches with three groups or more."""
    for family, _, (W, groups, truth) in problems(seeds):
        table = Table(family, W, groups, truth)
        linked = links(table)
        yield Case(f"groups: {family}", lambda W=W, g=groups: sl.solve(W, g), (truth,), linked)


def of_lists(_: range) -> Iterator[Case]:
    """Yield tables of scored pairs; few of them have sources."""
    for path in sorted(ENTITIES.glob("*/*.npz")):
        table, has_sources = Stored.read(path)
        told = links(table) if has_sources else best_components(table)
        yield Case(
            f"{'sources' if has_sources else 'list'}: {path.stem}",
            lambda t=table, s=has_sources: sl.solve(t.similarity, t.sources if s else None),
            (table.truth,),
            told,
        )


def texts(seed: int, k: int) -> tuple[sp.csr_array, tuple[NDArray[np.integer], ...]]:
    """Return the k nearest of each of some docstrings of Python's library, by its packages."""
    said = [(text, topic) for topic, name in enumerate(PACKAGES) for text in docstrings(name)]
    kept = np.random.default_rng(seed).random(len(said)) < 0.7
    texts, topic = zip(
        *(one for one, is_kept in zip(said, kept, strict=True) if is_kept), strict=True
    )
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english").fit_transform(
        texts
    )
    S = (vectors @ vectors.T).toarray()
    np.fill_diagonal(S, 0.0)
    near = np.argsort(-S, axis=1)[:, :k]
    row = np.repeat(np.arange(len(S)), k)
    A = sp.csr_array((S[row, near.ravel()], (row, near.ravel())), shape=S.shape)
    A.eliminate_zeros()
    return sp.csr_array(A.maximum(A.T)), (np.array(topic),)


def docstrings(package: str) -> list[str]:
    """Return the different docstrings of a package and its modules."""
    module = import_module(package)
    found = [module]
    for inner in iter_modules(getattr(module, "__path__", [])):
        if not inner.name.startswith("_"):
            with suppress(ImportError):  # parts of other platforms
                found.append(import_module(f"{package}.{inner.name}"))
    things = [thing for one in found for thing in vars(one).values() if callable(thing)]
    own = [one for one in things if (getattr(one, "__module__", "") or "").startswith(package)]
    inner = [each for one in own if isclass(one) for each in vars(one).values() if callable(each)]
    return sorted({text for one in own + inner if len(text := getdoc(one) or "") > 60})


SETS: dict[str, Callable[[range], Iterator[Case]]] = {
    "graphs": of_graphs,
    "bare": of_bare,
    "groups": of_groups,
    "lists": of_lists,
}


def show(name: str, rows: list[Row]) -> None:
    """Print the means of some problems."""
    columns = np.array(rows, dtype=float).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        means = "".join(f"{np.nanmean(column):8.3f}" for column in columns[:7])
    print(
        f"{name:46}{means}" + "".join(f"{int(c.sum()):7}" for c in columns[7:]) + f"{len(rows):7}"
    )


def main(argv: list[str] | None = None) -> None:
    """Print a row for each family, and one for each set of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument(
        "--seeds", type=int, nargs=2, default=[20, 22], help="first, and after last"
    )
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", sl.SphereWarning)
    heads = "".join(
        f"{head:>8}" for head in ("F", "path", "rival", "said", "right", "error", "AUC")
    )
    print(f"{'':46}{heads}" + "".join(f"{head:>7}" for head in ("named", "clear", "wrong", "n")))
    every: list[Row] = []
    for name in options.only:
        rows: dict[str, list[Row]] = {}
        for case in SETS[name](range(*options.seeds)):
            rows.setdefault(case.family, []).append(measure(case))
        for family, found in rows.items():
            show(family, found)
        total = [row for found in rows.values() for row in found]
        show(f"all {name}", total)
        every += total
    show("all", every)


if __name__ == "__main__":
    main()
