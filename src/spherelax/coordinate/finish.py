"""The labels of a chosen step: merged between valleys, compared with noise, improved further."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.finish_points import (
    Finished,
    find_borders,
    finish_points,
    join_components,
)
from spherelax.coordinate.learn import Learnt
from spherelax.coordinate.model import Model
from spherelax.coordinate.moves.polish import polished
from spherelax.coordinate.noise import beyond_noise
from spherelax.coordinate.shake import shaken
from spherelax.coordinate.walk import Route
from spherelax.coordinate.worth.alternatives import find_alternative
from spherelax.labels import Labels
from spherelax.pick import Pick
from spherelax.result import Callback, Status

# Labels whose saving is this share of the best are nearly as good.
NEARLY = 0.99


def finish(
    learnt: Learnt,
    route: Route,
    pick: Pick,
    *,
    scales: NDArray[np.float64] | None,
    joins_noise: bool,
    callback: Callback | None,
    has_neighbors: bool = False,
) -> Finished:
    """Return the labels of a pick; those of a sweep that was interrupted are only polished.

    ``scales`` are given if labels are to be merged between valleys, ``has_neighbors`` tells whether
    they are to be compared with patches of a neighbour graph; ``joins_noise`` tells whether
    all that is connected gets one label where it looks like noise. Ctrl-C ends it, with what was
    found before.
    """
    found = Finished(learnt.path.labels[pick.index], pick.index, pick.status)
    try:
        if learnt.is_whole and scales is not None:
            return finish_points(learnt, route, scales, callback)
        if learnt.is_whole and has_neighbors and pick.status is Status.DESCRIBED:
            return find_borders(learnt, route, callback)
        if pick.status is Status.DESCRIBED and learnt.model.right is not None:
            return _likeliest(learnt, route, found)
        if learnt.is_whole and pick.status is Status.DESCRIBED:
            found = _compared(learnt, route, found, joins_noise)
        if not found.is_step:
            return found._replace(is_whole=learnt.is_whole)
        if route.has_many(learnt.model) and not _has_small_labels(learnt.model):
            found = found._replace(labels=_polished(learnt, route, found))
        elif learnt.is_whole and not learnt.is_large and pick.status is Status.DESCRIBED:
            found = found._replace(labels=_shaken(learnt, found))
        if learnt.is_whole and found.status is Status.DESCRIBED:
            savings = np.asarray(learnt.path.savings)
            alternative = find_alternative(learnt.path.labels, savings, found.labels)
            found = found._replace(alternative=alternative)
    except KeyboardInterrupt:
        return found._replace(is_whole=False)
    return found._replace(is_whole=learnt.is_whole and found.is_whole)


def _has_small_labels(model: Model) -> bool:
    """Tell whether labels are entities, which single moves find and merging would only chain."""
    return model.learns_worth and not model.graph.grouped


def _likeliest(learnt: Learnt, route: Route, found: Finished) -> Finished:
    """Return the labels of log odds that no move makes likelier."""
    labels = polished(learnt.model.graph, found.labels, gamma=0.0, n_threads=route.n_threads)
    return Finished(labels, found.at, Status.LIKELIEST, is_whole=learnt.is_whole)


def _compared(learnt: Learnt, route: Route, found: Finished, joins: bool) -> Finished:
    """Return the best labels that save more than those of noise.

    If there are none, say that the labels may be those of noise, and join what is connected if that
    is wanted.
    """
    path = learnt.path
    at = best_beyond(beyond_noise(learnt, route), np.asarray(path.savings), found.at)
    if at is not None:
        return found._replace(labels=path.labels[at], at=at)
    if not joins:
        return found._replace(status=Status.NOISE)
    return join_components(learnt)


def best_beyond(is_beyond: NDArray[np.bool_], savings: NDArray[np.float64], at: int) -> int | None:
    """Return a step if it is beyond noise; else the best one that is; None: there is none."""
    if is_beyond[at]:
        return at
    return int(np.where(is_beyond, savings, -np.inf).argmax()) if is_beyond.any() else None


def first_nearly(savings: NDArray[np.float64], at: int) -> int:
    """Return the first step whose labels are nearly as good as those of a step."""
    return int((savings >= NEARLY * savings[at]).argmax())


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
        at = first_nearly(savings, at)
    gamma = model.average * float(path.resolutions[at])
    labels = polished(model.graph, found.labels, gamma, n_threads=route.n_threads)
    if not is_described:
        return labels
    saving = model.labeling(labels, n_threads=route.n_threads).saving
    return found.labels if saving < savings[found.at] else labels
