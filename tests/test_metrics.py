"""Scores against counting pairs one by one."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import spherelax as sl
from spherelax.metrics import cycle_consistency, match_scores, modularity, pairwise_scores

LABELS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(3)))
)


def count(truth, labels, groups=None):
    """Precision, recall and F by looking at every pair."""
    pairs = [
        (i, j)
        for i, j in combinations(range(len(truth)), 2)
        if groups is None or groups[i] != groups[j]
    ]
    right = {p for p in pairs if truth[p[0]] == truth[p[1]]}
    found = {p for p in pairs if labels[p[0]] == labels[p[1]]}
    both = len(right & found)
    precision = both / len(found) if found else 1.0
    recall = both / len(right) if right else 1.0
    return precision, recall, 2 * both / (len(right) + len(found)) if right or found else 1.0


@given(LABELS)
def test_pairwise_scores(case):
    truth, labels, groups = case
    assert pairwise_scores(truth, labels) == pytest.approx(count(truth, labels))
    assert pairwise_scores(truth, labels, groups) == pytest.approx(count(truth, labels, groups))


@given(LABELS)
def test_matches_of_labels_score_as_the_labels(case):
    truth, labels, groups = case
    pairs = [(j, i) for i, j in combinations(range(len(truth)), 2) if labels[i] == labels[j]]
    assert match_scores(truth, pairs + pairs, groups) == pairwise_scores(truth, labels, groups)


@given(LABELS)
def test_names_of_labels_do_not_matter(case):
    truth, labels, groups = case
    names = ["x", "y", ("z", 1), None]
    renamed = pairwise_scores(np.array(truth), [names[i] for i in labels], [str(g) for g in groups])
    assert renamed == pairwise_scores(truth, labels, groups)


def test_many_items_are_no_problem():
    labels = np.arange(300_000) % 1000
    groups = np.arange(300_000) // 1000
    scores = pairwise_scores(labels, labels // 2, groups)
    assert scores.recall == 1.0
    assert scores.precision == pytest.approx(299 / (299 + 299), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pairwise_scores([0, 1], [0]), "labels must have one entry per true label, 2"),
        (lambda: pairwise_scores([0, 1], [0, 1], [0]), "groups must have one label per item, 2"),
        (lambda: pairwise_scores([], []), "labels_true must hold at least one label"),
        (lambda: match_scores([0, 1], [[0, 1]], [0]), "groups must have one label per item, 2"),
        (lambda: match_scores([0, 1], [[0, -1]], [0, 1]), "matches must be items from 0 to 1"),
        (lambda: match_scores([], [], []), "labels_true must hold at least one label"),
        (lambda: cycle_consistency([[0, 5]], [0, 1]), "matches must be items from 0 to 1"),
        (lambda: cycle_consistency([0, 1], [0, 1]), r"matches must be integers of shape"),
        (lambda: cycle_consistency([[0.0, 1.0]], [0, 1]), r"matches must be integers of shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        call()


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14))
def test_cycle_consistency(pairs):
    groups = np.arange(8) // 2
    matched = {(i, j) for a, b in pairs for i, j in ((a, b), (b, a)) if a != b}
    chains = [(i, e) for i, j in matched for k, e in matched if j == k and i != e]
    closed = [(i, e) for i, e in chains if (i, e) in matched and groups[i] != groups[e]]
    expected = len(closed) / len(chains) if chains else 1.0
    assert cycle_consistency(pairs, groups) == pytest.approx(expected)


def test_labels_are_cycle_consistent_and_noise_is_not(seed):
    W, groups, _ = sl.datasets.make_partial_matching(10, 8, shuffled=0.4, random_state=seed)
    assert cycle_consistency(np.argwhere(np.triu(W, 1)), groups) < 0.7
    assert cycle_consistency(sl.solve(W, groups).pairs().items, groups) == 1.0


def test_modularity_is_newmans(seed):
    W, labels = sl.datasets.make_binary_similarity(40, 3, random_state=seed)
    A = W - np.diag(np.diag(W))
    degrees = A.sum(axis=1)
    same = labels[:, None] == labels
    expected = np.sum((A - np.outer(degrees, degrees) / A.sum()) * same) / A.sum()
    assert modularity(W, labels) == pytest.approx(expected)
    assert modularity(1e200 * W, labels) == pytest.approx(expected)
    assert modularity(np.eye(3), [0, 1, 1]) == 0.0
    binary = (W > 0).astype(float)
    assert modularity(scipy.sparse.csr_array(5e-324 * binary), labels) == modularity(binary, labels)
    assert modularity(binary - binary, labels) == 0.0
    odds = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert modularity(odds, [0, 0, 1]) == 0.0


def test_correctness_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    truth, labels = rng.integers(8, size=30), rng.integers(12, size=30)
    found = sl.metrics.correctness(truth, labels)
    names = list(dict.fromkeys(labels.tolist()))
    for at, name in enumerate(names):
        inside = labels == name
        assert found.pure[at] == (len({*truth[inside]}) == 1)
        assert found.whole[at] == {*truth[inside]}.isdisjoint(truth[~inside])
    for i in range(30):
        others = [truth[j] == truth[i] for j in range(30) if j != i and labels[j] == labels[i]]
        is_alone = np.count_nonzero(truth == truth[i]) == 1
        assert found.items[i] == (pytest.approx(np.mean(others)) if others else is_alone)
    pairs = [(i, j) for i in range(30) for j in range(i + 1, 30) if labels[i] == labels[j]]
    assert found.pairs.tolist() == [truth[i] == truth[j] for i, j in pairs]
    with pytest.raises(sl.InvalidInputError, match="must have the same length; found 2, 3"):
        sl.metrics.correctness([0, 1], [0, 1, 2])


def test_reliability_of_true_probabilities_is_high(seed):
    rng = np.random.default_rng(seed)
    p = rng.random(20_000)
    right = rng.random(20_000) < p
    assert sl.metrics.reliability(p, right).error < 0.02
    too_sure = sl.metrics.reliability(np.sqrt(p), right)
    assert too_sure.error == pytest.approx(np.mean(np.sqrt(p) - p), abs=0.02)
    assert too_sure.n.sum() == 20_000
    for wrong in ([0.5, 1.5], [0.5, np.nan]):
        with pytest.raises(sl.InvalidInputError, match="numbers from 0 to 1"):
            sl.metrics.reliability(wrong, [0, 1])
    with pytest.raises(sl.InvalidInputError, match="must be of one length; found shapes"):
        sl.metrics.reliability([0.5, 0.5], [1])
