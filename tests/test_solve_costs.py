"""Threads and memory of solve; no output; and the same bits in every run."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import SIZES, clean, quiet_solve, tuned
from threadpoolctl import threadpool_info, threadpool_limits

import spherelax as sl
from spherelax.coordinate.graph.graph import LARGE
from spherelax.coordinate.machine import threads
from spherelax.power import sweep as power
from spherelax.power.rebalance import Rebalanced


def test_bit_identical_run_after_run_and_for_any_threads(solver, seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        12, 10, observed=0.7, shuffled=0.2, random_state=seed
    )
    V, _ = sl.datasets.make_binary_similarity(150, 5, rewired=0.2, random_state=seed)
    for args in ((W, groups), (V,), (sp.csr_array(V),)):
        labels = []
        for n_threads in (1, 2, 2):
            with threadpool_limits(n_threads):
                result = sl.solve(*args, solver=tuned(solver, n_inner=5), n_jobs=n_threads)
            labels.append(result.labels)
        np.testing.assert_array_equal(labels[0], labels[1])
        np.testing.assert_array_equal(labels[1], labels[2])


def test_few_large_groups_bit_identical_for_any_jobs(monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    rng = np.random.default_rng(seed)
    thing, source = np.divmod(np.arange(5500), 5)
    one, other = rng.integers(len(thing), size=(2, 12 * len(thing)))
    right = rng.random(len(one)) < 0.7
    other = np.where(right, 5 * thing[one] + other % 5, other)
    keep = source[one] != source[other]
    W = sp.coo_array((np.ones(keep.sum()), (one[keep], other[keep])), shape=(len(thing),) * 2)
    W = sp.csr_array(W.maximum(W.T) > 0)
    results = [sl.solve(W, source, n_jobs=n_jobs) for n_jobs in (1, 2, 3)]
    assert sl.metrics.pairwise_scores(thing, results[0].labels).f_score > 0.95
    assert len(np.unique(np.c_[results[0].labels, source], axis=0)) == len(thing)
    for other in results[1:]:
        np.testing.assert_array_equal(other.labels, results[0].labels)
        np.testing.assert_array_equal(other.path.labels, results[0].path.labels)
        np.testing.assert_array_equal(other.path.etas, results[0].path.etas)


def many_items(grouped):
    """Enough items for rows to be visited in batches: 60 objects, 70 things, some matches wrong."""
    rng = np.random.default_rng(0)
    groups, truth = np.divmod(np.arange(60 * 70), 70)
    n = 8 * len(truth)
    first, other = rng.integers(len(truth), size=n), rng.integers(60, size=n)
    thing = np.where(rng.random(n) < 0.2, rng.integers(70, size=n), truth[first])
    second = 70 * other + thing
    keep = groups[first] != groups[second]
    W = sp.coo_array((np.ones(keep.sum()), (first[keep], second[keep])), shape=(len(truth),) * 2)
    return sp.csr_array(W.maximum(W.T) > 0), groups if grouped else None, truth


@pytest.mark.parametrize("grouped", [False, True])
def test_many_items_bit_identical_for_any_jobs_and_for_dense_input(grouped, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    W, groups, truth = many_items(grouped)
    assert len(truth) >= LARGE
    result = sl.solve(W, groups, n_jobs=1)
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.95
    for similarity, n_jobs in ((W, 2), (W, None), (W.toarray(), 2)):
        other = sl.solve(similarity, groups, n_jobs=n_jobs)
        np.testing.assert_array_equal(other.labels, result.labels)
        np.testing.assert_array_equal(other.confidence, result.confidence)
        np.testing.assert_array_equal(other.path.etas, result.path.etas)


@pytest.mark.parametrize("sparse", [False, True])
def test_memory_of_the_power_solver(sparse):
    m, k = 1500, 300
    rng = np.random.default_rng(0)
    W = rng.random((m, m)) < 0.01
    W = (W | W.T).astype(float)
    given = sp.csr_array(W) if sparse else W
    del W
    tracemalloc.start()
    power_u = 8 * m * k
    quiet_solve(given, solver=sl.Power(max_labels=k, alpha_step=0.25, n_inner=2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    rebalanced = given.data.nbytes if sparse else given.nbytes
    blocks = 8 * 2 * max(power.BLOCK_ENTRIES.values()) + (8 << 20)
    assert peak < rebalanced + 2 * power_u + blocks


def test_nothing_is_printed(capfd, solver):
    sl.solve(clean()[0], solver=solver)
    assert capfd.readouterr() == ("", "")


def test_loose_bound(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        15, 60, observed=0.5, shuffled=0.3, random_state=seed
    )
    bound = quiet_solve(W, groups, solver=sl.Power(alpha_step=0.5, n_inner=1)).path.max_labels
    assert 120 <= bound <= len(W)
    assert sl.solve(clean()[0], solver="power").path.max_labels == sum(SIZES)
    for given, kept in ((3, 3), (1000, sum(SIZES))):
        assert quiet_solve(clean()[0], solver=sl.Power(max_labels=given)).path.max_labels == kept


def test_bound_is_limited_by_memory(monkeypatch):
    monkeypatch.setattr(power, "MAX_ENTRIES", 200)
    W, _ = clean()
    with pytest.warns(sl.SphereWarning, match="max_labels is 10 instead of 20"):
        assert sl.solve(W, solver="power").path.max_labels == 10


def test_results_can_be_pickled(solver):
    result = sl.solve(clean()[0], solver=solver)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.labels, result.labels)
    assert again.at(1.0).n_labels == result.at(1.0).n_labels
    assert (again.embedding() != result.embedding()).sum() == 0


def blas_threads():
    """Threads that BLAS may take at this moment."""
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize(("n_jobs", "taken"), [(1, 1), (2, 2), (3, 3)])
def test_jobs_limit_the_threads_of_blas(n_jobs, taken, monkeypatch):
    monkeypatch.setattr(power, "WORTH_THREADS", 0)
    seen = []
    with threadpool_limits(4):
        result = sl.solve(
            clean()[0],
            solver="power",
            n_jobs=n_jobs,
            callback=lambda _: seen.append(blas_threads()),
        )
        assert blas_threads() == {4}
        result.embedding()
        assert blas_threads() == {4}
    assert seen[0] == {taken}


def test_threads_only_where_they_pay_and_given_back():
    large, small = Rebalanced(np.zeros((1000, 1000)), 0.0), Rebalanced(np.zeros((100, 100)), 0.0)
    sparse = Rebalanced(sp.csr_array((1000, 1000)), 0.0)
    assert [power.worth_threads(W, 100) for W in (large, small, sparse)] == [True, False, False]
    with threadpool_limits(2):
        seen = []
        result = sl.solve(
            clean()[0], solver="power", callback=lambda _: seen.append(blas_threads())
        )
        result.embedding()
        assert seen[0] == {1}
        assert blas_threads() == {2}
