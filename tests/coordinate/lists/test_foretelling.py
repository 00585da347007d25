"""What labels foretell: right pairs, cannot tell, two levels, scales, order and small lists."""

import numpy as np
import pytest
from support.lists import calibration_error, entities

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.lists import foretelling
from spherelax.coordinate.lists.foretelling import find_scale, learn_foretold
from spherelax.metrics import pairwise_scores


def nearest(points, k):
    """The k nearest neighbours of each point by cosine, each pair once."""
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    cosine = points @ points.T
    np.fill_diagonal(cosine, -1.0)
    near = np.argsort(-cosine, axis=1)[:, :k]
    pairs = np.sort(np.c_[np.repeat(np.arange(len(points)), k), near.ravel()], axis=1)
    one, other = np.unique(pairs, axis=0).T
    return Candidates(len(points), one, other, cosine[one, other])


def copies(seed, share, n=400):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 40))
    truth = np.r_[np.arange(n), np.arange(int(share * n))]
    return nearest(points[truth] + 0.4 * rng.normal(size=(len(truth), 40)), 5), truth


def answer(pairs, found):
    (labels,) = found.steps(pairs, np.array([found.best]))
    return labels


@pytest.mark.parametrize("share", [0.03, 0.1, 0.3])
def test_few_copies_are_found(seed, share):
    pairs, truth = copies(seed, share)
    found = learn_foretold(pairs)
    assert found.is_told
    assert pairwise_scores(truth, answer(pairs, found)).f_score > 0.9


def test_a_list_without_copies_cannot_tell(seed):
    pairs, _ = copies(seed, 0.0)
    found = learn_foretold(pairs)
    assert not found.is_told
    assert found.join_none().joins_nothing
    labels = answer(pairs, found.join_none())
    assert len(np.unique(labels)) == pairs.n_items
    assert len(np.unique(answer(pairs, found.join_all()))) < 5


@pytest.mark.parametrize("size", [2, 20])
def test_entities_of_any_size_are_found(seed, size):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(600 // size), size)
    centre = rng.normal(size=(truth.max() + 1, 40))
    pairs = nearest(centre[truth] + 0.7 * rng.normal(size=(len(truth), 40)), 10)
    found = learn_foretold(pairs)
    assert pairwise_scores(truth, answer(pairs, found)).f_score > 0.85
    right = truth[pairs.one] == truth[pairs.other]
    assert calibration_error(found.right(pairs), right) < 0.1


def test_two_levels_are_named(seed):
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(150), 3)
    person = rng.normal(size=(150, 40))[family] + 0.7 * rng.normal(size=(450, 40))
    truth = np.repeat(np.arange(450), 2)
    pairs = nearest(person[truth] + 0.3 * rng.normal(size=(900, 40)), 10)
    found = learn_foretold(pairs)
    numbers = np.sort([found.rival, len(np.unique(answer(pairs, found)))])
    np.testing.assert_allclose(numbers, [150, 450], rtol=0.5)


def test_a_finer_level_is_named_without_a_valley_of_its_own(seed):
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(150), 3)
    person = rng.normal(size=(150, 30))[family] + 0.5 * rng.normal(size=(450, 30))
    truth = np.repeat(np.arange(450), 2)
    pairs = nearest(person[truth] + 0.35 * rng.normal(size=(900, 30)), 8)
    found = learn_foretold(pairs)
    assert len(np.unique(answer(pairs, found))) < 300
    assert found.rival > 200


def test_entities_of_one_level_have_no_rival(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(200), 3)
    pairs = nearest(rng.normal(size=(200, 40))[truth] + 0.5 * rng.normal(size=(600, 40)), 8)
    assert learn_foretold(pairs).rival == 0


def test_clear_entities_have_one_level(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(200), 3)
    pairs = nearest(rng.normal(size=(200, 40))[truth] + 0.3 * rng.normal(size=(600, 40)), 8)
    found = learn_foretold(pairs)
    labels = [pairwise_scores(truth, level).f_score for level in found.steps(pairs, found.levels)]
    assert min(labels) > 0.95


def test_another_level_is_one_of_those_that_may_be_meant(seed):
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(150), 3)
    person = rng.normal(size=(150, 30))[family] + 0.5 * rng.normal(size=(450, 30))
    truth = np.repeat(np.arange(450), 2)
    pairs = nearest(person[truth] + 0.35 * rng.normal(size=(900, 30)), 8)
    found = learn_foretold(pairs)
    numbers = [int(level.max()) + 1 for level in found.steps(pairs, found.levels)]
    assert abs(numbers[-1] - found.rival) < 20
    assert max(numbers[:-1]) < 0.9 * numbers[-1]


def test_nobody_can_tell_whether_a_list_without_copies_has_some(seed):
    pairs, _ = copies(seed, 0.0)
    found = learn_foretold(pairs).join_none()
    numbers = [int(level.max()) + 1 for level in found.steps(pairs, found.levels)]
    assert sorted(numbers)[1] == pairs.n_items
    assert sorted(numbers)[0] < 5


def test_neither_order_nor_what_lies_beside_counts(seed):
    pairs, _ = entities(seed, apart=4.0)
    rng = np.random.default_rng(seed)
    found = learn_foretold(pairs)
    shuffled = rng.permutation(len(pairs.score))
    again = learn_foretold(
        pairs._replace(
            **{name: getattr(pairs, name)[shuffled] for name in ("one", "other", "score")}
        )
    )
    assert again.threshold == found.threshold
    np.testing.assert_array_equal(again.share, found.share)
    far = Candidates(
        pairs.n_items + 2,
        np.r_[pairs.one, pairs.n_items],
        np.r_[pairs.other, pairs.n_items + 1],
        np.r_[pairs.score, 0.0],
    )
    np.testing.assert_allclose(found.right(far)[:-1], found.right(pairs))


def test_items_of_one_group_never_share_a_label(seed):
    pairs, _ = entities(seed, apart=4.0)
    group = (np.arange(pairs.n_items) % 3).astype(np.int32)
    apart = group[pairs.one] != group[pairs.other]
    some = Candidates(pairs.n_items, *(x[apart] for x in pairs[1:4]), group)
    labels = answer(some, learn_foretold(some))
    assert len(np.unique(np.c_[labels, group], axis=0)) == len(labels)


def test_the_same_probabilities_have_one_scale(seed):
    pairs, _ = entities(seed, apart=8.0)
    odds = 2.0 * (pairs.score - 4.0)
    p = 1.0 / (1.0 + np.exp(-odds))
    assert find_scale(p) == "probability"
    found = [
        learn_foretold(pairs._replace(score=score), scale).right(pairs._replace(score=score))
        for score, scale in ((p, "probability"), (-np.log1p(-p), "information"))
    ]
    np.testing.assert_allclose(*found, atol=1e-2)


@pytest.mark.parametrize("score", [[0.5], [0.5] * 6, [0.9, 0.8, 0.9, 0.1, 0.1, 0.2]])
def test_small_lists_have_an_answer(score):
    one = np.arange(0, 2 * len(score), 2)
    pairs = Candidates(2 * len(score), one, one + 1, np.array(score))
    found = learn_foretold(pairs)
    right = found.right(pairs)
    assert ((right > 0.0) & (right < 1.0)).all()
    assert (np.diff(right[np.argsort(score)]) >= 0.0).all()


def test_a_density_with_one_mode_is_the_likeliest_one(seed):
    """Against all modes, each with isotonic regression on both sides."""
    rng = np.random.default_rng(seed)
    count = rng.poisson(np.r_[1:6, 5:0:-1, 1:4])

    def likelihood(values, increasing):
        fitted = foretelling.isotonic_regression(values.astype(float), increasing=increasing).x
        return np.sum(values[values > 0] * np.log(fitted[values > 0]))

    every = [
        likelihood(count[:k], True) + likelihood(count[k:], False) for k in range(1, len(count))
    ]
    assert foretelling._one_mode(count) == pytest.approx(max(every))
