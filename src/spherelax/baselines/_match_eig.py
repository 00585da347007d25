"""MatchEig: each pairwise matching from the leading eigenvectors (Maset et al., ICCV 2017)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from spherelax.baselines.blocks import match_blocks
from spherelax.baselines.face import Pairs
from spherelax.baselines.spectral_factor import matching_blocks, positive_eigenpairs
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

THRESHOLD = Range(0, 1)


def match_eig(
    similarity: Similarity, groups: Iterable[Hashable], universe: int, *, threshold: float = 0.25
) -> Pairs:
    """Match items of different groups by the best low-rank approximation of all matchings.

    ``min ||W - X||_F`` over positive semidefinite X of rank k, where W is ``similarity``, scaled to
    largest entry 1 and with the identity inside each of ``groups``, and k is ``universe``. Each
    block of X is projected to a partial permutation by itself: the assignment whose entries exceed
    ``threshold`` by the most. The result need not be consistent over cycles.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    groups : sequence of n_items hashable labels
        Object of each item; an item is matched with at most one of each other object.
    universe : int
        Rank of the approximation, at least the size of the largest group.
    threshold : float in [0, 1)
        Entries of X up to it match nothing.

    Returns
    -------
    ndarray of shape (n_pairs, 2)
        Matched items, sorted, the smaller first.

    Examples
    --------
    >>> W = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    >>> match_eig(W, [0, 0, 1, 1], 2)
    array([[0, 3],
           [1, 2]])
    """
    check_range(THRESHOLD, threshold=threshold)
    W, own = matching_blocks(similarity, groups, universe)
    values, vectors = positive_eigenpairs(W, universe)
    U = vectors * np.sqrt(values)
    return match_blocks(U @ U.T, own, threshold)
