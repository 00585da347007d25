"""Problems that are solved like an earlier one: what was learnt is frozen, and labels stay.

A component in which nothing has changed keeps its labels. In any other component, labels of a list
of candidates are the cut of its hierarchy at the level of before; they depend on nothing but this
component. Other labels begin as they were: items whose similarities are new or have changed move,
and labels that hold such items may merge. Where items are gone, the rest of their component is
walked again from the highest resolution, so that nothing is left of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Candidates, Graph, build_graph, keys_of_items
from spherelax.coordinate.known import Known
from spherelax.coordinate.lists import Foretold
from spherelax.coordinate.moves import absorb_items, assign_items
from spherelax.coordinate.relax import round_rows, sweep_rows
from spherelax.coordinate.solve import duplicates_of
from spherelax.coordinate.solved import CoordinateSolved
from spherelax.coordinate.trail import ENTRIES, STEPS, TOP, WEAK, Route
from spherelax.labels import Labels, count_labels, renumber, separate_groups
from spherelax.problem import Problem
from spherelax.result import Outcome, Status, SweepPath

Flags = NDArray[np.bool_]


def solve_like(
    problem: Problem, known: Known, labels: Labels, alpha: float, *, keeps_known: bool = False
) -> Outcome:
    """Give labels to the items of a problem like those of an earlier one, at its resolution.

    ``labels`` are those of the earlier problem. If ``keeps_known``, all known items keep theirs. If
    copies may share labels, the items of their groups are free.
    """
    reading, found, freed, sources = known.reading, known.copies_among(problem), problem, None
    if known.groups is not None:
        freed = problem.freed(one.group for one in found if one.is_clear)
        sources = problem.groups
    graph = build_graph(freed, reading.unit)
    of_item = None if sources is None else sources[graph.given]
    model, level = reading.read(graph, of_item), known.average * alpha / (1.0 - alpha)
    begin = _Begin.of(model.given, known, labels, known.places(problem))
    if keeps_known:
        gamma = 0.0 if reading.is_likelihood else level
        after = assign_items(model.graph, begin.labels, count_labels(labels), gamma)
    elif reading.foretold is not None:
        after = begin.cut(reading.foretold, model.given, level)
    else:
        level = 0.0 if reading.is_likelihood else level
        walked = begin.shrink(model.graph) if reading.is_corrected else model.graph
        after = begin.absorb(walked, known.route, level)
    labeling = model.labeling(after)
    numbered = renumber(graph.as_given(labeling.labels))
    resolution = level / model.average
    path = SweepPath(
        alphas=np.array([resolution / (1.0 + resolution)]),
        etas=np.zeros(1),
        objectives=np.array([model.objective(labeling.account, resolution)]),
        labels=(numbered,),
        savings=np.array([labeling.saving]),
    )
    solved = CoordinateSolved(
        model,
        known.route,
        labeling.labels,
        duplicates_of(problem, model, numbered) if sources is None else found,
        of_item,
        known.unseen,
        known.is_soft,
        names=problem.names,
    )
    return Outcome(
        labels=numbered,
        alpha=float(path.alphas[0]),
        index=0,
        status=Status.ABSORBED,
        is_complete=True,
        path=path,
        solved=solved,
        reading=reading.name,
    )


class _Begin(NamedTuple):
    """Labels to begin with, in the order of a graph.

    Attributes
    ----------
    labels : ndarray of int32
        Those of before; new items are alone.
    is_new : ndarray of bool
        Items that are new.
    active : ndarray of bool
        Items that are new, or whose similarities are.
    has_lost : ndarray of bool
        Items with other similarities than before, if items are gone: most were similar to these.
    """

    labels: Labels
    is_new: Flags
    active: Flags
    has_lost: Flags

    @classmethod
    def of(cls, graph: Graph, known: Known, labels: Labels, place: NDArray[np.intp]) -> _Begin:
        """Begin with the labels of items whose places are known; -1: an item is new."""
        is_new: Flags = place < 0
        n_known = count_labels(labels)
        differs: Flags = ~is_new & (keys_of_items(graph, place) != known.keys[place])
        begin = labels[place]
        begin[is_new] = n_known + np.arange(np.count_nonzero(is_new))
        at = graph.given
        begin, is_new, differs = begin[at], is_new[at], differs[at]
        near = np.bincount(graph.rows(), weights=is_new[graph.indices], minlength=graph.n_items)
        are_gone = np.count_nonzero(~is_new) < len(labels)
        active: Flags = is_new | differs | (near > 0)
        return cls(begin, is_new, active, differs if are_gone else np.zeros_like(differs))

    def separated(self, graph: Graph) -> _Begin:
        """Let items leave their label if another one of their group is in it."""
        if not graph.grouped:
            return self
        labels = separate_groups(self.labels, graph.groups())
        before, after = (np.bincount(each)[each] for each in (self.labels, labels))
        return self._replace(labels=labels, active=self.active | (after != before))

    def shrink(self, graph: Graph) -> Graph:
        """Return a graph whose degrees are those of before, on average in each component.

        Where degrees are corrected for, similarities are compared with products of degrees, which
        grow with the collection.
        """
        component, known = _components(graph), ~self.is_new
        rows = graph.rows()[known[graph.rows()]]
        others = graph.indices[known[graph.rows()]]
        n_components = len(graph.component_ptr) - 1
        now = np.bincount(component[rows], minlength=n_components)
        before = np.bincount(component[rows], weights=known[others], minlength=n_components)
        shrunk = np.where(before > 0, before / np.maximum(now, 1), 1.0)
        return graph._replace(weight=(graph.weight * shrunk[component]).astype(np.float32))

    def cut(self, foretold: Foretold, graph: Graph, level: float) -> Labels:
        """Cut the hierarchy of the components that have changed, at the nearest level it knows."""
        labels, _, active, _ = self.separated(graph)
        nearest = np.array([foretold.nearest(level)])
        (found,) = foretold.steps(Candidates.of(graph), nearest)
        component = _components(graph)
        has_changed = np.bincount(component, weights=active)[component] > 0
        return renumber(np.where(has_changed, graph.n_items + found, labels))

    def absorb(self, graph: Graph, route: Route, gamma: float) -> Labels:
        """Move active items at a resolution; where items are gone, walk down to it before."""
        labels, _, active, has_lost = self.separated(graph)
        for first, last in pairwise(graph.component_ptr.tolist()):
            if has_lost[first:last].any():
                items = np.arange(first, last)
                labels[items] = len(labels) + items[_walk_to(gamma, graph.among(items), route)]
                active[items] = True
        begin = renumber(labels)
        return absorb_items(graph, begin, gamma, active) if active.any() else begin


def _walk_to(gamma: float, graph: Graph, route: Route) -> Labels:
    """Walk the rows of U from the highest resolution to another, and round them."""
    weight = graph.weight.astype(float)
    ratio = graph.values / (weight[graph.rows()] * weight[graph.indices])
    top = TOP * float(ratio.max(initial=0.0))
    if top <= gamma:
        return np.arange(graph.n_items, dtype=np.int32)
    steps = sweep_rows(
        graph,
        np.geomspace(top, max(gamma, WEAK * top), STEPS),
        row_entries=route.settings.row_entries or ENTRIES,
        n_inner=route.settings.n_inner,
        n_threads=route.n_threads,
    )
    for step in steps:
        labels = round_rows(graph, step.rows)
    return np.asarray(labels)


def _components(graph: Graph) -> NDArray[np.intp]:
    """Return the component of each item."""
    return np.repeat(np.arange(len(graph.component_ptr) - 1), np.diff(graph.component_ptr))
