"""Permutation synchronisation by eigenvectors (Pachauri, Kondor and Singh, NIPS 2013)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from spherelax.baselines.blocks import label_groups
from spherelax.baselines.face import Labels
from spherelax.baselines.spectral_factor import (
    matching_blocks,
    positive_eigenpairs,
    reference_rows,
    widen,
)
from spherelax.errors import InvalidInputError
from spherelax.problem import Similarity

REFERENCES = "spread", "first"


def spectral_matching(
    similarity: Similarity, groups: Iterable[Hashable], universe: int, *, reference: str = "spread"
) -> Labels:
    """Label the items of multi-matching by the leading eigenvectors of all matchings.

    ``max tr(U^T W U)`` over U with k orthonormal columns, where W is ``similarity``, with the
    identity inside each of ``groups``, and k is ``universe``. Each group's rows of the solution,
    k eigenvectors, are assigned to k reference rows so that the sum of inner products is largest.

    Paper: the reference is the first object, which shows the whole universe (``"first"``). Where
    objects show parts of it, none can be. By default the eigenvectors are scaled to ``U D^1/2``,
    D the eigenvalues, so that ``U D U^T`` is W of rank k, and the reference rows come from all
    objects, each the one farthest from the span of those before. That is clearly better.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items hashable labels
        Object of each item; the items of an object get different labels.
    universe : int
        Number of labels, at least the size of the largest group.
    reference : {"spread", "first"}
        Which rows the others are assigned to.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels.

    Examples
    --------
    >>> W = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    >>> spectral_matching(W, [0, 0, 1, 1], 2)
    array([0, 1, 1, 0], dtype=int32)
    """
    if reference not in REFERENCES:
        raise InvalidInputError(f"reference must be one of {REFERENCES}; found {reference!r}")
    W, own = matching_blocks(similarity, groups, universe)
    values, vectors = positive_eigenpairs(W, universe)
    if reference == "first":
        first = vectors[own == 0]
        if len(first) != universe:
            raise InvalidInputError(
                f"reference must be 'spread' unless the first group shows the whole universe, "
                f"{universe} items; found {len(first)}"
            )
        return label_groups(vectors @ first.T, own)
    U = vectors * np.sqrt(values)
    return label_groups(widen(U @ U[reference_rows(U)].T, universe), own)
