"""NmfSync: both objectives fall, and the published quality is reached."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.baselines._nmf_sync import _factorise, _rotate, nmf_sync
from spherelax.datasets import make_partial_matching
from spherelax.metrics import pairwise_scores


@pytest.fixture
def spectral(seed):
    """W of a noisy problem and its spectral factor, in a random rotation."""
    W, _, _ = make_partial_matching(10, 8, observed=0.7, shuffled=0.5, random_state=seed)
    values, vectors = np.linalg.eigh(W)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((8, 8)))[0]
    return W, vectors[:, -8:] * np.sqrt(values[-8:]) @ turn


def test_rotation_keeps_the_gram_matrix_and_removes_negative_parts(spectral):
    _, U = spectral
    turned = _rotate(U)
    np.testing.assert_allclose(turned @ turned.T, U @ U.T, atol=1e-9)
    assert np.minimum(turned, 0).var() < 0.3 * np.minimum(U, 0).var()


def test_rotation_ends_where_neither_half_step_helps(spectral):
    # Stationary: the best rotation towards the non-negative part is hardly any.
    turned = _rotate(spectral[1])
    left, _, right = np.linalg.svd(turned.T @ np.maximum(turned, 0))
    np.testing.assert_allclose(left @ right, np.eye(8), atol=0.05)


def test_rotation_finds_unit_vectors(seed):
    W, _, truth = make_partial_matching(10, 8, observed=0.7, shuffled=0.0, random_state=seed)
    values, vectors = np.linalg.eigh(W)
    turned = _rotate(vectors[:, -8:] * np.sqrt(values[-8:]))
    np.testing.assert_allclose(turned.max(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(turned @ turned.T, truth[:, None] == truth, atol=1e-9)


def test_updates_never_raise_the_distance(spectral):
    W, U = spectral
    start = _rotate(U)
    losses = []
    for n in range(1, 40, 3):
        factor = _factorise(W, start, n)
        assert factor.min() >= 0
        losses.append(np.linalg.norm(W - factor @ factor.T))
    assert np.all(np.diff(losses) <= 1e-9)
    assert losses[-1] < losses[0]


def test_universe_may_be_larger_than_what_is_seen(seed):
    W, groups, truth = make_partial_matching(8, 6, observed=0.7, shuffled=0.0, random_state=seed)
    for universe in (6, 9, len(W)):
        labels = nmf_sync(W, groups, universe)
        assert pairwise_scores(truth, labels, groups).f_score == 1.0


def test_as_good_as_published_code_on_noisy_input():
    scores = []
    for seed in range(6000, 6010):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.9, shuffled=0.7, random_state=seed
        )
        labels = nmf_sync(W, groups, 20)
        scores.append(pairwise_scores(truth, labels, groups).f_score)
    assert np.mean(scores) > 0.755  # what the published code reached


def test_negative_number_of_updates_is_refused():
    with pytest.raises(InvalidInputError, match="max_iter must be an integer >= 0"):
        nmf_sync(np.eye(3), [0, 1, 2], 2, max_iter=-1)
