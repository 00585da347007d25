"""Similarities in the form that the compiled kernels read.

Compressed sparse rows without the diagonal, in single precision and in units of the largest
similarity. Similarities inside a group are left out: its items never share a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.neighbors import (
    Entries,
    close_gaps,
    components,
    count_columns,
    enter_transposed,
    in_order,
    n_above,
)
from spherelax.problem import Problem

# Entries of the similarity that are read together.
BLOCK_ENTRIES = 1 << 17
# A component with at least this number of items is large.
LARGE = 1 << 12
# Similarities below this share of the largest are left out: in single precision, products of two
# of them are zero.
FAINT = 1e-30

Scalar = TypeVar("Scalar", bound=np.generic)


class Graph(NamedTuple):
    """Similarities ``W_ij``, the weights ``n_i`` of the null model, and groups.

    The null model says how similar two items are without any structure, in proportion to
    ``n_i n_j``: all pairs alike (weights 1), or in proportion to the degrees of both items. Items
    that are similar to nothing have weight 0.

    Items have an order of their own, in which they are numbered here: one connected component after
    the other, and in each one unit after the other. A unit holds the items of one group in one
    component, or a single item that shares its group with no other. So what is needed together
    lies together in memory.

    Attributes
    ----------
    indptr, indices, values
        Rows of W: row i is ``values[indptr[i]:indptr[i + 1]]`` at columns ``indices[...]``, which
        rise.
    weight
        Weight of each item in the null model.
    group
        Group of each item, numbered from 0; empty if no two items are of one group.
    component_ptr, unit_ptr
        Component c has the items ``component_ptr[c] .. component_ptr[c + 1] - 1``, and unit u those
        from ``unit_ptr[u]`` on.
    given
        The number that each item has in the problem.
    strongest
        The largest similarity; of a part of a problem, that of the whole.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    weight: NDArray[np.float32]
    group: NDArray[np.int32]
    component_ptr: NDArray[np.int32]
    unit_ptr: NDArray[np.int32]
    given: NDArray[np.int32]
    strongest: float

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.given)

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

    def as_given(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return values of the items in the order of the problem."""
        found = np.empty_like(values)
        found[self.given] = values
        return found

    def n_present(self) -> int:
        """Return how many items are similar to any other."""
        return int(np.count_nonzero(self.weight))

    def with_values(self, values: NDArray[np.float32]) -> Graph:
        """Return the graph with other similarities of the same pairs."""
        return self._replace(values=values, strongest=strongest(values))

    def above(self, floor: float) -> Graph:
        """Return the graph of the similarities above a floor, of the plain null model."""
        keep = self.values > floor
        indptr = np.r_[0, np.cumsum(n_above(self, floor))]
        weight = (np.diff(indptr) > 0).astype(np.float32)
        return self._replace(
            indptr=indptr, indices=self.indices[keep], values=self.values[keep], weight=weight
        )

    def among(self, items: NDArray[np.integer]) -> Graph:
        """Return the graph of some items, which must be whole components, in rising order.

        Examples
        --------
        >>> graph = build_graph(Problem.check(np.kron(np.eye(3), np.ones((2, 2)))))
        >>> part = graph.among(np.array([2, 3]))
        >>> part.given, part.indices, part.component_ptr
        (array([2, 3], dtype=int32), array([1, 0], dtype=int32), array([0, 2], dtype=int32))
        """
        n_before, is_in = np.zeros(self.n_items + 1, dtype=np.int32), np.zeros(self.n_items, bool)
        is_in[items] = True
        np.cumsum(is_in, out=n_before[1:])
        counts = np.diff(self.indptr)
        kept = np.repeat(is_in, counts)
        return self._replace(
            indptr=np.r_[0, np.cumsum(counts[items])],
            indices=n_before[self.indices[kept]],
            values=self.values[kept],
            strongest=strongest(self.values[kept]),
            weight=self.weight[items],
            group=self.group[items] if self.grouped else self.group,
            component_ptr=np.unique(n_before[self.component_ptr]),
            unit_ptr=np.unique(n_before[self.unit_ptr]),
            given=self.given[items],
        )

    def degrees(self, floor: float) -> NDArray[np.float64]:
        """Return how many similarities above a floor each item has, at least 1 if it has any."""
        above = n_above(self, floor)
        return np.asarray(np.maximum(above, np.diff(self.indptr) > 0), dtype=float)

    def n_pairs(self) -> float:
        """Return how many pairs the null model has, weighted, those inside groups left out."""
        weight = self.weight.astype(float)
        inside = np.bincount(self.group, weights=weight) if self.grouped else weight
        return 0.5 * float(weight.sum() ** 2 - np.square(inside).sum())


def build_graph(
    problem: Problem, scale: float | None = None, given: NDArray[np.int32] | None = None
) -> Graph:
    """Copy the similarities of a problem into a graph of the plain null model.

    They are divided by ``scale``, the largest one if it is not given; log odds may be negative. If
    ``given`` has the numbers of the items in some order, that is kept, and all items are taken for
    one component.

    Examples
    --------
    >>> graph = build_graph(Problem.check([[1, 4, 0], [4, 0, 2], [0, 2, 0]]))
    >>> graph.indices, graph.values
    (array([1, 0, 2, 1], dtype=int32), array([1. , 1. , 0.5, 0.5], dtype=float32))
    >>> W = [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    >>> graph = build_graph(Problem.check(W))
    >>> graph.given, graph.component_ptr
    (array([0, 2, 1, 3], dtype=int32), array([0, 2, 4], dtype=int32))
    """
    m = problem.n_items
    if scale is None:
        scale = float(problem.similarity.max())
    W = problem.similarity if sp.issparse(problem.similarity) else _sparse(problem.similarity)
    group = _groups(problem)
    component_ptr, unit_ptr = np.array([0, m], dtype=np.int32), np.arange(m + 1, dtype=np.int32)
    if given is None:
        indptr = W.indptr.astype(np.int64, copy=False)
        component = components(indptr, W.indices.astype(np.int32, copy=False), group)
        component_ptr = np.cumsum(np.r_[0, np.bincount(component)], dtype=np.int32)
        unit = _units(component, group) if len(group) else component
        given, ptr = in_order(unit)
        unit_ptr = ptr if len(group) else unit_ptr
    place = np.empty(m, dtype=np.int32)
    place[given] = np.arange(m, dtype=np.int32)
    group = group[given] if len(group) else group
    indptr = np.zeros(m + 1, dtype=np.int64)
    count_columns(W.indices.astype(np.int32, copy=False), place, indptr)
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)
    values = np.empty(indptr[-1], dtype=np.float32)
    ends = indptr[:-1].copy()
    for block in _entries(W, scale, given, place, group):
        enter_transposed(block, ends, indices, values)
    if not np.array_equal(ends, indptr[1:]):
        close_gaps(ends, indptr, indices, values)
        for entries in (indices, values):
            entries.resize(indptr[-1], refcheck=False)
    weight = (np.diff(indptr) > 0).astype(np.float32)
    most = strongest(values)
    return Graph(indptr, indices, values, weight, group, component_ptr, unit_ptr, given, most)


def strongest(values: NDArray[np.float32]) -> float:
    """Return the largest of some similarities; 0 if there are none or all are below."""
    return float(values.max(initial=0.0))


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


def _sparse(W: NDArray[Any]) -> Any:
    """Return the entries of a dense similarity that are not 0, read in blocks, as CSR."""
    m = len(W)
    indptr, columns, found = np.zeros(m + 1, dtype=np.int64), [], []
    n_rows = max(1, BLOCK_ENTRIES // m)
    for first in range(0, m, n_rows):
        block = W[first : first + n_rows]
        rows, column = np.divmod(np.flatnonzero(block != 0), m)
        indptr[first + 1 : first + 1 + len(block)] = np.bincount(rows, minlength=len(block))
        columns.append(column.astype(np.int32))
        found.append(block[rows, column])
    np.cumsum(indptr, out=indptr)
    return sp.csr_array((np.concatenate(found), np.concatenate(columns), indptr), shape=W.shape)


def _groups(problem: Problem) -> NDArray[np.int32]:
    """Return the group of each item of a problem; none if each has its own."""
    group = problem.groups
    if group is None or int(group.max()) + 1 == problem.n_items:
        return np.empty(0, dtype=np.int32)
    return group.astype(np.int32)


def _units(component: NDArray[np.int32], group: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the unit of each item, numbered by component, and in it by first appearance."""
    by_group = in_order(group)[0]
    together = by_group[in_order(component[by_group])[0]]
    begins = np.r_[True, (np.diff(component[together]) | np.diff(group[together])) != 0]
    first = together[begins]
    number = np.empty_like(first)
    number[np.lexsort((first, component[first]))] = np.arange(len(first))
    unit = np.empty_like(together)
    unit[together] = number[np.cumsum(begins) - 1]
    return unit


def _entries(
    W: Any,
    scale: float,
    given: NDArray[np.int32],
    place: NDArray[np.int32],
    group: NDArray[np.int32],
) -> Iterator[Entries]:
    """Yield the entries between groups, in blocks of rows in order."""
    m = len(given)
    n_rows = max(1, BLOCK_ENTRIES * m // max(W.nnz, 1))
    for first in range(0, m, n_rows):
        chosen = given[first : first + n_rows]
        starts, counts = W.indptr[chosen], W.indptr[chosen + 1] - W.indptr[chosen]
        begins = np.cumsum(counts) - counts
        at = np.arange(counts.sum()) + np.repeat(starts - begins, counts)
        rows = np.repeat(np.arange(first, first + len(chosen), dtype=np.int32), counts)
        columns = place[W.indices[at]]
        values = np.divide(W.data[at], scale, dtype=float).astype(np.float32)
        keep = (columns != rows) & (np.abs(values) > FAINT)
        if len(group):
            keep &= group[columns] != group[rows]
        yield Entries(rows[keep], columns[keep], values[keep])
