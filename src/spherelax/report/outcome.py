"""Numbers about the labels, their sizes and confidence, and the least certain items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.report.case import Case
from spherelax.result import UNSURE

# Rows of the tables of items and of groups.
MAX_ITEMS = 25
MAX_GROUPS = 15
CONFIDENCE_BINS = 10


class Outcome(NamedTuple):
    """Numbers about the labels.

    ``kept`` is the share of the total similarity that lies inside labels. ``direct`` is the number
    of pairs that share a label and are similar, ``implied`` of those that share a label and are
    not. ``split`` is the number of labels in the components with two items of one group.
    ``stability`` is the range of ln(resolution) over which nearly the same pairs share a label.
    ``entities`` is None unless it is known how likely whole labels are right.
    """

    n_labels: int
    n_single: int
    largest: int
    median: float
    kept: float
    direct: int
    implied: int
    split: int
    stability: float
    n_unsure: int
    mean_confidence: float
    confidence: list[int]
    groups: list[GroupRow]
    entities: Entities | None


class Entities(NamedTuple):
    """How likely labels are right, if that is known.

    ``n_wrong`` is the expected number of items with a wrong label, ``n_impure`` and ``n_lacking``
    those of labels of several items that hold different things, and of labels that lack an item.
    ``pure`` and ``whole`` count these labels by their probability, in bins.
    """

    n_wrong: float
    n_impure: float
    n_lacking: float
    pure: list[int]
    whole: list[int]


class GroupRow(NamedTuple):
    """One group: its items, how many of them share a label, and their mean confidence."""

    name: str
    n_items: int
    n_shared: int
    confidence: float


class UnsureRow(NamedTuple):
    """An item with a low confidence, and the best other label for it.

    ``label`` and ``other_label`` are numbers as in files. ``own`` and ``other`` are its summed
    similarities to the items of both labels, as the user's own scores. ``witness`` is the item of
    the other label that it is most similar to. ``taken`` says whether an item of its group has the
    other label.
    """

    item: int
    group: str | None
    label: str
    confidence: float
    own: float
    other_label: str | None
    other: float
    witness: int | None
    taken: bool


def describe_outcome(case: Case) -> Outcome:
    """Return the numbers about the labels."""
    labels, confidence, graph = case.result.labels, case.result.confidence, case.graph
    sizes = np.bincount(labels)
    together = labels[case.rows] == labels[graph.indices]
    total = float(graph.values.sum(dtype=float))
    direct = int(np.count_nonzero(together)) // 2
    in_conflict = case.conflicted[case.components]
    return Outcome(
        n_labels=int(case.n_labels_per_step[case.result.path.picked]),
        n_single=int((sizes == 1).sum()),
        largest=int(sizes.max()),
        median=float(np.median(sizes)),
        kept=float(graph.values[together].sum(dtype=float)) / total if total else 1.0,
        direct=direct,
        implied=int((sizes * (sizes - 1) // 2).sum()) - direct,
        split=len(np.unique(labels[in_conflict])),
        stability=float(case.result.path.stability[case.result.path.picked]),
        n_unsure=int((confidence < UNSURE).sum()),
        mean_confidence=float(confidence.mean()),
        confidence=_histogram(confidence),
        groups=_group_rows(case, sizes),
        entities=_entities(case, sizes),
    )


def least_certain(case: Case) -> list[UnsureRow]:
    """List the items with the lowest confidence first; those with 1.00 are left out.

    Items that share their label with no other come last or, if such labels do not count, not at
    all: who has no label has none that could be wrong.
    """
    confidence = case.result.confidence
    is_single = (np.bincount(case.result.labels) == 1)[case.result.labels]
    order = np.lexsort((confidence, is_single))
    is_listed = (confidence.round(2) < 1.0) & (~is_single | case.words.counts_single)
    return [_unsure_row(case, int(item)) for item in order[is_listed[order]][:MAX_ITEMS]]


def _entities(case: Case, sizes: NDArray[np.intp]) -> Entities | None:
    """Return how likely the labels are right; None if that is not known."""
    likely = case.likely
    if likely is None:
        return None
    pure = likely.pure[sizes > 1]
    return Entities(
        n_wrong=float(np.sum(1.0 - case.result.confidence)),
        n_impure=float(np.sum(1.0 - pure)),
        n_lacking=float(np.sum(1.0 - likely.whole)),
        pure=_histogram(pure),
        whole=_histogram(likely.whole),
    )


def _histogram(shares: NDArray[np.float64]) -> list[int]:
    """Count shares in bins of equal width; those that are not known are left out."""
    shares = shares[~np.isnan(shares)]
    bins = np.minimum((shares * CONFIDENCE_BINS).astype(int), CONFIDENCE_BINS - 1)
    return [int(n) for n in np.bincount(bins, minlength=CONFIDENCE_BINS)]


def _group_rows(case: Case, sizes: NDArray[np.intp]) -> list[GroupRow]:
    """Return the groups, those with the smallest share of items that share a label first."""
    if case.problem.groups is None:
        return []
    codes = case.problem.groups
    n_items = np.bincount(codes)
    shared = np.bincount(codes, weights=sizes[case.result.labels] > 1).astype(int)
    confidence = np.bincount(codes, weights=case.result.confidence) / n_items
    names: dict[int, object] = {}
    for code, name in zip(codes.tolist(), case.groups or (), strict=True):
        if name is not None:
            names.setdefault(code, name)
    rows = [
        GroupRow(str(name), int(n_items[code]), int(shared[code]), float(confidence[code]))
        for code, name in names.items()
    ]
    return sorted(rows, key=lambda row: (row.n_shared / row.n_items, row.confidence))[:MAX_GROUPS]


def _unsure_row(case: Case, item: int) -> UnsureRow:
    """Describe one item, its label and the best other label."""
    graph, labels = case.graph, case.result.labels
    entries = slice(graph.indptr[item], graph.indptr[item + 1])
    others, values = graph.indices[entries], case.scale * graph.values[entries].astype(float)
    found, codes = np.unique(labels[others], return_inverse=True)
    sums, scores = (np.bincount(codes, weights=each) for each in (values, case.scores(values)))
    label = int(labels[item])
    own = float(scores[found == label].sum())
    other_label, other, witness, taken = None, 0.0, None, False
    if np.any(found != label):
        best = int(np.where(found != label, sums, -1.0).argmax())
        witness = int(others[np.where(codes == best, values, -1.0).argmax()])
        other_label, other = case.number(witness), float(scores[best])
        if case.problem.groups is not None:
            members = np.flatnonzero(labels == found[best])
            taken = bool((case.problem.groups[members] == case.problem.groups[item]).any())
    group = None if case.groups is None or case.groups[item] is None else str(case.groups[item])
    return UnsureRow(
        item=item,
        group=group,
        label=case.number(item),
        confidence=float(case.result.confidence[item]),
        own=own,
        other_label=other_label,
        other=other,
        witness=witness,
        taken=taken,
    )
