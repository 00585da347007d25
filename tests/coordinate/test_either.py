"""A list or a graph? What nobody says is solved as both, and the other answer is named."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.lists import entities, matrix
from support.problems import quiet_solve

import spherelax as sl
from spherelax.coordinate.either import could_be_either
from spherelax.coordinate.graph import part
from spherelax.problem import Problem


def f_score(truth, labels):
    return sl.metrics.pairwise_scores(truth, labels).f_score


def counts(seed, k=8, n=20, inside=1.5, outside=0.3):
    """A graph of Poisson counts, sparse."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), n)
    half = np.triu(rng.poisson(np.where(truth[:, None] == truth, inside, outside)), 1)
    return sp.csr_array((half + half.T).astype(float)), truth


def copies(seed, n=300, share=0.3):
    """The nearest of each of some records, of which a share has a copy."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 40))
    has_copy = np.flatnonzero(rng.random(n) < share)
    X = np.r_[X, X[has_copy] + 0.3 * rng.normal(size=(len(has_copy), 40))]
    truth = np.r_[np.arange(n), has_copy]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    S = X @ X.T
    np.fill_diagonal(S, 0.0)
    near = np.argsort(-S, axis=1)[:, :5]
    row = np.repeat(np.arange(len(S)), 5)
    A = sp.csr_array((S[row, near.ravel()], (row, near.ravel())), shape=S.shape)
    return sp.csr_array(A.maximum(A.T)), truth


def test_counts_are_a_graph(seed):
    W, truth = counts(seed)
    result = sl.solve(W)
    assert result.kind == "graph"
    assert f_score(truth, result.labels) > 0.98
    np.testing.assert_array_equal(result.labels, sl.solve(W, kind="graph").labels)


def test_few_copies_are_a_list_and_the_other_answer_is_named(seed):
    W, truth = copies(seed)
    result, as_graph = sl.solve(W), quiet_solve(W, kind="graph")
    assert result.kind == "pairs"
    assert f_score(truth, result.labels) > 0.95
    assert f_score(truth, as_graph.labels) < 0.5
    assert result.alternative == as_graph.n_labels


def test_a_step_is_that_of_the_better_answer(seed):
    W, _ = counts(seed)
    found, expected = sl.solve(W, pick=2.0), sl.solve(W, kind="graph", pick=2.0)
    assert (found.kind, found.status) == ("graph", sl.Status.CHOSEN)
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_a_part_of_a_large_problem_tells(seed, monkeypatch):
    monkeypatch.setattr(part, "LEARN_FROM", 4000)
    monkeypatch.setattr(part, "LEAST_ITEMS", 300)
    for W, truth in (counts(seed, k=30), copies(seed, n=1500)):
        result = sl.solve(W)
        assert f_score(truth, result.labels) > 0.9


@pytest.mark.parametrize(
    ("W", "options"),
    [
        (counts(0)[0], {"kind": "graph"}),
        (counts(0)[0], {"groups": np.arange(160) % 8}),
        (counts(0)[0].toarray(), {}),
        (sp.csr_array((counts(0)[0] > 0).astype(float)), {}),
        (counts(0)[0][:9, :9], {}),
    ],
    ids=["said", "groups", "dense", "one size", "few"],
)
def test_what_can_only_be_one_is_not_solved_twice(W, options):
    assert not could_be_either(Problem.check(W, **options))


def test_a_list_can_be_either(seed):
    assert could_be_either(Problem.check(matrix(entities(seed)[0])))
