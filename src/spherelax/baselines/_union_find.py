"""Connected components of the similarities: what structure-from-motion tools call tracks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, clustering_problem, matching_problem
from spherelax.errors import InvalidInputError
from spherelax.labels import renumber, separate
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

THRESHOLD = Range(0)


def union_find(
    similarity: Similarity,
    groups: Iterable[Hashable] | None = None,
    *,
    threshold: float = 0.0,
    conflicts: str = "keep",
) -> Labels:
    """Give items the same label if a chain of similarities above a threshold joins them.

    ``max number of labels`` such that ``W_ij > threshold`` implies ``l_i = l_j``, W being
    ``similarity``: the connected components of a graph. One wrong match joins two of them.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items labels, optional
        Group of each item; needed to see conflicts.
    threshold : float
        Similarities up to this count as none.
    conflicts : {"keep", "drop"}
        What to do with a component that holds two items of one group: "keep" keeps it, "drop"
        gives each of its items its own label, as some tools for tracks do.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]]
    >>> union_find(W)
    array([0, 0, 0, 1], dtype=int32)
    >>> union_find(W, groups=["a", "a", "b", "c"], conflicts="drop")
    array([0, 1, 2, 3], dtype=int32)
    """
    check_range(THRESHOLD, threshold=threshold)
    if conflicts not in ("keep", "drop"):
        raise InvalidInputError(f"conflicts must be 'keep' or 'drop'; found {conflicts!r}")
    if groups is not None:
        problem = matching_problem(similarity, groups)
    elif conflicts == "keep":
        problem = clustering_problem(similarity)
    else:
        raise InvalidInputError("conflicts='drop' needs groups; found None")
    joined = sp.csr_array(problem.similarity > threshold)
    labels = renumber(sp.csgraph.connected_components(joined, directed=False)[1])
    if conflicts == "keep":
        return labels
    _, cell, size = np.unique(
        np.c_[labels, problem.groups], axis=0, return_inverse=True, return_counts=True
    )
    conflicting = np.unique(labels[size[cell] > 1])
    return separate(labels, np.isin(labels, conflicting))
