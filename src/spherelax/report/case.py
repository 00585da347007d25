"""The data that every part of a report uses: items, similarities and result."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from spherelax.coordinate.graph import Graph, build_graph
from spherelax.errors import InvalidInputError
from spherelax.io.items import Columns, Items, Names, View
from spherelax.io.readers.colmap import Keypoints
from spherelax.io.readers.pairs import Records
from spherelax.io.words import Words
from spherelax.labels import count_labels
from spherelax.problem import Problem
from spherelax.result import EntityProbability, Result, percent, steady_steps

# Labels that are less likely pure than this hold different things, whatever single items say.
MIXED = 0.5


@dataclass(frozen=True, eq=False)
class Case:
    """Items, their similarities, and the result for them.

    Attributes
    ----------
    names : list of str
        Name of each item.
    groups : list or None
        Group of each item as the user names it.
    problem : Problem
        Similarities, without log odds below 0, and groups as integers.
    scale : float
        The largest similarity, the unit of ``graph.values``.
    graph : Graph
        Similarities of different items that may share a label.
    result : Result
        The labels, the path and more.
    scores : callable
        Turns similarities into the user's own scores.
    words : Words
        What items, groups and labels are called.
    numbers : ndarray of shape (n_items,)
        Number of each item's label, as in files; -1: its label has none.
    details : dict of str to list
        Columns of the user's own tables, which are shown beside names.
    spots : ndarray of shape (n_items, 2) or None
        Place of each keypoint in its photograph, in pixels.
    view : View or None
        Numbers that show the items in a plane.
    n_unmatched : int
        Number of items that were not read, because they match nothing.
    """

    names: list[str]
    groups: Names | None
    problem: Problem
    scale: float
    graph: Graph
    result: Result
    scores: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    words: Words
    numbers: NDArray[np.integer]
    details: Columns
    spots: NDArray[np.float64] | None
    view: View | None
    n_unmatched: int

    @classmethod
    def of(cls, items: Items, result: Result) -> Case:
        """Make a case of items and their result; refuse a result with another number of items."""
        problem = items.problem.positive()
        if len(result.labels) != problem.n_items:
            raise InvalidInputError(
                f"result must be that of the {problem.n_items} items; "
                f"found {len(result.labels)} labels"
            )
        _check(items.view, problem.n_items)
        scale = float(problem.similarity.max())
        groups = None if items.groups is None else list(items.groups)
        graph = build_graph(problem, scale, np.arange(problem.n_items, dtype=np.int32))
        return cls(
            items.names,
            groups,
            problem,
            scale,
            graph,
            result,
            items.scores,
            items.words,
            items.numbers(result),
            (isinstance(items, Records) and items.details) or {},
            items.positions if isinstance(items, Keypoints) else None,
            items.view,
            items.n_unmatched,
        )

    def say(self, text: str) -> str:
        """Say a text about items, groups and labels in the words of the input."""
        return self.words.speak(text)

    def found(self) -> str:
        """Say how many labels were found, from how many items and groups."""
        sizes = np.bincount(self.result.labels)
        return self.words.found(
            n_items=self.n_items + self.n_unmatched,
            n_groups=len(self.group_sizes),
            n_labels=len(sizes) + self.n_unmatched,
            n_single=int((sizes == 1).sum()) + self.n_unmatched,
        )

    def number(self, item: int) -> str:
        """Return the number of the label of an item, as it is in files."""
        return str(self.numbers[item]) if self.numbers[item] >= 0 else "none"

    def purity(self, label: int) -> str:
        """Return how likely all items of a label are the same thing; empty if it is not known."""
        if self.likely is None or self.sizes[label] == 1:
            return ""
        return percent(float(self.likely.pure[label]))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.problem.n_items

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of items of each label."""
        return np.bincount(self.result.labels)

    @cached_property
    def likely(self) -> EntityProbability | None:
        """How likely each label is pure, and whole; None if that is not known."""
        return self.result.entities()

    @cached_property
    def sure(self) -> NDArray[np.float64]:
        """The least of the confidences of each label's items and of how likely it is pure."""
        labels = self.result.labels
        sure = np.full(count_labels(labels), np.inf)
        np.minimum.at(sure, labels, self.result.confidence)
        return sure if self.likely is None else np.fmin(sure, self.likely.pure)

    @cached_property
    def mixed(self) -> NDArray[np.bool_]:
        """Tell of each label whether it more likely holds different things than one."""
        if self.likely is None:
            return np.zeros(count_labels(self.result.labels), dtype=np.bool_)
        return np.asarray(self.likely.pure < MIXED)

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """Row of each entry of the graph; ``graph.indices`` is its column."""
        return self.graph.rows()

    @cached_property
    def components(self) -> NDArray[np.int32]:
        """Connected component of each item."""
        W = self.graph.matrix(self.graph.values)
        return np.asarray(connected_components(W, directed=False)[1])

    @cached_property
    def conflicted(self) -> NDArray[np.bool_]:
        """Tell of each component whether it holds two items of one group."""
        held = np.zeros(count_labels(self.components), dtype=np.bool_)
        if self.problem.groups is not None:
            key = self.components * np.int64(self.n_items) + self.problem.groups
            found, counts = np.unique(key, return_counts=True)
            held[found[counts > 1] // self.n_items] = True
        return held

    @cached_property
    def n_labels_per_step(self) -> NDArray[np.intp]:
        """Number of labels at each step; those of single items count if the words say so."""
        counts = self.result.path.n_labels
        if self.words.counts_single:
            return counts
        return np.array([np.count_nonzero(np.bincount(at) > 1) for at in self.result.path.labels])

    @cached_property
    def steady(self) -> range:
        """The steps around the chosen one whose labels are nearly those of the result."""
        return steady_steps(self.result.path.labels, self.result.path.picked)

    @cached_property
    def group_sizes(self) -> dict[Hashable, int]:
        """Number of items in each group, in order of appearance; items without one do not count."""
        sizes: dict[Hashable, int] = {}
        for group in self.groups or ():
            if group is not None:
                sizes[group] = sizes.get(group, 0) + 1
        return sizes


def _check(view: View | None, n_items: int) -> None:
    """Refuse numbers that are not those of the items, or of which there is no mean."""
    if view is None:
        return
    expected = n_items, len(view.columns)
    if view.points.shape != expected or not len(view.columns):
        raise InvalidInputError(
            f"view must have a row per item and a name per column; found {view.points.shape} for "
            f"{n_items} items and {len(view.columns)} names"
        )
    if (view.are_features or len(view.columns) > 2) and not np.isfinite(view.points).all():
        raise InvalidInputError("view must hold finite numbers; found others")
