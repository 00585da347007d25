"""Spectral clustering, by k-means and by spherical k-means."""

import numpy as np
import pytest

from spherelax.baselines._spectral_clustering import (
    embedding,
    spectral_kmeans,
    spectral_spherical_kmeans,
)
from spherelax.datasets import make_binary_similarity
from spherelax.metrics import pairwise_scores

METHODS = [spectral_kmeans, spectral_spherical_kmeans]


def test_components_are_orthogonal_directions(seed):
    truth = np.random.default_rng(seed).integers(5, size=70)
    rows = embedding((truth[:, None] == truth).astype(float), 5)
    assert rows @ rows.T == pytest.approx((truth[:, None] == truth).astype(float), abs=1e-9)


def test_embedding_spans_the_leading_eigenvectors(seed):
    W, _ = make_binary_similarity(60, 3, random_state=seed)
    A = W - np.eye(60)
    scale = 1 / np.sqrt(A.sum(axis=1))
    vectors = np.linalg.eigh(scale[:, None] * A * scale)[1][:, -3:]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = embedding(W, 3)
    assert rows @ rows.T == pytest.approx(vectors @ vectors.T)


@pytest.mark.parametrize("method", METHODS)
def test_diagonal_does_not_matter(seed, method):
    W, _ = make_binary_similarity(60, 3, random_state=seed)
    assert (method(W, 3) == method(W + 5 * np.eye(60), 3)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rewired", "missing", "least"), [(0.4, 0.2, 0.99), (0.6, 0.2, 0.86), (0.3, 0.5, 0.98)]
)
def test_binary_similarities(method, rewired, missing, least):
    scores = []
    for seed in range(7000, 7004):
        W, truth = make_binary_similarity(
            150, 5, rewired=rewired, missing=missing, random_state=seed
        )
        scores.append(pairwise_scores(truth, method(W, 5)).f_score)
    assert np.mean(scores) > least
