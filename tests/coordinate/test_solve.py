"""The universe-free solver as a whole: quality floors, replay, and items that come later."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from support import twins
from support.problems import clean

import spherelax as sl
from spherelax.coordinate.trail import grid, iterates
from spherelax.labels import renumber


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
    np.testing.assert_allclose(result.confidence, 1.0, atol=0.03)
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
    result = sl.solve(W, solver=sl.Coordinate(row_entries=row_entries))
    assert not result._solved.model.reading.is_corrected
    assert f_score(truth, result.labels) > 0.97


def test_noisy_matchings(seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        20, 20, observed=0.6, shuffled=0.5, random_state=seed
    )
    assert f_score(truth, sl.solve(W, groups).labels, groups) > 0.95


def test_embeddings_replay_the_sweep(seed):
    W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.3, random_state=seed)
    result = sl.solve(W, solver=sl.Coordinate(row_entries=3))
    U = result.embedding()
    assert np.diff(U.indptr).max() <= 3
    assert np.all(U.sum(axis=0) > 0)
    model, route = result._solved.model, result._solved.route
    rows = next(islice(iterates(model, route, grid(model, route)), result.path.picked, None)).rows
    dense = twins.dense_rows(rows)[np.argsort(model.graph.given)]
    np.testing.assert_array_equal(U.toarray(), dense[:, dense.any(axis=0)])
    assert f_score(result.labels, U.toarray().argmax(axis=1)) > 0.8


@pytest.mark.parametrize("shown", [0.5, 0.9])
def test_new_items_are_absorbed(shown, seed):
    W, truth = clean([8, 12, 9, 15], seed)
    first = int(shown * len(W))
    start = sl.solve(W[:first, :first])
    result = start.extend(W)
    np.testing.assert_array_equal(result.labels, sl.solve(W).labels)
    np.testing.assert_array_equal(result.labels, truth)
    assert result.status == sl.Status.ABSORBED
    assert len(result.path.labels) == 1
    np.testing.assert_array_equal(result.extend(W).labels, truth)


def test_new_objects_are_absorbed(seed):
    W, groups, truth = sl.datasets.make_partial_matching(12, 8, shuffled=0.0, random_state=seed)
    known = groups < 9
    start = sl.solve(W[known][:, known], groups[known])
    result = start.extend(W, groups)
    np.testing.assert_array_equal(result.labels, sl.solve(W, groups).labels)
    np.testing.assert_array_equal(result.labels, renumber(truth))


@pytest.mark.parametrize("has_groups", [False, True])
def test_items_far_from_new_ones_keep_their_labels(has_groups, seed):
    W, groups, truth = sl.datasets.make_partial_matching(20, 12, shuffled=0.4, random_state=seed)
    rng = np.random.default_rng(seed)
    noise = np.triu(rng.random(W.shape), 1)
    W = W * (noise + noise.T + (truth[:, None] == truth))
    order = np.r_[1 : len(W), 0]  # the new item is the first one
    W, groups = W[np.ix_(order, order)], groups[order] if has_groups else None
    known = None if groups is None else groups[:-1]
    start = sl.solve(W[:-1, :-1], known)
    labels = start.extend(W, groups).labels[:-1]
    is_near = np.isin(start.labels, start.labels[W[-1, :-1] > 0])
    if has_groups:  # items of the group of the new one move together with it
        is_near |= np.isin(start.labels, start.labels[known == groups[-1]])
    assert 0 < is_near.mean() < 1
    np.testing.assert_array_equal(renumber(labels[~is_near]), renumber(start.labels[~is_near]))


def test_new_similarities_are_absorbed(seed):
    """Two clusters turn out to be one."""
    W, truth = clean([10, 10, 10], seed)
    start = sl.solve(W)
    joined = np.where(truth == 2, 1, truth)
    result = start.extend((joined[:, None] == joined).astype(float))
    np.testing.assert_array_equal(result.labels, joined)


def test_groups_are_respected_when_absorbing(seed):
    """Four objects turn out to have two items in each cluster: each cluster becomes two."""
    W, truth = clean([8, 8, 8], seed)
    groups = np.empty(len(W), dtype=int)
    groups[np.argsort(truth, kind="stable")] = np.tile(np.repeat(np.arange(4), 2), 3)
    labels = sl.solve(W).extend(W, groups).labels
    assert len(set(zip(groups.tolist(), labels.tolist(), strict=True))) == len(W)
    assert np.bincount(labels).tolist() == [4] * 6
    assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 6
