"""The universe-free solver from a problem to labels: which part is called when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.duplicates import find_duplicates
from spherelax.coordinate.finish import finish
from spherelax.coordinate.finish_points import Finished
from spherelax.coordinate.graph.graph import Graph, are_new
from spherelax.coordinate.kinds import recognise
from spherelax.coordinate.learn import Learnt, best, learn, learn_problem
from spherelax.coordinate.model import Model, extended
from spherelax.coordinate.moves.polish import polished
from spherelax.coordinate.points.valleys import MOST_ITEMS
from spherelax.coordinate.solved import CoordinateSource
from spherelax.coordinate.walk import Route
from spherelax.labels import Labels, count_labels, renumber, separate_groups
from spherelax.metrics import modularity
from spherelax.pick import pick_step
from spherelax.problem import Problem
from spherelax.result import (
    Callback,
    Outcome,
    Status,
    SweepPath,
)
from spherelax.settings import Coordinate


def run(
    problem: Problem,
    settings: Coordinate,
    pick: str | float,
    *,
    scales: NDArray[np.float64] | None,
    n_threads: int,
    callback: Callback | None,
    sources: NDArray[np.int32] | None = None,
) -> Outcome:
    """Walk the resolutions, learn and walk again, choose a step and finish its labels.

    ``sources`` is given if free items of one source may be copies of each other.
    """
    problem = recognise(problem)
    through = None if isinstance(pick, str) else pick
    has_neighbors = pick == "description" and problem.kind == "neighbors"
    is_metric = has_neighbors or pick == "valleys"
    is_thorough = is_metric and problem.n_items <= MOST_ITEMS
    route = Route(settings, n_threads, through, is_thorough)
    if is_metric:
        learnt = learn(Model.of(problem, is_metric=True), route, callback)
    else:
        learnt = learn_problem(problem, route, callback, sources)
    model, given = learnt.model, learnt.model.graph.given
    picked = pick_step(
        learnt.path,
        "description" if pick == "valleys" else pick,
        merged=learnt.path.n_labels == 1,
        score=lambda labels: modularity(problem.similarity, model.graph.as_given(labels)),
        eta_floor=settings.eta_floor,
    )
    joins_noise = problem.groups is None
    scales = None if scales is None else scales[given]
    found = finish(
        learnt,
        route,
        picked,
        scales=scales,
        joins_noise=joins_noise,
        callback=callback,
        has_neighbors=has_neighbors,
    )
    model, teacher, as_given = learnt.model, _teacher(learnt, found), _AsGiven(learnt.model.graph)
    path = replace(learnt.path, labels=tuple(map(as_given, learnt.path.labels)))
    labels = as_given(found.labels)
    del learnt, as_given  # the labels in the order of the graph, before copies are looked for
    return Outcome(
        labels=labels,
        alpha=float(path.alphas[found.at]),
        index=found.at if found.is_step else None,
        status=found.status,
        is_whole=found.is_whole,
        path=path,
        source=CoordinateSource(
            model,
            route,
            teacher,
            find_duplicates(problem, model, labels),
            None if sources is None else sources[given],
            found.unseen,
        ),
        right=picked.right,
        left=picked.left,
        rival=found.alternative,
    )


def run_soft(problem: Problem, settings: Coordinate, pick: str | float, **others: Any) -> Outcome:
    """Run; then again, if some groups clearly hold copies, with the items of these groups free.

    What the similarities are taken for stays the same. Groups without clear copies keep their wall.
    """
    hard = run(problem, settings, pick, **others)
    source: Any = hard.source
    if not (hard.is_whole and source.with_copies):
        return hard
    free = problem.freed(source.with_copies)
    if free.kind != "odds":
        kind = "graph" if source.model.right is None else "pairs"
        free = Problem(free.similarity, free.groups, kind)
    soft = run(free, settings, pick, sources=problem.groups, **others)
    return with_found(soft, source)


def with_found(outcome: Outcome, source: CoordinateSource) -> Outcome:
    """Return an outcome with the copies that were found with groups, before items were free."""
    new: Any = outcome.source
    return replace(outcome, source=replace(new, found=source.found))


def absorb(
    problem: Problem,
    source: CoordinateSource,
    labels: Labels,
    alpha: float,
    sources: NDArray[np.int32] | None = None,
) -> Outcome:
    """Polish labels of the first items of a problem, and the others, at a resolution.

    If no item has new similarities, labels stay as they are.
    The resolution stays what it was; where degrees are corrected for, which grow with the
    collection, it stays in proportion to the average. ``sources`` is that of `run`.
    """
    before, model = source.model, extended(source.model, problem)
    graph = model.graph
    unit = model.average if before.is_corrected else before.plain_average or before.average
    gamma = unit * alpha / (1.0 - alpha)
    n_new = graph.n_items - len(labels)
    alone = np.arange(n_new, dtype=np.int32) + np.int32(count_labels(labels))
    everyone, active = np.r_[labels, alone], are_new(before.given, model.given)
    if problem.groups is not None:
        n_labels, everyone = count_labels(everyone), separate_groups(everyone, problem.groups)
        active |= count_labels(everyone) != n_labels
    everyone = everyone[graph.given]
    if active.any():
        everyone = polished(graph, everyone, gamma, active=active)
    labeling = model.labeling(everyone)
    found = renumber(graph.as_given(labeling.labels))
    resolution = gamma / model.average
    path = SweepPath(
        alphas=np.array([resolution / (1.0 + resolution)]),
        etas=np.zeros(1),
        objectives=np.array([model.objective(labeling.account, resolution)]),
        labels=(found,),
        savings=np.array([labeling.saving]),
    )
    return Outcome(
        labels=found,
        alpha=float(path.alphas[0]),
        index=0,
        status=Status.ABSORBED,
        is_whole=True,
        path=path,
        source=CoordinateSource(
            model,
            source.route,
            labeling.labels,
            find_duplicates(problem, model, found),
            None if sources is None else sources[graph.given],
            None if source.unseen is None else source.unseen.elsewhere(),
        ),
    )


class _AsGiven:
    """Labels of a graph in the order of the problem; what was one array stays one."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known: dict[int, tuple[Labels, Labels]] = {}

    def __call__(self, labels: Labels) -> Labels:
        """Return labels in the order of the problem, numbered by first appearance."""
        if id(labels) not in self.known:
            self.known[id(labels)] = labels, renumber(self.graph.as_given(labels))
        return self.known[id(labels)][1]


def _teacher(learnt: Learnt, found: Finished) -> Labels:
    """Return the labels that teach how likely pairs are right: whatever is picked, the best.

    Where the path does not have the best, they are those that were found.
    """
    is_best = found.status in (Status.DESCRIBED, Status.VALLEYS, Status.BORDERS)
    is_joined = found.status is Status.NOISE and not learnt.model.learns_worth
    return found.labels if is_best or is_joined else best(learnt.path)
