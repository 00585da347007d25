"""Reading for the commands: a file or standard input, and the groups of the items."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

import spherelax
from spherelax import io
from spherelax.cli.options import STANDARD, Given
from spherelax.cli.terminal import begin
from spherelax.errors import InvalidInputError


@contextmanager
def readable(file: Path) -> Iterator[io.Source]:
    """Yield the file to read; standard input is copied to a file, which can be read twice."""
    begin(f"reading {name_of(file)}")
    if file != STANDARD:
        with io.recognised(file) as source:
            yield source
        return
    if sys.stdin is None:
        raise click.ClickException(f"{name_of(file)}: must be open; found it closed")
    with io.spooled(sys.stdin.buffer, name_of(file)) as copy:
        yield io.Source(copy)


def name_of(file: Path, standard: str = "input") -> str:
    """Return the name of a file in messages."""
    return f"standard {standard}" if file == STANDARD else str(file)


def format_of(source: io.Source, reading: Given) -> str:
    """Return the kind of a file: what the user says, or what its content shows."""
    source.format = reading["as"] or ("pairs" if reading["columns"] is not None else source.format)
    return io.format_of(source)


def read(
    source: io.Source,
    groups: Path | None,
    reading: Given,
    *,
    needs_groups: bool = False,
) -> tuple[io.Items | io.Points, int]:
    """Return the items with their groups, and how many are named by the groups only."""
    kind, given = format_of(source, reading), dict(reading)
    given["reads_as"] = given.pop("as")
    hint = "points; --as points --columns A,B reads only these columns, --as sets another format"
    if needs_groups and kind == "points":
        given["reads_as"] = "matrix" if source.ending == ".npy" else "pairs"
        hint = f"{given['reads_as']}; points have no groups"
    try:
        items = io.read(source, **given)
    except InvalidInputError as error:
        if kind != "points" or reading["as"] is not None:
            raise
        raise InvalidInputError(f"{error} (read as {hint})") from None
    n_similar = items.n_items
    if groups:
        begin(f"reading {groups}")
        if isinstance(items, io.Points):
            raise InvalidInputError(f"{source}: holds points, which have no groups")
        if items.groups is not None:
            raise InvalidInputError(f"{source}: has groups of its own; leave out --groups")
        with io.recognised(groups) as table:
            items = io.read_groups(table, items)
    elif needs_groups and kind != "pairs" and getattr(items, "groups", None) is None:
        raise InvalidInputError(
            f"{source}: has no groups; give them with --groups, or use spherelax cluster"
        )
    return items, items.n_items - n_similar


def similar(items: io.Items | io.Points) -> io.Items:
    """Return items with similarities; for points, those that clustering uses."""
    if isinstance(items, io.Items):
        return items
    return items.joined(spherelax.similarity.neighbor_graph(items.points))


def pictures(folder: Path | None, items: io.Items | io.Points) -> Given:
    """Return the images of a database and the positions of its keypoints, in pixels."""
    if folder is None:
        return {}
    if not isinstance(items, io.Keypoints):
        raise click.UsageError(
            "--images needs a FILE of matched keypoints: a COLMAP database or hloc's"
        )
    images = io.ImageFolder(folder, items)
    return {"images": images, "positions": images.positions()}
