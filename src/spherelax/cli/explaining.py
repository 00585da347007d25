"""The command explain: why two items share a label or do not, as text."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

import spherelax
from spherelax import io
from spherelax.cli.options import Given
from spherelax.cli.solving import judgements, solve
from spherelax.cli.sources import format_of, read, readable
from spherelax.errors import InvalidInputError, shown

MOST_NAMED = 3  # items with one id that a message names


def explain(
    file: Path,
    groups: Path | None,
    reading: Given,
    *,
    step: Given,
    judged: Given,
    settings: Given,
    pair: tuple[str, str] | None,
    entity: int | None,
) -> None:
    """Read a file, solve, and print the explanation of a pair, or of a label."""
    with readable(file) as source:
        if format_of(source, reading) == "result":
            io.load_result(source.path).explain(entity=0)  # says what is missing
        items, _ = read(source, groups, reading)
        numbers = [find_item(items, name) for name in pair or ()]
        known = judgements(judged, items)
        asked = settings if len(known) == 0 else {**settings, "judgements": known}
        items, result = solve(items, asked, step)
    if entity is None:
        found = result.explain(*numbers)
    else:
        found = result.explain(entity=_find_label(items, result, entity))
    click.echo(found.text(items.names, speak=items.words.speak, scores=items.scores))


def find_item(items: io.Items | io.Points, name: str) -> int:
    """Return the number of an item by its name, or by its id if no other has the same.

    Examples
    --------
    >>> people = io.Records(np.eye(3), [7, 7, 8], sources=["shop", "bank", "bank"])
    >>> find_item(people, "bank 7"), find_item(people, "8")
    (1, 2)
    """
    names = items.names
    ids = names if items.ids is None else [str(one) for one in items.ids]
    for known in (names, ids):
        found = [number for number, one in enumerate(known) if one == name]
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(names[number] for number in found[:MOST_NAMED])
            raise InvalidInputError(f"--pair must name one {items.words.item}; found {several}")
    raise InvalidInputError(f"--pair must name {items.words.item}s of FILE; found {shown(name)}")


def _find_label(items: io.Items, result: spherelax.Result, number: int) -> int:
    """Return a label by the number that it has in files."""
    found = np.flatnonzero(items.numbers(result) == number)
    if number < 0 or len(found) == 0:
        label = items.words.label
        raise InvalidInputError(f"--entity must be the number of one {label}; found {number}")
    return int(result.labels[found[0]])
