"""The work of the commands: read, solve, write, and print a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import click
import numpy as np

import spherelax
from spherelax import io
from spherelax.cli.facts import facts, facts_text
from spherelax.cli.options import STANDARD
from spherelax.cli.solving import check_unused, saved, solve
from spherelax.cli.sources import kind_of, name_of, pictures, read, readable, similar
from spherelax.cli.targets import PAGES, Targets, check_ending, check_files, picture
from spherelax.cli.terminal import begin, in_thread, writing
from spherelax.io.answers import UNSURE
from spherelax.io.cells import ENDING as CELLS
from spherelax.result import say_duplicates

STEP_ENDINGS = (".csv", ".tsv", ".json")

Given = Mapping[str, Any]


def label(
    file: Path,
    groups: Path | None,
    reading: Given,
    targets: Targets,
    *,
    step: Given,
    settings: Given,
    is_matching: bool,
) -> None:
    """Read a file, solve, write the outputs and print a summary: match and cluster."""
    with readable(file) as source:
        kind = kind_of(source, reading)
        targets.check_kind(kind)
        items, n_alone = read(source, groups, reading, needs_groups=is_matching)
        if not is_matching and isinstance(items, io.Items):
            items = items.with_groups(None)
        shown = pictures(targets.images, items)
        items, result = solve(items, settings, step)
        lines = _guess(kind, reading) + _write(targets, source, items, result)
        if targets.report:
            _write_page(targets.report, file, items, result, shown)
            lines.append(f"report: {name_of(targets.report, 'output')}")
    if targets.as_json:
        _write_bytes(STANDARD, _summary(items, result, kind))
    else:
        if targets.prints_labels:
            _write_bytes(STANDARD, _table(targets, items, result))
        _summarise(items, result, n_alone, lines)


def path(
    file: Path,
    groups: Path | None,
    reading: Given,
    settings: Given,
    *,
    given: Given,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the steps of a new or of a saved sweep; a saved one allows no other options."""
    if as_json and out == STANDARD:
        raise click.UsageError("standard output can take only one of --json and --out -")
    check_files([out], (file, groups))
    if out:
        check_ending(out, "steps", STEP_ENDINGS)
    with readable(file) as source:
        if kind_of(source, reading) == "result":
            check_unused(name_of(file), {"groups": groups, **reading, **given})
            result = io.load_result(source.path)
        else:
            items, _ = read(source, groups, reading)
            result = solve(items, settings, {})[1]
    if out and out != STANDARD:
        _write_bytes(out, _steps(result, out.suffix.lower()))
    if as_json or out in (None, STANDARD):
        _write_bytes(STANDARD, _steps(result, ".json" if as_json else ".csv"))


def report(
    file: Path,
    groups: Path | None,
    reading: Given,
    *,
    step: Given,
    settings: Given,
    out: Path,
    saved_in: Path | None,
    images: Path | None,
) -> None:
    """Write a report about a new or a saved result."""
    check_files([out], (file, groups, saved_in))
    check_ending(out, "a report", PAGES)
    with readable(file) as source:
        items, n_alone = read(source, groups, reading)
        shown = pictures(images, items)
        if saved_in:
            items, result = saved(saved_in, similar(items))
        else:
            items, result = solve(items, settings, step)
        lines = _guess(kind_of(source, reading), reading)
        _write_page(out, file, items, result, shown)
    _summarise(items, result, n_alone, [*lines, f"report: {name_of(out, 'output')}"])


def info(file: Path, groups: Path | None, reading: Given, *, as_json: bool) -> None:
    """Print what a file holds."""
    with readable(file) as source:
        items, _ = read(source, groups, reading)
        about = {"kind": kind_of(source, reading), **facts(similar(items))}
    _write_bytes(STANDARD, _json(about) if as_json else f"{facts_text(about)}\n".encode())


def _guess(kind: str, reading: Given) -> list[str]:
    """Return a line of the summary about a table whose kind was guessed."""
    is_guessed = reading["as"] is None and kind in ("edges", "points")
    return [f"input: read as {kind}; --as sets another kind"] if is_guessed else []


def _write(
    targets: Targets, source: io.Source, items: io.Items, result: spherelax.Result
) -> list[str]:
    """Write database, labels and picture to their files; return lines of the summary."""
    lines = []
    if targets.write_database and isinstance(items, io.Keypoints):
        with writing(str(targets.write_database)):
            counts = io.write_colmap(
                targets.write_database, items, result, add_missing=targets.add_missing
            )
        lines.append(
            f"database: {targets.write_database}, {_count(counts.kept, 'match', 'es')} kept, "
            f"{counts.removed} removed, {counts.added} added"
        )
    if targets.out and targets.out != STANDARD:
        _write_labels(targets, targets.out, source, items, result)
    if targets.out or targets.prints_labels:
        lines.append(f"labels: {name_of(targets.out or STANDARD, 'output')}")
    for rows, table in targets.tables.items():
        with writing(str(table)):
            io.write_answer(table, items, result, of=rows, escape_formulas=targets.escape_formulas)
        lines.append(f"{rows}: {table}")
    if targets.plot:
        _write_bytes(targets.plot, picture(result, targets.plot))
        lines.append(f"sweep: {targets.plot}")
    elif not targets.report:
        lines.append("sweep: see it with --report report.html or --plot sweep.png")
    return lines


def _table(targets: Targets, items: io.Items, result: spherelax.Result) -> bytes:
    """Return the labels as CSV."""
    columns = items.answer(result)
    return io.columns_csv(columns, escape_formulas=targets.escape_formulas).encode()


def _write_labels(
    targets: Targets, target: Path, source: io.Source, items: io.Items, result: spherelax.Result
) -> None:
    """Write labels in the format of the ending; to pipes and devices as CSV."""
    ending = target.suffix.lower()
    if io.is_device(target):
        _write_bytes(target, _table(targets, items, result))
    elif ending == ".json":
        _write_bytes(target, _summary(items, result, source.kind))
    else:
        with writing(str(target)):
            if ending == CELLS:
                io.write_h5ad(target, source.path, result)
            else:
                io.write_answer(target, items, result, escape_formulas=targets.escape_formulas)


def _write_bytes(target: Path, content: bytes) -> None:
    """Write a file, or to standard output."""
    with writing(name_of(target, "output")):
        if target == STANDARD:
            click.echo(content, nl=False)
        else:
            io.replace_file(target, content)


def _summary(items: io.Items, result: spherelax.Result, kind: str | None) -> bytes:
    """Return the summary, with the kind of the file, as JSON."""
    return _json({**io.summary(items, result), "kind": kind})


def _json(about: Mapping[str, Any]) -> bytes:
    """Return indented JSON that ends with a new line."""
    return f"{json.dumps(about, indent=2)}\n".encode()


def _write_page(
    target: Path, file: Path, items: io.Items, result: spherelax.Result, shown: Given
) -> None:
    """Write the report of a result."""
    begin(f"writing {name_of(target, 'output')}")
    title = f"Labels of {name_of(file) if file == STANDARD else file.name}"
    page = in_thread(lambda: spherelax.report.report_html(items, result, title=title, **shown))
    _write_bytes(target, page.encode())


def _steps(result: spherelax.Result, ending: str) -> bytes:
    """Return the steps of a path as CSV, TSV or JSON, by ending; unknown numbers are empty."""
    sweep = result.path
    savings = np.full(len(sweep.alphas), np.nan) if sweep.savings is None else sweep.savings
    curves = {
        "alpha": sweep.alphas,
        "resolution": sweep.resolutions,
        "labels": result.n_labels_per_step,
        "eta": sweep.etas,
        "saving": savings,
        "stability": sweep.stability,
    }
    columns: dict[str, list[Any]] = {
        name: [value if isfinite(value) else None for value in curve.tolist()]
        for name, curve in curves.items()
    }
    columns["picked"] = [step == result.position for step in range(len(sweep.alphas))]
    if ending == ".json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        status, is_whole = str(result.status), sweep.is_whole
        return _json({"status": status, "is_whole": is_whole, "steps": rows})
    cells = {name: [_cell(value) for value in column] for name, column in columns.items()}
    return io.columns_csv(cells, delimiter="\t" if ending == ".tsv" else ",").encode()


def _cell(value: float | None) -> str:
    """Return a number with six digits, or nothing if it is not known."""
    return "" if value is None else f"{value:.6g}"


def _summarise(items: io.Items, result: spherelax.Result, n_alone: int, lines: list[str]) -> None:
    """Print on standard error what was found and written."""
    groups = f" in {_count(len({*items.groups} - {None}), 'group')}" if items.groups else ""
    alone = f" ({n_alone} without an edge)" if n_alone else ""
    n_single = int((np.bincount(result.labels) == 1).sum())
    single = f" ({n_single} of one item)" if n_single else ""
    n_unsure = int((result.confidence < UNSURE).sum())
    bound = ""
    if result.max_labels < items.n_items:
        bound = f" (max_labels {result.max_labels})"
    copies = say_duplicates(result.duplicates(), items.names, items.groups)
    wrong = ""
    if result.is_probability:
        wrong = f"; about {np.sum(1.0 - result.confidence):.0f} labels of items may be wrong"
    said = (
        f"{_count(items.n_items, 'item')}{groups}{alone}: "
        f"{_count(result.n_labels, 'label')}{single} at resolution {result.resolution:.4g}{bound}",
        str(result.status),
        f"confidence: {result.confidence.mean():.2f} on average, below {UNSURE} for "
        + _count(n_unsure, "item")
        + wrong,
        *([f"duplicates: {copies}"] if copies else []),
        *lines,
    )
    click.echo("\n".join(said), err=True)


def _count(number: int, name: str, several: str = "s") -> str:
    """Return a number with its noun, such as ``1 item`` or ``2 items``."""
    return f"{number} {name}{'' if number == 1 else several}"
