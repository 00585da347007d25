"""How the commands call ``solve``: settings from options, progress, warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

import spherelax
from spherelax import io
from spherelax.cli.options import Given, spelled
from spherelax.cli.terminal import (
    Progress,
    begin,
    cut_short,
    in_thread,
    saying_that_it_compiles,
)
from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.readers.judgements import ADVICE, settle
from spherelax.judgements import Judgements
from spherelax.settings import POSITIVE_INTEGER, SOLVERS, checked_pick

Solved = tuple[io.Items, spherelax.Result]
Found = TypeVar("Found")


def checked(step: Given, given: Given, *, kind: str | None) -> Given:
    """Return the arguments of `solve`; refuse wrong values before any file is read.

    ``kind`` is that of the similarities, which goes with the items. Messages name the options, not
    the Python arguments.
    """
    for name, value in {"n_labels": step.get("n_labels"), "n_jobs": given["n_jobs"]}.items():
        if value is not None and value not in POSITIVE_INTEGER:
            raise click.UsageError(f"{spelled(name)} must be {POSITIVE_INTEGER}; found {value}")
    settings = {name: value for name, value in given.items() if value is not None}
    arguments: Given = {
        name: settings.pop(name) for name in ("pick", "n_jobs", "one_per_group") if name in settings
    }
    solver = SOLVERS[settings.pop("solver", next(iter(SOLVERS)))]
    if kind == "odds" and solver.name != "coordinate":
        raise click.UsageError("--kind odds needs --solver coordinate")
    if arguments.get("one_per_group") == "unless_copies" and solver.name != "coordinate":
        raise click.UsageError("--one-per-group unless_copies needs --solver coordinate")
    own = {setting.name for setting in fields(solver)}
    for name in settings:
        if name not in own:
            other = next(iter(SOLVERS.keys() - {solver.name}))
            raise click.UsageError(f"{spelled(name)} needs --solver {other}")
    try:
        arguments["solver"] = solver(**settings)
        checked_pick(arguments.get("pick"), arguments["solver"])
    except InvalidInputError as error:
        raise click.UsageError(_name_option(str(error))) from None
    return arguments


def _name_option(message: str) -> str:
    """Return a message about a setting or a pick with an option instead of the Python argument.

    Examples
    --------
    >>> _name_option("n_steps must be an integer >= 2; found 1")
    '--n-steps must be an integer >= 2; found 1'
    """
    name, _, reason = message.partition(" ")
    return f"{spelled(name)} {reason}"


def check_unused(solved: str, given: Given) -> None:
    """Refuse options that have no effect, because the result was solved before."""
    found = next((name for name, value in given.items() if value is not None), None)
    if found:
        raise click.UsageError(f"{solved} is solved already; leave out {spelled(found)}")


def judgements(judged: Given, items: io.Items | io.Points) -> Judgements:
    """Read judged pairs; refuse those that contradict each other, or drop earlier ones."""
    file = judged["judgements"]
    if file is None:
        if judged["contradictions"] is not None:
            raise click.UsageError("--contradictions needs --judgements")
        return Judgements.of(None)
    found = io.read_judgements(file, items)
    groups = None if isinstance(items, io.Points) else items.problem.groups
    with about(file):
        return settle(found, items, groups, judged["contradictions"], ADVICE)


def solve(items: io.Items | io.Points, settings: Given, step: Given) -> Solved:
    """Solve with the given settings; ``step`` may ask for a number of labels."""
    return watch(lambda given: _solve_items(items, given, step), settings)


def watch(
    work: Callable[[Given], tuple[Found, spherelax.Result]], settings: Given
) -> tuple[Found, spherelax.Result]:
    """Call ``work`` with settings and a callback; show progress, and print warnings.

    Warnings of a status and of copies in groups are left out: the summary says both.
    """
    begin("solving")
    given = dict(settings)
    # The power solver sweeps once and is not compiled.
    is_power = given["solver"].name == "power"
    compiling = nullcontext() if is_power else saying_that_it_compiles()

    def record_warnings() -> tuple[Found, spherelax.Result, list[Any]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", spherelax.SphereWarning)
            return *work(given), caught

    with compiling, Progress(n_ahead=0 if is_power else 1) as progress:
        given["callback"] = progress.callback
        found, result, caught = in_thread(record_warnings, progress.stop)
        sweep = result.path
        is_cut = progress.is_stopped or not sweep.is_complete
        if not is_cut:
            progress.complete()
        else:
            cut_short(f"after {len(sweep.alphas)} steps, at resolution {sweep.resolutions[-1]:.4g}")
    for one in caught:
        if getattr(one.message, "about", None) is None:
            click.echo(f"warning: {one.message}", err=True)
    return found, result


def saved(path: Path, items: io.Items) -> Solved:
    """Load a result; refuse one of other items. Groups that it did not use are removed."""
    result = io.load_result(path)
    ids = io.read_arrays(path).get("ids")
    if ids is not None and [str(name) for name in ids.tolist()] != items.names:
        raise InvalidInputError(f"{path}: must be a result of the items in FILE; found other items")
    if len(result.labels) != items.n_items:
        raise InvalidInputError(
            f"{path}: must be a result of the {items.n_items} items in FILE; "
            f"found {len(result.labels)}"
        )
    if items.groups is not None:
        labels = zip(items.groups, result.labels.tolist(), strict=True)
        taken = [pair for pair in labels if pair[0] is not None]
        if len(set(taken)) < len(taken):
            items = items.with_groups(None)
    return items, result


def _solve_items(items: io.Items | io.Points, given: Given, step: Given) -> Solved:
    """Return items with similarities, and the result."""
    if isinstance(items, io.Points):
        graph = spherelax.similarity.neighbor_graph(items.points)
        result = spherelax.solve(graph, **given)
        items = items.joined(graph)
    else:
        result = spherelax.solve(items.problem, **given)
    if step.get("n_labels") is not None:
        result = result.with_n_labels(step["n_labels"])
    return items, result
