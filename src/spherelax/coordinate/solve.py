"""The universe-free solver from a problem to labels: which part is called when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.copies import find_duplicates, graph_of_all
from spherelax.coordinate.either import could_be_either, solve_either
from spherelax.coordinate.finish import finish
from spherelax.coordinate.finish_points import Finished, finish_points
from spherelax.coordinate.graph import Graph
from spherelax.coordinate.kinds import recognise
from spherelax.coordinate.model import Model
from spherelax.coordinate.points import MOST_ITEMS
from spherelax.coordinate.readings import Learnt
from spherelax.coordinate.run import Interrupted, Walked, run
from spherelax.coordinate.solved import CoordinateSolved
from spherelax.coordinate.trail import Route
from spherelax.labels import Labels, renumber
from spherelax.metrics import modularity
from spherelax.pick import pick_step
from spherelax.problem import Problem
from spherelax.result import (
    Callback,
    Duplicates,
    Outcome,
    Status,
)
from spherelax.settings import Coordinate


def solve(
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

    Ctrl-C ends it with the best that was found before. ``sources`` is given if free items of one
    source may be copies of each other. What may be a graph or a list is solved as both.
    """
    problem = recognise(problem)
    if pick != "valleys" and could_be_either(problem):
        again = partial(
            solve, settings=settings, scales=scales, n_threads=n_threads, callback=callback
        )
        return solve_either(problem, again, pick)
    through = None if isinstance(pick, str) else pick
    has_neighbors = pick == "description" and problem.kind == "neighbors"
    is_metric = has_neighbors or pick == "valleys"
    n_alike = int(np.count_nonzero(~problem.isolated))
    is_thorough = is_metric and n_alike <= MOST_ITEMS
    route = Route(settings, n_threads, through, is_thorough)
    is_complete = True
    try:
        walked = run(problem, route, callback, is_metric=is_metric, sources=sources)
    except Interrupted as stop:
        walked, is_complete = stop.walked, False
    model, given = walked.model, walked.model.graph.given
    picked = pick_step(
        walked.path,
        "description" if pick == "valleys" else pick,
        merged=walked.path.n_labels == 1,
        score=lambda labels: modularity(problem.similarity, model.graph.as_given(labels)),
        eta_floor=settings.eta_floor,
    )
    at = picked.index
    found = Finished(walked.path.labels[at], at, picked.status, is_complete=is_complete)
    try:
        if is_complete and scales is not None:
            found = finish_points(walked, route, scales[given], callback)
        elif is_complete and has_neighbors and picked.status is Status.DESCRIBED:
            found = finish_points(walked, route, None, callback)
        else:
            for better in finish(walked, route, found, joins_noise=problem.groups is None):
                found = better
    except KeyboardInterrupt:
        found = found._replace(is_complete=False)
    teacher, as_given = _teacher(walked, found), _AsGiven(model.graph)
    path = replace(walked.path, labels=tuple(map(as_given, walked.path.labels)))
    labels = as_given(found.labels)
    del walked, as_given  # the labels in the order of the graph, before copies are looked for
    return Outcome(
        labels=labels,
        alpha=float(path.alphas[found.at]),
        index=found.at if found.is_step else None,
        status=found.status,
        is_complete=found.is_complete,
        path=path,
        solved=CoordinateSolved(
            model,
            route,
            teacher,
            duplicates_of(problem, model, labels),
            None if sources is None else sources[given],
            found.unseen,
            names=problem.names,
        ),
        right=picked.right,
        left=picked.left,
        alternative=found.alternative,
        kind="points" if pick == "valleys" else problem.kind or _kind(model),
        reading=model.reading.name,
    )


def duplicates_of(problem: Problem, model: Model, labels: Labels) -> tuple[Duplicates, ...]:
    """Return for each group how many of its items are copies."""
    if problem.groups is None or not model.graph.grouped:
        return ()
    every = graph_of_all(problem, model.given, model.reading.unit)
    worth = model.reading.appraise(model, every)
    return find_duplicates(problem.groups, model.given, worth, labels)


def _kind(model: Model) -> str:
    """Return what similarities of which nobody said it were taken for."""
    return "graph" if model.judged is None else "pairs"


def solve_soft(problem: Problem, settings: Coordinate, pick: str | float, **others: Any) -> Outcome:
    """Solve; then again, if some groups clearly hold copies, with the items of these groups free.

    What the similarities are taken for stays the same. Groups without clear copies keep their wall.
    """
    hard = solve(problem, settings, pick, **others)
    solved: Any = hard.solved
    if not (hard.is_complete and solved.with_copies):
        return with_found(hard, solved.found)
    free = problem.freed(solved.with_copies)
    if free.kind != "odds":
        free = replace(free, kind=_kind(solved.model))
    soft = solve(free, settings, pick, sources=problem.groups, **others)
    return replace(with_found(soft, solved.found), kind=hard.kind)


def with_found(outcome: Outcome, found: Iterable[Duplicates]) -> Outcome:
    """Return an outcome that lets copies share labels, with those found before items were free."""
    new: Any = outcome.solved
    return replace(outcome, solved=replace(new, found=tuple(found), is_soft=True))


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


def _teacher(walked: Walked, found: Finished) -> Labels:
    """Return the labels that teach how likely pairs are right: whatever is picked, the best.

    Where the path does not have the best, they are those that were found.
    """
    is_best = found.status in (Status.DESCRIBED, Status.VALLEYS, Status.CLOUD, Status.BORDERS)
    is_joined = found.status is Status.NOISE and not isinstance(walked.model.reading, Learnt)
    return found.labels if is_best or is_joined else walked.labels
