"""The command evaluate: draw a sample to judge, or print how good labels are."""

from __future__ import annotations

from pathlib import Path

import click

import spherelax
from spherelax import io
from spherelax.cli.options import STANDARD, Given, spelled
from spherelax.cli.solving import solve
from spherelax.cli.sources import read, readable
from spherelax.cli.targets import check_ending, check_files
from spherelax.cli.terminal import begin, in_thread, writing
from spherelax.io.answers.answers import TABLES
from spherelax.io.words import count
from spherelax.settings import POSITIVE_INTEGER

N_CASES = 200  # of a sample, if nothing else is said


def evaluate(
    file: Path, groups: Path | None, reading: Given, *, step: Given, settings: Given, asked: Given
) -> None:
    """Solve, and write a sample of the labels, or print what is known of them."""
    judged, target = asked.pop("judged"), asked.pop("sample")
    _check(judged, target, asked, (file, groups, *(reading["records"] or ())))
    with readable(file) as source:
        items, _ = read(source, groups, reading)
        items, result = solve(items, settings, step)
    if target is None:
        if judged is not None:
            begin(f"reading {judged}")
        found = in_thread(lambda: spherelax.evaluate(result, judged, items=items))
        click.echo(str(found))
        return
    of, n = asked["of"] or "records", asked["n"] or N_CASES
    drawn = in_thread(
        lambda: spherelax.sample(result, n, of=of, items=items, random_state=asked["seed"] or 0)
    )
    with writing(str(target)):
        io.write_columns(target, drawn)
    pairs = count(len(drawn["case"]), "pair")
    click.echo(f"{len(set(drawn['case'])):,} {of} to judge, {pairs}: {target}", err=True)
    click.echo(f"next: fill in verdict, and give it as --judged {target}", err=True)


def _check(
    judged: Path | None, target: Path | None, asked: Given, sources: tuple[Path | None, ...]
) -> None:
    """Refuse options that do not fit together, before anything is solved."""
    if judged is not None and target is not None:
        raise click.UsageError("--judged reads a sample and --sample draws one; give one of them")
    if target is None:
        for name, value in asked.items():
            if value is not None:
                raise click.UsageError(f"{spelled(name)} needs --sample")
        return
    if target == STANDARD:
        raise click.UsageError("--sample needs a file; found -")
    if asked["n"] is not None and asked["n"] not in POSITIVE_INTEGER:
        raise click.UsageError(f"--n must be {POSITIVE_INTEGER}; found {asked['n']}")
    if asked["seed"] is not None and asked["seed"] < 0:
        raise click.UsageError(f"--seed must be an integer >= 0; found {asked['seed']}")
    check_files([target], sources)
    check_ending(target, "a sample", TABLES)
