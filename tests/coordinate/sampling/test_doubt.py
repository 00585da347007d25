"""How likely items of graphs and points have the right label."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import mannwhitneyu
from support import twins
from support.problems import quiet_solve

import spherelax as sl
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.sampling.doubt import DETECTED, WALK, Rivals, learn_blocks, walk_share
from spherelax.coordinate.sampling.gibbs import Beliefs, Net
from spherelax.coordinate.sampling.posterior import draw_posterior
from spherelax.metrics import correctness, reliability
from spherelax.problem import Problem


def expected_shares(values, weight, absent, join, labels):
    """Expected shares by a sum over all partitions, drawn like those of a restaurant process."""
    m = len(labels)
    total, found = 0.0, np.zeros(m)
    for drawn in map(np.array, twins.partitions(m)):
        same = np.triu(drawn[:, None] == drawn, 1)
        size = np.bincount(drawn)
        nats = np.sum(same * (values - absent * np.outer(weight, weight)))
        orders = sum(np.log(np.arange(1, n)).sum() for n in size)
        likely = np.exp(nats + orders - join * len(size))
        for i in range(m):
            mates = (labels == labels[i]) & (np.arange(m) != i)
            share = np.mean(drawn[mates] == drawn[i]) if mates.any() else size[drawn[i]] == 1
            found[i] += likely * share
        total += likely
    return found / total


@pytest.mark.parametrize("is_weighted", [False, True])
def test_shares_are_those_of_all_partitions(is_weighted, seed):
    rng = np.random.default_rng(seed)
    values = np.triu(rng.normal(0.5, 1.0, (6, 6)), 1)
    graph = build_graph(Problem.check(np.ones((6, 6)) - np.eye(6)))
    weight = rng.uniform(0.5, 2.0, 6) if is_weighted else np.ones(6)
    row = np.repeat(np.arange(6), 5)
    both = (values + values.T)[row, graph.indices]
    graph = graph._replace(values=both.astype(np.float32), weight=weight.astype(np.float32))
    labels, absent, join = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32), 0.3, -0.5
    growth = np.log(np.arange(1, 7))
    beliefs = Beliefs(both - absent, absent, join, growth)
    found = draw_posterior(Net.of_graph(graph), beliefs, labels).item
    expected = expected_shares(values, weight, absent, join, labels)
    np.testing.assert_allclose(found, expected, atol=0.05)


def test_similarities_and_their_absence_are_worth_what_was_planted():
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(5, dtype=np.int32), 80)
    chance = np.where(truth[:, None] == truth, 0.2, 0.05)
    half = np.triu(rng.random(chance.shape) < chance, 1)
    model = read_problem(Problem.check((half | half.T).astype(float)))
    graph, labels = model.graph, truth[model.graph.given]
    _, found = learn_blocks(graph, labels, model.description, None)
    assert found.absent == pytest.approx(np.log(0.95 / 0.8), rel=0.1)
    np.testing.assert_allclose(found.same, np.log(0.2 / 0.05), rtol=0.1)


def auc(is_wrong, sure):
    """Return how often a wrong item is less sure than a right one."""
    return mannwhitneyu(sure[~is_wrong], sure[is_wrong]).statistic / (
        np.count_nonzero(is_wrong) * np.count_nonzero(~is_wrong)
    )


def compared(result, truth):
    """Return the calibration error of items, and how much surer right items are."""
    right = correctness(truth, result.labels).items
    sure = result.confidence
    is_wrong = right < 0.5
    gap = sure[~is_wrong].mean() - sure[is_wrong].mean() if 0 < is_wrong.sum() < len(sure) else 1.0
    return reliability(sure, right).error, gap


@pytest.mark.parametrize("rewired", [0.4, 0.6])
def test_confidence_of_graphs_is_calibrated(rewired):
    found = []
    for seed in range(3):
        W, truth = sl.datasets.make_binary_similarity(
            150, 5, rewired=rewired, missing=0.2, random_state=seed
        )
        found.append(compared(sl.solve(W), truth))
    error, gap = np.mean(found, axis=0)
    assert error < 0.08
    assert gap > 0.2


@pytest.mark.parametrize("shuffled", [0.3, 0.6])
def test_confidence_of_matches_is_calibrated(shuffled):
    found = []
    for seed in range(3):
        W, groups, truth = sl.datasets.make_partial_matching(
            20, 20, observed=0.6, shuffled=shuffled, random_state=seed
        )
        found.append(compared(sl.solve(W, groups), truth))
    error, gap = np.mean(found, axis=0)
    assert error < 0.08
    assert gap > 0.1


def test_nobody_can_tell_whether_noise_is_one_label():
    W = sp.csr_array(np.triu(np.random.default_rng(0).random((150, 150)) < 0.08, 1).astype(float))
    result = quiet_solve(W + W.T, kind="graph")
    assert result.status is sl.Status.NOISE
    np.testing.assert_allclose(result.confidence.mean(), DETECTED, atol=0.01)
    np.testing.assert_allclose(result.confidence, DETECTED, atol=0.06)


def test_labels_that_are_about_as_likely_make_one_label_less_sure():
    one, two = np.zeros(6, dtype=np.int32), np.repeat(np.int32([0, 1]), 3)
    near, far = (Rivals.of(one, [two], np.array([nats])).share(one) for nats in (-0.1, -9.0))
    expected = DETECTED * (1.0 + 0.4 * np.exp(-0.1)) / (1.0 + np.exp(-0.1))
    np.testing.assert_allclose(near, expected)
    np.testing.assert_array_equal(far, DETECTED)


def test_points_are_not_sure_where_nothing_shows_how_many_things_there_are():
    X, _ = sl.datasets.make_gaussian_mixture(400, 5, random_state=0)
    assert sl.SphereClustering().fit(X).confidence_.mean() < 0.5


def test_graphs_with_an_effect_of_each_item_are_as_sure_as_they_are_right():
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(4), 25)
    effect = rng.normal(size=100)
    z = rng.normal(size=(100, 100)) + (truth[:, None] == truth) + effect[:, None] + effect
    half = np.triu(np.exp(0.5 * z), 1)
    result = sl.solve(half + half.T)
    error, _ = compared(result, truth)
    assert error < 0.08


def test_clear_clusters_of_points_are_surer_than_touching_ones():
    near, far = (
        sl.datasets.make_gaussian_mixture(400, 5, mean_distance=distance, random_state=400)[0]
        for distance in (2.0, 20.0)
    )
    sure = [sl.SphereClustering().fit(X).confidence_.mean() for X in (near, far)]
    assert sure[1] > sure[0] + 0.3
    assert sure[1] > 0.85


def test_chance_to_stay_is_that_of_a_lazy_walk(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.15), 1)
    W[7] = W[:, 7] = 0.0
    W += W.T
    labels = rng.integers(0, 3, 30).astype(np.int32)
    graph = build_graph(Problem.check(W))
    total = W.sum(axis=1, keepdims=True)
    step = 0.5 * np.eye(30) + 0.5 * np.where(total > 0, W / np.maximum(total, 1e-9), np.eye(30))
    walked = np.linalg.matrix_power(step, WALK)
    same = np.array([[1.0, 0.4, 0.0], [0.4, 1.0, 0.1], [0.0, 0.1, 1.0]])
    expected = (walked * same[labels[:, None], labels]).sum(axis=1)
    found = graph.as_given(walk_share(graph, labels[graph.given], sp.csr_array(same)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found[7] == 1.0


def test_confidence_stays_known_when_points_are_added():
    X, _ = sl.datasets.make_gaussian_mixture(400, 5, mean_distance=8.0, random_state=400)
    W = sl.similarity.nearest_neighbors(X)
    first = sl.solve(W[:390, :390], kind="neighbors")
    found = first.extend(W).confidence
    assert found.shape == (400,)
    assert np.all((found > 0) & (found <= 1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["points", "neighbors"])
def test_wrong_points_are_less_sure(kind):
    """The figures of the docs are those of more seeds and families; these overlap most."""
    found, ranks = [], []
    for distance in (4.0, 8.0):
        for seed in range(7000, 7006):
            X, truth = sl.datasets.make_gaussian_mixture(
                400, 5, mean_distance=distance, random_state=seed
            )
            if kind == "points":
                result = sl.SphereClustering().fit(X).result_
            else:
                result = quiet_solve(sl.similarity.nearest_neighbors(X), kind="neighbors")
            right = correctness(truth, result.labels).items
            found.append((result.confidence, right))
            if 0 < np.count_nonzero(right < 0.5) < 400:
                ranks.append(auc(right < 0.5, result.confidence))
    said, right = np.concatenate(found, axis=1)
    assert reliability(said, right).error < 0.13
    assert np.mean(ranks) > 0.85


@pytest.mark.parametrize("has_groups", [False, True])
def test_a_lone_pair_far_below_all_others_is_not_sure(has_groups):
    scores = np.r_[np.linspace(0.9, 0.99, 100), 0.05]
    m = 2 * len(scores)
    half = sp.coo_array((scores, (np.arange(0, m, 2), np.arange(1, m, 2))), shape=(m, m))
    result = sl.solve(sp.csr_array(half + half.T), np.arange(m) % 2 if has_groups else None)
    is_joined = result.labels[-1] == result.labels[-2]
    assert not is_joined or result.confidence[-2:].max() < 0.1
    assert result.confidence[:-2].min() > 0.8


def test_confidence_is_computed_when_it_is_asked_for(monkeypatch):
    asked = []
    source = sl.coordinate.solved.CoordinateSolved
    monkeypatch.setattr(source, "confidence", lambda *given: asked.append(given) or np.ones(12))
    result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    assert not asked
    assert result.confidence is result.confidence
    assert len(asked) == 1
