"""Matches inside labels and across them, against dense counts."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import gammaln

import spherelax as sl
from spherelax.coordinate.graph.account import Totals
from spherelax.coordinate.graph.crossings import FINE, Compared, Crossings, cross
from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import Problem


def windows(seed, width):
    """Matches of twelve images, each compared with the next few; and labels, some of them wrong."""
    W, groups, labels = sl.datasets.make_partial_matching(12, 25, shuffled=0.4, random_state=seed)
    dense = sp.csr_array(W).toarray() * (np.abs(groups[:, None] - groups) <= width)
    np.fill_diagonal(dense, 0.0)
    graph = build_graph(Problem.check(sp.csr_array(dense), groups))
    found = labels[graph.given].astype(np.int32)
    absent = graph.weight == 0.0
    found[absent] = 25 + np.arange(absent.sum())
    return graph, found, dense[np.ix_(graph.given, graph.given)]


@pytest.mark.parametrize("width", [3, 12])
def test_crossings_are_those_of_dense_counts(width, seed):
    graph, labels, W = windows(seed, width)
    totals = Totals.of(graph, is_corrected=False)
    assert totals.is_all_compared == (width == 12)
    found = Crossings(*cross(graph, labels, Compared.of(graph, totals, graph.group)))
    group = graph.group
    sizes = np.bincount(group, weights=graph.weight)
    compared = np.zeros((len(sizes), len(sizes)), dtype=bool)
    one, other = np.nonzero(W)
    compared[group[one], group[other]] = True
    same = labels[:, None] == labels
    assert found.possible == np.sum(same & compared[np.ix_(group, group)])
    assert totals.n_rows == compared[group[graph.weight > 0]].sum()
    is_right = labels[one] == labels[other]
    assert found.right == is_right.sum()
    has = np.zeros((labels.max() + 1, len(sizes)), dtype=bool)
    has[labels, group] = True
    beside = has[labels[one], group[other]] & ~is_right
    assert (found.contradicted, found.elsewhere) == (beside.sum(), np.sum(~is_right & ~beside))
    assert found.names * FINE == pytest.approx(
        np.log(sizes[group[other[~is_right]]]).sum(), abs=1e-3
    )
    ends = np.sort(labels[np.stack([one, other])[:, ~is_right]], axis=0)
    blocks, n = np.unique(ends, axis=1, return_counts=True)
    n, pairs = n / 2, np.bincount(labels)[blocks].prod(axis=0)
    ways = gammaln(pairs + 1) - gammaln(n + 1) - gammaln(pairs - n + 1)
    assert found.blocks == len(n)
    assert found.ways * FINE == pytest.approx(ways.sum(), abs=1e-3)
    near = (n >= 2) & (2 * n >= pairs)
    collides = (has[blocks[0]] & has[blocks[1]]).any(axis=1)
    assert (found.near, found.collisions) == (near.sum(), (near & collides).sum())


def test_the_order_of_labels_does_not_matter(seed):
    graph, labels, _ = windows(seed, 3)
    compared = Compared.of(graph, Totals.of(graph, is_corrected=False), graph.group)
    order = np.random.default_rng(seed).permutation(labels.max() + 1).astype(np.int32)
    np.testing.assert_array_equal(
        cross(graph, labels, compared), cross(graph, order[labels], compared)
    )
