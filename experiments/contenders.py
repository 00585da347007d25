"""The methods that are compared: our default, the paper's method and the rivals."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import spherelax as sl
from spherelax import baselines

Row = dict[str, Any]

OURS, PAPER = "spherelax", "paper's method"


class Contender(NamedTuple):
    """A method, and whether it is told the number of labels."""

    solve: Callable[..., Any]
    told: bool


def ours(similarity: Any, groups: Any = None, **settings: Any) -> np.ndarray:
    """Return the labels of our solvers."""
    return sl.solve(similarity, groups, **settings).labels


MATCHING = {
    OURS: Contender(ours, told=False),
    PAPER: Contender(ours, told=False),
    "CLEAR": Contender(baselines.clear, told=False),
    "HDBSCAN with groups": Contender(baselines.constrained_hdbscan, told=False),
    "MatchEig": Contender(baselines.match_eig, told=True),
    "Spectral": Contender(baselines.spectral_matching, told=True),
    "Spectral, as published": Contender(baselines.spectral_matching, told=True),
    "NmfSync": Contender(baselines.nmf_sync, told=True),
    "MatchALS": Contender(baselines.match_als, told=True),
    "MatchLift": Contender(baselines.match_lift, told=True),
    "SparseStiefelOpt": Contender(baselines.sparse_stiefel, told=True),
    "PG": Contender(baselines.projected_gradient, told=True),
}
CLUSTERING = {
    OURS: Contender(ours, told=False),
    PAPER: Contender(ours, told=False),
    "Affinity propagation": Contender(baselines.affinity_propagation, told=False),
    "NMF": Contender(baselines.nmf, told=True),
    "Spectral + k-means": Contender(baselines.spectral_kmeans, told=True),
    "Spectral + spherical k-means": Contender(baselines.spectral_spherical_kmeans, told=True),
}


def match(
    trial: Row,
    similarity: Any,
    groups: np.ndarray,
    truth: np.ndarray,
    universe: int,
    **more: Any,
) -> Row:
    """Run the matching method of a trial; score it over pairs of items from different groups."""
    contender = MATCHING[trial["method"]]
    told = (universe,) if contender.told else ()
    start = time.process_time()
    found = contender.solve(similarity, groups, *told, **trial["settings"], **more)
    seconds = time.process_time() - start
    if found.ndim == 2:  # matches of a method that gives no labels
        return outcome(sl.metrics.match_scores(truth, found, groups), None, seconds)
    return outcome(sl.metrics.pairwise_scores(truth, found, groups), found, seconds)


def cluster(trial: Row, similarity: Any, truth: np.ndarray, n_clusters: int) -> Row:
    """Run the clustering method of a trial; score it over pairs of items."""
    contender = CLUSTERING[trial["method"]]
    told = (n_clusters,) if contender.told else ()
    start = time.process_time()
    found = contender.solve(similarity, *told, **trial["settings"])
    seconds = time.process_time() - start
    return outcome(sl.metrics.pairwise_scores(truth, found), found, seconds)


def outcome(scores: sl.metrics.PairScores, labels: np.ndarray | None, seconds: float) -> Row:
    """Return the columns that every table has."""
    n_labels = None if labels is None else len(np.unique(labels))
    return {**scores._asdict(), "n_labels": n_labels, "cpu_seconds": seconds}
