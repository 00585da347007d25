"""Statistics of labels against their twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from support import twins
from support.graphs import weak_clusters

from spherelax.coordinate.graph import tally
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.machine import threads
from spherelax.labels import renumber
from spherelax.problem import Problem


@pytest.mark.parametrize("n_threads", [1, 3])
def test_within(n_threads, monkeypatch, seed):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, grouped=False, by_degree=True)
    W = twins.dense_similarity(graph)
    labels = renumber(rng.integers(6, size=graph.n_items))
    P = twins.membership(labels)
    inside = tally.within(graph, labels, P.shape[1], n_threads)
    np.testing.assert_allclose(inside, 0.5 * np.diag(P.T @ W @ P), rtol=1e-6)
    np.testing.assert_array_equal(inside, tally.within(graph, labels, P.shape[1]))


def test_changed_counts_items_of_each_component():
    graph = build_graph(Problem.check(sp.block_diag([np.ones((4, 4)), np.ones((5, 5))])))
    small, large = np.split(np.arange(9), graph.component_ptr[1:-1])
    before = np.zeros(9, dtype=np.int32)
    labels = before.copy()
    labels[small[:2]] = labels[large[:2]] = 1
    found = tally.have_changed(graph, labels, before, 0.4)
    np.testing.assert_array_equal(found, np.isin(np.arange(9), small))
    assert len(small) == 4
    assert tally.have_changed(graph, labels, before, 0.39).all()
    assert not tally.have_changed(graph, labels, before, 0.5).any()


def test_moments(seed):
    rng = np.random.default_rng(seed)
    labels, weight = rng.integers(4, size=30), rng.random(30) * (rng.random(30) < 0.7)
    P = twins.membership(renumber(labels))
    expected = [(weight > 0) @ P, weight @ P, weight**2 @ P]
    np.testing.assert_allclose(tally.moments(renumber(labels), weight, P.shape[1]), expected)


def test_within_strata(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng)
    stratum = np.digitize(graph.values, [0.3, 0.6]).astype(np.uint8)
    labels = renumber(rng.integers(4, size=graph.n_items))
    row = np.repeat(np.arange(graph.n_items), np.diff(graph.indptr))
    inside = labels[row] == labels[graph.indices]
    counts = tally.within_strata(graph, stratum, labels, 2, labels.max() + 1)
    by_stratum = np.bincount(stratum[inside], minlength=3) / 2
    by_label = np.bincount(labels[row[inside & (stratum > 0)]], minlength=labels.max() + 1) / 2
    np.testing.assert_array_equal(counts, np.r_[by_stratum, by_label])
