"""What plain matches of groups say: rates of rows, learnt from labels that are drawn."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.coordinate.graph.crossings import cross
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.sampling.agreement import Agreement
from spherelax.coordinate.sampling.gibbs import Net, State, Sums, sweep
from spherelax.coordinate.sampling.rows import Rows
from spherelax.problem import Problem


def planted(seed, *, window=None, n_groups=12, n_things=20, right=0.9, wrong=0.3):
    """Matches with known rates: every thing in every group, and as many items that are alone."""
    rng, n = np.random.default_rng(seed), 2 * n_things
    groups, thing = np.repeat(np.arange(n_groups), n), np.tile(np.arange(n), n_groups)
    truth = np.where(thing < n_things, thing, n + np.arange(n * n_groups))
    W = np.zeros((len(groups), len(groups)))
    for i in range(len(groups)):
        for b in range(groups[i] + 1, n_groups):
            if window is None or b - groups[i] <= window:
                is_right = thing[i] < n_things and rng.random() < right
                if is_right or rng.random() < wrong:
                    W[i, b * n + (thing[i] if is_right else rng.integers(n))] = 1.0
    problem = Problem.check(np.maximum(W, W.T), groups)
    model = read_problem(problem)
    labels = np.unique(truth[model.given.given], return_inverse=True)[1].astype(np.int32)
    return problem, truth, model, labels


@pytest.mark.parametrize("window", [None, 3])
def test_a_sweep_sees_what_labels_that_stay_amount_to(seed, window):
    _, _, model, labels = planted(seed, window=window, wrong=0.1)
    m, graph = len(labels), model.given
    rows = Rows.of(graph, labels, model.compared, model.totals.n_rows)
    net, sums = Net.of_graph(graph, None, model.compared), Sums.of(m)
    firm = rows.learn(rows.seen, np.bincount(labels))._replace(join=0.0)
    inside = graph.inside(labels)
    firm = firm._replace(same=np.where(inside, 1e3, -1e3), absent=0.0)
    state, chance = State.of(labels, net), np.array([np.arange(m), np.full(m, 0.5)])
    sweep(net, firm, state, sums, Agreement.of(labels), chance)
    np.testing.assert_array_equal(state.labels, labels)
    np.testing.assert_allclose(sums.seen, cross(graph, labels, model.compared)[:3])
    np.testing.assert_allclose(sums.seen, rows.seen)


def test_matches_and_their_absence_are_worth_what_was_planted(seed):
    _, _, model, labels = planted(seed, right=0.7, wrong=0.2)
    rows = Rows.of(model.given, labels, model.compared, model.totals.n_rows)
    found = rows.learn(rows.seen, np.bincount(labels))
    right, possible, wrong = rows.seen
    silent = possible - right - wrong
    elsewhere = len(rows.names) - right - wrong
    n_others = rows.n_rows - possible
    share = elsewhere / n_others
    nats = np.log(right / possible / share) + rows.names
    np.testing.assert_allclose(found.same * rows.clumped, nats, atol=0.02)
    absent = -np.log(silent / possible / (1.0 - share))
    assert found.absent * rows.clumped == pytest.approx(absent, rel=0.05)
    against = np.log(wrong / possible / share)
    assert (found.contradicted - found.absent) * rows.clumped == pytest.approx(against, rel=0.05)
    # As many items as are alone, and have a match, are as likely to be; the others have any label.
    is_alone = (np.bincount(labels) == 1)[labels]
    n_alone = np.count_nonzero(is_alone & (np.diff(model.given.indptr) > 0))
    odds = np.count_nonzero(~is_alone) / (20 + n_alone) / n_alone
    assert found.join == pytest.approx(np.log(odds), abs=0.02)


def test_items_that_chance_has_joined_are_unsure(seed):
    """Single items that are given labels of large things show that they do not belong there."""
    problem, truth, _, _ = planted(seed, wrong=0.4)
    result = sl.solve(problem)
    said, right = result.confidence, sl.metrics.correctness(truth, result.labels).items
    assert sl.metrics.reliability(said, right).error < 0.2
    single = np.bincount(truth)[truth] == 1
    assert said[~single].mean() > 0.95
    joined = single & (np.bincount(result.labels)[result.labels] > 1)
    assert said[joined].mean() < 0.4


def test_judged_matches_say_what_was_judged():
    _, _, model, labels = planted(0)
    rows = Rows.of(model.given, labels, model.compared, model.totals.n_rows)
    same = np.zeros(len(rows.names))
    same[3] = -2.2
    found = rows._replace(same=same).learn(rows.seen, np.bincount(labels))
    assert found.same[3] == -2.2
    assert np.all(np.delete(found.same, 3) > 0.0)
