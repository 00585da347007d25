"""The work of the commands on a project: one file that lasts from run to run."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

import spherelax
from spherelax import io
from spherelax.cli.options import Given, spelled
from spherelax.cli.solving import watch
from spherelax.cli.sources import format_of, readable
from spherelax.cli.targets import Targets
from spherelax.cli.terminal import begin, is_cut_short
from spherelax.cli.work import say, write
from spherelax.io.words import count
from spherelax.project import Run
from spherelax.settings import Coordinate

PAIRS = "pairs"


def check(file: Path | None, reading: Given, targets: Targets, settings: Given) -> None:
    """Refuse options that do not go with a project, before any file is read."""
    others = {name: getattr(targets, name) for name in ("ids_like", "images", "write_database")}
    for name, value in {**others, "groups": reading["groups"], "table": reading["table"]}.items():
        if value:
            raise click.UsageError(f"{spelled(name)} does not go with --project")
    if not isinstance(settings["solver"], Coordinate):
        raise click.UsageError("--project needs --solver coordinate")
    given = next((name for name, value in reading.items() if value is not None), None)
    if file is None and given:
        raise click.UsageError(f"{spelled(given)} needs FILE")
    targets.check_kind(PAIRS)


def check_alone(given: Given) -> None:
    """Refuse what does not go with records to forget: they go in a run of their own."""
    found = next((name for name, value in given.items() if value is not None), None)
    if found:
        name = found if found == "FILE" else spelled(found)
        raise click.UsageError(f"{name} does not go with --forget; give it in another run")


def label(
    file: Path | None,
    project: Path,
    reading: Given,
    targets: Targets,
    *,
    judged: Given,
    settings: Given,
    forget: Path | None,
    is_verbose: bool,
) -> None:
    """Add pairs and judgements, or forget records; go on with the project, and write the outputs.

    A summary is printed.
    """
    with readable(file) if file else nullcontext() as source:
        if source and format_of(source, reading) != PAIRS:
            raise click.UsageError(f"--project needs a FILE of pairs; found {source.format}")
        with spherelax.Project(project) as kept:
            if source:
                begin(f"reading {source}")
                names = ("columns", "duplicate_free_sources", "records", "kind")
                kept.add_pairs(source, **{name: reading[name] for name in names})
            if judged["judgements"]:
                begin(f"reading {judged['judgements']}")
                kept.judge(judged["judgements"])
            how = {**settings, "contradictions": judged["contradictions"]}
            if forget:
                begin(f"reading {forget}")
            run, result = watch(lambda given: _solve(kept, given, forget), how)
            if is_cut_short():
                raise KeyboardInterrupt  # nothing is kept of a run that was not completed
            begin(f"writing {project}")
    lines = [f"project: {project}, {run}"]
    if run.n_judged:
        lines.append(f"judgements: {count(run.n_judged, 'pair')} of {project}")
    lines += write(project, targets, io.Source(project, format=PAIRS), run.items, result, shown={})
    say(targets, PAIRS, run.items, result, lines, is_verbose=is_verbose)


def _solve(
    kept: spherelax.Project, given: Given, forget: Path | None
) -> tuple[Run, spherelax.Result]:
    """Solve with settings of which the solver is given only if it is not the usual one; or forget.

    What is forgotten is so with the settings of before.
    """
    if forget:
        run = kept.forget(forget)
        return run, run.result
    usual = given["solver"] == Coordinate()
    run = kept.solve(**{**given, "solver": None if usual else given["solver"]})
    return run, run.result
