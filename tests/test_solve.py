"""The whole of solve: odd but legal input, invariances, determinism, memory, progress."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import spherelax as sl
from spherelax.rebalance import Rebalanced
from spherelax.rounding import renumber
from spherelax.solvers import power

SIZES = [7, 4, 1, 6, 2]


def clean(sizes=SIZES, seed=0):
    """Complete clusters of different sizes in random order."""
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return (labels[:, None] == labels).astype(float), renumber(labels)


def quiet_solve(*args, **kwargs):
    """Solve without the warning that odd outcomes give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **kwargs)


@pytest.mark.parametrize("kappa", [0.0, 0.01])
@pytest.mark.parametrize("n_inner", [5, 20])
@pytest.mark.parametrize("sizes", [SIZES, [5, 5, 5], [40, 3, 2], [2, 2], list(range(1, 9))])
def test_clean_clusters_are_found_exactly(sizes, kappa, n_inner, seed):
    W, truth = clean(sizes, seed)
    result = sl.solve(W, kappa=kappa, n_inner=n_inner)
    np.testing.assert_array_equal(result.labels, truth)
    assert result.n_labels == len(sizes)
    np.testing.assert_array_equal(result.confidence, 1.0)


def test_clean_matchings_are_found_exactly(seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        8, 6, observed=0.6, shuffled=0.0, random_state=seed
    )
    np.testing.assert_array_equal(sl.solve(W, groups).labels, renumber(truth))


@pytest.mark.parametrize("sparse", [False, True])
def test_noisy_problems_beat_their_input(sparse, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.5, random_state=100 + seed
    )
    result = sl.solve(sp.csr_array(W) if sparse else W, groups, n_inner=5)
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.95


def test_zero_diagonal():
    W, truth = clean()
    np.fill_diagonal(W, 0.0)
    np.testing.assert_array_equal(sl.solve(W).labels, truth)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("diagonal", [0.0, 1.0])
def test_items_similar_to_nothing_change_nothing_else(sparse, diagonal, seed):
    W, labels = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    n = 75
    padded = np.zeros((n, n))
    place = np.sort(np.random.default_rng(seed).choice(n, 60, replace=False))
    alone = np.setdiff1d(np.arange(n), place)
    padded[np.ix_(place, place)] = W
    padded[alone, alone] = diagonal
    result = sl.solve(sp.csr_array(padded) if sparse else padded)
    assert len(set(result.labels[alone]) & set(result.labels[place])) == 0
    assert len(set(result.labels[alone])) == len(alone)
    np.testing.assert_array_equal(result.confidence[alone], 1.0)
    assert sl.metrics.pairwise_scores(labels, result.labels[place]).f_score > 0.9
    if diagonal == 0.0:
        np.testing.assert_array_equal(renumber(result.labels[place]), sl.solve(W).labels)


@pytest.mark.parametrize("W", [np.zeros((4, 4)), np.eye(4), sp.csr_array((4, 4)), 7 * np.eye(4)])
def test_everything_isolated(W):
    with pytest.warns(sl.SphereWarning, match="No item is similar to any other"):
        result = sl.solve(W, ["a", "a", "b", "b"])
    np.testing.assert_array_equal(result.labels, np.arange(4))
    np.testing.assert_array_equal(result.confidence, 1.0)
    assert result.status == sl.Status.ISOLATED


def test_all_equal_similarities_are_one_cluster():
    with pytest.warns(sl.SphereWarning, match="came to rest at every alpha"):
        result = sl.solve(np.full((9, 9), 0.3))
    assert result.n_labels == 1


def test_two_items():
    assert quiet_solve([[0, 1], [1, 0]]).n_labels == 1
    assert quiet_solve([[1, 0], [0, 1]]).n_labels == 2


def test_several_components_with_noise(seed):
    parts = [
        sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=10 * seed + i)
        for i in range(2)
    ]
    W = sp.block_diag([sp.csr_array(part[0]) for part in parts], format="csr")
    truth = np.r_[parts[0][1], 3 + parts[1][1]]
    assert sl.metrics.pairwise_scores(truth, sl.solve(W).labels).f_score > 0.97


def test_duplicated_items_share_a_label(seed):
    W, _ = sl.datasets.make_binary_similarity(50, 3, rewired=0.2, random_state=seed)
    twice = np.kron(W, np.ones((2, 2)))
    labels = sl.solve(twice).labels
    np.testing.assert_array_equal(labels[::2], labels[1::2])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scale_does_not_matter(scale, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    np.testing.assert_array_equal(sl.solve(scale * W).labels, sl.solve(W).labels)


def test_one_group_means_one_label_each():
    W, truth = clean()
    labels = sl.solve(W, ["same"] * len(W)).labels
    np.testing.assert_array_equal(labels, np.arange(len(truth)))


def test_groups_of_one_item_are_no_constraint(seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    np.testing.assert_array_equal(sl.solve(W, range(60)).labels, sl.solve(W).labels)


def test_groups_in_any_order_and_of_any_name(seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        10, 8, observed=0.7, shuffled=0.3, random_state=seed
    )
    order = np.random.default_rng(seed).permutation(len(W))
    names = [("image", int(g)) for g in groups[order]]
    labels = sl.solve(W[np.ix_(order, order)], names).labels
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


@settings(max_examples=60, deadline=None)
@given(small_problems(), st.sampled_from([0.0, 0.01, 0.5]), st.sampled_from([1, 4]))
def test_small_random_problems(problem, kappa, n_inner):
    W, groups = problem
    result = quiet_solve(W, groups, kappa=kappa, n_inner=n_inner, alpha_step=0.05)
    m = len(W)
    assert result.path.labels.shape == (20, m)
    for labels in result.path.labels:
        np.testing.assert_array_equal(labels, renumber(labels))
        if groups is not None:
            assert len(set(zip(groups, labels.tolist(), strict=True))) == m
    assert np.all(np.isfinite(result.path.etas))
    assert np.all((result.confidence >= 0) & (result.confidence <= 1))
    isolated = (W - np.diag(np.diag(W))).sum(axis=1) == 0
    sizes = np.bincount(result.labels)
    assert np.all(sizes[result.labels[isolated]] == 1)
    sparse = quiet_solve(sp.csr_array(W), groups, kappa=kappa, n_inner=n_inner, alpha_step=0.05)
    np.testing.assert_array_equal(sparse.labels, result.labels)
    U = result.embedding()
    norms = np.linalg.norm(U, axis=1)
    present = W.any(axis=1) if W.any() else np.ones(m, dtype=bool)
    np.testing.assert_allclose(norms, present, atol=1e-12)


def test_bit_identical_run_after_run_and_for_any_threads(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        12, 10, observed=0.7, shuffled=0.2, random_state=seed
    )
    V, _ = sl.datasets.make_binary_similarity(150, 5, rewired=0.2, random_state=seed)
    for args in ((W, groups), (V,), (sp.csr_array(V),)):
        labels = []
        for threads in (1, 2, 2):
            with threadpool_limits(threads):
                labels.append(sl.solve(*args, n_inner=5).labels)
        np.testing.assert_array_equal(labels[0], labels[1])
        np.testing.assert_array_equal(labels[1], labels[2])


@pytest.mark.parametrize("sparse", [False, True])
def test_memory(sparse):
    m, k = 1500, 300
    rng = np.random.default_rng(0)
    W = rng.random((m, m)) < 0.01
    W = (W | W.T).astype(float)
    given = sp.csr_array(W) if sparse else W
    del W
    tracemalloc.start()
    power_u = 8 * m * k
    quiet_solve(given, max_universe=k, alpha_step=0.25, n_inner=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    rebalanced = given.data.nbytes if sparse else given.nbytes
    blocks = 8 * 2 * max(power.BLOCK_ENTRIES.values()) + (8 << 20)
    assert peak < rebalanced + 2 * power_u + blocks


def test_callback_sees_every_step():
    W, _ = clean()
    seen = []
    result = sl.solve(W, alpha_step=0.1, callback=seen.append)
    assert [step.index for step in seen] == list(range(10))
    assert {step.n_steps for step in seen} == {10}
    np.testing.assert_array_equal([step.alpha for step in seen], result.path.alphas)
    np.testing.assert_array_equal([step.eta for step in seen], result.path.etas)
    np.testing.assert_array_equal([step.objective for step in seen], result.path.objectives)
    np.testing.assert_array_equal([step.n_labels for step in seen], result.path.n_labels)


def test_nothing_is_printed(capfd):
    sl.solve(clean()[0])
    assert capfd.readouterr() == ("", "")


def test_loose_bound(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        15, 60, observed=0.5, shuffled=0.3, random_state=seed
    )
    bound = quiet_solve(W, groups, alpha_step=0.5, n_inner=1).max_universe
    assert 120 <= bound <= len(W)
    assert sl.solve(clean()[0]).max_universe == sum(SIZES)
    assert quiet_solve(clean()[0], max_universe=3).max_universe == 3
    assert quiet_solve(clean()[0], max_universe=1000).max_universe == sum(SIZES)


def test_bound_is_limited_by_memory(monkeypatch):
    monkeypatch.setattr(power, "MAX_ENTRIES", 200)
    W, _ = clean()
    with pytest.warns(sl.SphereWarning, match="max_universe was limited to 10, where 20 would"):
        assert sl.solve(W).max_universe == 10


def test_results_can_be_pickled():
    result = sl.solve(clean()[0])
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.labels, result.labels)
    assert again.at(0.5).n_labels == result.at(0.5).n_labels


def test_real_house(data_home):
    file = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")
    rng = np.random.default_rng(3)
    frames = np.rint(np.linspace(1, 111, 20)).astype(int) - 1
    rows = np.concatenate([30 * frame + rng.permutation(30) for frame in frames])
    W, groups, truth = file["Wnoise"][np.ix_(rows, rows)], rows // 30, rows % 30
    result = sl.solve(sp.csr_array(W), groups, max_universe=100, n_inner=5, kappa=0.01)
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.9


def test_threads_only_where_they_pay_and_given_back():
    def blas_threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    large, small = Rebalanced(np.zeros((1000, 1000)), 0.0), Rebalanced(np.zeros((100, 100)), 0.0)
    sparse = Rebalanced(sp.csr_array((1000, 1000)), 0.0)
    assert [power.n_threads(W, 100) for W in (large, small, sparse)] == [None, 1, 1]
    with threadpool_limits(2):
        seen = []
        result = sl.solve(clean()[0], callback=lambda _: seen.append(set(blas_threads())))
        result.embedding()
        assert seen[0] == {1}
        assert set(blas_threads()) == {2}
