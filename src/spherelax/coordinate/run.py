"""The loop over resolutions, and what is learnt between two of its runs.

A walk takes a model from a high resolution, at which every item has its own label, to a low one.
At each resolution the rows of U are improved and rounded to labels, and discrete moves improve the
labels. The labels that save most then teach what similarities are worth, and the model is walked
once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Graph, build_graph, draw, is_large
from spherelax.coordinate.model import Facts, Model, Reading
from spherelax.coordinate.moves import polish_labels
from spherelax.coordinate.readings import Learnt, Listed, Ranked, read_problem, unit_of
from spherelax.coordinate.trail import Route, Trail, grid, iterates
from spherelax.coordinate.worth import BlockModel, Blocks, Matches, reweigh
from spherelax.labels import Labels
from spherelax.pick import pick_description
from spherelax.problem import Problem
from spherelax.result import Callback, SweepPath

# What similarities are worth is learnt this number of times at most, from labels that are polished
# in between: it takes less time than a walk each time.
LESSONS = 4


class Walked(NamedTuple):
    """A model and the path of its walk; ``is_large``: its reading was learnt from a part of it."""

    model: Model
    path: SweepPath
    is_large: bool = False

    @classmethod
    def of(cls, trail: Trail, *, is_large: bool = False) -> Walked:
        """Return what a walk has left behind."""
        return cls(trail.model, trail.path(), is_large)

    @property
    def best(self) -> int:
        """The step whose labels save most: whatever is picked later, all is learnt from them."""
        return pick_description(np.asarray(self.path.savings)).index

    @property
    def labels(self) -> Labels:
        """The labels that save most."""
        return self.path.labels[self.best]

    def or_better(self, other: Walked) -> Walked:
        """Return what another walk found, if its labels save more."""
        most, others = (np.asarray(each.path.savings).max() for each in (self, other))
        return other if others > most else self


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what was walked before it."""

    def __init__(self, walked: Walked) -> None:
        super().__init__()
        self.walked = walked


@contextmanager
def keeping(walked: Walked) -> Iterator[None]:
    """Let Ctrl-C carry what was walked: what has begun after it counts for nothing."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(walked) from None


def walk(model: Model, route: Route, callback: Callback | None = None) -> Trail:
    """Walk a model down the resolutions, and return what the walk has left behind."""
    resolutions, trail = grid(model, route), Trail(model, route)
    steps = zip(resolutions.tolist(), iterates(model, route, resolutions), strict=False)
    try:
        for resolution, iterate in steps:
            labels = trail.improve(iterate)
            trail.add(labels, iterate, resolution)
            if callback is not None:
                callback(trail.last_step(len(resolutions)))
            if trail.has_ended:
                break
    except KeyboardInterrupt:
        if not trail.objectives:
            raise
        raise Interrupted(Walked(model, trail.path(is_complete=False))) from None
    trail.settle()
    return trail


def run(
    problem: Problem,
    route: Route,
    callback: Callback | None,
    *,
    is_metric: bool = False,
    sources: NDArray[np.int32] | None = None,
) -> Walked:
    """Recognise what the similarities of a problem are, learn what they are worth, and walk.

    ``is_metric`` and ``sources`` are those of `read_problem`. Scores of a large problem are learnt
    from a part of it; what labels of a list foretell, from all of it. Communities of different
    sizes make uneven degrees: where degrees are corrected for, the plain null model is walked too,
    and the labels that save more are taken; but not with many items, where the plain model joins
    small labels in the end.
    """
    unit = unit_of(problem)
    graph = build_graph(problem, unit)
    if is_large(graph) and not is_metric:
        reading = read_part(problem, graph, route, unit, sources)
        of_item = None if sources is None else sources[graph.given]
        whole = reading.relearn(graph) if isinstance(reading, Listed) else None
        model = reading.read(graph, of_item) if whole is None else whole
        return weigh_groups(Walked.of(walk(model, route, callback), is_large=True), route, callback)
    model = read_problem(problem, graph, unit=unit, is_metric=is_metric, sources=sources)
    walked = learn(model, route, callback)
    is_open = model.reading.is_corrected and not route.has_many(model) and not is_metric
    if not is_open:
        return walked
    with keeping(walked):
        plain = learn(model.reread(is_corrected=False), route, callback)
    return plain.or_better(walked) if _explain_degrees(walked) else walked.or_better(plain)


def learn(model: Model, route: Route, callback: Callback | None = None) -> Walked:
    """Walk a model, learn from its best labels what similarities are worth, and walk once more."""
    walked = Walked.of(walk(model, route, callback))
    with keeping(walked):
        if isinstance(model.reading, Ranked):
            listed = model.reading.surprise(model, rarity=0.0)
            walked = walked.or_better(Walked.of(walk(listed.read_again(model), route, callback)))
        better = teach(walked, route)
        if better is not walked.model:
            taught = Walked.of(walk(better, route, callback))
            walked = walked.or_better(taught) if isinstance(model.reading, Ranked) else taught
    return weigh_groups(walked, route, callback)


def teach(walked: Walked, route: Route) -> Model:
    """Return the model with what its best labels teach; the same model if that is nothing.

    After each lesson but the last the labels are polished with it; if they rest, all is learnt.
    With groups, labels that save less teach nothing.
    """
    model, path = walked.model, walked.path
    labels, resolution = walked.labels, float(path.resolutions[walked.best])
    for lesson in range(LESSONS):
        if lesson > 0:
            before, gamma = labels, model.average * resolution
            labels = polish_labels(model.graph, before, gamma, n_threads=route.n_threads)
            if np.array_equal(before, labels) or _saves_less(model, labels, before):
                break
        reading = model.reading.learn(model, labels)
        if reading is None:
            break
        model = reading.read_again(model)
    return model


def weigh_groups(walked: Walked, route: Route, callback: Callback | None) -> Walked:
    """Learn how reliable pairs of groups are, and walk once more if they differ."""
    model = walked.model
    if model.reading.is_likelihood:
        return walked
    with keeping(walked):
        weights = reweigh(model.graph, walked.labels)
        if weights is None:
            return walked
        trail = walk(model.with_weights(weights), route, callback)
        return Walked.of(trail, is_large=walked.is_large)


def read_part(
    problem: Problem,
    graph: Graph,
    route: Route,
    unit: float,
    sources: NDArray[np.int32] | None = None,
) -> Reading:
    """Return the reading of a large problem, learnt from a part of it."""
    items = np.sort(graph.given[draw(graph).enough().items])
    of_part = None if sources is None else sources[items]
    return read_whole(problem.among(items), Facts.of(graph), route, unit, of_part)


def read_whole(
    part: Problem,
    facts: Facts,
    route: Route,
    unit: float,
    sources: NDArray[np.int32] | None = None,
) -> Reading:
    """Return what a part teaches about the similarities of the whole."""
    model = read_problem(part, unit=unit, sources=sources)
    if isinstance(model.reading, Learnt):
        model = teach(Walked.of(walk(model, route)), route)
    return model.reading.generalise(model, facts)


def _explain_degrees(walked: Walked) -> bool:
    """Tell whether the best labels of a graph without groups explain the degrees of items."""
    description, account = walked.model.description, walked.model.labeling(walked.labels).account
    assert isinstance(description, BlockModel)
    assert isinstance(account, Blocks)
    return not description.is_corrected(account)


def _saves_less(model: Model, labels: Labels, others: Labels) -> bool:
    """Tell whether labels of matches save less than others."""
    if not isinstance(model.description, Matches):
        return False
    return model.labeling(labels).saving < model.labeling(others).saving
