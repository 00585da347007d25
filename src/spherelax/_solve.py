"""The wiring: problem, sweep, rounding, pick, result."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from spherelax.confidence import label_confidence
from spherelax.metrics import modularity
from spherelax.pick import pick_valley
from spherelax.problem import InvalidInputError, Problem, check_settings
from spherelax.rebalance import Rebalanced, rebalance
from spherelax.result import Callback, Path, Result, SphereWarning, Status, Step
from spherelax.rounding import Labels, rounding, separate
from spherelax.schedule import alpha_grid
from spherelax.solvers import power

SOLVERS = ("power",)
# Relative difference of an objective from that of equal rows below which all rows are equal.
MERGED = 1e-9


def solve(
    similarity: Any,
    groups: Iterable[Hashable] | None = None,
    *,
    solver: str = "power",
    max_universe: int | None = None,
    alpha_step: float = 0.01,
    n_inner: int = 20,
    delta_margin: float = 0.0,
    kappa: float = 0.01,
    eta_floor: float = 1e-9,
    callback: Callback | None = None,
) -> Result:
    """Label items so that similar ones share a label, without being told how many labels.

    For alpha from 1 down to 0, improve ``U`` towards the maximum of ::

        g(U) = (1 - alpha) tr(U^T W U) - alpha tr(U^T 1 1^T U)

    over ``U >= 0`` with rows of unit length, where ``W`` is the rebalanced similarity. Large alpha
    keeps items apart, small alpha pulls them together; the alpha at which the iteration comes to
    rest in between is where the structure is.

    Parameters
    ----------
    similarity : array-like or sparse matrix of shape (n_items, n_items)
        Symmetric and non-negative; W of the paper. Larger is more similar, zero is unrelated.
    groups : sequence of n_items hashable labels, optional
        The object that each item belongs to, in any order; items of one group never share a
        label. None puts no constraint on the labels.
    solver : {"power"}
        "power" is the paper's method: conditional power iterations.
    max_universe : int, optional
        Upper bound on the number of labels, k of the paper. None takes one that is loose for the
        input; ``result.max_universe`` says which. Items that are similar to nothing do not count.
    alpha_step : float
        Distance of the alphas, epsilon_alpha of the paper.
    n_inner : int
        Power iterations at each alpha, N of the paper.
    delta_margin : float
        Added to the smallest delta that makes V positive semidefinite, epsilon_eta of the paper.
    kappa : float
        Shift added to the rebalanced similarity: where alpha / (1 - alpha) is below it, items
        attract each other even without any similarity.
    eta_floor : float
        Values of eta below this share of the largest count as zero; 0 is the printed algorithm.
    callback : callable, optional
        Called with a :class:`Step` after each alpha.

    Returns
    -------
    Result
        Labels, confidence, a status sentence, and the whole path.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 5, 0, 1], [5, 0, 0, 0], [0, 0, 0, 4], [1, 0, 4, 0]]
    >>> sl.solve(W).labels
    array([0, 0, 1, 1], dtype=int32)
    """
    if solver not in SOLVERS:
        raise InvalidInputError(f"solver must be one of {', '.join(SOLVERS)}; found {solver!r}")
    check_settings(
        alpha_step=alpha_step,
        n_inner=n_inner,
        delta_margin=delta_margin,
        kappa=kappa,
        eta_floor=eta_floor,
    )
    problem = Problem.check(similarity, groups)
    run = _PowerRun(
        problem=problem,
        k=power.n_columns(problem, max_universe),
        rebalanced=rebalance(problem.similarity, problem.present, kappa),
        alphas=alpha_grid(alpha_step),
        n_inner=n_inner,
        delta_margin=delta_margin,
    )
    path = run.walk(callback)
    equal_rows = run.rebalanced.merged_objectives(run.alphas)
    merged = np.isclose(path.objectives, equal_rows, rtol=MERGED, atol=0.0)
    pick = pick_valley(path, merged, partial(modularity, problem.similarity), eta_floor)
    status = Status.ISOLATED if problem.isolated.all() else pick.status
    if status.is_odd:
        warnings.warn(status, SphereWarning, stacklevel=2)
    labels, alpha = path.labels[pick.index], float(path.alphas[pick.index])
    return Result(
        labels=labels,
        alpha=alpha,
        status=status,
        confidence=run.confidence(labels, alpha),
        path=path,
        index=pick.index,
        right=pick.right,
        left=pick.left,
        max_universe=run.k,
        source=run,
    )


@dataclass(frozen=True, eq=False)
class _PowerRun:
    """A problem with the settings of the power solver: walks the path, answers questions on it."""

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
        """Walk the whole path, keeping the curves and the labels of each step."""
        n_steps, present, isolated = len(self.alphas), self.problem.present, self.problem.isolated
        groups = self.problem.groups
        round_rows = rounding(None if groups is None else groups[present])
        etas, objectives = np.empty(n_steps), np.empty(n_steps)
        labels = np.zeros((n_steps, self.problem.n_items), dtype=np.int32)
        for index, (alpha, eta, objective, U) in enumerate(self.iterates()):
            etas[index], objectives[index] = eta, objective
            labels[index, present] = round_rows(U)
            labels[index] = separate(labels[index], isolated)
            if callback is not None:
                n_labels = int(labels[index].max()) + 1
                callback(Step(index, n_steps, alpha, eta, objective, n_labels))
        return Path(self.alphas, etas, objectives, labels)

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
