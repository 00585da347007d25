"""Large problems: what a part of them teaches, and that any way to cut them gives the same part."""

import numpy as np
import pytest
from support.lists import calibration_error, entities, matrix

import spherelax as sl
from spherelax.coordinate.graph import part as module
from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.graph.part import Draw, components_up_to, draw, is_large
from spherelax.coordinate.model import Facts
from spherelax.coordinate.readings import read_problem
from spherelax.problem import Problem


@pytest.fixture
def small_parts(monkeypatch):
    """Let problems of some hundreds of items be large."""
    monkeypatch.setattr(module, "LEARN_FROM", 900)
    monkeypatch.setattr(module, "LEAST_ITEMS", 100)


def blocks(seed, n_blocks=40, size=20):
    """Random graphs that are not connected with each other, as a similarity."""
    rng = np.random.default_rng(seed)
    W = np.zeros((n_blocks * size, n_blocks * size))
    for first in range(0, len(W), size):
        n = rng.integers(2, size)
        at = slice(first, first + n)
        W[at, at] = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    return W + W.T


@pytest.mark.usefixtures("small_parts")
def test_a_part_hangs_together(seed):
    graph = build_graph(Problem.check(matrix(entities(seed)[0])))
    found = draw(graph)
    assert len(found.items) < graph.n_items
    assert found.n_entries.sum() >= module.LEARN_FROM
    assert len(found.items) == module.LEAST_ITEMS
    inside = np.isin(graph.indices, found.items)
    n_inside = np.add.reduceat(inside, graph.indptr[:-1])[found.items]
    assert np.mean(n_inside > 0) > 0.9


@pytest.mark.usefixtures("small_parts")
def test_parts_of_shards_are_that_of_the_whole(seed):
    """Components in any shards: what is drawn from each, put together, is what all would draw."""
    W = blocks(seed)
    graph = build_graph(Problem.check(W), 1.0)
    expected = draw(graph).enough()
    shard = np.random.default_rng(seed).integers(3, size=40).repeat(20)
    drawn = []
    for at in range(3):
        numbers = np.flatnonzero(shard == at)
        some = build_graph(Problem.check(W[np.ix_(numbers, numbers)]), 1.0)
        found = draw(some)
        drawn.append(found._replace(items=numbers[some.given[found.items]]))
    every = Draw(*map(np.concatenate, zip(*drawn, strict=True)))
    by_start = np.argsort(every.start, kind="stable")
    found = Draw(*(values[by_start] for values in every)).enough()
    np.testing.assert_array_equal(found.items, graph.given[expected.items])
    np.testing.assert_array_equal(found.start, expected.start)
    whole = components_up_to(graph, found.start[-1])
    assert set(found.items) <= set(graph.given[whole])
    assert len(whole) < graph.n_items


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("has_groups", [False, True])
def test_large_problems_have_the_same_labels_in_any_order(has_groups, seed):
    rng = np.random.default_rng(seed)
    W, groups, truth = sl.datasets.make_partial_matching(20, 30, shuffled=0.3, random_state=seed)
    noise = rng.normal(size=W.shape)
    W = W * np.exp(0.4 * (noise + noise.T) + (truth[:, None] == truth))
    order = rng.permutation(len(W))
    given, moved = (
        sl.solve(W[np.ix_(at, at)], groups[at] if has_groups else None)
        for at in (np.arange(len(W)), order)
    )
    assert is_large(given._solved.model.graph)
    np.testing.assert_array_equal(sl.labels.renumber(given.labels[order]), moved.labels)


def test_what_is_learnt_from_a_part_serves_the_whole(seed):
    """Scores, a third of which is learnt from."""
    pairs, right = entities(seed, n=900)
    problem = Problem.check(matrix(pairs), kind="pairs")
    third = problem.among(np.flatnonzero(np.arange(problem.n_items) % 900 < 300))
    taught = read_problem(third)
    graph = build_graph(problem, float(problem.similarity.max()))
    model = taught.reading.generalise(taught, Facts.of(graph)).read(graph)
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    truth = dict(zip(zip(pairs.one, pairs.other, strict=True), right, strict=True))
    ends = np.sort(np.c_[graph.given[row], graph.given[graph.indices]], axis=1)
    same = np.array([truth[tuple(pair)] for pair in ends.tolist()])
    assert calibration_error(model.judged.right, same) < 0.06
    assert np.mean((model.judged.right > 0.5) == same) > 0.95


@pytest.mark.parametrize("has_groups", [False, True])
@pytest.mark.parametrize("has_scores", [False, True])
def test_large_problems_are_solved_as_well(has_groups, has_scores, seed, monkeypatch):
    W, groups, truth = sl.datasets.make_partial_matching(40, 60, shuffled=0.2, random_state=seed)
    if has_scores:
        rng = np.random.default_rng(seed)
        same = truth[:, None] == truth
        noise = rng.normal(size=W.shape)
        W = W * np.exp(0.3 * (noise + noise.T) + same)
    groups = groups if has_groups else None
    small = sl.solve(W, groups)
    monkeypatch.setattr(module, "LEARN_FROM", 2000)
    monkeypatch.setattr(module, "LEAST_ITEMS", 200)
    large = sl.solve(W, groups)
    scores = [sl.metrics.pairwise_scores(truth, one.labels).f_score for one in (small, large)]
    assert scores[1] > scores[0] - 0.03
    assert len(Candidates.of(large._solved.model.graph).score) > module.LEARN_FROM
