"""The package against a literal, dense implementation of the paper, and the paper's identities."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from support import oracle

import spherelax as sl
from spherelax.power import sphere
from spherelax.power.rebalance import rebalance
from spherelax.power.rounding import round_groups, round_rows
from spherelax.power.sweep import alpha_grid, sweep
from spherelax.problem import Problem

SETTINGS = {"alpha_step": 0.02, "n_inner": 6, "delta_margin": 0.0, "kappa": 0.01}


def solve(W, groups=None, **settings):
    """Solve with the paper's solver."""
    return sl.solve(W, groups, solver=sl.Power(**settings))


def binary(seed):
    W, labels = sl.datasets.make_binary_similarity(
        70, 4, rewired=0.3, missing=0.2, random_state=seed
    )
    return W, None, labels


def matching(seed):
    return sl.datasets.make_partial_matching(12, 8, observed=0.7, shuffled=0.4, random_state=seed)


def weighted(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) + 2 * rng.integers(3, size=60)[:, None]
    return sl.similarity.adaptive(X), None, None


def assert_same_sweep(result, literal, eta_floor=1e-9):
    """Compare curves; differences below the floor are rounding on both sides."""
    floor = eta_floor * literal.etas.max()
    np.testing.assert_allclose(result.path.alphas, literal.alphas, atol=1e-15)
    np.testing.assert_allclose(result.path.etas, literal.etas, rtol=1e-6, atol=floor)
    np.testing.assert_allclose(result.path.objectives, literal.objectives, rtol=1e-12)


@pytest.mark.parametrize("problem", [binary, matching, weighted])
@pytest.mark.parametrize("settings", [{}, {"kappa": 0.0}, {"delta_margin": 0.5}, {"n_inner": 1}])
def test_solve_is_the_literal_algorithm(problem, settings, seed):
    W, groups, _ = problem(seed)
    settings = SETTINGS | settings
    result = solve(W, groups, max_labels=24, **settings)
    literal = oracle.sweep(W, 24, **settings)
    assert_same_sweep(result, literal)
    assert result.status == sl.Status.VALLEY
    assert result.path.picked == oracle.pick(literal.etas, eta_floor=1e-9)
    U = literal.Us[result.path.picked]
    expected = round_rows(U) if groups is None else round_groups(U, groups)
    np.testing.assert_array_equal(result.labels, expected)
    np.testing.assert_allclose(result.embedding(), U, atol=1e-9)


@pytest.mark.parametrize("problem", [binary, matching, weighted])
def test_dense_and_sparse_agree(problem, seed):
    W, groups, _ = problem(seed)
    dense = solve(W, groups, **SETTINGS)
    sparse = solve(sp.csr_array(W), groups, **SETTINGS)
    np.testing.assert_array_equal(dense.path.labels, sparse.path.labels)
    assert dense.path.picked == sparse.path.picked
    np.testing.assert_allclose(dense.confidence, sparse.confidence, atol=1e-9)


def test_without_floor_the_printed_pick(seed):
    W, _, _ = binary(seed)
    result = solve(W, max_labels=24, eta_floor=0, **SETTINGS)
    assert result.path.picked == oracle.pick(result.path.etas, eta_floor=0)


@pytest.mark.parametrize("m", [3, 10, 11])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_start_is_repeated_identities(m, k):
    np.testing.assert_array_equal(sphere.start(m, k), oracle.start(m, k))


def _iterates(W, k, alpha, n_steps, kappa=0.01):
    """Conditional power iterations at one alpha, with V positive definite by a margin."""
    W = oracle.normalise(W) + kappa
    matrix = oracle.matrix_v(alpha, W, delta_margin=1e-3 * len(W))
    Us = [oracle.start(len(W), k)]
    for _ in range(n_steps):
        Us.append(sphere.project(matrix @ Us[-1]))
    return matrix, Us


@pytest.mark.parametrize("alpha", [0.2, 0.4, 0.6])
def test_proposition_1(alpha, seed):
    matrix, Us = _iterates(binary(seed)[0], 12, alpha, n_steps=3000)
    values = np.array([np.vdot(U, matrix @ U) for U in Us])
    moves = np.array([np.sum((b - a) ** 2) for a, b in pairwise(Us)])
    assert np.all(np.diff(values) >= -1e-12 * abs(values[-1]))  # 1: the objective never falls
    assert values[-1] - values[-1000] <= 1e-6 * (values[-1] - values[0])  # 2: it converges
    tails = np.cumsum(moves[::-1])[::-1]
    assert tails[-1] < tails[-1000] <= 1e-2 * tails[0]  # 3: what is left to move vanishes
    least = np.linalg.eigvalsh(matrix)[0]
    assert np.all(least * moves <= np.diff(values) + 1e-9 * abs(values[-1]))  # inequality (19)


def test_delta_does_not_change_the_maximisers(seed):
    rng = np.random.default_rng(seed)
    W = oracle.normalise(binary(seed)[0])
    U, other = (sphere.project(rng.normal(size=(len(W), 5))) for _ in range(2))
    matrix = oracle.matrix_v(0.4, W, delta_margin=0.3)
    difference = np.vdot(U, matrix @ U) - np.vdot(other, matrix @ other)
    assert difference == pytest.approx(oracle.g(0.4, W, U) - oracle.g(0.4, W, other))


def test_objective_is_the_least_squares_fit(seed):
    rng = np.random.default_rng(seed)
    W = binary(seed)[0]
    beta = 0.8
    alpha = beta**2 / (beta**2 + 2 * beta)
    fits, values = [], []
    for _ in range(10):
        U = np.eye(6)[rng.integers(6, size=len(W))]
        fits.append(np.sum((W - beta * U @ U.T) ** 2))
        values.append(oracle.g(alpha, W, U))
    slope = np.polyfit(values, fits, 1)[0]
    np.testing.assert_allclose(fits - slope * np.array(values), fits[0] - slope * values[0])
    assert slope == pytest.approx(-(beta**2 + 2 * beta))


def test_start_is_optimal_at_alpha_one(seed):
    rng = np.random.default_rng(seed)
    m, k = 23, 5
    best = oracle.g(1.0, np.eye(m), oracle.start(m, k))
    others = [np.eye(k)[rng.integers(k, size=m)] for _ in range(200)]
    assert all(oracle.g(1.0, np.eye(m), U) <= best + 1e-12 for U in others)


def test_equal_rows_are_absorbing(seed):
    W = rebalance(binary(seed)[0], np.arange(70), kappa=0.01)
    row = sphere.project(np.random.default_rng(seed).random((1, 8)))
    U = np.repeat(row, 70, axis=0)
    alphas = alpha_grid(0.05)
    degrees = W.W @ np.ones(70)
    for alpha, delta in zip(alphas, W.deltas(alphas, 0.0), strict=True):
        image = delta * U + (1 - alpha) * (W.W @ U) + W.shift(alpha) * U.sum(axis=0)
        if np.all(delta + (1 - alpha) * degrees + W.shift(alpha) * 70 > 0):
            np.testing.assert_allclose(sphere.project(image), U, atol=1e-14)
    assert np.all(delta + degrees > 0)


def test_rest_that_is_skipped_is_rest(seed):
    W, _, _ = binary(seed)
    literal = oracle.sweep(W, 24, **SETTINGS)
    problem = Problem.check(W)
    iterates = sweep(
        rebalance(W, problem.present, SETTINGS["kappa"]),
        alpha_grid(SETTINGS["alpha_step"]),
        k=24,
        n_inner=SETTINGS["n_inner"],
        delta_margin=0.0,
    )
    skipped = 0
    for step, U in zip(iterates, literal.Us, strict=True):
        skipped += step.eta == 0
        np.testing.assert_allclose(step.U, U, atol=1e-9)
    assert skipped >= 5


def test_merging_everything_is_optimal_at_alpha_zero(seed):
    rng = np.random.default_rng(seed)
    W = oracle.normalise(binary(seed)[0])
    equal = np.repeat(sphere.project(rng.random((1, 5))), len(W), axis=0)
    others = [sphere.project(rng.normal(size=(len(W), 5))) for _ in range(50)]
    assert all(oracle.g(0.0, W, U) <= oracle.g(0.0, W, equal) for U in others)
