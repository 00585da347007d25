"""What the commands do: read, solve, write, and say what was found."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import click
import numpy as np

import spherelax
from spherelax import io
from spherelax._terminal import Progress, begin, end_interrupted
from spherelax.cli.facts import facts, told
from spherelax.cli.options import BOUND, SOLVER, SOLVING, STANDARD, spelled
from spherelax.cli.targets import PAGES, Targets, check_ending, check_files, picture
from spherelax.io.answers import UNSURE
from spherelax.problem import InvalidInputError
from spherelax.problem import check_settings as check_ranges

STEP_ENDINGS = (".csv", ".tsv", ".json")

Given = Mapping[str, Any]


def check_settings(step: Given, settings: Given) -> None:
    """Refuse what cannot be before any file is read, by the names of the options."""
    if None not in (step.get("alpha"), step.get("n_labels")):
        raise click.UsageError("--alpha and --n-labels exclude each other")
    solver = settings["solver"] or SOLVER.choices[0]
    for name, value in {**step, **settings}.items():
        if value is None:
            continue
        only = None if name in step else SOLVING.get(spelled(name), BOUND).solver
        if only not in (None, solver):
            raise click.UsageError(f"{spelled(name)} needs --solver {only}")
        try:
            check_ranges(**({} if isinstance(value, str) else {name: value}))
        except InvalidInputError as error:
            raise click.UsageError(spelled(name) + str(error).removeprefix(name)) from None


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
    """Read, solve, write and summarise."""
    with _source(file) as source:
        items, n_alone = _read(source, groups, reading, needs_groups=is_matching)
        if targets.write_database and not isinstance(items, io.Keypoints):
            raise click.UsageError("--write-database is for databases of COLMAP")
        if not is_matching and isinstance(items, io.Items):
            items = replace(items, groups=None)
        pictures = _pictures(targets.images, items)
        items, result = _solve(items, settings)
        result = _chosen(result, **step)
        lines = _write(targets, items, result)
        if targets.report:
            _write_page(targets.report, file, items, result, pictures)
            lines.append(f"report: {targets.report}")
    if not targets.as_json:
        _summarise(items, result, n_alone, lines)
    _end_if_interrupted(result)


def path(
    file: Path,
    groups: Path | None,
    reading: Given,
    settings: Given,
    *,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the steps of a sweep, or of a saved one."""
    target = out or STANDARD
    check_files([out if target != STANDARD else None], (file, groups))
    check_ending(target, "steps", STEP_ENDINGS)
    with _source(file) as source:
        if reading["kind"] is None and io.kind_of(source) == "result":
            result = io.load_result(source)
        else:
            items, _ = _read(source, groups, reading)
            result = _solve(items, settings)[1]
    steps = _steps(result)
    ending = target.suffix.lower()
    if as_json or ending == ".json":
        rows = [dict(zip(steps, row, strict=True)) for row in zip(*steps.values(), strict=True)]
        about = {"status": str(result.status), "is_whole": result.path.is_whole, "steps": rows}
        text = json.dumps(about, indent=2) + "\n"
    else:
        delimiter = "\t" if ending == ".tsv" else ","
        cells = {name: [_cell(value) for value in column] for name, column in steps.items()}
        text = io.columns_csv(cells, delimiter=delimiter)
    _write_bytes(target, text.encode())
    _end_if_interrupted(result)


def report(
    file: Path,
    groups: Path | None,
    reading: Given,
    *,
    step: Given,
    settings: Given,
    out: Path,
    saved: Path | None,
    images: Path | None,
) -> None:
    """Write a page about a new or a saved result."""
    check_files([None if out == STANDARD else out], (file, groups, saved))
    check_ending(out, "a report", PAGES)
    with _source(file) as source:
        items, n_alone = _read(source, groups, reading)
        pictures = _pictures(images, items)
        if saved:
            items, result = _similar(items), _saved(saved, items)
        else:
            items, result = _solve(items, settings)
            result = _chosen(result, **step)
        _write_page(out, file, items, result, pictures)
    _summarise(items, result, n_alone, [f"report: {_name(out, 'output')}"])
    _end_if_interrupted(result)


def info(file: Path, groups: Path | None, reading: Given, *, as_json: bool) -> None:
    """Say what a file holds."""
    with _source(file) as source:
        items, _ = _read(source, groups, reading)
        about = {"kind": _kind(source, reading), **facts(_similar(items))}
    click.echo(json.dumps(about, indent=2) if as_json else told(about))


@contextmanager
def _source(file: Path) -> Iterator[Path]:
    """Yield the file to read: itself, or one with what standard input holds."""
    begin(f"reading {_name(file)}")
    if file != STANDARD:
        yield file
        return
    with io.spooled(sys.stdin.buffer) as copy:
        try:
            yield copy
        except (InvalidInputError, ImportError) as error:
            raise click.ClickException(str(error).replace(str(copy), _name(file))) from None


def _name(file: Path, standard: str = "input") -> str:
    """Return how messages call a file."""
    return f"standard {standard}" if file == STANDARD else str(file)


def _kind(source: Path, reading: Given) -> str:
    """Return what a file is read as."""
    if reading["kind"] is not None:
        return str(reading["kind"])
    return "pairs" if reading["columns"] is not None else io.kind_of(source)


def _read(
    source: Path, groups: Path | None, reading: Given, *, needs_groups: bool = False
) -> tuple[io.Items | io.Points, int]:
    """Read items with their groups, and count those that only the groups know."""
    kind, given = _kind(source, reading), dict(reading)
    hint = "points; --as or --columns say better"
    if needs_groups and kind == "points":
        given["kind"] = "matrix" if source.suffix.lower() == ".npy" else "pairs"
        hint = f"{given['kind']}; points have no groups"
    try:
        items = io.read(source, **given)
    except InvalidInputError as error:
        if kind != "points" or reading["kind"] is not None:
            raise
        raise InvalidInputError(f"{error} (taken for {hint})") from None
    n_similar = len(items.names)
    if groups:
        begin(f"reading {groups}")
        if isinstance(items, io.Points):
            raise InvalidInputError(f"{source}: holds points, which have no groups")
        if items.groups is not None:
            raise InvalidInputError(f"{source}: has groups of its own; leave out --groups")
        items = io.read_groups(groups, items)
    elif needs_groups and kind != "pairs" and getattr(items, "groups", None) is None:
        raise InvalidInputError(
            f"{source}: has no groups; name them by --groups, or use spherelax cluster"
        )
    return items, len(items.names) - n_similar


def _similar(items: io.Items | io.Points) -> io.Items:
    """Return items with similarities, those of points being the ones that clustering takes."""
    if isinstance(items, io.Items):
        return items
    return io.Items(spherelax.similarity.nearest_neighbors(items.points), items.ids)


def _solve(items: io.Items | io.Points, settings: Given) -> tuple[io.Items, spherelax.Result]:
    """Solve with the settings that were given; warnings are one line each."""
    begin("solving")
    given = {name: value for name, value in settings.items() if value is not None}
    with Progress() as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", spherelax.SphereWarning)
        given["callback"] = progress.callback
        if isinstance(items, io.Points):
            model = spherelax.SphereClustering(**given).fit(items.points)
            items, result = io.Items(model.affinity_matrix_, items.ids), model.result_
        else:
            if "max_clusters" in given:
                given["max_universe"] = given.pop("max_clusters")
            result = spherelax.solve(items.similarity, items.groups, **given)
        if result.path.is_whole:
            progress.complete()
    for message in (str(warning.message) for warning in caught):
        if message not in set(spherelax.Status):  # the summary has the status
            click.echo(f"warning: {message}", err=True)
    return items, result


def _chosen(
    result: spherelax.Result, *, alpha: float | None, n_labels: int | None
) -> spherelax.Result:
    """Return the step that was asked for."""
    if alpha is not None:
        return result.at(alpha)
    return result if n_labels is None else result.with_n_labels(n_labels)


def _saved(path: Path, items: io.Items | io.Points) -> spherelax.Result:
    """Load a result, if it is that of the items."""
    ids = io.read_arrays(path).get("ids")
    if ids is not None and [str(name) for name in ids.tolist()] != items.names:
        raise InvalidInputError(f"{path}: is a result of other items")
    return io.load_result(path)


def _write(targets: Targets, items: io.Items, result: spherelax.Result) -> list[str]:
    """Write labels, sweep and database; return what to say about it."""
    lines = []
    out = targets.out or (None if targets.as_json else STANDARD)
    if targets.as_json:
        click.echo(json.dumps(io.summary(items, result), indent=2))
    if out == STANDARD or (out and io.is_device(out)):
        _write_bytes(out, io.columns_csv(items.answer(result)).encode())
    elif out:
        begin(f"writing {out}")
        io.write_answer(out, items, result)
    if out:
        lines.append(f"labels: {_name(out, 'output')}")
    if targets.plot:
        _write_bytes(targets.plot, picture(result, targets.plot))
        lines.append(f"sweep: {targets.plot}")
    elif not targets.report:
        lines.append("sweep: see it with --report report.html or --plot sweep.png")
    if targets.write_database and isinstance(items, io.Keypoints):
        begin(f"writing {targets.write_database}")
        counts = io.write_colmap(
            targets.write_database, items, result, add_missing=targets.add_missing
        )
        lines.append(
            f"database: {targets.write_database}, {counts.kept} matches kept, "
            f"{counts.removed} removed, {counts.added} added"
        )
    return lines


def _write_bytes(target: Path, content: bytes) -> None:
    """Write a file, or to standard output."""
    begin(f"writing {_name(target, 'output')}")
    if target == STANDARD:
        click.echo(content, nl=False)
    else:
        io.replace_file(target, content)


def _pictures(folder: Path | None, items: io.Items | io.Points) -> dict[str, Any]:
    """Return the images of a database, and where its keypoints are in them."""
    if folder is None:
        return {}
    if not isinstance(items, io.Keypoints):
        raise click.UsageError("--images is for databases of COLMAP")
    images = io.ImageFolder(folder, items)
    return {"images": images, "positions": images.positions()}


def _write_page(
    target: Path, file: Path, items: io.Items, result: spherelax.Result, pictures: dict[str, Any]
) -> None:
    """Write a page about a result."""
    begin(f"writing {_name(target, 'output')}")
    title = f"Labels of {_name(file) if file == STANDARD else file.name}"
    page = spherelax.report.report_html(items, result, title=title, **pictures)
    _write_bytes(target, page.encode())


def _steps(result: spherelax.Result) -> dict[str, list[Any]]:
    """Return the steps of a path as columns; what is not known is None."""
    sweep = result.path
    savings = np.full(len(sweep.alphas), np.nan) if sweep.savings is None else sweep.savings
    curves = {
        "alpha": sweep.alphas,
        "resolution": sweep.resolutions,
        "labels": sweep.n_labels,
        "eta": sweep.etas,
        "saving": savings,
        "stability": sweep.stability,
    }
    columns: dict[str, list[Any]] = {
        name: [value if isfinite(value) else None for value in curve.tolist()]
        for name, curve in curves.items()
    }
    return {**columns, "picked": [step == result.index for step in range(len(sweep.alphas))]}


def _cell(value: float | None) -> str:
    """Write a number of a step: a short one, for they are of very different sizes."""
    return "" if value is None else f"{value:.6g}"


def _summarise(items: io.Items, result: spherelax.Result, n_alone: int, lines: list[str]) -> None:
    """Say on standard error what was found and written."""
    groups = f" in {len({*items.groups} - {None})} groups" if items.groups else ""
    alone = f" ({n_alone} without an edge)" if n_alone else ""
    n_single = int((np.bincount(result.labels) == 1).sum())
    single = f" ({n_single} of one item)" if n_single else ""
    n_unsure = int((result.confidence < UNSURE).sum())
    bound = ""
    if result.max_universe < len(items.names):
        bound = f" (max_{'universe' if items.groups else 'clusters'} {result.max_universe})"
    said = (
        f"{len(items.names)} items{groups}{alone}: {result.n_labels} labels{single} at alpha "
        f"{result.alpha:g}{bound}",
        str(result.status),
        f"confidence: {result.confidence.mean():.2f} on average, below {UNSURE} for "
        f"{n_unsure} items",
        *lines,
    )
    click.echo("\n".join(said), err=True)


def _end_if_interrupted(result: spherelax.Result) -> None:
    """Exit as shells expect after Ctrl-C, and say how far the sweep came."""
    if not result.path.is_whole:
        end_interrupted(
            click.get_current_context(),
            f"after {len(result.path.alphas)} steps, at alpha {result.path.alphas[-1]:g}",
        )
