"""What a user would take instead: Leiden, Markov clustering, affinity propagation, spectral."""

from __future__ import annotations

import random
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import AffinityPropagation, SpectralClustering

import spherelax as sl

# igraph is optional: its licence is the GPL.
HAS_IGRAPH = find_spec("igraph") is not None
LEIDEN_ITERATIONS = 2
RESOLUTIONS = 24
INFLATIONS = 1.6, 1.8, 2.0, 2.5
PRUNED_BELOW, MARKOV_ITERATIONS = 1e-4, 100
# Markov clustering stops when no flow changes by more; pruning makes smaller changes meaningless.
MARKOV_TOLERANCE = 1e-6


def leiden_graph(W: sp.csr_array) -> Any:
    """Build igraph's graph of a similarity, with its weights."""
    import igraph  # noqa: PLC0415

    upper = sp.triu(W, 1).tocoo()
    graph = igraph.Graph(n=W.shape[0], edges=np.c_[upper.row, upper.col])
    graph.es["weight"] = upper.data.tolist()
    return graph


def leiden(graph: Any, resolution: float) -> np.ndarray:
    """Run igraph's Leiden once with the constant Potts model at a resolution."""
    random.seed(0)
    found = graph.community_leiden(
        objective_function="CPM",
        weights="weight",
        resolution=resolution,
        n_iterations=LEIDEN_ITERATIONS,
    )
    return np.array(found.membership)


def best_resolution(graph: Any, labels: np.ndarray) -> float:
    """Return the resolution from the density to 1 at which Leiden is nearest the truth."""
    grid = np.geomspace(graph.density(), 1.0, RESOLUTIONS)
    return _best(grid, [leiden(graph, at) for at in grid], labels)


def markov(W: sp.csr_array, inflation: float = 2.0) -> np.ndarray:
    """Cluster by simulated flow (van Dongen 2000): square, inflate, prune until nothing changes."""
    m = W.shape[0]
    flow = _normalised(sp.csc_array(W, dtype=float) + sp.eye_array(m, format="csc"))
    for _ in range(MARKOV_ITERATIONS):
        before = flow
        flow = _normalised((flow @ flow).power(inflation))
        flow.data[flow.data < PRUNED_BELOW] = 0.0
        flow.eliminate_zeros()
        flow = _normalised(flow)
        if abs(flow - before).max() <= MARKOV_TOLERANCE:
            break
    return sp.csgraph.connected_components(flow, directed=False)[1]


def best_inflation(W: sp.csr_array, labels: np.ndarray) -> float:
    """Return the inflation at which Markov clustering is nearest the truth."""
    return _best(np.array(INFLATIONS), [markov(W, at) for at in INFLATIONS], labels)


def affinity_propagation(W: sp.csr_array) -> np.ndarray:
    """Run scikit-learn's affinity propagation with its default settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where it does not converge; the F-score says so
        return AffinityPropagation(affinity="precomputed", random_state=0).fit_predict(W.toarray())


def spectral(W: sp.csr_array, n_clusters: int) -> np.ndarray:
    """Run scikit-learn's spectral clustering, told the number of clusters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the graph is in pieces
        model = SpectralClustering(n_clusters, affinity="precomputed", random_state=0)
        return model.fit_predict(W.astype(float))


def _best(settings: np.ndarray, found: list[np.ndarray], labels: np.ndarray) -> float:
    """Return the setting with the largest F-score, the middle one of several."""
    scores = np.array([sl.metrics.pairwise_scores(labels, each).f_score for each in found])
    best = np.flatnonzero(scores == scores.max())
    return float(settings[best[len(best) // 2]])


def _normalised(flow: sp.csc_array) -> sp.csc_array:
    """Divide each column by its sum."""
    return sp.csc_array(flow @ sp.diags_array(1.0 / flow.sum(axis=0)))
