"""Commands about answers that were written before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

import spherelax
from spherelax import io
from spherelax.cli.options import STANDARD
from spherelax.cli.sources import readable
from spherelax.cli.targets import PAGES, check_ending, check_files
from spherelax.cli.terminal import begin, writing
from spherelax.io.answers.answers import TABLES


def diff(
    before: Path, after: Path, project: Path | None, *, out: Path | None, page: Path | None
) -> None:
    """Print what has changed between two answers, and write it as a table and as a page.

    The answers are files or, if there is a project, runs of it.
    """
    for target, what, endings in ((out, "changes", TABLES), (page, "a page", PAGES)):
        if target == STANDARD:
            raise click.UsageError(f"{what} need a file; found -")
        if target:
            check_ending(target, what, endings)
    check_files([out, page], (project,) if project else (before, after))
    if project:
        found = _diff_runs(project, before, after)
    else:
        with readable(before) as old, readable(after) as new:
            found = spherelax.diff(old, new)
    if out:
        with writing(str(out)):
            io.write_columns(out, found.columns())
    if page:
        with writing(str(page)):
            title = f"From {before.name} to {after.name}"
            io.replace_file(page, found.html(title).encode())
    click.echo(str(found))


def _diff_runs(project: Path, before: Path, after: Path) -> spherelax.Diff:
    """Compare two runs of a project, which are given by their numbers."""
    for run in (before, after):
        if not str(run).isdecimal():
            raise click.UsageError(f"with --project, runs must be numbers; found {run}")
    if not project.exists():
        raise click.UsageError(f"{project}: there is no such project")
    begin(f"reading {project}")
    with spherelax.Project(project) as kept:
        return spherelax.diff(kept.entities(int(str(before))), kept.entities(int(str(after))))


def keep_numbers(
    like: Path, items: io.Items, result: spherelax.Result
) -> tuple[io.Items, spherelax.Ids]:
    """Return items whose labels have the numbers of an earlier table, and all numbers."""
    begin(f"reading {like}")
    answer = items.answer(result)
    ids = spherelax.keep_ids(like, answer)
    own = np.array(answer[items.word])
    lasting = np.full(own.max(initial=-1) + 1, -1)
    lasting[own] = ids.numbers
    return replace(items, lasting=lasting), ids
