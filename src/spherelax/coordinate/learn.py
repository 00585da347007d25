"""Walk, and walk once more with what the best labels teach."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.graph.part import draw, is_large
from spherelax.coordinate.lesson import Facts, Lesson
from spherelax.coordinate.model import Model, unit_of
from spherelax.coordinate.moves.polish import polish_labels
from spherelax.coordinate.walk import Route, walk
from spherelax.coordinate.worth.evidence import Worth, learn_worth
from spherelax.coordinate.worth.reliability import reweighted
from spherelax.labels import Labels
from spherelax.pick import pick_description
from spherelax.problem import Problem
from spherelax.result import Callback, SweepPath

# What similarities are worth is learnt this number of times at most, from labels that are polished
# in between: it takes less time than a walk each time.
LESSONS = 4


class Learnt(NamedTuple):
    """The last model that was walked whole, its path, and whether Ctrl-C ended the learning.

    ``is_large`` tells whether scores were learnt from a part.
    """

    model: Model
    path: SweepPath
    is_whole: bool
    is_large: bool = False


def learn(
    model: Model, route: Route, callback: Callback | None, n_lessons: int = LESSONS
) -> Learnt:
    """Learn what similarities are worth, then how reliable pairs of groups are.

    Each of the two ends with a new walk. One that Ctrl-C ends counts for nothing.
    """
    path = walk(model, route, callback)
    better = _taught(model, path, route, n_lessons) if path.is_whole else model
    if better is not model:
        try:
            model, path = better, _whole_walk(better, route, callback)
        except KeyboardInterrupt:
            return Learnt(model, path, is_whole=False)
    return _reliable(Learnt(model, path, path.is_whole), route, callback)


def learn_problem(
    problem: Problem,
    route: Route,
    callback: Callback | None,
    sources: NDArray[np.int32] | None = None,
) -> Learnt:
    """Learn from a problem; if it is large, what scores are worth from a part of it.

    ``sources`` is that of `Model.of`.
    """
    unit = unit_of(problem)
    graph = build_graph(problem, unit)
    if not is_large(graph):
        return learn_null(Model.seen(problem, graph, unit, sources=sources), route, callback)
    items = np.sort(graph.given[draw(graph, graph.given).enough().items])
    lesson = Lesson.of(taught_by(problem, items, unit, route, sources), Facts.of(graph))
    of_item = None if sources is None else sources[graph.given]
    model = lesson.applied(graph, graph.given, of_item)
    path = walk(model, route, callback)
    found = Learnt(model, path, path.is_whole, is_large=True)
    return _reliable(found, route, callback)


def taught_by(
    problem: Problem,
    items: NDArray[np.integer],
    unit: float,
    route: Route,
    sources: NDArray[np.int32] | None = None,
) -> Model:
    """Return the model of some items of a problem with what their scores are worth."""
    part = problem.among(items)
    of_part = None if sources is None else sources[items]
    model = Model.seen(part, build_graph(part, unit), unit, sources=of_part)
    if not model.learns_worth:
        return model
    return _taught(model, _whole_walk(model, route, None), route, LESSONS)


def learn_null(model: Model, route: Route, callback: Callback | None) -> Learnt:
    """Learn; and anew under the plain null model, if the labels explain the degrees.

    Communities of different sizes make uneven degrees, too. With many items, where the plain model
    joins small labels in the end, the null model stays.
    """
    learnt = learn(model, route, callback)
    is_open = learnt.is_whole and model.is_corrected and not route.has_many(model)
    if not is_open or model.needs_correction(best(learnt.path)):
        return learnt
    try:
        plain = learn(model.uncorrected(), route, callback)
    except KeyboardInterrupt:
        return learnt._replace(is_whole=False)
    return plain if plain.is_whole else learnt._replace(is_whole=False)


def _reliable(learnt: Learnt, route: Route, callback: Callback | None) -> Learnt:
    """Learn how reliable pairs of groups are, and walk once more if they differ."""
    model, path = learnt.model, learnt.path
    if not (learnt.is_whole and model.right is None):
        return learnt
    weights = reweighted(model.graph, best(path))
    if weights is None:
        return learnt
    better = model.with_weights(weights)
    try:
        return learnt._replace(model=better, path=_whole_walk(better, route, callback))
    except KeyboardInterrupt:
        return learnt._replace(is_whole=False)


def best(path: SweepPath) -> Labels:
    """Return the labels that save most: whatever is picked later, all learns from the same."""
    return path.labels[pick_description(np.asarray(path.savings)).index]


def _taught(model: Model, path: SweepPath, route: Route, n_lessons: int) -> Model:
    """Return the model with what the best labels of its path teach; itself if that is nothing.

    After each lesson but the last the labels are polished with it; if they rest, all is learnt.
    """
    index = pick_description(np.asarray(path.savings)).index
    labels, resolution = path.labels[index], float(path.resolutions[index])
    for lesson in range(n_lessons):
        if lesson > 0:
            before, gamma = labels, model.average * resolution
            labels = polish_labels(model.graph, before, gamma, n_threads=route.n_threads)
            if np.array_equal(before, labels):
                break
        worth = _new_worth(model, labels)
        if worth is None:
            break
        model = model.with_worth(worth)
    return model


def _new_worth(model: Model, labels: Labels) -> Worth | None:
    """Return what labels say that similarities are worth; None if the model has that already."""
    if model.worth is None or not model.learns_worth:
        return None
    learnt = learn_worth(model.given, labels)
    return None if learnt is None or learnt.equals(model.worth) else learnt


def _whole_walk(model: Model, route: Route, callback: Callback | None) -> SweepPath:
    """Walk to the end, or raise KeyboardInterrupt."""
    path = walk(model, route, callback)
    if not path.is_whole:
        raise KeyboardInterrupt
    return path
