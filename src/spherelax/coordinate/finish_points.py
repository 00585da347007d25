"""The labels of points and neighbour graphs: between valleys of density, or with thin borders.

How many of their edges patches of the graph lose (`PatchLaw.loss`) says which of both is asked. In
few dimensions it is valleys alone. In many dimensions neighbours are far away, so that edges bridge
valleys: borders are compared first, and valleys have the last word if borders show no clusters.

With few items, labels come from the path that was walked. Many items are first contracted to
cells, whose own path is walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Contraction, Graph, components, contract
from spherelax.coordinate.model import Model
from spherelax.coordinate.points import (
    MOST_CELLS,
    N_CELLS,
    SHALLOW,
    WIDE,
    Field,
    PatchLaw,
    Softness,
    Unseen,
    Valleys,
    choose,
    steps_to_merge,
)
from spherelax.coordinate.readings import Measured
from spherelax.coordinate.run import Walked, walk
from spherelax.coordinate.sampling import Rivals
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import find_alternative, find_frequent_alternative
from spherelax.labels import Labels, count_labels
from spherelax.result import Callback, Status, Step, SweepPath

Floats = NDArray[np.float64]


class Finished(NamedTuple):
    """Labels in the order of the graph, the step that they are judged at, and how they were found.

    ``is_step`` tells whether labels come from that step, ``is_complete`` whether nothing was
    interrupted. ``unseen`` is what is known of things that nothing separates, if there may be any;
    ``alternative`` the number of labels of another answer that is about as good.
    """

    labels: Labels
    at: int
    status: Status
    is_step: bool = True
    is_complete: bool = True
    unseen: Unseen | Rivals | None = None
    alternative: int | None = None


def finish_points(
    learnt: Walked, route: Route, scales: Floats | None, callback: Callback | None
) -> Finished:
    """Return the labels of points; ``scales`` are their distances to their neighbours.

    None: they are not known, as in a neighbour graph that somebody else made. In wide graphs edges
    bridge valleys, so that borders tell more; but long clouds have thin borders wherever they are
    cut, so that a shallow valley is asked for as well, where distances are known. A neighbour graph
    without borders and valleys may be one cloud, or noise.
    """
    points = _Points(learnt, route, callback, scales)
    is_wide = scales is None or points.items.law.loss > WIDE
    found = (_between_borders(points) if is_wide else None) or _between_valleys(points)
    if scales is None and found.status is Status.CLOUD:
        return join_components(learnt)._replace(unseen=found.unseen)
    return found


def join_components(learnt: Walked) -> Finished:
    """Return one label for all that is connected, which may be noise or one cluster."""
    graph = learnt.model.graph
    labels = components(graph.indptr, graph.indices, graph.group)
    last = len(learnt.path.labels) - 1
    return Finished(labels, last, Status.NOISE, is_step=False, unseen=Unseen())


def _between_valleys(points: _Points) -> Finished:
    """Return the labels with valleys all around.

    Ctrl-C ends it; the labels are then chosen among the steps that were merged before.
    """
    cells, model = points.cells(N_CELLS), points.learnt.model
    path, steps, labelings = cells.path, cells.steps_to_merge, []
    is_complete = True
    try:
        merged = cells.valleys.merge(path.labels[step] for step in steps)
        for index, (at, labels) in enumerate(zip(steps, merged, strict=True)):
            labelings.append(labels)
            if points.callback is not None:
                curves = (path.alphas, path.etas, path.objectives)
                alpha, eta, objective = (float(curve[at]) for curve in curves)
                step = Step(index, len(steps), alpha, eta, objective, count_labels(labels))
                points.callback(step)
    except KeyboardInterrupt:
        if not labelings:
            raise
        is_complete = False
    chosen = choose(labelings, lambda labels: model.labeling(labels[cells.of_item]).saving)
    is_one = count_labels(chosen) <= cells.n_isolated + 1
    found = points.finish(Status.CLOUD if is_one else Status.VALLEYS, cells, chosen)
    alternative = find_frequent_alternative(labelings, chosen)
    return found._replace(is_complete=is_complete, alternative=alternative)


def _between_borders(points: _Points) -> Finished | None:
    """Return the labels with the thinnest borders, by the law of patches; None: one cloud.

    If distances are known, labels without even a shallow valley between them are merged.
    """
    cells = points.cells(MOST_CELLS)
    at = cells.law.clearest()
    if at is None:
        return None
    labels = cells.path.labels[at]
    if points.scales is not None:
        labels = next(cells.valleys.merge([labels], deepest=SHALLOW))
        if count_labels(labels) == 1:
            return None
    found = points.finish(Status.BORDERS, cells, labels)
    alternative = find_alternative(cells.labelings, cells.law.evidence, found.labels)
    return found._replace(alternative=alternative)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of the items of a graph, the path of their labels, and what lies between labels.

    ``of_item`` is the cell of each item. Edges are weighed by ``scales``, distances of points to
    their neighbours; None: all are the same. ``contractions`` are the steps from the graph of items
    to that of cells; there are none if each item is a cell.
    """

    graph: Graph
    path: SweepPath
    of_item: Labels
    scales: Floats | None
    contractions: tuple[Contraction, ...] = ()

    @cached_property
    def n_isolated(self) -> int:
        """Number of items that are similar to nothing; each is a cell and a label."""
        return self.graph.n_items - self.graph.n_present()

    @cached_property
    def labelings(self) -> Sequence[Labels]:
        """Labels of the items at each step."""
        if not self.contractions:
            return self.path.labels
        return [labels[self.of_item] for labels in self.path.labels]

    @cached_property
    def law(self) -> PatchLaw:
        """The law of patches that the labels show."""
        return PatchLaw.of(
            self.graph, self.labelings, n_cells=len(self.path.labels[0]) - self.n_isolated
        )

    @cached_property
    def valleys(self) -> Valleys:
        """The valleys between labels of cells; the noise is that of the finest labels."""
        even = np.ones(self.graph.n_items)
        field = Field.of(self.graph, even if self.scales is None else self.scales)
        for contraction in self.contractions:
            field = field.contract(contraction)
        return Valleys(field, self.path.labels[self.steps_to_merge[0]])

    @cached_property
    def steps_to_merge(self) -> list[int]:
        """Steps of the path whose labels are merged across shallow valleys."""
        return steps_to_merge(self.path.labels, self.n_isolated)


@dataclass(frozen=True, eq=False)
class _Points:
    """Points, or a neighbour graph, whose path is known, and how cells are walked.

    ``scales`` are the distances of points to their neighbours; None: they are not known.
    """

    learnt: Walked
    route: Route
    callback: Callback | None
    scales: Floats | None = None

    @cached_property
    def items(self) -> _Cells:
        """Each item as a cell."""
        graph = self.learnt.model.graph
        alone = np.arange(graph.n_items, dtype=np.int32)
        return _Cells(graph, self.learnt.path, alone, self.scales)

    def cells(self, most_cells: int) -> _Cells:
        """Return the cells of items.

        With few items each is a cell. With many, cells are the finest labels of the path that are
        few enough; if none are, its last labels are walked in the same way.
        """
        found, graph = self.items, self.items.graph
        is_over = not self.route.has_many(self.learnt.model)
        while not is_over:
            n_before = graph.n_items
            is_few = found.path.n_labels - found.n_isolated <= most_cells
            labels = found.path.labels[int(is_few.argmax()) if is_few.any() else -1]
            contraction = contract(graph, labels)
            graph = contraction.graph
            is_over = bool(is_few.any()) or graph.n_items == n_before
            # Cells differ in size as items do in degree: both are weights of the null model.
            model = Model(graph, graph, Measured(is_corrected=len(graph.values) > 0))
            path = walk(model, self.route._replace(is_thorough=is_over), self.callback).path()
            found = replace(
                found,
                path=path,
                of_item=labels[found.of_item],
                contractions=(*found.contractions, contraction),
            )
        return found

    def finish(self, status: Status, cells: _Cells, labels: Labels) -> Finished:
        """Return labels of cells as labels of items, judged at the step with as many labels.

        Of several steps whose number of labels is nearest it is the middle one.
        """
        n_labels = count_labels(labels) - cells.n_isolated
        n_of_steps = self.learnt.path.n_labels - cells.n_isolated
        distance = np.abs(np.log(np.maximum(n_of_steps, 1) / max(n_labels, 1)))
        nearest = np.flatnonzero(distance == distance.min())
        at = int(nearest[len(nearest) // 2])
        unseen = self.unseen(cells, labels)
        return Finished(labels[cells.of_item], at, status, is_step=False, unseen=unseen)

    def unseen(self, cells: _Cells, labels: Labels) -> Unseen:
        """Return what valleys between labels of cells say of what is not seen."""
        model, softness = self.learnt.model, None
        if self.scales is not None:
            softness = Softness.of(model.graph, model.reading.unit, self.scales)
        return Unseen(partial(cells.valleys.between, labels), labels[cells.of_item], softness)
