"""Affinity propagation: exemplars against all possible sets of them."""

from itertools import combinations

import numpy as np
import pytest

from spherelax.baselines._affinity_propagation import affinity_propagation, default_preference
from spherelax.datasets import make_binary_similarity
from spherelax.metrics import pairwise_scores


def best_net_similarity(W, preference):
    """Largest sum of similarities with exemplars, over all sets of exemplars."""
    S = W - np.diag(W.diagonal()) + preference * np.eye(len(W))
    return max(
        S[np.ix_(others, chosen)].max(axis=1).sum() + preference * size
        for size in range(1, len(W))
        for chosen in map(list, combinations(range(len(W)), size))
        for others in [np.setdiff1d(np.arange(len(W)), chosen)]
    )


def net_similarity(W, labels, preference):
    """Largest sum for given clusters: each with its best exemplar."""
    W = W - np.diag(W.diagonal())
    members = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    return sum(W[np.ix_(items, items)].sum(axis=0).max() + preference for items in members)


def test_reaches_the_largest_net_similarity(seed):
    X = np.random.default_rng(seed).normal(size=(9, 2))
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    preference = default_preference(W)
    found = net_similarity(W, affinity_propagation(W), preference)
    assert found == pytest.approx(best_net_similarity(W, preference), rel=1e-3)


def test_preference_is_the_median_of_different_items():
    assert default_preference(np.array([[7, 1, 4], [1, 7, 2], [4, 2, 7.0]])) == 2.0
    # The median of a binary similarity may be the largest, or all may be equal.
    assert default_preference(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1.0]])) == 0.0
    assert default_preference(np.ones((4, 4))) == 0.0


def test_larger_preference_makes_more_clusters(seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    few, many, all_own = (affinity_propagation(W, preference=p).max() for p in (0.01, 0.9, 2.0))
    assert few < many < all_own == 59


def test_clean_clusters_of_many_sizes(seed):
    sizes = [2, 3, 5, 9, 17, 1, 1]
    truth = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(seed).permutation(len(truth))
    W = (truth[:, None] == truth).astype(float)[np.ix_(order, order)]
    assert pairwise_scores(truth[order], affinity_propagation(W)).f_score == 1.0


def test_one_large_cluster():
    W = np.zeros((30, 30))
    W[:26, :26] = W[26:, 26:] = 1.0
    assert affinity_propagation(W).tolist() == [0] * 26 + [1] * 4


def test_binary_similarities(seed):
    W, truth = make_binary_similarity(150, 5, rewired=0.4, missing=0.2, random_state=6000 + seed)
    assert pairwise_scores(truth, affinity_propagation(W)).f_score > 0.22
