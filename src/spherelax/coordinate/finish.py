"""The labels of a chosen step: compared with noise, and improved further.

What is asked of many items is asked of `Parts`, so that it is the same of one graph in memory and
of shards in files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.finish_points import Finished, join_components
from spherelax.coordinate.graph import Totals
from spherelax.coordinate.model import Reading
from spherelax.coordinate.moves import polish_labels, shake_labels
from spherelax.coordinate.readings import Learnt
from spherelax.coordinate.run import Walked
from spherelax.coordinate.sampling import Rivals
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import (
    ALIKE,
    BlockModel,
    Blocks,
    Description,
    find_alternative,
    find_level,
    is_beyond_noise,
    weigh_plain,
)
from spherelax.labels import Labels, count_labels
from spherelax.metrics import pairwise_scores
from spherelax.result import Status

# Labels whose saving, or evidence, is this share of the best are nearly as good.
NEARLY = 0.99
# Plain matches must have less than this share of the most evidence for labels that describe most
# briefly before others are taken.
MOST = 0.92


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

    def evidence(self, labels: Labels | None) -> NDArray[np.float64] | None:
        """Return the evidence of plain matches for the labels of each step, and for others."""

    def is_beyond_noise(self, at: int) -> bool:
        """Tell whether the labels of a step say more than those of noise would."""

    def polish(self, at: int, gamma: float) -> float:
        """Polish the labels of a step at a resolution, and return what they save."""


class Chosen(NamedTuple):
    """The step whose labels were chosen, and why; None: all that is connected gets one label."""

    at: int | None
    status: Status


def choose_beyond_noise(parts: Parts, at: int, *, joins_noise: bool) -> Chosen:
    """Return a step if it is beyond noise.

    Else its labels may be those of noise: they are kept or, if ``joins_noise``, all that is
    connected is joined.
    """
    if parts.is_beyond_noise(at):
        return Chosen(at, Status.DESCRIBED)
    return Chosen(None if joins_noise else at, Status.NOISE)


def most_evident(parts: Parts, at: int, labels: Labels | None = None) -> int:
    """Return a step, unless plain matches speak much more for others: then the best of these.

    Large labels that matches have joined by chance may describe briefly. ``labels`` are those that
    were found from the labels of the step, if they are others.
    """
    evidence = parts.evidence(labels)
    if evidence is None or evidence[at if labels is None else -1] >= MOST * evidence.max():
        return at
    is_evident = evidence[: len(parts.savings)] >= NEARLY * evidence.max()
    return int(np.where(is_evident, parts.savings, -np.inf).argmax()) if is_evident.any() else at


def polish_many(parts: Parts, at: int, status: Status) -> bool:
    """Polish labels of many items, and tell whether the polished ones are better.

    During the walk labels do not merge; they come to rest well before the step that describes best.
    So they are polished at the first resolution where they are nearly as good (scored matches at
    that of their step), and only count if they then describe better. Log odds are polished at 0.
    Cuts of a hierarchy are not polished: it knows of absent pairs.
    """
    if parts.reading.foretold is not None:
        return False
    if parts.reading.is_likelihood and status is Status.DESCRIBED:
        parts.polish(at, 0.0)
        return True
    if status is not Status.DESCRIBED:
        parts.polish(at, float(parts.gammas[at]))
        return True
    savings = parts.savings
    is_scored = isinstance(parts.reading, Learnt)
    nearly = at if is_scored else int((savings >= NEARLY * savings[at]).argmax())
    return bool(parts.polish(at, float(parts.gammas[nearly])) >= savings[at])


def likeliest_step(parts: Parts, at: int) -> int:
    """Return the step of the likeliest labels: where a hierarchy is cut best, or the one given."""
    foretold = parts.reading.foretold
    return at if foretold is None else int(np.abs(parts.gammas - foretold.best).argmin())


def judge_list(reading: Reading) -> dict[str, Any]:
    """Return the status of the likeliest labels, and how many labels another answer has.

    Where a list cannot tell and nothing is joined, it looks like noise.
    """
    known = reading.foretold
    if known is None:
        return {"status": Status.LIKELIEST}
    status = Status.NOISE if known.joins_nothing else Status.LIKELIEST
    return {"status": status, "alternative": known.rival or None}


class InMemory:
    """A walked graph as the only part of its problem."""

    def __init__(self, walked: Walked, route: Route) -> None:
        self.walked, self.route = walked, route
        self.reading, self.totals = walked.model.reading, walked.model.totals
        self.savings = np.asarray(walked.path.savings)
        self.gammas = walked.model.average * walked.path.resolutions
        self.polished: Labels | None = None

    def evidence(self, labels: Labels | None) -> NDArray[np.float64] | None:
        """Weigh the labels of each step of plain matches, and others."""
        model = self.walked.model
        if not isinstance(model.description, Description):
            return None
        every = [*self.walked.path.labels, *([] if labels is None else [labels])]
        return weigh_plain(model.totals, [model.labeling(each).account for each in every])

    def is_beyond_noise(self, at: int) -> bool:
        """Tell whether the labels of a step say more than those of noise would."""
        labels, n_threads = self.walked.path.labels[at], self.route.n_threads
        account = self.walked.model.labeling(labels, n_threads=n_threads).account
        return is_beyond_noise(self.totals, account, at, self.savings)

    def shake(self, at: int) -> Labels:
        """Shake the labels of a step."""
        model, path = self.walked.model, self.walked.path

        def save(labels: Labels) -> float:
            return model.labeling(labels).saving

        return shake_labels(model.graph, path.labels[at], float(self.gammas[at]), save)

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
            yield _join(walked)
            return
        if route.has_many(model) and status is Status.DESCRIBED:
            at = most_evident(parts, at)
        found = found._replace(labels=walked.path.labels[at], at=at, status=status)
        yield found
    if is_likelihood and is_described and found.is_complete:
        at = likeliest_step(parts, found.at)
        found = found._replace(labels=walked.path.labels[at], at=at)
    if route.has_many(model) or (is_likelihood and is_described):
        if polish_many(parts, found.at, found.status) and parts.polished is not None:
            found = found._replace(labels=parts.polished)
        if is_likelihood and is_described:
            yield found._replace(**judge_list(model.reading))
            return
    is_open = is_described and found.is_complete and not walked.is_large
    if is_open and parts.polished is None:
        labels = parts.shake(found.at)
        at = most_evident(parts, found.at, labels)
        found = found._replace(labels=labels if at == found.at else parts.shake(at), at=at)
    if found.status is Status.DESCRIBED and found.is_complete:
        found = found._replace(alternative=_alternative(parts, found.labels))
    yield found


def _join(walked: Walked) -> Finished:
    """Return one label for all that is connected, unless other labels are as likely."""
    found, path = join_components(walked), walked.path
    return found._replace(unseen=Rivals.of(found.labels, path.labels, np.asarray(path.savings)))


def _alternative(parts: InMemory, labels: Labels) -> int | None:
    """Return the number of labels of another answer; None: there is none.

    Of plain matches it may also be the labels that have the most evidence.
    """
    model, path, n_threads = parts.walked.model, parts.walked.path, parts.route.n_threads
    description, savings = model.description, np.asarray(path.savings)
    if not isinstance(description, BlockModel):
        evidence = None if parts.route.has_many(model) else parts.evidence(labels)
        found = find_alternative(path.labels, savings, labels)
        if found is not None or evidence is None or evidence[-1] >= NEARLY * evidence.max():
            return found
        best = path.labels[int(evidence[:-1].argmax())]
        is_alike = pairwise_scores(labels, best).f_score > ALIKE
        return None if is_alike else count_labels(best)

    def count(labels: Labels) -> Blocks:
        found = model.labeling(labels, n_threads=n_threads).account
        assert isinstance(found, Blocks)
        return found

    return find_level(path.labels, savings, labels, description, count)
