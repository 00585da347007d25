"""MatchALS: its two subproblems against oracles, feasibility, the quality of the published code."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.baselines._match_als import least_squares, match_als, relaxed_matches


def problem(seed, observed=0.6, shuffled=0.5):
    return sl.datasets.make_partial_matching(
        20, 20, observed=observed, shuffled=shuffled, random_state=seed
    )


def f_score(pairs, truth, groups):
    right = (truth[pairs[:, 0]] == truth[pairs[:, 1]]).sum()
    true = np.triu((truth[:, None] == truth) & (groups[:, None] != groups)).sum()
    return 2 * right / (len(pairs) + true)


def test_least_squares_is_stationary(seed):
    rng = np.random.default_rng(seed)
    target = rng.random((9, 7)).astype(np.float32)
    factor = rng.random((7, 3)).astype(np.float32)
    A = least_squares(target, factor, 0.5)
    np.testing.assert_allclose((A @ factor.T - target) @ factor + 0.5 * A, 0.0, atol=1e-5)


def test_solution_is_feasible_and_of_low_rank(seed):
    W, groups, _ = problem(seed, shuffled=0.3)
    X = relaxed_matches(W, groups, rank=40, alpha=0.1, lam=50.0, max_iterations=500)
    same = groups[:, None] == groups
    np.testing.assert_array_equal(X[same], np.eye(len(W))[same])
    np.testing.assert_array_equal(X, X.T)
    assert X.min() >= 0
    assert X.max() <= 1
    left_over = np.sort(np.abs(np.linalg.eigvalsh(X.astype(float))))[:-40]
    assert np.sqrt((left_over**2).sum()) / len(W) < 2e-3


def test_solution_beats_the_truth_in_the_objective(seed):
    W, groups, truth = problem(seed)
    X = relaxed_matches(W, groups, rank=40, alpha=0.1, lam=50.0, max_iterations=500)

    def objective(Y):
        return -np.vdot(W - 0.1, Y) + 50 * np.linalg.norm(Y, "nuc")

    true = (truth[:, None] == truth).astype(float)
    assert objective(X.astype(float)) < objective(true) + 0.01 * abs(objective(true))


@pytest.mark.parametrize(
    ("observed", "shuffled", "published"), [(0.5, 0.3, 0.991), (0.6, 0.5, 0.967), (0.3, 0.4, 0.891)]
)
def test_no_worse_than_the_published_code(observed, shuffled, published):
    found = []
    for seed in (6000, 6001, 6002):
        W, groups, truth = problem(seed, observed, shuffled)
        found.append(f_score(match_als(W, groups, 20), truth, groups))
    assert np.mean(found) > published - 0.01


def test_a_match_must_pay():
    W = np.array([[1, 0.3], [0.3, 1]])
    assert len(match_als(W, [0, 1], 1, sparsity=0.1)) == 1
    assert len(match_als(W, [0, 1], 1, sparsity=0.5)) == 0


@pytest.mark.parametrize(
    "setting",
    [{"sparsity": -1.0}, {"rank_weight": 0.0}, {"rank_factor": 0.5}, {"max_iterations": 0}],
)
def test_bad_settings_are_named(setting):
    with pytest.raises(sl.InvalidInputError, match=next(iter(setting))):
        match_als(np.ones((2, 2)), [0, 1], 1, **setting)
