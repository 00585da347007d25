"""Sparse basis of the leading eigenvectors: optimality in the span and the published quality."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.baselines._sparse_stiefel import _sparsest_basis, sparse_stiefel
from spherelax.datasets import make_partial_matching
from spherelax.metrics import pairwise_scores


@pytest.fixture
def eigenvectors(seed):
    """Leading eigenvectors of a noisy problem."""
    W, _, _ = make_partial_matching(10, 8, observed=0.7, shuffled=0.5, random_state=seed)
    return np.linalg.eigh(W)[1][:, -8:]


def test_the_basis_stays_orthonormal_and_in_the_span(eigenvectors):
    U = _sparsest_basis(eigenvectors, 3, 200)
    np.testing.assert_allclose(U.T @ U, np.eye(8), atol=1e-9)
    np.testing.assert_allclose(U @ U.T, eigenvectors @ eigenvectors.T, atol=1e-9)


@pytest.mark.parametrize("power", [3, 4])
def test_the_sum_of_powers_rises(eigenvectors, power):
    sums = [np.sum(_sparsest_basis(eigenvectors, power, n) ** power) for n in range(1, 40, 3)]
    assert np.all(np.diff(sums) >= -1e-12)
    assert sums[-1] > 1.1 * np.sum(eigenvectors**power)


def test_no_turn_of_two_columns_is_better(eigenvectors):
    U = _sparsest_basis(eigenvectors, 3, 1000)
    product = U.T @ U**2
    np.testing.assert_allclose(product, product.T, atol=1e-3 * np.abs(product).max())
    for angle in (-0.05, 0.05):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for i in range(8):
            for j in range(i):
                assert np.sum((U[:, [i, j]] @ turn) ** 3) <= np.sum(U[:, [i, j]] ** 3)


def test_universe_may_be_larger_than_what_is_seen(seed):
    W, groups, truth = make_partial_matching(8, 6, observed=0.7, shuffled=0.0, random_state=seed)
    for universe in (6, 9, len(W)):
        labels = sparse_stiefel(W, groups, universe)
        assert pairwise_scores(truth, labels, groups).f_score == 1.0


def test_as_good_as_published_code_on_noisy_input():
    scores = []
    for seed in range(6000, 6010):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.9, shuffled=0.7, random_state=seed
        )
        labels = sparse_stiefel(W, groups, 20)
        scores.append(pairwise_scores(truth, labels, groups).f_score)
    assert np.mean(scores) > 0.692  # what the published code reached


@pytest.mark.parametrize("setting", [{"power": 2}, {"power": 3.5}, {"max_iter": 0}])
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(InvalidInputError, match=f"{next(iter(setting))} must be an integer"):
        sparse_stiefel(np.eye(3), [0, 1, 2], 2, **setting)
