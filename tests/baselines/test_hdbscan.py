"""HDBSCAN from points and from similarities."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from spherelax.baselines._hdbscan import hdbscan
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def test_noise_has_labels_of_its_own(seed):
    X, truth = make_blobs(90, centers=[(0, 0), (40, 0), (0, 40)], random_state=seed)
    outliers = np.array([[500.0, 0], [0, 500], [-500, 0]])
    labels = hdbscan(np.r_[X, outliers])
    assert len(set(labels[-3:]) | {-1}) == 4
    assert not set(labels[-3:]) & set(labels[:-3])
    assert pairwise_scores(truth, labels[:-3]).f_score > 0.9


def test_similarities_are_distances_from_the_largest(seed):
    X, _ = make_blobs(60, centers=4, cluster_std=0.5, random_state=seed)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    W = distances.max() - distances
    assert (hdbscan(W, affinity="precomputed") == hdbscan(X)).all()


def test_clean_clusters_from_the_smallest_size():
    truth = np.repeat([0, 1, 2], [5, 9, 12])
    W = (truth[:, None] == truth).astype(float)
    assert (hdbscan(W, affinity="precomputed") == truth).all()


def test_small_clusters_are_noise():
    X = np.r_[np.arange(5), 1000 + np.arange(9), 1100 + np.arange(9)].reshape(-1, 1)
    assert hdbscan(X).tolist() == [0] * 5 + [1] * 9 + [2] * 9
    small = hdbscan(X, min_cluster_size=6)
    assert small.tolist() == [0, 1, 2, 3, 4] + [5] * 9 + [6] * 9


def test_bad_input():
    with pytest.raises(InvalidInputError, match="min_cluster_size must be an integer >= 2"):
        hdbscan(np.eye(9), min_cluster_size=1)
    with pytest.raises(InvalidInputError, match="affinity must be 'points' or 'precomputed'"):
        hdbscan(np.eye(9), affinity="cosine")
