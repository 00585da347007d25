"""Spectrum: the number of clusters, the diffusion and the labels."""

import numpy as np
import pytest
import scipy.linalg
from sklearn.datasets import make_blobs

from spherelax.baselines._spectrum import diffused, largest_gap, last_drop, spectrum
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores
from spherelax.similarity import adaptive


@pytest.mark.parametrize("choose", ["eigengap", "multimodality"])
@pytest.mark.parametrize("diffusion", [True, False])
def test_blobs_are_found_without_their_number(seed, choose, diffusion):
    X, truth = make_blobs(150, 10, centers=4, cluster_std=2.0, random_state=seed)
    labels = spectrum(X, choose=choose, diffusion=diffusion)
    assert pairwise_scores(truth, labels).f_score == 1.0


def test_multimodality_sees_clusters_that_are_not_round(data_home):
    stored = np.load(data_home / "clustering" / "fcps.npz")
    X, truth = stored["Chainlink_X"][::2], stored["Chainlink_y"][::2]
    assert pairwise_scores(truth, spectrum(X)).f_score == 1.0
    assert pairwise_scores(truth, spectrum(X, choose="eigengap")).f_score < 0.5


def test_similarities_may_be_given(seed):
    X, _ = make_blobs(80, 3, centers=3, random_state=seed)
    assert (spectrum(adaptive(X), affinity="precomputed") == spectrum(X)).all()


@pytest.mark.parametrize("choose", ["eigengap", "multimodality"])
def test_clean_clusters(choose):
    W = scipy.linalg.block_diag(*(np.ones((size, size)) for size in (20, 12, 9, 30, 1)))
    expected = np.repeat(np.arange(5), (20, 12, 9, 30, 1))
    assert (spectrum(W, affinity="precomputed", choose=choose) == expected).all()


def test_diffusion_is_a_sum_of_walks(seed):
    rng = np.random.default_rng(seed)
    A = rng.random((8, 8))
    P = A / A.sum(axis=1, keepdims=True)
    power = np.linalg.matrix_power
    walks = sum(power(P, n) @ power(P.T, n) for n in range(4)) + power(P, 5) @ power(P.T, 4)
    assert diffused(A) == pytest.approx((walks + walks.T) / 2)


def test_diffusion_keeps_neighbours_only():
    A = np.exp(-abs(np.subtract.outer(np.arange(60.0), np.arange(60.0))))
    assert diffused(A)[0, -1] == 0
    assert diffused(A)[0, 5] > 0


def test_choices_start_at_two():
    values = np.array([1.0, 0.2, 0.15, 0.1])
    assert largest_gap(values, np.empty((5, 4))) == 2
    assert last_drop(values, np.random.default_rng(0).normal(size=(50, 4))) >= 2


def test_drops_from_half_of_the_largest_count():
    flat = np.arange(100.0)
    clear = np.where(flat < 50, 0.0, 100.0) + flat / 100
    weak = flat + np.where(flat < 50, 0.0, 20.0)
    values = np.linspace(1.0, 0.5, 6)
    assert last_drop(values, np.c_[flat, clear, flat, weak, flat, flat]) == 2
    assert last_drop(values, np.c_[flat, clear, flat, clear, flat, flat]) == 4
    assert last_drop(values, np.c_[flat, flat, flat, flat, flat, flat]) == 2


def test_tied_eigenvectors_show_nothing():
    flat = np.arange(100.0)
    clear = np.where(flat < 50, 0.0, 1.0) + flat / 1000
    basis = np.c_[flat, clear, flat, clear, flat]
    assert last_drop(np.array([1.0, 0.9, 0.8, 0.7, 0.6]), basis) == 4
    assert last_drop(np.array([1.0, 0.9, 0.1, 0.1, 0.1]), basis) == 2


def test_bad_input():
    with pytest.raises(InvalidInputError, match="choose must be one of"):
        spectrum(np.eye(3), choose="silhouette")
    with pytest.raises(InvalidInputError, match="affinity must be 'adaptive' or 'precomputed'"):
        spectrum(np.eye(3), affinity="rbf")
    with pytest.raises(InvalidInputError, match="max_clusters must be an integer >= 2; found 1"):
        spectrum(np.eye(3), max_clusters=1)
