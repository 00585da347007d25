"""Shaken labels: never worse, mostly better on noisy problems, and soon done where nothing is."""

import numpy as np
import pytest
from support import twins

import spherelax as sl
from spherelax.coordinate.moves import shake
from spherelax.coordinate.moves.polish import polish_labels
from spherelax.coordinate.moves.shake import shake_labels
from spherelax.coordinate.readings import read_problem
from spherelax.problem import Problem


def noisy(seed, *, grouped):
    """The model of matchings, most of them wrong, or of weak clusters."""
    if grouped:
        W, groups, _ = sl.datasets.make_partial_matching(
            15, 12, observed=0.7, shuffled=0.65, random_state=seed
        )
        return read_problem(Problem.check(W, groups))
    W, _ = sl.datasets.make_binary_similarity(90, 4, rewired=0.6, random_state=seed)
    return read_problem(Problem.check(W))


def saving_by(model):
    return lambda labels: model.labeling(labels).saving


@pytest.mark.parametrize("grouped", [False, True])
def test_shaken_labels_save_more(grouped):
    gained = []
    for seed in range(6):
        model = noisy(seed, grouped=grouped)
        rng = np.random.default_rng(seed)
        gamma = 2.0 * model.average
        start = rng.permutation(model.graph.n_items).astype(np.int32)
        given = polish_labels(model.graph, start, gamma)
        found = shake_labels(model.graph, given, gamma, saving_by(model))
        assert not twins.clash(found, model.graph.groups())
        gained.append(saving_by(model)(found) - saving_by(model)(given))
    assert min(gained) >= 0.0
    assert np.mean(np.array(gained) > 0.0) > 0.5


def test_labels_that_cannot_be_better_stay_and_few_trials_are_made(monkeypatch):
    model = read_problem(Problem.check(np.kron(np.eye(3), np.ones((5, 5)))))
    given = np.repeat(np.int32([0, 1, 2]), 5)
    calls = []
    monkeypatch.setattr(
        shake, "polish_labels", lambda *args: calls.append(1) or polish_labels(*args)
    )
    assert shake_labels(model.graph, given, 0.5, saving_by(model)) is given
    assert len(calls) == shake.IN_VAIN
