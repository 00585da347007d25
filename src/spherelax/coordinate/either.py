"""A list of candidates or a graph? Similarities of which nobody says it are solved as both.

In a graph, which pairs have a similarity says who belongs together. In a list of candidates that
says little, and scores do. So both are asked the same question: how much do the sizes of the
similarities tell of who shares a label? They are compared by rank, with the evidence that the graph
has for them (`spherelax.coordinate.worth.ranks`). The list is taken if sizes tell more of its
labels than of those of the graph, and most of what there is to tell. The other answer is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import entr

from spherelax.coordinate.graph import build_graph, draw, is_large
from spherelax.coordinate.lists import could_be_list
from spherelax.coordinate.model import Model
from spherelax.coordinate.readings import Listed
from spherelax.coordinate.worth import ALIKE, BlockModel, Blocks
from spherelax.labels import Labels, count_labels
from spherelax.metrics import pairwise_scores
from spherelax.problem import Problem
from spherelax.result import Outcome, Status

# Sizes tell this share of what there is to tell of who shares a label, at least; unless most pairs
# share one, so that being listed says most of it.
TOLD = 0.5
# A list that joins two sources, in which exclusion tells the rest, has this expected F, at least.
MATCHED = 2 / 3

Solve = Callable[..., Outcome]


def could_be_either(problem: Problem) -> bool:
    """Tell whether similarities may be those of a graph, or scores of a list of candidates.

    Dense matrices are graphs; with groups, labels tell what similarities are.

    Examples
    --------
    >>> could_be_either(Problem.check(np.ones((9, 9))))
    False
    """
    if problem.kind is not None or not sp.issparse(problem.similarity):
        return False
    graph = build_graph(problem)
    return not graph.grouped and could_be_list(graph)


def solve_either(problem: Problem, solve: Solve, pick: str | float) -> Outcome:
    """Solve a problem as a graph and as a list, and return the better answer; the other is named.

    Of a large problem a part is solved as both, and all of it as what the part is. Labels are
    compared as they describe best, whatever the ``pick``.
    """
    graph, part = build_graph(problem), problem
    if is_large(graph):
        part = problem.among(np.sort(graph.given[draw(graph).enough().items]))
    as_graph = solve(replace(part, kind="graph"), pick="description")
    if not as_graph.is_complete and part is problem:
        return as_graph
    as_list = solve(replace(part, kind="pairs"), pick="description")
    is_list = as_graph.is_complete and as_list.is_complete and _is_list(as_graph, as_list)
    found, other = (as_list, as_graph) if is_list else (as_graph, as_list)
    is_alike = pairwise_scores(found.labels, other.labels).f_score > ALIKE
    is_named = other.is_complete and other.status is not Status.NOISE and not is_alike
    n_other = round(count_labels(other.labels) * problem.n_items / part.n_items)
    if part is not problem or pick != "description":
        found = solve(replace(problem, kind=found.kind), pick=pick)
    if not is_named or found.alternative is not None or pick != "description":
        return found
    return replace(found, alternative=n_other)


def _is_list(as_graph: Outcome, as_list: Outcome) -> bool:
    """Tell whether sizes tell more of the labels of a list, and enough."""
    solved: Any = as_graph.solved
    if as_list.status is Status.NOISE or not isinstance(solved.model.description, BlockModel):
        return False
    of_list, of_graph = (_Told.of(solved.model, each.labels) for each in (as_list, as_graph))
    if of_list.nats < of_graph.nats:
        return False
    listed: Any = as_list.solved
    reading = listed.model.reading
    if isinstance(reading, Listed) and reading.foretold is None:
        return 2.0 * reading.scores.threshold >= MATCHED
    return of_list.inside >= 0.5 or of_list.share >= TOLD


class _Told(NamedTuple):
    """What sizes tell of labels.

    Attributes
    ----------
    nats : float
        How much likelier the order of the sizes is with labels than without.
    inside : float
        Share of the listed pairs that share a label.
    share : float
        What is told as a share of what there is to tell: which listed pairs share a label.
    """

    nats: float
    inside: float
    share: float

    @classmethod
    def of(cls, model: Model, labels: Labels) -> _Told:
        """Look at labels, in the order of the problem, by the model of a graph."""
        blocks, description = model.labeling(labels[model.graph.given]).account, model.description
        assert isinstance(blocks, Blocks)
        assert isinstance(description, BlockModel)
        nats, n_listed = description.log_ranks([blocks]), description.degrees.n_listed
        inside = blocks.listed / n_listed
        to_tell = n_listed * float(entr(inside) + entr(1.0 - inside))
        return cls(nats, inside, nats / to_tell if to_tell > 0.0 else 0.0)
