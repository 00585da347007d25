"""The function ``solve``: it checks its arguments, runs a solver and returns a result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.labels import Labels
from spherelax.problem import Problem, Similarity
from spherelax.result import Callback, Outcome, Result, Status, say_duplicates
from spherelax.settings import (
    ONE_PER_GROUP,
    POSITIVE_INTEGER,
    Coordinate,
    Power,
    check_range,
    checked_pick,
    solver_settings,
)
from spherelax.similarity.graph import NeighborGraph

MOST_THREADS = 256
VALLEYS = "valleys"  # the engine's pick for points


def solve(
    similarity: Similarity,
    groups: Iterable[Hashable] | None = None,
    *,
    kind: str | None = None,
    one_per_group: str = "always",
    solver: str | Coordinate | Power = "coordinate",
    pick: str | float | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Result:
    """Give similar items the same label; the number of labels is found, not given.

    The solver goes from a high resolution, at which every item has its own label, to a low one, at
    which similar items have joined. This is the sweep. Then the ``pick`` chooses a step of it.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items), or NeighborGraph
        How alike two items are: symmetric and, but for log odds, not negative; larger is more
        alike, 0 is unrelated. W of the paper. Or the ``problem`` of what :mod:`spherelax.io` reads,
        which has its groups. Or a :class:`spherelax.similarity.NeighborGraph` of points, which have
        no groups: their labels are merged, unless the points between them are less dense, by the
        coordinate solver if there is no ``pick``.
    groups : sequence of n_items hashable labels, optional
        The object that each item belongs to, in any order, such as the image of a keypoint. Items
        of one group never share a label. An item whose group is None is free of this rule. None
        instead of a sequence: no item has a group.
    kind : {"graph", "neighbors", "pairs", "odds", "information"}, optional
        What the similarities are. "graph": two items without a similarity are not alike.
        "neighbors": a graph in which every item is joined to its nearest others. "pairs":
        scores of candidates, from blocking rules or nearest neighbours; that a pair is listed says
        little, and what its score is worth is learnt. "odds": the log odds, in nats, that two items
        are the same; they may be negative. "information": ``-log(1 - p)`` nats, where p is how
        likely some model says that two items are the same; where scores show what they are worth,
        that is learnt, else p is believed. None: a sparse matrix is taken for a neighbour graph if
        its numbers of neighbours and its weights look so. Else it is solved as a graph and as a
        list where it could be both, and the other answer is ``result.alternative``.
    one_per_group : {"always", "unless_copies"}
        Whether every group holds each thing once. "always": no two items of a group share a label.
        "unless_copies": a group that clearly holds copies, by :meth:`Result.duplicates`, may have
        them in one label where the similarities say so (coordinate solver).
    solver : {"coordinate", "power"}, Coordinate or Power
        "coordinate" has no bound on the number of labels; "power" is the method of the paper. To
        change settings, give an instance of :class:`Coordinate` or :class:`Power`.
    pick : {"description", "eta", "stability"} or float, optional
        Which step the labels come from. "description": the labels with which the similarities have
        the shortest description. "eta": the rule of the paper, the smallest eta between its two
        maxima. "stability": the labels that stay the same over the widest range of resolutions.
        A number: the step with the nearest resolution, in units of the average similarity.
        None: "description" for the coordinate solver, "eta" for the power solver.
    n_jobs : int, optional
        Number of threads, at most 256; None or -1: one for each processor. The labels do not
        depend on it.
    callback : callable, optional
        Called with a :class:`Step` after each step of a sweep. There may be several sweeps. For a
        NeighborGraph it is also called for each step whose labels are merged.

    Returns
    -------
    Result
        Labels, confidence, status and path. After Ctrl-C, the labels are the best of the steps
        that were done.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used.
    KeyboardInterrupt
        After Ctrl-C before the first step is done: there are no labels yet.

    Notes
    -----
    At each step, with alpha = resolution / (1 + resolution), the solvers raise ::

        g(U) = (1 - alpha) tr(U^T W U) - alpha tr(U^T 1 1^T U)

    over all ``U >= 0`` with rows of length 1. Row i of U holds how strongly item i belongs to each
    label.

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
    n_threads = checked_threads(n_jobs)
    is_soft = _may_hold_copies(one_per_group, settings)
    scales = None
    if isinstance(similarity, NeighborGraph):
        problem = _problem_of_points(similarity, groups, kind)
        if pick is None and isinstance(settings, Coordinate):
            chosen, scales = VALLEYS, _checked_scales(similarity.scales, problem)
    else:
        problem = Problem.check(similarity, groups, kind)
    if isinstance(settings, Power):
        if problem.kind == "odds":
            raise InvalidInputError("kind='odds' needs solver='coordinate'; found solver='power'")
        from spherelax.power.run import run as run_power

        saving = _saving(problem) if chosen == "description" else None
        outcome = run_power(
            problem, settings, chosen, saving=saving, n_threads=n_threads, callback=callback
        )
    else:
        from spherelax.coordinate.solve import solve as solve_once
        from spherelax.coordinate.solve import solve_soft

        outcome = (solve_soft if is_soft else solve_once)(
            problem, settings, chosen, scales=scales, n_threads=n_threads, callback=callback
        )
    result = _result(problem, outcome, is_soft=is_soft)
    _warn(result, is_soft=is_soft, stacklevel=3)
    return result


def _warn(result: Result, *, is_soft: bool, stacklevel: int) -> None:
    """Warn of a status that needs a check, and of copies in groups."""
    status = result.status
    if status.is_odd:
        warnings.warn(SphereWarning(status.sentence, str(status)), stacklevel=stacklevel)
    said = None if is_soft else say_duplicates(result.duplicates())
    if said:
        message = (
            f"Each group should hold a thing once, but {said}. Their labels are kept apart; "
            "one_per_group='unless_copies' lets them share one."
        )
        warnings.warn(SphereWarning(message, "copies"), stacklevel=stacklevel)


def _may_hold_copies(one_per_group: object, settings: Coordinate | Power) -> bool:
    """Tell whether groups may turn out to hold copies; refuse unknown values."""
    if one_per_group not in ONE_PER_GROUP:
        raise InvalidInputError(
            f"one_per_group must be one of {', '.join(ONE_PER_GROUP)}; found {one_per_group!r}"
        )
    is_soft = one_per_group == ONE_PER_GROUP[1]
    if is_soft and isinstance(settings, Power):
        raise InvalidInputError(
            "one_per_group='unless_copies' needs solver='coordinate'; found solver='power'"
        )
    return is_soft


def _problem_of_points(graph: NeighborGraph, groups: object, kind: str | None) -> Problem:
    """Return the problem of a neighbour graph of points; refuse groups and other kinds."""
    if groups is not None:
        raise InvalidInputError("a NeighborGraph must be solved without groups; found groups")
    if kind not in (None, "graph"):
        raise InvalidInputError(f"kind of a NeighborGraph must be None or 'graph'; found {kind!r}")
    return Problem.check(graph.similarity, kind="graph")


def _saving(problem: Problem) -> Callable[[Labels], float]:
    """Return a function of labels: their saving by the model of the default solver, in nats."""
    from spherelax.coordinate.readings import read_problem

    model = read_problem(problem)
    return lambda labels: model.labeling(labels[model.graph.given]).saving


def _extend(
    is_soft: bool, result: Result, method: str, similarity: Any, groups: Iterable[Hashable] | None
) -> Result:
    """Add the items and similarities of a problem to a result, for one of its methods.

    If the result let copies share labels, the items of their groups are free.
    """
    from spherelax.coordinate.solve import absorb, with_found
    from spherelax.coordinate.solved import CoordinateSolved

    solved = result._solved
    if not isinstance(solved, CoordinateSolved):
        raise InvalidInputError(
            f"{method} needs a result of the coordinate solver; found one of the power solver"
        )
    if isinstance(similarity, NeighborGraph):
        problem = _problem_of_points(similarity, groups, None)
    else:
        kind = "graph" if result.kind == "points" else result.kind
        problem = Problem.check(similarity, groups, kind)
    if len(result.labels) > problem.n_items:
        raise InvalidInputError(
            f"{method} needs similarities of the {len(result.labels)} known items, and of more; "
            f"found {problem.n_items} items"
        )
    alpha, keeps_known = result.path.alpha, method == "assign"
    if is_soft and solved.with_copies:
        free = problem.freed(solved.with_copies)
        outcome = absorb(
            free, solved, result.labels, alpha, problem.groups, keeps_known=keeps_known
        )
        outcome = with_found(outcome, solved)
    else:
        outcome = absorb(problem, solved, result.labels, alpha, keeps_known=keeps_known)
    grown = _result(problem, replace(outcome, kind=result.kind), is_soft=is_soft)
    _warn(grown, is_soft=is_soft, stacklevel=5)
    return grown


def _result(problem: Problem, outcome: Outcome, *, is_soft: bool) -> Result:
    """Turn the outcome of a solver into a result."""
    status = outcome.status
    if problem.isolated.all():
        status = Status.ISOLATED
    elif not outcome.is_complete:
        status = Status.INTERRUPTED
    return Result(
        status=status,
        kind=outcome.kind,
        reading=outcome.reading,
        path=outcome.picked_path(),
        alternative=outcome.alternative,
        _solved=outcome.solved,
        _extend=partial(_extend, is_soft),
    )


def _checked_scales(scales: NDArray[np.float64] | None, problem: Problem) -> NDArray[np.float64]:
    """Return one positive scale for each item; refuse anything else."""
    if scales is None:
        return np.ones(problem.n_items)
    checked = np.asarray(scales, dtype=float)
    if checked.shape != (problem.n_items,) or not np.all((checked > 0) & np.isfinite(checked)):
        raise InvalidInputError(
            f"scales must hold one positive number per item, {problem.n_items}; "
            f"found shape {checked.shape}, smallest {checked.min(initial=np.inf):.2g}"
        )
    return checked


def checked_threads(n_jobs: int | None) -> int:
    """Return the number of threads for the argument n_jobs."""
    if n_jobs is not None and n_jobs != -1:
        check_range(POSITIVE_INTEGER, n_jobs=n_jobs)
        return min(n_jobs, MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
