"""The coordinate solver as a whole: quality floors, paths, the null model, replay."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
import twins
from spherelax.coordinate.polish import within
from spherelax.coordinate.run import CoordinateRun, separate_groups
from spherelax.labels import renumber
from spherelax.problem import Problem


def planted_degrees(seed, m=300, n_clusters=4):
    """A planted binary similarity whose degrees follow a power law."""
    rng = np.random.default_rng(seed)
    truth = renumber(rng.integers(n_clusters, size=m))
    theta = np.minimum(rng.pareto(1.5, m) + 0.5, 10.0)
    expected = np.where(truth[:, None] == truth, 0.16, 0.03) * np.outer(theta, theta)
    W = np.triu(rng.random((m, m)) < expected, 1).astype(float)
    return W + W.T, truth


def described(run):
    """Walk the path of a run and return the labels that describe best."""
    path = run.walk(None)
    return path.labels[int(path.savings.argmax())]


def f_score(truth, labels, groups=None):
    return sl.metrics.pairwise_scores(truth, labels, groups).f_score


@pytest.mark.parametrize(
    "sizes", [[7, 4, 1, 6, 2], [5, 5, 5], [40, 3, 2], [3, 3], list(range(1, 9))]
)
@pytest.mark.parametrize("sparse", [False, True])
def test_clean_clusters_are_found_exactly(sizes, sparse, seed):
    truth = renumber(np.random.default_rng(seed).permutation(np.repeat(range(len(sizes)), sizes)))
    W = (truth[:, None] == truth).astype(float)
    result = sl.solve(sp.csr_array(W) if sparse else W)
    np.testing.assert_array_equal(result.labels, truth)
    np.testing.assert_array_equal(result.confidence, 1.0)
    assert result.status == sl.Status.DESCRIBED


@pytest.mark.parametrize("observed", [0.5, 0.8, 1.0])
def test_clean_matchings_are_found_exactly(observed, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        8, 6, observed=observed, shuffled=0.0, random_state=seed
    )
    result = sl.solve(W, groups)
    np.testing.assert_array_equal(result.labels, renumber(truth))


@pytest.mark.parametrize("row_entries", [None, 2])
def test_noisy_clusters(row_entries, seed):
    W, truth = sl.datasets.make_binary_similarity(150, 5, rewired=0.4, random_state=seed)
    result = sl.solve(W, row_entries=row_entries)
    assert not result.source.is_corrected
    assert f_score(truth, result.labels) > 0.97


def test_noisy_matchings(seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.5, random_state=seed
    )
    assert f_score(truth, sl.solve(W, groups).labels, groups) > 0.95


def test_broad_degrees_are_corrected_for(seed):
    W, truth = planted_degrees(seed)
    run = CoordinateRun.prepare(Problem.check(W))
    assert run.is_corrected
    degrees = run.graph.weight
    np.testing.assert_array_equal(degrees, W.sum(axis=1))
    corrected = f_score(truth, described(run))
    plain_graph = run.graph._replace(weight=(degrees > 0).astype(np.float32))
    plain = f_score(truth, described(replace(run, graph=plain_graph, is_corrected=False)))
    assert corrected > 0.95
    assert corrected > plain + 0.1
    np.testing.assert_array_equal(sl.solve(W).labels, described(run))


@pytest.mark.parametrize("grouped", [False, True])
def test_paths_go_from_fine_to_coarse(grouped, seed):
    if grouped:
        W, groups, _ = sl.datasets.make_partial_matching(
            12, 15, observed=0.6, shuffled=0.4, random_state=seed
        )
    else:
        W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.4, random_state=seed)
        groups = None
    path = sl.solve(W, groups).path
    assert np.all(np.diff(path.alphas) < 0)
    n_labels = path.n_labels
    assert n_labels[0] > 1.5 * n_labels[-1]
    assert n_labels[-1] == n_labels.min()
    rises = np.diff(n_labels).clip(min=0).sum()
    assert rises <= 0.2 * (n_labels[0] - n_labels[-1])
    for labels in path.labels:
        np.testing.assert_array_equal(labels, renumber(labels))
        assert groups is None or not twins.clash(labels, groups)


def test_curves_are_those_of_the_labels(seed):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, random_state=seed)
    result = sl.solve(W)
    run, path = result.source, result.path
    S, n = twins.dense_similarity(run.graph), run.graph.weight.astype(float)
    np.testing.assert_allclose(run.average, np.triu(S, 1).sum() / np.triu(np.outer(n, n), 1).sum())
    gammas = path.resolutions * run.average
    objectives = [
        twins.discrete_objective(S, n, *at) for at in zip(path.labels, gammas, strict=True)
    ]
    np.testing.assert_allclose(path.objectives * run.average, objectives, atol=1e-4)
    savings = [
        run.description.saving(labels, within(run.graph, labels, int(labels.max()) + 1))
        for labels in path.labels
    ]
    np.testing.assert_allclose(path.savings, savings)
    np.testing.assert_allclose(run.savings(path.labels), savings)
    best = np.flatnonzero(path.savings == path.savings.max())
    assert result.index == best[(len(best) - 1) // 2]


def test_embeddings_replay_the_sweep(seed):
    W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.3, random_state=seed)
    result = sl.solve(W, row_entries=3)
    U = result.embedding()
    assert np.diff(U.indptr).max() <= 3
    assert np.all(U.sum(axis=0) > 0)
    rows = next(islice(result.source.iterates(), result.index, None)).rows
    dense = twins.dense_rows(rows)
    np.testing.assert_array_equal(U.toarray(), dense[:, dense.any(axis=0)])
    assert f_score(result.labels, U.toarray().argmax(axis=1)) > 0.8


def test_groups_are_separated_by_new_labels(seed):
    rng = np.random.default_rng(seed)
    graph = CoordinateRun.prepare(Problem.check(np.ones((40, 40)), rng.integers(12, size=40))).graph
    labels = rng.integers(6, size=40).astype(np.int32)
    separated = separate_groups(graph, labels)
    assert not twins.clash(separated, graph.group())
    changed = separated != labels
    assert changed.any()
    assert not set(separated[changed]) & set(labels)
    kept = set(zip(labels.tolist(), graph.group().tolist(), strict=True))
    assert np.count_nonzero(~changed) == len(kept)


def planted_sparse(m, size, wrong, seed):
    """Clusters of one size, 15 similarities an item, a share of them between any two items."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(m) // size)
    by_label = np.argsort(truth, kind="stable")
    one = rng.integers(m, size=15 * m // 2)
    inside = by_label[truth[one] * size + rng.integers(size, size=len(one))]
    other = np.where(rng.random(len(one)) < wrong, rng.integers(m, size=len(one)), inside)
    half = sp.coo_array((np.ones(len(one)), (one, other)), shape=(m, m))
    return ((half + half.T) > 0).astype(float), truth


@pytest.mark.parametrize(("wrong", "floor"), [(0.3, 0.99), (0.6, 0.9)])
def test_many_items(wrong, floor, seed):
    W, truth = planted_sparse(6000, 30, wrong, seed)
    result = sl.solve(W)
    assert result.source.is_many
    assert f_score(truth, result.labels) > floor
    assert result.path.savings[result.index] == result.path.savings.max()
    few = result.at(result.path.alphas[0]).n_labels
    assert few > 2 * result.n_labels


def test_many_items_are_polished_where_they_are_asked_for(seed):
    W, _ = planted_sparse(6000, 30, 0.3, seed)
    coarse = sl.solve(W, pick=0.5)
    assert coarse.status == sl.Status.CHOSEN
    assert coarse.path.resolutions[coarse.index] == pytest.approx(0.5)
    assert coarse.n_labels < 0.5 * sl.solve(W).n_labels
