"""The wiring: problem, sweep, rounding, pick, result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelax.metrics import modularity
from spherelax.pick import Pick, pick_description, pick_stability, pick_valley
from spherelax.power_run import PowerRun
from spherelax.problem import InvalidInputError, Problem, check_settings
from spherelax.rebalance import rebalance
from spherelax.result import Callback, Path, Result, SphereWarning, Status, nearest_step
from spherelax.schedule import alpha_grid
from spherelax.solvers import power

if TYPE_CHECKING:
    from spherelax.coordinate_run import CoordinateRun

SOLVERS = ("coordinate", "power")
PICKS = ("description", "eta", "stability", "interfaces")
DEFAULT_PICK = {"coordinate": "description", "power": "eta"}
DEFAULT_INNER = {"coordinate": 2, "power": 20}


def solve(
    similarity: Any,
    groups: Iterable[Hashable] | None = None,
    *,
    solver: str = "coordinate",
    pick: str | float | None = None,
    start: Result | None = None,
    scales: ArrayLike | None = None,
    n_steps: int | None = None,
    row_entries: int | None = None,
    n_jobs: int | None = None,
    n_inner: int | None = None,
    max_universe: int | None = None,
    alpha_step: float = 0.01,
    delta_margin: float = 0.0,
    kappa: float = 0.01,
    eta_floor: float = 1e-9,
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
        Symmetric and non-negative; W of the paper. Larger is more similar, zero is unrelated.
    groups : sequence of n_items hashable labels, optional
        The object that each item belongs to, in any order; items of one group never share a
        label. An item whose group is None is free. None for all puts no constraint on the labels.
    solver : {"coordinate", "power"}
        "coordinate" needs no bound on the number of labels, walks a logarithmic grid of
        resolutions, polishes the labels of each and scales to millions of items; "power" is the
        paper's method, conditional power iterations.
    pick : {"description", "eta", "stability", "interfaces"} or float, optional
        Which step of the path the labels come from: the one that describes the similarities most
        briefly, the valley of the eta curve, the labels that stay the same for longest; or the
        step at a resolution ``alpha / (1 - alpha)`` of your own, in units of the average
        similarity. "interfaces" is for neighbour graphs of points, where every patch is a cluster
        to the others: labels are merged unless there is a valley between them (coordinate solver,
        no groups). None is "description" for the coordinate and "eta" for the power solver.
    start : Result, optional
        An earlier result of the coordinate solver for the first items: the others and any new
        similarities are absorbed at its resolution, without a new sweep.
    scales : sequence of n_items positive numbers, optional
        For ``pick="interfaces"``: how far the neighbours of each item are away, as
        :func:`spherelax.similarity.local_scales` says. None takes all for equal.
    n_steps : int, optional
        Coordinate solver: resolutions from the largest similarity down to just below the average
        one. None is 40, and a step for each factor of two from 4096 items on.
    row_entries : int, optional
        Coordinate solver: largest number of entries in a row of U. None is 4, and 2 from 4096
        items on.
    n_jobs : int, optional
        Coordinate solver: number of threads; None or -1 takes all processors. The labels do not
        depend on it.
    n_inner : int, optional
        Passes or power iterations at each step, N of the paper. None is 2 for the coordinate and
        20 for the power solver.
    max_universe : int, optional
        Power solver: upper bound on the number of labels, k of the paper. None takes one that is
        loose for the input; ``result.max_universe`` says which. Items that are similar to nothing
        do not count.
    alpha_step : float
        Power solver: distance of the alphas, epsilon_alpha of the paper.
    delta_margin : float
        Power solver: added to the smallest delta that makes V positive semidefinite, epsilon_eta
        of the paper.
    kappa : float
        Power solver: shift added to the rebalanced similarity. Where alpha / (1 - alpha) is below
        it, items attract each other even without any similarity.
    eta_floor : float
        Values of eta below this share of the largest count as zero; 0 is the printed algorithm.
    callback : callable, optional
        Called with a :class:`Step` after each step of a sweep; there may be several sweeps, and
        with ``pick="interfaces"`` a last pass over steps whose labels are merged.

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
    if solver not in SOLVERS:
        raise InvalidInputError(f"solver must be one of {', '.join(SOLVERS)}; found {solver!r}")
    chosen = DEFAULT_PICK[solver] if pick is None else pick
    if isinstance(chosen, str) and chosen not in PICKS:
        raise InvalidInputError(
            f"pick must be one of {', '.join(PICKS)} or a resolution; found {pick!r}"
        )
    if not isinstance(chosen, str):
        check_settings(pick=chosen)
    n_inner = DEFAULT_INNER[solver] if n_inner is None else n_inner
    optional = {"n_steps": n_steps, "row_entries": row_entries}
    check_settings(
        **{name: value for name, value in optional.items() if value is not None},
        n_inner=n_inner,
        alpha_step=alpha_step,
        delta_margin=delta_margin,
        kappa=kappa,
        eta_floor=eta_floor,
    )
    problem = Problem.check(similarity, groups)
    if solver == "power":
        _refuse(solver, start=start, scales=scales)
        if chosen == "interfaces":
            raise InvalidInputError("pick='interfaces' needs solver='coordinate'")
        run = PowerRun(
            problem=problem,
            k=power.n_columns(problem, max_universe),
            rebalanced=rebalance(problem.similarity, problem.present, kappa),
            alphas=alpha_grid(alpha_step),
            n_inner=n_inner,
            delta_margin=delta_margin,
        )
        return _solve_power(problem, run, chosen=chosen, eta_floor=eta_floor, callback=callback)
    _refuse(solver, max_universe=max_universe)
    if start is not None:
        return _absorb(problem, start)
    if chosen == "interfaces" and groups is not None:
        raise InvalidInputError("pick='interfaces' is for points, which have no groups")
    settings: dict[str, Any] = {
        "row_entries": row_entries,
        "n_steps": n_steps,
        "n_inner": n_inner,
        "n_threads": _n_threads(n_jobs),
        "resolution": None if isinstance(chosen, str) else float(chosen),
        "is_thorough": chosen == "interfaces",
    }
    return _solve_coordinate(
        problem,
        settings,
        chosen=chosen,
        eta_floor=eta_floor,
        scales=_checked_scales(scales, problem),
        callback=callback,
    )


def _solve_power(
    problem: Problem,
    run: PowerRun,
    *,
    chosen: str | float,
    eta_floor: float,
    callback: Callback | None,
) -> Result:
    """Walk the paper's path and choose a step."""
    path = run.walk(callback)
    if chosen == "description":
        from spherelax.coordinate_run import CoordinateRun

        path = replace(path, savings=CoordinateRun.prepare(problem).savings(path.labels))
    pick = _pick(path, run.merged(path), problem, chosen, eta_floor)
    return _result(problem, run, path, pick)


def _solve_coordinate(
    problem: Problem,
    settings: dict[str, Any],
    *,
    chosen: str | float,
    eta_floor: float,
    scales: NDArray[np.float64],
    callback: Callback | None,
) -> Result:
    """Walk the universe-free path, again with what was learnt on it, and choose a step."""
    from spherelax.coordinate_run import CoordinateRun
    from spherelax.noise import is_noise

    run, path = CoordinateRun.prepare(problem, **settings).explore(callback)
    pick = _pick(path, path.n_labels == 1, problem, chosen, eta_floor)
    try:
        if path.is_whole and chosen == "interfaces":
            path, index = run.between_valleys(path, scales, callback)
            pick = Pick(index, None, None, Status.VALLEYS)
        elif path.is_whole and chosen == "description" and is_noise(run, path):
            pick = replace(pick, status=Status.NOISE)
            if problem.groups is None:
                path, pick = run.together(path), replace(pick, index=len(path.labels) - 1)
        path = run.finish(path, pick)
    except KeyboardInterrupt:
        path = replace(path, is_whole=False)
    return _result(problem, run, path, pick)


def _absorb(problem: Problem, start: Result) -> Result:
    """Absorb the items and similarities of a problem into an earlier result."""
    from spherelax.coordinate_run import CoordinateRun

    if not isinstance(start, Result) or not isinstance(start.source, CoordinateRun):
        found = type(start).__name__
        if isinstance(start, Result):
            is_power = isinstance(start.source, PowerRun)
            found = f"one {'of the power solver' if is_power else 'that was loaded from a file'}"
        raise InvalidInputError(f"start must be a Result of the coordinate solver; found {found}")
    if len(start.labels) > problem.n_items:
        raise InvalidInputError(
            f"start must not have more items than similarity, {problem.n_items}; "
            f"found {len(start.labels)}"
        )
    run, path = start.source.absorb(problem, start.labels, start.alpha)
    return _result(problem, run, path, Pick(0, None, None, Status.ABSORBED))


def _refuse(solver: str, **settings: object) -> None:
    """Refuse settings that only the other solver has a use for."""
    other = "coordinate" if solver == "power" else "power"
    for name, value in settings.items():
        if value is not None:
            raise InvalidInputError(f"{name} needs solver={other!r}; found solver={solver!r}")


def _pick(
    path: Path, merged: NDArray[np.bool_], problem: Problem, chosen: str | float, eta_floor: float
) -> Pick:
    """Choose a step of the path."""
    if not isinstance(chosen, str):
        return Pick(nearest_step(path, chosen / (1.0 + chosen)), None, None, Status.CHOSEN)
    if chosen in ("description", "interfaces") and path.savings is not None:
        return pick_description(path.savings)
    if chosen == "stability":
        return pick_stability(path)
    return pick_valley(path, merged, partial(modularity, problem.similarity), eta_floor)


def _result(problem: Problem, run: PowerRun | CoordinateRun, path: Path, pick: Pick) -> Result:
    """Put the chosen step into a result, and say what is odd about it."""
    status = pick.status
    if problem.isolated.all():
        status = Status.ISOLATED
    elif not path.is_whole:
        status = Status.INTERRUPTED
    if status.is_odd:
        warnings.warn(status, SphereWarning, stacklevel=4)
    labels, alpha = path.labels[pick.index], float(path.alphas[pick.index])
    return Result(
        labels=labels,
        alpha=alpha,
        status=status,
        confidence=run.confidence(labels, alpha),
        path=path,
        index=pick.index,
        right=pick.right,
        left=pick.left,
        max_universe=run.k,
        source=run,
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
        check_settings(n_jobs=n_jobs)
        return n_jobs
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
