"""What similarities are worth: learnt from labels, the same for any rising function of them."""

import warnings

import numpy as np
import pytest
from support.twins import dense_similarity

import spherelax as sl
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.readings import Plain, read_problem
from spherelax.coordinate.worth.evidence import PRIOR, SLOPE, Worth, learn_worth
from spherelax.problem import Problem


def scored(seed, *, shuffled=0.4, apart=2.0, n_groups=12, universe=15):
    """Matches with scores: of the right ones larger by so many standard deviations, on average."""
    W, groups, truth = sl.datasets.make_partial_matching(
        n_groups, universe, observed=0.6, shuffled=shuffled, random_state=seed
    )
    noise = np.random.default_rng(seed).normal(size=W.shape)
    noise = (noise + noise.T) / np.sqrt(2.0)
    same = truth[:, None] == truth
    return W / (1.0 + np.exp(-noise - apart * same)), groups, truth


def graph_of(W, groups):
    return build_graph(Problem.check(W, groups))


def quiet_solve(*args, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **settings)


def f_score(truth, labels, groups):
    return sl.metrics.pairwise_scores(truth, labels, groups).f_score


def test_worth_is_the_surprise_of_the_share_that_agrees():
    # Twelve pairs of two groups: of four weak ones one agrees, of eight strong ones seven.
    W = np.zeros((24, 24))
    for pair in range(12):
        W[pair, 12 + pair] = W[12 + pair, pair] = 0.2 if pair < 4 else 1.0
    labels = np.r_[np.arange(12), np.arange(12)].astype(np.int32)
    labels[[12, 13, 14, 23]] = [20, 21, 22, 23]
    graph = graph_of(W, [0] * 12 + [1] * 12)
    found = learn_worth(graph, labels[graph.given])
    share = (np.array([1, 7]) + PRIOR * 8 / 12) / (np.array([4, 8]) + PRIOR)
    worth = -np.log(1.0 - share)
    np.testing.assert_allclose(found.floors, [0.2, 1.0])
    np.testing.assert_allclose(found.worth, worth / worth.max(), rtol=1e-6)


def test_worth_never_falls(seed):
    W, groups, truth = scored(seed)
    graph = graph_of(W, groups)
    labels = truth.astype(np.int32)[graph.given]
    found = learn_worth(graph, labels)
    assert (np.diff(found.floors) > 0).all()
    assert (np.diff(found.worth) >= 0).all()
    assert len(set(found.worth)) > 3
    assert found.worth[-1] == 1.0
    # Scores that say the opposite are worth the same, all of them.
    upside_down = np.where(W > 0, 1.0 - W, 0.0)
    graph = graph_of(upside_down, groups)
    assert np.ptp(learn_worth(graph, truth.astype(np.int32)[graph.given]).worth) < 0.2


def test_applied_keeps_the_order_and_the_rest_of_the_graph(seed):
    graph = graph_of(*scored(seed)[:2])
    weighed = Worth(np.float32([0.3, 0.7]), np.float32([0.2, 1.0]), np.unique(graph.values)).apply(
        graph
    )
    order = np.argsort(graph.values, kind="stable")
    distinct = np.diff(graph.values[order]) > 1e-4
    assert (np.diff(weighed.values[order])[distinct] > 0).all()
    step = np.where(graph.values < np.float32(0.7), 0.2, 1.0)
    np.testing.assert_allclose(weighed.values, step, rtol=SLOPE)
    assert weighed.indices is graph.indices


def test_nothing_is_learnt_without_sizes_or_contradictions(seed):
    W, groups, truth = scored(seed)
    graph = graph_of(W, groups)
    assert learn_worth(graph, np.arange(len(truth), dtype=np.int32)) is None
    inside = graph_of(np.where(truth[:, None] == truth, W, 0.0), groups)
    assert learn_worth(inside, truth.astype(np.int32)[inside.given]) is None
    plain = read_problem(Problem.check((W > 0).astype(float), groups))
    assert isinstance(plain.reading, Plain)
    assert plain.graph is plain.given


def test_any_rising_function_of_the_scores_gives_the_same_labels(seed):
    W, groups, _ = scored(seed)
    labels = sl.solve(W, groups).labels
    for other in (W**6, 1e-9 * W, np.where(W > 0, 30.0 + np.log(W + 1e-9), 0.0)):
        again = sl.solve(other, groups).labels
        assert f_score(labels, again, groups) > 0.99


def test_scores_help_where_they_mean_something(seed):
    W, groups, truth = scored(seed, shuffled=0.7)
    told = f_score(truth, quiet_solve(W, groups).labels, groups)
    untold = f_score(truth, quiet_solve((W > 0).astype(float), groups).labels, groups)
    assert told > untold + 0.1


def test_scores_that_are_all_there_is(seed):
    """Every pair of different groups has a score, so that the matches alone say nothing."""
    truth, groups = np.tile(np.arange(12), 8), np.repeat(np.arange(8), 12)
    noise = np.random.default_rng(seed).normal(size=(96, 96))
    same = truth[:, None] == truth
    W = 1.0 / (1.0 + np.exp(-(noise + noise.T) / np.sqrt(2.0) - 3.0 * same))
    result = sl.solve(W, groups)
    assert f_score(truth, result.labels, groups) > 0.97
    assert result.status == sl.Status.DESCRIBED


@pytest.mark.parametrize("wrong", [0.5, 0.89])
def test_of_two_equal_claims_the_larger_score_wins(wrong):
    W = np.zeros((4, 4))
    W[0, 2], W[1, 2], W[1, 3] = 0.9, wrong, 0.9
    labels = sl.solve(W + W.T, ["x", "x", "y", "y"]).labels
    np.testing.assert_array_equal(labels, [0, 1, 0, 1])


def test_noise_with_scores_is_called_noise(seed):
    W, groups, _ = scored(seed, shuffled=1.0, apart=0.0)
    with pytest.warns(sl.SphereWarning, match="describe random"):
        assert sl.solve(W, groups).status == sl.Status.NOISE


def test_what_was_learnt_holds_for_new_items(seed):
    W, groups, truth = scored(seed, shuffled=0.5)
    old = groups < groups.max()
    start = sl.solve(W[np.ix_(old, old)], groups[old])
    result = start.extend(W, groups)
    assert f_score(truth, result.labels, groups) > 0.9
    weighed, before = result._solved.model.graph, start._solved.model.reading
    again = before.worth.apply(build_graph(Problem.check(W, groups), before.unit))
    np.testing.assert_array_equal(dense_similarity(weighed), dense_similarity(again))
