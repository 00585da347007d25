"""The labels of points and neighbour graphs: between valleys of density, or with thin borders."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.neighbors import components
from spherelax.coordinate.model import Model
from spherelax.coordinate.points.borders import (
    MOST_CELLS,
    OPEN,
    WIDE,
    clearest,
    is_clearer,
    loss,
    thinness,
)
from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.unseen import Unseen
from spherelax.coordinate.points.valleys import (
    N_CELLS,
    Field,
    choose,
    joined,
    merged,
    steps_to_merge,
    tree,
)
from spherelax.coordinate.readings import Plain
from spherelax.coordinate.rivals import by_count, by_evidence
from spherelax.coordinate.run import Walked, walk
from spherelax.coordinate.trail import Route
from spherelax.labels import Labels, count_labels
from spherelax.result import Callback, Status, Step, SweepPath


class Finished(NamedTuple):
    """Labels, the step that they are judged at, how they were found, and whether to the end.

    ``is_step`` tells whether they come from that step; ``unseen`` is what is known of things that
    nothing separates, if there may be any; ``rival`` the number of labels of another answer that is
    about as good.
    """

    labels: Labels
    at: int
    status: Status
    is_step: bool = True
    is_whole: bool = True
    unseen: Unseen | None = None
    rival: int | None = None


def finish_points(
    learnt: Walked, route: Route, scales: NDArray[np.float64], callback: Callback | None
) -> Finished:
    """Return the labels of points, between valleys.

    In many dimensions neighbours are far away, so that edges bridge every valley. There borders are
    compared first; if they show no clusters, valleys have the last word. In between, edges bridge
    some valleys. There labels may come from both.
    """
    graph = learnt.model.graph
    lost = loss(graph, learnt.path.labels, graph.n_items)
    if lost > OPEN:
        found = find_borders(learnt, route, callback, scales)
        if found.status is Status.BORDERS:
            return found
    found = _between_valleys(learnt, route, scales, callback)
    if WIDE < lost <= OPEN and found.is_whole:
        return _clearer(learnt, route, scales, callback, found)
    return found


def _between_valleys(
    learnt: Walked, route: Route, scales: NDArray[np.float64], callback: Callback | None
) -> Finished:
    """Return the labels with valleys all around, judged at the step with as many labels.

    Ctrl-C ends it; the labels are then chosen among the steps that were merged before.
    """
    model, path = learnt.model, learnt.path
    field, walked, cells = _cells(learnt, route, scales, N_CELLS, callback)
    steps, labelings, is_whole = steps_to_merge(walked.labels), [], True
    try:
        every = merged(field, [walked.labels[step] for step in steps])
        for index, (at, labels) in enumerate(zip(steps, every, strict=True)):
            labelings.append(labels)
            if callback is not None:
                curves = (walked.alphas, walked.etas, walked.objectives)
                alpha, eta, objective = (float(curve[at]) for curve in curves)
                callback(Step(index, len(steps), alpha, eta, objective, count_labels(labels)))
    except KeyboardInterrupt:
        if not labelings:
            raise
        is_whole = False
    chosen = choose(labelings, lambda labels: model.labeling(labels[cells]).saving)
    unseen = _unseen(field, walked, cells, chosen, _softness(model, scales))
    labels = chosen[cells]
    at = _nearest(path, labels)
    rival = by_count(labelings, chosen)
    return Finished(labels, at, Status.VALLEYS, False, is_whole, unseen, rival)


def _unseen(
    field: Field, walked: SweepPath, cells: Labels, labels: Labels, softness: Softness | None
) -> Unseen:
    """Return what valleys, between labels of cells and inside them, say of what is not seen."""
    finest = walked.labels[steps_to_merge(walked.labels)[0]]
    return Unseen(partial(tree, field, finest, labels), cells, softness)


def _softness(model: Model, scales: NDArray[np.float64] | None) -> Softness | None:
    """Return how soft labels of points are; None: unknown, where no distances are known."""
    return None if scales is None else Softness.of(model.graph, model.reading.unit, scales)


def find_borders(
    learnt: Walked,
    route: Route,
    callback: Callback | None,
    scales: NDArray[np.float64] | None = None,
) -> Finished:
    """Return the labels with the thinnest borders, compared with patches of a neighbour graph.

    If none are thinner, all that is connected gets one label. ``scales`` are given of points.
    """
    model, path, softness = learnt.model, learnt.path, _softness(learnt.model, scales)
    even = np.ones(model.graph.n_items)
    field, walked, cells = _cells(learnt, route, even, MOST_CELLS, callback)
    labelings = [labels[cells] for labels in walked.labels]
    at, supported = clearest(model.graph, labelings, field.graph.n_items)
    if at is None:
        found = join_components(learnt)
        joined = np.empty(field.graph.n_items, dtype=np.int32)
        joined[cells] = found.labels
        return found._replace(unseen=_unseen(field, walked, cells, joined, softness))
    unseen = _unseen(field, walked, cells, walked.labels[at], softness)
    labels = labelings[at]
    rival = by_evidence(labelings, supported, labels)
    return Finished(labels, _nearest(path, labels), Status.BORDERS, False, True, unseen, rival)


def _clearer(
    learnt: Walked,
    route: Route,
    scales: NDArray[np.float64],
    callback: Callback | None,
    found: Finished,
) -> Finished:
    """Return labels with borders that are thin and valleys, if they save more than those found."""
    graph = learnt.model.graph
    field, walked, cells = _cells(learnt, route, scales, MOST_CELLS, callback)
    labelings, n_cells = [labels[cells] for labels in walked.labels], field.graph.n_items
    at, supported = clearest(graph, labelings, n_cells)
    if at is None:
        return found
    finest = walked.labels[steps_to_merge(walked.labels)[0]]
    thin = partial(thinness, graph, labelings, n_cells)
    chosen = joined(field, finest, walked.labels[at], lambda labels: thin(labels[cells]))
    labels = chosen[cells]
    if not is_clearer(graph, labelings, n_cells, labels, found.labels):
        return found
    unseen = _unseen(field, walked, cells, chosen, _softness(learnt.model, scales))
    rival = by_evidence(labelings, supported, labels)
    nearest = _nearest(learnt.path, labels)
    return Finished(labels, nearest, Status.BORDERS, False, True, unseen, rival)


def _nearest(path: SweepPath, labels: Labels) -> int:
    """Return the middle one of the steps whose number of labels is nearest."""
    distance = np.abs(np.log(path.n_labels / count_labels(labels)))
    nearest = np.flatnonzero(distance == distance.min())
    return int(nearest[len(nearest) // 2])


def _cells(
    learnt: Walked,
    route: Route,
    scales: NDArray[np.float64],
    most_cells: int,
    callback: Callback | None,
) -> tuple[Field, SweepPath, Labels]:
    """Return where to look for valleys, its path, and the cell of each item in it.

    With few items each is a cell. With many, cells are the finest labels of the path that are few
    enough; if none are, its last labels are walked in the same way.
    """
    field, path = Field.of(learnt.model.graph, scales), learnt.path
    cells = np.arange(field.graph.n_items, dtype=np.int32)
    is_over = not route.has_many(learnt.model)
    while not is_over:
        n_before, is_few = field.graph.n_items, path.n_labels <= most_cells
        labels = path.labels[int(is_few.argmax()) if is_few.any() else -1]
        field, cells = field.contracted(labels), labels[cells]
        is_over = bool(is_few.any()) or field.graph.n_items == n_before
        # Cells differ in size as items do in degree: both are weights of the null model.
        has_edges = len(field.graph.values) > 0
        model = Model(field.graph, field.graph, Plain(is_corrected=has_edges))
        path = walk(model, route._replace(is_thorough=is_over), callback).path()
    return field, path, cells


def join_components(learnt: Walked) -> Finished:
    """Return one label for all that is connected, which may be noise or one cluster."""
    graph = learnt.model.graph
    labels = components(graph.indptr, graph.indices, graph.group)
    last = len(learnt.path.labels) - 1
    return Finished(labels, last, Status.NOISE, is_step=False, unseen=Unseen())
