"""The cheapest assignment of items to columns of their own, where any item may do without one.

Each item takes its cheapest column, if its cost is below 0 and it is still free. Items whose column
is taken enter one by one along shortest augmenting paths with dual variables (Jonker and
Volgenant): the new item takes a column, the owner of that column takes another one, and so on,
until an owner takes a free column or none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.machine import compiled


class Costs(NamedTuple):
    """Item p may take the columns ``column[ptr[p]:ptr[p + 1]]`` at the costs beside them."""

    ptr: NDArray[np.int64]
    column: NDArray[np.int32]
    cost: NDArray[np.float64]


class _Search(NamedTuple):
    """The columns during a search for a shortest path."""

    owner: NDArray[np.int32]  # the item that has the column; -1: none
    dual: NDArray[np.float64]  # dual variables
    distance: NDArray[np.float64]  # length of the shortest path found so far
    parent: NDArray[np.int32]  # the item before the column on that path; -1: not reached
    reached: NDArray[np.int32]  # the columns that are reached, final distances first
    done: NDArray[np.bool_]  # whether the distance is final


@compiled(allocates=True)
def assign(n, costs, n_columns, chosen):
    """Give each of n items a column of its own, or none at cost 0; return the lowest total cost.

    Writes the column of each item into ``chosen``, -1 for none.
    """
    search = _Search(
        np.full(n_columns, -1, np.int32),
        np.zeros(n_columns),
        np.empty(n_columns),
        np.full(n_columns, -1, np.int32),
        np.empty(n_columns, np.int32),
        np.zeros(n_columns, np.bool_),
    )
    waiting = np.empty(n, np.int32)
    n_waiting = _take_cheapest(n, costs, search.owner, chosen, waiting)
    for w in range(n_waiting):
        n_reached, length, row, column = _shortest_path(waiting[w], costs, search, chosen)
        for q in range(n_reached):
            c = search.reached[q]
            if search.done[c]:
                search.dual[c] += search.distance[c] - length
        _shift(waiting[w], row, column, search, chosen)
        for q in range(n_reached):
            search.parent[search.reached[q]] = -1
            search.done[search.reached[q]] = False
    total = 0.0
    for p in range(n):
        for e in range(costs.ptr[p], costs.ptr[p + 1]):
            if costs.column[e] == chosen[p]:
                total += costs.cost[e]
    return total


@compiled
def _take_cheapest(n, costs, owner, chosen, waiting):
    """Give items their cheapest columns, the first item first; return how many find theirs taken.

    Writes ``owner`` and ``chosen``; the items whose column is taken go into ``waiting``.
    """
    n_waiting = 0
    for p in range(n):
        chosen[p] = -1
        best = 0.0
        for e in range(costs.ptr[p], costs.ptr[p + 1]):
            if costs.cost[e] < best:
                best = costs.cost[e]
                chosen[p] = costs.column[e]
        if chosen[p] >= 0 and owner[chosen[p]] >= 0:
            chosen[p] = -1
            waiting[n_waiting] = p
            n_waiting += 1
        elif chosen[p] >= 0:
            owner[chosen[p]] = p
    return n_waiting


@compiled
def _shortest_path(start, costs, search, chosen):
    """Find the cheapest way to let item ``start`` in: Dijkstra's search over reduced costs.

    Returns the number of columns reached, the length of the path, and its last item with the column
    that it takes, -1 for none. Writes ``distance``, ``parent``, ``reached`` and ``done``.
    """
    ptr, column, cost = costs.ptr, costs.column, costs.cost
    dual, distance, done = search.dual, search.distance, search.done
    n_reached, n_done = 0, 0
    row, so_far = start, 0.0
    end_cost, end_row, end_column = np.inf, start, -1
    while True:
        # An item may give up its column; the reduced cost of that is minus its dual variable.
        own = 0.0
        if row != start:
            for e in range(ptr[row], ptr[row + 1]):
                if column[e] == chosen[row]:
                    own = cost[e] - dual[chosen[row]]
        if so_far - own < end_cost:
            end_cost, end_row, end_column = so_far - own, row, -1
        for e in range(ptr[row], ptr[row + 1]):
            c = column[e]
            if done[c]:
                continue
            d = so_far + cost[e] - dual[c] - own
            if search.parent[c] < 0:
                search.reached[n_reached] = c
                n_reached += 1
            elif d >= distance[c]:
                continue
            distance[c] = d
            search.parent[c] = row
        nearest = _nearest_open(n_done, n_reached, search)
        if nearest < 0 or distance[nearest] >= end_cost:
            break
        if search.owner[nearest] < 0:
            end_cost, end_row, end_column = distance[nearest], search.parent[nearest], nearest
            break
        done[nearest] = True
        n_done += 1
        so_far = distance[nearest]
        row = search.owner[nearest]
    return n_reached, end_cost, end_row, end_column


@compiled
def _nearest_open(n_done, n_reached, search):
    """Return the reached column with the smallest distance that is not final; -1: there is none.

    It moves to the place behind the ``n_done`` final columns; all other columns stay in order.
    """
    reached, distance = search.reached, search.distance
    if n_done == n_reached:
        return -1
    at = n_done
    for q in range(n_done + 1, n_reached):
        if distance[reached[q]] < distance[reached[at]]:
            at = q
    nearest = reached[at]
    for q in range(at, n_done, -1):
        reached[q] = reached[q - 1]
    reached[n_done] = nearest
    return nearest


@compiled
def _shift(start, row, column, search, chosen):
    """Move the columns along a path: its last item takes ``column``, any other the next item's.

    Item ``start``, the first of the path, was without a column. Writes ``owner`` and ``chosen``.
    """
    while True:
        before = chosen[row]
        chosen[row] = column
        if column >= 0:
            search.owner[column] = row
        if row == start:
            break
        column = before
        row = search.parent[column]
