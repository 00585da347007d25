"""Readings of W: the null model that degrees choose, the unit of resolutions, growth."""

import numpy as np
import pytest
from support import twins

import spherelax as sl
from spherelax.coordinate.graph import build_graph
from spherelax.coordinate.readings import (
    Learnt,
    Measured,
    Plain,
    Ranked,
    begin,
    read_problem,
)
from spherelax.coordinate.run import walk
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth.evidence import rank_worth
from spherelax.labels import renumber
from spherelax.problem import Problem


def planted_degrees(seed, m=300, n_clusters=4):
    """A planted binary similarity whose degrees follow a power law."""
    rng = np.random.default_rng(seed)
    truth = renumber(rng.integers(n_clusters, size=m))
    theta = np.minimum(rng.pareto(1.5, m) + 0.5, 10.0)
    expected = np.where(truth[:, None] == truth, 0.16, 0.03) * np.outer(theta, theta)
    W = np.triu(rng.random((m, m)) < expected, 1).astype(float)
    return W + W.T, truth


def described(model):
    """Walk a model and return the labels that describe best."""
    path = walk(model, Route(sl.Coordinate(), n_threads=1)).path()
    return path.labels[int(path.savings.argmax())]


def f_score(truth, labels, groups=None):
    return sl.metrics.pairwise_scores(truth, labels, groups).f_score


def test_broad_degrees_are_corrected_for(seed):
    W, truth = planted_degrees(seed)
    model = read_problem(Problem.check(W))
    assert model.reading.is_corrected
    degrees = model.graph.weight
    given = model.graph.given
    np.testing.assert_array_equal(degrees, W.sum(axis=1)[given])
    truth = truth[given]
    corrected = f_score(truth, described(model))
    plain_graph = model.graph._replace(weight=(degrees > 0).astype(np.float32))
    plain = f_score(truth, described(begin(plain_graph, model.reading.unit)))
    assert corrected > 0.95
    assert corrected > plain
    labels = model.graph.as_given(described(model))
    np.testing.assert_array_equal(sl.solve(W).labels, renumber(labels))


def test_similarities_of_different_sizes_begin_with_their_order(seed):
    W, groups, _ = sl.datasets.make_partial_matching(6, 8, shuffled=0.3, random_state=seed)
    for given in (None, groups):
        model = read_problem(Problem.check(W, given))
        assert isinstance(model.reading, Plain)
        np.testing.assert_array_equal(model.graph.values, model.given.values)
    sizes = W * (1.0 + np.add.outer(*2 * [np.arange(len(W))]))
    for given, kind in ((None, Ranked), (groups, Learnt)):
        model = read_problem(Problem.check(sizes, given))
        assert isinstance(model.reading, kind)
        order = np.argsort(model.given.values if given is not None else model.entries.sizes)
        assert np.all(np.diff(model.graph.values[order]) >= 0)
    assert model.reading.worth.equals(rank_worth(model.given))
    metric = read_problem(Problem.check(sizes), is_metric=True)
    assert isinstance(metric.reading, Measured)
    assert metric.graph.values is metric.given.values


def test_a_similarity_is_worth_its_surprise_among_all_pairs(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((20, 20)) * (rng.random((20, 20)) < 0.6), 1)
    model = read_problem(Problem.check(W + W.T, kind="graph"))
    assert not model.reading.ranks.by_item
    given = model.given.values
    at_least = np.array([np.sum(given > v) / 2 + 0.5 for v in given])
    m = model.totals.n_present
    surprise = -np.log(at_least / (m * (m - 1) / 2))
    np.testing.assert_allclose(model.graph.values, surprise / surprise.max(), rtol=1e-5)


def test_weights_that_say_nothing_are_worth_the_same(seed):
    """Learnt from true labels, what a rank is worth follows what it says of labels."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(5), 40)
    same = truth[:, None] == truth
    half = np.triu(rng.random(same.shape) < np.where(same, 0.3, 0.05), 1)
    for heavier, ratio in ((0.0, 1.3), (3.0, 4.0)):
        W = half * np.exp(rng.normal(size=same.shape) + heavier * same)
        model = read_problem(Problem.check(W + W.T, kind="graph"))
        learnt = model.reading.learn(model, renumber(truth[model.graph.given]))
        low, high = (part.mean() for part in np.split(learnt.worth.worth, 2))
        assert high < ratio * low if heavier == 0.0 else high > ratio * low
    assert model.reading.learn(model, np.zeros(200, dtype=np.int32)) is None


@pytest.mark.parametrize("is_corrected", [False, True])
def test_what_a_model_is_stays_while_it_grows(is_corrected, seed):
    if is_corrected:
        W, _ = planted_degrees(seed)
    else:
        W, _ = sl.datasets.make_binary_similarity(300, 4, rewired=0.3, random_state=seed)
    np.fill_diagonal(W, 0.0)
    known = slice(0, 250)
    model = read_problem(Problem.check(W[known, known]))
    grown = model.reading.read(build_graph(Problem.check(3.0 * W), model.reading.unit), None)
    assert grown.reading is model.reading
    assert grown.reading.is_corrected == is_corrected
    W = W[np.ix_(grown.graph.given, grown.graph.given)]
    np.testing.assert_allclose(twins.dense_similarity(grown.graph), 3.0 * W / model.reading.unit)
    weight = (W > 0).sum(axis=1) if is_corrected else W.any(axis=1)
    np.testing.assert_allclose(grown.graph.weight, weight)
    assert grown.plain_average is None
