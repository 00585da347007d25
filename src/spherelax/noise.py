"""Whether labels say more about similarities than could be said about noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spherelax.coordinate_run import CoordinateRun
from spherelax.result import Path
from spherelax.surrogate import shuffled

# Savings below so many nats an item may be those of noise: similarities joined at random are
# described as well, and the real ones must save so many times as much or, with groups, where
# labels may cost more than they save, so many nats an item more.
DOUBTFUL = 0.7
BEYOND_NOISE = 1.5
ABOVE_NOISE = 0.15
FEW = 20
N_SURROGATES = 3  # of many items, one is like the other


def is_noise(run: CoordinateRun, path: Path) -> bool:
    """Tell whether similarities joined at random are described nearly as well.

    Nobody can tell that of two groups, whose matches are always consistent, or of a few items.
    """
    graph = run.graph
    n_items = int(np.count_nonzero(graph.weight))
    if graph.grouped and (len(graph.unit_ptr) <= 3 or n_items < FEW):
        return False
    saving = float(np.asarray(path.savings).max())
    if saving >= DOUBTFUL * n_items:
        return False
    n_surrogates = 1 if run.is_many else N_SURROGATES
    level = max(_saving_at_random(run, seed) for seed in range(n_surrogates))
    if graph.grouped:
        return saving <= level + ABOVE_NOISE * n_items
    return saving <= BEYOND_NOISE * max(level, 0.0)


def _saving_at_random(run: CoordinateRun, seed: int) -> float:
    """Return what the best labels save if the similarities join other items.

    Learning once what they are worth is enough: with more rounds, noise saves less.
    """
    if run.unweighed is None:
        path = replace(run, graph=shuffled(run.graph, run.is_corrected, seed)).walk(None)
    else:
        graph = shuffled(run.unweighed, run.is_corrected, seed)
        path = replace(run, unweighted_average=None).begun(graph).explore(None, n_rounds=1)[1]
    if not path.is_whole:
        raise KeyboardInterrupt
    return float(np.asarray(path.savings).max())
