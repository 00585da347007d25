"""The report of a run: a page from sums and samples of all shards; nothing else is gathered."""

from __future__ import annotations

from collections.abc import Sequence

from spherelax.io.answers.packed import Values
from spherelax.io.words import RECORDS, count
from spherelax.report.layout import Section, render
from spherelax.report.markup import bars, facts, name, table, text
from spherelax.result import UNSURE, percent
from spherelax.scale.answers import N_BINS, N_SAMPLES
from spherelax.scale.entities import Entities
from spherelax.scale.shards import Plan

# Shards that are shown.
N_SHARDS = 20
# Sizes of entities, in records: the first of each bin.
SIZES = (1, 2, 3, 4, 5, 6, 8, 11, 21, 51, 101)


def page(plan: Plan, entities: Entities, sums: Sequence[Values], steps: Sequence[Values]) -> str:
    """Return the page."""
    sections = [
        Section("input", "Input", _input(plan)),
        Section("output", "Entities", _output(entities, sums)),
        Section("samples", "Some entities", _samples(sums)),
    ]
    if steps:
        sections.insert(2, Section("sweep", "Other resolutions", _steps(steps)))
    return render(f"Entities of {entities.n_items:,} records", sections)


def _input(plan: Plan) -> str:
    """Return what came in."""
    largest = max(shard.n_pairs for shard in plan.shards)
    free = ", ".join(name(source) for source in plan.duplicate_free_sources) or "none"
    rows = [
        ("Records", f"{plan.n_items:,}", ""),
        ("Pairs", f"{plan.n_pairs:,}", f"scores: the column {name(plan.column)}"),
        ("Components", f"{plan.n_components:,}", "sets of records joined by pairs"),
        ("Sources without duplicates", f"{len(plan.duplicate_free_sources):,}", free),
        (
            "Shards",
            f"{len(plan.shards):,}",
            f"the largest has {percent(largest / max(plan.n_pairs, 1))} of the pairs",
        ),
    ]
    shown = [
        [
            text(shard.folder.name),
            f"{shard.n_items:,}",
            f"{shard.n_pairs:,}",
            f"{shard.n_components:,}",
        ]
        for shard in plan.shards[:N_SHARDS]
    ]
    heads = ("Shard", "Records", "Pairs", "Components")
    return facts(rows) + table("The first shards", heads, shown, numbers=(1, 2, 3))


def _output(entities: Entities, sums: Sequence[Values]) -> str:
    """Return what came out."""
    rows = [
        ("Entities", f"{entities.n_entities:,}", f"from {count(entities.n_items, 'record')}"),
        ("Single records", f"{entities.n_single:,}", "which match no other"),
        (
            "Confidence",
            f"{entities.confidence:.2f}",
            f"on average; below {UNSURE} for {count(entities.n_unsure, 'record')}",
        ),
    ]
    n_confident = [sum(shard["bins"][place] for shard in sums) for place in range(N_BINS)]
    bins = [
        (f"{place / N_BINS:.1f} to {(place + 1) / N_BINS:.1f}", n)
        for place, n in enumerate(n_confident)
    ]
    sizes = bars("Entities by number of records", ("Records", "Entities"), _sizes(entities))
    sure = bars("Records by confidence", ("Confidence", "Records"), bins)
    status = f"<p>{text(RECORDS.speak(entities.status.sentence))}</p>"
    return f'{status}{facts(rows)}<div class="two">{sizes}{sure}</div>'


def _sizes(entities: Entities) -> list[tuple[str, int]]:
    """Count entities by their number of records, up to the largest one."""
    rows = []
    for low, high in zip(SIZES, (*SIZES[1:], None), strict=True):
        if low > max(entities.sizes):
            break
        chosen = (
            n for size, n in entities.sizes.items() if low <= size and (not high or size < high)
        )
        named = (
            f"{low}" if high == low + 1 else f"{low} to {high - 1}" if high else f"{low} or more"
        )
        rows.append((named, sum(chosen)))
    return rows


def _steps(steps: Sequence[Values]) -> str:
    """Return the numbers of every step."""
    heads = ("Resolution", "Saving", "Entities")
    rows = [
        [f"{step['resolution']:.4g}", f"{step['saving']:,.0f}", f"{step['n_labels']:,}"]
        for step in steps
    ]
    return table("Steps, from high to low resolution", heads, rows, numbers=range(len(heads)))


def _samples(sums: Sequence[Values]) -> str:
    """Return the largest entities, and those with the least certain records, of all shards."""
    samples = [sample for shard in sums for sample in shard["samples"]]
    several = [sample for sample in samples if sample["size"] > 1]
    largest = sorted(several, key=lambda sample: (-sample["size"], sample["entity"]))
    doubtful = sorted(samples, key=lambda sample: (sample["confidence"], sample["entity"]))
    return _table("The largest", largest) + _table("The least certain", doubtful)


def _table(caption: str, samples: Sequence[Values]) -> str:
    """Return a table of entities with some of their records."""
    rows = [
        [
            f"{sample['entity']:,}",
            f"{sample['size']:,}",
            f"{sample['confidence']:.2f}",
            ", ".join(name(" ".join(map(str, record))) for record in sample["records"])
            + (" …" if len(sample["records"]) < sample["size"] else ""),
        ]
        for sample in samples[:N_SAMPLES]
    ]
    heads = ("Entity", "Records", "Lowest confidence shown", "Records of it")
    return table(caption, heads, rows, numbers=(0, 1, 2), is_stacked=True)
