"""Similarities in the form that the compiled kernels read.

Compressed sparse rows without the diagonal, in single precision and in units of the largest
similarity. Similarities inside a group are left out: its items never share a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.neighbors import components, in_order, n_above
from spherelax.problem import Problem

# Entries of the similarity that are read together.
BLOCK_ENTRIES = 1 << 17
# A component with at least this number of items is large.
LARGE = 1 << 12
# Similarities below this share of the largest are left out: in single precision, products of two
# of them are zero.
FAINT = 1e-30


class Graph(NamedTuple):
    """Similarities ``W_ij``, the weights ``n_i`` of the null model, and the order of the items.

    The null model says how similar two items are without any structure, in proportion to
    ``n_i n_j``: all pairs alike (weights 1), or in proportion to the degrees of both items. Items
    that are similar to nothing have weight 0.

    Items are visited by position: one connected component after the other, large ones first, and
    in each one unit after the other. A unit holds the items of one group in one component, or a
    single item that shares its group with no other.

    Attributes
    ----------
    indptr, indices, values
        Rows of W: row i is ``values[indptr[i]:indptr[i + 1]]`` at columns ``indices[...]``.
    weight
        Weight of each item in the null model.
    group
        Group of each item, numbered from 0; empty if no two items are of one group.
    component_ptr, unit_ptr
        Component c has the positions ``component_ptr[c] .. component_ptr[c + 1] - 1``, and unit u
        those from ``unit_ptr[u]`` on.
    members
        The item at each position.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    weight: NDArray[np.float32]
    group: NDArray[np.int32]
    component_ptr: NDArray[np.int32]
    unit_ptr: NDArray[np.int32]
    members: NDArray[np.int32]

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.members)

    @property
    def grouped(self) -> bool:
        """Whether any two items are of one group."""
        return len(self.group) > 0

    def groups(self) -> NDArray[np.int32]:
        """Return the group of each item, also if each has one of its own."""
        return self.group if self.grouped else np.arange(self.n_items, dtype=np.int32)

    def n_groups(self) -> int:
        """Return how many groups there are, each free item being one; 0 if all items are free."""
        return int(self.group.max(initial=-1)) + 1

    def n_large(self) -> int:
        """Return how many components are large; they are the first ones."""
        return int(np.count_nonzero(np.diff(self.component_ptr) >= LARGE))

    def n_present(self) -> int:
        """Return how many items are similar to any other."""
        return int(np.count_nonzero(self.weight))

    def above(self, floor: float) -> Graph:
        """Return the graph of the similarities above a floor, of the plain null model."""
        keep = self.values > floor
        indptr = np.r_[0, np.cumsum(n_above(self, floor))]
        weight = (np.diff(indptr) > 0).astype(np.float32)
        return self._replace(
            indptr=indptr, indices=self.indices[keep], values=self.values[keep], weight=weight
        )

    def degrees(self, floor: float) -> NDArray[np.float64]:
        """Return how many similarities above a floor each item has, at least 1 if it has any."""
        above = n_above(self, floor)
        return np.asarray(np.maximum(above, np.diff(self.indptr) > 0), dtype=float)

    def n_pairs(self) -> float:
        """Return how many pairs the null model has, weighted, those inside units left out."""
        weight = self.weight.astype(float)
        inside = np.bincount(self.group, weights=weight) if self.grouped else weight
        return 0.5 * float(weight.sum() ** 2 - np.square(inside).sum())


def arranged(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    weight: NDArray[np.float32],
    group: NDArray[np.integer] | None = None,
) -> Graph:
    """Return the graph of a symmetric similarity, in compressed sparse rows, with its order.

    Examples
    --------
    >>> W = sp.csr_array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    >>> graph = arranged(W.indptr, W.indices, W.data, np.ones(4))
    >>> graph.members, graph.component_ptr
    (array([0, 2, 1, 3], dtype=int32), array([0, 2, 4], dtype=int32))
    """
    m = len(weight)
    component = components(indptr, indices)
    sizes = np.bincount(component)
    by_size = np.argsort(sizes < LARGE, kind="stable")
    rank = np.empty_like(component, shape=len(sizes))
    rank[by_size] = np.arange(len(sizes))
    component = rank[component]
    component_ptr = np.cumsum(np.r_[0, sizes[by_size]], dtype=np.int32)
    members, unit_ptr = np.arange(m, dtype=np.int32), np.arange(m + 1, dtype=np.int32)
    if group is None or int(group.max()) + 1 == m:
        members = in_order(component, members, len(sizes))
        return Graph(indptr, indices, values, weight, members[:0], component_ptr, unit_ptr, members)
    group = group.astype(np.int32)
    unit = _units(component, group)
    sizes = np.bincount(unit)
    members = in_order(unit, members, len(sizes))
    unit_ptr = np.cumsum(np.r_[0, sizes], dtype=np.int32)
    return Graph(indptr, indices, values, weight, group, component_ptr, unit_ptr, members)


def _units(component: NDArray[np.int32], group: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the units: by component, and in it by first appearance."""
    everyone = np.arange(len(group), dtype=np.int32)
    by_group = in_order(group, everyone, int(group.max()) + 1)
    together = in_order(component, by_group, int(component.max()) + 1)
    begins = np.r_[True, (np.diff(component[together]) | np.diff(group[together])) != 0]
    first = together[begins]
    number = np.empty_like(first)
    number[np.lexsort((first, component[first]))] = np.arange(len(first))
    unit = np.empty_like(together)
    unit[together] = number[np.cumsum(begins) - 1]
    return unit


def build_graph(problem: Problem, scale: float | None = None) -> Graph:
    """Copy the similarities of a problem into a graph of the plain null model.

    They are divided by ``scale``, the largest one if it is not given; log odds may be negative.

    Examples
    --------
    >>> graph = build_graph(Problem.check([[1, 4, 0], [4, 0, 2], [0, 2, 0]]))
    >>> graph.indices, graph.values
    (array([1, 0, 2, 1], dtype=int32), array([1. , 1. , 0.5, 0.5], dtype=float32))
    """
    m = problem.n_items
    if scale is None:
        scale = float(problem.similarity.max())
    indptr = np.zeros(m + 1, dtype=np.int64)
    # A dense matrix is larger than the entries that are kept of it, so it is read once and these
    # are kept in between; a sparse one is read twice, which needs no memory.
    kept = None if sp.issparse(problem.similarity) else list(_entries(problem, scale))
    for first, rows, _, _ in kept or _entries(problem, scale):
        counts = np.bincount(rows)
        indptr[first + 1 : first + 1 + len(counts)] = counts
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)
    values = np.empty(indptr[-1], dtype=np.float32)
    at = 0
    for _, rows, columns, block in kept or _entries(problem, scale):
        indices[at : at + len(rows)] = columns
        values[at : at + len(rows)] = block
        at += len(rows)
    weight = (np.diff(indptr) > 0).astype(np.float32)
    return arranged(indptr, indices, values, weight, problem.groups)


def background(graph: Graph) -> float:
    """Return the largest similarity that says nothing: at least half of all pairs are as similar.

    In a sparse graph it is 0, that of the pairs without a similarity. It is 0 too if there were
    fewer similarities above it than items.

    Examples
    --------
    >>> W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 1.0
    >>> round(6.0 * background(build_graph(Problem.check(W))), 3)
    1.0
    """
    values, m = graph.values, graph.n_present()
    n_absent = m * (m - 1) - len(values)
    half = m * (m - 1) // 2
    if n_absent >= half:
        return 0.0
    middle = np.partition(values, half - n_absent)[half - n_absent]
    is_below = values < middle
    n_below = n_absent + np.count_nonzero(is_below)
    n_equal = np.count_nonzero(values == middle)
    # Equal similarities are above the middle of all pairs if most of them are.
    floor = middle
    if n_below + 0.5 * n_equal > half:
        floor = values[is_below].max(initial=0.0)
    is_enough = np.count_nonzero(values > floor) >= 2 * m
    return float(floor) if is_enough else 0.0


def blocks(n: int) -> Iterator[slice]:
    """Cut n entries into blocks, so that what is computed of them takes little memory.

    Examples
    --------
    >>> sum(len(range(block.start, block.stop)) for block in blocks(1_000_000))
    1000000
    """
    for first in range(0, n, BLOCK_ENTRIES):
        yield slice(first, min(first + BLOCK_ENTRIES, n))


def _entries(
    problem: Problem, scale: float
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]]:
    """Yield blocks of rows: the first row, and row (from it), column and value of each entry."""
    W, groups, m = problem.similarity, problem.groups, problem.n_items
    n_rows = max(1, BLOCK_ENTRIES * m // max(W.nnz, 1) if sp.issparse(W) else BLOCK_ENTRIES // m)
    for first in range(0, m, n_rows):
        last = min(first + n_rows, m)
        if sp.issparse(W):
            start, end = W.indptr[first], W.indptr[last]
            rows = np.repeat(np.arange(last - first), np.diff(W.indptr[first : last + 1]))
            columns, found = W.indices[start:end], W.data[start:end]
        else:
            block: Any = W[first:last]
            rows, columns = np.divmod(np.flatnonzero(block != 0), m)
            found = block[rows, columns]
        values = np.divide(found, scale, dtype=float).astype(np.float32)
        keep = (columns != rows + first) & (np.abs(values) > FAINT)
        if groups is not None:
            keep &= groups[columns] != groups[rows + first]
        yield first, rows[keep], columns[keep], values[keep]
