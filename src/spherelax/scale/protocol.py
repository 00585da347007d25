"""Rounds of orders and answers between a plan and its shards, from file to file.

:func:`advance` looks at what is there and writes the next order; :func:`perform` carries it out for
one shard.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spherelax._solve import solve
from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.io.mapped import save_array
from spherelax.io.source import Source
from spherelax.io.writing import replace_file
from spherelax.result import Status
from spherelax.scale.shards import read_plan
from spherelax.settings import Coordinate

ORDER, DONE = "round-00.json", "round-00.npz"
OUTCOME, LABELS, CONFIDENCE = "outcome.json", "labels.npy", "confidence.npy"


class Round(NamedTuple):
    """A round: its number, what is done, how many there are about, and shards still to do."""

    number: int
    what: str
    n_rounds_about: int
    shards: tuple[int, ...]


def advance(folder: Path, settings: Coordinate) -> Round | None:
    """Return what is to be done next; None if everything is done."""
    plan = read_plan(folder)
    if not (folder / ORDER).exists():
        replace_file(folder / ORDER, json.dumps(asdict(settings)).encode())
    if json.loads(Source(folder / ORDER).text) != asdict(settings):
        raise InvalidInputError(
            f"{folder}: holds a run with other settings; choose another folder, or delete this one"
        )
    left = [shard.number for shard in plan.shards if not (shard.folder / DONE).exists()]
    if left:
        return Round(0, "solve", 1, tuple(left))
    outcome = {"status": Status.DESCRIBED, "resolution": 1.0, "saving": 0.0, "steps": []}
    replace_file(folder / OUTCOME, json.dumps(outcome).encode())
    return None


def perform(folder: Path, number: int, shard: int, n_threads: int = 1) -> None:
    """Carry out the order of a round for a shard."""
    plan = read_plan(folder)
    chosen = plan.shards[shard]
    settings = Coordinate(**json.loads(Source(folder / f"round-{number:02d}.json").text))
    labels = np.arange(chosen.n_items, dtype=np.int32)
    confidence = np.ones(chosen.n_items, dtype=np.float32)
    if chosen.n_pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SphereWarning)
            found = solve(chosen.problem(plan.kind), solver=settings, n_jobs=n_threads)
        labels, confidence = found.labels, found.confidence.astype(np.float32)
    save_array(chosen.folder / LABELS, labels)
    save_array(chosen.folder / CONFIDENCE, confidence)
    replace_file(chosen.folder / DONE, b"")
