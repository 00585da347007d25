"""Components that are solved again, with all that was learnt kept."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from lawful import FAMILIES, make_case


def freeze(result, *seeds):
    """The components of some items of a result; of all, if none are given."""
    items = np.array(seeds) if seeds else np.arange(len(result.labels))
    return result._solved.freeze(result.labels, result.path.alpha, items)


@pytest.mark.parametrize("family", ["graph", "complete", "matching", "list"])
def test_nothing_changes_where_nothing_has_changed(family):
    assert family in FAMILIES
    for seed in range(4):
        result = make_case(np.random.default_rng(seed), family).solve()
        frozen = freeze(result)
        found = frozen.solve(frozen.scores, np.empty(0, dtype=np.intp))[0]
        assert np.array_equal(found, result.labels)


def test_items_with_nothing_in_common_part():
    result = sl.solve(np.kron(np.eye(2), np.ones((4, 4))))
    frozen = freeze(result, 0)
    assert frozen.items.tolist() == [0, 1, 2, 3]
    halves = sp.csr_array(np.kron(np.eye(2), np.ones((2, 2))) - np.eye(4))
    for labels in frozen.solve(halves, np.arange(4)):
        assert labels.tolist() == [0, 0, 1, 1]


def test_judgements_are_kept():
    result = sl.solve(np.kron(np.eye(2), np.ones((4, 4))), judgements=[(0, 1, "different")])
    frozen = freeze(result, 0)
    assert len(frozen.judged) == 1
    for labels in frozen.solve(frozen.scores, np.arange(4)):
        assert labels[0] != labels[1]


def test_groups_that_match_badly_count_less():
    W, groups, truth = sl.datasets.make_partial_matching(8, 30, shuffled=0.1, random_state=0)
    groups, W = np.asarray(groups), sp.csr_array(W).toarray()
    one, other = np.flatnonzero(groups == 0), np.flatnonzero(groups == 1)
    wrong = W[np.ix_(one, np.roll(other, 1))]
    W[np.ix_(one, other)], W[np.ix_(other, one)] = wrong, wrong.T
    result = sl.solve(W, groups)
    model = result._solved.model
    assert model.plain_average is not None
    rows = (model.graph.values, model.graph.indices, model.graph.indptr)
    place = np.argsort(model.graph.given)
    worth = sp.csr_array(rows, shape=(len(truth),) * 2)[place][:, place]
    assert abs(freeze(result).attraction.listed - worth).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_the_labels_around_two_items_weigh_what_they_do_in_the_whole(seed):
    rng = np.random.default_rng(seed)
    size = np.repeat(np.arange(12), rng.integers(3, 30, 12))
    chance = np.where(size[:, None] == size, 0.6, 0.02)
    half = np.triu(rng.random(chance.shape) < chance, 1).astype(float)
    frozen = freeze(sl.solve(half + half.T))
    near = frozen.around(0, 1, 60)
    assert near.items.tolist() == sorted(near.items.tolist())
    assert len(frozen.mates(0)) <= len(near.items) < len(frozen.items)
    place = np.searchsorted(frozen.items, near.items)
    assert near.attraction.weight == pytest.approx(frozen.attraction.weight[place])
    listed = frozen.attraction.listed[place][:, place]
    assert abs(near.attraction.listed - listed).max() < 1e-6


def test_what_is_found_around_two_items_holds_in_the_whole(monkeypatch):
    rng = np.random.default_rng(0)
    size = np.arange(240) // 8
    chance = np.where(size[:, None] == size, 0.8, 0.02)
    half = np.triu(rng.random(chance.shape) < chance, 1).astype(float)
    result = sl.solve(half + half.T, kind="graph")
    monkeypatch.setattr("spherelax.coordinate.changing.NEAR", 80)
    mates = np.flatnonzero(result.labels == result.labels[0])
    why = result.explain(int(mates[0]), int(mates[1]))
    frozen = freeze(result)
    scores = frozen.scores.tolil()
    for a, b in why.change.removed.tolist():
        scores[a, b] = scores[b, a] = 0.0
    labels = frozen.solve(sp.csr_array(scores), np.unique(why.change.removed))[0]
    assert labels[mates[0]] != labels[mates[1]]
