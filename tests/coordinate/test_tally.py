"""Statistics of labels against their twins."""

import numpy as np
from graphs import weak_clusters

import twins
from spherelax.coordinate import tally
from spherelax.labels import renumber


def test_within(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, grouped=False, by_degree=True)
    W = twins.dense_similarity(graph)
    labels = renumber(rng.integers(6, size=graph.n_items))
    P = twins.membership(labels)
    inside = tally.within(graph, labels, P.shape[1])
    np.testing.assert_allclose(inside, 0.5 * np.diag(P.T @ W @ P), rtol=1e-6)
