"""The labels of a chosen step: polished with many items, or joined because of noise."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import quiet_solve

import spherelax as sl
from spherelax.coordinate import finish as module
from spherelax.coordinate.finish import finish
from spherelax.coordinate.finish_points import Finished
from spherelax.coordinate.graph.neighbors import components
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import learn
from spherelax.coordinate.trail import Route
from spherelax.pick import pick_description
from spherelax.problem import Problem

ROUTE = Route(sl.Coordinate(), n_threads=1)


def f_score(truth, labels, groups=None):
    return sl.metrics.pairwise_scores(truth, labels, groups).f_score


def planted_sparse(m, size, wrong, seed):
    """Clusters of one size, 15 similarities an item, a share of them between any two items."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(m) // size)
    by_label = np.argsort(truth, kind="stable")
    one = rng.integers(m, size=15 * m // 2)
    inside = by_label[truth[one] * size + rng.integers(size, size=len(one))]
    other = np.where(rng.random(len(one)) < wrong, rng.integers(m, size=len(one)), inside)
    half = sp.coo_array((np.ones(len(one)), (one, other)), shape=(m, m))
    return ((half + half.T) > 0).astype(float), truth


@pytest.mark.parametrize(("wrong", "floor"), [(0.3, 0.99), (0.6, 0.9)])
def test_many_items(wrong, floor, seed):
    W, truth = planted_sparse(6000, 30, wrong, seed)
    result = sl.solve(W)
    assert result._solved.route.has_many(result._solved.model)
    assert f_score(truth, result.labels) > floor
    assert result.path.savings[result.path.picked] == result.path.savings.max()
    few = result.at(result.path.resolutions[0]).n_labels
    assert few > 2 * result.n_labels


def test_many_items_are_polished_where_they_are_asked_for(seed):
    W, _ = planted_sparse(6000, 30, 0.3, seed)
    coarse = sl.solve(W, pick=0.5)
    assert coarse.status == sl.Status.CHOSEN
    assert coarse.resolution == pytest.approx(0.5)
    assert coarse.n_labels < 0.5 * sl.solve(W).n_labels


@pytest.mark.parametrize("pick", [None, 0.5])
def test_the_path_of_many_items_stays_what_was_walked(pick, monkeypatch, seed):
    """Only the labels of the result are polished; they stand at their step."""
    W, _ = planted_sparse(6000, 30, 0.6, seed)
    result = sl.solve(W, pick=pick)
    monkeypatch.setattr(module, "polish_labels", lambda _graph, labels, _gamma, **_: labels)
    walked = sl.solve(W, pick=pick)
    assert walked.labels is walked.path.labels[walked.path.picked]
    assert (result.path.picked, result.path.alpha) == (walked.path.picked, walked.path.alpha)
    for step, expected in enumerate(walked.path.labels):
        if step != result.path.picked:
            np.testing.assert_array_equal(result.path.labels[step], expected)
    if pick is None:  # polished labels only count if they describe better
        before, after = (at._solved.model.labeling(at.labels).saving for at in (walked, result))
        assert after >= before
    else:
        assert not np.array_equal(result.labels, walked.labels)


def noise(seed, m=150):
    """Two separate parts of random similarities, and an item alone."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((m, m)) < 0.3, 1)
    W = sp.csr_array((half | half.T).astype(float))
    return sp.block_diag([W, W.T, sp.csr_array((1, 1))], format="csr")


def nothing_beyond(*_):
    """Say that no labels say more than noise."""
    return False


def found_in(W, *, joins_noise=True):
    """Learn from similarities, take the labels that describe best, and finish them."""
    learnt = learn(read_problem(Problem.check(W)), ROUTE)
    pick = pick_description(learnt.path.savings)
    picked = Finished(learnt.path.labels[pick.index], pick.index, pick.status)
    *_, found = finish(learnt, ROUTE, picked, joins_noise=joins_noise)
    return found, learnt, pick


def test_noise_is_joined_where_that_is_wanted(monkeypatch, seed):
    monkeypatch.setattr(module, "is_beyond_noise", nothing_beyond)
    found, learnt, _ = found_in(noise(seed))
    assert (found.status, found.is_step, found.is_complete) == (sl.Status.NOISE, False, True)
    np.testing.assert_array_equal(
        found.labels, components(*learnt.model.graph[:2], learnt.model.graph.group)
    )
    assert found.labels.max() + 1 == 3
    assert found.at == len(learnt.path.labels) - 1
    kept, learnt, pick = found_in(noise(seed), joins_noise=False)
    assert (kept.status, kept.is_step, kept.at) == (sl.Status.NOISE, True, pick.index)
    saving = learnt.model.labeling(kept.labels).saving
    assert saving >= learnt.path.savings[pick.index]


def test_labels_of_a_description_are_shaken_and_others_are_not(monkeypatch, seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.7, random_state=seed
    )
    monkeypatch.setattr(module, "most_evident", lambda _, at, *__: at)
    found = quiet_solve(W, groups)
    monkeypatch.setattr(module, "shake_labels", lambda *given: given[1])
    plain = quiet_solve(W, groups)
    assert found.path.picked == plain.path.picked
    assert plain.labels is plain.path.labels[plain.path.picked]
    model = read_problem(Problem.check(W, groups))
    assert model.labeling(found.labels).saving > model.labeling(plain.labels).saving
    for step, kept in enumerate(plain.path.labels):
        if step != plain.path.picked:
            np.testing.assert_array_equal(found.path.labels[step], kept)
    monkeypatch.setattr(module, "shake_labels", None)
    for pick in ("eta", "stability", 2.0):
        quiet_solve(W, groups, pick=pick)


def test_labels_for_which_plain_matches_speak_more_are_named(seed):
    """Half of the images show other things each, whose wrong matches join all labels."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(20), 20)
    shown = np.where(groups < 11, np.tile(np.arange(20), 20), 20 + np.arange(400))
    X = rng.normal(size=(420, 16))[shown] + 0.4 * rng.normal(size=(400, 16))
    D = np.linalg.norm(X[:, None] - X, axis=2) + 1e9 * (groups[:, None] == groups)
    nearest = np.zeros((400, 400), dtype=bool)
    for group in range(20):
        columns = np.flatnonzero(groups == group)
        nearest[np.arange(400), columns[D[:, columns].argmin(axis=1)]] = True
    W = (nearest & nearest.T & (groups[:, None] != groups)).astype(float)
    result = quiet_solve(W, groups)
    best = min(result.path.labels, key=lambda labels: -f_score(shown, labels))
    assert result.n_labels < result.alternative <= 1.5 * len(set(best.tolist()))


def test_labels_for_which_plain_matches_speak_much_more_are_taken(monkeypatch):
    taken = SimpleNamespace(
        savings=np.array([1.0, 3.0, 2.0]), evidence=lambda _: np.array([100.0, 90.0, 99.5])
    )
    assert module.most_evident(taken, 1) == 2
    monkeypatch.setattr(module, "MOST", 0.89)
    assert module.most_evident(taken, 1) == 1


def test_control_c_while_noise_is_looked_for(monkeypatch, seed):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "is_beyond_noise", interrupted)
    W, truth = sl.datasets.make_binary_similarity(120, 4, rewired=0.2, random_state=seed)
    result = quiet_solve(W)
    assert result.status == sl.Status.INTERRUPTED
    assert result.path.is_complete
    assert result.labels is result.path.labels[result.path.picked]
    assert f_score(truth, result.labels) > 0.95


def test_labels_of_an_interrupted_walk_are_not_compared_with_noise(monkeypatch, seed):
    monkeypatch.setattr(module, "is_beyond_noise", None)

    def interrupt(step):
        if step.index == 12:
            raise KeyboardInterrupt

    result = quiet_solve(noise(seed), callback=interrupt)
    assert result.status == sl.Status.INTERRUPTED
    assert not result.path.is_complete
    assert result.labels is result.path.labels[result.path.picked]
