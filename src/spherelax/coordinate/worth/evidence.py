"""What a similarity of each size is worth: by its order, or learnt from labels.

Scores of pairs of records or keypoints say by their order which pairs are likelier to be right, but
not how likely: half of the largest score may mean a sure match or none at all. With groups, labels
tell. Two matches that contradict each other cannot both be right, so the share of pairs whose items
got one label falls where scores say little. A pair that is right with probability p is worth
``-log(1 - p)`` nats, the information that it would be wrong. Learning begins with ranks, so any
rising function of the scores gives nearly the same labels.

In a graph without groups nothing contradicts what is joined. There a similarity is worth its
surprise, ``-log`` of the share of all pairs that are at least as similar, until labels tell how
likely sizes are inside and outside (`block_model`). Nothing but the order counts, so no outlier and
no rising function of the similarities changes anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from spherelax.coordinate.graph.graph import Graph, blocks
from spherelax.coordinate.graph.neighbors import n_up_to

# Pairs that are added to each step of the staircase, right as often as pairs are on average, so
# that a step of a few pairs is not taken for sure.
PRIOR = 2.0
# Share of its worth that the largest similarity has beyond the smallest one of the same step, so
# that of two equally likely pairs the larger similarity wins.
SLOPE = 0.01
# Steps of the staircase of surprises, and sizes by which similarities are ranked, at most.
STEPS = 1024


class Worth(NamedTuple):
    """A rising staircase: similarities from ``floors[k]`` up are worth ``worth[k]``, at most 1.

    Of one step, a similarity is worth more if it is above more of the sizes ``ranks``, which rise:
    up to the share `SLOPE`.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 9], [9, 0]], groups=["x", "y"]))
    >>> Worth(np.float32([0.2, 0.8]), np.float32([0.1, 0.7])).apply(graph).values
    array([0.7, 0.7], dtype=float32)
    """

    floors: NDArray[np.float32]
    worth: NDArray[np.float32]
    ranks: NDArray[np.float32] | None = None

    def apply(self, graph: Graph) -> Graph:
        """Return the graph with similarities replaced by what they are worth."""
        values = np.empty(len(graph.values), dtype=np.float32)
        for block in blocks(len(values)):
            given = graph.values[block]
            step = np.maximum(n_up_to(self.floors, given) - 1, 0)
            values[block] = self.worth[step]
            if self.ranks is not None:
                values[block] *= 1.0 - SLOPE * (1.0 - share_below(self.ranks, given))
        return graph.with_values(values)

    def equals(self, other: Worth) -> bool:
        """Tell whether every similarity is worth the same."""
        is_same = np.array_equal(self.floors, other.floors)
        return is_same and np.array_equal(self.worth, other.worth)


def rank_worth(graph: Graph) -> Worth:
    """Return what learning begins with: the largest similarity is worth one, the smallest half.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = [[0, 0, 9, 2], [0, 0, 3, 8], [9, 3, 0, 0], [2, 8, 0, 0]]
    >>> rank_worth(build_graph(Problem.check(W, groups=["x", "x", "y", "y"]))).worth
    array([0.625, 0.75 , 0.875, 1.   ], dtype=float32)
    """
    sizes, count = np.unique(graph.values, return_counts=True)
    return Worth(sizes, (0.5 + 0.5 * np.cumsum(count) / count.sum()).astype(np.float32))


def surprise_worth(sizes: NDArray[np.float32], rarity: float) -> Worth:
    """Return what similarities without groups are worth, which are not all the same.

    ``rarity`` is that of any similarity, in nats: how rare it is that two items have one.

    Examples
    --------
    >>> surprise_worth(np.float32([9, 9, 1, 1, 1, 1]), log_rarity(6, 4)).worth.round(2)
    array([0.44, 1.  ], dtype=float32)
    """
    floors = quantiles(sizes, STEPS)
    n = np.zeros(len(floors), dtype=np.intp)
    for block in blocks(len(sizes)):
        step = np.searchsorted(floors, sizes[block], side="right") - 1
        n += np.bincount(step, minlength=len(n))
    at_least = np.cumsum(n[::-1])[::-1] - 0.5 * n  # of a step, half counts as such
    surprise = rarity - np.log(at_least / len(sizes))
    return Worth(floors, (surprise / surprise.max()).astype(np.float32))


def log_rarity(n_entries: int, n_present: int) -> float:
    """Return minus the logarithm of the share of all pairs of items that have a similarity."""
    return float(np.log(n_present * (n_present - 1.0) / n_entries))


def quantiles(values: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """Return values that cut all of them into at most n parts of about the same size.

    Examples
    --------
    >>> quantiles(np.float32([3, 1, 2, 2, 2, 9]), 3)
    array([1., 2., 3.], dtype=float32)
    """
    return np.unique(np.sort(values)[np.arange(n) * len(values) // n])


def share_below(ranks: NDArray[np.float32], values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the share of sizes, which rise, that are at most as large as each value.

    Examples
    --------
    >>> share_below(np.float32([1, 2, 5, 9]), np.float32([2, 100]))
    array([0.5, 1. ])
    """
    return np.asarray(np.searchsorted(ranks, values, side="right") / len(ranks))


def learn_worth(graph: Graph, labels: NDArray[np.int32]) -> Worth | None:
    """Learn from labels what similarities are worth; None if all pairs share labels, or none.

    The share of pairs with one label is fitted by isotonic regression: a larger similarity is
    never worth less.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = [[0, 0, 9, 2], [0, 0, 3, 8], [9, 3, 0, 0], [2, 8, 0, 0]]
    >>> graph = build_graph(Problem.check(W, groups=["x", "x", "y", "y"]))
    >>> evidence = learn_worth(graph, np.array([0, 1, 0, 1]))
    >>> evidence.floors.round(2), evidence.worth.round(2)
    (array([0.22, 0.89], dtype=float32), array([0.21, 1.  ], dtype=float32))
    """
    found = _shares(graph, labels)
    if found is None:
        return None
    worth = -np.log1p(-found.share)
    ranks = quantiles(graph.values, STEPS)
    return Worth(found.floors, (worth / worth.max()).astype(np.float32), ranks)


def share_right(graph: Graph, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return of each similarity how likely its pair is right, as labels teach.

    Where all pairs share labels, or none do, the sizes of similarities teach nothing; the share is
    then that of all pairs, with one right and one wrong pair added.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> W = [[0, 0, 9, 2], [0, 0, 3, 8], [9, 3, 0, 0], [2, 8, 0, 0]]
    >>> graph = build_graph(Problem.check(W, groups=["x", "x", "y", "y"]))
    >>> share_right(graph, np.array([0, 1, 0, 1])).round(2)
    array([0.75, 0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75])
    """
    found = _shares(graph, labels)
    if found is None:
        n_entries, n_right = len(graph.values), np.count_nonzero(graph.inside(labels)) / 2
        return np.full(n_entries, (n_right + 1.0) / (n_entries / 2 + 2.0))
    return np.asarray(found.share[np.searchsorted(found.floors, graph.values, side="right") - 1])


class _Shares(NamedTuple):
    """A rising staircase: of the similarities from ``floors[k]`` up, the share that is right."""

    floors: NDArray[np.float32]
    share: NDArray[np.float64]


def _shares(graph: Graph, labels: NDArray[np.int32]) -> _Shares | None:
    """Return the share of pairs with one label by size; None if all pairs share labels, or none."""
    once = graph.pairs()
    agree = graph.inside(labels)[once]
    if agree.all() or not agree.any():
        return None
    sizes, which, count = np.unique(graph.values[once], return_inverse=True, return_counts=True)
    fit = isotonic_regression(np.bincount(which, weights=agree) / count, weights=count)
    first = fit.blocks[:-1]
    weights = fit.weights + PRIOR
    share = (fit.x[first] * fit.weights + PRIOR * agree.mean()) / weights
    # The added pairs pull short steps towards the average, perhaps past the next step.
    return _Shares(sizes[first], isotonic_regression(share, weights=weights).x)
