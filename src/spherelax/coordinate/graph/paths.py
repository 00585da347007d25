"""Strongest paths between items, and weakest cuts, of what pairs are worth as a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import (
    breadth_first_order,
    connected_components,
    maximum_flow,
    minimum_spanning_tree,
)

Floats = NDArray[np.float64]
Side = NDArray[np.bool_]

# Capacities of pairs are whole numbers up to this one, so that a minimum cut can be computed.
CAPACITY = 1 << 20
# Cuts of a spanning tree that are compared at most.
MOST_CUTS = 500
# What differs by less than this share is the same; and the capacity of the pair that is worth
# least, where all are moved above 0.
ROUNDING = 1e-6


def spanning_tree(worth: sp.csr_array) -> sp.csr_array:
    """Return a maximum spanning tree; what pairs are worth is negative."""
    capacity = _capacity(worth)
    capacity.data = -capacity.data
    return sp.csr_array(minimum_spanning_tree(capacity))


def strongest_path(tree: sp.csr_array, a: int, b: int) -> list[int]:
    """Return the path whose weakest pair is as strong as can be; empty if there is none.

    ``tree`` is a maximum spanning tree.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> strongest_path(spanning_tree(W), 0, 2)
    [0, 1, 2]
    """
    before = breadth_first_order(tree, a, directed=False)[1]
    path = [b]
    while path[-1] != a:
        if before[path[-1]] < 0:
            return []
        path.append(int(before[path[-1]]))
    return path[::-1]


def minimum_cut(worth: sp.csr_array, a: int, b: int) -> Side:
    """Tell which items are on the side of the first of two in a minimum cut between them.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 3.0, 0.5], [3.0, 0.0, 2.0], [0.5, 2.0, 0.0]])
    >>> minimum_cut(W, 0, 2)
    array([ True,  True, False])
    """
    capacity = _capacity(worth)
    share = capacity.data / capacity.data.max(initial=ROUNDING)
    capacity.data = np.maximum(np.rint(share * CAPACITY), 1.0)
    whole = sp.csr_array(capacity, dtype=np.int32)
    left = sp.csr_array(whole - maximum_flow(whole, a, b).flow)
    left.eliminate_zeros()
    found = np.zeros(worth.shape[0], dtype=np.bool_)
    found[breadth_first_order(left, a, return_predecessors=False)] = True
    return found


def contract_pairs(worth: sp.csr_array, part: NDArray[np.integer]) -> sp.csr_array:
    """Return what all pairs between two parts are worth together, for any two parts.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 3.0, 0.5], [3.0, 0.0, 2.0], [0.5, 2.0, 0.0]])
    >>> contract_pairs(W, np.array([0, 1, 1])).toarray().tolist()
    [[0.0, 3.5], [3.5, 0.0]]
    """
    pairs = worth.tocoo()
    one, other = part[pairs.row], part[pairs.col]
    differ = one != other
    entries = (pairs.data[differ], (one[differ], other[differ]))
    return sp.csr_array(sp.coo_array(entries, shape=(int(part.max()) + 1,) * 2))


def weakest_cut(worth: sp.csr_array, absent: float, weight: Floats) -> Side:
    """Tell which items are on one side of the weakest cut, the smaller side.

    What two items are worth is ``worth``, less ``absent`` times the weights of both. Cuts of one
    pair of a maximum spanning tree are compared; then items change sides as long as that lowers
    what all pairs across are worth.

    Examples
    --------
    >>> W = sp.csr_array(np.kron(np.eye(2), np.ones((3, 3))) + 0.1 - 1.1 * np.eye(6))
    >>> weakest_cut(W, 0.1, np.ones(6))
    array([ True,  True,  True, False, False, False])
    """

    def pull(sign: Floats) -> Floats:
        """Return how much more draws each item to the side above 0 than to the other."""
        return np.asarray(worth @ sign - absent * weight * (weight @ sign - weight * sign))

    sides = (np.where(side, 1.0, -1.0) for side in _cuts_of_tree(worth))
    sign = max(sides, key=lambda sign: float(sign @ pull(sign)))
    drawn, n_beside = pull(sign), {side: int(np.sum(sign == side)) for side in (1.0, -1.0)}
    least = ROUNDING * max(float(np.abs(drawn).max()), 1.0)
    while True:
        is_last = np.where(sign > 0.0, n_beside[1.0], n_beside[-1.0]) == 1
        loose = np.where(is_last, np.inf, sign * drawn)
        item = int(loose.argmin())
        if loose[item] >= -least:
            return np.asarray(sign > 0 if 2 * np.sum(sign > 0) <= len(sign) else sign < 0)
        near, turn = slice(*worth.indptr[item : item + 2]), 2.0 * sign[item]
        drawn += turn * absent * weight[item] * weight
        drawn[item] -= turn * absent * weight[item] ** 2
        drawn[worth.indices[near]] -= turn * worth.data[near]
        n_beside[sign[item]] -= 1
        sign[item] *= -1.0
        n_beside[sign[item]] += 1


def _capacity(worth: sp.csr_array) -> sp.csr_array:
    """Return what pairs are worth, moved so that all are above 0.

    Examples
    --------
    >>> _capacity(sp.csr_array([[0.0, -2.0, 1.0], [-2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).data.round(2)
    array([0., 3., 0., 3.])
    """
    found = sp.csr_array(worth, copy=True)
    found.data = found.data - found.data.min(initial=0.0) + ROUNDING
    return found


def _cuts_of_tree(worth: sp.csr_array) -> Iterator[Side]:
    """Yield cuts that cut one pair of a maximum spanning tree each, the weakest first.

    If the graph is not connected, its parts are cut from each other.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> [side.tolist() for side in _cuts_of_tree(W)]
    [[True, True, False], [True, False, False]]
    """
    n_parts, part = connected_components(worth, directed=False)
    if n_parts > 1:
        yield from (part == number for number in range(min(n_parts, MOST_CUTS)))
        return
    tree = spanning_tree(worth).tocoo()
    for cut in np.argsort(-tree.data, kind="stable")[:MOST_CUTS].tolist():
        kept = np.arange(tree.nnz) != cut
        rest = sp.coo_array((tree.data[kept], (tree.row[kept], tree.col[kept])), tree.shape)
        part = connected_components(rest, directed=False)[1]
        yield np.asarray(part == part[0])
