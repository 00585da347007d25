"""What is solved: similarities by what they are worth, under a null model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate import neighbors
from spherelax.coordinate.description import PLAIN_RATE, Description, Likelihood, are_uneven
from spherelax.coordinate.evidence import Worth, by_rank
from spherelax.coordinate.graph import Graph, build_graph
from spherelax.coordinate.odds import likewise, log_odds, probabilities
from spherelax.coordinate.tally import within
from spherelax.labels import Labels, count_labels
from spherelax.problem import Problem


class Labeling(NamedTuple):
    """Labels with the summed similarity inside each of them, and the nats that they save."""

    labels: Labels
    inside: NDArray[np.float64]
    saving: float


@dataclass(frozen=True, eq=False)
class Model:
    """A graph, its null model, and what its similarities are worth.

    Attributes
    ----------
    given : Graph
        Similarities as given, in units of ``unit``.
    graph : Graph
        The same by what they are worth: what is walked.
    unit : float
        The largest similarity when the model was made.
    is_corrected : bool
        Whether the null model is corrected for degrees.
    worth : Worth or None
        What a similarity of each size is worth; None: itself.
    plain_average : float or None
        The average similarity before pairs of groups were weighted; None: they were not.
    right : ndarray or None
        Of each similarity, how likely its pair is right, where ``graph`` has log odds; else None.
    """

    given: Graph
    graph: Graph
    unit: float
    is_corrected: bool
    worth: Worth | None = None
    plain_average: float | None = None
    right: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, problem: Problem, *, sources: NDArray[np.intp] | None = None) -> Model:
        """Build the graph of a problem, and see what its similarities are.

        Scores of candidates and log odds become log odds. Else the degrees choose the null model;
        with groups it is always the plain one. ``sources`` is given if free items of one source may
        be copies of each other.

        Examples
        --------
        >>> problem = Problem.check(np.kron(np.eye(2), np.ones((3, 3))))
        >>> Model.of(problem).labeling(np.array([0, 0, 0, 1, 1, 1])).inside
        array([3., 3.])
        """
        unit = 1.0 if problem.kind == "odds" else float(problem.similarity.max())
        graph = build_graph(problem, unit)
        is_list = problem.kind == "pairs" or sp.issparse(problem.similarity)
        right = probabilities(graph, problem.kind, is_list=is_list, sources=sources)
        if right is not None:
            odds = graph if problem.kind == "odds" else log_odds(graph, right)
            return cls(graph, odds, unit, is_corrected=False, right=right)
        is_corrected = False
        if not graph.grouped:
            degrees = neighbors.degrees(graph)
            is_corrected = are_uneven(degrees[degrees > 0])
            if is_corrected:
                graph = graph._replace(weight=degrees.astype(np.float32))
        return cls.of_graph(graph, unit, is_corrected)

    @classmethod
    def of_graph(cls, graph: Graph, unit: float, is_corrected: bool) -> Model:
        """Begin with similarities by rank where their worth can be learnt, else as they are."""
        ranks = by_rank(graph)
        if ranks is None:
            return cls(graph, graph, unit, is_corrected)
        return cls(graph, ranks.applied(graph), unit, is_corrected, ranks)

    def with_worth(self, worth: Worth) -> Model:
        """Return the model whose similarities are worth something else."""
        return replace(self, graph=worth.applied(self.given), worth=worth)

    def with_weights(self, graph: Graph) -> Model:
        """Return the model whose pairs of groups are weighted as in a graph."""
        return replace(self, graph=graph, plain_average=self.average)

    @cached_property
    def description(self) -> Description | Likelihood:
        """What labels are to describe, or how likely they are."""
        if self.right is not None:
            total = 0.5 * float(np.maximum(self.graph.values, 0.0).sum(dtype=float))
            return Likelihood(total, self.graph.n_pairs())
        is_plain = not (self.is_corrected or self.graph.grouped)
        return Description(
            total=0.5 * float(self.graph.values.sum(dtype=float)),
            n_pairs=self.graph.n_pairs(),
            weight=self.graph.weight,
            is_corrected=self.is_corrected,
            rate=PLAIN_RATE if is_plain else 1.0,
            has_names=self.graph.grouped,
        )

    @property
    def average(self) -> float:
        """The mean similarity under the null model: the unit of resolutions."""
        total = self.description.total
        return total / self.description.n_pairs if total > 0 else 1.0

    def labeling(self, labels: Labels) -> Labeling:
        """Return labels with what is inside them and what they save."""
        inside = within(self.graph, labels, count_labels(labels))
        return Labeling(labels, inside, self.description.saving(labels, inside))

    def objective(self, labeling: Labeling, resolution: float) -> float:
        """Return the objective of labels at a resolution; both in units of the average."""
        weight = self.graph.weight.astype(float)
        sums = np.bincount(labeling.labels, weights=weight)
        pairs = 0.5 * float(np.square(sums).sum() - np.square(weight).sum())
        gamma = self.average * resolution
        return (float(labeling.inside.sum()) - gamma * pairs) / self.average


def extended(model: Model, problem: Problem) -> Model:
    """Return the model of a problem that has grown from the one of a model.

    Unit, null model and what similarities are worth stay; pairs of groups are not weighted.
    """
    given = build_graph(problem, model.unit)
    if problem.kind == "odds":
        return Model.of(problem)
    if model.right is not None:
        right = likewise(model.given, model.right, given)
        return Model(given, log_odds(given, right), model.unit, is_corrected=False, right=right)
    graph = given if model.worth is None else model.worth.applied(given)
    if model.is_corrected:
        graph = graph._replace(weight=neighbors.degrees(graph).astype(np.float32))
    return Model(given, graph, model.unit, model.is_corrected, model.worth)
