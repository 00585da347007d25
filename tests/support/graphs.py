"""Random graphs and labels for the tests of compiled functions."""

import numpy as np

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.graph.neighbors import strengths
from spherelax.labels import renumber, separate_groups
from spherelax.problem import Problem


def weak_clusters(rng, *, grouped=False, by_degree=False, m=24):
    """Weak clusters with continuous similarities, so that there are no ties."""
    truth = rng.integers(4, size=m)
    W = np.triu(
        rng.random((m, m)) * (rng.random((m, m)) < 0.2 + 0.5 * (truth[:, None] == truth)), 1
    )
    groups = rng.integers(m // 3, size=m) if grouped else None
    graph = build_graph(Problem.check(W + W.T, groups))
    return graph._replace(weight=strengths(graph).astype(np.float32)) if by_degree else graph


def random_labels(graph, rng, n_labels):
    """Random labels; items that would break a group get labels of their own."""
    labels = renumber(rng.integers(n_labels, size=graph.n_items))
    return separate_groups(labels, graph.groups())


def average(graph):
    """The mean similarity under the null model."""
    return 0.5 * float(graph.values.sum(dtype=float)) / graph.n_pairs()
