"""Real data that the paper does not have: points, graphs, records and feature tracks."""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import contenders
import figures
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
import trials as lab
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import euclidean_distances

import spherelax as sl
from spherelax import baselines

SETS: dict[str, tuple[str, ...]] = {
    "points": sl.datasets.POINT_SETS,
    "graphs": sl.datasets.GRAPHS,
    "records": ("MusicBrainz",),
    "tracks": ("Sceaux castle",),
}
# Point sets that settings of our points estimator were chosen on; the others are held out.
CHOSEN_ON = {
    *("Atom", "Chainlink", "EngyTime", "TwoDiamonds", "WingNut", "parabolic", "ring", "square"),
    *("aggregation", "jain", "pathbased", "wdbc", "mk3", "mk4", "smile"),
}
# Pairs of records with a lower score are left out, as blocking does it.
LEAST_SCORE = 0.2
# The paper's bound, and the number of iterations that the paper uses for the house.
PAPER_ON_POINTS = {"solver": sl.Power(max_labels=100, n_inner=5)}
# A Python that has graph-tool; without one, its rows are left out.
GRAPH_TOOL = os.environ.get("GRAPH_TOOL_PYTHON", "/usr/bin/python3")
THRESHOLDS = np.arange(0.2, 0.96, 0.05)
ABOUT = (
    "F over pairs (of different groups, where there are groups), best of several true labelings; "
    "points: graph methods on the neighbour graph of SphereClustering, the paper's method on the "
    "adaptive kernel; records: cosine of character trigrams from 0.2; tracks: verified matches"
)


class Problem(NamedTuple):
    """What a method may look at, and the labelings that count as right; 0 is not scored."""

    similarity: Any
    truths: list[np.ndarray]
    groups: np.ndarray | None = None
    points: np.ndarray | None = None

    @property
    def n_labels(self) -> int:
        """Number of labels of the first labeling."""
        return len(np.unique(self.truths[0][self.truths[0] > 0]))


@lru_cache(maxsize=2)
def problem(family: str, name: str) -> Problem:
    """Load a data set and build its similarities."""
    if family == "points":
        data = sl.datasets.load_points(name, data_home=lab.DATA)
        W = sl.similarity.nearest_neighbors(data.points)
        return Problem(W, list(data.labelings), points=data.points)
    if family == "graphs":
        graph = sl.datasets.load_graph(name, data_home=lab.DATA)
        return Problem(graph.similarity, [graph.labels + 1])
    if family == "records":
        records = sl.datasets.load_records(data_home=lab.DATA)
        return Problem(scored_pairs(records), [records.labels + 1], groups=records.sources)
    tracks = sl.datasets.load_tracks(data_home=lab.DATA)
    matched = np.flatnonzero(np.diff(tracks.similarity.indptr) > 1)  # more than itself
    W = sp.csr_array(tracks.similarity[matched][:, matched])
    return Problem(W, [tracks.labels[matched] + 1], groups=tracks.groups[matched])


def scored_pairs(data: Any) -> sp.csr_array:
    """Score pairs of records of different sources by the cosine of their character trigrams."""
    columns = data.records
    texts = [
        plain(" ".join(cells))
        for cells in zip(columns["title"], columns["artist"], columns["album"], strict=True)
    ]
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(texts)
    scores = (vectors @ vectors.T).toarray()
    scores = np.maximum(scores, scores.T)
    return sp.csr_array(
        np.where((scores >= LEAST_SCORE) & (data.sources[:, None] != data.sources), scores, 0.0)
    )


def plain(text: str) -> str:
    """Write a text in small letters and digits, without accents."""
    letters = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return " ".join(re.findall("[a-z0-9]+", letters))


def default(given: Problem) -> np.ndarray:
    """Run our default for what is given."""
    if given.points is not None:
        return sl.SphereClustering().fit_predict(given.points)
    return sl.solve(given.similarity, given.groups).labels


def papers(given: Problem, solver: str | sl.Power = "power") -> np.ndarray:
    """Run the paper's method, with the adaptive kernel for points."""
    W = given.similarity if given.points is None else sl.similarity.adaptive(given.points)
    return sl.solve(W, given.groups, solver=solver).labels


def affinity_propagation(given: Problem) -> np.ndarray:
    """Run affinity propagation, on negative squared distances of points as published."""
    if given.points is None:
        return baselines.affinity_propagation(given.similarity)
    distances = euclidean_distances(given.points, squared=True)
    # A constant added to all similarities changes nothing; similarities must not be negative here.
    return baselines.affinity_propagation(distances.max() - distances)


def hdbscan(given: Problem) -> np.ndarray:
    """Run HDBSCAN on points, or on similarities turned into distances."""
    if given.points is not None:
        return baselines.hdbscan(given.points)
    return baselines.hdbscan(given.similarity, affinity="precomputed")


def potts(given: Problem) -> np.ndarray:
    """Run Leiden for the constant Potts model at the mean similarity of two items."""
    m = given.similarity.shape[0]
    density = (given.similarity.sum() - given.similarity.diagonal().sum()) / (m * (m - 1))
    return baselines.leiden(given.similarity, objective="CPM", resolution=density)


def plscan(given: Problem) -> np.ndarray:
    """Run PLSCAN on points, or on similarities turned into distances."""
    if given.points is not None:
        return baselines.plscan(given.points)
    return baselines.plscan(given.similarity, affinity="precomputed")


def best_threshold(given: Problem) -> np.ndarray:
    """Run union-find at the threshold with the best F-score."""
    found = [baselines.union_find(given.similarity, threshold=least) for least in THRESHOLDS]
    return max(found, key=lambda labels: score(given, labels).f_score)


class Contender(NamedTuple):
    """A method, where it takes part, and whether it is told the number of labels or the truth."""

    find: Callable[..., np.ndarray]
    families: tuple[str, ...] = tuple(SETS)
    told: bool = False


def alone(method: Callable[..., np.ndarray], **settings: Any) -> Callable[[Problem], np.ndarray]:
    """Give a method the similarities alone."""
    return lambda given: method(given.similarity, **settings)


def told(method: Callable[..., np.ndarray]) -> Callable[[Problem], np.ndarray]:
    """Give a method the number of labels too."""
    return lambda given: method(given.similarity, given.n_labels)


def grouped(method: Callable[..., np.ndarray], **settings: Any) -> Callable[[Problem], np.ndarray]:
    """Give a matching method the groups too."""
    return lambda given: method(given.similarity, given.groups, **settings)


# Affinity propagation sends messages between all pairs a thousand times; it takes too long for
# these.
LARGE = {"EngyTime", "GolfBall", "s3"}
# Methods with dense matrices leave out the tracks, which have thousands of items and of labels.
SMALL = ("points", "graphs", "records")
METHODS = {
    contenders.OURS: Contender(default),
    contenders.PAPER: Contender(papers, SMALL),
    "Markov clustering": Contender(alone(baselines.markov_clustering)),
    "Leiden, modularity": Contender(alone(baselines.leiden)),
    "Leiden, CPM at density": Contender(potts),
    "Infomap": Contender(alone(baselines.infomap)),
    "Nested block model": Contender(
        alone(baselines.nested_block_model, python=GRAPH_TOOL), ("graphs",)
    ),
    "HDBSCAN": Contender(hdbscan, SMALL),
    "HDBSCAN with groups": Contender(grouped(baselines.constrained_hdbscan), ("records", "tracks")),
    "PLSCAN": Contender(plscan, SMALL),
    "Affinity propagation": Contender(affinity_propagation, SMALL),
    "Spectrum": Contender(lambda given: baselines.spectrum(given.points), ("points",)),
    "CLEAR": Contender(grouped(baselines.clear), ("records",)),
    "Union-find": Contender(alone(baselines.union_find)),
    "Union-find, conflicts dropped": Contender(
        grouped(baselines.union_find, conflicts="drop"), ("records", "tracks")
    ),
    "Union-find, best threshold": Contender(best_threshold, ("records",), told=True),
    "Spectral + k-means": Contender(told(baselines.spectral_kmeans), SMALL, told=True),
    "Spectral + spherical k-means": Contender(
        told(baselines.spectral_spherical_kmeans), SMALL, told=True
    ),
    "NMF": Contender(told(baselines.nmf), SMALL, told=True),
}


def trials(quick: bool) -> list[lab.Trial]:
    """List the trials: data set by data set, every method that takes part."""
    shown = {"points": ("Hepta",), "graphs": ("karate",), "records": SETS["records"]}
    return [
        {
            "family": family,
            "set": name,
            "held_out": int(name not in CHOSEN_ON) if family == "points" else "",
            "seed": 0,
            "method": method,
            "settings": PAPER_ON_POINTS if (family, method) == ("points", contenders.PAPER) else {},
        }
        for family, names in (shown if quick else SETS).items()
        for name in names
        for method, contender in METHODS.items()
        if family in contender.families and not (method == "Affinity propagation" and name in LARGE)
    ]


def run(trial: lab.Trial) -> list[lab.Row]:
    """Load the data set and run the method on it."""
    given = problem(trial["family"], trial["set"])
    start = time.process_time()
    labels = METHODS[trial["method"]].find(given, **trial["settings"])
    seconds = time.process_time() - start
    return [contenders.outcome(score(given, labels), labels, seconds)]


def score(given: Problem, labels: np.ndarray) -> sl.metrics.PairScores:
    """Score labels against the best of the true labelings."""
    scores = []
    for truth in given.truths:
        known = truth > 0
        groups = None if given.groups is None else given.groups[known]
        scores.append(sl.metrics.pairwise_scores(truth[known], labels[known], groups))
    return max(scores, key=lambda each: each.f_score)


def columns(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Sort the rows into the columns of the short table."""
    return {
        "points": [row for row in rows if row["family"] == "points"],
        "of these held out": [row for row in rows if row["held_out"] == 1],
        "graphs": [row for row in rows if row["family"] == "graphs"],
        "records": [row for row in rows if row["family"] == "records"],
        "tracks": [row for row in rows if row["family"] == "tracks"],
    }


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Mean F-score of each method in each family."""
    means = {title: figures.mean_by(part, "method") for title, part in columns(rows).items()}
    return {
        "beyond_means": [
            {"method": method + (" (told)" if METHODS[method].told else "")}
            | {
                title: f"{mean[method,]:.3f}" if (method,) in mean else ""
                for title, mean in means.items()
            }
            for method in METHODS
        ]
    }


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """Draw a dot for each data set, a bar for the mean; hollow and dashed if a method is told."""
    families = [family for family in SETS if any(row["family"] == family for row in rows)]
    figure, axes = plt.subplots(
        1, len(families), figsize=(3 * len(families), 4.6), sharey=True, layout="constrained"
    )
    names = list(METHODS)[::-1]
    for ax, family in zip(axes, families, strict=True):
        for place, method in enumerate(names):
            own = [r["f_score"] for r in rows if r["family"] == family and r["method"] == method]
            if not own:
                continue
            color = (
                figures.COLORS[method] if method in (contenders.OURS, contenders.PAPER) else "0.35"
            )
            fill = "none" if METHODS[method].told else color
            edge = "--" if METHODS[method].told else "-"
            ax.barh(place, np.mean(own), color=fill, edgecolor=color, alpha=0.5, linestyle=edge)
            ax.plot(own, np.full(len(own), place), "o", ms=3, mfc=fill, mec=color, alpha=0.6)
        ax.set(title=family, xlabel="F-score", xlim=(0, 1.02))
        ax.grid(axis="x", color="0.92")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(
        range(len(names)), [name + (" (told)" if METHODS[name].told else "") for name in names]
    )
    return {"beyond": figure}


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
