"""Log odds of pairs: what is taken for a list of candidates, and what labels come of them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats
from sklearn.datasets import make_blobs
from support.lists import entities, matrix, two_sources

import spherelax as sl
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.lists import odds
from spherelax.coordinate.lists.foretelling import find_threshold
from spherelax.coordinate.lists.odds import (
    Scores,
    judge_labels,
    learn_scores,
    log_odds,
    uncompared_sources,
    wedges_of_list,
)
from spherelax.coordinate.sampling.doubt import learn_beliefs
from spherelax.coordinate.sampling.gibbs import Net
from spherelax.coordinate.sampling.missing import count_missing
from spherelax.problem import Problem
from spherelax.result import say_tied


def quiet_solve(*args, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **settings)


def f_of_pairs(pairs, right, labels):
    same = labels[pairs.one] == labels[pairs.other]
    return 2.0 * np.sum(same & right) / (np.sum(same) + np.sum(right))


def test_right_pairs_of_one_score_are_told_of(seed):
    """Scores that say no more than which items are equal show nothing of how many are copies."""
    pairs, right = entities(seed, apart=6.0)
    values = matrix(pairs).data
    usual = sl.solve(matrix(pairs), kind="pairs")
    assert usual._solved.tied() < 0.1
    assert say_tied(usual) is None
    score = np.exp(pairs.score - pairs.score.max())
    equal = np.where(right, values.max(), 0.5 * score)
    found = sl.solve(matrix(pairs, equal), kind="pairs")
    assert found._solved.tied() > 0.9
    assert say_tied(found).endswith("compare more of what is known of the items.")
    two, _ = two_sources(seed)
    assert sl.solve(matrix(two), two.group)._solved.tied() is None


def test_two_sources_beat_single_best_links(seed):
    pairs, right = two_sources(seed, matched=0.5, apart=3.0)
    result = sl.solve(matrix(pairs), pairs.group)
    assert result.status is sl.Status.LIKELIEST
    taken, best = np.zeros(pairs.n_items, dtype=bool), np.zeros(len(right), dtype=bool)
    for e in np.argsort(-pairs.score):
        if not taken[[pairs.one[e], pairs.other[e]]].any():
            taken[[pairs.one[e], pairs.other[e]]] = best[e] = True
    links = 2.0 * np.sum(best & right) / (best.sum() + right.sum())
    assert f_of_pairs(pairs, right, result.labels) > links + 0.05


def test_two_sources_that_nobody_tells_of_are_seen(seed):
    pairs, right = two_sources(seed, matched=0.8, apart=3.0)
    told = sl.solve(matrix(pairs), pairs.group).labels
    untold = sl.solve(matrix(pairs)).labels
    assert f_of_pairs(pairs, right, untold) > f_of_pairs(pairs, right, told) - 0.03


def test_duplicates_in_one_table_are_found_without_groups(seed):
    pairs, right = entities(seed)
    assert f_of_pairs(pairs, right, sl.solve(matrix(pairs)).labels) > 0.9
    result = sl.solve(matrix(pairs), kind="pairs")
    assert result.status is sl.Status.LIKELIEST
    assert f_of_pairs(pairs, right, result.labels) > 0.9


def test_a_dense_matrix_and_a_transitive_list_are_graphs(seed):
    pairs, right = entities(seed, sizes=(4, 5))
    assert quiet_solve(matrix(pairs).toarray()).status is not sl.Status.LIKELIEST
    only_right = pairs._replace(
        one=pairs.one[right], other=pairs.other[right], score=pairs.score[right]
    )
    result = sl.solve(matrix(only_right, np.linspace(0.5, 1.0, right.sum())))
    assert result.status is sl.Status.DESCRIBED
    assert f_of_pairs(only_right, np.ones(right.sum(), bool), result.labels) > 0.99


def test_kind_decides_where_it_is_said(seed):
    pairs, right = entities(seed)
    assert quiet_solve(matrix(pairs), kind="graph").status is not sl.Status.LIKELIEST
    dense = sl.solve(matrix(pairs).toarray(), kind="pairs")
    assert dense.status is sl.Status.LIKELIEST
    assert f_of_pairs(pairs, right, dense.labels) > 0.9
    with pytest.raises(
        sl.InvalidInputError,
        match="kind must be one of graph, neighbors, pairs, odds, information; found",
    ):
        sl.solve(matrix(pairs), kind="scores")


def test_contradictions_between_sources_teach_more_than_scores(seed):
    rng = np.random.default_rng(seed)
    W, sources, truth = sl.datasets.make_partial_matching(
        6, 30, observed=0.8, shuffled=0.2, random_state=seed
    )
    is_right = truth[:, None] == truth
    scores = np.triu(rng.uniform(0.4, 0.8, W.shape) + 0.1 * is_right, 1)  # they overlap
    found = sl.solve(sp.csr_array(W * (scores + scores.T)), sources, kind="pairs")
    assert found.kind == "pairs"
    assert sl.metrics.pairwise_scores(truth, found.labels, groups=sources).f_score > 0.9


def test_log_odds_speak_for_and_against():
    """Two triangles, joined by a strong pair; that against it is stronger, so they stay apart."""
    W = np.kron(np.eye(2), np.full((3, 3), 2.0))
    W[2, 3] = W[3, 2] = 3.0
    assert sl.solve(W, kind="odds").n_labels == 1
    W[0, 5] = W[5, 0] = -4.0
    assert sl.solve(W, kind="odds").labels.tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(sl.InvalidInputError, match="kind='odds' is for log odds"):
        sl.solve(W)
    with pytest.raises(sl.InvalidInputError, match="kind='odds' needs solver='coordinate'"):
        sl.solve(W, kind="odds", solver="power")


def test_log_odds_that_cancel_are_no_trouble(seed):
    """Equal odds for and against sum to exactly 0 again and again."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.choice([-2.0, 0.0, 2.0], size=(60, 60)), 1)
    labels = sl.solve(W + W.T, kind="odds").labels
    gain = np.where(labels[:, None] == labels, W + W.T, 0.0).sum() / 2.0
    for item in range(60):
        for label in range(labels.max() + 1):
            moved = labels.copy()
            moved[item] = label
            other = np.where(moved[:, None] == moved, W + W.T, 0.0).sum() / 2.0
            assert other <= gain + 0.1


def test_pairs_are_joined_if_that_raises_the_expected_f(seed):
    right = np.random.default_rng(seed).beta(0.5, 0.5, 200)
    expected = [
        2.0 * right[right >= level].sum() / (np.sum(right >= level) + right.sum())
        for level in right
    ]
    best = right[int(np.argmax(expected))]
    threshold = find_threshold(right)
    assert right[right < best].max() < threshold <= best
    graph = build_graph(Problem.check([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    right = np.array([0.9, 0.2, 0.9, 0.2])
    odds = log_odds(graph, right, Scores.of(None, graph, right))
    assert (np.sign(odds.values) == [1, -1, 1, -1]).all()


def test_sureness_ranks_wrong_items(seed):
    pairs, _ = entities(seed, apart=2.0)
    W = matrix(pairs)
    result = sl.solve(W)
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(300), rng.choice((1, 2, 3), 300))
    same = result.labels[:, None] == result.labels
    wrong = (same != (truth[:, None] == truth)).any(axis=1)
    assert 0.05 < wrong.mean() < 0.6
    ranks = scipy.stats.mannwhitneyu(result.confidence[~wrong], result.confidence[wrong])
    assert ranks.statistic / wrong.sum() / (~wrong).sum() > 0.65


def test_probabilities_of_both_directions_are_equal(seed):
    pairs, _ = entities(seed)
    graph = build_graph(Problem.check(matrix(pairs)))
    _, judged = learn_scores(graph, "pairs", wedges_of_list(graph, "pairs"))
    P = sp.csr_array((judged.right, graph.indices, graph.indptr))
    assert abs(P - P.T).max() == 0.0
    alone = judge_labels(graph, judged, np.arange(graph.n_items, dtype=np.int32))
    assert (alone.item >= 0.0).all()
    np.testing.assert_array_equal(alone.pure, 1.0)
    np.testing.assert_array_equal(alone.whole, alone.item)


def test_new_items_are_judged_like_the_old_ones(seed):
    """A list grows by items of old entities; they join them by scores that are worth the same."""
    pairs, _ = entities(seed, sizes=(3,))
    W = matrix(pairs)
    old = np.arange(pairs.n_items) % 3 < 2
    order = np.r_[np.flatnonzero(old), np.flatnonzero(~old)]
    everyone = W[order][:, order]
    first = sl.solve(everyone[: old.sum()][:, : old.sum()])
    grown = first.extend(everyone)
    truth = (np.arange(pairs.n_items) // 3)[order]
    alone = np.arange(len(truth))
    alone[: old.sum()] = first.labels
    before = sl.metrics.pairwise_scores(truth, alone).f_score
    assert sl.metrics.pairwise_scores(truth, grown.labels).f_score > before + 0.15


def test_pairs_that_were_never_compared_are_not_absent(seed):
    """Entities of three sources, one with two copies: all compared pairs are listed, and others."""
    rng = np.random.default_rng(seed)
    labels, sources = np.repeat(np.arange(30), 4), np.tile([0, 1, 2, 2], 30)
    W = np.triu((labels[:, None] == labels) | (rng.random((120, 120)) < 0.02), 1)
    W = (W & (sources[:, None] != sources)).astype(float)
    problem = Problem.check(W + W.T, groups=np.where(sources < 2, sources, 2 + np.arange(120)))
    graph = build_graph(problem)
    labels, sources = labels[graph.given], sources[graph.given]
    W = W[np.ix_(graph.given, graph.given)]
    W = np.triu(W + W.T, 1)
    source, right = uncompared_sources(graph, sources), np.full(len(graph.values), 0.5)
    np.testing.assert_array_equal(source, sources)
    every = np.triu(sources[:, None] != sources, 1)
    inside = every & (labels[:, None] == labels)
    n_inside, n_outside = inside.sum(), (every & ~inside).sum()
    n_listed_outside = np.sum(W[every & ~inside])
    found = learn_beliefs(graph, labels, right, source)
    share = (n_outside - n_listed_outside + 0.5) / (n_outside + 1)
    assert found.absent == pytest.approx(np.log(share * (n_inside + 1) / 0.5))
    compared = learn_beliefs(graph, labels, right, np.full(120, -1, np.int32))
    untold = learn_beliefs(graph, labels, right)
    assert compared.absent == untold.absent < found.absent
    assert found.join == compared.join == untold.join == 0.0  # no item is alone
    nets = (Net.of_graph(graph, which) for which in (source, None))
    told, plain = (count_missing(net, labels).pair for net in nets)
    assert told < 0.02
    assert plain > 0.1


def chained_matches(seed, n_entities=80, size=6):
    """A list of mostly right pairs, and wrong ones with low scores that chain the entities."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_entities), size)
    one, other = np.triu_indices(len(truth), 1)
    right = truth[one] == truth[other]
    listed = np.where(right, rng.random(len(one)) < 0.9, rng.random(len(one)) < 0.0015)
    one, other, right = one[listed], other[listed], right[listed]
    score = np.where(right, rng.beta(6, 1, len(one)), rng.beta(1, 3, len(one)))
    half = sp.coo_array((score, (one, other)), shape=(len(truth),) * 2)
    return sp.csr_array(half + half.T), truth


def test_scores_of_a_list_of_mostly_right_pairs_are_learnt_without_groups(seed):
    W, truth = chained_matches(seed)
    assert sl.metrics.pairwise_scores(truth, sl.solve(W).labels).f_score > 0.97
    P = sl.solve(W, kind="pairs").listed_probability().tocoo()
    right = truth[P.row] == truth[P.col]
    assert P.data[right].mean() > 0.9
    assert P.data[~right].mean() < 0.3


def test_a_graph_of_neighbours_is_no_list_of_candidates(seed):
    X, truth = make_blobs(300, 6, centers=4, cluster_std=1.5, random_state=seed)
    near = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 15]
    D = np.linalg.norm(X[:, None] - X, axis=2)
    W = np.where((near[:, None] >= D) | (near >= D), 1.0 / (1.0 + D), 0.0) * (1.0 - np.eye(300))
    result = sl.solve(sp.csr_array(W))
    assert result.status is sl.Status.DESCRIBED
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.8


@pytest.mark.parametrize("kind", [None, "pairs"])
@pytest.mark.parametrize("has_groups", [False, True])
def test_pairs_that_nothing_contradicts_are_joined(kind, has_groups, seed):
    score = np.random.default_rng(seed).uniform(0.5, 1.0, 150)
    half = sp.coo_array((score, (np.arange(150), np.arange(150, 300))), shape=(300, 300))
    groups = np.repeat([0, 1], 150) if has_groups else None
    result = quiet_solve(sp.csr_array(half + half.T), groups, kind=kind)
    np.testing.assert_array_equal(result.labels[:150], result.labels[150:])
    assert result.n_labels == 150


def test_new_pairs_of_a_believed_model_are_believed_too():
    p = np.array([0.9, 0.2, 0.7])
    half = sp.coo_array((-np.log1p(-p), ([0, 2, 4], [1, 3, 5])), shape=(6, 6))
    W = sp.csr_array(half + half.T)
    before = sl.solve(W[:4, :4], kind="information")
    after = before.extend(W)
    np.testing.assert_array_equal(after.labels, [0, 0, 1, 2, 3, 3])
    np.testing.assert_allclose(after.listed_probability().data[[0, 2, 4]], p, atol=1e-6)


def test_entities_are_not_learnt_where_two_sources_are_joined(monkeypatch):
    """What labels foretell is learnt only if its answer can be used."""
    pairs, _ = two_sources(0)
    expected = quiet_solve(matrix(pairs), kind="pairs").labels
    monkeypatch.delattr(odds, "learn_foretold")
    np.testing.assert_array_equal(quiet_solve(matrix(pairs), kind="pairs").labels, expected)
