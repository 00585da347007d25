"""Sums over labels and items, in whole units."""

import numpy as np
import pytest
from support.graphs import weak_clusters

from spherelax.coordinate.graph.account import OCTAVE, UNIT, Account, Totals, sum_units
from spherelax.coordinate.graph.graph import blocks, build_graph
from spherelax.problem import Problem


def account(n):
    """An account, all of whose numbers are different."""
    return Account(np.arange(n), 1.0 * n, 2 * n, np.array([6.0 * n]), np.array([7.0 * n]))


def test_accounts_are_added_number_by_number():
    both = account(2).plus(account(5))
    assert both.of_size.tolist() == [0, 2, 2, 3, 4]
    assert (both.pairs, both.similarity, *both.strata, *both.crossings) == (7.0, 14, 42.0, 49.0)


def test_whole_sums_are_exact_and_do_not_depend_on_the_order(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(-(2**45), 2**45, 1000) * UNIT
    exact = int(np.rint(values / UNIT).astype(np.int64).sum())
    assert sum_units(values) == sum_units(rng.permutation(values)) == exact
    assert sum_units(np.array([])) == 0


def test_whole_sums_add_all_blocks(monkeypatch):
    n = 2 * max(block.stop for block in blocks(3)) + 1
    monkeypatch.setattr(
        "spherelax.coordinate.graph.account.blocks", lambda _: [slice(0, 2), slice(2, n)]
    )
    assert sum_units(np.full(n, 1.5)) * UNIT == 1.5 * n


@pytest.mark.parametrize("grouped", [False, True])
def test_totals_are_those_of_the_graph(grouped, seed):
    graph = weak_clusters(np.random.default_rng(seed), grouped=grouped, by_degree=not grouped)
    totals = Totals.of(graph, is_corrected=not grouped)
    assert totals.n_present == np.count_nonzero(np.diff(graph.indptr))
    assert totals.n_pairs == pytest.approx(graph.n_pairs())
    assert totals.total == pytest.approx(graph.values.astype(float).sum() / 2)
    assert totals.n_groups == graph.n_groups()
    assert totals.strongest == graph.values.max()
    assert (len(totals.of_ratio) > 0) == (not grouped)
    degrees = np.bincount(np.diff(graph.indptr))
    assert totals.of_degree.tolist() == ([] if grouped else degrees.tolist())


def test_items_of_no_shared_group_are_alone():
    graph = weak_clusters(np.random.default_rng(0), grouped=True, by_degree=False)
    shared = np.where(graph.group == 0, 0, -1).astype(np.int32)
    totals = Totals.of(graph, False, shared)
    alone = graph.weight[graph.group != 0].astype(float)
    assert totals.n_alone == len(alone)
    assert totals.squares == pytest.approx(np.square(alone).sum())
    assert totals.of_group.tolist() == [graph.weight[graph.group == 0].sum()]
    assert totals.n_groups == 1 + len(alone)
    weight = graph.weight.astype(float)
    inside = totals.of_group[0] ** 2 + np.square(alone).sum()
    assert totals.n_pairs == pytest.approx(0.5 * (weight.sum() ** 2 - inside))


def test_groups_without_a_similar_item_do_not_count():
    W = np.kron(np.eye(4), np.ones((2, 2)))
    W[-2:] = W[:, -2:] = 0.0
    graph = build_graph(Problem.check(W, ["a", "b", "a", "b", "a", "b", "c", "c"]))
    totals = Totals.of(graph, False)
    assert totals.n_groups == graph.n_groups() == 2
    apart = Totals.of(graph, False, np.full(8, -1, dtype=np.int32))
    assert (apart.n_alone, apart.n_groups) == (6, 6)


def test_log_odds_below_even_do_not_count():
    graph = weak_clusters(np.random.default_rng(0), grouped=False, by_degree=False)
    values = graph.values - np.float32(0.5)
    totals = Totals.of(graph.with_values(values), False)
    assert totals.total == pytest.approx(np.maximum(values, 0).astype(float).sum() / 2)


def test_parts_add_up(seed):
    graph = weak_clusters(np.random.default_rng(seed), grouped=False, by_degree=True)
    totals = Totals.of(graph, is_corrected=True)._replace(of_group=np.array([1.0, 2.0]))
    twice = totals.plus(totals._replace(strongest=2.0 * totals.strongest, n_alone=3, squares=5.0))
    assert twice.n_present == 2 * totals.n_present
    assert twice.weight == 2 * totals.weight
    assert twice.of_group.tolist() == [2.0, 4.0]
    assert (twice.n_alone, twice.squares) == (3, totals.squares + 5.0)
    assert twice.similarity == 2 * totals.similarity
    assert twice.strongest == 2.0 * totals.strongest
    np.testing.assert_array_equal(twice.of_ratio, 2 * totals.of_ratio)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9, 1.0])
def test_quantiles_of_ratios_are_within_a_step(quantile, seed):
    graph = weak_clusters(np.random.default_rng(seed), grouped=False, by_degree=True)
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    ratios = graph.values / (graph.weight[row] * graph.weight[graph.indices])
    exact = np.quantile(ratios, quantile, method="inverted_cdf")
    found = Totals.of(graph, is_corrected=True).ratio(quantile)
    assert abs(np.log2(found / exact)) <= 0.51 / OCTAVE


def test_without_similarities_the_ratio_is_the_smallest():
    graph = weak_clusters(np.random.default_rng(0), grouped=False, by_degree=True)
    totals = Totals.of(graph, is_corrected=True)
    empty = totals._replace(of_ratio=0 * totals.of_ratio)
    assert empty.ratio(0.9) == 2.0**-64
