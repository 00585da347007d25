"""The labels of a chosen step: compared with noise, and improved further.

What is asked of many items is asked of `Parts`, so that it is the same of one graph in memory and
of shards in files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.finish_points import Finished, join_components
from spherelax.coordinate.graph import Totals
from spherelax.coordinate.model import Reading
from spherelax.coordinate.moves import polish_labels, shake_labels
from spherelax.coordinate.noise import beyond_noise
from spherelax.coordinate.readings import Learnt
from spherelax.coordinate.run import Walked
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import find_alternative
from spherelax.labels import Labels
from spherelax.result import Status

# Labels whose saving is this share of the best are nearly as good.
NEARLY = 0.99


class Parts(Protocol):
    """All parts of a problem that was walked: a graph in memory, or shards in files."""

    @property
    def reading(self) -> Reading:
        """What the similarities are taken for."""

    @property
    def totals(self) -> Totals:
        """What is known of all items."""

    @property
    def savings(self) -> NDArray[np.float64]:
        """What the labels of each step save, in nats."""

    @property
    def gammas(self) -> NDArray[np.float64]:
        """The resolution of each step, in units of what is walked."""

    def beyond_noise(self) -> NDArray[np.bool_]:
        """Tell which steps describe the similarities clearly better than they could noise."""

    def polish(self, at: int, gamma: float) -> float:
        """Polish the labels of a step at a resolution, and return what they save."""


class Chosen(NamedTuple):
    """The step whose labels were chosen, and why; None: all that is connected gets one label."""

    at: int | None
    status: Status


def choose_beyond_noise(parts: Parts, at: int, *, joins_noise: bool) -> Chosen:
    """Return a step if it is beyond noise; else the best one that is.

    If there is none, the labels may be those of noise: they are kept or, if ``joins_noise``, all
    that is connected is joined.
    """
    is_beyond = parts.beyond_noise()
    if is_beyond[at]:
        return Chosen(at, Status.DESCRIBED)
    if is_beyond.any():
        best = int(np.where(is_beyond, parts.savings, -np.inf).argmax())
        return Chosen(best, Status.DESCRIBED)
    return Chosen(None if joins_noise else at, Status.NOISE)


def polish_many(parts: Parts, at: int, status: Status) -> bool:
    """Polish labels of many items, and tell whether the polished ones are better.

    During the walk labels do not merge; they come to rest well before the step that describes best.
    So they are polished at the first resolution where they are nearly as good (with groups, at that
    of their step), and only count if they then describe better. Log odds are polished at 0.
    Entities of a list without groups are not polished: single moves find them, and merging would
    only chain them.
    """
    if parts.reading.is_likelihood and status is Status.DESCRIBED:
        parts.polish(at, 0.0)
        return True
    if isinstance(parts.reading, Learnt) and parts.totals.n_groups == 0:
        return False
    if status is not Status.DESCRIBED:
        parts.polish(at, float(parts.gammas[at]))
        return True
    savings = parts.savings
    nearly = at if parts.totals.n_groups else int((savings >= NEARLY * savings[at]).argmax())
    return bool(parts.polish(at, float(parts.gammas[nearly])) >= savings[at])


class InMemory:
    """A walked graph as the only part of its problem."""

    def __init__(self, walked: Walked, route: Route) -> None:
        self.walked, self.route = walked, route
        self.reading, self.totals = walked.model.reading, walked.model.totals
        self.savings = np.asarray(walked.path.savings)
        self.gammas = walked.model.average * walked.path.resolutions
        self.polished: Labels | None = None

    def beyond_noise(self) -> NDArray[np.bool_]:
        """Compare the walk with walks of noise."""
        return beyond_noise(self.walked, self.route)

    def polish(self, at: int, gamma: float) -> float:
        """Polish the labels of a step, and keep them."""
        model, n_threads = self.walked.model, self.route.n_threads
        labels = polish_labels(model.graph, self.walked.path.labels[at], gamma, n_threads=n_threads)
        self.polished = labels
        return model.labeling(labels, n_threads=n_threads).saving


def finish(
    walked: Walked, route: Route, found: Finished, *, joins_noise: bool
) -> Iterator[Finished]:
    """Yield the labels of a pick, better ones each time; the last ones are the answer.

    Labels of a sweep that was interrupted are only polished. ``joins_noise`` tells whether all that
    is connected gets one label where it looks like noise.
    """
    model, is_described = walked.model, found.status is Status.DESCRIBED
    parts, is_likelihood = InMemory(walked, route), model.reading.is_likelihood
    if is_described and found.is_complete and not is_likelihood:
        at, status = choose_beyond_noise(parts, found.at, joins_noise=joins_noise)
        if at is None:
            yield join_components(walked)
            return
        found = found._replace(labels=walked.path.labels[at], at=at, status=status)
        yield found
    if route.has_many(model) or (is_likelihood and is_described):
        if polish_many(parts, found.at, found.status) and parts.polished is not None:
            found = found._replace(labels=parts.polished)
        if is_likelihood and is_described:
            yield found._replace(status=Status.LIKELIEST)
            return
    is_open = is_described and found.is_complete and not walked.is_large
    if is_open and parts.polished is None:
        gamma = float(parts.gammas[found.at])
        labels = shake_labels(
            model.graph, found.labels, gamma, lambda labels: model.labeling(labels).saving
        )
        found = found._replace(labels=labels)
    if found.status is Status.DESCRIBED and found.is_complete:
        alternative = find_alternative(walked.path.labels, parts.savings, found.labels)
        found = found._replace(alternative=alternative)
    yield found
