"""Checks that all methods must pass, ours and the others."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax import baselines
from spherelax.labels import renumber


class Method(NamedTuple):
    """A method, whether it needs the number of labels, and whether it keeps groups apart."""

    solve: Callable[..., Any]
    told: bool = True
    one_per_group: bool = True


def ours(similarity, groups=None, solver="coordinate"):
    return sl.solve(similarity, groups, solver=solver).labels


def power(similarity, groups=None):
    return ours(similarity, groups, "power")


MATCHING = {
    "coordinate": Method(ours, told=False),
    "power": Method(power, told=False),
    "clear": Method(baselines.clear, told=False),
    "clear, told": Method(baselines.clear),
    "union_find": Method(baselines.union_find, told=False, one_per_group=False),
    "constrained_hdbscan": Method(baselines.constrained_hdbscan, told=False),
    "single_best_links": Method(baselines.single_best_links, told=False),
    "spectral_matching": Method(baselines.spectral_matching),
    "match_eig": Method(baselines.match_eig),
    "match_als": Method(baselines.match_als, one_per_group=False),
    "match_lift": Method(baselines.match_lift),
    "match_lift, free": Method(baselines.match_lift, told=False),
    "nmf_sync": Method(baselines.nmf_sync),
    "sparse_stiefel": Method(baselines.sparse_stiefel),
    "projected_gradient": Method(baselines.projected_gradient),
}
# They take every match for right that contradicts no earlier one.
TRUSTING = {"union_find", "constrained_hdbscan", "single_best_links"}
PAIRS = {"match_eig", "match_als", "match_lift", "match_lift, free"}
CLUSTERING = {
    "coordinate": Method(ours, told=False),
    "power": Method(power, told=False),
    "affinity_propagation": Method(baselines.affinity_propagation, told=False),
    "markov_clustering": Method(baselines.markov_clustering, told=False),
    "leiden": Method(baselines.leiden, told=False),
    "leiden, CPM": Method(
        lambda W: baselines.leiden(W, objective="CPM", resolution=0.5), told=False
    ),
    "networkx_leiden": Method(baselines.networkx_leiden, told=False),
    "infomap": Method(baselines.infomap, told=False),
    "nested_block_model": Method(
        partial(
            baselines.nested_block_model,
            n_trials=1,
            python=os.environ.get("GRAPH_TOOL_PYTHON", "/usr/bin/python3"),
        ),
        told=False,
    ),
    "hdbscan": Method(partial(baselines.hdbscan, affinity="precomputed"), told=False),
    "plscan": Method(partial(baselines.plscan, affinity="precomputed"), told=False),
    "spectrum": Method(lambda W: baselines.spectrum(W, affinity="precomputed"), told=False),
    "union_find": Method(baselines.union_find, told=False),
    "nmf": Method(baselines.nmf),
    "spectral_kmeans": Method(baselines.spectral_kmeans),
    "spectral_spherical_kmeans": Method(baselines.spectral_spherical_kmeans),
}
matching = pytest.mark.parametrize("name", MATCHING)
clustering = pytest.mark.parametrize("name", CLUSTERING)


def match(name, W, groups, universe):
    """Call a matching method."""
    method = MATCHING[name]
    return method.solve(W, groups, *((universe,) if method.told else ()))


def cluster(name, W, n_clusters):
    """Call a clustering method, if what it needs is here."""
    method = CLUSTERING[name]
    try:
        return method.solve(W, *((n_clusters,) if method.told else ()))
    except ImportError as error:
        pytest.skip(str(error))


def f_score(found, truth, groups=None):
    """F-score of labels or of pairs."""
    if found.ndim == 2:
        return sl.metrics.match_scores(truth, found, groups).f_score
    return sl.metrics.pairwise_scores(truth, found, groups).f_score


def check_labels(labels, m):
    """Labels are small integers, numbered as they first appear."""
    assert labels.shape == (m,)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, renumber(labels))


def check_pairs(pairs, groups):
    """Pairs join items of different groups, smaller first, sorted, each once."""
    assert pairs.ndim == 2
    assert pairs.shape[1] == 2
    assert pairs.dtype.kind == "i"
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (groups[pairs[:, 0]] != groups[pairs[:, 1]]).all()
    np.testing.assert_array_equal(pairs, np.unique(pairs, axis=0))


def check_matching(name, found, groups):
    """What a matching method returns has the right form and keeps groups apart if promised."""
    if name in PAIRS:
        check_pairs(found, groups)
        both = np.r_[found, found[:, ::-1]]
        cells = np.c_[both[:, 0], groups[both[:, 1]]]
    else:
        check_labels(found, len(groups))
        cells = np.c_[found, groups]
    if MATCHING[name].one_per_group:
        assert len(np.unique(cells, axis=0)) == len(cells)


def all_names():
    """Names of the rivals that the package offers as methods."""
    tables = (*MATCHING, *CLUSTERING)
    return {name.split(",")[0] for name in tables} - {"coordinate", "power"}


def test_every_rival_is_under_contract():
    building_blocks = {
        "estimate_universe",
        "leiden_graph",
        "leiden_of_graph",
        "spherical_kmeans",
    }
    assert set(baselines.__all__) - building_blocks == all_names()


@matching
@pytest.mark.parametrize("observed", [0.6, 1.0])
def test_matching_is_exact_on_clean_input(name, observed, seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        8, 6, observed=observed, shuffled=0, random_state=seed
    )
    found = match(name, W, groups, len(set(truth)))
    check_matching(name, found, groups)
    assert f_score(found, truth, groups) == 1.0


@matching
def test_matching_mends_noise(name):
    W, groups, truth = sl.datasets.make_partial_matching(
        12, 8, observed=0.8, shuffled=0.3, random_state=0
    )
    before = W.copy()
    found = match(name, W, groups, 8)
    check_matching(name, found, groups)
    np.testing.assert_array_equal(W, before)
    np.testing.assert_array_equal(match(name, W, groups, 8), found)
    np.testing.assert_array_equal(match(name, sp.csr_array(W), groups, 8), found)
    if name not in TRUSTING:
        given = f_score(np.argwhere(np.triu(W, 1)), truth, groups)
        assert f_score(found, truth, groups) > max(given, 0.9)


@matching
def test_names_and_order_of_groups_do_not_matter(name, seed):
    W, groups, truth = sl.datasets.make_partial_matching(6, 5, shuffled=0, random_state=seed)
    order = np.random.default_rng(seed).permutation(len(groups))
    names = np.array(["zoo", "ant", "elk", "fox", "cow", "bee"])[groups]
    found = match(name, W[np.ix_(order, order)], names[order].tolist(), len(set(truth)))
    assert f_score(found, truth[order], groups[order]) == 1.0


@matching
@pytest.mark.parametrize(
    ("W", "groups", "universe"),
    [
        (np.eye(4), [0, 0, 0, 0], 4),
        (np.eye(4), [0, 1, 2, 3], 4),
        (np.eye(4), [0, 0, 1, 1], 2),
        (np.zeros((3, 3)), [0, 1, 2], 1),
        (np.ones((3, 3)), [0, 1, 2], 1),
        (np.ones((2, 2)), [0, 1], 2),
        (np.kron(np.eye(2), np.ones((3, 3))), [0, 1, 2, 0, 1, 2], 2),
        (np.kron(np.eye(2), np.ones((3, 3))), [0, 1, 2, 3, 4, 5], 6),
    ],
    ids=["one group", "nothing", "two", "zero", "all", "loose", "pieces", "universe of all"],
)
@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_odd_matching_gets_an_answer(name, W, groups, universe):
    check_matching(name, match(name, W, groups, universe), np.array(groups))


@matching
def test_bad_matching_gets_an_error(name):
    with pytest.raises(sl.InvalidInputError, match="symmetric"):
        match(name, [[1, 0], [1, 1]], [0, 1], 1)
    with pytest.raises(sl.InvalidInputError, match="groups"):
        match(name, np.eye(2), [0], 1)
    if MATCHING[name].told:
        with pytest.raises(sl.InvalidInputError, match=r"universe must be .* found 0"):
            match(name, np.eye(2), [0, 1], 0)
        with pytest.raises(sl.InvalidInputError, match="universe must be at least 2"):
            match(name, np.eye(2), [0, 0], 1)
        with pytest.raises(sl.InvalidInputError, match=r"universe must be .* found 3"):
            match(name, np.eye(2), [0, 1], 3)


@clustering
def test_clustering_is_exact_on_clean_input(name, seed):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat([0, 1, 2], [8, 11, 14]))
    W = (truth[:, None] == truth).astype(float)
    labels = cluster(name, W, 3)
    check_labels(labels, len(truth))
    assert f_score(labels, truth) == 1.0


@clustering
def test_clustering_mends_noise(name):
    W, truth = sl.datasets.make_binary_similarity(60, 3, rewired=0.15, missing=0.1, random_state=0)
    before = W.copy()
    labels = cluster(name, W, 3)
    check_labels(labels, 60)
    np.testing.assert_array_equal(W, before)
    np.testing.assert_array_equal(cluster(name, W, 3), labels)
    np.testing.assert_array_equal(cluster(name, sp.csr_array(W), 3), labels)
    if CLUSTERING[name].told:
        assert f_score(labels, truth) > 0.95


@clustering
@pytest.mark.parametrize(
    ("W", "n_clusters"),
    [
        (np.eye(12), 12),
        (np.zeros((12, 12)), 3),
        (np.ones((12, 12)), 1),
        (np.ones((12, 12)), 2),
        (np.eye(2), 2),
        (np.kron(np.eye(2), np.ones((6, 6))), 3),
    ],
    ids=["nothing", "zero", "all", "too many", "two items", "pieces"],
)
@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_odd_clustering_gets_an_answer(name, W, n_clusters):
    check_labels(cluster(name, W, n_clusters), len(W))


@clustering
def test_bad_clustering_gets_an_error(name):
    with pytest.raises(sl.InvalidInputError, match="symmetric"):
        cluster(name, [[1, 0], [1, 1]], 1)
    if CLUSTERING[name].told:
        with pytest.raises(sl.InvalidInputError, match=r"n_clusters must be .* found 0"):
            cluster(name, np.eye(2), 0)
        with pytest.raises(sl.InvalidInputError, match=r"n_clusters must be .* found 3"):
            cluster(name, np.eye(2), 3)
