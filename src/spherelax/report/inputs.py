"""Numbers about the input, and what is unusual in it and may be a mistake."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.report.case import Case

# A similarity is huge if it is more than this number of times the median.
HUGE = 100.0
# Number of examples of what is unusual.
EXAMPLES = 5
# A dense similarity is read in blocks of this number of rows, which saves memory.
BLOCK_ROWS = 256


class Inputs(NamedTuple):
    """Numbers about the items and their similarities.

    ``inside`` is the number of similar pairs inside groups. ``smallest``, ``median`` and
    ``largest`` are of the user's own scores of all other similar pairs.
    """

    n_items: int
    n_groups: int
    n_free: int
    n_edges: int
    density: float
    n_components: int
    largest_component: int
    n_conflicted: int
    inside: int
    smallest: float
    median: float
    largest: float


class Example(NamedTuple):
    """One example: a text with a placeholder for each name, and the names."""

    said: str
    names: tuple[str, ...]


class Oddity(NamedTuple):
    """Something unusual: what it is, what it means, and a few examples."""

    what: str
    why: str
    examples: list[Example]


def describe_inputs(case: Case) -> Inputs:
    """Return the numbers about the input."""
    values = case.scores(case.scale * case.graph.values.astype(float))
    m, n_edges = case.n_items, len(values) // 2
    sizes = np.bincount(case.components)
    low, median, high = np.quantile(values, (0, 0.5, 1)) if n_edges else (0.0, 0.0, 0.0)
    return Inputs(
        n_items=m,
        n_groups=len(case.group_sizes),
        n_free=sum(group is None for group in case.groups or ()),
        n_edges=n_edges,
        density=n_edges / (m * (m - 1) / 2),
        n_components=len(sizes),
        largest_component=int(sizes.max()),
        n_conflicted=int(case.conflicted.sum()),
        inside=len(_pairs_inside_groups(case)),
        smallest=float(low),
        median=float(median),
        largest=float(high),
    )


def find_oddities(case: Case, inputs: Inputs) -> list[Oddity]:
    """List what is unusual in the input."""
    found = (
        _isolated(case),
        _duplicates(case),
        _same_names(case),
        _single_groups(case),
        _huge(case, inputs),
        _conflicts(case),
    )
    return [oddity for oddity in found if oddity is not None]


def _isolated(case: Case) -> Oddity | None:
    """Report items that are similar to no other."""
    alone = np.flatnonzero(np.diff(case.graph.indptr) == 0)
    return _oddity(
        case,
        len(alone),
        "{n} {item} similar to no other",
        "Each has its own label. Are their similarities missing?",
        (Example("{}", (case.names[item],)) for item in alone),
    )


def _duplicates(case: Case) -> Oddity | None:
    """Report similar items of one group, which never share a label."""
    pairs = _pairs_inside_groups(case)
    return _oddity(
        case,
        len(pairs),
        "{n} {pair} of one group similar to each other",
        "Items of one group never share a label, so these similarities were ignored. "
        "Are they duplicates?",
        (Example("{} and {}", (case.names[i], case.names[j])) for i, j in pairs),
    )


def _same_names(case: Case) -> Oddity | None:
    """Report names that occur twice in one group; case and blanks are ignored."""
    groups = case.groups or [None] * case.n_items
    seen: set[tuple[object, str]] = set()
    again = []
    for name, group in zip(case.names, groups, strict=True):
        key = (group, " ".join(name.split()).casefold())
        if key in seen:
            again.append(name)
        seen.add(key)
    return _oddity(
        case,
        len(again),
        "{n} {item} with the name of another" + (" of the same group" if case.groups else ""),
        "Case and blanks are ignored here. Is the same thing listed twice?",
        (Example("{}", (name,)) for name in again),
    )


def _single_groups(case: Case) -> Oddity | None:
    """Report groups of one item, unless all groups have one item."""
    single = [group for group, size in case.group_sizes.items() if size == 1]
    if len(single) == len(case.group_sizes):
        return None
    return _oddity(
        case,
        len(single),
        "{n} {group} of one item",
        "A group of one item has no effect. Is the column of groups the right one?",
        (Example("{}", (str(group),)) for group in single),
    )


def _huge(case: Case, inputs: Inputs) -> Oddity | None:
    """Report similarities that are much larger than usual."""
    values = case.scores(case.scale * case.graph.values.astype(float))
    huge = np.flatnonzero((values > HUGE * inputs.median) & (case.rows < case.graph.indices))
    strongest = huge[np.argsort(-values[huge], kind="stable")]
    ends = zip(case.rows[strongest], case.graph.indices[strongest], strict=True)
    return _oddity(
        case,
        len(huge),
        "{n} {pair} " + f"over {HUGE:g} times as similar as the median pair",
        f"The largest similarity is {inputs.largest:.3g}, the median {inputs.median:.3g}. "
        "A few such pairs can decide the labels alone.",
        (Example("{} and {}", (case.names[i], case.names[j])) for i, j in ends),
    )


def _conflicts(case: Case) -> Oddity | None:
    """Report connected components that hold two items of one group."""
    held = np.flatnonzero(case.conflicted)
    sizes, first = np.bincount(case.components), np.unique(case.components, return_index=True)[1]
    largest = held[np.argsort(-sizes[held], kind="stable")]
    return _oddity(
        case,
        len(held),
        "{n} connected {component} with two items of one group",
        "Two items of one group cannot be the same thing, so some of the similarities there must "
        "be wrong. These components were split.",
        (
            Example(case.say(f"{sizes[at]:,} items around {{}}"), (case.names[first[at]],))
            for at in largest
        ),
    )


def _oddity(case: Case, n: int, what: str, why: str, examples: Iterable[Example]) -> Oddity | None:
    """Return an oddity that was found n times; None if n is 0."""
    if n == 0:
        return None
    nouns = ("item", "pair", "group", "component")
    words = {noun: noun if n == 1 else f"{noun}s" for noun in nouns}
    said = case.say(what.format(n=f"{n:,}", **words))
    return Oddity(said, case.say(why), list(islice(examples, EXAMPLES)))


def _pairs_inside_groups(case: Case) -> NDArray[np.intp]:
    """Return pairs ``i < j`` of one group that are similar, the most similar first."""
    W, groups = case.problem.similarity, case.problem.groups
    if groups is None:
        return np.empty((0, 2), dtype=np.intp)
    pairs, values = [np.empty((0, 2), dtype=np.intp)], [np.empty(0)]
    n_rows = case.n_items if sp.issparse(W) else BLOCK_ROWS
    for start in range(0, case.n_items, n_rows):
        block = sp.coo_array(W[start : start + n_rows])
        i, j = block.row + start, block.col
        inside = (i < j) & (groups[i] == groups[j])
        pairs.append(np.column_stack([i[inside], j[inside]]))
        values.append(block.data[inside])
    return np.concatenate(pairs)[np.argsort(-np.concatenate(values), kind="stable")]
