"""The whole of solve: clean, noisy, odd but legal input, and what must not matter.

What every solver must do is tested with every solver.
"""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from support.problems import SIZES, clean, quiet_solve, tuned

import spherelax as sl
from spherelax.labels import renumber
from spherelax.settings import SOLVERS


@pytest.mark.parametrize("kappa", [0.0, 0.01])
@pytest.mark.parametrize("n_inner", [5, 20])
@pytest.mark.parametrize("sizes", [SIZES, [5, 5, 5], [40, 3, 2], [2, 2], list(range(1, 9))])
def test_clean_clusters_are_found_exactly(sizes, kappa, n_inner, solver, seed):
    W, truth = clean(sizes, seed)
    result = quiet_solve(W, solver=tuned(solver, kappa=kappa, n_inner=n_inner))
    np.testing.assert_array_equal(result.labels, truth)
    assert result.n_labels == len(sizes)
    if not result.is_probability:
        np.testing.assert_array_equal(result.confidence, 1.0)
    elif len(truth) > 4:
        assert result.confidence.min() > 0.8


def test_clean_matchings_are_found_exactly(solver, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        8, 6, observed=0.6, shuffled=0.0, random_state=seed
    )
    labels = sl.solve(W, groups, solver=solver).labels
    np.testing.assert_array_equal(labels, renumber(truth))


@pytest.mark.parametrize("sparse", [False, True])
def test_noisy_problems_beat_their_input(sparse, solver, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.5, random_state=100 + seed
    )
    given = sp.csr_array(W) if sparse else W
    result = sl.solve(given, groups, solver=tuned(solver, n_inner=5))
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.95


def test_zero_diagonal(solver):
    W, truth = clean()
    np.fill_diagonal(W, 0.0)
    np.testing.assert_array_equal(sl.solve(W, solver=solver).labels, truth)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("diagonal", [0.0, 1.0])
def test_items_similar_to_nothing_change_nothing_else(sparse, diagonal, solver, seed):
    W, labels = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    n = 75
    padded = np.zeros((n, n))
    place = np.sort(np.random.default_rng(seed).choice(n, 60, replace=False))
    alone = np.setdiff1d(np.arange(n), place)
    padded[np.ix_(place, place)] = W
    padded[alone, alone] = diagonal
    result = sl.solve(sp.csr_array(padded) if sparse else padded, solver=solver)
    assert len(set(result.labels[alone]) & set(result.labels[place])) == 0
    assert len(set(result.labels[alone])) == len(alone)
    np.testing.assert_array_equal(result.confidence[alone], 1.0)
    assert sl.metrics.pairwise_scores(labels, result.labels[place]).f_score > 0.9
    if diagonal == 0.0:
        alone = sl.solve(W, solver=solver).labels
        np.testing.assert_array_equal(renumber(result.labels[place]), alone)


@pytest.mark.parametrize("W", [np.zeros((4, 4)), np.eye(4), sp.csr_array((4, 4)), 7 * np.eye(4)])
def test_everything_isolated(W, solver):
    with pytest.warns(sl.SphereWarning, match="No item is similar to any other"):
        result = sl.solve(W, ["a", "a", "b", "b"], solver=solver)
    np.testing.assert_array_equal(result.labels, np.arange(4))
    np.testing.assert_array_equal(result.confidence, 1.0)
    assert result.status == sl.Status.ISOLATED


@pytest.mark.parametrize(
    ("solver", "message"),
    [("power", "they moved at no step"), ("coordinate", "no clusters, or only one")],
)
def test_all_equal_similarities_are_one_cluster(solver, message):
    with pytest.warns(sl.SphereWarning, match=message):
        result = sl.solve(np.full((9, 9), 0.3), solver=solver)
    assert result.n_labels == 1


def test_noise_is_mostly_called_noise():
    statuses = []
    for seed in range(10):
        noise = np.triu(np.random.default_rng(seed).random((100, 100)) < 0.1, 1)
        statuses.append(quiet_solve((noise | noise.T).astype(float)).status)
    assert statuses.count(sl.Status.NOISE) >= 8


def test_two_items(solver):
    assert quiet_solve([[0, 1], [1, 0]], solver=solver).n_labels == 1
    assert quiet_solve([[1, 0], [0, 1]], solver=solver).n_labels == 2


def test_several_components_with_noise(solver, seed):
    parts = [
        sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=10 * seed + i)
        for i in range(2)
    ]
    W = sp.block_diag([sp.csr_array(part[0]) for part in parts], format="csr")
    truth = np.r_[parts[0][1], 3 + parts[1][1]]
    assert sl.metrics.pairwise_scores(truth, sl.solve(W, solver=solver).labels).f_score > 0.97


def test_duplicated_items_share_a_label(solver, seed):
    W, _ = sl.datasets.make_binary_similarity(50, 3, rewired=0.2, random_state=seed)
    twice = np.kron(W, np.ones((2, 2)))
    labels = sl.solve(twice, solver=solver).labels
    np.testing.assert_array_equal(labels[::2], labels[1::2])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scale_does_not_matter(scale, solver, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    labels, expected = (sl.solve(given, solver=solver).labels for given in (scale * W, W))
    np.testing.assert_array_equal(labels, expected)


def test_one_group_means_one_label_each(solver):
    W, truth = clean()
    labels = quiet_solve(W, ["same"] * len(W), solver=solver).labels
    np.testing.assert_array_equal(labels, np.arange(len(truth)))


@pytest.mark.parametrize("groups", [range(60), [None] * 60])
def test_groups_of_one_item_are_no_constraint(groups, solver, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    labels, expected = (sl.solve(W, given, solver=solver).labels for given in (groups, None))
    np.testing.assert_array_equal(labels, expected)


def test_items_without_a_group_are_free(solver, seed):
    """Two copies of some items, which are the same thing: only those of a group are kept apart."""
    W, groups, truth = sl.datasets.make_partial_matching(8, 6, shuffled=0.0, random_state=seed)
    copies = np.r_[np.arange(len(W)), np.arange(6)]
    grouped = [None if item < 3 or item >= len(W) + 3 else int(groups[item % len(W)])
               for item in range(len(copies))]  # fmt: skip
    labels = sl.solve(W[np.ix_(copies, copies)], grouped, solver=solver).labels
    expected = renumber(truth[copies])
    np.testing.assert_array_equal(labels[: len(W)], expected[: len(W)])
    np.testing.assert_array_equal(labels[len(W) :], expected[len(W) :])


def test_groups_in_any_order_and_of_any_name(solver, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        10, 8, observed=0.7, shuffled=0.3, random_state=seed
    )
    order = np.random.default_rng(seed).permutation(len(W))
    names = [("image", int(g)) for g in groups[order]]
    labels = sl.solve(W[np.ix_(order, order)], names, solver=solver).labels
    assert sl.metrics.pairwise_scores(truth[order], labels, names).f_score > 0.9
    assert len(set(zip(names, labels.tolist(), strict=True))) == len(labels)


@st.composite
def small_problems(draw):
    """Small symmetric matrices of a few values, with or without groups."""
    m = draw(st.integers(2, 9))
    entries = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 9]), min_size=m * m, max_size=m * m))
    W = np.triu(np.array(entries, dtype=float).reshape(m, m))
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=m, max_size=m))
    return W + np.triu(W, 1).T, groups


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=60, deadline=None)
@given(small_problems(), st.sampled_from([0.0, 0.01, 0.5]), st.sampled_from([1, 4]))
def test_small_random_problems(solver, problem, kappa, n_inner):
    W, groups = problem
    m = len(W)
    how = {"solver": tuned(solver, kappa=kappa, n_inner=n_inner, alpha_step=0.05)}
    result = quiet_solve(W, groups, **how)
    if solver == "power":
        assert len(result.path.labels) == 20
    for labels in result.path.labels:
        np.testing.assert_array_equal(labels, renumber(labels))
        if groups is not None:
            assert len(set(zip(groups, labels.tolist(), strict=True))) == m
    assert np.all(np.isfinite(result.path.etas))
    assert np.all((result.confidence >= 0) & (result.confidence <= 1))
    isolated = (W - np.diag(np.diag(W))).sum(axis=1) == 0
    sizes = np.bincount(result.labels)
    assert np.all(sizes[result.labels[isolated]] == 1)
    sparse = quiet_solve(sp.csr_array(W), groups, **how)
    np.testing.assert_array_equal(sparse.labels, result.labels)
    U = result.embedding()
    if solver == "coordinate":
        assert U.min() >= 0
        np.testing.assert_allclose(sp.linalg.norm(U, axis=1), 1.0, atol=1e-6)
    else:
        present = W.any(axis=1) if W.any() else np.ones(m, dtype=bool)
        np.testing.assert_allclose(np.linalg.norm(U, axis=1), present, atol=1e-12)


def test_real_house(data_home, solver):
    file = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")
    rng = np.random.default_rng(3)
    frames = np.rint(np.linspace(1, 111, 20)).astype(int) - 1
    rows = np.concatenate([30 * frame + rng.permutation(30) for frame in frames])
    W, groups, truth = file["Wnoise"][np.ix_(rows, rows)], rows // 30, rows % 30
    result = sl.solve(sp.csr_array(W), groups, solver=tuned(solver, n_inner=5))
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.9
