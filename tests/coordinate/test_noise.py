"""Noise, and what is more than noise."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl


def random_graph(m, degree, seed):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((m, m)) < degree / (m - 1), 1)
    return (half | half.T).astype(float)


@pytest.mark.parametrize(("m", "degree"), [(150, 75), (300, 30), (1000, 15)])
def test_noise_is_called_noise_and_comes_back_as_one(m, degree, seed):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", sl.SphereWarning)
        result = sl.solve(random_graph(m, degree, 100 + seed))
    if result.status != sl.Status.NOISE:  # by chance: then it says that one label is as good
        assert result.alternative == 1
        return
    assert "describe random" in str(said[0].message)
    assert result.n_labels == 1
    assert result.path.joined is not None


def test_noisy_matchings_are_called_noise(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        status = {
            shuffled: sl.solve(
                *sl.datasets.make_partial_matching(
                    20, 20, observed=0.6, shuffled=shuffled, random_state=100 + seed
                )[:2]
            ).status
            for shuffled in (0.5, 1.0)
        }
    assert status == {0.5: sl.Status.DESCRIBED, 1.0: sl.Status.NOISE}


def test_two_groups_are_never_called_noise(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        2, 20, observed=1.0, shuffled=1.0, random_state=seed
    )
    assert sl.solve(W, groups).status == sl.Status.DESCRIBED


def blocks(m, gap, seed):
    """Two communities; two items of one are joined more often than two others, by a gap."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], m // 2)
    chance = 0.035 + np.where(truth[:, None] == truth, gap, -gap) / 2
    half = np.triu(rng.random((m, m)) < chance, 1)
    return (half | half.T).astype(float), truth


@pytest.mark.slow
def test_weak_structure_is_found_although_noise_saves_as_much_elsewhere():
    found = []
    for seed in range(5):
        W, truth = blocks(400, 0.036, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            result = sl.solve(W)
        found.append(result.status == sl.Status.DESCRIBED)
        if found[-1]:
            assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.5
    assert sum(found) >= 4


@pytest.mark.slow
def test_random_graphs_seldom_pass_for_structure():
    passed = 0
    for seed in range(12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            result = sl.solve(random_graph((60, 150, 300)[seed % 3], (5, 15)[seed % 2], 500 + seed))
        passed += result.n_labels > 1 and result.status != sl.Status.NOISE
    assert passed <= 1


@pytest.mark.parametrize("n", [10, 100])
def test_separate_pairs_are_described(n, seed):
    order = np.random.default_rng(seed).permutation(2 * n)
    W = sp.coo_array((np.ones(n), (order[:n], order[n:])), shape=(2 * n, 2 * n))
    result = sl.solve((W + W.T).tocsr())
    assert result.status == sl.Status.DESCRIBED
    np.testing.assert_array_equal(result.labels[order[:n]], result.labels[order[n:]])
    assert result.n_labels == n


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_sparse_random_graphs_seldom_pass_for_structure():
    """Noise has as many items as are seen and, in a sparse graph, others that are not."""
    results = [sl.solve(random_graph(200, 1.3, 900 + seed)) for seed in range(6)]
    assert sum(result.status != sl.Status.NOISE for result in results) <= 1


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("is_scored", [False, True])
def test_random_matches_of_many_groups_are_called_noise(is_scored, seed):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(15), 15)
    may = np.triu(groups[:, None] != groups, 1)
    half = np.where(may & (rng.random(may.shape) < 10 / 225), 1.0, 0.0)
    W = sp.csr_array(half * rng.random(half.shape) if is_scored else half)
    assert sl.solve(W + W.T, groups).status == sl.Status.NOISE


@pytest.mark.parametrize("shuffled", [0.3, 0.5])
def test_matchings_of_few_small_groups_are_more_than_noise(shuffled, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        6, 12, observed=0.9, shuffled=shuffled, random_state=seed
    )
    result = sl.solve(W, groups)
    assert result.status == sl.Status.DESCRIBED
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.5


def test_two_labels_in_three_groups_are_more_than_noise():
    W = np.kron(np.ones((3, 3)) - np.eye(3), np.eye(2))
    result = sl.solve(W, groups=np.repeat([0, 1, 2], 2))
    assert result.status == sl.Status.DESCRIBED
    np.testing.assert_array_equal(result.labels, [0, 1, 0, 1, 0, 1])
