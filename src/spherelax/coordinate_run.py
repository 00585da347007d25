"""A problem with the settings of the coordinate solver: walks the path, answers questions on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.description import PLAIN_RATE, Description, are_uneven
from spherelax.evidence import Evidence, by_rank, learn
from spherelax.graph import Graph, build_graph
from spherelax.interfaces import choose, merged, worth_merging
from spherelax.pick import Pick, pick_description
from spherelax.polish import Polisher, confidence, within
from spherelax.problem import Problem
from spherelax.reliability import reweighted
from spherelax.result import Callback, Path, Status, Step
from spherelax.rounding import Labels
from spherelax.schedule import resolution_grid
from spherelax.solvers import coordinate, kernels

# Entries of a row, steps of the grid, and where it starts, as a share of the largest similarity.
# Few items are worth the pains; with many, steps of a factor two from lower down find the same.
ENTRIES = 4
STEPS = 40
TOP = 0.999
MANY = coordinate.BATCHED_ITEMS
ENTRIES_OF_MANY = 2
RATIO_OF_MANY = 2.0
TOP_OF_MANY = 4.0  # over the average degree: clusters of a degree's size are still in pieces
# Where degrees are corrected for, the largest W_ij / (n_i n_j) is this quantile: two items of low
# degree can be very close.
TOP_QUANTILE = 0.9
# It ends at this share of the average; without groups it goes on from there until the labels are
# the connected components, or for so many steps in all.
BOTTOM = 0.3
MAX_STEPS = 160
# Below the average, so many steps in a row that describe worse end the walk without groups.
WORSE_STEPS = 8
# Savings from which labels are nearly as good.
NEARLY = 0.99
# With many items nothing is merged on the way, and so many steps with the same labels end the walk.
QUIET_STEPS = 3
# What similarities are worth is learnt so many times, or until it is known.
ROUNDS = 4
# Labels are polished again when the relaxed ones of so many items have changed.
CHANGED = 1e-3


@dataclass(frozen=True, eq=False)
class CoordinateRun:
    """The universe-free sweep of one problem."""

    graph: Graph
    scale: float
    is_corrected: bool
    row_entries: int | None = None
    n_steps: int | None = None
    n_inner: int = 2
    n_threads: int = 1
    resolution: float | None = None
    is_thorough: bool = False
    unweighted_average: float | None = None
    evidence: Evidence | None = None
    unweighed: Graph | None = None

    @classmethod
    def prepare(cls, problem: Problem, **settings: Any) -> CoordinateRun:
        """Build the graph and choose the null model by its degrees; groups keep the plain one.

        With groups, similarities of different sizes count by their ranks until more is learnt.
        """
        scale = float(problem.similarity.max())
        graph = build_graph(problem, scale)
        is_corrected = False
        if not graph.grouped:
            degrees = kernels.degrees(graph)
            is_corrected = are_uneven(degrees[degrees > 0])
            if is_corrected:
                graph = graph._replace(weight=degrees.astype(np.float32))
        return cls(graph=graph, scale=scale, is_corrected=is_corrected, **settings).begun(graph)

    def begun(self, graph: Graph) -> CoordinateRun:
        """Return the run with the similarities of a graph, by rank if there is more to learn."""
        ranks = by_rank(graph)
        if ranks is None:
            return replace(self, graph=graph)
        return replace(self, graph=ranks.applied(graph), evidence=ranks, unweighed=graph)

    def absorb(self, problem: Problem, labels: Labels, alpha: float) -> tuple[CoordinateRun, Path]:
        """Polish labels of the first items of a problem, and the others, at a resolution.

        Similarities and null model keep their units, and so does the resolution, but for degrees,
        which grow with the collection: there it stays in proportion to the average. What
        similarities are worth was learnt from the earlier ones and holds for the new ones; the
        reliability of pairs of groups is not applied to them.
        """
        graph = build_graph(problem, self.scale)
        if self.evidence is not None:
            graph = self.evidence.applied(graph)
        if self.is_corrected:
            graph = graph._replace(weight=kernels.degrees(graph).astype(np.float32))
        run = replace(self, graph=graph, unweighted_average=None, unweighed=None)
        unit = run.average if self.is_corrected else self.unweighted_average or self.average
        gamma = unit * alpha / (1.0 - alpha)
        everyone = np.arange(graph.n_items, dtype=np.int32)
        everyone[: len(labels)] = labels
        found = Polisher(graph).polish(separate_groups(graph, everyone), gamma)
        inside = within(graph, found, int(found.max()) + 1)
        resolution = gamma / run.average
        path = Path(
            alphas=np.array([resolution / (1.0 + resolution)]),
            etas=np.zeros(1),
            objectives=np.array([run.objective(found, inside, gamma)]),
            labels=(found,),
            savings=np.array([run.description.saving(found, inside)]),
        )
        return run, path

    def weighed(self, labels: Labels) -> CoordinateRun | None:
        """Return the run with similarities by what they are worth, if labels teach anything new."""
        if self.evidence is None or self.unweighed is None:
            return None
        learnt = learn(self.unweighed, labels)
        if learnt is None or learnt.equals(self.evidence):
            return None
        return replace(self, graph=learnt.applied(self.unweighed), evidence=learnt)

    def reweighted(self, labels: Labels) -> CoordinateRun | None:
        """Return the run with similarities weighted by reliability, if there is any to learn."""
        graph = reweighted(self.graph, labels)
        if graph is None:
            return None
        return replace(self, graph=graph, unweighted_average=self.average)

    @cached_property
    def description(self) -> Description:
        """What labels are to describe."""
        plain = not (self.is_corrected or self.graph.grouped)
        return Description(
            total=0.5 * float(self.graph.values.sum(dtype=float)),
            n_pairs=self.graph.n_pairs(),
            weight=self.graph.weight,
            is_corrected=self.is_corrected,
            rate=PLAIN_RATE if plain else 1.0,
        )

    @cached_property
    def average(self) -> float:
        """The mean similarity under the null model: the unit of resolutions."""
        total = self.description.total
        return total / self.description.n_pairs if total > 0 else 1.0

    @cached_property
    def grid(self) -> NDArray[np.float64]:
        """Resolutions from the strongest similarity down, in units of the average."""
        graph, many = self.graph, self.is_many
        strongest = float(graph.values.max(initial=0.0))
        if self.is_corrected:
            row = np.repeat(graph.weight, np.diff(graph.indptr))
            ratio = graph.values / (row * graph.weight[graph.indices])
            strongest = float(np.quantile(ratio, TOP_QUANTILE))
        degree = 2.0 * self.description.total / max(int(np.count_nonzero(graph.weight)), 1)
        top = strongest * (min(TOP_OF_MANY / degree, TOP) if many and degree > 0 else TOP)
        top = max(top / self.average, 1.0)
        n_steps = self.n_steps
        if n_steps is None:
            n_steps = 1 + math.ceil(math.log(top / BOTTOM, RATIO_OF_MANY)) if many else STEPS
        grid = resolution_grid(top, BOTTOM, n_steps, n_steps if graph.grouped else MAX_STEPS)
        if self.resolution is None:
            return grid
        return np.unique(np.r_[grid, self.resolution])[::-1]

    @property
    def k(self) -> int:
        """Number of columns of U, one for each item."""
        return self.graph.n_items

    @property
    def is_many(self) -> bool:
        """Whether there are too many items to take pains everywhere."""
        return self.k >= MANY and not self.is_thorough

    def savings(self, labels: Sequence[Labels]) -> NDArray[np.float64]:
        """Return what each of several labelings saves."""
        return np.array(list(map(self.saving, labels)))

    def iterates(self) -> Iterator[coordinate.Iterate]:
        """Walk the sweep."""
        return coordinate.sweep(
            self.graph,
            self.grid * self.average,
            row_entries=self.row_entries or (ENTRIES_OF_MANY if self.is_many else ENTRIES),
            n_inner=self.n_inner,
            n_threads=self.n_threads,
        )

    def walk(self, callback: Callback | None) -> Path:
        """Walk the path: round, polish and describe at each step. Ctrl-C ends it where it is."""
        trail = _Trail(self)
        n_steps, is_whole = len(self.grid), True
        try:
            steps = zip(self.grid, self.iterates(), strict=True)
            for index, (resolution, iterate) in enumerate(steps):
                trail.add(iterate, float(resolution))
                if callback is not None:
                    callback(trail.step(index, n_steps))
                if trail.has_ended:
                    break
        except KeyboardInterrupt:
            is_whole = False
            if not trail.objectives:
                raise
        return trail.path(is_whole)

    def explore(
        self, callback: Callback | None, n_rounds: int = ROUNDS
    ) -> tuple[CoordinateRun, Path]:
        """Walk, and walk again with what the best labels teach, until they teach nothing new.

        Ctrl-C ends it; a later walk that it ends counts for nothing.
        """
        run, path = self, self.walk(callback)
        try:
            for learn in (CoordinateRun.weighed,) * n_rounds + (CoordinateRun.reweighted,):
                if not path.is_whole:
                    break
                again = learn(run, path.labels[pick_description(np.asarray(path.savings)).index])
                if again is None:
                    continue
                better = again.walk(callback)
                if not better.is_whole:
                    raise KeyboardInterrupt
                run, path = again, better
        except KeyboardInterrupt:
            path = replace(path, is_whole=False)
        return run, path

    def finish(self, path: Path, pick: Pick) -> Path:
        """Polish the labels of a chosen step whole; with few items, all steps are already.

        Nothing merges on the way with many, so that labels come to rest well before the step that
        describes best: those are polished at the first resolution where they are nearly as good,
        and only if they then describe better.
        """
        if not self.is_many:
            return path
        savings, index, at = np.asarray(path.savings), pick.index, pick.index
        is_described = pick.status == Status.DESCRIBED
        if is_described:
            at = int((savings >= NEARLY * savings[index]).argmax())
        gamma = self.average * float(path.resolutions[at])
        polished = Polisher(self.graph).polish(path.labels[index], gamma)
        if is_described and self.saving(polished) < savings[index]:
            return path
        return self._replaced(path, index, polished)

    def together(self, path: Path) -> Path:
        """Put the connected components at the last step."""
        return self._replaced(path, len(path.labels) - 1, kernels.components(self.graph))

    def between_valleys(
        self, path: Path, scales: NDArray[np.float64], callback: Callback | None
    ) -> tuple[Path, int]:
        """Put the labels with valleys all around at the step of the path with as many labels.

        Ctrl-C ends it; the labels are then chosen among the steps that were merged before.
        """
        steps, labelings = worth_merging(path.labels), []
        try:
            every = merged(self.graph, [path.labels[step] for step in steps], scales)
            for index, (at, labels) in enumerate(zip(steps, every, strict=True)):
                labelings.append(labels)
                if callback is not None:
                    curves = (path.alphas, path.etas, path.objectives)
                    alpha, eta, objective = (float(curve[at]) for curve in curves)
                    n_labels = int(labels.max()) + 1
                    callback(Step(index, len(steps), alpha, eta, objective, n_labels))
        except KeyboardInterrupt:
            if not labelings:
                raise
            path = replace(path, is_whole=False)
        labels = choose(labelings, self.saving)
        distance = np.abs(np.log(path.n_labels / (labels.max() + 1.0)))
        nearest = np.flatnonzero(distance == distance.min())
        index = int(nearest[len(nearest) // 2])
        return self._replaced(path, index, labels), index

    def saving(self, labels: Labels) -> float:
        """Return the nats that labels save."""
        return self.description.saving(labels, within(self.graph, labels, int(labels.max()) + 1))

    def _replaced(self, path: Path, index: int, labels: Labels) -> Path:
        """Return the path with other labels at one step."""
        inside = within(self.graph, labels, int(labels.max()) + 1)
        objectives, savings = path.objectives.copy(), np.array(path.savings)
        steps = list(path.labels)
        gamma = self.average * float(path.resolutions[index])
        objectives[index] = self.objective(labels, inside, gamma)
        savings[index] = self.description.saving(labels, inside)
        steps[index] = labels
        return replace(path, objectives=objectives, savings=savings, labels=tuple(steps))

    def objective(self, labels: Labels, inside: NDArray[np.float64], gamma: float) -> float:
        """Return the objective of labels, in units of the average similarity."""
        weight = self.graph.weight.astype(float)
        sums = np.bincount(labels, weights=weight)
        pairs = 0.5 * float(np.square(sums).sum() - np.square(weight).sum())
        return (float(inside.sum()) - gamma * pairs) / self.average

    def confidence(self, labels: Labels, alpha: float) -> NDArray[np.float64]:
        """Return how sure these labels are, item by item."""
        gamma = self.average * alpha / (1.0 - alpha)
        return confidence(self.graph, labels, int(labels.max()) + 1, gamma)

    def embedding(self, index: int) -> Any:
        """Replay the sweep down to a step and return its U, as CSR with a column per label."""
        rows = next(islice(self.iterates(), index, None)).rows
        r = rows.packed.shape[1] // 2
        item, entry = np.nonzero(rows.packed[:, :r] >= 0)
        columns, names = np.unique(rows.packed[item, entry], return_inverse=True)[::-1]
        return sp.csr_array(
            (rows.value[item, r + entry].astype(float), (item, columns)),
            shape=(self.graph.n_items, len(names)),
        )


def separate_groups(graph: Graph, labels: Labels) -> Labels:
    """Give labels of their own to all but the first item of a group that share one."""
    first = np.unique(labels * np.int64(graph.n_items) + graph.group(), return_index=True)[1]
    again = np.setdiff1d(np.arange(len(labels)), first)
    separated = labels.copy()
    separated[again] = np.setdiff1d(np.arange(len(labels)), labels)[: len(again)]
    return separated


class _Trail:
    """What a walk has left behind so far."""

    def __init__(self, run: CoordinateRun) -> None:
        graph = run.graph
        self.run = run
        self.resolutions: list[float] = []
        self.etas: list[float] = []
        self.objectives: list[float] = []
        self.savings: list[float] = []
        self.labels: list[Labels] = []
        self.relaxed: NDArray[np.int32] | None = None
        self.inside = np.zeros(0)
        self.polisher = Polisher(graph)
        self.n_components = 1 if graph.grouped else int(kernels.components(graph).max()) + 1

    def add(self, iterate: coordinate.Iterate, resolution: float) -> None:
        """Round and polish the rows of a step; where they hardly moved, go on from the labels."""
        run, gamma = self.run, iterate.resolution
        relaxed = kernels.round_rows(run.graph, iterate.rows)
        if self.relaxed is None or np.mean(relaxed != self.relaxed) > CHANGED:
            self.relaxed = relaxed
            polish = self.polisher.move if run.is_many else self.polisher.polish
            labels = polish(relaxed, gamma)
        else:
            labels = self.labels[-1] if run.is_many else self.polisher.lower(gamma)
        if self.labels and labels is self.labels[-1]:
            self.savings.append(self.savings[-1])
        else:
            self.inside = within(run.graph, labels, int(labels.max()) + 1)
            self.savings.append(run.description.saving(labels, self.inside))
        self.labels.append(labels)
        self.resolutions.append(resolution)
        self.etas.append(iterate.eta / run.average)
        self.objectives.append(run.objective(self.labels[-1], self.inside, gamma))

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can come that describes better."""
        run, resolution, savings = self.run, self.resolutions[-1], self.savings
        if run.resolution is not None and resolution > run.resolution:
            return False
        if run.is_many:
            recent = self.labels[-QUIET_STEPS:]
            rests = len(recent) == QUIET_STEPS and all(labels is recent[0] for labels in recent)
            return (rests and savings[-1] > 0) or resolution <= BOTTOM
        if run.graph.grouped or resolution > BOTTOM:
            return False
        worse = max(savings[-WORSE_STEPS:]) < max(savings) and max(savings) > 0
        is_over = int(self.labels[-1].max()) + 1 <= self.n_components
        return is_over or (worse and not run.is_thorough)

    def step(self, index: int, n_steps: int) -> Step:
        """Return the last step as a callback sees it."""
        g = self.resolutions[-1]
        n_labels = int(self.labels[-1].max()) + 1
        return Step(index, n_steps, g / (1 + g), self.etas[-1], self.objectives[-1], n_labels)

    def path(self, is_whole: bool) -> Path:
        """Return the trail as a path; a step that was interrupted is left out."""
        n_steps = len(self.objectives)
        resolutions = np.array(self.resolutions[:n_steps])
        return Path(
            alphas=resolutions / (1.0 + resolutions),
            etas=np.array(self.etas[:n_steps]),
            objectives=np.array(self.objectives),
            labels=tuple(self.labels[:n_steps]),
            savings=np.array(self.savings[:n_steps]),
            is_whole=is_whole,
        )
