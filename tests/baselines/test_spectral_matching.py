"""Spectral permutation synchronisation: exactness, invariance and the published quality."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.baselines._spectral_matching import spectral_matching
from spherelax.datasets import load_house, make_partial_matching
from spherelax.metrics import pairwise_scores


def test_universe_may_be_larger_than_what_is_seen(seed):
    W, groups, truth = make_partial_matching(8, 6, observed=0.7, shuffled=0.0, random_state=seed)
    for universe in (6, 9, len(W)):
        labels = spectral_matching(W, groups, universe)
        assert pairwise_scores(truth, labels, groups).f_score == 1.0


def test_order_and_scale_of_the_input_do_not_count(seed):
    W, groups, _ = make_partial_matching(10, 8, observed=0.7, shuffled=0.3, random_state=seed)
    order = np.random.default_rng(seed).permutation(len(W))
    labels = spectral_matching(W, groups, 8)
    reordered = spectral_matching(5.0 * W[order][:, order], groups[order], 8)
    same = labels[:, None] == labels
    np.testing.assert_array_equal(same[order][:, order], reordered[:, None] == reordered)


def test_as_good_as_published_code_on_noisy_input():
    scores = []
    for seed in range(6000, 6010):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.6, shuffled=0.5, random_state=seed
        )
        labels = spectral_matching(W, groups, 20)
        scores.append(pairwise_scores(truth, labels, groups).f_score)
    assert np.mean(scores) > 0.954  # the published code reached 0.964


@pytest.mark.parametrize(("q", "published"), [(20, 0.894), (40, 0.902)])
def test_published_reference_gives_the_published_figures(data_home, q, published):
    house = load_house(q, data_home=data_home)
    labels = spectral_matching(house.similarity, house.groups, 30, reference="first")
    f_score = pairwise_scores(house.labels, labels, house.groups).f_score
    assert f_score == pytest.approx(published, abs=0.01)


def test_reference_is_checked():
    with pytest.raises(InvalidInputError, match="reference must be one of"):
        spectral_matching(np.eye(2), [0, 1], 1, reference="last")
    with pytest.raises(InvalidInputError, match="the whole universe, 2 items; found 1"):
        spectral_matching(np.eye(3), [0, 1, 1], 2, reference="first")


def test_universe_smaller_than_a_group_is_refused():
    with pytest.raises(InvalidInputError, match="universe must be at least 2"):
        spectral_matching(np.eye(3), [0, 0, 1], 1)
