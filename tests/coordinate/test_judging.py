"""Labels that keep judgements."""

from math import comb, log

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import betaln

import spherelax as sl
from spherelax.coordinate.judging import (
    choose_level,
    nearest_level,
    open_levels,
    weigh_counts,
)
from spherelax.judgements import Judgements
from spherelax.labels import renumber
from spherelax.result import Drawn
from spherelax.result.questions import ask


def judged_pairs(rng, truth, n, groups=None):
    """Draw pairs and judge them by the truth."""
    pairs = rng.integers(0, len(truth), (n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rows = [(a, b, bool(truth[a] == truth[b])) for a, b in pairs.tolist()]
    return Judgements.of(rows).without_contradictions(groups)


def is_kept(result, judged):
    one, other = judged.pairs.T
    return bool(np.all((result.labels[one] == result.labels[other]) == judged.same))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("has_groups", [False, True])
def test_judgements_are_kept_whatever_they_say(seed, has_groups):
    """Judgements of another truth than that of the similarities, so that most are surprising."""
    rng = np.random.default_rng(seed)
    W, groups, truth = sl.datasets.make_partial_matching(6, 5, shuffled=0.3, random_state=seed)
    codes = np.asarray(groups) if has_groups else None
    result = sl.solve(W, codes, kind="graph")
    other = rng.integers(0, 8, len(truth))
    judged = judged_pairs(rng, other, 30, codes)
    found = result.judge(judged)
    assert is_kept(found, judged)
    if has_groups:
        assert len({*zip(codes, found.labels, strict=True)}) == len(codes)


def test_labels_that_agree_with_judgements_stay():
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.1, random_state=0)
    result = sl.solve(W)
    judged = judged_pairs(np.random.default_rng(0), result.labels, 20)
    assert np.array_equal(result.judge(judged).labels, result.labels)


def test_one_judgement_changes_the_labels_that_it_names_alone():
    W = np.kron(np.eye(5), np.ones((6, 6)))
    result = sl.solve(W)
    found = result.judge([(0, 1, "different")])
    assert np.array_equal(found.labels[6:] - found.labels[6], result.labels[6:] - result.labels[6])
    assert found.labels[0] != found.labels[1]


def two_levels():
    """Four families of three persons with three records each, and a list that shows both."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 3)
    family = person // 3
    same, near = (np.equal.outer(of, of) for of in (person, family))
    W = np.where(same, 0.9, np.where(near, 0.6, 0.0)) + 0.02 * rng.random((180, 180))
    return np.triu(W, 1) + np.triu(W, 1).T, person, family


@pytest.mark.parametrize("level", [0, 1])
def test_few_answers_choose_the_level(level):
    W, *truths = two_levels()
    truth, rng = truths[level], np.random.default_rng(1)
    result = sl.solve(W)
    near = np.argwhere(np.equal.outer(truths[1], truths[1]) & ~np.equal.outer(truths[0], truths[0]))
    rows = near[rng.choice(len(near), 8, replace=False)].tolist()
    found = result.judge([(a, b, bool(truth[a] == truth[b])) for a, b in rows])
    assert sl.metrics.pairwise_scores(truth, found.labels).f_score > 0.99


@pytest.mark.parametrize("meant", [1, 9, 20, 31])
@pytest.mark.parametrize("begin", [0, 16, 32])
def test_twenty_answers_find_a_level_far_away(begin, meant):
    """Each of 33 levels joins two pairs more; questions tell which of them is meant."""
    item, pairs = np.arange(132), np.arange(132).reshape(-1, 2)
    steps = [renumber(np.where(item < 4 * k, item // 2, 66 + item)) for k in range(33)]
    rows, at = [], begin
    for _ in range(5):
        judged = Judgements.of(rows)
        drawn = Drawn(steps[at][None], pairs, None, *open_levels(steps, at, judged))
        asked = ask(steps[at], drawn, 4).items.tolist()
        rows += [(a, b, bool(steps[meant][a] == steps[meant][b])) for a, b in asked]
        at = choose_level(steps, begin, Judgements.of(rows))
    assert abs(at - meant) <= 3


@pytest.mark.parametrize("errs", [0.02, 0.1])
def test_verdicts_that_may_be_wrong_are_weighed(errs):
    """Components of verdicts glue things together at the first wrong ones."""
    rng = np.random.default_rng(3)
    W, truth = sl.datasets.make_binary_similarity(120, 8, rewired=0.3, random_state=3)
    one, other = np.nonzero(np.triu(W, 1))
    verdict = (truth[one] == truth[other]) ^ (rng.random(len(one)) < errs)
    rows = zip(one.tolist(), other.tolist(), verdict.tolist(), [0.95] * len(one), strict=True)
    found = sl.solve(W).judge(list(rows))
    assert sl.metrics.pairwise_scores(truth, found.labels).f_score > 0.97


def test_confidence_knows_judgements_of_listed_pairs():
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.1, random_state=0)
    result = sl.solve(W, groups)
    listed = np.triu(sp.csr_array(W).toarray(), 1) > 0
    one, other = np.argwhere((result.labels[:, None] == result.labels) & listed)[0]
    found = result.judge([(int(one), int(other), "different")])
    assert found.labels[one] != found.labels[other]
    assert np.isfinite(found.confidence).all()
    assert found.confidence.min() >= 0


@pytest.mark.parametrize(("differ", "agree"), [(3, 2), (1500, 100), (4000, 10), (900, 1100)])
def test_evidence_of_many_judgements_is_a_tail_of_the_binomial(differ, agree):
    """B(d + 1, a + 1) times the chance of more than d heads in a + d + 1 tosses, exactly."""
    n = differ + agree + 1
    tail = sum(comb(n, heads) for heads in range(differ + 1, n + 1))
    expected = float(betaln(differ + 1, agree + 1)) + log(tail) - (n - 1) * log(2)
    assert weigh_counts(np.array([differ]), differ + agree)[0] == pytest.approx(expected, abs=0.01)


def test_a_level_is_chosen_if_none_agrees_with_most_of_many_judgements():
    assert nearest_level(weigh_counts(np.array([4000, 3990]), 4000), 0) == 0
    assert nearest_level(weigh_counts(np.array([4000, 3990, 100]), 4000), 0) == 2
