"""Spherical k-means against all labelings, and its steps."""

from itertools import product

import numpy as np
import pytest

from spherelax.baselines._spherical_kmeans import climb, spherical_kmeans, spread_centres
from spherelax.baselines.laplacian import unit_rows
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def objective(X, labels):
    """Sum of cosines with the best centres."""
    X = unit_rows(np.asarray(X, dtype=float))
    return sum(np.linalg.norm(X[labels == label].sum(axis=0)) for label in np.unique(labels))


def test_best_of_all_labelings(seed):
    X = np.random.default_rng(seed).normal(size=(8, 3))
    best = max(objective(X, np.array(labels)) for labels in product(range(3), repeat=8))
    assert objective(X, spherical_kmeans(X, 3, n_init=30)) == pytest.approx(best)


def test_each_step_raises_the_objective(seed):
    rng = np.random.default_rng(seed)
    X = unit_rows(rng.normal(size=(200, 4)))
    start = spread_centres(X, 8, rng)
    values = [climb(X, start, max_iter=n)[0] for n in range(1, 15)]
    assert np.diff(values).min() >= 0
    assert values[-1] > values[0]


def test_reported_objective_is_that_of_the_labels(seed):
    rng = np.random.default_rng(seed)
    X = unit_rows(rng.normal(size=(50, 3)))
    value, labels = climb(X, X[:5], max_iter=100)
    assert value == pytest.approx(objective(X, labels))


def test_scale_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    longer = X * rng.uniform(0.1, 10.0, size=(60, 1))
    assert (spherical_kmeans(X, 4) == spherical_kmeans(longer, 4)).all()


@pytest.mark.parametrize("k", [1, 5, 40])
def test_no_cluster_is_empty(seed, k):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    assert len(np.unique(spherical_kmeans(X, k, n_init=1))) == k


def test_empty_clusters_are_refilled():
    X = unit_rows(np.array([[1, 0], [1, 0.1], [0, 1], [-1, 0]]))
    same = np.tile(X[:1], (3, 1))
    value, labels = climb(X, same, max_iter=50)
    assert len(np.unique(labels)) == 3
    assert pairwise_scores([0, 0, 1, 2], labels).f_score == 1.0
    assert value == pytest.approx(objective(X, labels))


def test_centres_are_different_points():
    X = np.repeat(np.eye(3), 4, axis=0)
    for seed in range(20):
        centres = spread_centres(X, 3, np.random.default_rng(seed))
        assert np.linalg.matrix_rank(centres) == 3
    assert len(spread_centres(X, 12, np.random.default_rng(0))) == 12


def test_bad_input():
    with pytest.raises(InvalidInputError, match=r"n_clusters must be an integer in \[1, 3\]"):
        spherical_kmeans(np.eye(3), 4)
