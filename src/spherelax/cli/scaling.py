"""The work of the command scale, and of info about pairs that do not fit into memory."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from time import monotonic

import click

from spherelax import scale
from spherelax.changes.ids import say_ids
from spherelax.cli.options import Given, spelled
from spherelax.cli.terminal import begin, duration, in_thread
from spherelax.io.readers.colmap_tables import RAW, VERIFIED
from spherelax.io.words import RECORDS, count
from spherelax.result import UNSURE
from spherelax.scale.cluster import connected
from spherelax.settings import POSITIVE_INTEGER, Coordinate

DATABASES = (".duckdb", ".ddb")
SETTINGS = ("n_steps", "row_entries")
# Options whose Python arguments have other names.
ARGUMENTS = {"memory": "memory_limit"}
# Seconds after which a stage that has said nothing says how far it is.
PATIENCE = 30.0


def are_for_scale(files: Sequence[str], table: str | None) -> bool:
    """Tell whether files hold pairs for the command scale: several, a pattern, or a database.

    Examples
    --------
    >>> are_for_scale(["pairs/*.parquet"], None), are_for_scale(["pairs.parquet"], None)
    (True, False)
    """
    is_pattern = glob.has_magic(files[0]) and not Path(files[0]).exists()
    is_database = Path(files[0]).suffix.lower() in DATABASES
    return len(files) > 1 or is_pattern or is_database or table not in (None, VERIFIED, RAW)


def solve(files: Sequence[str], given: Given, *, as_json: bool) -> None:
    """Find entities and print a summary."""
    arguments = {name: value for name, value in given.items() if value is not None}
    out, address = arguments.pop("out", None), arguments.pop("dask", None)
    if out is None:
        raise click.UsageError("--out is missing: the folder of the entities")
    if address and "n_jobs" in arguments:
        raise click.UsageError("only one of --n-jobs and --dask can be given")
    if "contradictions" in arguments and "judgements" not in arguments:
        raise click.UsageError("--contradictions needs --judgements")
    for name in ("n_jobs", "max_pairs", *SETTINGS):
        if arguments.get(name, 1) not in POSITIVE_INTEGER:
            found = arguments[name]
            raise click.UsageError(f"{spelled(name)} must be {POSITIVE_INTEGER}; found {found}")
    solver = Coordinate(**{name: arguments.pop(name) for name in SETTINGS if name in arguments})
    named = {ARGUMENTS.get(name, name): value for name, value in arguments.items()}
    begin(f"working in {out}; the same command goes on from there")
    with connected(address) if address else nullcontext() as client:
        found = in_thread(
            lambda: scale.solve(
                _source(files), out, solver=solver, client=client, progress=_Lines(), **named
            )
        )
    if as_json:
        about = asdict(found) | {"folder": str(out), "parts": list(map(str, found.parts))}
        click.echo(json.dumps(about, indent=2))
    click.echo("\n".join(_said(found, out, given["write_database"])), err=True)


def explain(folder: Path, pair: tuple[str, str] | None, entity: int | None) -> None:
    """Print the explanation of a pair of records, or of an entity, of a run."""
    begin(f"reading {folder}")
    click.echo(str(in_thread(lambda: scale.explain(folder, pair, entity=entity))))


def info(files: Sequence[str], reading: Given, memory: str | None, *, as_json: bool) -> None:
    """Print what pairs hold, and what they will cost."""
    for name in ("groups", "duplicate_free_sources"):
        if reading[name] is not None:
            raise click.UsageError(f"{spelled(name)} needs a single FILE that is not a database")
    if reading["as"] not in (None, "pairs"):
        raise click.UsageError(f"several files must hold pairs; found --as {reading['as']}")
    begin("reading pairs")
    given = {name: reading[name] for name in ("table", "columns", "records", "kind")}
    limit = {} if memory is None else {"memory_limit": memory}
    found = in_thread(lambda: scale.survey(_source(files), progress=_Lines(), **given, **limit))
    if as_json:
        costs = ("memory", "giant_memory", "disk", "cpu_seconds")
        about = {**asdict(found), **{name: getattr(found, name) for name in costs}}
        click.echo(json.dumps(about, indent=2))
    else:
        click.echo("\n".join(_facts(found)))


class _Lines:
    """Progress as lines on standard error: one for each stage and shard, more if it takes long."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._what = self._stage = ""
        self._said_at = self._began = self._share = 0.0

    def __call__(self, what: str, share: float) -> None:
        """Say what is being done, which share of the stage is done, and the time left for it."""
        now, stage = self._now(), what.partition(":")[0]
        if stage != self._stage:
            self._stage, self._began, self._share = stage, now, share
        if what == self._what and now - self._said_at < PATIENCE:
            return
        self._what, self._said_at = what, now
        line = f"{what}, {share:.0%}" if share else what
        if self._share < share < 1.0:
            left = (now - self._began) * (1.0 - share) / (share - self._share)
            line += f", about {duration(left)} left"
        click.echo(line, err=True)


def _source(files: Sequence[str]) -> str | list[str]:
    """Return the files as the user named them; one is named in messages."""
    return files[0] if len(files) == 1 else list(files)


def _said(found: scale.Entities, out: Path, database: Path | None) -> list[str]:
    """Return the summary."""
    said = RECORDS.found(
        n_items=found.n_items, n_groups=None, n_labels=found.n_entities, n_single=found.n_single
    )
    return [
        said,
        RECORDS.speak(found.status.sentence),
        f"confidence: {found.confidence:.2f} on average, below {UNSURE} for "
        f"{count(found.n_unsure, 'record')}",
        f"entities: {out / 'part-*.parquet'}, {count(found.n_parts, 'file')}",
        f"report: {out / 'report.html'}",
        *([f"numbers: {say_ids(**found.ids)}: {out / 'ids.csv'}"] if found.ids else []),
        *([f"database: {database}"] if database else []),
    ]


def _facts(found: scale.Survey) -> list[str]:
    """Return what pairs hold, as lines."""
    rows = {
        "records": f"{found.n_items}",
        "pairs": f"{found.n_pairs}",
        "components": f"{found.n_components}",
        "records without a pair": f"{found.n_isolated}",
        "memory, all at once": _bytes(found.memory),
        "memory, largest component": _bytes(found.giant_memory),
        "disk while it works": _bytes(found.disk),
        "time of one processor": f"about {duration(found.cpu_seconds)}",
    }
    lines = [f"{name:<28}{value}" for name, value in rows.items()]
    if found.floors:
        lines.append("lowest score  pairs       components  share of the largest component")
    return lines + [
        f"{each.floor:<14.4g}{each.n_pairs:<12}{each.n_components:<12}{each.giant_share:.1%}"
        for each in found.floors
    ]


def _bytes(n: float) -> str:
    """Return a number of bytes in the unit that fits.

    Examples
    --------
    >>> _bytes(820), _bytes(3.2e6), _bytes(16.4e9)
    ('820 bytes', '3.2 MB', '16 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.{0 if n >= 10 * size else 1}f} {unit}"
    return f"{n:.0f} bytes"
