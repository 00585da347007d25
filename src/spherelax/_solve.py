"""The wiring: similarities and settings in, a result out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.problem import Problem
from spherelax.result import Callback, Outcome, Result, Status
from spherelax.settings import (
    POSITIVE_INTEGER,
    Coordinate,
    Power,
    check_range,
    checked_pick,
    solver_settings,
)


def solve(
    similarity: Any,
    groups: Iterable[Hashable] | None = None,
    *,
    solver: str | Coordinate | Power = "coordinate",
    pick: str | float | None = None,
    start: Result | None = None,
    scales: ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Result:
    """Label items so that similar ones share a label, without being told how many labels.

    For alpha from 1 down to 0, improve ``U`` towards the maximum of ::

        g(U) = (1 - alpha) tr(U^T W U) - alpha tr(U^T 1 1^T U)

    over ``U >= 0`` with rows of unit length. Large alpha keeps items apart, small alpha pulls them
    together; somewhere in between is the structure.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items)
        Symmetric and non-negative; W of the paper. Larger is more similar, zero is unrelated. The
        ``problem`` of what :mod:`spherelax.io` reads is checked already, and has its groups.
    groups : sequence of n_items hashable labels, optional
        The object that each item belongs to, in any order; items of one group never share a
        label. An item whose group is None is free. None for all puts no constraint on the labels.
    solver : {"coordinate", "power"}, Coordinate or Power
        The universe-free solver or the paper's; :class:`Coordinate` and :class:`Power` have their
        settings.
    pick : {"description", "eta", "stability", "valleys"} or float, optional
        Which step of the path the labels come from: the one that describes the similarities most
        briefly, the lowest eta between its two maxima, the labels that stay the same for longest;
        or the step at a resolution ``alpha / (1 - alpha)`` of your own, in units of the average
        similarity. "valleys" is for neighbour graphs of points, where every patch is a cluster to
        the others: labels are merged unless there is a valley in density between them (coordinate
        solver, no groups). None is "description" for the coordinate and "eta" for the power solver.
    start : Result, optional
        An earlier result of the coordinate solver for the first items: the others and any new
        similarities are absorbed at its resolution, without a new sweep.
    scales : sequence of n_items positive numbers, optional
        For ``pick="valleys"``: how far the neighbours of each item are away, as
        :func:`spherelax.similarity.local_scales` says. None takes all for equal.
    n_jobs : int, optional
        Number of threads; None or -1 takes all processors. The labels do not depend on it.
    callback : callable, optional
        Called with a :class:`Step` after each step of a sweep; there may be several sweeps, and
        with ``pick="valleys"`` a last pass over steps whose labels are merged.

    Returns
    -------
    Result
        Labels, confidence, a status sentence, and the whole path. After Ctrl-C, the best of the
        steps before it.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(2), np.full((4, 4), 5.0)) + 0.5
    >>> sl.solve(W).labels
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """
    settings = solver_settings(solver)
    chosen = checked_pick(pick, settings)
    n_threads = _n_threads(n_jobs)
    _refuse_unused(settings, chosen, start=start, scales=scales)
    problem = Problem.check(similarity, groups)
    if chosen == "valleys" and problem.groups is not None:
        raise InvalidInputError("pick='valleys' is for points, which have no groups")
    if isinstance(settings, Power):
        from spherelax.power.run import run as run_power

        saving = _saving(problem) if chosen == "description" else None
        outcome = run_power(
            problem, settings, chosen, saving=saving, n_threads=n_threads, callback=callback
        )
    elif start is not None:
        outcome = _absorb(problem, start)
    else:
        from spherelax.coordinate.run import run as run_coordinate

        outcome = run_coordinate(
            problem,
            settings,
            chosen,
            scales=_checked_scales(scales, problem) if chosen == "valleys" else None,
            n_threads=n_threads,
            callback=callback,
        )
    result = _result(problem, outcome)
    if result.status.is_odd:
        warnings.warn(result.status, SphereWarning, stacklevel=2)
    return result


def _refuse_unused(settings: Coordinate | Power, pick: str | float, **given: object) -> None:
    """Refuse what the solver or the pick has no use for."""
    if settings.name == "power" and given["start"] is not None:
        raise InvalidInputError("start needs solver='coordinate'; found solver='power'")
    if pick != "valleys" and given["scales"] is not None:
        raise InvalidInputError(f"scales needs pick='valleys'; found pick={pick!r}")


def _saving(problem: Problem) -> Any:
    """Return what tells how many nats labels save, by the model of the default solver."""
    from spherelax.coordinate.model import Model

    model = Model.of(problem)
    return lambda labels: model.labeling(labels).saving


def _absorb(problem: Problem, start: Result) -> Outcome:
    """Absorb the items and similarities of a problem into an earlier result."""
    from spherelax.coordinate.run import CoordinateSource, absorb
    from spherelax.power.run import PowerSource

    if not isinstance(start, Result) or not isinstance(start.source, CoordinateSource):
        found = type(start).__name__
        if isinstance(start, Result):
            is_power = isinstance(start.source, PowerSource)
            found = f"one {'of the power solver' if is_power else 'that was loaded from a file'}"
        raise InvalidInputError(f"start must be a Result of the coordinate solver; found {found}")
    if len(start.labels) > problem.n_items:
        raise InvalidInputError(
            f"start must not have more items than similarity, {problem.n_items}; "
            f"found {len(start.labels)}"
        )
    return absorb(problem, start.source, start.labels, start.alpha)


def _result(problem: Problem, outcome: Outcome) -> Result:
    """Turn what a solver found into a result."""
    status = outcome.status
    if problem.isolated.all():
        status = Status.ISOLATED
    elif not outcome.is_whole:
        status = Status.INTERRUPTED
    return Result(
        labels=outcome.labels,
        alpha=outcome.alpha,
        status=status,
        confidence=outcome.source.confidence(outcome.labels, outcome.alpha),
        path=outcome.path,
        index=outcome.index,
        right=outcome.right,
        left=outcome.left,
        max_labels=outcome.source.max_labels,
        source=outcome.source,
    )


def _checked_scales(scales: ArrayLike | None, problem: Problem) -> NDArray[np.float64]:
    """Return one positive scale for each item."""
    if scales is None:
        return np.ones(problem.n_items)
    checked = np.asarray(scales, dtype=float)
    if checked.shape != (problem.n_items,) or not np.all((checked > 0) & np.isfinite(checked)):
        raise InvalidInputError(
            f"scales must hold one positive number per item, {problem.n_items}; "
            f"found shape {checked.shape}, smallest {checked.min(initial=np.inf):.2g}"
        )
    return checked


def _n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that a number of jobs means."""
    if n_jobs is not None and n_jobs != -1:
        check_range(POSITIVE_INTEGER, n_jobs=n_jobs)
        return n_jobs
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
