"""The whole of solve: odd but legal input, invariances, determinism, memory, progress.

What every solver must do is tested with every solver.
"""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_info, threadpool_limits

import spherelax as sl
from spherelax._solve import SOLVERS
from spherelax.rebalance import Rebalanced
from spherelax.rounding import renumber
from spherelax.solvers import coordinate, power

SIZES = [7, 4, 1, 6, 2]


@pytest.fixture(params=SOLVERS)
def solver(request):
    return request.param


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
def test_clean_clusters_are_found_exactly(sizes, kappa, n_inner, solver, seed):
    W, truth = clean(sizes, seed)
    result = quiet_solve(W, solver=solver, kappa=kappa, n_inner=n_inner)
    np.testing.assert_array_equal(result.labels, truth)
    assert result.n_labels == len(sizes)
    np.testing.assert_array_equal(result.confidence, 1.0)


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
    result = sl.solve(sp.csr_array(W) if sparse else W, groups, solver=solver, n_inner=5)
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
    [("power", "came to rest at every alpha"), ("coordinate", "looks like noise, or like one")],
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


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=60, deadline=None)
@given(small_problems(), st.sampled_from([0.0, 0.01, 0.5]), st.sampled_from([1, 4]))
def test_small_random_problems(solver, problem, kappa, n_inner):
    W, groups = problem
    m = len(W)
    how = {"solver": solver, "kappa": kappa, "n_inner": n_inner, "alpha_step": 0.05}
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


def test_bit_identical_run_after_run_and_for_any_threads(solver, seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        12, 10, observed=0.7, shuffled=0.2, random_state=seed
    )
    V, _ = sl.datasets.make_binary_similarity(150, 5, rewired=0.2, random_state=seed)
    for args in ((W, groups), (V,), (sp.csr_array(V),)):
        labels = []
        for threads in (1, 2, 2):
            with threadpool_limits(threads):
                result = sl.solve(*args, solver=solver, n_inner=5, n_jobs=threads)
            labels.append(result.labels)
        np.testing.assert_array_equal(labels[0], labels[1])
        np.testing.assert_array_equal(labels[1], labels[2])


def many_items(grouped):
    """So many items that rows are visited in batches: 60 objects, 70 things, some matches wrong."""
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
    monkeypatch.setattr(coordinate, "WORTH_THREADS", 0)
    W, groups, truth = many_items(grouped)
    assert len(truth) >= coordinate.BATCHED_ITEMS
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
    quiet_solve(given, solver="power", max_universe=k, alpha_step=0.25, n_inner=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    rebalanced = given.data.nbytes if sparse else given.nbytes
    blocks = 8 * 2 * max(power.BLOCK_ENTRIES.values()) + (8 << 20)
    assert peak < rebalanced + 2 * power_u + blocks


def test_callback_sees_every_step(solver):
    W, _ = clean()
    seen = []
    result = sl.solve(W, solver=solver, alpha_step=0.1, callback=seen.append)
    n_steps = len(result.path.labels)
    assert [step.index for step in seen] == list(range(n_steps))
    assert len({step.n_steps for step in seen}) == 1
    assert seen[0].n_steps == n_steps if solver == "power" else seen[0].n_steps >= n_steps
    np.testing.assert_array_equal([step.alpha for step in seen], result.path.alphas)
    np.testing.assert_array_equal([step.eta for step in seen], result.path.etas)
    np.testing.assert_array_equal([step.objective for step in seen], result.path.objectives)
    np.testing.assert_array_equal([step.n_labels for step in seen], result.path.n_labels)


def test_nothing_is_printed(capfd, solver):
    sl.solve(clean()[0], solver=solver)
    assert capfd.readouterr() == ("", "")


def test_loose_bound(seed):
    W, groups, _ = sl.datasets.make_partial_matching(
        15, 60, observed=0.5, shuffled=0.3, random_state=seed
    )
    how = {"solver": "power"}
    bound = quiet_solve(W, groups, alpha_step=0.5, n_inner=1, **how).max_universe
    assert 120 <= bound <= len(W)
    assert sl.solve(clean()[0], **how).max_universe == sum(SIZES)
    assert quiet_solve(clean()[0], max_universe=3, **how).max_universe == 3
    assert quiet_solve(clean()[0], max_universe=1000, **how).max_universe == sum(SIZES)


def test_bound_is_limited_by_memory(monkeypatch):
    monkeypatch.setattr(power, "MAX_ENTRIES", 200)
    W, _ = clean()
    with pytest.warns(sl.SphereWarning, match="max_universe was limited to 10, where 20 would"):
        assert sl.solve(W, solver="power").max_universe == 10


def test_results_can_be_pickled(solver):
    result = sl.solve(clean()[0], solver=solver)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.labels, result.labels)
    assert again.at(0.5).n_labels == result.at(0.5).n_labels
    assert (again.embedding() != result.embedding()).sum() == 0


def test_real_house(data_home, solver):
    file = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")
    rng = np.random.default_rng(3)
    frames = np.rint(np.linspace(1, 111, 20)).astype(int) - 1
    rows = np.concatenate([30 * frame + rng.permutation(30) for frame in frames])
    W, groups, truth = file["Wnoise"][np.ix_(rows, rows)], rows // 30, rows % 30
    result = sl.solve(sp.csr_array(W), groups, solver=solver, n_inner=5)
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score > 0.9


def test_threads_only_where_they_pay_and_given_back():
    def blas_threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    large, small = Rebalanced(np.zeros((1000, 1000)), 0.0), Rebalanced(np.zeros((100, 100)), 0.0)
    sparse = Rebalanced(sp.csr_array((1000, 1000)), 0.0)
    assert [power.n_threads(W, 100) for W in (large, small, sparse)] == [None, 1, 1]
    with threadpool_limits(2):
        seen = []
        result = sl.solve(
            clean()[0], solver="power", callback=lambda _: seen.append(set(blas_threads()))
        )
        result.embedding()
        assert seen[0] == {1}
        assert set(blas_threads()) == {2}


STATUS_OF_PICK = {
    "description": {sl.Status.DESCRIBED},
    "eta": {sl.Status.VALLEY, sl.Status.SETTLED},
    "stability": {sl.Status.STABLE},
    1.2: {sl.Status.CHOSEN},
}


@pytest.mark.parametrize("pick", STATUS_OF_PICK)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_pick_finds_clear_structure(pick, missing, solver, seed):
    W, truth = sl.datasets.make_binary_similarity(
        120, 4, rewired=0.2, missing=missing, random_state=seed
    )
    result = sl.solve(W, solver=solver, pick=pick)
    assert result.status in STATUS_OF_PICK[pick]
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.95
    assert (result.path.savings is not None) == (solver == "coordinate" or pick == "description")
    if pick == "description":
        assert result.path.savings[result.index] == result.path.savings.max()


def test_no_pick_is_the_usual_one(solver, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    usual = {"coordinate": "description", "power": "eta"}[solver]
    one, other = (sl.solve(W, solver=solver, pick=pick) for pick in (None, usual))
    assert (one.index, one.status) == (other.index, other.status)


@pytest.mark.parametrize("resolution", [0.05, 1.0, 1.7, 40.0])
def test_a_resolution_of_your_own_is_a_step_of_the_path(resolution, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    result = sl.solve(W, pick=resolution)
    assert result.path.resolutions[result.index] == pytest.approx(resolution, rel=1e-12)
    by_power = sl.solve(W, solver="power", pick=resolution)
    wanted = resolution / (1 + resolution)
    assert by_power.index == by_power.at(wanted).index


def test_interfaces_see_what_no_score_does(seed):
    """Two crescents: every patch of the neighbour graph is a cluster to the others."""
    X, truth = make_moons(600, noise=0.05, random_state=seed)
    W = sl.similarity.nearest_neighbors(X)
    result = sl.solve(W, pick="interfaces", scales=sl.similarity.local_scales(X))
    np.testing.assert_array_equal(result.labels, renumber(truth))
    assert result.status == sl.Status.VALLEYS
    assert sl.solve(W).n_labels > 4


@pytest.mark.parametrize("n_steps", [10, 25])
def test_steps_of_a_matching(n_steps):
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.0, random_state=0)
    assert len(sl.solve(W, groups, n_steps=n_steps).path.labels) == n_steps


@pytest.mark.parametrize("row_entries", [2, 3, 8])
def test_entries_of_a_row(row_entries, seed):
    W, truth = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    result = sl.solve(W, row_entries=row_entries)
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.9
    assert np.diff(result.at(0.6).embedding().indptr).max() <= row_entries


@pytest.mark.parametrize("shown", [0.5, 0.9])
def test_new_items_are_absorbed(shown, seed):
    W, truth = clean([8, 12, 9, 15], seed)
    first = int(shown * len(W))
    start = sl.solve(W[:first, :first])
    result = sl.solve(W, start=start)
    np.testing.assert_array_equal(result.labels, sl.solve(W).labels)
    np.testing.assert_array_equal(result.labels, truth)
    assert result.status == sl.Status.ABSORBED
    assert len(result.path.labels) == 1
    np.testing.assert_array_equal(sl.solve(W, start=result).labels, truth)


def test_new_objects_are_absorbed(seed):
    W, groups, truth = sl.datasets.make_partial_matching(12, 8, shuffled=0.0, random_state=seed)
    known = groups < 9
    start = sl.solve(W[known][:, known], groups[known])
    result = sl.solve(W, groups, start=start)
    np.testing.assert_array_equal(result.labels, sl.solve(W, groups).labels)
    np.testing.assert_array_equal(result.labels, renumber(truth))


def test_new_similarities_are_absorbed(seed):
    """Two clusters turn out to be one."""
    W, truth = clean([10, 10, 10], seed)
    start = sl.solve(W)
    joined = np.where(truth == 2, 1, truth)
    result = sl.solve((joined[:, None] == joined).astype(float), start=start)
    np.testing.assert_array_equal(result.labels, joined)


def test_groups_are_respected_when_absorbing(seed):
    """Four objects turn out to have two items in each cluster: each cluster becomes two."""
    W, truth = clean([8, 8, 8], seed)
    groups = np.empty(len(W), dtype=int)
    groups[np.argsort(truth, kind="stable")] = np.tile(np.repeat(np.arange(4), 2), 3)
    labels = sl.solve(W, groups, start=sl.solve(W)).labels
    assert len(set(zip(groups.tolist(), labels.tolist(), strict=True))) == len(W)
    assert np.bincount(labels).tolist() == [4] * 6
    assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 6


def test_bad_starts():
    W, _ = clean()
    coordinate, by_power = sl.solve(W), sl.solve(W, solver="power")
    for how, message in (
        ({"start": by_power}, "^start must be a Result of the coordinate solver; .* of the power"),
        ({"start": coordinate.labels}, "^start must be a Result .*; found ndarray$"),
        ({"start": coordinate, "solver": "power"}, "^start needs solver='coordinate'"),
    ):
        with pytest.raises(sl.InvalidInputError, match=message):
            sl.solve(W, **how)
    with pytest.raises(sl.InvalidInputError, match=r"^start must not have more items .*, 8; found"):
        sl.solve(W[:8, :8], start=coordinate)


def interrupt_at(step, sweep=0):
    """Return a callback that acts like Ctrl-C after a step of a sweep."""
    sweeps = []

    def callback(seen):
        if seen.index == 0:
            sweeps.append(seen)
        if seen.index == step and len(sweeps) == sweep + 1:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("step", [0, 12])
def test_control_c_leaves_the_best_so_far(step, grouped, solver):
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.1, random_state=0)
    args = (W, groups) if grouped else (W,)
    whole = sl.solve(*args, solver=solver)
    with pytest.warns(sl.SphereWarning, match="interrupted"):
        result = sl.solve(*args, solver=solver, callback=interrupt_at(step))
    assert result.status == sl.Status.INTERRUPTED
    assert not result.path.is_whole
    assert len(result.path.labels) == step + 1
    np.testing.assert_array_equal(result.path.labels, whole.path.labels[: step + 1])
    np.testing.assert_array_equal(result.path.etas, whole.path.etas[: step + 1])
    np.testing.assert_array_equal(result.labels, result.path.labels[result.index])
    if solver == "coordinate":
        assert result.path.savings[result.index] == result.path.savings.max()


def test_control_c_before_the_first_step(solver, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"spherelax.solvers.{solver}.sweep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sl.solve(clean()[0], solver=solver)


def unreliable(n_objects=12, n_things=20, seed=0):
    """Matchings of which two out of three are wrong almost everywhere."""
    rng = np.random.default_rng(seed)
    groups, truth = np.divmod(np.arange(n_objects * n_things), n_things)
    W = np.zeros((len(truth), len(truth)))
    for a in range(n_objects):
        for b in range(a):
            to = np.arange(n_things)
            wrong = rng.random(n_things) < (0.9 if (a + b) % 3 else 0.05)
            to[wrong] = rng.permutation(to[wrong])
            W[n_things * a + np.arange(n_things), n_things * b + to] = 1.0
    return W + W.T, groups, truth


def test_a_second_sweep_makes_use_of_reliability():
    W, groups, _ = unreliable()
    seen = []
    result = sl.solve(W, groups, callback=seen.append)
    n_steps = len(result.path.labels)
    assert [step.index for step in seen] == 2 * list(range(n_steps))


def test_control_c_in_the_second_sweep_leaves_the_best_of_the_first():
    W, groups, _ = unreliable()
    n_steps = len(sl.solve(W, groups).path.labels)
    first = quiet_solve(W, groups, callback=interrupt_at(n_steps - 1))
    second = quiet_solve(W, groups, callback=interrupt_at(0, sweep=1))
    np.testing.assert_array_equal(second.labels, first.labels)
    assert second.status == sl.Status.INTERRUPTED
