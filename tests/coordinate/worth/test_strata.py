"""Similarities without groups: only their order counts, and it is described."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.coordinate.graph import graph as graph_module
from spherelax.coordinate.graph.graph import background, build_graph
from spherelax.coordinate.model import Model
from spherelax.coordinate.worth.evidence import surprise_worth
from spherelax.coordinate.worth.strata import MAX_STRATA, PAIRS_A_STRATUM, Strata, strata_saving
from spherelax.problem import Problem


def planted(seed, m=240, k=6, near=0.3, far=0.02):
    """A graph of communities, as a dense matrix of 0 and 1, and their labels."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), m // k)
    joined = np.triu(rng.random((m, m)) < np.where(truth[:, None] == truth, near, far), 1)
    return (joined | joined.T).astype(float), truth


def symmetric(W):
    return np.triu(W, 1) + np.triu(W, 1).T


def sized(seed, spread=1.0, apart=0.0):
    """The same with sizes of any order of magnitude, larger inside communities by ``apart``."""
    W, truth = planted(seed)
    z = np.random.default_rng(seed).normal(size=W.shape)
    return W * symmetric(np.exp(spread * z + apart * (truth[:, None] == truth))), truth


def compared(seed, apart=1.0, m=120, k=4):
    """Every pair has a similarity, and those of one cluster are larger, with much noise."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), m // k)
    z = rng.normal(size=(m, m)) + apart * (truth[:, None] == truth)
    return symmetric(1.0 / (1.0 + np.exp(-z))), truth


def f_score(truth, labels):
    return sl.metrics.pairwise_scores(truth, labels).f_score


@pytest.mark.parametrize("size", [20.0, 1e3, 1e6])
def test_one_outlier_changes_nothing(size, seed):
    W, _ = planted(seed)
    i, j = np.argwhere(W)[seed]
    outlying = W.copy()
    outlying[i, j] = outlying[j, i] = size
    labels = sl.solve(W).labels
    np.testing.assert_array_equal(sl.solve(outlying).labels, labels)
    np.testing.assert_array_equal(sl.solve(sp.csr_array(outlying), kind="graph").labels, labels)


@pytest.mark.parametrize("problem", [sized, compared])
def test_any_rising_function_gives_the_same_labels(problem, seed):
    W, truth = problem(seed)
    expected = sl.solve(W)
    assert f_score(truth, expected.labels) > 0.95
    for rising in (W**3, np.sqrt(W), np.expm1(2.0 * W / W.max()), 1e-12 * W):
        found = sl.solve(rising)
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.path.resolutions, expected.path.resolutions)


def test_a_similarity_that_all_pairs_have_changes_nothing(seed):
    W, _ = compared(seed)
    labels = sl.solve(W).labels
    np.testing.assert_array_equal(sl.solve(W + 5.0 - 5.0 * np.eye(len(W))).labels, labels)


def test_sizes_that_say_nothing_do_no_harm(seed):
    W, truth = sized(seed, spread=2.0)
    result = sl.solve(W)
    assert f_score(truth, result.labels) > 0.98
    assert result.status is sl.Status.DESCRIBED


def test_sizes_are_all_there_is_between_compared_items(seed):
    W, truth = compared(seed, apart=0.9)
    result = sl.solve(W)
    assert f_score(truth, result.labels) > 0.9
    assert result.status is sl.Status.DESCRIBED
    noise, _ = compared(seed, apart=0.0)
    with pytest.warns(sl.SphereWarning):
        assert sl.solve(noise).status is sl.Status.NOISE


def test_hubs_of_compared_items_are_corrected_for(seed):
    """Some items are more similar to all others, as long texts are."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(4), 40)
    level = rng.normal(size=160)
    z = rng.normal(size=(160, 160)) + 2.0 * (truth[:, None] == truth) + np.add.outer(level, level)
    assert f_score(truth, sl.solve(symmetric(np.exp(z))).labels) > 0.9


def test_coarser_labels_can_be_had_down_to_one(seed):
    W, _ = compared(seed)
    assert sl.solve(W).with_n_labels(1).n_labels == 1


def test_strata_save_what_a_table_of_shares_saves(seed):
    rng = np.random.default_rng(seed)
    n_pairs = np.array([40.0, 60.0, 100.0])
    inside = np.array([4.0, 15.0, 70.0])
    share, overall = inside / n_pairs, inside.sum() / n_pairs.sum()
    gained = inside * np.log(share / overall)
    gained += (n_pairs - inside) * np.log((1 - share) / (1 - overall))
    assert strata_saving(n_pairs, inside) == pytest.approx(gained.sum() - np.log(200.0))
    assert strata_saving(n_pairs, inside[::-1] / n_pairs[::-1] * n_pairs) == pytest.approx(0.0)
    assert strata_saving(n_pairs, n_pairs) == strata_saving(n_pairs, 0.0 * n_pairs) == 0.0
    noise = rng.binomial(100, 0.3, size=8).astype(float)
    assert strata_saving(np.full(8, 100.0), noise) < 3.0


def test_pairs_inside_labels_are_counted(seed):
    W, truth = sized(seed)
    graph = build_graph(Problem.check(W))
    strata = Strata.of(graph, floor=0.0)
    assert strata.n_pairs.sum() == np.count_nonzero(W) / 2
    assert strata.n_pairs.min() >= PAIRS_A_STRATUM - 1
    labels = truth[graph.given].astype(np.int32)
    by_stratum, by_label = strata.inside(graph, labels)
    same = truth[:, None] == truth
    assert by_stratum.sum() == by_label.sum() == np.count_nonzero(W * same) / 2
    np.testing.assert_array_equal(
        by_label, [np.count_nonzero(W[truth == k][:, truth == k]) / 2 for k in range(6)]
    )
    order = np.argsort(graph.values)
    assert (np.diff(strata.of_entry[order].astype(int)) >= 0).all()


def test_surprise_counts_the_pairs_that_are_as_similar(seed):
    W, _ = compared(seed, m=20)
    graph = build_graph(Problem.check(W))
    W = W[np.ix_(graph.given, graph.given)]
    every = W[np.triu_indices(20, 1)]
    at_least = [np.sum(every > v) + 0.5 for v in W[0, 1:]]
    surprise = -np.log(np.array(at_least) / len(every))
    found = surprise_worth(graph).apply(graph).values[:19]
    np.testing.assert_allclose(found / found[0], surprise / surprise[0], rtol=1e-5)


def test_background_is_what_half_of_the_pairs_have_at_most(seed):
    W, _ = compared(seed, m=40)
    floor = background(build_graph(Problem.check(W))) * W.max()
    share = np.mean(W[np.triu_indices(40, 1)] > floor * (1 + 1e-6))
    assert abs(share - 0.5) < 0.01
    sparse, _ = sized(seed)
    assert background(build_graph(Problem.check(sparse))) == 0.0
    assert background(build_graph(Problem.check(np.ones((9, 9)) + 3.0 * np.eye(9)[::-1]))) == 0.0


def test_what_is_described_stays_while_the_problem_grows(seed):
    W, truth = compared(seed, m=160)
    old = np.arange(160) % 8 > 0
    before = sl.solve(W[np.ix_(old, old)])
    order = np.r_[np.flatnonzero(old), np.flatnonzero(~old)]
    after = before.extend(W[np.ix_(order, order)])
    assert f_score(truth[order], after.labels) > 0.9
    assert isinstance(after._solved.model, Model)
    assert after._solved.model.reading is before._solved.model.reading
    assert after._solved.model.reading.floor > 0.0


def test_blocks_change_nothing(monkeypatch, seed):
    W, _ = sized(seed)
    graph = build_graph(Problem.check(W))
    floor = float(np.quantile(graph.values, 0.2))

    def found():
        worth, strata = surprise_worth(graph), Strata.of(graph, floor)
        return [*worth[:2], worth.apply(graph).values, *strata]

    whole = found()
    monkeypatch.setattr(graph_module, "BLOCK_ENTRIES", 37)
    for one, other in zip(whole, found(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("n_pairs", "n_strata"),
    [
        (1.5 * PAIRS_A_STRATUM, 2),
        (5 * PAIRS_A_STRATUM, 5),
        (5.9 * PAIRS_A_STRATUM, 5),
        (1.5 * MAX_STRATA * PAIRS_A_STRATUM, MAX_STRATA),
    ],
)
def test_there_are_as_many_strata_as_pairs_fill(n_pairs, n_strata):
    n_pairs = int(n_pairs)
    m = 2 + int(np.sqrt(2.0 * n_pairs))
    W = np.zeros((m, m))
    one, other = np.triu_indices(m, 1)
    W[one[:n_pairs], other[:n_pairs]] = np.arange(1.0, n_pairs + 1.0)
    graph = build_graph(Problem.check(W + W.T))
    assert len(Strata.of(graph, floor=0.0).n_pairs) == n_strata


def test_similarities_at_the_floor_are_not_described():
    W = np.kron([[0, 1, 5], [1, 0, 5], [5, 5, 0]], np.ones((9, 9)))
    graph = build_graph(Problem.check(W))
    lowest = float(graph.values.min())
    assert Strata.of(graph, floor=lowest).n_pairs.sum() == 162.0
    assert Strata.of(graph, floor=0.9 * lowest).n_pairs.sum() == 243.0
