"""Single best links: pairs are taken from the highest score down unless a group forbids it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, matching_problem
from spherelax.labels import renumber
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

THRESHOLD = Range(0)


def single_best_links(
    similarity: Similarity, groups: Iterable[Hashable], *, threshold: float = 0.0
) -> Labels:
    """Join pairs from the most similar down, unless a label would hold two items of a group.

    What record linkage does after a threshold, such as splink's
    ``cluster_using_single_best_links``. Of equal pairs the first in the order of items wins.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items labels
        Group of each item.
    threshold : float
        Similarities below this count as none.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = [[0, 0, 0.9, 0], [0, 0, 0.4, 0.8], [0.9, 0.4, 0, 0], [0, 0.8, 0, 0]]
    >>> single_best_links(W, ["a", "a", "b", "c"])
    array([0, 1, 0, 1], dtype=int32)
    >>> single_best_links(W, ["a", "a", "b", "c"], threshold=0.85)
    array([0, 1, 0, 2], dtype=int32)
    """
    check_range(THRESHOLD, threshold=threshold)
    problem = matching_problem(similarity, groups)
    pairs = sp.triu(sp.coo_array(problem.similarity), 1).tocoo()
    kept = (pairs.data > 0) & (pairs.data >= threshold)
    row, col = pairs.row[kept], pairs.col[kept]
    order = np.lexsort((col, row, -pairs.data[kept]))
    labels = list(range(problem.n_items))
    members = [[item] for item in labels]
    held = [{group} for group in np.asarray(problem.groups).tolist()]
    for first, second in zip(row[order].tolist(), col[order].tolist(), strict=True):
        one, other = labels[first], labels[second]
        if one == other or not held[one].isdisjoint(held[other]):
            continue
        if len(members[one]) < len(members[other]):
            one, other = other, one
        for item in members[other]:
            labels[item] = one
        members[one] += members[other]
        held[one] |= held[other]
    return renumber(np.array(labels))
