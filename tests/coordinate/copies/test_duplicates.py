import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from support.lists import households, matrix, with_copies

import spherelax as sl
from spherelax.coordinate.copies.duplicates import _probability, find_duplicates
from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import Problem
from spherelax.result import say_duplicates


def similarity(pairs):
    """Scores above 0 of candidates, as a symmetric matrix."""
    shape = (pairs.n_items, pairs.n_items)
    score = pairs.score - pairs.score.min() + 0.1
    half = sp.coo_array((score, (pairs.one, pairs.other)), shape=shape)
    return sp.csr_array(half + half.T)


def found_in(pairs):
    """What a hard solve says of copies in the two sources; warnings are not of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(similarity(pairs), pairs.group).duplicates()


def test_clean_sources_are_not_accused(seed):
    pairs, _ = with_copies(seed, n_copies=0)
    assert not any(found.is_clear for found in found_in(pairs))
    assert say_duplicates(found_in(pairs)) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pairs", "odds"])
def test_families_are_no_copies(seed, kind):
    """Twins, and children with the name of a parent; copies are told from them by probabilities."""
    for n_copies in (0, 60):
        pairs, _ = households(seed, n_copies=n_copies)
        W = matrix(pairs, expit(pairs.score) if kind == "pairs" else pairs.score)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            hard = sl.solve(W, pairs.group, kind=kind)
            soft = sl.solve(W, pairs.group, kind=kind, one_per_group="unless_copies")
        first, *others = hard.duplicates()
        assert not any(found.is_clear for found in others)
        if n_copies == 0:
            assert not first.is_clear
            assert first.expected < 10
            np.testing.assert_array_equal(hard.labels, soft.labels)
        elif kind == "pairs":
            assert first.is_clear
            assert 20 < first.expected < 90


def test_twins_that_have_labels_of_their_own_are_no_copies():
    """A twin is as similar to both records of the other one as to the single one of its own."""
    twins = np.zeros((5, 5))
    twins[[0, 0, 0, 1, 1, 3], [2, 3, 4, 3, 4, 4]] = 1.0
    couple = np.array([[0.0, 1.0], [0.0, 0.0]])
    W = sp.block_diag([twins] * 30 + [couple] * 100, format="csr")
    groups = [0, 0, 1, 1, 2] * 30 + [0, 1] * 100
    labels = [np.array([0, 1, 0, 1, 1]) + 2 * k for k in range(30)]
    labels += [np.array([60, 60]) + k for k in range(100)]
    problem = Problem.check(W + W.T, groups)
    graph = build_graph(problem)
    found = find_duplicates(problem.groups, graph, graph, np.concatenate(labels).astype(np.int32))
    assert [(one.expected, one.is_clear) for one in found] == [(0.0, False)] * 3
    assert len(found[0].pairs) == 30


@pytest.mark.parametrize("n_copies", [40, 90])
def test_copies_are_counted_and_named(seed, n_copies):
    pairs, truth = with_copies(seed, n_copies=n_copies)
    clean, dirty = found_in(pairs)
    assert not clean.is_clear
    assert dirty.is_clear
    assert 0.5 * n_copies < dirty.expected < 1.4 * n_copies
    one, other = dirty.pairs[:10].T
    assert np.mean(truth[one] == truth[other]) >= 0.8
    assert np.all(np.diff(dirty.probability) <= 1e-12)
    assert np.all((dirty.probability >= 0) & (dirty.probability <= 1))
    assert np.all(dirty.pairs[:, 0] < dirty.pairs[:, 1])
    assert len(np.unique(dirty.pairs, axis=0)) == len(dirty.pairs)


def test_pairs_inside_a_source_count_too(seed):
    """Copies that nothing else is like can be seen only if they are compared."""
    rng = np.random.default_rng(seed)
    n = 200
    W = np.zeros((2 * n, 2 * n))
    W[np.arange(n), n + np.arange(n)] = rng.uniform(0.7, 1.0, n)
    lonely = np.arange(n - 40, n).reshape(20, 2)
    W[lonely, n + lonely] = 0.0
    groups = np.repeat([0, 1], n)
    apart = sl.solve(W + W.T, groups).duplicates()
    assert [found.expected for found in apart] == [0.0, 0.0]
    W[lonely[:, 0], lonely[:, 1]] = rng.uniform(0.7, 1.0, 20)
    with pytest.warns(sl.SphereWarning, match="of the 200 items in the group of item"):
        compared = sl.solve(W + W.T, groups).duplicates()
    assert [found.is_clear for found in compared] == [True, False]
    assert {tuple(pair) for pair in compared[0].pairs.tolist()} == set(map(tuple, lonely.tolist()))


def test_a_few_items_prove_nothing():
    W = np.ones((6, 6)) - np.eye(6)
    found = sl.solve(W, [0, 0, 0, 1, 1, 1]).duplicates()
    assert not any(one.is_clear for one in found)


def test_without_groups_there_is_nothing_to_say():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    assert sl.solve(W).duplicates() == ()
    assert sl.solve(W, solver="power").duplicates() is None


def test_strong_claims_are_likelier_than_weak_ones(seed):
    """Half of the claims are as strong as items hold to their labels, half are weaker."""
    rng = np.random.default_rng(seed)
    held, copies, others = rng.normal(9, 1, 300), rng.normal(9, 1, 60), rng.normal(6, 1, 60)
    claims = np.r_[copies, others]
    by_strength = np.argsort(-claims)
    found = _probability(claims[by_strength], held, 60.0)
    is_copy = by_strength < 60
    assert found[is_copy].mean() > 0.75
    assert found[~is_copy].mean() < 0.25
    assert abs(found.sum() - 60) < 15


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_no_more_copies_are_expected_than_there_can_be():
    for trial in range(60):
        rng = np.random.default_rng(trial)
        m = int(rng.integers(4, 14))
        half = np.triu(rng.integers(0, 4, (m, m)) * (rng.random((m, m)) < 0.6), 1)
        found = sl.solve((half + half.T).astype(float), rng.integers(0, 3, m)).duplicates()
        assert all(0.0 <= one.expected < one.n_items for one in found)


def test_items_similar_to_nothing_do_not_count():
    pairs, _ = with_copies(0, n_copies=20)
    W, m = similarity(pairs), pairs.n_items
    rng = np.random.default_rng(0)
    larger = sp.csr_array(sp.block_diag([W, sp.csr_array((2 * m, 2 * m))]))
    groups = np.r_[pairs.group, rng.integers(2, size=m), np.repeat(np.arange(2, 2 + m // 2), 2)]
    groups = np.r_[groups, np.full(3 * m - len(groups), 2)]
    options = {"one_per_group": "unless_copies", "n_jobs": 1}
    one, other = sl.solve(W, pairs.group, **options), sl.solve(larger, groups, **options)
    np.testing.assert_array_equal(one.labels, other.labels[:m])
    for before, after in zip(one.duplicates(), other.duplicates()[:2], strict=True):
        assert (before.expected, before.is_clear) == (after.expected, after.is_clear)
        assert after.n_items > before.n_items
    assert any(found.is_clear for found in one.duplicates())
