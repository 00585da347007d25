"""The function ``solve``: it checks its arguments, runs a solver and returns a result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.labels import Labels
from spherelax.problem import Problem, Similarity
from spherelax.result import Callback, Outcome, Prediction, Result, Status, say_duplicates
from spherelax.settings import (
    POSITIVE_INTEGER,
    Coordinate,
    Power,
    check_range,
    checked_pick,
    solver_settings,
)

MOST_THREADS = 256


def solve(
    similarity: Similarity,
    groups: Iterable[Hashable] | None = None,
    *,
    kind: str | None = None,
    duplicate_free: str = "hard",
    solver: str | Coordinate | Power = "coordinate",
    pick: str | float | None = None,
    start: Result | None = None,
    scales: ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Result:
    """Give similar items the same label; the number of labels is found, not given.

    The solver goes from a high resolution, at which every item has its own label, to a low one, at
    which similar items have joined. This is the sweep. Then the ``pick`` chooses a step of it.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items)
        How alike two items are: symmetric and, but for log odds, not negative; larger is more
        alike, 0 is unrelated. W of the paper. Or the ``problem`` of what :mod:`spherelax.io` reads,
        which has its groups.
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
        its numbers of neighbours and its weights look so, and for a list of candidates
        if most of its pairs contradict each other and its scores show which are right; else for a
        graph.
    duplicate_free : {"hard", "soft"}
        Whether every group holds each thing once. "hard": always, so that no two items of a group
        share a label. "soft": only groups in which nothing speaks against it; a group that clearly
        holds copies, by :meth:`Result.duplicates`, may have them in one label where the
        similarities say so (coordinate solver).
    solver : {"coordinate", "power"}, Coordinate or Power
        "coordinate" has no bound on the number of labels; "power" is the method of the paper. To
        change settings, give an instance of :class:`Coordinate` or :class:`Power`.
    pick : {"description", "eta", "stability", "valleys"} or float, optional
        Which step the labels come from. "description": the labels with which the similarities have
        the shortest description. "eta": the rule of the paper, the smallest eta between its two
        maxima. "stability": the labels that stay the same over the widest range of resolutions.
        A number: the step with the nearest resolution, in units of the average similarity.
        "valleys": for neighbour graphs of points; labels are merged unless the points between them
        are less dense (coordinate solver, no groups). None: "description" for the coordinate
        solver, "eta" for the power solver.
    start : Result, optional
        An earlier result of the coordinate solver for the first items. The other items and any new
        similarities are added at its resolution, without a new sweep: nothing is picked, so that
        settings, ``pick``, ``scales``, ``n_jobs`` and ``callback`` have no effect.
    scales : sequence of n_items positive numbers, optional
        For ``pick="valleys"``: distance of each point to its neighbours, as
        :func:`spherelax.similarity.local_scales` returns it. None: all are equal.
    n_jobs : int, optional
        Number of threads, at most 256; None or -1: one for each processor. The labels do not
        depend on it.
    callback : callable, optional
        Called with a :class:`Step` after each step of a sweep. There may be several sweeps. With
        ``pick="valleys"`` it is also called for each step whose labels are merged.

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
    _refuse_unused(settings, chosen, start=start, scales=scales)
    is_soft = _checked_soft(duplicate_free, settings)
    problem = Problem.check(similarity, groups, "graph" if chosen == "valleys" else kind)
    if chosen == "valleys" and problem.groups is not None:
        raise InvalidInputError("pick='valleys' must be used without groups; found groups")
    if isinstance(settings, Power):
        if problem.kind == "odds":
            raise InvalidInputError("kind='odds' needs solver='coordinate'; found solver='power'")
        from spherelax.power.run import run as run_power

        saving = _saving(problem) if chosen == "description" else None
        outcome = run_power(
            problem, settings, chosen, saving=saving, n_threads=n_threads, callback=callback
        )
    elif start is not None:
        outcome = _absorb(problem, start, is_soft=is_soft)
    else:
        from spherelax.coordinate.run import run, run_soft

        checked = _checked_scales(scales, problem) if chosen == "valleys" else None
        outcome = (run_soft if is_soft else run)(
            problem,
            settings,
            chosen,
            scales=checked,
            n_threads=n_threads,
            callback=callback,
        )
    result = _result(problem, outcome)
    if result.status.is_odd:
        warnings.warn(result.status, SphereWarning, stacklevel=2)
    said = None if is_soft else say_duplicates(result.duplicates())
    if said:
        message = (
            f"Each group should hold a thing once, but {said}. Their labels are kept apart; "
            "duplicate_free='soft' lets them share one."
        )
        warnings.warn(message, SphereWarning, stacklevel=2)
    return result


def assign(
    similarity: Similarity,
    groups: Iterable[Hashable] | None = None,
    *,
    to: Result,
    kind: str | None = None,
    duplicate_free: str = "hard",
) -> Prediction:
    """Give new items the labels of known ones, which keep theirs.

    One more image against known tracks, or one more record against known entities: nothing is
    swept again. It is ``solve(similarity, groups, start=to)``, of which only the new items are
    kept, with labels of the known result.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items)
        As in :func:`solve`, with the known items first; or the ``problem`` of what
        :mod:`spherelax.io` reads. Similarities between new items count, too.
    groups : sequence of n_items hashable labels, optional
        As in :func:`solve`, of known and new items.
    to : Result
        The result for the known items, by the coordinate solver.
    kind, duplicate_free
        As in :func:`solve`.

    Returns
    -------
    Prediction
        Labels of the new items: those of ``to``, or numbers from ``to.n_labels`` on for things
        that it does not have. Confidence is that of a result of :func:`solve`.

    Raises
    ------
    InvalidInputError
        If there are fewer items than known ones, or ``to`` is not of the coordinate solver.

    Examples
    --------
    >>> import spherelax as sl
    >>> W, groups, truth = sl.datasets.make_partial_matching(9, 5, random_state=0)
    >>> known = groups < 8  # the last of nine images is new
    >>> result = sl.solve(W[known][:, known], groups[known])
    >>> new = sl.assign(W, groups, to=result)
    >>> new.labels, result.n_labels
    (array([1, 3, 0], dtype=int32), 5)
    """
    if to is None:
        raise InvalidInputError("to must be a Result of the coordinate solver; found None")
    grown = solve(similarity, groups, kind=kind, duplicate_free=duplicate_free, start=to)
    n_known = len(to.labels)
    return Prediction(
        _in_terms_of(to.labels, grown.labels, to.n_labels)[n_known:], grown.confidence[n_known:]
    )


def _in_terms_of(known: Labels, grown: Labels, n_labels: int) -> Labels:
    """Return labels with the numbers of those that most of their known items have; else new ones.

    Of two labels that would get one number, the one with fewer known items gets a new one.
    """
    pairs, counts = np.unique(
        np.column_stack([grown[: len(known)], known]), axis=0, return_counts=True
    )
    numbers: dict[int, int] = {}
    taken = set()
    for label, name in pairs[np.argsort(-counts, kind="stable")].tolist():
        if label not in numbers and name not in taken:
            numbers[label] = name
            taken.add(name)
    free = count(n_labels)
    found = [numbers[label] if label in numbers else next(free) for label in range(grown.max() + 1)]
    return np.array(found, dtype=np.int32)[grown]


def _checked_soft(duplicate_free: object, settings: Coordinate | Power) -> bool:
    """Tell whether groups may turn out to hold copies; refuse unknown values."""
    if duplicate_free not in ("hard", "soft"):
        raise InvalidInputError(
            f"duplicate_free must be one of hard, soft; found {duplicate_free!r}"
        )
    if duplicate_free == "soft" and isinstance(settings, Power):
        raise InvalidInputError(
            "duplicate_free='soft' needs solver='coordinate'; found solver='power'"
        )
    return duplicate_free == "soft"


def _refuse_unused(settings: Coordinate | Power, pick: str | float, **given: object) -> None:
    """Refuse arguments that the solver or the pick does not use."""
    if settings.name == "power" and given["start"] is not None:
        raise InvalidInputError("start needs solver='coordinate'; found solver='power'")
    if pick != "valleys" and given["scales"] is not None:
        raise InvalidInputError(f"scales needs pick='valleys'; found pick={pick!r}")


def _saving(problem: Problem) -> Callable[[Labels], float]:
    """Return a function of labels: their saving by the model of the default solver, in nats."""
    from spherelax.coordinate.model import Model

    model = Model.of(problem)
    return lambda labels: model.labeling(labels[model.graph.given]).saving


def _absorb(problem: Problem, start: Result, *, is_soft: bool) -> Outcome:
    """Add the items and similarities of a problem to an earlier result.

    If that found copies, the items of their groups are free, unless groups are hard.
    """
    from spherelax.coordinate.run import absorb, with_found
    from spherelax.coordinate.solved import CoordinateSource
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
    source = start.source
    if not (is_soft and source.with_copies):
        return absorb(problem, source, start.labels, start.alpha)
    free = problem.freed(source.with_copies)
    outcome = absorb(free, source, start.labels, start.alpha, sources=problem.groups)
    return with_found(outcome, source)


def _result(problem: Problem, outcome: Outcome) -> Result:
    """Turn the outcome of a solver into a result."""
    status = outcome.status
    if problem.isolated.all():
        status = Status.ISOLATED
    elif not outcome.is_whole:
        status = Status.INTERRUPTED
    return Result(
        labels=outcome.labels,
        alpha=outcome.alpha,
        status=status,
        path=outcome.path,
        index=outcome.index,
        right=outcome.right,
        left=outcome.left,
        max_labels=outcome.source.max_labels,
        source=outcome.source,
        rival=outcome.rival,
    )


def _checked_scales(scales: ArrayLike | None, problem: Problem) -> NDArray[np.float64]:
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
