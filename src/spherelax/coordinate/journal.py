"""What a long run has done so far: kept in a file now and then, and found again by the next run.

The walks of a run, and their order, follow from the problem and the settings alone, so that a walk
is known by its number. Of a walk that is done, labels and curves are kept; of one that goes on,
also the rows of U and what else the next step needs. The rest is computed again, to the same bits.
What comes from a file is checked: kernels trust it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.relax.rows import Rows
from spherelax.errors import InvalidInputError
from spherelax.labels import Labels, are_in_order

Arrays = dict[str, NDArray[Any]]

CURVES = ("etas", "objectives", "savings")
# The arrays of a walk, and those of one that goes on: their types and numbers of dimensions.
KEPT = {
    **dict.fromkeys(CURVES, (np.float64, 1)),
    "steps": (np.int64, 1),
    "changed": (np.int64, 1),
}
UNFINISHED = {
    "rounded": (np.int32, 1),
    "packed": (np.int32, 2),
    "activation": (np.float32, 1),
    "active": (np.bool_, 1),
}


class File(Protocol):
    """Where the journal is kept: named arrays."""

    def read(self, start: str) -> Arrays:
        """Return the arrays whose names begin so, by the rest of their names."""

    def is_due(self) -> bool:
        """Tell whether it is time to write again."""

    def write(self, arrays: Arrays) -> None:
        """Write arrays; earlier ones stay, but for those whose names begin with "now"."""

    def fault(self, found: str) -> InvalidInputError:
        """Return an error about what was found in it."""


class Kept(NamedTuple):
    """What is kept of a walk; ``rounded`` and ``rows`` are those of its last step, if it goes on.

    ``labels`` are those of each step; steps may share an array. ``changed`` has the
    number of items whose rounded rows were others than before, of each step.
    """

    etas: Sequence[float]
    objectives: Sequence[float]
    savings: Sequence[float]
    labels: Sequence[Labels]
    changed: Sequence[int]
    rounded: Labels | None = None
    rows: Rows | None = None


class Journal:
    """The walks of one run, in their order."""

    def __init__(self, file: File) -> None:
        self.file = file
        self._n_begun = 0
        self._is_known = False
        self._done: Arrays = {}

    def begin(self, graph: Graph, row_entries: int, n_steps: int) -> Kept | None:
        """Begin the next walk, of n_steps at most, and return what is known of it, if anything."""
        self._n_begun += 1
        found = self.file.read(self._name("walk"))
        self._is_known = bool(found)
        found = found or self.file.read(self._name("now"))
        if not found:
            return None
        fault = next(_faults(found, graph, (row_entries, n_steps), self._is_known), None)
        if fault:
            raise self.file.fault(fault)
        return _unpacked(found)

    def note(self, kept: Kept) -> None:
        """Write what is done of the walk that was begun last, if it is time."""
        if self.file.is_due():
            self._write(_packed(kept, self._name("now")))

    def end(self, kept: Kept) -> None:
        """Keep a walk that is done, unless it was known."""
        if not self._is_known:
            self._done |= _packed(kept._replace(rounded=None, rows=None), self._name("walk"))
            if self.file.is_due():
                self._write({})

    def close(self) -> None:
        """Write what is done, at the end of a run."""
        if self._done:
            self._write({})

    def _name(self, kind: str) -> str:
        """Return how the names of the arrays of the walk begin that was begun last."""
        return f"{kind}{self._n_begun}/"

    def _write(self, passing: Arrays) -> None:
        """Write what is done and was not written, and what is soon out of date."""
        self.file.write(self._done | passing)
        self._done = {}


def _packed(kept: Kept, start: str) -> Arrays:
    """Return what is kept of a walk as arrays; of labels, each array once."""
    different = {id(labels): labels for labels in kept.labels}
    place = {key: number for number, key in enumerate(different)}
    arrays: Arrays = {name: np.array(getattr(kept, name), dtype=float) for name in CURVES}
    arrays["steps"] = np.array([place[id(labels)] for labels in kept.labels], dtype=np.int64)
    arrays["changed"] = np.array(kept.changed, dtype=np.int64)
    arrays |= {f"labels{number}": labels for number, labels in enumerate(different.values())}
    if kept.rounded is not None and kept.rows is not None:
        arrays["rounded"] = kept.rounded
        arrays |= {name: getattr(kept.rows, name) for name in UNFINISHED if name != "rounded"}
    return {f"{start}{name}": array for name, array in arrays.items()}


def _unpacked(found: Arrays) -> Kept:
    """Return what is kept of a walk from its arrays."""
    rows = None
    if "packed" in found:
        packed = np.ascontiguousarray(found["packed"])
        rows = Rows(packed, packed.view(np.float32), found["activation"], found["active"])
    return Kept(
        etas=found["etas"].tolist(),
        objectives=found["objectives"].tolist(),
        savings=found["savings"].tolist(),
        labels=[found[f"labels{step}"] for step in found["steps"].tolist()],
        changed=found["changed"].tolist(),
        rounded=found.get("rounded"),
        rows=rows,
    )


def _faults(found: Arrays, graph: Graph, most: tuple[int, int], is_done: bool) -> Iterator[str]:
    """Yield what is wrong with the arrays of a walk; only the first one is certain."""
    row_entries, n_steps = most
    for name, (dtype, n_dimensions) in (KEPT | ({} if is_done else UNFINISHED)).items():
        array = found.get(name)
        if array is None or array.dtype != dtype or array.ndim != n_dimensions:
            yield f"{name} is missing or of another type"
    steps = found["steps"]
    if not 0 < len(steps) <= n_steps or any(
        len(found[name]) != len(steps) for name in (*CURVES, "changed")
    ):
        yield f"it has {len(steps)} steps, of {n_steps} at most"
    if not all(np.isfinite(found[name]).all() for name in CURVES):
        yield "curves must be finite"
    for step in np.unique(steps).tolist():
        if not _are_labels(found.get(f"labels{step}"), graph):
            yield f"labels{step} must be labels of the items"
    if not is_done:
        yield from _wrong_rows(found, graph, row_entries)


def _are_labels(labels: NDArray[Any] | None, graph: Graph) -> bool:
    """Tell whether an array has labels of the items of a graph, which respect its groups."""
    if labels is None or labels.dtype != np.int32 or labels.shape != (graph.n_items,):
        return False
    if not are_in_order(labels):
        return False
    places = labels * np.int64(graph.n_items) + graph.group if graph.grouped else None
    return places is None or len(np.unique(places)) == graph.n_items


def _wrong_rows(found: Arrays, graph: Graph, row_entries: int) -> Iterator[str]:
    """Yield what is wrong with the rows of U that a walk goes on with."""
    m = graph.n_items
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(UNFINISHED, (m,))
    shapes["packed"] = m, 2 * row_entries
    for name, shape in shapes.items():
        if found[name].shape != shape:
            yield f"{name} must have shape {shape}; found {found[name].shape}"
    packed = np.ascontiguousarray(found["packed"])
    columns, values = packed[:, :row_entries], packed.view(np.float32)[:, row_entries:]
    is_entry = columns >= 0
    for name, numbers in {"rounded": found["rounded"], "packed": columns}.items():
        if numbers.min() < -1 or numbers.max() >= m:
            yield f"{name} must be at least -1 and below {m}"
    if not is_entry[:, 0].all() or np.any(is_entry[:, 1:] > is_entry[:, :-1]):
        yield "rows must begin with their entries"
    if not np.array_equal(values > 0.0, is_entry) or np.any((values < 0.0) | np.isinf(values)):
        yield "entries must be positive"
    if np.isnan(found["activation"]).any():
        yield "activation levels must be numbers"
    sizes = np.diff(graph.component_ptr)
    component = np.repeat(np.arange(len(sizes)), sizes)
    item, entry = np.nonzero(columns >= 0)
    if not np.array_equal(component[columns[item, entry]], component[item]):
        yield "rows must stay in their components"
