"""PLSCAN from points and from similarities."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from spherelax.baselines._plscan import plscan
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def test_clusters_of_points_and_of_their_similarities(seed):
    pytest.importorskip("fast_plscan")
    X, truth = make_blobs(150, centers=[(0, 0), (20, 0), (0, 20)], random_state=seed)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    labels = plscan(X)
    assert pairwise_scores(truth, labels).f_score > 0.9
    assert (plscan(distances.max() - distances, affinity="precomputed") == labels).all()


def test_what_belongs_to_no_cluster_is_alone():
    pytest.importorskip("fast_plscan")
    X, _ = make_blobs(90, centers=[(0, 0), (40, 0), (0, 40)], random_state=0)
    outliers = np.array([[500.0, 0], [0, 500], [-500, 0]])
    labels = plscan(np.r_[X, outliers])
    assert len(set(labels[-3:])) == 3
    assert not set(labels[-3:]) & set(labels[:-3])


def test_two_items_are_too_few_to_be_near():
    pytest.importorskip("fast_plscan")
    assert plscan(np.ones((2, 2)), affinity="precomputed").tolist() == [0, 1]


def test_bad_input():
    with pytest.raises(InvalidInputError, match="min_samples must be an integer >= 2"):
        plscan(np.eye(9), min_samples=1)
    with pytest.raises(InvalidInputError, match="affinity must be 'points' or 'precomputed'"):
        plscan(np.eye(9), affinity="cosine")
