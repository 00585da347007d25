"""The cheapest assignment of items to columns of their own, where any item may do without one."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def assign(n, ptr, column, cost, n_columns, chosen):
    """Give each of n items a column of its own, or none at cost 0; return the lowest total cost.

    Item p may take ``column[ptr[p]:ptr[p + 1]]`` at ``cost``. Each takes its cheapest column, if
    that is below 0 and still free; the others enter one by one along shortest augmenting paths with
    dual variables (Jonker and Volgenant), which may end at an item that gives its column up.
    """
    owner = np.full(n_columns, -1, np.int32)
    waiting, n_waiting = np.empty(n, np.int32), 0
    for p in range(n):
        chosen[p] = -1
        best = 0.0
        for e in range(ptr[p], ptr[p + 1]):
            if cost[e] < best:
                best = cost[e]
                chosen[p] = column[e]
        if chosen[p] >= 0 and owner[chosen[p]] >= 0:
            chosen[p] = -1
            waiting[n_waiting] = p
            n_waiting += 1
        elif chosen[p] >= 0:
            owner[chosen[p]] = p
    dual = np.zeros(n_columns)
    distance = np.empty(n_columns)
    parent = np.full(n_columns, -1, np.int32)
    reached = np.empty(n_columns, np.int32)
    done = np.zeros(n_columns, np.bool_)
    for w in range(n_waiting):
        start = waiting[w]
        n_reached = 0
        row, so_far = start, 0.0
        end_cost, end_row, end_column = np.inf, -1, -1
        while True:
            # The row may stay without a column; its reduced cost for that is -u.
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
                if parent[c] < 0:
                    reached[n_reached] = c
                    n_reached += 1
                elif d >= distance[c]:
                    continue
                distance[c] = d
                parent[c] = row
            nearest = -1
            for q in range(n_reached):
                c = reached[q]
                if not done[c] and (nearest < 0 or distance[c] < distance[nearest]):
                    nearest = c
            if nearest < 0 or distance[nearest] >= end_cost:
                break
            if owner[nearest] < 0:
                end_cost, end_row, end_column = distance[nearest], parent[nearest], nearest
                break
            done[nearest] = True
            so_far = distance[nearest]
            row = owner[nearest]
        for q in range(n_reached):
            c = reached[q]
            if done[c]:
                dual[c] += distance[c] - end_cost
        # Shift the columns along the path: each row takes the next one, the first was without.
        row, c = end_row, end_column
        while True:
            before = chosen[row]
            chosen[row] = c
            if c >= 0:
                owner[c] = row
            if row == start:
                break
            c = before
            row = parent[c]
        for q in range(n_reached):
            parent[reached[q]] = -1
            done[reached[q]] = False
    total = 0.0
    for p in range(n):
        for e in range(ptr[p], ptr[p + 1]):
            if column[e] == chosen[p]:
                total += cost[e]
    return total
