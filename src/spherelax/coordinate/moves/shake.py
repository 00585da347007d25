"""Iterated local search: shake labels, polish them, and keep them if they are better.

The local search is `polish_labels`, which ends where no single move or merge gains. A shake takes
the labels of a random share of the items away; each becomes a label of its own. Polishing then may
reach labels that no single move or merge reaches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.graph.hashing import SEED
from spherelax.coordinate.moves.polish import polish_labels
from spherelax.labels import Labels, separate

# Share of the items that lose their labels in one trial.
SHARE = 0.3
# Trials at most, and trials in a row without better labels after which there are no more.
TRIALS = 100
IN_VAIN = 30
# Labels that save more nats per item than this are clear, and not shaken: shaking takes time, and
# would gain only wrong matches that agree with each other.
CLEAR = 5.0


def shake_labels(
    graph: Graph, labels: Labels, gamma: float, saving: Callable[[Labels], float]
) -> Labels:
    """Return labels that save at least as much as the given ones, by iterated local search.

    ``saving`` tells how many nats labels save.

    Examples
    --------
    >>> from spherelax.coordinate.readings import read_problem
    >>> from spherelax.problem import Problem
    >>> model = read_problem(Problem.check(np.kron(np.eye(3), np.ones((4, 4)))))
    >>> joined = np.repeat(np.int32([0, 1]), [4, 8])
    >>> shake_labels(model.graph, joined, 0.3, lambda labels: model.labeling(labels).saving)
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """
    best, most, n_in_vain = labels, saving(labels), 0
    if most > CLEAR * graph.n_present():
        return labels
    rng, present = np.random.default_rng(SEED), np.flatnonzero(graph.weight)
    for _ in range(TRIALS):
        alone = np.zeros(graph.n_items, dtype=np.bool_)
        alone[present] = rng.random(len(present)) < SHARE
        found = polish_labels(graph, separate(best, alone), gamma)
        saved = saving(found)
        n_in_vain += 1
        if saved > most:
            best, most, n_in_vain = found, saved, 0
        if n_in_vain == IN_VAIN:
            break
    return best
