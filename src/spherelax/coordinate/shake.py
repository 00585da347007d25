"""Iterated local search: shake labels, polish them, and keep them if they are better.

The local search is `polish_labels`, which ends where no single move or merge gains. A shake takes
the labels of a random share of the items away; each becomes a label of its own. Polishing then may
reach labels that no single move or merge reaches.
"""

from __future__ import annotations

import numpy as np

from spherelax.coordinate.model import Labeling, Model
from spherelax.coordinate.moves import polish_labels
from spherelax.coordinate.sampling.posterior import SEED
from spherelax.labels import separate

# Share of the items that lose their labels in one trial.
SHARE = 0.3
# Trials at most, and trials in a row without better labels after which there are no more.
TRIALS = 100
IN_VAIN = 30
# Labels that save more nats per item than this are clear, and not shaken: shaking takes time, and
# would gain only wrong matches that agree with each other.
CLEAR = 5.0


def shake_labels(model: Model, labels: Labeling, gamma: float) -> Labeling:
    """Return labels that save at least as much as the given ones, by iterated local search.

    Examples
    --------
    >>> from spherelax.coordinate.readings import recognize
    >>> from spherelax.problem import Problem
    >>> model = recognize(Problem.check(np.kron(np.eye(3), np.ones((4, 4)))))
    >>> joined = model.labeling(np.repeat(np.int32([0, 1]), [4, 8]))
    >>> shake_labels(model, joined, gamma=0.3).labels
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    """
    if labels.saving > CLEAR * model.graph.n_present():
        return labels
    rng = np.random.default_rng(SEED)
    best, n_in_vain = labels, 0
    present = np.flatnonzero(model.graph.weight)
    for _ in range(TRIALS):
        alone = np.zeros(model.graph.n_items, dtype=np.bool_)
        alone[present] = rng.random(len(present)) < SHARE
        found = model.labeling(polish_labels(model.graph, separate(best.labels, alone), gamma))
        n_in_vain += 1
        if found.saving > best.saving:
            best, n_in_vain = found, 0
        if n_in_vain == IN_VAIN:
            break
    return best
