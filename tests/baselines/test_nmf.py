"""Clusters from a non-negative factorisation."""

import sys

import numpy as np
import pytest
from sklearn.decomposition import NMF

from spherelax.baselines._nmf import LOSSES, nmf
from spherelax.datasets import make_binary_similarity
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


@pytest.mark.parametrize("loss", LOSSES)
def test_mixed_blocks_are_told_apart(seed, loss):
    truth = np.random.default_rng(seed).integers(4, size=80)
    W = np.where(truth[:, None] == truth, 0.9, 0.2)
    assert pairwise_scores(truth, nmf(W, 4, loss=loss)).f_score == 1.0


def test_keeps_the_start_of_smallest_loss(seed):
    W, _ = make_binary_similarity(60, 4, rewired=0.6, random_state=seed)
    losses, labels = [], []
    for start in range(3):
        model = NMF(
            4,
            init="random" if start else "nndsvda",
            solver="mu",
            max_iter=500,
            tol=1e-4,
            random_state=start,
        )
        U = model.fit_transform(W)
        losses.append(np.linalg.norm(W - U @ model.components_))
        labels.append((U * model.components_.sum(axis=1)).argmax(axis=1))
    expected = labels[int(np.argmin(losses))]
    assert pairwise_scores(expected, nmf(W, 4, n_init=3)).f_score == 1.0


def test_sparse_and_dense_agree(seed, monkeypatch):
    W, _ = make_binary_similarity(80, 4, rewired=0.3, missing=0.5, random_state=seed)
    dense = nmf(W, 4)
    monkeypatch.setattr(sys.modules[nmf.__module__], "SPARSE_SHARE", 1.0)
    assert pairwise_scores(dense, nmf(W, 4)).f_score == 1.0


def test_binary_similarities():
    scores = []
    for seed in range(6000, 6005):
        W, truth = make_binary_similarity(150, 5, rewired=0.6, missing=0.2, random_state=seed)
        scores.append(pairwise_scores(truth, nmf(W, 5)).f_score)
    assert np.mean(scores) > 0.86


def test_bad_input():
    with pytest.raises(InvalidInputError, match="loss must be one of"):
        nmf(np.eye(3), 2, loss="itakura-saito")
    with pytest.raises(InvalidInputError, match="n_init must be an integer >= 1; found 0"):
        nmf(np.eye(3), 2, n_init=0)
