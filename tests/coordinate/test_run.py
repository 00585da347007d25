"""Walking again with what labels teach: once, on one path, and Ctrl-C on the way."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.coordinate import readings, trail
from spherelax.coordinate import run as module
from spherelax.coordinate.moves.polish import polish_labels
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import LESSONS, Interrupted, learn, run, walk
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth.evidence import learn_worth
from spherelax.pick import pick_description
from spherelax.problem import Problem

ROUTE = Route(sl.Coordinate(), n_threads=1)


def scored(seed, *, n_groups=12, universe=15):
    """Matches of which two in five are wrong, with scores that are larger for the right ones."""
    W, groups, truth = sl.datasets.make_partial_matching(
        n_groups, universe, observed=0.6, shuffled=0.4, random_state=seed
    )
    noise = np.random.default_rng(seed).normal(size=W.shape)
    same = truth[:, None] == truth
    return W / (1.0 + np.exp(-(noise + noise.T) / np.sqrt(2.0) - 2.0 * same)), groups, truth


@pytest.fixture
def taught(monkeypatch):
    """The models that are walked, one after the other."""
    models = []

    def spy(model, route, callback=None):
        models.append(model)
        return walk(model, route, callback)

    monkeypatch.setattr(module, "walk", spy)
    return models


def best(path):
    return path.labels[int(np.argmax(path.savings))]


@pytest.mark.parametrize("many", [1, trail.MANY])
def test_items_are_walked_once_more_with_what_polished_labels_teach(
    many, taught, monkeypatch, seed
):
    monkeypatch.setattr(trail, "MANY", many)
    model = read_problem(Problem.check(*scored(seed)[:2]))
    learnt = learn(model, ROUTE, None)
    assert learnt.model is taught[-1]
    first, last = (one for one in taught if one.plain_average is None)
    path = walk(first, ROUTE).path()
    at = pick_description(path.savings).index
    labels, found = path.labels[at], first
    for lesson in range(LESSONS):
        worth = learn_worth(model.given, labels)
        if lesson > 0 and worth.equals(found.reading.worth):
            break
        found = found.reread(worth=worth)
        gamma = found.average * path.resolutions[at]
        before, labels = labels, polish_labels(found.graph, labels, gamma)
        if found.labeling(labels).saving < found.labeling(before).saving:
            break
    assert last.reading.worth.equals(found.reading.worth)


def test_labels_that_teach_what_is_known_end_the_learning(taught, monkeypatch, seed):
    """The same worth again is no new lesson: nothing is walked twice."""
    model = read_problem(Problem.check(*scored(seed)[:2]))
    lesson = learn_worth(model.given, best(walk(model, ROUTE).path()))
    monkeypatch.setattr(readings, "learn_worth", lambda *_: lesson)
    monkeypatch.setattr(module, "reweigh", lambda *_: None)
    learn(model, ROUTE, None)
    assert len(taught) == 2
    assert taught[0] is model
    assert taught[1].reading.worth is lesson


def test_nothing_is_learnt_without_groups(taught, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    model = read_problem(Problem.check(W))
    assert learn(model, ROUTE, None).model is model
    assert taught == [model]


def test_labels_of_all_picks_are_on_one_path(seed):
    W, groups, _ = scored(seed)
    described = sl.solve(W, groups)
    chosen = sl.solve(W, groups, pick="stability")
    np.testing.assert_array_equal(described.path.alphas, chosen.path.alphas)
    np.testing.assert_array_equal(described.path.n_labels, chosen.path.n_labels)


def test_an_interruption_keeps_the_walk_before(seed):
    W, groups, _ = scored(seed)
    walks = []

    def interrupt(step):
        walks.append(step.index)
        if walks.count(0) == 2 and step.index == 3:
            raise KeyboardInterrupt

    with pytest.warns(sl.SphereWarning, match="interrupted"):
        result = sl.solve(W, groups, callback=interrupt)
    assert result.status == sl.Status.INTERRUPTED
    assert len(result.path.labels) == walks.index(0, 1)


def communities(seed, sizes, degree=None):
    """Communities of one density, whose items differ in degree if that is given."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(truth[:, None] == truth, 0.4, 0.01)
    if degree is not None:
        own = degree(rng, len(truth))
        chance = np.minimum(chance * np.outer(own, own), 1.0)
    half = np.triu(rng.random(chance.shape) < chance, 1)
    problem = Problem.check((half | half.T).astype(float))
    return problem, truth[read_problem(problem).graph.given]


def test_degrees_that_sizes_of_communities_explain_are_not_corrected_for(seed):
    problem, truth = communities(seed, [10, 20, 40, 80, 160])
    assert read_problem(problem).reading.is_corrected
    learnt = run(problem, ROUTE, None)
    assert not learnt.model.reading.is_corrected
    np.testing.assert_array_equal(learnt.model.graph.weight, 1.0)
    assert sl.metrics.pairwise_scores(truth, best(learnt.path)).f_score > 0.99


def test_degrees_that_differ_within_communities_are_corrected_for(taught, seed):
    problem, _ = communities(seed, [60, 60, 60], lambda rng, m: np.exp(0.7 * rng.normal(size=m)))
    assert run(problem, ROUTE, None).model.reading.is_corrected
    assert [model.reading.is_corrected for model in taught] == [True, False]


def test_ctrl_c_during_the_plain_walk_keeps_what_was_learnt(seed):
    problem, _ = communities(seed, [10, 20, 40, 80, 160])
    first = learn(read_problem(problem), ROUTE)
    for n_steps in (1, 4):
        calls = []

        def interrupt(step, calls=calls, n_steps=n_steps):
            calls.append(step)
            if len(calls) == len(first.path.labels) + n_steps:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted) as caught:
            run(problem, ROUTE, interrupt)
        found = caught.value.walked
        assert found.model.reading.is_corrected
        assert found.path.is_complete
        np.testing.assert_array_equal(best(found.path), best(first.path))
