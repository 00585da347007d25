"""A problem with the settings of the power solver: walks the path, answers questions on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from spherelax.confidence import label_confidence
from spherelax.problem import Problem
from spherelax.rebalance import Rebalanced
from spherelax.result import Callback, Path, Step
from spherelax.rounding import Labels, rounding, separate
from spherelax.solvers import power

# Relative difference of an objective from that of equal rows below which all rows are equal.
MERGED = 1e-9


@dataclass(frozen=True, eq=False)
class PowerRun:
    """The paper's sweep of one problem."""

    problem: Problem
    k: int
    rebalanced: Rebalanced
    alphas: NDArray[np.float64]
    n_inner: int
    delta_margin: float

    def iterates(self) -> Iterator[power.Iterate]:
        """Walk the sweep, with as many threads as its products are worth."""
        with threadpool_limits(power.n_threads(self.rebalanced, self.k), user_api="blas"):
            yield from power.sweep(
                self.rebalanced,
                self.alphas,
                k=self.k,
                n_inner=self.n_inner,
                delta_margin=self.delta_margin,
            )

    def walk(self, callback: Callback | None) -> Path:
        """Walk the whole path, keeping the curves and the labels of each step.

        Ctrl-C ends the walk; the path is as long as it came.
        """
        present, isolated = self.problem.present, self.problem.isolated
        groups = self.problem.groups
        round_rows = rounding(None if groups is None else groups[present])
        etas, objectives, labels = [], [], []
        try:
            for index, (alpha, eta, objective, U) in enumerate(self.iterates()):
                step = np.zeros(self.problem.n_items, dtype=np.int32)
                step[present] = round_rows(U)
                labels.append(separate(step, isolated))
                etas.append(eta)
                objectives.append(objective)
                if callback is not None:
                    n_labels = int(labels[-1].max()) + 1
                    callback(Step(index, len(self.alphas), alpha, eta, objective, n_labels))
        except KeyboardInterrupt:
            if not objectives:
                raise
        n_steps = len(objectives)
        return Path(
            alphas=self.alphas[:n_steps],
            etas=np.array(etas[:n_steps]),
            objectives=np.array(objectives),
            labels=tuple(labels[:n_steps]),
            is_whole=n_steps == len(self.alphas),
        )

    def merged(self, path: Path) -> NDArray[np.bool_]:
        """Tell at which steps all rows of U were equal."""
        equal_rows = self.rebalanced.merged_objectives(path.alphas)
        return np.isclose(path.objectives, equal_rows, rtol=MERGED, atol=0.0)

    def confidence(self, labels: Labels, alpha: float) -> NDArray[np.float64]:
        """Return how sure these labels are; items similar to nothing are sure of theirs."""
        confidence = np.ones(self.problem.n_items)
        present = self.problem.present
        confidence[present] = label_confidence(self.rebalanced, labels[present], alpha)
        confidence[self.problem.isolated] = 1.0
        return confidence

    def embedding(self, index: int) -> NDArray[np.float64]:
        """Replay the sweep down to a step and return its U."""
        U = np.zeros((self.problem.n_items, self.k))
        U[self.problem.present] = next(islice(self.iterates(), index, None)).U
        return U
