"""How the entities of two answers overlap, and which of them are best taken for the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from spherelax.io.answers.labelled import Labelled, as_text, order_of
from spherelax.labels import encode

# Above this number of cells, overlaps are assigned without a dense table.
DENSE = 1 << 20

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Overlap:
    """How many items each entity before shares with each entity after.

    Entities are numbered by their items: first the one with the item whose name is first. So
    neither the order of the items nor the labels matter.

    Attributes
    ----------
    before, after : ndarray of shape (n_flows,)
        Where items come from and go to; -1: nowhere, they are gone or new.
    n_items : ndarray of shape (n_flows,)
        How many items they are.
    labels_before, labels_after : list
        Label of each entity.
    of_items : ndarray
        Entity of each item of the answer after.

    Examples
    --------
    >>> found = Overlap.of(Labelled.of([5, 5, 7]), Labelled.of([0, 0, 0, 1]))
    >>> found.before, found.after, found.n_items
    (array([-1,  0,  1]), array([1, 0, 0]), array([1, 2, 1]))
    """

    before: Codes
    after: Codes
    n_items: Codes
    labels_before: list[Any]
    labels_after: list[Any]
    of_items: Codes

    @classmethod
    def of(cls, before: Labelled, after: Labelled) -> Overlap:
        """Count the items of each entity of both answers."""
        place = before.places_of(after)
        is_new = np.flatnonzero(place < 0)
        n_old = len(before.labels)
        place[is_new] = n_old + np.arange(len(is_new))
        rank = _common_order(before, after, is_new)
        sides = []
        for answer, at in ((before, np.arange(n_old)), (after, place)):
            codes, labels = _by_content(answer.labels, rank[at])
            side = np.full(n_old + len(is_new), -1, dtype=np.intp)
            side[at] = codes
            sides.append((side, labels))
        (old, labels_before), (new, labels_after) = sides
        width = len(labels_after) + 1
        flows, n_items = np.unique((old + 1) * width + new + 1, return_counts=True)
        return cls(
            flows // width - 1, flows % width - 1, n_items, labels_before, labels_after, new[place]
        )

    def components(self) -> Codes:
        """Return the change that each flow is part of: entities that share items are of one."""
        n_old, n_new = len(self.labels_before), len(self.labels_after)
        both = (self.before >= 0) & (self.after >= 0)
        n = n_old + n_new
        links = sp.coo_array(
            (np.ones(both.sum()), (self.before[both], n_old + self.after[both])), shape=(n, n)
        )
        entity = np.where(self.before >= 0, self.before, n_old + self.after)
        return encode(connected_components(links, directed=False)[1][entity], "entities")

    def successors(self) -> Codes:
        """Return which entity after is taken for each entity before; -1: none.

        One for one, and so that as many items as possible stay: a linear assignment. Of equally
        good ones, first entities come first.

        Examples
        --------
        >>> Overlap.of(Labelled.of([0, 0, 0, 1]), Labelled.of([0, 0, 1, 1])).successors()
        array([0, 1])
        """
        found = np.full(len(self.labels_before), -1)
        both = (self.before >= 0) & (self.after >= 0)
        change = self.components()[both]
        order = np.argsort(change, kind="stable")
        rows, columns, n_items = (x[both][order] for x in (self.before, self.after, self.n_items))
        ends = np.cumsum(np.bincount(change))
        plain = np.flatnonzero(np.diff(ends, prepend=0) == 1)
        found[rows[ends[plain] - 1]] = columns[ends[plain] - 1]
        for first, last in pairwise((0, *ends.tolist())):
            if last - first > 1:
                part = slice(first, last)
                one, other = _assign(rows[part], columns[part], n_items[part])
                found[one] = other
        return found


def _assign(rows: Codes, columns: Codes, n_items: Codes) -> tuple[Codes, Codes]:
    """Assign the entities of one change, so that as many items as possible stay."""
    one, at = np.unique(rows, return_inverse=True)
    other, to = np.unique(columns, return_inverse=True)
    if len(one) == 1 or len(other) == 1:
        best = int(n_items.argmax())
        return rows[best : best + 1], columns[best : best + 1]
    n, m = len(one), len(other)
    if n * m <= DENSE:
        overlap = np.zeros((n, m))
        overlap[at, to] = n_items
        chosen, partner = linear_sum_assignment(overlap, maximize=True)
        is_real = overlap[chosen, partner] > 0
    else:
        # Each row may also stay alone; one more item everywhere changes nothing but keeps zeros.
        alone = np.arange(n)
        cells = (np.r_[n_items + 1, np.ones(n)], (np.r_[at, alone], np.r_[to, m + alone]))
        overlap = sp.csr_array(cells, shape=(n, m + n))
        chosen, partner = min_weight_full_bipartite_matching(overlap, maximize=True)
        is_real = partner < m
    return one[chosen[is_real]], other[partner[is_real]]


def _common_order(before: Labelled, after: Labelled, is_new: Codes) -> Codes:
    """Return the place of each item of both answers by name: those before, then new ones."""
    if isinstance(before.names, range) and isinstance(after.names, range):
        return np.arange(len(before.names) + len(is_new))
    names = [*before.names, *(after.names[item] for item in is_new.tolist())]
    return order_of(list(map(as_text, names)) if before.is_text != after.is_text else names)


def _by_content(labels: list[Any], rank: Codes) -> tuple[Codes, list[Any]]:
    """Return numbers of labels in order of their first item, one per item, and the labels."""
    by_name = np.argsort(rank)
    inverse = np.empty_like(by_name)
    inverse[by_name] = np.arange(len(by_name))
    in_order = [labels[item] for item in by_name.tolist()]
    return encode(in_order, "labels")[inverse], list(dict.fromkeys(in_order))
