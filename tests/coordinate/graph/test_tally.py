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
    graph = build_graph(
        Problem.check(sp.block_diag([sp.csr_array(np.ones((n, n))) for n in (4, 5)]))
    )
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


@pytest.mark.parametrize("n_threads", [1, 3])
def test_pairs_are_counted_by_item_and_bin(n_threads, seed, monkeypatch):
    monkeypatch.setattr("spherelax.coordinate.machine.threads.WORTH_THREADS", 1)
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng)
    row = graph.rows()
    code = np.minimum(row, graph.indices) * 7 + np.maximum(row, graph.indices)
    bins = np.stack([code % 3, code % 5], axis=1).astype(np.uint8)
    labels = renumber(rng.integers(4, size=graph.n_items))
    inside = (labels[row] == labels[graph.indices]) & (graph.indices < row)
    found = tally.tally_pairs(graph, bins, 5, labels, n_threads)
    n = graph.n_items
    np.testing.assert_array_equal(found.number, np.bincount(row[inside], minlength=n))
    sums = np.bincount(row[inside], graph.values[inside], n)
    np.testing.assert_allclose(found.similarity, sums, rtol=1e-6)
    by_bin = [np.bincount(column[inside], minlength=5) for column in bins.T]
    np.testing.assert_array_equal(found.of_bin, by_bin)
