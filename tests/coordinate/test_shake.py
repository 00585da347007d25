"""Shaken labels: never worse, mostly better on noisy problems, and only where labels are picked."""

import numpy as np
import pytest

import spherelax as sl
import twins
from spherelax.coordinate import shake
from spherelax.coordinate.model import Model
from spherelax.coordinate.polish import polished
from spherelax.coordinate.shake import shaken
from spherelax.coordinate.walk import Route, walk
from spherelax.problem import Problem

ROUTE = Route(sl.Coordinate(), n_threads=1)


def noisy(seed, *, grouped):
    """The model of matchings, most of them wrong, or of weak clusters; and what is true of it."""
    if grouped:
        W, groups, truth = sl.datasets.make_partial_matching(
            15, 12, observed=0.7, shuffled=0.65, random_state=seed
        )
        return Model.of(Problem.check(W, groups)), truth
    W, truth = sl.datasets.make_binary_similarity(90, 4, rewired=0.6, random_state=seed)
    return Model.of(Problem.check(W)), truth


@pytest.mark.parametrize("grouped", [False, True])
def test_shaken_labels_save_more(grouped):
    gained = []
    for seed in range(6):
        model, _ = noisy(seed, grouped=grouped)
        rng = np.random.default_rng(seed)
        gamma = 2.0 * model.average
        start = rng.permutation(model.graph.n_items).astype(np.int32)
        given = model.labeling(polished(model.graph, start, gamma))
        found = shaken(model, given, gamma)
        assert not twins.clash(found.labels, model.graph.group())
        assert model.labeling(found.labels).saving == found.saving
        gained.append(found.saving - given.saving)
    assert min(gained) >= 0.0
    assert np.mean(np.array(gained) > 0.0) > 0.5


def test_labels_that_cannot_be_better_stay_and_few_trials_are_made(monkeypatch):
    model = Model.of(Problem.check(np.kron(np.eye(3), np.ones((5, 5)))))
    given = model.labeling(np.repeat(np.int32([0, 1, 2]), 5))
    calls = []
    monkeypatch.setattr(shake, "polished", lambda *args: calls.append(1) or polished(*args))
    assert shaken(model, given, 0.5) is given
    assert len(calls) == shake.IN_VAIN


@pytest.mark.parametrize("grouped", [False, True])
def test_a_walk_shakes_the_steps_that_save_most_alone(grouped, monkeypatch, seed):
    model, _ = noisy(seed, grouped=grouped)
    found = walk(model, ROUTE, None)
    monkeypatch.setattr(shake, "TRIALS", 0)
    before = walk(model, ROUTE, None)
    is_best = before.savings == before.savings.max()
    for step, labels in enumerate(before.labels):
        if not is_best[step]:
            np.testing.assert_array_equal(found.labels[step], labels)
        labeling = model.labeling(found.labels[step])
        assert found.savings[step] == labeling.saving >= before.savings[step]
        objective = model.objective(labeling, found.resolutions[step])
        assert found.objectives[step] == pytest.approx(objective)


def test_a_thorough_walk_is_not_shaken(monkeypatch, seed):
    model, _ = noisy(seed, grouped=False)
    monkeypatch.setattr(shake, "polished", None)
    walk(model, ROUTE._replace(is_thorough=True), None)
    with pytest.raises(TypeError):
        walk(model, ROUTE, None)
