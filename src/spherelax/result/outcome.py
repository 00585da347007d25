"""What a solver returns: an outcome, and the solved problem that a result asks back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.judgements import Judgements
from spherelax.labels import Labels
from spherelax.result.explanation import Explanation
from spherelax.result.findings import Duplicates, EntityProbability
from spherelax.result.path import SweepPath, nearest_step
from spherelax.result.questions import Drawn
from spherelax.result.reading import Reading
from spherelax.result.status import Status


class Kept(NamedTuple):
    """Labels that keep judgements, the step they belong to, and whether the level is settled.

    ``solved`` is the solved problem that knows the judgements.
    """

    labels: Labels
    at: int
    is_settled: bool
    solved: Solved


class Solved(Protocol):
    """The solved problem, from which a result computes more about a step when it is asked."""

    @property
    def max_labels(self) -> int:
        """The upper bound on the number of labels in the sweep."""

    def confidence(self, labels: NDArray[np.int32], alpha: float) -> NDArray[np.float64]:
        """Return the confidence of each item in its label, from 0 to 1."""

    @property
    def is_probability(self) -> bool:
        """Whether confidence is the probability that labels are right."""

    def entity_probability(self, labels: NDArray[np.int32]) -> EntityProbability | None:
        """Return how likely each label is pure, and whole; None if that is not known."""

    def pair_probability(self, labels: NDArray[np.int32]) -> NDArray[np.float64] | None:
        """Return how likely each pair inside labels is right, label by label; None: unknown."""

    def match_probability(self) -> Any:
        """Return how likely each listed pair is right, as CSR; None if that was not learnt."""

    def tied(self) -> float | None:
        """Return the share of the right pairs that have the same score; None if it is not known."""

    def link(self, labels: Labels, n_labels: int) -> Labels | None:
        """Merge labels down to a number, as far as they touch; None if that cannot be done."""

    def duplicates(self) -> tuple[Duplicates, ...] | None:
        """Return for each group how many items are copies; None if that was not estimated."""

    def keep_judgements(
        self, steps: Sequence[Labels], at: int, other: int | None, judged: Judgements
    ) -> Kept:
        """Return labels that keep judgements; ``other`` is the step of another answer."""

    def explain(
        self, labels: NDArray[np.int32], alpha: float, one: int, other: int | None
    ) -> Explanation:
        """Explain two items or, without the other, the label of one."""

    def draw(self, steps: Sequence[Labels], at: int) -> Drawn:
        """Draw labels from the posterior; arguments are those of `keep_judgements`."""

    def known(self) -> Any:
        """Return what must be known to extend a result; None if it cannot be extended."""

    def similarities(self, kind: str) -> Any:
        """Return the similarities as a problem of a kind; raise an error if they are not there."""

    def embedding(self, index: int) -> Any:
        """Return the matrix U at a step: how strongly each item belongs to each label."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver returns: labels, where they come from, and the solved problem.

    ``index`` is the step of the path that the labels come from, None if they come from none.
    ``right`` and ``left`` are the steps of the maxima of eta around it, None if there are none.
    ``alternative`` is the number of labels of another answer that is about as good, or None.
    ``kind`` and ``reading`` say what the similarities were taken for, and what was done with them.
    """

    labels: Labels
    alpha: float
    index: int | None
    status: Status
    is_complete: bool
    path: SweepPath
    solved: Solved
    right: int | None = None
    left: int | None = None
    alternative: int | None = None
    kind: str = "graph"
    reading: Reading = Reading.PLAIN

    def picked_path(self) -> SweepPath:
        """Return the path with the labels of the outcome at the step that they belong to."""
        path = self.path
        resolution = self.alpha / (1.0 - self.alpha)
        at = nearest_step(path, resolution) if self.index is None else self.index
        return replace(
            path,
            labels=(*path.labels[:at], self.labels, *path.labels[at + 1 :]),
            picked=at,
            joined=at if self.index is None else None,
            maxima=(self.right, self.left),
            max_labels=self.solved.max_labels,
        )
