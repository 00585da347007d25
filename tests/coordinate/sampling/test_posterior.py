"""How likely labels are right: against all partitions of a few items, and on lists with truth."""

import numpy as np
import pytest
from support.lists import entities, matrix, two_sources
from support.problems import quiet_solve

import spherelax as sl
from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.lists import judge_labels
from spherelax.coordinate.lists.matching import judge_matching
from spherelax.coordinate.sampling import posterior as module
from spherelax.coordinate.sampling.gibbs import Net
from spherelax.coordinate.sampling.posterior import beliefs_of_log_odds, draw_posterior
from spherelax.labels import inside_pairs, renumber


def partitions(m):
    """All labelings of m items."""
    found = [[]]
    for _ in range(m):
        found = [[*each, c] for each in found for c in range(max(each, default=-1) + 2)]
    return np.array(found)


def exact(one, other, weight, labels):
    """What all partitions say of labels, each as likely as its weights inside sum up to."""
    every = partitions(len(labels))
    together = every[:, one] == every[:, other]
    chance = np.exp(together @ weight)
    chance /= chance.sum()
    pairs = inside_pairs(labels)
    pure, whole = [], []
    for label in range(labels.max() + 1):
        inside = labels == label
        pure.append([len({*z[inside].tolist()}) == 1 for z in every])
        whole.append([{*z[inside].tolist()}.isdisjoint(z[~inside].tolist()) for z in every])
    same = every[:, pairs[:, 0]] == every[:, pairs[:, 1]]
    return chance @ np.array(pure).T, chance @ np.array(whole).T, chance @ same


def test_drawn_labels_are_as_likely_as_all_partitions_say(seed, monkeypatch):
    monkeypatch.setattr(module, "MOST_SWEEPS", 5000)
    rng = np.random.default_rng(seed)
    m = 5
    one, other = np.triu_indices(m, 1)
    weight = rng.normal(0.0, 1.2, len(one))
    labels = renumber(rng.integers(3, size=m))
    net = Net.of_list(Candidates(m, one, other, weight))
    found = draw_posterior(net, beliefs_of_log_odds(weight[net.pair]), labels, has_pairs=True)
    pure, whole, pairs = exact(one, other, weight, labels)
    np.testing.assert_allclose(found.pure, pure, atol=0.03)
    np.testing.assert_allclose(found.whole, whole, atol=0.03)
    np.testing.assert_allclose(found.pairs, pairs, atol=0.03)


def test_an_item_is_as_sure_as_its_pairs(seed):
    pairs, _ = entities(seed, apart=3.0)
    result = sl.solve(matrix(pairs), kind="pairs")
    found = result._solved.posterior(result.labels, has_pairs=True)
    ends = inside_pairs(result.labels)
    sums = np.bincount(ends.ravel(), weights=np.repeat(found.pairs, 2), minlength=pairs.n_items)
    size = np.bincount(result.labels)[result.labels]
    shared = size > 1
    # Which level is meant is weighed for items and for pairs, each by itself.
    of_two = size == 2
    np.testing.assert_allclose(found.item[of_two], sums[of_two])
    solved, inner = result._solved, result.labels[result._solved.model.given.given]
    drawn = judge_labels(solved.model.given, solved.judged, inner, has_pairs=True)
    both = np.repeat(drawn.pairs, 2)
    sums = np.bincount(inside_pairs(inner).ravel(), weights=both, minlength=pairs.n_items)
    size = np.bincount(inner)[inner]
    np.testing.assert_allclose(drawn.item[size > 1], (sums / np.maximum(size - 1, 1))[size > 1])
    np.testing.assert_allclose(found.item[~shared], found.whole[result.labels[~shared]])
    # A label of two is as pure as its pair is right; a larger one no purer than any of its pairs.
    label = result.labels[ends[:, 0]]
    is_two = np.bincount(result.labels)[label] == 2
    np.testing.assert_allclose(found.pure[label[is_two]], found.pairs[is_two])
    assert (found.pure[label] <= found.pairs + 0.1).all()
    np.testing.assert_array_equal(result.confidence, found.item)
    again = result._solved.posterior(result.labels)
    np.testing.assert_array_equal(again.item, found.item)


@pytest.mark.parametrize("sizes", [(2,), (1, 2, 3)])
def test_probabilities_are_calibrated_on_lists(seed, sizes):
    pairs, _ = entities(seed, sizes=sizes, apart=3.0)
    truth = np.repeat(np.arange(300), np.random.default_rng(seed).choice(sizes, 300))
    result = sl.solve(matrix(pairs), kind="pairs")
    right = sl.metrics.correctness(truth, result.labels)
    likely = result.entities()
    several = np.bincount(result.labels) > 1
    for said, so in (
        (result.pairs().probability, right.pairs),
        (likely.pure[several], right.pure[several]),
        (result.confidence, right.items),
    ):
        # Other levels are about as likely: too little is said, never too much.
        assert sl.metrics.reliability(said, so).error < 0.2
        assert said.mean() < so.mean() + 0.02


def test_a_matching_is_judged_by_its_marginals(seed):
    pairs, right = two_sources(seed, apart=3.0)
    result = sl.solve(matrix(pairs), pairs.group)
    P, likely = result.listed_probability(), result.entities()
    matches = result.pairs().items
    listed = np.asarray(P[matches[:, 0], matches[:, 1]]).ravel()
    np.testing.assert_allclose(result.pairs().probability, listed)
    np.testing.assert_allclose(likely.pure[result.labels[matches[:, 0]]], listed)
    alone = np.bincount(result.labels)[result.labels] == 1
    none = np.maximum(1.0 - np.asarray(P.sum(axis=1)).ravel(), 0.0)
    np.testing.assert_allclose(result.confidence[alone], none[alone])
    assert (likely.whole >= likely.pure * (np.bincount(result.labels) == 2)).all()
    truth = np.arange(pairs.n_items)
    truth[pairs.other[right]] = pairs.one[right]
    found = sl.metrics.correctness(truth, result.labels)
    assert sl.metrics.reliability(result.confidence, found.items).error < 0.1


def test_three_items_of_a_matching_are_never_one():
    P = matrix(Candidates(3, np.array([0, 1]), np.array([1, 2]), None), np.array([0.5, 0.4]))
    found = judge_matching(P, np.zeros(3, dtype=np.int32), has_pairs=True)
    assert found.pure == [0.0]
    np.testing.assert_allclose(found.pairs, [0.5, 0.0, 0.4])
    np.testing.assert_allclose(found.item, [0.25, 0.45, 0.2])


def test_learnt_worth_gives_probabilities_that_rank_wrong_items(seed):
    """Matchings with scores: the labels stay, and the wrong items are among the unsure ones."""
    W, groups, truth = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.7, random_state=seed
    )
    rng, upper = np.random.default_rng(seed), np.triu(W, 1)
    score = np.clip(rng.normal(0.5 + 0.15 * (truth[:, None] == truth), 0.15), 0.01, 1.0)
    scored = np.where(upper > 0, score, 0.0)
    result = quiet_solve(scored + scored.T, groups)
    assert result.is_probability
    wrong = sl.metrics.correctness(truth, result.labels).items < 0.5
    if wrong.any():
        order = np.argsort(result.confidence)
        assert np.mean(np.flatnonzero(wrong[order])) < 0.3 * len(wrong)
    P = result.listed_probability()
    assert 0.0 <= P.data.min() <= P.data.max() <= 1.0
    # Larger similarities are never less likely right.
    by_size = np.argsort((scored + scored.T)[P.tocoo().row, P.tocoo().col], kind="stable")
    assert (np.diff(P.data[by_size]) >= 0).all()
    plain = quiet_solve((scored + scored.T > 0).astype(float), groups)
    assert plain.entities().pure.shape == (plain.n_labels,)
    assert len(plain.pairs().probability) == len(plain.pairs().items)
