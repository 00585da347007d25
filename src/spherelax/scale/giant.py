"""A shard that is too large: refused before the work, with the floors that would split it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.readers.scoring import Scoring
from spherelax.scale.origins import text
from spherelax.scale.shards import EDGES, Plan, Shard, memory
from spherelax.scale.survey import Floor, floors
from spherelax.scale.workspace import Progress, workspace

# Floors that a message names.
N_NAMED = 3


def check_memory(plan: Plan, limit: float, memory_limit: str, progress: Progress) -> None:
    """Refuse a plan one of whose shards needs more memory than there is.

    Parameters
    ----------
    plan : Plan
        The shards.
    limit : float
        Bytes that a process may need.
    memory_limit : str
        Memory of DuckDB, which looks for floors that help.
    progress : callable
        As in :func:`spherelax.scale.ingest`.

    Raises
    ------
    InvalidInputError
        If a shard does not fit; the message says what would.
    """
    worst = max(plan.shards, key=lambda shard: shard.memory)
    if worst.memory <= limit:
        return
    found = f"{worst.n_items:,} records and {worst.n_pairs:,} pairs in "
    found += "one component" if worst.n_components == 1 else f"{worst.n_components:,} components"
    advice = "More memory or more shards (max_pairs) will do"
    if worst.n_components == 1:
        advice = f"More memory will do, or a floor: {_said(plan, worst, memory_limit, progress)}"
    raise InvalidInputError(
        f"{worst.folder.name}: {found} need {worst.memory / 1e9:.2g} GB of memory; "
        f"a process may use {limit / 1e9:.2g} GB. {advice}"
    )


def giant_floors(plan: Plan, shard: Shard, memory_limit: str, progress: Progress) -> list[Floor]:
    """Return the largest component of a shard at some floors, which are scores of the user."""
    with (
        TemporaryDirectory(dir=plan.folder) as home,
        workspace(Path(home), memory_limit, progress) as work,
    ):
        edges = text(shard.file(EDGES))
        work.rows(
            'CREATE VIEW pairs AS SELECT "left" AS a, "right" AS b, similarity AS score '
            f"FROM read_parquet({edges})"
        )
        found = floors(work, shard.n_items)
    scores = Scoring(plan.column, plan.kind).scores(np.array([each.floor for each in found]))
    return [
        Floor(score, each.n_pairs, each.n_components, each.giant_pairs, each.giant_items)
        for score, each in zip(scores.tolist(), found, strict=True)
    ]


def _said(plan: Plan, shard: Shard, memory_limit: str, progress: Progress) -> str:
    """Say what some floors would leave of a giant component."""
    tried = giant_floors(plan, shard, memory_limit, progress)[1:]
    smaller = [each for each in tried if 2 * each.giant_pairs < shard.n_pairs] or tried
    return ", ".join(
        f"from {each.floor:.4g} on {memory(each.giant_items, each.giant_pairs) / 1e9:.2g} GB"
        for each in smaller[:N_NAMED]
    )
