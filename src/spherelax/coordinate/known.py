"""What must be known of a result to extend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.model import Reading
from spherelax.coordinate.points import Unseen
from spherelax.coordinate.trail import Route
from spherelax.judgements import Judgements
from spherelax.problem import Problem
from spherelax.result import Duplicates


class Known(NamedTuple):
    """What must be known of a result to extend it; of its similarities, little.

    Attributes
    ----------
    reading : Reading
        What the similarities are taken for.
    average : float
        Their average, before pairs of groups were weighted.
    keys : ndarray of uint64
        A key of the similarities of each item, in the order of the problem.
    names : ndarray of uint64 or None
        That of the problem, by which its items are known again; None: by their places.
    groups : ndarray of int32 or None
        The group of each item, if copies share labels.
    kept : Judgements or None
        What was judged, in the order of the problem.
    route, found, is_soft
        Those of `CoordinateSolved`.
    unseen : Unseen or None
        That of `CoordinateSolved`, where items have been added.
    """

    reading: Reading
    average: float
    keys: NDArray[np.uint64]
    names: NDArray[np.uint64] | None
    groups: NDArray[np.int32] | None
    kept: Judgements | None
    route: Route
    found: Sequence[Duplicates]
    is_soft: bool
    unseen: Unseen | None

    @property
    def is_plain(self) -> bool:
        """Whether it is made of numbers alone: valleys between points are computed when needed."""
        return self.unseen is None or self.unseen.valleys is None

    def places(self, problem: Problem) -> NDArray[np.intp]:
        """Return for each item of a problem its place in this one; -1: it is new."""
        n_known, n_items = len(self.keys), problem.n_items
        if self.names is None or problem.names is None:
            return np.where(np.arange(n_items) < n_known, np.arange(n_items), -1)
        order = np.argsort(self.names)
        at = np.searchsorted(self.names, problem.names, sorter=order)
        found = order[at.clip(max=n_known - 1)]
        return np.where(self.names[found] == problem.names, found, -1)

    def new_places(self, problem: Problem) -> NDArray[np.intp]:
        """Return for each item its place in another problem; -1: it is gone."""
        place = self.places(problem)
        found = np.full(len(self.keys), -1)
        found[place[place >= 0]] = np.flatnonzero(place >= 0)
        return found

    def copies_among(self, problem: Problem) -> tuple[Duplicates, ...]:
        """Return the copies that share labels as those of another problem with these items.

        Where items of a group are gone, as many of its copies are expected to be gone.
        """
        if self.groups is None or problem.groups is None:
            return ()
        place, found = self.new_places(problem), []
        for one in self.found:
            items = place[self.groups == one.group]
            pairs = np.sort(place[one.pairs].reshape(-1, 2), axis=1)
            is_there = (pairs >= 0).all(axis=1)
            for group in problem.groups[items[items >= 0]][:1].tolist():
                left, n_items = np.mean(items >= 0), int(np.sum(problem.groups == group))
                expected = min(one.expected * float(left), n_items - 1.0)
                changed = replace(one, group=group, n_items=n_items, expected=expected)
                likely = one.probability[is_there]
                found.append(replace(changed, pairs=pairs[is_there], probability=likely))
        return tuple(found)
