"""How the commands solve: settings by the names of their options, progress, warnings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import spherelax
from spherelax import io
from spherelax.cli.options import BOUND, PICKS, SOLVER, SOLVING, spelled
from spherelax.cli.terminal import Progress, aside, begin, cut_short
from spherelax.errors import InvalidInputError
from spherelax.settings import check_settings as check_ranges

INTERFACES = PICKS[-1]

Given = Mapping[str, Any]
Solved = tuple[io.Items, spherelax.Result]


def check_settings(step: Given, settings: Given) -> None:
    """Refuse what cannot be before any file is read, by the names of the options."""
    if None not in (step.get("alpha"), step.get("n_labels")):
        raise click.UsageError("--alpha and --n-labels exclude each other")
    solver = settings["solver"] or SOLVER.choices[0]
    for name, value in {**step, **settings}.items():
        if value is None:
            continue
        if value == INTERFACES and solver == "power":
            raise click.UsageError(f"--pick {INTERFACES} needs --solver coordinate")
        only = None if name in step else SOLVING.get(spelled(name), BOUND).solver
        if only not in (None, solver):
            raise click.UsageError(f"{spelled(name)} needs --solver {only}")
        try:
            check_ranges(**({} if isinstance(value, str) else {name: value}))
        except InvalidInputError as error:
            raise click.UsageError(spelled(name) + str(error).removeprefix(name)) from None


def check_unused(solved: str, given: Given) -> None:
    """Refuse options that have no say in what is solved already."""
    found = next((name for name, value in given.items() if value is not None), None)
    if found:
        raise click.UsageError(f"{solved} is solved already; leave out {spelled(found)}")


def solve(items: io.Items | io.Points, settings: Given, step: Given) -> Solved:
    """Solve with the settings that were given, and take the step that was asked for."""
    begin("solving")
    given = {name: value for name, value in settings.items() if value is not None}
    with Progress() as progress:
        given["callback"] = progress.callback
        found, result, messages = aside(lambda: _swept(items, given, step), progress.stop)
        sweep = result.path
        if sweep.is_whole:
            progress.complete()
        if progress.is_stopped or not sweep.is_whole:
            cut_short(f"after {len(sweep.alphas)} steps, at alpha {sweep.alphas[-1]:g}")
    for message in messages:
        click.echo(f"warning: {message}", err=True)
    return found, result


def saved(path: Path, items: io.Items) -> Solved:
    """Load a result, if it is that of the items; they lose groups that it left out of account."""
    ids = io.read_arrays(path).get("ids")
    if ids is not None and [str(name) for name in ids.tolist()] != items.names:
        raise InvalidInputError(f"{path}: is a result of other items")
    result = io.load_result(path)
    if items.groups is not None:
        labels = zip(items.groups, result.labels.tolist(), strict=True)
        taken = [pair for pair in labels if pair[0] is not None]
        if len(set(taken)) < len(taken):
            items = replace(items, groups=None)
    return items, result


def _swept(
    items: io.Items | io.Points, given: Given, step: Given
) -> tuple[io.Items, spherelax.Result, list[str]]:
    """Return items with similarities, their labels, and warnings that are no status."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", spherelax.SphereWarning)
        if isinstance(items, io.Points):
            model = spherelax.SphereClustering(**given).fit(items.points)
            items, result = io.Items(model.affinity_matrix_, items.ids), model.result_
        else:
            settings = dict(given)
            if "max_clusters" in settings:
                settings["max_universe"] = settings.pop("max_clusters")
            result = spherelax.solve(items.similarity, items.groups, **settings)
    if step.get("alpha") is not None:
        result = result.at(step["alpha"])
    elif step.get("n_labels") is not None:
        result = result.with_n_labels(step["n_labels"])
    messages = [str(warning.message) for warning in caught]
    return items, result, [message for message in messages if message not in set(spherelax.Status)]
