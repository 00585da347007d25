"""Reliability of group pairs: learnt where it differs, left alone where it does not."""

import numpy as np
import scipy.io
import scipy.sparse as sp
from support.twins import dense_similarity

import spherelax as sl
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import walk
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth.reliability import reweigh
from spherelax.problem import Problem


def matching(seed, *, n_groups=10, universe=20, noisy=0.5, shuffled=1.0):
    """Matches of which a share of the group pairs have been shuffled; which ones comes last."""
    rng = np.random.default_rng(seed)
    W, groups, truth = sl.datasets.make_partial_matching(
        n_groups, universe, observed=0.8, shuffled=0.0, random_state=seed
    )
    is_noisy = np.zeros((n_groups, n_groups), dtype=bool)
    for b in range(n_groups):
        for a in np.flatnonzero(rng.random(b) < noisy):
            rows, columns = np.flatnonzero(groups == a), np.flatnonzero(groups == b)
            wrong = np.flatnonzero(rng.random(len(columns)) < shuffled)
            order = np.arange(len(columns))
            order[wrong] = rng.permutation(wrong)
            block = W[np.ix_(rows, columns[order])]
            W[np.ix_(rows, columns)], W[np.ix_(columns, rows)] = block, block.T
            is_noisy[a, b] = is_noisy[b, a] = True
    order = build_graph(Problem.check(W, groups)).given
    W, groups, truth = W[np.ix_(order, order)], groups[order], truth[order]
    graph = build_graph(Problem.check(W, groups))
    np.testing.assert_array_equal(graph.given, np.arange(len(W)))
    names = np.unique(graph.group, return_index=True)[1]
    is_noisy = is_noisy[np.ix_(groups[names], groups[names])]
    return graph, truth.astype(np.int32), is_noisy


def test_matches_of_unreliable_pairs_lose_weight(seed):
    graph, truth, is_noisy = matching(seed)
    again = reweigh(graph, truth)
    W, V = dense_similarity(graph), dense_similarity(again)
    np.testing.assert_array_equal(V, V.T)
    np.testing.assert_array_equal(V > 0, W > 0)
    assert V.max() == 1.0
    i, j = np.nonzero(W)
    ratio, noisy = V[i, j] / W[i, j], is_noisy[graph.groups()[i], graph.groups()[j]]
    assert ratio[noisy].max() < 0.5 * ratio[~noisy].min()
    same = again._replace(values=graph.values, strongest=graph.strongest)
    assert all(array is before for array, before in zip(same, graph, strict=True))


def test_unequal_similarities_are_scaled_by_group_pair(seed):
    graph, truth, _ = matching(seed)
    rng = np.random.default_rng(seed)
    worth = rng.uniform(0.5, 1.0, graph.n_items)
    W = dense_similarity(graph) * np.outer(worth, worth)
    graph = build_graph(Problem.check(W, graph.groups()))
    truth = truth[graph.given]
    W, V = dense_similarity(graph), dense_similarity(reweigh(graph, truth))
    group = graph.groups()
    for a in range(group.max() + 1):
        for b in range(a):
            block = np.ix_(group == a, group == b)
            ratio = V[block][W[block] > 0] / W[block][W[block] > 0]
            np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)


def test_nothing_is_learnt_where_all_agree(seed):
    graph, truth, _ = matching(seed, noisy=0.0)
    assert reweigh(graph, truth) is None
    apart = np.arange(graph.n_items, dtype=np.int32)
    assert reweigh(graph, apart) is None


def test_nothing_is_learnt_from_even_noise(seed):
    rng = np.random.default_rng(seed)
    graph, _, _ = matching(seed, noisy=0.0)
    anyhow = rng.integers(2, size=graph.n_items).astype(np.int32)
    assert reweigh(graph, anyhow) is None


def test_nothing_is_learnt_from_few_matches_or_without_groups(seed):
    few, truth, _ = matching(seed, universe=3)
    assert reweigh(few, truth) is None
    graph, truth, _ = matching(seed)
    free = build_graph(Problem.check(dense_similarity(graph)))
    assert reweigh(free, truth) is None


def test_nothing_is_learnt_from_a_single_pair_of_groups(seed):
    graph, truth, _ = matching(seed, n_groups=2, noisy=1.0)
    assert reweigh(graph, truth) is None
    B = np.random.default_rng(seed).random((5, 5))
    W = np.block([[np.zeros((5, 5)), B], [B.T, np.zeros((5, 5))]])
    labels = sl.solve(W, [0] * 5 + [1] * 5, pick="stability").labels
    assert len(set(labels[:5])) == len(set(labels[5:])) == 5


def test_labels_are_better_for_what_was_learnt(seed):
    graph, truth, _ = matching(seed, n_groups=16, noisy=0.7)
    group = graph.groups()
    model, scores = read_problem(Problem.check(dense_similarity(graph), group)), []
    truth, group = truth[model.graph.given], model.graph.groups()
    for _ in range(2):
        path = walk(model, Route(sl.Coordinate(), n_threads=1)).path()
        labels = path.labels[int(path.savings.argmax())]
        scores.append(sl.metrics.pairwise_scores(truth, labels, group).f_score)
        again = reweigh(model.graph, labels)
        model = model if again is None else model.with_weights(again)
    assert scores[1] > scores[0] + 0.05


def test_real_house(data_home):
    file = scipy.io.loadmat(data_home / "cmu_house" / "house_sync_data.mat")
    frames = np.rint(np.linspace(1, 111, 20)).astype(int) - 1
    rows = np.concatenate([30 * frame + np.arange(30) for frame in frames])
    W, groups, truth = file["Wnoise"][np.ix_(rows, rows)], rows // 30, rows % 30
    result = sl.solve(sp.csr_array(W), groups)
    assert sl.metrics.pairwise_scores(truth, result.labels, groups).f_score >= 0.96
    assert result.n_labels <= 35
