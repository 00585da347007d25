"""MatchLift: the cone projection, feasibility, optimality, the quality of the published code."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.baselines import projected_gradient
from spherelax.baselines._match_lift import (
    density_sparsity,
    gap_universe,
    match_lift,
    positive_part,
    relaxed_matches,
)


def problem(seed, observed=0.5, shuffled=0.3, q=10):
    return sl.datasets.make_partial_matching(
        q, 12, observed=observed, shuffled=shuffled, random_state=seed
    )


def f_score(pairs, truth, groups):
    right = (truth[pairs[:, 0]] == truth[pairs[:, 1]]).sum()
    true = np.triu((truth[:, None] == truth) & (groups[:, None] != groups)).sum()
    return 2 * right / (len(pairs) + true)


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_positive_part_is_the_projection(seed, shift):
    V = np.random.default_rng(seed).standard_normal((12, 12))
    V = V + V.T + shift * np.eye(12)
    Z = positive_part(V)
    assert np.linalg.eigvalsh(Z).min() > -1e-9
    assert np.linalg.eigvalsh(Z - V).min() > -1e-9
    assert abs(np.vdot(Z, Z - V)) < 1e-9


def test_solution_is_feasible(seed):
    W, groups, truth = problem(seed)
    k = len(np.unique(truth))
    X = relaxed_matches(W, groups, k, density_sparsity(W, groups), 300)
    same = groups[:, None] == groups
    np.testing.assert_array_equal(X[same], np.eye(len(W))[same])
    assert X.min() >= 0
    lifted = np.block([[np.array([[k]]), np.ones((1, len(W)))], [np.ones((len(W), 1)), X]])
    assert np.linalg.eigvalsh(lifted).min() > -2e-3 * len(W)


def test_penalty_finds_the_scale_of_the_similarities(seed):
    W, groups, truth = problem(seed)
    k, lam = len(np.unique(truth)), density_sparsity(W, groups)
    off = groups[:, None] != groups

    def value(X):
        return ((W - lam) * X)[off].sum()

    scaled = relaxed_matches(100 * W, groups, k, 100 * lam, 300)
    assert value(scaled) == pytest.approx(value(relaxed_matches(W, groups, k, lam, 300)), rel=0.02)


def test_no_consistent_matching_has_a_better_objective(seed):
    W, groups, truth = problem(seed, shuffled=0.7)
    k, lam = len(np.unique(truth)), density_sparsity(W, groups)
    X = relaxed_matches(W, groups, k, lam, 300)
    off = groups[:, None] != groups
    best = ((W - lam) * X)[off].sum()
    for labels in (truth, projected_gradient(W, groups, k)):
        assert ((W - lam) * (labels[:, None] == labels))[off].sum() <= best + 0.02 * abs(best)


def test_clean_input_is_recovered_without_the_universe(seed):
    W, groups, truth = problem(seed, shuffled=0.0)
    assert gap_universe(W, int(np.bincount(groups).max())) == len(np.unique(truth))
    assert f_score(match_lift(W, groups), truth, groups) == 1.0


def test_items_without_matches_are_points_of_their_own():
    W = np.eye(7)
    W[0, 1] = W[1, 0] = 1.0
    assert gap_universe(W, 1) == 6
    assert match_lift(W, range(7)).tolist() == [[0, 1]]


def test_density_sparsity_counts_linked_pairs_of_groups():
    W = np.eye(4)
    W[0, 1] = W[1, 0] = W[1, 2] = W[2, 1] = 1
    assert density_sparsity(W, np.arange(4)) == pytest.approx(np.sqrt(2) / 8)


def test_one_outlying_match_is_repaired():
    truth, groups = np.tile(np.arange(3), 8), np.repeat(np.arange(8), 3)
    W = (truth[:, None] == truth).astype(float)
    W[np.ix_([0, 1], [3, 4])] = W[np.ix_([3, 4], [0, 1])] = [[0, 1], [1, 0]]
    assert f_score(match_lift(W, groups, 3), truth, groups) == 1.0


@pytest.mark.parametrize(
    ("observed", "shuffled", "published"), [(0.5, 0.3, 1.0), (0.3, 0.4, 0.957)]
)
def test_no_worse_than_the_published_code(observed, shuffled, published):
    found = []
    for seed in (6000, 6001):
        W, groups, truth = sl.datasets.make_partial_matching(
            20, 20, observed=observed, shuffled=shuffled, random_state=seed
        )
        found.append(f_score(match_lift(W, groups, 20), truth, groups))
    assert np.mean(found) > published - 0.01


@pytest.mark.parametrize("setting", [{"sparsity": -1.0}, {"max_iterations": 0}])
def test_bad_settings_are_named(setting):
    with pytest.raises(sl.InvalidInputError, match=next(iter(setting))):
        match_lift(np.ones((2, 2)), [0, 1], 1, **setting)
