"""The labels of a chosen step: merged between valleys, compared with noise, improved further."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.learn import Learnt
from spherelax.coordinate.model import Model
from spherelax.coordinate.neighbors import components
from spherelax.coordinate.noise import beyond_noise
from spherelax.coordinate.polish import polished
from spherelax.coordinate.shake import shaken
from spherelax.coordinate.valleys import choose, merged, steps_to_merge
from spherelax.coordinate.walk import Route
from spherelax.labels import Labels, count_labels
from spherelax.pick import Pick
from spherelax.result import Callback, Status, Step

# Labels whose saving is this share of the best are nearly as good.
NEARLY = 0.99


class Finished(NamedTuple):
    """Labels, the step that they are judged at, how they were found, and whether to the end.

    ``is_step`` tells whether they come from that step.
    """

    labels: Labels
    at: int
    status: Status
    is_step: bool = True
    is_whole: bool = True


def finish(
    learnt: Learnt,
    route: Route,
    pick: Pick,
    *,
    scales: NDArray[np.float64] | None,
    joins_noise: bool,
    callback: Callback | None,
) -> Finished:
    """Return the labels of a pick; those of a sweep that was interrupted are only polished.

    ``scales`` are given if labels are to be merged between valleys; ``joins_noise`` tells whether
    all that is connected gets one label where it looks like noise. Ctrl-C ends it, with what was
    found before.
    """
    found = Finished(learnt.path.labels[pick.index], pick.index, pick.status)
    try:
        if learnt.is_whole and scales is not None:
            found = _between_valleys(learnt, scales, callback)
        elif pick.status is Status.DESCRIBED and learnt.model.right is not None:
            return _likeliest(learnt, found)
        elif learnt.is_whole and pick.status is Status.DESCRIBED:
            found = _compared(learnt, route, found, joins_noise)
        if route.has_many(learnt.model) and not _has_small_labels(learnt.model):
            found = found._replace(labels=_polished(learnt, route, found))
        elif learnt.is_whole and pick.status is Status.DESCRIBED and found.is_step:
            found = found._replace(labels=_shaken(learnt, found))
    except KeyboardInterrupt:
        return found._replace(is_whole=False)
    return found._replace(is_whole=learnt.is_whole and found.is_whole)


def _between_valleys(
    learnt: Learnt, scales: NDArray[np.float64], callback: Callback | None
) -> Finished:
    """Return the labels with valleys all around, judged at the step with as many labels.

    Ctrl-C ends it; the labels are then chosen among the steps that were merged before.
    """
    model, path = learnt.model, learnt.path
    steps, labelings, is_whole = steps_to_merge(path.labels), [], True
    try:
        every = merged(model.graph, [path.labels[step] for step in steps], scales)
        for index, (at, labels) in enumerate(zip(steps, every, strict=True)):
            labelings.append(labels)
            if callback is not None:
                curves = (path.alphas, path.etas, path.objectives)
                alpha, eta, objective = (float(curve[at]) for curve in curves)
                callback(Step(index, len(steps), alpha, eta, objective, count_labels(labels)))
    except KeyboardInterrupt:
        if not labelings:
            raise
        is_whole = False
    labels = choose(labelings, lambda labels: model.labeling(labels).saving)
    distance = np.abs(np.log(path.n_labels / count_labels(labels)))
    nearest = np.flatnonzero(distance == distance.min())
    at = int(nearest[len(nearest) // 2])
    return Finished(labels, at, Status.VALLEYS, is_step=False, is_whole=is_whole)


def _has_small_labels(model: Model) -> bool:
    """Tell whether labels are entities, which single moves find and merging would only chain."""
    return model.learns_worth and not model.graph.grouped


def _likeliest(learnt: Learnt, found: Finished) -> Finished:
    """Return the labels of log odds that no move makes likelier."""
    labels = polished(learnt.model.graph, found.labels, gamma=0.0)
    return Finished(labels, found.at, Status.LIKELIEST, is_whole=learnt.is_whole)


def _compared(learnt: Learnt, route: Route, found: Finished, joins: bool) -> Finished:
    """Return the best labels that save more than those of noise.

    If there are none, say that the labels may be those of noise, and join what is connected if that
    is wanted.
    """
    path = learnt.path
    is_beyond = beyond_noise(learnt, route)
    if is_beyond[found.at]:
        return found
    if is_beyond.any():
        at = int(np.where(is_beyond, np.asarray(path.savings), -np.inf).argmax())
        return found._replace(labels=path.labels[at], at=at)
    if not joins:
        return found._replace(status=Status.NOISE)
    labels = components(learnt.model.graph)
    return Finished(labels, len(path.labels) - 1, Status.NOISE, is_step=False)


def _shaken(learnt: Learnt, found: Finished) -> Labels:
    """Return better labels at the resolution of a step."""
    model = learnt.model
    gamma = model.average * float(learnt.path.resolutions[found.at])
    return shaken(model, model.labeling(found.labels), gamma).labels


def _polished(learnt: Learnt, route: Route, found: Finished) -> Labels:
    """Return labels of many items, which do not merge during the walk, polished whole.

    They come to rest well before the step that describes best: they are polished at the first
    resolution where they are nearly as good, and only count if they then describe better.
    """
    model, path = learnt.model, learnt.path
    savings, at = np.asarray(path.savings), found.at
    is_described = found.status is Status.DESCRIBED
    if is_described:
        at = int((savings >= NEARLY * savings[found.at]).argmax())
    gamma = model.average * float(path.resolutions[at])
    labels = polished(model.graph, found.labels, gamma, n_threads=route.n_threads)
    if is_described and model.labeling(labels).saving < savings[found.at]:
        return found.labels
    return labels
