"""Similarities in the form that the compiled kernels read.

Compressed sparse rows without the diagonal, in single precision and in units of the largest
similarity. Similarities inside a group are left out: its items never share a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.graph.neighbors import TINY, begins_of, components, in_order, places_of
from spherelax.coordinate.graph.order import Order, canonical, keys_of_rows
from spherelax.coordinate.graph.source import (
    BLOCK_ENTRIES,
    Rows,
    Source,
    Target,
    copy_rows,
    enter_columns,
)
from spherelax.labels import Labels, renumber
from spherelax.problem import MOST_NATS, Problem

# A component with at least this number of items is large.
LARGE = 1 << 12
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
        rise. Each of ``values`` is an entry.
    weight
        Weight of each item in the null model.
    group
        Group of each item, numbered from 0; empty if no two items are of one group.
    component_ptr, unit_ptr
        Component c has the items ``component_ptr[c] .. component_ptr[c + 1] - 1``, and unit u the
        items from ``unit_ptr[u]`` on.
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
        """Return how many groups have a similarity, each free item being one; 0 if all are free."""
        return len(np.unique(self.group[self.weight > 0])) if self.grouped else 0

    def rows(self) -> NDArray[np.int32]:
        """Return the row of each entry of ``values``."""
        return np.repeat(np.arange(self.n_items, dtype=np.int32), np.diff(self.indptr))

    def pairs(self) -> NDArray[np.bool_]:
        """Tell of each entry whether it is above the diagonal: so each pair is met once.

        Examples
        --------
        >>> graph = build_graph(Problem.check([[0, 4, 0], [4, 0, 2], [0, 2, 0]]))
        >>> graph.rows(), graph.values[graph.pairs()]
        (array([0, 1, 1, 2], dtype=int32), array([1. , 0.5], dtype=float32))
        """
        return np.asarray(self.rows() < self.indices)

    def inside(self, labels: Labels) -> NDArray[np.bool_]:
        """Tell of each entry whether its two items share a label."""
        return np.asarray(np.repeat(labels, np.diff(self.indptr)) == labels[self.indices])

    def as_given(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return values of the items in the order of the problem."""
        found = np.empty_like(values)
        found[self.given] = values
        return found

    def matrix(self, values: NDArray[Scalar]) -> sp.csr_array:
        """Return values of the similarities as a matrix."""
        return sp.csr_array((values, self.indices, self.indptr), shape=(self.n_items,) * 2)

    def matrix_as_given(self, values: NDArray[Scalar]) -> sp.csr_array:
        """Return values of the similarities as a matrix, in the order of the problem."""
        entries = (values, (self.given[self.rows()], self.given[self.indices]))
        return sp.csr_array(sp.coo_array(entries, shape=(self.n_items,) * 2))

    def n_present(self) -> int:
        """Return how many items are similar to any other."""
        return int(np.count_nonzero(self.weight))

    def with_values(self, values: NDArray[np.float32]) -> Graph:
        """Return the graph with other similarities of the same pairs."""
        return self._replace(values=values, strongest=strongest(values))

    def present(self) -> Graph:
        """Return the graph among the items that are similar to any other, which stay in order."""
        found = self.among(np.flatnonzero(np.diff(self.indptr)))
        return found._replace(group=renumber(found.group)) if self.grouped else found

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

    def n_pairs(self) -> float:
        """Return how many pairs the null model has, weighted, without the pairs inside groups."""
        weight = self.weight.astype(float)
        inside = np.bincount(self.group, weights=weight) if self.grouped else weight
        return 0.5 * float(weight.sum() ** 2 - np.square(inside).sum())


def build_graph(
    problem: Problem, scale: float | None = None, given: NDArray[np.int32] | None = None
) -> Graph:
    """Copy the similarities of a problem into a graph of the plain null model.

    They are divided by ``scale``, the `largest` one if it is not given; log odds may be negative.
    Items are put in an order that does not depend on that of the problem (`order.canonical`), nor
    on ties if the problem has names. If ``given`` has their numbers in some order, that is kept,
    and all are taken for one component.

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
    if scale is None:
        scale = largest(problem) or 1.0
    if given is None and problem.names is not None:
        by_name = np.argsort(problem.names, kind="stable").astype(np.int32)
        graph = build_graph(replace(problem.among(by_name), names=None), scale)
        return graph._replace(given=by_name[graph.given])
    W = problem.similarity if sp.issparse(problem.similarity) else _sparse(problem.similarity)
    source, group = _source(W, scale), _groups(problem)
    begin = _by_component(source, group) if given is None else _together(given)
    rows, n_entries = _copy_in_any_order(source, group, begin)
    order = begin
    if given is None:
        found = canonical(rows, begin)
        n_entries, order = n_entries[found.items], found._replace(items=begin.items[found.items])
    del rows  # its memory is needed
    return _copy(source, group, order, n_entries)


def largest(problem: Problem) -> float:
    """Return the largest similarity of two items that may share a label; 0 if there is none.

    Examples
    --------
    >>> largest(Problem.check([[9, 5, 2], [5, 9, 1], [2, 1, 9]], groups=["x", "x", "y"]))
    2.0
    """
    W, m = problem.similarity, problem.n_items
    group = np.arange(m) if problem.groups is None else problem.groups
    n_entries = W.nnz if sp.issparse(W) else m * m
    if sp.issparse(W) and n_entries > 0:
        at = int(W.data.argmax())
        if group[np.searchsorted(W.indptr, at, side="right") - 1] != group[W.indices[at]]:
            return float(W.data[at])
    n_rows, found = max(1, BLOCK_ENTRIES * m // max(n_entries, 1)), 0.0
    for first in range(0, m, n_rows):
        part = sp.coo_array(W[first : first + n_rows])
        differ = group[part.row + np.intp(first)] != group[part.col]
        found = max(found, float(part.data[differ].max(initial=0)))
    return found


def strongest(values: NDArray[np.float32]) -> float:
    """Return the largest of some similarities; 0 if there are none or all are below."""
    return float(values.max(initial=0.0))


def keys_of_items(graph: Graph, names: NDArray[np.integer] | None = None) -> NDArray[np.uint64]:
    """Return a key of the similarities of each item, in the order of the problem.

    ``names`` are the numbers by which items are known, if these are not their places; those below 0
    do not count.
    """
    named = graph.given if names is None else names[graph.given].astype(np.int32)
    bits = graph.values.view(np.uint32)
    return graph.as_given(keys_of_rows(graph.indptr, named[graph.indices], bits))


def blocks(n: int) -> Iterator[slice]:
    """Cut n entries into blocks, so that what is computed of them takes little memory.

    Examples
    --------
    >>> sum(len(range(block.start, block.stop)) for block in blocks(1_000_000))
    1000000
    """
    for first in range(0, n, BLOCK_ENTRIES):
        yield slice(first, min(first + BLOCK_ENTRIES, n))


def _source(W: Any, scale: float) -> Source:
    """Return a sparse similarity in few types, so that kernels are compiled for few."""
    data = W.data if W.data.dtype == np.float32 else W.data.astype(float, copy=False)
    indptr, scale = W.indptr.astype(np.int64, copy=False), float(scale)
    return Source(indptr, W.indices, data, scale, float(TINY), MOST_NATS * scale)


def _copy_in_any_order(
    source: Source, group: NDArray[np.int32], order: Order
) -> tuple[Rows, NDArray[np.int64]]:
    """Copy similarities into rows in an order, whose neighbours are in no order.

    Returns them, and how many items have each item for a neighbour.
    """
    m, n = len(order.items), len(source.indices)
    indptr, n_entries = np.zeros(m + 1, dtype=np.int64), np.zeros(m, dtype=np.int64)
    indices, values = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.float32)
    group = group[order.items] if len(group) else group
    target = Target(order.items, places_of(order.items), group, indices, values)
    copy_rows(source, target, indptr, n_entries)
    for entries in (indices, values):
        entries.resize(indptr[-1], refcheck=False)
    return Rows(indptr, indices, values, group), n_entries


def _copy(
    source: Source, group: NDArray[np.int32], order: Order, n_entries: NDArray[np.int64]
) -> Graph:
    """Copy W into a graph, rows and columns in an order; ``n_entries`` are the lengths of rows."""
    indptr = np.cumsum(np.r_[0, n_entries])
    indices = np.empty(indptr[-1], dtype=np.int32)
    values = np.empty(indptr[-1], dtype=np.float32)
    group = renumber(group[order.items]) if len(group) else group
    target = Target(order.items, places_of(order.items), group, indices, values)
    enter_columns(source, target, indptr[:-1].copy())
    return Graph(
        indptr,
        indices,
        values,
        weight=(np.diff(indptr) > 0).astype(np.float32),
        group=group,
        component_ptr=order.component_ptr,
        unit_ptr=order.unit_ptr,
        given=order.items,
        strongest=strongest(values),
    )


def _together(given: NDArray[np.int32]) -> Order:
    """Take all items for one component, in an order that is kept."""
    m = len(given)
    return Order(given, np.array([0, m], dtype=np.int32), np.arange(m + 1, dtype=np.int32))


def _by_component(source: Source, group: NDArray[np.int32]) -> Order:
    """Sort items by component, and in each by unit."""
    component = components(source.indptr, source.indices.astype(np.int32, copy=False), group)
    component_ptr = begins_of(np.bincount(component))
    if len(group) == 0:
        given = in_order(component)[0]
        return Order(given, component_ptr, np.arange(len(given) + 1, dtype=np.int32))
    given, unit_ptr = in_order(_units(component, group))
    return Order(given, component_ptr, unit_ptr)


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
    return group.astype(np.int32, copy=False)


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
