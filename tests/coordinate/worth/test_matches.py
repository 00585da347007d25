"""The evidence for labels of matches."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.worth.block_model import log_ways
from spherelax.coordinate.worth.matches import Matches
from spherelax.problem import Problem


def saving(W, groups, labels):
    """Return what labels of matches with any scores save."""
    noise = np.random.default_rng(0).random(W.shape)
    W = W * (1.0 + noise + noise.T)
    model = read_problem(Problem.check(W, groups))
    assert isinstance(model.description, Matches)
    return model.labeling(np.asarray(labels, dtype=np.int32)[model.graph.given]).saving


def test_items_apart_save_nothing(seed):
    W, groups, _ = sl.datasets.make_partial_matching(6, 10, shuffled=0.3, random_state=seed)
    assert saving(W, groups, np.arange(len(groups))) == pytest.approx(0.0, abs=1e-4)


def test_true_labels_save_more_than_halves_or_random_ones(seed):
    W, groups, truth = sl.datasets.make_partial_matching(10, 12, shuffled=0.3, random_state=seed)
    halves = 2 * truth + (groups < 5)
    random = np.empty_like(truth)
    rng = np.random.default_rng(seed)
    for group in range(10):
        of_group = np.flatnonzero(groups == group)
        random[of_group] = rng.permutation(12)[: len(of_group)]
    saved = [saving(W, groups, labels) for labels in (truth, halves, random)]
    assert saved == sorted(saved, reverse=True)
    assert saved[0] > 0 > saved[2]


def test_things_that_look_alike_stay_apart():
    """Two things in half of the groups each share a group, and all their items match."""
    groups = np.r_[np.arange(6), np.arange(5, 11)]
    truth = np.repeat([0, 1], 6)
    W = (groups[:, None] != groups).astype(float)
    others = np.kron(np.eye(20), np.ones((6, 6))) - np.eye(120)
    names = np.r_[groups, np.tile(np.arange(6), 20)]
    all_of_it = sp.block_diag([W, others]).tocsr()
    result = sl.solve(all_of_it, names)
    labels = np.r_[truth, 2 + np.arange(120) // 6]
    assert sl.metrics.pairwise_scores(labels, result.labels).f_score > 0.9


def test_pieces_that_never_share_a_group_are_joined(seed):
    """Half of the frames match well among each other, and only half as often with the others."""
    rng = np.random.default_rng(seed)
    groups, truth = np.divmod(np.arange(16 * 20), 20)
    side = groups // 8
    chance = np.where(side[:, None] == side, 0.98, 0.6) * (truth[:, None] == truth)
    upper = np.triu(rng.random(chance.shape) < chance, 1) & (groups[:, None] != groups)
    result = sl.solve(sp.csr_array((upper | upper.T).astype(float)), groups)
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.98


@pytest.mark.parametrize("n_groups", [3, 4])
def test_labels_cost_as_much_as_there_are_tables_of_groups_and_labels(n_groups):
    """The number of tables with the same margins, counted one by one, for all sizes of labels."""
    n_each = 3
    groups = np.repeat(np.arange(n_groups), n_each)
    W = (groups[:, None] != groups).astype(float)
    matches = read_problem(
        Problem.check(W * (1.0 + np.add.outer(*2 * [np.arange(len(W))])), groups)
    ).description
    counted = {}
    for labels in _labelings(groups):
        sizes = np.bincount(np.bincount(labels))
        counted[tuple(sizes)] = counted.get(tuple(sizes), 0) + 1
    orders = n_groups * np.log(6.0)  # which item of a group has which of its labels
    for sizes, n in counted.items():
        found = matches._log_tables(np.array(sizes)) + orders
        assert found == pytest.approx(np.log(n), abs=1.5)
        assert n <= np.exp(log_ways(np.array(sizes)))


def _labelings(groups):
    """Yield all labels, numbered by first appearance, in which no two items of a group agree."""

    def grow(labels):
        at = len(labels)
        if at == len(groups):
            yield np.array(labels)
            return
        for label in range(max(labels, default=-1) + 2):
            if all(b != label or groups[i] != groups[at] for i, b in enumerate(labels)):
                yield from grow([*labels, label])

    yield from grow([])
