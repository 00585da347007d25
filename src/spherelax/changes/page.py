"""The page of a comparison: how many changes of each kind there are, and the largest of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from spherelax.report.layout import Section, render
from spherelax.report.markup import facts, name, table, text
from spherelax.result import percent

if TYPE_CHECKING:
    from spherelax.changes.diff import Diff

# Changes of each kind that are shown, and entities of one side of a change.
N_SHOWN, N_ENTITIES = 50, 12
# What each kind means; kept ones are counted only.
MEANINGS = {
    "grown": "One entity each, with the items that it had and new ones.",
    "shrunk": "One entity each; some of its items are gone.",
    "renewed": "One entity each; some of its items are gone, and others are new.",
    "merged": "Several entities have become one.",
    "split": "One entity has become several.",
    "moved": "Several entities have exchanged items.",
    "new": "Entities whose items are all new.",
    "gone": "Entities whose items are all gone.",
}

Row = dict[str, Any]


def page(found: Diff, title: str) -> str:
    """Return the page."""
    columns = found.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    sections = [Section("all", "All changes", _count_kinds(found))]
    for kind, group in groupby(rows, itemgetter("kind")):
        if kind in MEANINGS:
            sections.append(Section(kind, kind.capitalize(), _show_largest(kind, list(group))))
    return render(title, sections)


def _count_kinds(found: Diff) -> str:
    """Return how many changes of each kind there are."""
    counts = found.counts()
    n_kept = counts["kept"].before if "kept" in counts else 0
    share = percent(n_kept / found.n_before)
    said = [
        ("Before", f"{found.n_before:,}", f"entities of {found.n_items_before:,} items"),
        ("After", f"{found.n_after:,}", f"entities of {found.n_items_after:,} items"),
        ("Kept", f"{n_kept:,}", f"{share} of the entities before have the same items"),
    ]
    heads = ("Kind", "Changes", "Entities before", "Entities after", "Items")
    body = [[kind, *(f"{number:,}" for number in n)] for kind, n in counts.items()]
    caption = "Changes: sets of entities that share items"
    return facts(said) + table(caption, heads, body, numbers=range(1, len(heads)))


def _show_largest(kind: str, rows: list[Row]) -> str:
    """Return the largest changes of a kind, with the entities of each."""
    changes = [list(group) for _, group in groupby(rows, itemgetter("change"))]
    shown = [
        [
            f"{sum(row['items'] for row in change):,}",
            ", ".join(_name_entities(change, "before")),
            ", ".join(_name_entities(change, "after")),
        ]
        for change in changes[:N_SHOWN]
    ]
    caption = text(MEANINGS[kind])
    if len(changes) > N_SHOWN:
        caption += f" The {N_SHOWN} largest of {len(changes):,}."
    heads = ("Items", "Before", "After")
    return table(caption, heads, shown, numbers=(0,), is_stacked=True)


def _name_entities(change: list[Row], side: str) -> Iterator[str]:
    """Yield the entities of one side of a change with their numbers of items, largest first."""
    sizes: dict[Any, int] = {}
    for row in change:
        sizes[row[side]] = sizes.get(row[side], 0) + row["items"]
    outside = sizes.pop(None, 0)
    largest = sorted(sizes, key=lambda label: -sizes[label])
    for label in largest[:N_ENTITIES]:
        yield f"{name(label)} ({sizes[label]:,})"
    if len(largest) > N_ENTITIES:
        yield f"{len(largest) - N_ENTITIES:,} more"
    if outside:
        yield f"{outside:,} {'new' if side == 'before' else 'gone'}"
