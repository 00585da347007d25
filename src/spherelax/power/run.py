"""The paper's solver from a problem to labels: it calls the other modules in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from spherelax.errors import InvalidInputError
from spherelax.labels import Labels, count_labels, separate
from spherelax.metrics import modularity
from spherelax.pick import pick_step
from spherelax.power.confidence import label_confidence
from spherelax.power.rebalance import Rebalanced, rebalance
from spherelax.power.rounding import rounding
from spherelax.power.sweep import Iterate, alpha_grid, n_columns, sweep, worth_threads
from spherelax.problem import Problem
from spherelax.result import Callback, Outcome, Step, SweepPath
from spherelax.settings import Power

# All rows count as equal if the objective differs from that of equal rows by less, relative to it.
MERGED = 1e-9


def run(
    problem: Problem,
    settings: Power,
    pick: str | float,
    *,
    saving: Callable[[Labels], float] | None,
    n_threads: int | None,
    callback: Callback | None,
) -> Outcome:
    """Solve at every alpha and choose a step.

    ``saving`` returns the saving of labels, None if the pick does not need it. Ctrl-C ends the
    sweep; the path then has the steps that were done.
    """
    solved = PowerSolved(
        problem=problem,
        settings=settings,
        max_labels=n_columns(problem, settings.max_labels),
        rebalanced=rebalance(problem.similarity, problem.present, settings.kappa),
        alphas=alpha_grid(settings.alpha_step),
        n_threads=n_threads,
    )
    path = _sweep_path(solved, saving, callback)
    equal_rows = solved.rebalanced.merged_objectives(path.alphas)
    picked = pick_step(
        path,
        pick,
        merged=np.isclose(path.objectives, equal_rows, rtol=MERGED, atol=0.0),
        score=partial(modularity, problem.similarity),
        eta_floor=settings.eta_floor,
    )
    return Outcome(
        labels=path.labels[picked.index],
        alpha=float(path.alphas[picked.index]),
        index=picked.index,
        status=picked.status,
        is_complete=path.is_complete,
        path=path,
        solved=solved,
        right=picked.right,
        left=picked.left,
    )


@dataclass(frozen=True, eq=False)
class PowerSolved:
    """The solved problem: normalised similarities and settings, to compute more when asked."""

    problem: Problem
    settings: Power
    max_labels: int
    rebalanced: Rebalanced
    alphas: NDArray[np.float64]
    n_threads: int | None

    def iterates(self) -> Iterator[Iterate]:
        """Yield the steps of the sweep; several threads are used only if products are large."""
        n_threads = self.n_threads if worth_threads(self.rebalanced, self.max_labels) else 1
        with threadpool_limits(n_threads, user_api="blas"):
            yield from sweep(
                self.rebalanced,
                self.alphas,
                k=self.max_labels,
                n_inner=self.settings.n_inner,
                delta_margin=self.settings.delta_margin,
            )

    def confidence(self, labels: Labels, alpha: float) -> NDArray[np.float64]:
        """Return the confidence of each item; 1 for items that are similar to no other."""
        confidence = np.ones(self.problem.n_items)
        present = self.problem.present
        confidence[present] = label_confidence(self.rebalanced, labels[present], alpha)
        confidence[self.problem.isolated] = 1.0
        return confidence

    @property
    def is_probability(self) -> bool:
        """Whether it is known how likely labels are right: it is not."""
        return False

    def entity_probability(self, labels: Labels) -> None:
        """Return None: nothing is known of how likely labels are right."""

    def pair_probability(self, labels: Labels) -> None:
        """Return None: nothing is known of how likely pairs are right."""

    def match_probability(self) -> None:
        """Return None: this solver takes similarities for a graph."""

    def tied(self) -> None:
        """Return None: this solver takes similarities for a graph."""

    def link(self, labels: Labels, n_labels: int) -> None:
        """Return None: this solver merges labels in its sweep only."""

    def duplicates(self) -> None:
        """Return None: this solver does not look for copies."""

    def keep_judgements(self, *_: object) -> NoReturn:
        """Refuse judgements."""
        raise InvalidInputError(
            "judgements need a result of the coordinate solver; found one of the power solver"
        )

    def explain(self, *_: object) -> NoReturn:
        """Refuse to explain: labels come from rows of U, not from what single pairs are worth."""
        raise InvalidInputError(
            "explain needs a result of the coordinate solver; found one of the power solver"
        )

    def draw(self, *_: object) -> NoReturn:
        """Refuse questions."""
        raise InvalidInputError(
            "questions need a result of the coordinate solver; found one of the power solver"
        )

    def known(self) -> None:
        """Return None: results of this solver are not extended."""

    def similarities(self, kind: str) -> NoReturn:  # noqa: ARG002 (of the face)
        """Refuse to forget items."""
        raise InvalidInputError(
            "forget needs a result of the coordinate solver; found one of the power solver"
        )

    def embedding(self, index: int) -> NDArray[np.float64]:
        """Run the sweep up to a step and return its U."""
        U = np.zeros((self.problem.n_items, self.max_labels))
        U[self.problem.present] = next(islice(self.iterates(), index, None)).U
        return U


def _sweep_path(
    solved: PowerSolved, saving: Callable[[Labels], float] | None, callback: Callback | None
) -> SweepPath:
    """Run the sweep, turn the rows of each step into labels, and return the path."""
    problem, alphas = solved.problem, solved.alphas
    present, groups = problem.present, problem.groups
    round_rows = rounding(None if groups is None else groups[present])
    etas, objectives, labels = [], [], []
    try:
        for index, (alpha, eta, objective, U) in enumerate(solved.iterates()):
            of_all = np.zeros(problem.n_items, dtype=np.int32)
            of_all[present] = round_rows(U)
            # Paper: where k < m, items that are similar to no other would share a column.
            labels.append(separate(of_all, problem.isolated))
            etas.append(eta)
            objectives.append(objective)
            if callback is not None:
                n_labels = count_labels(labels[-1])
                callback(Step(index, len(alphas), alpha, eta, objective, n_labels))
    except KeyboardInterrupt:
        if not objectives:
            raise
    n_steps = len(objectives)
    return SweepPath(
        alphas=alphas[:n_steps],
        etas=np.array(etas[:n_steps]),
        objectives=np.array(objectives),
        labels=tuple(labels[:n_steps]),
        savings=None if saving is None else np.array([*map(saving, labels[:n_steps])]),
        is_complete=n_steps == len(alphas),
    )
