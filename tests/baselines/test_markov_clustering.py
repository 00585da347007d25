"""Markov clustering against its dense iteration."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.baselines._markov_clustering import (
    MAX_ITERATIONS,
    PRUNED_BELOW,
    markov_clustering,
)
from spherelax.datasets import make_partial_matching
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def test_is_the_dense_iteration(seed):
    W, _, _ = make_partial_matching(15, 12, observed=0.6, shuffled=0.4, random_state=seed)
    flow = W + np.eye(len(W))
    flow /= flow.sum(axis=0)
    for _ in range(MAX_ITERATIONS):
        flow = np.linalg.matrix_power(flow, 2) ** 1.8
        flow /= flow.sum(axis=0)
        flow[flow < PRUNED_BELOW] = 0.0
        flow /= flow.sum(axis=0)
    expected = sp.csgraph.connected_components(sp.csr_array(flow), directed=False)[1]
    assert 1 < len(np.unique(expected)) < len(W)
    assert pairwise_scores(expected, markov_clustering(W, inflation=1.8)).f_score == 1.0


def test_more_inflation_makes_more_clusters(seed):
    W, _, _ = make_partial_matching(15, 12, observed=0.6, shuffled=0.5, random_state=seed)
    few, some, many = (markov_clustering(W, inflation=r).max() for r in (1.2, 2.0, 6.0))
    assert few < some < many


def test_sparse_and_dense_agree(seed):
    W, _, _ = make_partial_matching(15, 12, shuffled=0.5, random_state=seed)
    assert (markov_clustering(W) == markov_clustering(sp.csr_array(W))).all()


def test_partial_matchings():
    scores = []
    for seed in range(6000, 6003):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.5, shuffled=0.3, random_state=seed
        )
        scores.append(pairwise_scores(truth, markov_clustering(W), groups).f_score)
    assert np.mean(scores) > 0.99


def test_bad_input():
    with pytest.raises(InvalidInputError, match="inflation must be a finite number > 1; found 1"):
        markov_clustering(np.eye(3), inflation=1)
