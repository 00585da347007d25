"""The function ``solve``: it checks its arguments, runs a solver and returns a result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from inspect import signature
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.judgements import Judgements
from spherelax.labels import Labels, listed
from spherelax.problem import Problem, Similarity, hash_names
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

if TYPE_CHECKING:
    from spherelax.coordinate.known import Known

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
    judgements: Any = None,
    like: Result | None = None,
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
    judgements : Judgements, or triples of two items and a verdict, optional
        Pairs known to be the same thing ("same") or different things ("different"). All are kept,
        and they tell at which level things are the same: see :meth:`Result.judge`.
    like : Result, optional
        An earlier result. What it learnt is frozen: what similarities are worth, and at which
        resolution things are the same. Its items are known by their names if both problems were
        read from files or tables, else by their places, and are the first ones then. They keep
        their labels in every component in which nothing has changed: see :meth:`Result.extend`,
        which does the same. The kind, the solver and the like stay what they were.

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
    if like is not None:
        asked = {"one_per_group": one_per_group, "solver": solver, "pick": pick}
        _check_unasked(like, kind, asked)
        return extend_result(like, "like", similarity, groups, judgements)
    settings = solver_settings(solver)
    chosen = checked_pick(pick, settings)
    judged = Judgements.of(judgements)
    n_threads = checked_threads(n_jobs)
    is_soft = _may_hold_copies(one_per_group, settings)
    scales = None
    if isinstance(similarity, NeighborGraph):
        problem = _problem_of_points(similarity, groups, kind)
        if pick is None and isinstance(settings, Coordinate):
            chosen, scales = VALLEYS, _checked_scales(similarity.scales, problem)
    else:
        problem = Problem.check(similarity, groups, kind)
    judged.check(problem.n_items, None if is_soft else problem.groups)
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
    result = _result(problem, outcome).judge(judged)
    _warn(result, is_soft=is_soft, stacklevel=3)
    return result


def _check_unasked(like: Result, kind: str | None, asked: Mapping[str, object]) -> None:
    """Refuse arguments that stay what they were in an earlier result."""
    if not isinstance(like, Result):
        raise InvalidInputError(f"like must be a Result; found {type(like).__name__}")
    defaults = signature(solve).parameters
    others = [name for name, value in asked.items() if value != defaults[name].default]
    if kind not in (None, like.kind):
        others.append("kind")
    if others:
        raise InvalidInputError(f"{others[0]} stays what it was in like; leave it out")


def _warn(result: Result, *, is_soft: bool, stacklevel: int) -> None:
    """Warn of a status that needs a check, and of copies in groups."""
    status = result.status
    if status.is_odd:
        warnings.warn(SphereWarning(status.sentence, str(status)), stacklevel=stacklevel)
    said = None if is_soft else say_duplicates(result.duplicates())
    if said:
        message = (
            f"Each group should hold a thing once, but {said}. Their labels are kept apart; "
            "one_per_group='unless_copies' lets them share one, but also others that are alike."
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


def extend_result(
    result: Result,
    method: str,
    similarity: Any,
    groups: Iterable[Hashable] | None,
    judgements: Any = None,
) -> Result:
    """Solve a problem like the one of a result, for one of its methods, or `solve`."""
    known = result._solved.known()
    if known is None:
        raise InvalidInputError(
            f"{method} needs a result of the coordinate solver; found one of the power solver"
        )
    if isinstance(similarity, NeighborGraph):
        problem = _problem_of_points(similarity, groups, None)
    else:
        kind = "graph" if result.kind == "points" else result.kind
        problem = Problem.check(similarity, groups, kind)
    has_names = known.names is not None and problem.names is not None
    if len(result.labels) > problem.n_items and not has_names:
        raise InvalidInputError(
            f"{method} needs similarities of the {len(result.labels)} known items, and of more; "
            f"found {problem.n_items} items"
        )
    grown = _solve_like(result, problem, known, Judgements.of(judgements), method == "assign")
    _warn(grown, is_soft=known.is_soft, stacklevel=5)
    return grown


def _solve_like(
    result: Result, problem: Problem, known: Known, judged: Judgements, keeps_known: bool = False
) -> Result:
    """Solve a problem with what is known of a result; what was judged of it is kept."""
    from spherelax.coordinate.like import solve_like

    if known.kept is not None:
        judged = known.kept.moved(known.new_places(problem)).corrected(judged)
    alpha = result.path.alpha
    outcome = solve_like(problem, known, result.labels, alpha, keeps_known=keeps_known)
    return _result(problem, replace(outcome, kind=result.kind)).judge(judged)


def forget_items(result: Result, items: Iterable[Hashable]) -> Result:
    """Solve the problem of a result without some items, like that result."""
    if result.kind in ("points", "neighbors"):
        raise InvalidInputError(
            "forget needs similarities that stay; found neighbours, which change if a point goes: "
            "solve again without it"
        )
    whole, known = result._solved.similarities(result.kind), result._solved.known()
    has_names = known.names is not None
    if not has_names:  # then places are names
        known = known._replace(names=np.arange(whole.n_items, dtype=np.uint64))
    gone = _find_items(items, known.names, has_names=has_names)
    left = np.setdiff1d(np.arange(whole.n_items), gone)
    if len(left) < 2:
        raise InvalidInputError(f"forget must leave at least two items; found {len(left)} left")
    rest = replace(whole, names=known.names).among(left)
    forgotten = _solve_like(result, rest, known, Judgements.of(None))
    if not has_names:
        solved: Any = forgotten._solved
        forgotten = replace(forgotten, _solved=replace(solved, names=None))
    _warn(forgotten, is_soft=known.is_soft, stacklevel=4)
    return forgotten


def _find_items(
    items: Iterable[Hashable], names: NDArray[np.uint64], *, has_names: bool
) -> NDArray[np.intp]:
    """Return the places of items that are given by their names, or else by their places."""
    asked = listed([items] if isinstance(items, str | tuple) else items, "forget")
    if not has_names and not all(isinstance(item, Integral) for item in asked):
        raise InvalidInputError(f"forget needs numbers of items without names; found {asked[0]!r}")
    wanted = hash_names(asked) if has_names else np.array(asked, dtype=np.int64).astype(np.uint64)
    missing = np.flatnonzero(~np.isin(wanted, names))
    if len(missing):
        raise InvalidInputError(
            f"forget must name items of the result; found {asked[missing[0]]!r}"
        )
    return np.flatnonzero(np.isin(names, wanted))


def _result(problem: Problem, outcome: Outcome) -> Result:
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
        _extend=extend_result,
        _forget=forget_items,
        _n_groups=None if problem.groups is None else int(problem.groups.max()) + 1,
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
