"""How likely items of a graph have the right label: by labels that are drawn around theirs.

Labels of a graph are taken for a planted partition: pairs inside labels have some similarities,
others have fewer or smaller ones. Given the labels of all others, an item belongs to each label
with odds that follow from it. As in `posterior`, these are averaged while labels are drawn again
and again. Before similarities are seen, an item joins any other item with equal odds, so that a
label is joined in proportion to its size (the Chinese restaurant process).

Similarities repeat each other: an item that is joined to one item of a wrong label often is to
several. So all evidence is divided by how much more it varies than that of independent pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.neighbors import Sums
from spherelax.coordinate.sampling.redrawing import Cells, Chain, Terms, deviations, redraw
from spherelax.coordinate.worth.evidence import share_right
from spherelax.labels import Labels

Floats = NDArray[np.float64]

# Labels are drawn with this seed; passes before they are watched.
SEED = 0
WARM_PASSES = 3
# Passes while they are watched: as many as read so many similarities, but not fewer or more.
READ = 2_000_000
LEAST_PASSES = 10
MOST_PASSES = 400
# No similarity counts as surer than that.
SURE = 1e-4
# Steps of the random walk of `staying`, which stays where it is half of the time.
WALK = 12


class Evidence(NamedTuple):
    """What labels teach of a graph: nats for each similarity, as its values, and other terms."""

    graph: Graph
    terms: Terms


def persistence(evidence: Evidence, labels: Labels) -> Floats:
    """Return of each item the expected share of the others of its label that are the same thing.

    Of an item that is alone, it is the probability that it should be.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.eye(2), np.ones((6, 6)))
    >>> W[5, :8] = W[:8, 5] = 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0
    >>> graph = build_graph(Problem.check(W))
    >>> labels = np.repeat(np.int32([0, 1]), 6)[graph.given]
    >>> found = graph.as_given(persistence(taught(graph, labels), labels))
    >>> bool(found.argmin() == 5)
    True
    """
    graph, terms = evidence
    m, rng = graph.n_items, np.random.default_rng(SEED)
    chain, sums, together = Chain.of(labels, graph.weight), _sums(graph, m), np.zeros(m)
    cells = Cells.of(labels)
    n_passes = int(np.clip(READ // max(len(graph.values), 1), LEAST_PASSES, MOST_PASSES))
    for index in range(WARM_PASSES + n_passes):
        if index == WARM_PASSES:
            together[:] = 0.0
        redraw(graph, terms, chain, cells, sums, rng.random(m), together)
    return np.minimum(together / n_passes, 1.0)


def staying(graph: Graph, labels: Labels) -> Floats:
    """Return how likely a short random walk from each item of a neighbour graph ends in its label.

    Items of such a graph are joined to those around them only, so that what counts is whether the
    border of a label is near.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> ring = np.eye(40, k=1) + np.eye(40, k=39)
    >>> graph = build_graph(Problem.check(ring + ring.T))
    >>> found = graph.as_given(staying(graph, (np.arange(40, dtype=np.int32) // 20)[graph.given]))
    >>> found[[0, 2, 10]].round(2)
    array([0.58, 0.85, 1.  ])
    """
    m, degrees = graph.n_items, np.diff(graph.indptr)
    row = np.repeat(np.arange(m), degrees)
    total = np.bincount(row, weights=graph.values, minlength=m)
    step = sp.csr_array(
        (0.5 * graph.values / np.repeat(total, degrees), graph.indices, graph.indptr), shape=(m, m)
    ) + sp.diags_array(np.where(degrees > 0, 0.5, 1.0))
    own = sp.csr_array((np.ones(m), labels, np.arange(m + 1)))
    chance = own
    for _ in range(WALK):
        chance = step @ chance
    return np.asarray(own.multiply(chance).sum(axis=1))


def taught(graph: Graph, labels: Labels) -> Evidence:
    """Learn from labels what the similarities of a graph say, and what their absence does.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.kron(np.eye(2), np.ones((9, 9)))))
    >>> found = taught(graph, np.repeat(np.int32([0, 1]), 9)[graph.given])
    >>> bool(found.graph.values.min() > 0), bool(found.terms.absent > 0)
    (True, True)
    """
    right = np.clip(share_right(graph, labels), SURE, 1.0 - SURE)
    n = _pairs(graph, labels)
    listed = 0.5 * len(right)
    inside = 0.5 * float(np.count_nonzero(_are_inside(graph, labels)))
    rates = (inside + 0.5) / (n[0] + 1.0), (listed - inside + 0.5) / (n[1] + 1.0)
    value = logit(right) + np.log(n[1] / n[0])
    absent = rates[0] - rates[1]
    if not _is_weighted(graph):
        same, other = (min(rate, 1.0 - 0.5 / (n[0] + 1.0)) for rate in rates)
        absent = np.log1p(-other) - np.log1p(-same)
        value += absent
    clumped = dispersion(graph._replace(values=value.astype(np.float32)), labels)
    n_alone = np.count_nonzero((np.bincount(labels) == 1)[labels] & (graph.weight > 0))
    terms = Terms(float(absent / clumped), -float(np.log1p(n_alone)))
    return Evidence(graph._replace(values=(value / clumped).astype(np.float32)), terms)


def likely_right(graph: Graph, labels: Labels) -> Floats:
    """Return of each similarity how likely its pair is right, as labels teach.

    If all pairs are inside labels, labels do not say what a small similarity is worth. A pair that
    nothing else confirms, because one of its items has no other, then counts in proportion: as much
    less as it is smaller than the median.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.diag([1.0, 1.0, 1.0, 0.1]), [[0, 1], [1, 0]])
    >>> graph = build_graph(Problem.check(W))
    >>> np.unique(likely_right(graph, (np.arange(8, dtype=np.int32) // 2)[graph.given])).round(2)
    array([0.08, 0.83])
    """
    return np.asarray(share_right(graph, labels) * _confirmed(graph, labels))


def confirmed(graph: Graph, labels: Labels) -> Floats:
    """Return of each item how far its best pair counts, as in `likely_right`; 1 if it has none.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.diag([1.0, 1.0, 1.0, 0.1]), [[0, 1], [1, 0]])
    >>> graph = build_graph(Problem.check(W))
    >>> found = confirmed(graph, (np.arange(8, dtype=np.int32) // 2)[graph.given])
    >>> graph.as_given(found)[::2].round(2)
    array([1. , 1. , 1. , 0.1])
    """
    found = np.zeros(graph.n_items)
    np.maximum.at(found, graph.rows(), _confirmed(graph, labels))
    return np.where(np.diff(graph.indptr) > 0, found, 1.0)


def _confirmed(graph: Graph, labels: Labels) -> Floats:
    """Return how far each similarity counts: less than 1 if nothing confirms that it is right."""
    if len(graph.values) == 0 or not _are_inside(graph, labels).all():
        return np.ones(len(graph.values))
    n_pairs = np.diff(graph.indptr)
    is_lone = np.minimum(np.repeat(n_pairs, n_pairs), n_pairs[graph.indices]) == 1
    of_median = graph.values.astype(float) / float(np.median(graph.values))
    return np.where(is_lone, np.minimum(of_median, 1.0), 1.0)


def dispersion(graph: Graph, labels: Labels) -> float:
    """Return how much more the evidence of items for labels varies than that of independent pairs.

    Its variance is in units of that of independent pairs, the mean of the pairs inside labels and
    of the others, and at least 1.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = np.kron(np.eye(8), np.ones((9, 9)))
    >>> W[0, 9:18] = W[9:18, 0] = 1.0  # one item is like nine others
    >>> graph = build_graph(Problem.check(W))
    >>> dispersion(graph, np.repeat(np.arange(8, dtype=np.int32), 9)[graph.given]) > 2
    True
    """
    weight, is_inside = graph.weight.astype(float), _are_inside(graph, labels)
    mass = np.bincount(labels, weights=weight)
    n, values = _pairs(graph, labels), graph.values.astype(float)
    row = labels[graph.rows()]
    own = np.bincount(row[is_inside], weights=values[is_inside], minlength=len(mass))
    pairs = np.square(mass) - np.bincount(labels, weights=np.square(weight))
    parts = list(zip((is_inside, ~is_inside), n, strict=True))
    means = [0.5 * float(values[part].sum()) / k for part, k in parts]
    squares = [
        float(np.square(values[part]).sum()) - (0.0 if _is_weighted(graph) else 2.0 * k * mean**2)
        for (part, k), mean in zip(parts, means, strict=True)
    ]
    found = deviations(
        graph, labels, mass, own / np.maximum(pairs, 1e-12), means[1], _sums(graph, len(mass))
    )
    ratios = [
        each / square if square > 0 else 1.0 for each, square in zip(found, squares, strict=True)
    ]
    return max(float(np.mean(ratios)), 1.0)


def _are_inside(graph: Graph, labels: Labels) -> NDArray[np.bool_]:
    """Tell of each similarity whether it is inside a label."""
    return graph.inside(labels)


def _pairs(graph: Graph, labels: Labels) -> tuple[float, float]:
    """Return how many pairs are inside labels, weighted, and how many are not; at least 1."""
    weight = graph.weight.astype(float)
    squares = float(np.square(weight).sum())
    inside = 0.5 * (float(np.square(np.bincount(labels, weights=weight)).sum()) - squares)
    every = 0.5 * (float(weight.sum()) ** 2 - squares)
    return max(inside, 1.0), max(every - inside, 1.0)


def _is_weighted(graph: Graph) -> bool:
    """Tell whether the null model is corrected for degrees."""
    present = graph.weight[graph.weight > 0]
    return bool(len(present)) and bool(np.ptp(present) > 0)


def _sums(graph: Graph, n_labels: int) -> Sums:
    """Return room for the sums of one item by label."""
    most = int(np.diff(graph.indptr).max(initial=0)) + 1
    return Sums(np.zeros(n_labels), np.empty(most, dtype=np.int32))
