"""Projected gradient: its projections against oracles, descent, the published code's quality."""

import itertools
import sys

import numpy as np
import pytest
import scipy.io

import spherelax as sl
from spherelax.baselines._projected_gradient import (
    descend,
    first_factor,
    on_simplex,
    projected_gradient,
    projection,
    rigid,
    unit_positions,
)
from spherelax.baselines.blocks import label_groups


def problem(seed, observed=0.6, shuffled=0.5):
    return sl.datasets.make_partial_matching(
        20, 20, observed=observed, shuffled=shuffled, random_state=seed
    )


def house(data_home, q):
    """Frames of the house, in random order within each, with positions."""
    W = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")["Wnoise"]
    frames = np.rint(np.linspace(1, 111, q)).astype(int) - 1
    rng = np.random.default_rng(0)
    rows = np.concatenate([30 * frame + rng.permutation(30) for frame in frames])
    positions = np.load(data_home / "cmu_house" / "house_landmarks.npy").reshape(-1, 2)
    return W[np.ix_(rows, rows)].astype(float), rows // 30, rows % 30, positions[rows]


@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_simplex_projection_meets_the_variational_inequality(seed, least):
    rng = np.random.default_rng(seed)
    V = rng.normal(0.1, 0.5, (40, 5))
    P = on_simplex(V, least)
    assert P.min() >= 0
    sums = P.sum(axis=1)
    assert (sums <= 1 + 1e-12).all()
    if least == -np.inf:
        np.testing.assert_allclose(sums, 1.0)
    others = rng.dirichlet(np.ones(5), 40)
    assert (((V - P) * (others - P)).sum(axis=1) <= 1e-12).all()


def test_projection_keeps_feasible_points_and_nears_the_set(seed):
    rng = np.random.default_rng(seed)
    groups = np.array([0, 1, 0, 2, 1, 0])
    labels = np.array([0, 2, 3, 1, 0, 2])
    project = projection(groups, 4)
    np.testing.assert_allclose(project(np.eye(4)[labels]), np.eye(4)[labels])
    X = project(rng.random((6, 4)))
    np.testing.assert_allclose(X.sum(axis=1), 1.0, atol=0.05)
    for group in range(3):
        assert X[groups == group].sum(axis=0).max() <= 1 + 1e-12


def test_projection_is_the_nearest_point(seed, monkeypatch):
    monkeypatch.setattr(sys.modules[projected_gradient.__module__], "SWEEPS", 500)
    project = projection(np.repeat(np.arange(6), 4), 4)
    V = np.random.default_rng(seed).normal(0.3, 0.7, (24, 4))
    V[:, 0] += 2.0  # all want the same column
    corners = [np.eye(4)[list(columns)] for columns in itertools.permutations(range(4))]
    for wanted, X in zip(V.reshape(6, 4, 4), project(V).reshape(6, 4, 4), strict=True):
        np.testing.assert_allclose(X.sum(axis=1), 1.0, atol=1e-4)
        assert max(np.vdot(wanted - X, corner - X) for corner in corners) < 1e-3


def test_steps_too_long_are_halved(seed):
    W, groups, _ = problem(seed)
    start = first_factor(W, groups, 20)
    _, path = descend(20 * W, groups, start, C=None, weight=0.0, max_iterations=50)
    assert (np.diff(path) < 0).all()


def test_objective_falls(seed):
    W, groups, _ = problem(seed)
    C = unit_positions(np.random.default_rng(seed).random((len(W), 2)), groups)
    start = first_factor(W, groups, 20)
    for positions in (None, C):
        _, path = descend(W, groups, start, C=positions, weight=2.0, max_iterations=50)
        assert len(path) > 1
        assert (np.diff(path) < 1e-9 * np.abs(path[0])).all()


def test_rigid_positions_of_full_labels_are_the_truncated_svd(seed):
    rng = np.random.default_rng(seed)
    groups, labels = np.repeat(np.arange(6), 7), np.tile(np.arange(7), 6)
    C = rng.normal(size=(42, 2))
    Z = rigid(np.eye(7)[labels], groups, C, np.zeros((6, 7, 2)))
    stacked = C.reshape(6, 7, 2).transpose(0, 2, 1).reshape(12, 7)
    left_over = np.linalg.svd(stacked, compute_uv=False)[4:]
    assert np.linalg.matrix_rank(Z.transpose(0, 2, 1).reshape(12, 7)) == 4
    assert ((Z - C.reshape(6, 7, 2)) ** 2).sum() == pytest.approx((left_over**2).sum())


def test_better_than_its_start(seed):
    W, groups, truth = problem(seed, 0.9, 0.7)
    start = label_groups(first_factor(W, groups, 20), groups)
    before = sl.metrics.pairwise_scores(truth, start, groups).f_score
    after = sl.metrics.pairwise_scores(truth, projected_gradient(W, groups, 20), groups).f_score
    assert after > before


def test_as_good_as_the_published_code_on_the_house(data_home):
    W, groups, truth, positions = house(data_home, 20)
    labels = projected_gradient(W, groups, 30, positions=positions)
    assert sl.metrics.pairwise_scores(truth, labels, groups).f_score > 0.963 - 0.01
    without = projected_gradient(W, groups, 30)
    assert sl.metrics.pairwise_scores(truth, without, groups).f_score > 0.894 - 0.01


def test_positions_may_be_moved_and_scaled(seed):
    W, groups, _ = problem(seed)
    C = np.random.default_rng(seed).random((len(W), 2))
    moved = 7.0 * C + np.random.default_rng(9).random((20, 2))[groups]
    np.testing.assert_allclose(unit_positions(moved, groups), unit_positions(C, groups))


@pytest.mark.parametrize("positions", [np.zeros((2, 3)), np.zeros((3, 2)), [[0, 0], [0, np.nan]]])
def test_bad_positions_are_refused(positions):
    with pytest.raises(sl.InvalidInputError, match="positions"):
        projected_gradient(np.ones((2, 2)), [0, 1], 1, positions=positions)


@pytest.mark.parametrize("setting", [{"position_weight": -1.0}, {"max_iterations": 0}])
def test_bad_settings_are_named(setting):
    with pytest.raises(sl.InvalidInputError, match=next(iter(setting))):
        projected_gradient(np.ones((2, 2)), [0, 1], 1, **setting)
