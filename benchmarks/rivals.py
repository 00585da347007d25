"""Other methods that a user could take, and the search for their best settings."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp

import spherelax as sl
from spherelax.baselines import (
    affinity_propagation,
    leiden_graph,
    leiden_of_graph,
    markov_clustering,
)
from spherelax.baselines import spectral_kmeans as spectral

__all__ = [
    "HAS_IGRAPH",
    "affinity_propagation",
    "best_inflation",
    "best_resolution",
    "leiden",
    "leiden_graph",
    "markov",
    "spectral",
]

# igraph is optional: its licence is the GPL.
HAS_IGRAPH = find_spec("igraph") is not None
# What igraph does by default; a run to the end takes longer.
LEIDEN_ITERATIONS = 2
RESOLUTIONS = 24
INFLATIONS = 1.6, 1.7, 1.8, 2.0, 2.5


def leiden(graph: Any, resolution: float) -> np.ndarray:
    """Run Leiden once with the constant Potts model on a graph, which is built beforehand."""
    return leiden_of_graph(
        graph,
        objective="CPM",
        resolution=resolution,
        n_iterations=LEIDEN_ITERATIONS,
        random_state=0,
    )


def best_resolution(graph: Any, labels: np.ndarray) -> float:
    """Return the resolution from the density to 1 at which Leiden is nearest the truth."""
    grid = np.geomspace(graph.density(), 1.0, RESOLUTIONS)
    return _best(grid, [leiden(graph, at) for at in grid], labels)


def markov(W: sp.csr_array, inflation: float = 2.0) -> np.ndarray:
    """Run Markov clustering."""
    return markov_clustering(W, inflation=inflation)


def best_inflation(W: sp.csr_array, labels: np.ndarray) -> float:
    """Return the inflation at which Markov clustering is nearest the truth."""
    return _best(np.array(INFLATIONS), [markov(W, at) for at in INFLATIONS], labels)


def _best(settings: np.ndarray, found: list[np.ndarray], labels: np.ndarray) -> float:
    """Return the setting with the largest F-score, the middle one of several."""
    scores = np.array([sl.metrics.pairwise_scores(labels, each).f_score for each in found])
    best = np.flatnonzero(scores == scores.max())
    return float(settings[best[len(best) // 2]])
