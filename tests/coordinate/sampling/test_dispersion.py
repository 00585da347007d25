"""How much more evidence varies than that of independent pairs."""

import numpy as np
import pytest

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.sampling.dispersion import dispersion
from spherelax.problem import Problem


def test_independent_pairs_are_not_clumped_and_repeated_ones_are(seed):
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(10, dtype=np.int32), 30)
    chance = np.where(truth[:, None] == truth, 0.3, 0.05)
    half = np.triu(rng.random(chance.shape) < chance, 1)
    graph = build_graph(Problem.check((half | half.T).astype(float)))
    assert dispersion(graph, truth[graph.given]) < 1.1
    # Half of the items are drawn to one other label each.
    drawn = (truth[:, None] + 1) % 10 == truth
    half |= np.triu(drawn & (rng.random((300, 1)) < 0.5) & (rng.random(drawn.shape) < 0.5), 1)
    graph = build_graph(Problem.check((half | half.T).astype(float)))
    assert dispersion(graph, truth[graph.given]) > 1.3


def test_dispersion_is_that_of_the_definition(seed):
    rng, m = np.random.default_rng(seed), 40
    labels = rng.integers(4, size=m).astype(np.int32)
    A = np.triu(rng.random((m, m)) < 0.3, 1)
    W = np.where(A | A.T, 1.0, 0.0)
    graph = build_graph(Problem.check(W))
    labels, W = labels[graph.given], W[np.ix_(graph.given, graph.given)]
    expected = np.ones((m, m))
    np.fill_diagonal(expected, 0.0)
    inside, ratios = labels[:, None] == labels, []
    means = {
        c: (W * inside)[labels == c].sum() / (expected * inside)[labels == c].sum()
        for c in range(4)
    }
    for part in (inside, ~inside):
        mean = W[part].sum() / expected[part].sum()
        squares = np.square(W[part]).sum() - expected[part].sum() * mean**2
        misses = 0.0
        for i in range(m):
            for c in range(4):
                if (c == labels[i]) == (part is inside):
                    rate = means[c] if c == labels[i] else mean
                    miss = (W[i] - rate * expected[i])[labels == c].sum()
                    misses += miss**2
        ratios.append(misses / squares)
    found = dispersion(graph, labels)
    assert found == pytest.approx(max(np.mean(ratios), 1.0), rel=1e-5)
