"""What a set of files of pairs holds, and what it will cost, before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from spherelax.scale.components import Components, Forest
from spherelax.scale.ingest import MEMORY, components, silent
from spherelax.scale.numbering import Request, double, number
from spherelax.scale.origins import Origin
from spherelax.scale.shards import memory
from spherelax.scale.workspace import Progress, Workspace, workspace

# Floors that are tried.
N_FLOORS = 12
# CPU time of everything, as measured: seconds of a pair.
PAIR_SECONDS = 2.5e-5
# Disk that `ingest` needs while it works. Measured: 30 bytes of an item with a short id and 32 of a
# pair if all fits into memory, up to twice that if not.
ITEM_DISK, PAIR_DISK = 50, 60


@dataclass(frozen=True)
class Size:
    """Components of some sizes: from so many to so many items, how many, with how many pairs.

    Examples
    --------
    >>> Size(at_least=2, at_most=3, n_components=20, n_pairs=45).n_components
    20
    """

    at_least: int
    at_most: int
    n_components: int
    n_pairs: int


@dataclass(frozen=True)
class Floor:
    """What is left if pairs below a score are left out.

    Attributes
    ----------
    floor : float
        The lowest score that is kept.
    n_pairs, n_components : int
        What is left; records without a pair are components too.
    giant_pairs, giant_items : int
        Of these, in the component with the most pairs.

    Examples
    --------
    >>> Floor(0.5, n_pairs=100, n_components=20, giant_pairs=25, giant_items=9).giant_share
    0.25
    """

    floor: float
    n_pairs: int
    n_components: int
    giant_pairs: int
    giant_items: int

    @property
    def giant_share(self) -> float:
        """Share of the pairs that are in the component with the most pairs."""
        return self.giant_pairs / max(self.n_pairs, 1)


@dataclass(frozen=True)
class Survey:
    """What pairs hold, and what they will cost.

    Attributes
    ----------
    n_items, n_pairs, n_components, n_isolated : int
        Records, different pairs, components, and records without a pair.
    sizes : tuple of Size
        Components by their number of items, in powers of 2.
    floors : tuple of Floor
        The giant component by the score floor, from the lowest score on.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> found = scale.survey(pa.table({"id_a": ["x"], "id_b": ["y"], "score": [0.9]}))
    >>> found.n_items, found.n_pairs, found.memory
    (2, 1, 300000330)
    """

    n_items: int
    n_pairs: int
    n_components: int
    n_isolated: int
    sizes: tuple[Size, ...]
    floors: tuple[Floor, ...]

    @property
    def memory(self) -> int:
        """Bytes that a process needs that solves everything at once, about."""
        return memory(self.n_items, self.n_pairs)

    @property
    def giant_memory(self) -> int:
        """Bytes that a process needs that solves the component with the most pairs, about."""
        if not self.floors:
            return memory(1, 0)
        return memory(self.floors[0].giant_items, self.floors[0].giant_pairs)

    @property
    def cpu_seconds(self) -> float:
        """Seconds that one processor works from pairs to entities, about."""
        return PAIR_SECONDS * self.n_pairs

    @property
    def disk(self) -> int:
        """Bytes that `ingest` needs on disk while it works, shards included, if ids are short."""
        return ITEM_DISK * self.n_items + PAIR_DISK * self.n_pairs


def survey(
    source: object,
    *,
    table: str | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    records: object = None,
    kind: str | None = None,
    memory_limit: str = MEMORY,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Survey:
    """Count records, pairs and components, and tell which score floor splits the giant component.

    Parameters
    ----------
    source, table, columns, records, kind, memory_limit, progress
        As in :func:`ingest`.
    folder : str or Path, optional
        Where files are kept while it works. None: a temporary folder of the system.

    Returns
    -------
    Survey

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = {"id_a": [1, 2, 3, 5], "id_b": [2, 3, 4, 6], "score": [0.9, 0.3, 0.9, 0.8]}
    >>> found = scale.survey(pa.table(pairs))
    >>> found.n_items, found.n_pairs, found.n_components
    (6, 4, 2)
    >>> [(each.floor, each.n_pairs, each.giant_pairs) for each in found.floors]
    [(0.3, 4, 3), (0.8, 3, 1), (0.9, 2, 1)]
    """
    known = None if records is None else Origin.of(records)
    request = Request(Origin.of(source, table), known, columns, None, kind, None)
    with (
        TemporaryDirectory(dir=folder) as home,
        workspace(Path(home), memory_limit, progress or silent) as work,
    ):
        found = number(work, request, Path(home))
        parts = components(work, found).components()
        return Survey(
            n_items=found.n_items,
            n_pairs=int(parts.n_pairs.sum()),
            n_components=len(parts.n_pairs),
            n_isolated=int(np.count_nonzero(parts.n_items == 1)),
            sizes=tuple(_sizes(parts)),
            floors=tuple(floors(work, found.n_items)),
        )


def floors(work: Workspace, n_items: int) -> list[Floor]:
    """Return the giant component of the table ``pairs`` at some floors, from the lowest on.

    Pairs are added from the highest scores on, ties at once.
    """
    work.make("ranked", "SELECT a, b, score FROM pairs ORDER BY score DESC", "sort scores")
    n_pairs = work.value("SELECT count(*) FROM ranked")
    if not n_pairs:
        return []
    ends = n_pairs * np.arange(1, N_FLOORS + 1) // N_FLOORS - 1
    rows = f"SELECT DISTINCT score FROM ranked WHERE rowid IN {tuple(ends.clip(0).tolist())}"
    forest, tried = Forest.of(n_items), list[Floor]()
    n_kept, above = 0, inf
    for (floor,) in work.rows(f"{rows} ORDER BY score DESC"):
        work.progress("find components by floor", len(tried) / N_FLOORS)
        for a, b in work.arrays(
            f"SELECT a, b FROM ranked WHERE score >= {double(floor)} AND score < {double(above)}"
        ):
            forest.add(a, b)
            n_kept += len(a)
        tried.append(Floor(floor, n_kept, forest.n_components(), *forest.largest()))
        above = floor
    return tried[::-1]


def _sizes(parts: Components) -> Iterator[Size]:
    """Count the components by their number of items, in powers of 2."""
    power = np.frexp(parts.n_items)[1] - 1
    n_components = np.bincount(power)
    n_pairs = np.bincount(power, parts.n_pairs)
    for each in np.flatnonzero(n_components).tolist():
        yield Size(2**each, 2 ** (each + 1) - 1, int(n_components[each]), int(n_pairs[each]))
