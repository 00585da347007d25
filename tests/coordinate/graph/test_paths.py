"""Strongest paths and weakest cuts, compared with all paths and all cuts."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph.paths import minimum_cut, spanning_tree, strongest_path, weakest_cut

SEEDS = range(20)


def some_graph(seed, n=6):
    """Pairs of a few items, worth about as much as they cost."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.1, 2.0, (n, n)) * (rng.random((n, n)) < 0.7), 1)
    return W + W.T


@pytest.mark.parametrize("seed", SEEDS)
def test_no_path_has_a_stronger_weakest_pair(seed):
    W = some_graph(seed)

    def weakest(path):
        return min(W[a, b] for a, b in pairwise(path))

    paths = [(0, *rest, 5) for k in range(5) for rest in permutations(range(1, 5), k)]
    best, found = max(map(weakest, paths)), strongest_path(spanning_tree(sp.csr_array(W)), 0, 5)
    if best == 0.0:
        assert found == []
    else:
        assert (found[0], found[-1]) == (0, 5)
        assert weakest(found) == best


@pytest.mark.parametrize("seed", SEEDS)
def test_no_cut_between_two_items_is_smaller(seed):
    W = some_graph(seed)
    sides = [np.array([True, *rest, False]) for rest in product([True, False], repeat=4)]
    found = minimum_cut(sp.csr_array(W), 0, 5)
    assert found[0]
    assert not found[5]
    least = min(side @ W @ ~side for side in sides)
    assert found @ W @ ~found == pytest.approx(least, abs=1e-4)


def test_the_weakest_cut_is_nearly_always_the_least_of_all():
    n_least = 0
    for seed in range(100):
        W = some_graph(seed)
        worth = W - 0.4
        sides = [np.array(side) for side in product([True, False], repeat=6)][1:-1]
        found = weakest_cut(sp.csr_array(W), 0.4, np.ones(6))
        assert 0 < found.sum() <= 3
        least = min(side @ worth @ ~side for side in sides)
        n_least += found @ worth @ ~found == pytest.approx(least, abs=1e-4)
    assert n_least >= 90
