"""Sizes by rank: what trees of halvings say, and what effects of items leave."""

from math import log

import numpy as np
import pytest
from scipy.special import betaln, logsumexp

import spherelax as sl
from spherelax.coordinate.graph.account import UNIT
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.worth.ranks import BINS, SizeRanks, log_effects, log_ratios, log_tree
from spherelax.problem import Problem


def literal_tree(a, b):
    """The mixture over trees of halvings, by recursion."""
    if len(a) == 1:
        return 0.0
    h = len(a) // 2
    a0, a1, b0, b1 = a[:h].sum(), a[h:].sum(), b[:h].sum(), b[h:].sum()
    apart = betaln(a0 + 1, a1 + 1) + betaln(b0 + 1, b1 + 1) - betaln(a0 + b0 + 1, a1 + b1 + 1)
    apart += literal_tree(a[:h], b[:h]) + literal_tree(a[h:], b[h:])
    return np.logaddexp(0.0, apart) - log(2)


@pytest.mark.parametrize("n_bins", [2, 8, 64])
def test_trees_are_mixed_as_the_recursion_says(n_bins, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.poisson(3.0, (2, n_bins)), rng.poisson(rng.random(n_bins) * 9, (2, n_bins))
    expected = [literal_tree(*each) for each in zip(a, b, strict=True)]
    np.testing.assert_allclose(log_tree(a, b), expected)


def test_all_ranks_together_are_as_likely_as_without_labels():
    """The Bayes factor of all ways to give three pairs a bin sums to their number."""
    ways = np.array(np.meshgrid(*[range(4)] * 5)).reshape(5, -1).T
    found = [
        log_tree(np.bincount(bins[:2], minlength=4), np.bincount(bins[2:], minlength=4))
        - log_weight(bins)
        for bins in ways
    ]
    assert logsumexp(found) == pytest.approx(0.0)


def log_weight(bins):
    """Minus the log probability of bins if labels say nothing: any share at each halving."""
    count = np.bincount(bins, minlength=4)
    halves = count[:2].sum(), count[2:].sum()
    return -sum(
        betaln(one + 1, other + 1)
        for one, other in (halves, (count[0], count[1]), (count[2], count[3]))
    )


def test_shares_that_nothing_tells_apart_are_the_same():
    same = np.full(BINS, 40)
    assert np.abs(log_ratios(same, 3 * same)).max() < 0.02
    rising = np.arange(BINS) * 10
    found = log_ratios(rising, rising[::-1])
    assert found[-1] > 2.0
    assert found[0] < -2.0
    np.testing.assert_allclose(found, -found[::-1])


def weighted(seed, spread=0.0, m=60):
    """A complete graph whose weights have an effect of each item."""
    rng = np.random.default_rng(seed)
    effect = spread * rng.normal(size=m)
    z = rng.normal(size=(m, m))
    W = np.exp((z + z.T) / np.sqrt(2.0) + effect[:, None] + effect)
    np.fill_diagonal(W, 0.0)
    return W


def test_ranks_do_not_depend_on_a_rising_function_or_the_order_of_items(seed):
    W = weighted(seed)
    graph = build_graph(Problem.check(W))
    ranks = SizeRanks.of(graph).sort(graph)
    other = build_graph(Problem.check(np.log1p(W) ** 3), given=graph.given)
    found = SizeRanks.of(other).sort(other)
    np.testing.assert_array_equal(found.bins, ranks.bins)
    assert ranks.of_rank.sum(axis=1).tolist() == [60 * 59 / 2] * 2
    assert np.ptp(ranks.of_rank[0]) <= 4


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_effects_of_items_are_found_where_there_are_any(spread, seed):
    graph = build_graph(Problem.check(weighted(seed, spread)))
    ranks = SizeRanks.of(graph)
    assert ranks.by_item == (spread > 0)
    found = ranks.sort(graph)
    assert (log_effects(np.bincount(np.diff(graph.indptr)), found.unexplained) > 0) == (spread > 0)
    if spread:
        rest = found.sizes.reshape(60, 59)
        assert np.abs(rest.mean(axis=1)).max() < 0.05
        assert found.unexplained * UNIT < 0.7 * 60 * 59 / 2


def test_parts_have_the_ranks_of_the_whole(seed):
    W = np.kron(np.eye(2), np.ones((30, 30))) * weighted(seed, 1.0)
    graph = build_graph(Problem.check(W))
    ranks = SizeRanks.of(graph)
    whole = ranks.sort(graph)
    parts = [ranks.sort(graph.among(np.arange(n, n + 30))) for n in (0, 30)]
    np.testing.assert_array_equal(np.concatenate([part.bins for part in parts]), whole.bins)
    np.testing.assert_array_equal(sum(part.of_rank for part in parts), whole.of_rank)
    assert sum(part.unexplained for part in parts) == whole.unexplained


def test_labels_are_found_under_effects_of_items(seed):
    truth = np.repeat(np.arange(4), 25)
    W = weighted(seed, 0.7, 100) * np.exp(1.0 * (truth[:, None] == truth))
    result = sl.solve(W)
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.9


def test_labels_that_sizes_alone_show_are_found(seed):
    """Pairs are listed nearly as often inside labels as outside; but they are larger."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(6), 30)
    same = truth[:, None] == truth
    half = np.triu(rng.random(same.shape) < np.where(same, 0.2, 0.1), 1)
    W = half * np.exp(rng.normal(size=same.shape) + 2.0 * same)
    result = sl.solve(W + W.T, kind="graph")
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.8


def test_one_outlier_is_not_ranked(seed):
    """Nearly all similarities are the same: sizes say nothing, and nothing is divided by 0."""
    truth = np.repeat(np.arange(4), 40)
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((160, 160)) < np.where(truth[:, None] == truth, 0.5, 0.03), 1)
    W = (half | half.T).astype(float)
    expected = sl.solve(W, kind="graph")
    i, j = np.argwhere(W)[0]
    W[i, j] = W[j, i] = 1e6
    result = sl.solve(W, kind="graph")
    np.testing.assert_array_equal(result.labels, expected.labels)
