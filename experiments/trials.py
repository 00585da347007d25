"""Run the trials of an experiment in parallel, keep their outcomes, write the table, draw it.

A trial is one method on one problem, described by plain values and settings of our solvers. Its
outcome is kept in ``experiments/.cache`` under a key made of these values and the version of
spherelax. So a run that was stopped can be continued, and only trials with a changed setting are
computed again. ``--fresh`` deletes the kept outcomes of an experiment; use it if a method has
changed but the version has not.

An experiment is a module with

- ``ABOUT``, a line at the top of the table: what was fixed,
- ``trials(quick)``, a list of dictionaries with at least ``method``, ``settings`` and ``seed``,
- ``run(trial)``, rows with the outcome, mostly one,
- ``tables(rows)``, short tables by name, and ``draw(rows)``, figures by name, both made from the
  rows of the table alone.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import numpy as np

import spherelax as sl

HERE = Path(__file__).resolve().parent
CACHE, RESULTS, QUICK = HERE / ".cache", HERE / "results", HERE / "quick"
DATA = Path(os.environ.get("SPHERELAX_DATA", HERE.parents[1] / "shared" / "data"))
# Seconds between two lines of progress, on a terminal and in a log.
ON_TERMINAL, IN_LOG = 1, 60

Trial = dict[str, Any]
Row = dict[str, Any]


def main(name: str, argv: list[str] | None = None) -> None:
    """Run one experiment from the command line."""
    experiment = import_module(name)
    parser = argparse.ArgumentParser(description=(experiment.__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small problems")
    parser.add_argument("--fresh", action="store_true", help="forget what was kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--output", type=Path, help="folder of the table and the figures")
    options = parser.parse_args(argv)
    output = options.output or (QUICK if options.quick else RESULTS)
    table = output / f"{name}.csv"
    try:
        trials = experiment.trials(options.quick)
        kept = Kept(CACHE / ("quick" if options.quick else "full") / f"{name}.jsonl", options.fresh)
        rows = collect(name, trials, kept, options.jobs)
    except FileNotFoundError as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return
    output.mkdir(parents=True, exist_ok=True)
    write_table(table, rows, heading(experiment, trials, options.quick))
    summarise(experiment, table)


def one_at_a_time(
    base: dict[str, Any],
    panels: dict[str, list[float]],
    seeds: range,
    methods: dict[str, dict[str, Any]],
    quick: bool,
) -> list[Trial]:
    """List trials of panels that vary one value each: problem by problem, every method on each."""
    return [
        {
            "panel": panel,
            "x": x,
            "seed": seed,
            "method": method,
            "settings": settings,
            "problem": base | {panel: x},
        }
        for panel, xs in panels.items()
        for x in (xs[:: len(xs) - 1] if quick else xs)
        for seed in (seeds[:1] if quick else seeds)
        for method, settings in methods.items()
    ]


def collect(name: str, trials: list[Trial], kept: Kept, jobs: int) -> list[Row]:
    """Return the rows of all trials in their order; compute those that are not kept."""
    missing = [trial for trial in trials if trial not in kept]
    progress = Progress(name, len(trials), len(missing))
    for trial, rows in _computed(name, missing, jobs):
        if rows:
            kept.add(trial, rows)
        progress.step()
    return [_plain(trial) | row for trial in trials if trial in kept for row in kept[trial]]


def heading(experiment: ModuleType, trials: list[Trial], quick: bool) -> list[str]:
    """Say what a table comes from: version, seeds, settings."""
    seeds = sorted({trial["seed"] for trial in trials})
    settings = {trial["method"]: trial["settings"] for trial in trials if trial["settings"]}
    drawn = f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
    return [
        f"spherelax {sl.__version__}, {'quick' if quick else 'full'} run, {drawn}",
        experiment.ABOUT,
        *(f"{method}: {json.dumps(value, default=repr)}" for method, value in settings.items()),
    ]


def write_table(path: Path, rows: list[Row], notes: list[str]) -> None:
    """Write a CSV with a note in each of its first lines."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", newline="") as file:
        file.writelines(f"# {note}\n" for note in notes)
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _short(value) for name, value in row.items()} for row in rows)


def read_table(path: Path) -> tuple[list[Row], list[str]]:
    """Read what `write_table` wrote: rows, with numbers as numbers, and notes."""
    lines = path.read_text().splitlines()
    notes = [line[2:] for line in lines if line.startswith("# ")]
    rows = csv.DictReader(lines[len(notes) :])
    return [{name: _number(text) for name, text in row.items()} for row in rows], notes


def summarise(experiment: ModuleType, table: Path) -> None:
    """Make the short tables and the figures; each states the version and the seeds."""
    rows, notes = read_table(table)
    for name, short in experiment.tables(rows).items():
        write_table(table.with_name(f"{name}.csv"), short, [])
    mpl.use("agg")
    for name, figure in experiment.draw(rows).items():
        figure.supxlabel(notes[0], fontsize=6, color="0.45", x=0.995, ha="right")
        figure.savefig(table.with_name(f"{name}.png"), dpi=120, metadata={"Software": None})


class Kept:
    """Rows of trials, one line per trial; a line is written as soon as its trial is done."""

    def __init__(self, path: Path, fresh: bool = False) -> None:
        self.path = path
        self.done: dict[str, list[Row]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                name, rows = json.loads(line)
            except ValueError:  # a line that was cut short
                continue
            self.done[name] = rows

    def __contains__(self, trial: Trial) -> bool:
        """Tell whether a trial is done."""
        return key(trial) in self.done

    def __getitem__(self, trial: Trial) -> list[Row]:
        """Return the rows of a trial that is done."""
        return self.done[key(trial)]

    def add(self, trial: Trial, rows: list[Row]) -> None:
        """Keep the rows of a trial."""
        self.done[key(trial)] = rows
        with self.path.open("a") as file:
            file.write(json.dumps([key(trial), rows]) + "\n")


def key(trial: Trial) -> str:
    """Return the name under which the outcome of a trial is kept."""
    text = json.dumps([sl.__version__, trial], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Progress:
    """One line on standard error: how many trials are done, and the time left."""

    def __init__(self, name: str, n_trials: int, n_missing: int) -> None:
        self.name, self.n_trials, self.n_missing, self.n_done = name, n_trials, n_missing, 0
        self.start = self.shown = time.monotonic()
        self.interval, self.end = (ON_TERMINAL, "\r") if sys.stderr.isatty() else (IN_LOG, "\n")
        print(f"{name}: {n_missing} of {n_trials} trials to do", file=sys.stderr)

    def step(self) -> None:
        """Count one more trial."""
        self.n_done += 1
        now = time.monotonic()
        is_last = self.n_done == self.n_missing
        if not is_last and now - self.shown < self.interval:
            return
        self.shown = now
        left = (now - self.start) / self.n_done * (self.n_missing - self.n_done)
        line = f"{self.name}: {self.n_done} of {self.n_missing}, {left / 60:.1f} minutes left"
        print(line, end="\n" if is_last else self.end, file=sys.stderr, flush=True)


def _computed(name: str, trials: list[Trial], jobs: int) -> Iterator[tuple[Trial, list[Row]]]:
    """Yield each trial with its rows as it comes in."""
    if not trials:
        return
    pool = ProcessPoolExecutor(jobs, initializer=_prepare)
    waiting: dict[Future[list[Row]], Trial] = {}
    queue = iter(trials)
    try:
        while True:
            # A short queue, so that a stop does not wait for trials that have not begun.
            while len(waiting) < 2 * jobs and (trial := next(queue, None)) is not None:
                waiting[pool.submit(_run, name, trial)] = trial
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Load compiled code before anything is timed; ignore warnings about single answers."""
    warnings.simplefilter("ignore")
    sl.solve(np.eye(8), np.arange(8) // 2)


def _run(name: str, trial: Trial) -> list[Row]:
    """Run one trial; give no rows if the method needs a package that is not here."""
    try:
        return list(import_module(name).run(trial))
    except ImportError as error:
        print(f"{name}: {trial['method']} left out: {error}", file=sys.stderr)
        return []


def _plain(trial: Trial) -> Row:
    """Return the columns of a trial, without its nested values."""
    return {name: value for name, value in trial.items() if not isinstance(value, dict)}


def _short(value: Any) -> Any:
    """Write floats with five significant digits."""
    return f"{value:.5g}" if isinstance(value, float) else value


def _number(text: str) -> Any:
    """Read a number as such."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
