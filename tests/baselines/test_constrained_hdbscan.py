"""HDBSCAN with groups that cannot link: its forest, and what it does without conflicts."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.baselines._constrained_hdbscan import constrained_hdbscan
from spherelax.datasets import make_partial_matching
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def test_the_stronger_of_two_contradicting_pairs_is_kept():
    pytest.importorskip("fast_hdbscan")
    W = np.zeros((5, 5))
    W[0, 2], W[1, 2], W[1, 3], W[3, 4] = 0.9, 0.6, 0.8, 0.7
    groups = ["a", "a", "b", "c", "d"]
    assert constrained_hdbscan(W + W.T, groups).tolist() == [0, 1, 0, 1, 1]


def test_one_wrong_match_does_not_join_two_things(seed):
    pytest.importorskip("fast_hdbscan")
    W, groups, truth = make_partial_matching(6, 5, observed=1.0, shuffled=0.0, random_state=seed)
    W = W * np.random.default_rng(seed).uniform(0.7, 1.0, W.shape)
    W = np.triu(W, 1) + np.triu(W, 1).T
    wrong = np.argwhere((truth[:, None] != truth) & (groups[:, None] != groups))[0]
    W[tuple(wrong)] = W[tuple(wrong[::-1])] = 0.5
    labels = constrained_hdbscan(W, groups)
    assert pairwise_scores(truth, labels, groups).precision == 1.0


def test_a_stored_zero_is_not_a_match():
    pytest.importorskip("fast_hdbscan")
    W = sp.csr_array(([0.0, 0.0, 1.0, 1.0], ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(4, 4))
    assert constrained_hdbscan(W, range(4)).tolist() == [0, 1, 2, 2]


def test_small_clusters_are_noise():
    pytest.importorskip("fast_hdbscan")
    W = np.kron(np.eye(2), np.ones((3, 3)))
    assert constrained_hdbscan(W, range(6)).tolist() == [0, 0, 0, 1, 1, 1]
    assert len(set(constrained_hdbscan(W, range(6), min_cluster_size=4))) == 6


def test_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_hdbscan", None)
    with pytest.raises(ImportError, match=r"needs fast-hdbscan: pip install spherelax\[rivals\]"):
        constrained_hdbscan(np.eye(2), [0, 1])


def test_bad_input():
    with pytest.raises(InvalidInputError, match="min_cluster_size must be an integer >= 2"):
        constrained_hdbscan(np.eye(2), [0, 1], min_cluster_size=1)
