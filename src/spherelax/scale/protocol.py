"""Rounds of orders and answers between a plan and its shards, from file to file.

:func:`advance` looks at what is there and writes the next order; :func:`perform` carries it out for
one shard. Neither knows which engine calls it, and `perform` may be called twice, or by two workers
at a time: it leaves the same files. What the rounds are is in `rounds`, and what a shard does in
`shares`.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from spherelax.errors import InvalidInputError
from spherelax.io.answers.packed import Values
from spherelax.io.files.seals import read_json, seal_json
from spherelax.scale.kept import keep, kept
from spherelax.scale.rounds import solve_shards
from spherelax.scale.shards import Plan, read_plan
from spherelax.scale.shares import Share
from spherelax.settings import Coordinate

SETTINGS, OUTCOME = "settings.json", "outcome.json"
# Rounds of most problems: with groups whose pairs differ, or where noise is in question, some more.
N_ROUNDS = 6


class Round(NamedTuple):
    """A round: its number, what is done, how many there are about, and shards still to do."""

    number: int
    what: str
    n_rounds_about: int
    shards: tuple[int, ...]


class _Pending(Exception):  # noqa: N818 (nothing is wrong)
    """A round that shards have still to do."""

    def __init__(self, found: Round) -> None:
        super().__init__()
        self.round = found


def advance(folder: Path, settings: Coordinate) -> Round | None:
    """Return what is to be done next; None if everything is done.

    Raises
    ------
    InvalidInputError
        If the folder holds a run with other settings.
    """
    plan = read_plan(folder)
    _check_settings(folder, settings)
    numbers = count()

    def ask(what: str, **order: Any) -> list[dict[str, Any]]:
        """Return the answers of all shards to an order; write it if it is new."""
        number = next(numbers)
        path = _round(folder, number)
        if not path.exists():
            keep(path, {"what": what, **order})
        left = [shard.number for shard in plan.shards if not _round(shard.folder, number).exists()]
        if left:
            raise _Pending(Round(number, what, max(N_ROUNDS, number + 2), tuple(left)))
        return [kept(_round(shard.folder, number)) for shard in plan.shards]

    try:
        found = solve_shards(plan, settings, ask)
    except _Pending as pending:
        return pending.round
    seal_json(folder / OUTCOME, found)
    return None


def perform(folder: Path, number: int, shard: int, n_threads: int = 1) -> None:
    """Carry out the order of a round for a shard."""
    plan = read_plan(folder)
    settings = read_settings(folder)
    order = kept(_round(folder, number))
    share = Share(plan, plan.shards[shard], settings, n_threads)
    what = order.pop("what")
    keep(_round(share.shard.folder, number), share.perform(what, order))


def last_round(plan: Plan) -> tuple[Values, list[Values]]:
    """Return the last order of a run that is complete, and what all shards had answered before."""
    read_json(plan.folder / OUTCOME)
    number = len(list(plan.folder.glob("round-*.npz"))) - 1
    before = [kept(_round(shard.folder, number - 1)) for shard in plan.shards]
    return kept(_round(plan.folder, number)), before


def read_settings(folder: Path) -> Coordinate:
    """Return the settings of a run."""
    return Coordinate(**read_json(folder / SETTINGS))


def _round(folder: Path, number: int) -> Path:
    """Return where a plan keeps the order of a round, and a shard its answer."""
    return folder / f"round-{number:02d}.npz"


def _check_settings(folder: Path, settings: Coordinate) -> None:
    """Keep the settings of a run; refuse others."""
    path = folder / SETTINGS
    if not path.exists():
        seal_json(path, asdict(settings))
    if read_json(path) != asdict(settings):
        raise InvalidInputError(
            f"{folder}: holds a run with other settings; choose another folder, or delete this one"
        )
