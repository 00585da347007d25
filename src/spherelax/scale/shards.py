"""Shards: whole components of a problem in files, and the plan that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.files.seals import check_file, read_json, seal_json
from spherelax.io.tables.parquet import parquet_batches, read_parquet
from spherelax.judgements import Judgements
from spherelax.labels import renumber
from spherelax.problem import Problem
from spherelax.scale.kept import kept
from spherelax.scale.matrix import symmetric

if TYPE_CHECKING:
    from pyarrow import Array

VERSION = 4
MANIFEST = "manifest.json"
EDGES, ITEMS = "edges.parquet", "items.parquet"
# What was judged, by the numbers of items; only if something was.
JUDGEMENTS = "judgements.npz"
# Group of an item that may share a label with any other.
FREE = -1
# Memory of a process that solves a shard, as measured: bytes of an item, of a pair, and of Python
# with everything that it loads.
ITEM_BYTES, PAIR_BYTES, PROCESS_BYTES = 100, 130, 300_000_000


class Edges(NamedTuple):
    """Pairs of a shard, each once, sorted: rows of both items in the shard, and the similarity.

    Examples
    --------
    >>> edges = Edges(np.int32([0]), np.int32([1]), np.array([0.9]))
    >>> edges.similarity.tolist()
    [0.9]
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    similarity: NDArray[np.float64]


class Members(NamedTuple):
    """Items of a shard, in the order of their numbers.

    Attributes
    ----------
    number : ndarray of int64
        Number of each item among all items, in the order of sources and ids.
    id : pyarrow.ChunkedArray
        The user's ids.
    source : pyarrow.ChunkedArray or None
        The user's sources; None: there are none.
    group : ndarray of int32
        Place of the item's source in `Plan.duplicate_free_sources`, or -1.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = pa.table({"id_a": ["x"], "id_b": ["y"], "score": [0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     items = scale.ingest(pairs, folder).shards[0].items()
    >>> items.number.tolist(), items.id.to_pylist()
    ([0, 1], ['x', 'y'])
    """

    number: NDArray[np.int64]
    id: Array
    source: Array | None
    group: NDArray[np.int32]


@dataclass(frozen=True)
class Shard:
    """Some whole components of a problem, in a folder of its own.

    Attributes
    ----------
    folder : Path
        It holds ``edges.parquet`` and ``items.parquet``.
    n_items, n_pairs, n_components : int
        What the shard holds.
    n_bytes : int
        Size of both files.
    edges_sum, items_sum : int
        Their checksums.

    Examples
    --------
    >>> shard = Shard(Path("shards/shard-00003"), 1_000, 10_000, 7, 80_000, 1, 2)
    >>> shard.number, shard.memory
    (3, 301400000)
    """

    folder: Path
    n_items: int
    n_pairs: int
    n_components: int
    n_bytes: int
    edges_sum: int
    items_sum: int

    @property
    def number(self) -> int:
        """Its place in the plan."""
        return int(self.folder.name.rpartition("-")[2])

    @property
    def memory(self) -> int:
        """Bytes that a process that solves the shard needs, about."""
        return memory(self.n_items, self.n_pairs)

    def file(self, name: str) -> Path:
        """Return where ``edges.parquet`` or ``items.parquet`` is; refuse it if it was damaged."""
        path = self.folder / name
        check_file(path, self.edges_sum if name == EDGES else self.items_sum)
        return path

    def problem(self, kind: str | None = None) -> Problem:
        """Read the similarities and the groups; many similarities are mapped from files.

        ``kind`` is that of the plan.
        """
        W = symmetric(self.file(EDGES), self.n_items, self.n_pairs)
        return Problem(W, codes_of(self.groups()), kind)

    def groups(self) -> NDArray[np.int32]:
        """Read the groups: places in `Plan.duplicate_free_sources`, -1 for free items."""
        return self._column("group")

    def numbers(self) -> NDArray[np.int64]:
        """Read the numbers of the items among all items."""
        return self._column("item")

    def _column(self, name: str) -> NDArray[Any]:
        """Read a column of numbers of the items."""
        batches = parquet_batches(self.file(ITEMS), [name])
        return np.concatenate([batch[name].to_numpy() for batch in batches])

    def edges(self) -> Edges:
        """Read the pairs."""
        table = read_parquet(self.file(EDGES))
        return Edges(*(column.to_numpy() for column in table.columns))

    def items(self) -> Members:
        """Read the items."""
        table = read_parquet(self.file(ITEMS))
        source = table["source"] if "source" in table.column_names else None
        return Members(table["item"].to_numpy(), table["id"], source, table["group"].to_numpy())


class Several(NamedTuple):
    """Some shards that are looked at together, as one shard; items are in the order of numbers."""

    shards: Sequence[Shard]
    folder: Path

    @property
    def order(self) -> NDArray[np.intp]:
        """Where items are if one shard follows the other."""
        return np.argsort(np.concatenate([shard.numbers() for shard in self.shards]))

    def problem(self, kind: str | None = None) -> Problem:
        """Read the similarities and the groups."""
        order, parts = self.order, [shard.problem(kind).similarity for shard in self.shards]
        W = sp.block_diag(parts, format="csr")[order][:, order]
        return Problem(sp.csr_array(W), codes_of(self.groups()), kind)

    def groups(self) -> NDArray[np.int32]:
        """Read the groups, as a shard does."""
        return np.concatenate([shard.groups() for shard in self.shards])[self.order]

    def numbers(self) -> NDArray[np.int64]:
        """Read the numbers of the items among all items."""
        return np.sort(np.concatenate([shard.numbers() for shard in self.shards]))


@dataclass(frozen=True)
class Plan:
    """A problem in shards.

    Attributes
    ----------
    folder : Path
        Its folder.
    shards : tuple of Shard
        Largest components first.
    n_items, n_pairs, n_components : int
        What all shards hold.
    column : str
        Name of the column of scores.
    kind : {"graph", "pairs", "odds", "information"} or None
        What the similarities are, as in :func:`spherelax.io.read_pairs`.
    duplicate_free_sources : tuple
        Sources that hold each entity at most once, sorted: the groups.
    request : dict
        The input and the settings that the plan was made from.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = pa.table({"id_a": ["x"], "id_b": ["y"], "score": [0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plan = scale.ingest(pairs, folder)
    ...     scale.Plan.load(folder) == plan, plan.n_items, plan.n_pairs
    (True, 2, 1)
    """

    folder: Path
    shards: tuple[Shard, ...]
    column: str
    kind: str | None
    duplicate_free_sources: tuple[Any, ...]
    request: dict[str, Any]

    @property
    def n_items(self) -> int:
        """Number of items."""
        return sum(shard.n_items for shard in self.shards)

    @property
    def n_pairs(self) -> int:
        """Number of different pairs."""
        return sum(shard.n_pairs for shard in self.shards)

    @property
    def n_components(self) -> int:
        """Number of components, records without a pair included."""
        return sum(shard.n_components for shard in self.shards)

    def judgements(self) -> Judgements:
        """Read what was judged, by the numbers of items among all items."""
        if self.request["judgements"] is None:
            return Judgements.of(None)
        found: Judgements = kept(self.folder / JUDGEMENTS)["judgements"]
        return found

    @classmethod
    def load(cls, folder: str | Path) -> Plan:
        """Read the plan of a folder.

        Raises
        ------
        InvalidInputError
            If there is none, or one of another version.
        """
        return read_plan(Path(folder))

    def save(self) -> None:
        """Write the manifest; only then is the plan complete."""
        shards = [asdict(shard) | {"folder": shard.folder.name} for shard in self.shards]
        about = {each: vars(self)[each] for each in vars(self) if each not in ("folder", "shards")}
        content = {"version": VERSION, **about, "shards": shards}
        seal_json(self.folder / MANIFEST, content)


def memory(n_items: int, n_pairs: int) -> int:
    """Return the bytes that a process needs that solves so many items and pairs, about.

    Examples
    --------
    >>> memory(1_000_000, 10_000_000)
    1700000000
    """
    return PROCESS_BYTES + ITEM_BYTES * n_items + PAIR_BYTES * n_pairs


def codes_of(group: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """Return groups as a problem has them: every free item is one; None if all are free."""
    free = np.flatnonzero(group == FREE)
    if len(free) == len(group):
        return None
    codes = group.astype(np.intp)
    codes[free] = codes.max() + 1 + np.arange(len(free))
    return renumber(codes)


def read_plan(folder: Path) -> Plan:
    """Read the plan of a folder."""
    path = folder / MANIFEST
    found = read_json(path)
    version = found.pop("version", None)
    if version != VERSION:
        raise InvalidInputError(f"{path}: must be a plan of version {VERSION}; found {version!r}")
    shards = tuple(Shard(folder / each.pop("folder"), **each) for each in found["shards"])
    free = tuple(found["duplicate_free_sources"])
    return Plan(**{**found, "folder": folder, "shards": shards, "duplicate_free_sources": free})
