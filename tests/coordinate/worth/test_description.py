"""How much labels save: the formula written out, and what must hold for any data."""

from collections import Counter
from itertools import product
from math import comb, log

import numpy as np
import pytest
import scipy.sparse as sp
from support.twins import dense_similarity

import spherelax as sl
from spherelax.coordinate.graph.tally import within
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.worth.description import (
    PLAIN_RATE,
    SOFTNESS,
    UNNAMED_RATE,
    account_of,
    are_uneven,
    labels_cost,
    unnamed_cost,
)
from spherelax.labels import renumber
from spherelax.problem import Problem

M = 120  # items


def coin(p):
    """The entropy of a coin."""
    return 0.0 if p in {0.0, 1.0} else -p * log(p) - (1 - p) * log(1 - p)


def cost(similarity, n_pairs):
    """What pairs cost: ``n c H(p / c)``."""
    if n_pairs == 0:
        return 0.0
    return n_pairs * SOFTNESS * coin(min(similarity / n_pairs / SOFTNESS, 1.0))


def literal_saving(W, n, labels, *, is_corrected, rate):
    """The saving of labels, pair by pair; groups are not dealt with."""
    m, k = len(W), labels.max() + 1
    pairs, sums = np.zeros(k + 1), np.zeros(k + 1)
    for j in range(m):
        for i in range(j):
            c = labels[i] if labels[i] == labels[j] else k
            pairs[c] += n[i] * n[j]
            sums[c] += W[i, j]
    parameters = 0.0
    if is_corrected:
        coded = sum(map(cost, sums, pairs))
        parameters = 0.5 * (np.log1p(sums[:k]).sum() - np.log1p(sums.sum()))
    else:
        coded = cost(sums[:k].sum(), pairs[:k].sum()) + cost(sums[k], pairs[k])
    present = labels[n > 0]
    sizes = np.unique(present, return_counts=True)[1]
    price = (1.0 if is_corrected else UNNAMED_RATE) * unnamed_cost(np.bincount(sizes))
    if len(sizes) <= np.sqrt(sizes.sum()):
        price = min(price, rate * labels_cost(np.bincount(sizes)))
    return cost(sums.sum(), pairs.sum()) - coded - price - parameters


def planted(seed, *, is_corrected, m=M, n_clusters=4):
    """A planted binary similarity, its model, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = renumber(rng.integers(n_clusters, size=m))
    expected = np.where(truth[:, None] == truth, 0.5, 0.04)
    if is_corrected:
        theta = np.minimum(rng.pareto(1.5, m) + 0.3, 6.0)
        expected = np.minimum(expected * np.outer(theta, theta), 1.0)
    W = np.triu(rng.random((m, m)) < expected, 1).astype(float)
    model = read_problem(Problem.check(W + W.T))
    assert model.reading.is_corrected == is_corrected
    return model, renumber(truth[model.graph.given])


def saving(model, labels):
    """Return what labels save; the model says the same."""
    inside = within(model.graph, labels, int(labels.max()) + 1)
    account = account_of(labels, inside, model.graph.weight, model.reading.is_corrected)
    labeling = model.labeling(labels)
    assert labeling.labels is labels
    assert labeling.saving == model.description.saving(account)
    return labeling.saving


@pytest.mark.parametrize("is_corrected", [False, True])
def test_savings_are_what_the_formula_says(is_corrected, seed):
    model, truth = planted(seed, is_corrected=is_corrected)
    W, n = dense_similarity(model.graph), model.graph.weight.astype(float)
    rng = np.random.default_rng(seed)
    rate = 1.0 if is_corrected else PLAIN_RATE
    several = [truth, rng.permutation(truth), np.arange(M), rng.integers(9, size=M)]
    for labels in map(renumber, several):
        expected = literal_saving(W, n, labels, is_corrected=is_corrected, rate=rate)
        np.testing.assert_allclose(saving(model, labels), expected, rtol=1e-4)


@pytest.mark.parametrize("is_corrected", [False, True])
def test_true_labels_beat_one_label_and_any_others(is_corrected, seed):
    model, truth = planted(seed, is_corrected=is_corrected)
    rng = np.random.default_rng(seed)
    one = np.zeros(M, dtype=np.int32)
    np.testing.assert_allclose(saving(model, one), 0.0, atol=1e-6)
    assert saving(model, truth) > 0
    for _ in range(20):
        assert saving(model, renumber(rng.permutation(truth))) < 0
    for n_wrong in (10, 30):
        worse = truth.copy()
        worse[:n_wrong] = rng.permutation(worse[:n_wrong])
        assert saving(model, renumber(worse)) < saving(model, truth)


@pytest.mark.parametrize("is_corrected", [False, True])
def test_items_without_weight_change_nothing(is_corrected, seed):
    model, truth = planted(seed, is_corrected=is_corrected)
    inside = within(model.graph, truth, int(truth.max()) + 1)
    weight = np.r_[model.graph.weight, np.zeros(7, dtype=np.float32)]
    n_labels = len(inside)
    alone = np.r_[truth, n_labels + np.arange(7)]
    among = np.r_[truth, np.arange(7) % n_labels]
    for labels, of_each in ((alone, np.r_[inside, np.zeros(7)]), (among, inside)):
        account = account_of(labels, of_each, weight, is_corrected)
        assert model.description.saving(account) == pytest.approx(saving(model, truth))


@pytest.mark.parametrize("is_corrected", [False, True])
def test_accounts_of_parts_add_up_to_the_same_bits(is_corrected, seed):
    model, truth = planted(seed, is_corrected=is_corrected)
    inside = within(model.graph, truth, int(truth.max()) + 1)
    of_part = [
        account_of(renumber(truth[part]), inside[which], model.graph.weight[part], is_corrected)
        for which in ([0, 2], [1, 3])
        for part in [np.isin(truth, which)]
    ]
    one = account_of(truth, inside, model.graph.weight, is_corrected)
    for found in (of_part[0].plus(of_part[1]), of_part[1].plus(of_part[0])):
        assert model.description.saving(found) == model.description.saving(one)


@pytest.mark.parametrize("m", [1, 2, 4, 6])
def test_labels_cost_as_much_as_there_are_labelings(m):
    for k in range(1, m + 1):
        found = [np.bincount(labels, minlength=k) for labels in product(range(k), repeat=m)]
        sizes, ways = np.unique([s for s in found if s.all()], axis=0, return_counts=True)
        assert len(sizes) == comb(m - 1, k - 1)
        for one, n_ways in zip(sizes, ways, strict=True):
            np.testing.assert_allclose(
                labels_cost(np.bincount(one)), log(len(sizes)) + log(n_ways), atol=1e-9
            )


@pytest.mark.parametrize("m", [1, 2, 4, 6])
def test_unnamed_labels_cost_as_much_as_there_are_sets(m):
    """Count the sets of sets: labels of one labeling with other names are the same."""
    found = {tuple(renumber(np.array(labels))) for labels in product(range(m), repeat=m)}
    ways = Counter(tuple(sorted(np.bincount(labels))) for labels in found)
    for one, n_ways in ways.items():
        n_multisets = sum(len(other) == len(one) for other in ways)
        sizes = np.bincount(one)
        assert unnamed_cost(sizes) >= log(n_ways) - 1e-9
        assert unnamed_cost(sizes) <= log(comb(m - 1, len(one) - 1)) + log(n_ways) + 1e-9
        assert n_multisets <= comb(m - 1, len(one) - 1)
    assert unnamed_cost(np.bincount(np.ones(m, dtype=int))) == pytest.approx(0.0)


def test_many_small_labels_are_found_among_as_many_wrong_links(seed):
    """Entities of two or three items; every second link joins two at random."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(400), rng.integers(2, 4, 400))
    m = len(truth)
    right = np.triu((truth[:, None] == truth) & (rng.random((m, m)) < 0.9), 1)
    wrong = np.zeros((m, m), dtype=bool)
    wrong[tuple(rng.integers(m, size=(2, int(right.sum()))))] = True
    W = sp.csr_array(np.triu(right | wrong | wrong.T, 1).astype(float))
    result = sl.solve(W + W.T)
    scores = [sl.metrics.pairwise_scores(truth, labels).f_score for labels in result.path.labels]
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > max(scores) - 0.05
    assert max(scores) > 0.8


@pytest.mark.parametrize("m", [50, 400])
def test_only_broad_degrees_are_uneven(m, seed):
    rng = np.random.default_rng(seed)
    for mean in (3.0, 10.0, 40.0):
        assert not are_uneven(np.full(m, mean))
        assert not are_uneven(rng.poisson(mean, m).astype(float))
        assert not are_uneven(rng.uniform(0.9, 1.1, m) * mean)
        assert are_uneven(np.rint((rng.pareto(1.5, m) + 0.5) * mean))
    assert not are_uneven(np.zeros(0))


def test_small_entities_of_plain_matches_are_not_joined_by_wrong_ones(seed):
    """Entities of two or three items in five groups, and as many wrong matches as right ones."""
    rng = np.random.default_rng(seed)
    size = rng.integers(2, 4, 300)
    truth = np.repeat(np.arange(300), size)
    groups = np.concatenate([rng.permutation(5)[:n] for n in size])
    right = np.triu(truth[:, None] == truth, 1)
    wrong = np.triu(rng.random(right.shape) < right.sum() * 2 / right.size, 1)
    wrong &= (truth[:, None] != truth) & (groups[:, None] != groups)
    W = (right | wrong).astype(float)
    result = sl.solve(W + W.T, groups)
    f_scores = [
        sl.metrics.pairwise_scores(truth, labels, groups).f_score
        for labels in (result.labels, *result.path.labels)
    ]
    assert f_scores[0] > max(f_scores) - 0.03
    assert f_scores[0] > 0.94


def test_degrees_that_labels_explain_are_not_uneven(seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 3], [20, 60, 200])
    explained = rng.poisson(np.array([4.0, 12.0, 0.0, 40.0])[labels]).astype(float)
    assert are_uneven(explained)
    assert not are_uneven(explained, labels)
    assert are_uneven(explained, np.zeros(280, dtype=int))
    broad = np.rint(explained * (rng.pareto(1.5, 280) + 0.5))
    assert are_uneven(broad, labels)
