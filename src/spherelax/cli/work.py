"""The work of the commands: read, solve, write, and print a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

import spherelax
from spherelax import io
from spherelax.cli.answers import keep_numbers
from spherelax.cli.facts import facts, facts_text
from spherelax.cli.options import STANDARD, Given
from spherelax.cli.solving import check_unused, judgements, saved, solve
from spherelax.cli.sources import format_of, name_of, pictures, read, readable, similar
from spherelax.cli.targets import PAGES, Targets, check_ending, check_files, picture
from spherelax.cli.terminal import begin, in_thread, writing
from spherelax.io.readers.cells import ENDING as CELLS
from spherelax.io.words import count, plural
from spherelax.result import UNSURE, judge

STEP_ENDINGS = (".csv", ".tsv", ".json")


def label(
    file: Path,
    groups: Path | None,
    reading: Given,
    targets: Targets,
    *,
    step: Given,
    judged: Given,
    settings: Given,
    is_matching: bool,
    is_verbose: bool,
) -> None:
    """Read a file, solve, write the outputs and print a summary: match and cluster."""
    with readable(file) as source:
        kind = format_of(source, reading)
        targets.check_kind(kind)
        items, n_alone = read(source, groups, reading, needs_groups=is_matching)
        if not is_matching and isinstance(items, io.Items):
            items = items.with_groups(None)
        shown = pictures(targets.images, items)
        known = judgements(judged, items)
        asked = settings if len(known) == 0 else {**settings, "judgements": known}
        items, result = solve(items, asked, step)
        lines = _read_from(kind, reading, items)
        if len(known):
            lines.append(f"judgements: {count(len(known), 'pair')} of {judged['judgements']}")
        ids = None
        if targets.ids_like:
            items, ids = keep_numbers(targets.ids_like, items, result)
            lines.append(f"numbers: {ids}")
        lines += write(file, targets, source, items, result, shown=shown, ids=ids)
    say(targets, kind, items, result, lines, n_alone=n_alone, is_verbose=is_verbose)


def write(
    file: Path,
    targets: Targets,
    source: io.Source,
    items: io.Items,
    result: spherelax.Result,
    *,
    shown: Given,
    ids: spherelax.Ids | None = None,
) -> list[str]:
    """Write all that is asked for but standard output; return lines of the summary."""
    lines = _write(targets, source, items, result)
    if targets.register and ids:
        with writing(str(targets.register)):
            io.write_columns(targets.register, ids.register())
        lines.append(f"all numbers ever given: {targets.register}")
    if targets.report:
        _write_page(targets.report, file, items, result, shown)
        lines.append(f"report: {name_of(targets.report, 'output')}")
    return lines


def say(
    targets: Targets,
    kind: str,
    items: io.Items,
    result: spherelax.Result,
    lines: list[str],
    *,
    n_alone: int = 0,
    is_verbose: bool,
) -> None:
    """Write to standard output, and print the summary."""
    if targets.as_json:
        _write_bytes(STANDARD, _summary(items, result, kind))
        return
    if targets.prints_labels:
        _write_bytes(STANDARD, _table(targets, items, result))
    _summarise(items, result, n_alone, lines, is_verbose=is_verbose)


class Form(NamedTuple):
    """How the steps of a path are written: where to, whether as JSON, and whether all numbers."""

    out: Path | None
    as_json: bool
    is_verbose: bool


def path(
    file: Path,
    groups: Path | None,
    reading: Given,
    settings: Given,
    *,
    given: Given,
    form: Form,
) -> None:
    """Write the steps of a new or of a saved sweep; a saved one allows no other options."""
    out, as_json, is_verbose = form
    if as_json and out == STANDARD:
        raise click.UsageError("standard output can take only one of --json and --out -")
    check_files([out], (file, groups, reading["features"], *(reading["records"] or ())))
    if out:
        check_ending(out, "steps", STEP_ENDINGS)
    with readable(file) as source:
        if format_of(source, reading) == "result":
            check_unused(name_of(file), {"groups": groups, **reading, **given})
            result = io.load_result(source.path)
        else:
            items, _ = read(source, groups, reading)
            result = solve(items, settings, {})[1]
    if out and out != STANDARD:
        _write_bytes(out, _steps(result, out.suffix.lower(), is_verbose))
    if as_json or out in (None, STANDARD):
        _write_bytes(STANDARD, _steps(result, ".json" if as_json else ".csv", is_verbose))


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
    is_verbose: bool,
) -> None:
    """Write a report about a new or a saved result."""
    sources = (file, groups, saved_in, reading["features"], *(reading["records"] or ()))
    check_files([out], sources)
    check_ending(out, "a report", PAGES)
    with readable(file) as source:
        items, n_alone = read(source, groups, reading)
        shown = pictures(images, items)
        if saved_in:
            items, result = saved(saved_in, similar(items))
        else:
            items, result = solve(items, settings, step)
        lines = _read_from(format_of(source, reading), reading, items)
        _write_page(out, file, items, result, shown)
    lines.append(f"report: {name_of(out, 'output')}")
    _summarise(items, result, n_alone, lines, is_verbose=is_verbose)


def info(file: Path, groups: Path | None, reading: Given, *, as_json: bool) -> None:
    """Print what a file holds."""
    with readable(file) as source:
        items, _ = read(source, groups, reading)
        about = {"reads_as": format_of(source, reading), **facts(similar(items))}
    text = facts_text(about, items.words)
    _write_bytes(STANDARD, _json(about) if as_json else f"{text}\n".encode())


def _read_from(kind: str, reading: Given, items: io.Items) -> list[str]:
    """Return a line of the summary about a kind that was guessed, or the table of a database."""
    if isinstance(items, io.Keypoints):
        how = "not verified" if items.is_raw else "verified by COLMAP"
        where = items.path if isinstance(items, io.HlocKeypoints) else items.table
        return [f"matches: read from {where}, {how}"]
    is_guessed = reading["as"] is None and kind in ("edges", "points")
    return [f"input: read as {kind}; --as sets another format"] if is_guessed else []


def _write(
    targets: Targets, source: io.Source, items: io.Items, result: spherelax.Result
) -> list[str]:
    """Write database, labels and picture to their files; return lines of the summary."""
    lines = []
    copy = targets.write_database or targets.write_matches
    if copy and isinstance(items, io.Keypoints):
        with writing(str(copy)):
            if isinstance(items, io.HlocKeypoints):
                counts = io.write_hloc(copy, items, result, add_missing=targets.add_missing)
            else:
                counts = io.write_colmap(copy, items, result, add_missing=targets.add_missing)
        lines.append(
            f"{'database' if targets.write_database else 'matches'}: {copy}, "
            f"{count(counts.kept, 'match')} kept, {counts.removed:,} removed, "
            f"{counts.added:,} added"
        )
        if items.is_raw and targets.write_database:
            lines.append(
                "next: the mapper needs verified matches: colmap geometric_verifier "
                f"--database_path {copy}"
            )
    if targets.out and targets.out != STANDARD:
        _write_labels(targets, targets.out, source, items, result)
    if targets.out or targets.prints_labels:
        where = name_of(targets.out or STANDARD, "output")
        lines.append(f"{plural(items.words.label)}: {where}")
    for rows, table in targets.tables.items():
        with writing(str(table)):
            io.write_answer(table, items, result, of=rows, escape_formulas=targets.escape_formulas)
        row = items.words.label if rows == "entities" else "pair"
        lines.append(f"a row per {row}: {table}")
    if targets.plot:
        _write_bytes(targets.plot, picture(result, targets.plot))
        lines.append(f"picture: {targets.plot}")
    elif not targets.report:
        lines.append("other answers: see them with --report report.html or --plot sweep.png")
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
        _write_bytes(target, _summary(items, result, source.format))
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
    return _json({**io.summary(items, result), "reads_as": kind})


def _json(about: Mapping[str, object]) -> bytes:
    """Return indented JSON that ends with a new line."""
    return f"{json.dumps(about, indent=2)}\n".encode()


def _write_page(
    target: Path, file: Path, items: io.Items, result: spherelax.Result, shown: Given
) -> None:
    """Write the report of a result."""
    begin(f"writing {name_of(target, 'output')}")
    named = name_of(file) if file == STANDARD else file.name
    title = f"{plural(items.words.label).capitalize()} of {named}"
    page = in_thread(lambda: spherelax.report.report_html(items, result, title=title, **shown))
    _write_bytes(target, page.encode())


def _steps(result: spherelax.Result, ending: str, is_verbose: bool) -> bytes:
    """Return the steps of a path as CSV, TSV or JSON, by ending; unknown numbers are empty."""
    sweep = result.path
    savings = np.full(len(sweep.alphas), np.nan) if sweep.savings is None else sweep.savings
    curves = {
        "resolution": sweep.resolutions,
        "labels": result.path.n_labels,
        "saving": savings,
        "stability": sweep.stability,
    }
    if is_verbose:
        curves |= {"alpha": sweep.alphas, "eta": sweep.etas}
    columns: dict[str, list[float | None]] = {
        name: [value if isfinite(value) else None for value in curve.tolist()]
        for name, curve in curves.items()
    }
    columns["picked"] = [step == result.path.picked for step in range(len(sweep.alphas))]
    if ending == ".json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        status, is_complete = str(result.status), sweep.is_complete
        about = {"status": status, "sentence": result.status.sentence, "is_complete": is_complete}
        return _json({**about, "steps": rows})
    cells = {
        name: ["" if value is None else f"{value:.6g}" for value in column]
        for name, column in columns.items()
    }
    return io.columns_csv(cells, delimiter="\t" if ending == ".tsv" else ",").encode()


def _summarise(
    items: io.Items,
    result: spherelax.Result,
    n_alone: int,
    lines: list[str],
    *,
    is_verbose: bool,
) -> None:
    """Print on standard error what was found and written, in the words of the input."""
    words = items.words
    sizes = np.bincount(result.labels)
    found = words.found(
        n_items=items.n_items + items.n_unmatched,
        n_groups=len({*items.groups} - {None}) if items.groups else None,
        n_labels=len(sizes) + items.n_unmatched,
        n_single=int((sizes == 1).sum()) + items.n_unmatched,
    )
    most = result.path.max_labels or items.n_items
    bound = f"bound: at most {count(most, 'label')} could be found; see --max-labels"
    alone = f"no edge: {count(n_alone, words.item)}, from the {plural(words.group)}"
    verdict, n_unsure = judge(result), int((result.confidence < UNSURE).sum())
    copies = words.copies(result, items.names, items.groups)
    doubts = [said for said in (words.alternative(result), words.tied(result)) if said]
    wrong = ""
    if result.is_probability:
        n_wrong = round(float(np.sum(1.0 - result.confidence)))
        wrong = f"; about {count(n_wrong, words.item)} may be in a wrong {words.label}"
    said = (
        found,
        f"{verdict.word.lower()}: {words.speak(verdict.said)}",
        words.chosen(result),
        words.reading(result),
        *doubts,
        f"confidence: {result.confidence.mean():.2f} on average, below {UNSURE} for "
        f"{count(n_unsure, words.item)}{wrong}",
        *([alone] if n_alone else []),
        *([bound] if most < items.n_items else []),
        *([f"duplicates: {copies}"] if copies else []),
        *lines,
        *([_method(result)] if is_verbose else []),
    )
    click.echo("\n".join(said), err=True)


def _method(result: spherelax.Result) -> str:
    """Return a line for readers of the method's pages."""
    path = result.path
    return (
        f"method: resolution {result.resolution:.4g} (alpha {path.alpha:.4g}), step "
        f"{path.picked + 1} of {len(path.alphas)}, {count(result.n_labels, 'label')}"
    )
