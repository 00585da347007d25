"""CLEAR: its estimate of the universe, the Laplacian behind it and the published quality."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.baselines._clear import clear, estimate_universe
from spherelax.datasets import make_partial_matching
from spherelax.metrics import pairwise_scores


def laplacian_values(W):
    """Return the eigenvalues of the Laplacian as printed in the paper."""
    A = W - np.diag(np.diag(W))
    degree = A.sum(axis=1)
    scale = np.diag((degree + 1) ** -0.5)
    return np.linalg.eigvalsh(scale @ (np.diag(degree) - A) @ scale)


@pytest.mark.parametrize("shuffled", [0.0, 0.3, 0.6, 0.9])
def test_universe_counts_low_eigenvalues_of_the_printed_laplacian(seed, shuffled):
    W, _, _ = make_partial_matching(12, 9, observed=0.6, shuffled=shuffled, random_state=seed)
    assert estimate_universe(W) == np.sum(laplacian_values(W) < 0.5 - 1e-12)


def test_universe_is_exact_on_clean_input_of_any_scale(seed):
    W, groups, truth = make_partial_matching(9, 7, observed=0.5, shuffled=0.0, random_state=seed)
    assert estimate_universe(W) == estimate_universe(0.1 * W) == len(np.unique(truth))
    labels = clear(W, groups)
    assert pairwise_scores(truth, labels, groups).f_score == 1.0
    assert len(np.unique(labels)) == len(np.unique(truth))


def test_an_eigenvalue_of_one_half_is_not_below():
    # Two ends of a path of three: the Laplacian's eigenvalue of their difference is 1/2.
    W = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert laplacian_values(W)[1] == pytest.approx(0.5)
    assert estimate_universe(W) == 1


def test_there_are_no_fewer_labels_than_items_of_a_group():
    # All items of different groups are joined: one cluster, but three items a group.
    groups = np.repeat(np.arange(5), 3)
    W = (groups[:, None] != groups).astype(float)
    assert estimate_universe(W) == 1
    for labels in clear(W, groups).reshape(5, 3):
        assert sorted(labels) == [0, 1, 2]


def test_universe_may_be_larger_than_what_is_seen(seed):
    W, groups, truth = make_partial_matching(8, 6, observed=0.7, shuffled=0.0, random_state=seed)
    for universe in (9, len(W)):
        labels = clear(W, groups, universe)
        assert pairwise_scores(truth, labels, groups).f_score == 1.0


def test_a_given_universe_is_kept(seed):
    W, groups, truth = make_partial_matching(15, 10, observed=0.8, shuffled=0.5, random_state=seed)
    labels = clear(W, groups, 10)
    assert labels.max() < 10
    assert pairwise_scores(truth, labels, groups).f_score > 0.8


@pytest.mark.parametrize(("universe", "published"), [(None, 0.971), (20, 0.971)])
def test_as_good_as_published_code_on_noisy_input(universe, published):
    scores = []
    for seed in range(6000, 6010):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.6, shuffled=0.5, random_state=seed
        )
        labels = clear(W, groups, universe)
        scores.append(pairwise_scores(truth, labels, groups).f_score)
    assert np.mean(scores) > published


def test_universe_smaller_than_a_group_is_refused():
    with pytest.raises(InvalidInputError, match="universe must be at least 2"):
        clear(np.eye(3), [0, 0, 1], 1)
