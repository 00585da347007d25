"""What one shard does: its share of every round, from its files to a small table of sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import (
    Graph,
    Totals,
    build_graph,
    components,
    components_up_to,
    draw,
    largest,
)
from spherelax.coordinate.judging import count_broken
from spherelax.coordinate.model import Facts, Model, Reading
from spherelax.coordinate.moves import polish_labels
from spherelax.coordinate.readings import Listed
from spherelax.coordinate.run import walk
from spherelax.coordinate.solved import CoordinateSolved
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import agreement, renumber_groups, weigh_pairs
from spherelax.io.files.mapped import mapped, save_array, save_rows
from spherelax.judgements import Judgements
from spherelax.labels import Labels, renumber
from spherelax.problem import Problem
from spherelax.result import Solved
from spherelax.scale.judged import judgements_among
from spherelax.scale.shards import FREE, Plan, Several, Shard
from spherelax.settings import Coordinate

LABELS, CONFIDENCE = "labels.npy", "confidence.npy"
# Labels of all steps of the last walk, and those that were polished.
STEPS, POLISHED = "steps.npy", "polished.npy"
# How likely pairs are right, where that was learnt.
RIGHT = "right.npy"

Answer = dict[str, Any]


class Share:
    """A shard with what is done to it."""

    def __init__(
        self, plan: Plan, shard: Shard | Several, settings: Coordinate, n_threads: int
    ) -> None:
        self.plan, self.shard = plan, shard
        self.route = Route(settings, n_threads)

    def perform(self, what: str, order: dict[str, Any]) -> Answer:
        """Carry out an order, and return the sums that it asks for."""
        ways: dict[str, Callable[..., Answer]] = {
            "measure": self._measure,
            "draw": self._draw,
            "learn": self._learn,
            "walk": self._walk,
            "compare groups": self._agree,
            "sample": self._sample,
            "polish": self._polish,
            "count judgements": self._count_judgements,
            "finish": self._finish,
            "take": self._take,
        }
        return ways[what](**order)

    @cached_property
    def named(self) -> NDArray[np.int32]:
        """The named group of each item; -1: it is free."""
        return self.shard.groups()

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each item among all."""
        return self.shard.numbers()

    @cached_property
    def judged(self) -> Judgements:
        """What was judged of items of the shard, by their places."""
        return judgements_among(self.plan.judgements(), self.numbers)

    @cached_property
    def problem(self) -> Problem:
        """The similarities and groups of the shard."""
        return self.shard.problem(self.plan.kind)

    def graph(self, unit: float, is_grouped: bool) -> Graph:
        """Build the graph of the shard. Where the whole has groups, it has them too."""
        graph = build_graph(self.problem, unit)
        if is_grouped and not graph.grouped:
            return graph._replace(group=np.arange(graph.n_items, dtype=np.int32))
        return graph

    def _measure(self) -> Answer:
        """Return the largest similarity, and how many items each group has."""
        n_groups = len(self.plan.duplicate_free_sources)
        sizes = np.bincount(self.named[self.named != FREE], minlength=n_groups)
        return {"largest": largest(self.problem), "sizes": sizes}

    def _draw(self, unit: float, is_grouped: bool, limit: float) -> Answer:
        """Return what is drawn of the shard up to a chance, and what its degrees are."""
        graph = self.graph(unit, is_grouped)
        facts = Facts.of(graph)
        found = draw(graph).up_to(limit)
        rows = graph.given[found.items]
        return {
            **self._some(rows),
            "degrees": facts.degrees,
            "n_entries": facts.n_entries,
            "draw": found._replace(items=self.numbers[rows]),
        }

    def _some(self, rows: NDArray[np.integer]) -> Answer:
        """Return some items: their numbers and groups, and the similarities among them."""
        rows = np.sort(rows)
        half = self.problem.similarity[rows][:, rows].tocoo()
        once = half.row < half.col
        return {
            "numbers": self.numbers[rows],
            "groups": self.named[rows],
            "one": self.numbers[rows[half.row[once]]],
            "other": self.numbers[rows[half.col[once]]],
            "similarity": half.data[once],
        }

    def model(
        self,
        reading: Reading,
        is_grouped: bool,
        totals: Totals | None = None,
        factor: NDArray[np.float64] | None = None,
        has_several: NDArray[np.bool_] | None = None,
    ) -> Model:
        """Return the model of the shard by the reading of the whole.

        ``factor`` is what similarities are multiplied by between groups that have several items.
        """
        graph = self.graph(reading.unit, is_grouped)
        del self.problem  # the graph has all of it, and memory counts
        known = self.shard.folder / RIGHT
        if isinstance(reading, Listed) and known.exists():
            model = reading.bind(graph, reading.scores.judge(mapped(known)))
        else:
            model = reading.read(graph)
        if factor is not None and has_several is not None:
            shared = self._shared(graph, has_several)
            model = model.with_weights(weigh_pairs(model.graph, shared, factor))
        if totals is None:
            return model
        return model.within(totals, self.named[graph.given] if is_grouped else None)

    def _shared(self, graph: Graph, has_several: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the group of each item of the graph among those with several items."""
        named = self.named[graph.given]
        return np.where(named == FREE, FREE, renumber_groups(named, has_several)).astype(np.int32)

    def _learn(self, **order: Any) -> Answer:
        """Return the totals of what similarities are worth."""
        model = self.model(**order)
        if isinstance(model.reading, Listed) and model.judged is not None:
            save_array(self.shard.folder / RIGHT, model.judged.right)
        if not order["is_grouped"]:
            return {"totals": model.count()}
        found = model.count(self.named[model.graph.given])
        n_more = len(self.plan.duplicate_free_sources) - len(found.of_group)
        of_group, to_group = (
            np.pad(each, (0, n_more)) for each in (found.of_group, found.to_group)
        )
        return {"totals": found._replace(of_group=of_group, to_group=to_group)}

    def _walk(self, **order: Any) -> Answer:
        """Walk, and return what the labels of every step amount to."""
        model = self.model(**order)
        trail = walk(model, self.route)
        shape = (len(trail.labels), len(self.numbers))
        steps = map(model.graph.as_given, trail.labels)
        save_rows(self.shard.folder / STEPS, steps, shape, np.int32)
        return {
            "accounts": trail.accounts,
            "changed": trail.changed,
            "resolutions": trail.resolutions,
        }

    def _labels(self, graph: Graph, at: int) -> Labels:
        """Return the labels of a step of the last walk, in the order of the graph."""
        return np.asarray(mapped(self.shard.folder / STEPS, at)[graph.given])

    def _agree(self, at: int, **order: Any) -> Answer:
        """Return the similarity between groups, and what of it agrees with the labels of a step."""
        graph = self.model(**order).graph
        shared = self._shared(graph, order["has_several"])
        n_groups = int(np.count_nonzero(order["has_several"]))
        return {"both": agreement(graph, self._labels(graph, at), shared, n_groups)}

    def _sample(self, unit: float, is_grouped: bool, start: int) -> Answer:
        """Return the components that were drawn up to a chance."""
        graph = self.graph(unit, is_grouped)
        items = components_up_to(graph, np.uint64(start))
        return self._some(graph.given[items])

    def _polish(self, at: int, gamma: float, **order: Any) -> Answer:
        """Polish the labels of a step, and return what they amount to."""
        model = self.model(**order)
        graph, n_threads = model.graph, self.route.n_threads
        labels = polish_labels(graph, self._labels(graph, at), gamma, n_threads=n_threads)
        save_array(self.shard.folder / POLISHED, graph.as_given(labels))
        return {"account": model.labeling(labels).account}

    def _count_judgements(self, at: int, which: str, n_steps: int, **order: Any) -> Answer:
        """Return how many judgements of the shard the labels of each step do not agree with."""
        if len(self.judged) == 0:
            return {"broken": np.zeros(n_steps, dtype=np.int64)}
        steps = [mapped(self.shard.folder / STEPS, step) for step in range(n_steps)]
        steps[at] = self.found(at, which, **order)
        return {"broken": np.array([count_broken(step, self.judged) for step in steps])}

    def found(self, at: int, which: str, *, reading: Reading, is_grouped: bool, **_: Any) -> Labels:
        """Return labels in the order of the shard: polished, of a step, or of each component."""
        if which == "polished":
            return mapped(self.shard.folder / POLISHED)
        if which == "step":
            return mapped(self.shard.folder / STEPS, at)
        graph = self.graph(reading.unit, is_grouped)
        return graph.as_given(components(graph.indptr, graph.indices, graph.group))

    def _finish(self, at: int, which: str, level: int, alpha: float, **order: Any) -> Answer:
        """Write labels that keep what was judged, of a level or those that were found.

        And how sure they are.
        """
        found = renumber(self.found(at, which, **order))
        model = self.model(**order)
        solved: Solved = CoordinateSolved(model, self.route, found[model.graph.given], ())
        labels = found if level == at else renumber(mapped(self.shard.folder / STEPS, level))
        if len(self.judged) > 0:
            kept = solved.keep_judgements([labels], 0, None, self.judged)
            labels, solved = kept.labels, kept.solved
        return self._answer(labels, solved.confidence(labels, alpha))

    def _take(self, labels: Any, confidence: Any, numbers: Any) -> Answer:
        """Write labels that were found for all items."""
        at = np.searchsorted(numbers, self.numbers)
        return self._answer(renumber(labels[at]), confidence[at])

    def _answer(self, labels: Labels, confidence: NDArray[np.floating]) -> Answer:
        """Write labels and how sure they are."""
        save_array(self.shard.folder / LABELS, labels)
        save_array(self.shard.folder / CONFIDENCE, confidence.astype(np.float32))
        return {"of_size": np.bincount(np.bincount(labels))}
