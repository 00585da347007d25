"""What is solved: similarities by what they are worth, under a null model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.graph import neighbors
from spherelax.coordinate.graph.account import UNIT, Account, Totals, whole
from spherelax.coordinate.graph.graph import Graph, background, build_graph, largest
from spherelax.coordinate.graph.tally import within
from spherelax.coordinate.lists.odds import (
    Scores,
    judge_odds,
    judge_right,
    learn_scores,
    log_odds,
    odds_of_information,
    predict_right,
    teaches,
    wedges_of_list,
)
from spherelax.coordinate.sampling.posterior import Judged
from spherelax.coordinate.worth.description import (
    PLAIN_RATE,
    Description,
    Likelihood,
    account_of,
    are_uneven,
    names_of_matches,
)
from spherelax.coordinate.worth.evidence import Worth, by_rank, by_surprise
from spherelax.coordinate.worth.strata import Strata
from spherelax.labels import Labels, count_labels
from spherelax.problem import NATS, Problem


class Labeling(NamedTuple):
    """Labels, what they amount to, and the nats that they save."""

    labels: Labels
    account: Account
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
        The largest similarity, outside groups, when the model was made; 1 where they are nats.
    is_corrected : bool
        Whether the null model is corrected for degrees.
    worth : Worth or None
        What a similarity of each size is worth; None: itself.
    strata : Strata or None
        Similarities by their order, where labels describe that too; None: they are not described.
    floor : float
        Similarities up to this one are not described.
    plain_average : float or None
        The average similarity before pairs of groups were weighted; None: they were not.
    judged : Judged or None
        Of each similarity, how likely its pair is right, where ``graph`` has log odds; else None.
    is_stated : bool
        Whether these log odds are those of somebody's model, and not learnt.
    scores : Scores or None
        What a list taught of its scores, where the log odds were learnt.
    totals_given : Totals or None
        Totals of the problem that the graph is a part of; None: it is the whole.
    """

    given: Graph
    graph: Graph
    unit: float
    is_corrected: bool
    worth: Worth | None = None
    strata: Strata | None = None
    floor: float = 0.0
    plain_average: float | None = None
    judged: Judged | None = None
    is_stated: bool = False
    scores: Scores | None = None
    totals_given: Totals | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        *,
        is_metric: bool = False,
        sources: NDArray[np.int32] | None = None,
    ) -> Model:
        """Build the graph of a problem, and see what its similarities are.

        Scores of candidates and log odds become log odds. Else only the order of the similarities
        counts, unless ``is_metric`` says that their sizes do; the degrees choose the null model,
        and with groups it is always the plain one. ``sources`` is given if free items of one source
        may be copies of each other.

        Examples
        --------
        >>> problem = Problem.check(np.kron(np.eye(2), np.ones((3, 3))))
        >>> Model.of(problem).labeling(np.array([0, 0, 0, 1, 1, 1])).account.pairs
        6.0
        """
        unit = unit_of(problem)
        graph = build_graph(problem, unit)
        return cls.seen(problem, graph, unit, is_metric=is_metric, sources=sources)

    @classmethod
    def seen(
        cls,
        problem: Problem,
        graph: Graph,
        unit: float,
        *,
        is_metric: bool = False,
        sources: NDArray[np.int32] | None = None,
    ) -> Model:
        """See what the similarities of the graph of a problem are, as in `of`."""
        is_model = problem.kind in NATS
        sources = None if sources is None else sources[graph.given]
        if problem.kind == "odds":
            return cls.stated(graph, graph)
        kind = None if is_model else problem.kind
        is_list = bool(problem.kind) or sp.issparse(problem.similarity)
        seen = wedges_of_list(graph, kind, is_list=is_list)
        taught = None if seen is None else learn_scores(graph, kind, seen, sources)
        if taught is not None:
            return cls.scored(graph, unit, *taught)
        learns = teaches(graph, seen)
        if is_model and not learns:
            return cls.stated(graph, odds_of_information(graph))
        if graph.grouped:
            return cls.of_graph(graph, unit, is_corrected=False, learns=True)
        floor = 0.0 if is_metric or learns else background(graph)
        degrees = neighbors.degrees(graph) if is_metric else graph.degrees(floor)
        is_corrected = are_uneven(degrees[degrees > 0])
        if is_corrected:
            graph = graph._replace(weight=degrees.astype(np.float32))
        if is_metric:
            return cls(graph, graph, unit, is_corrected)
        return cls.of_graph(graph, unit, is_corrected, learns=learns, floor=floor)

    @classmethod
    def stated(cls, given: Graph, odds: Graph) -> Model:
        """Believe the log odds of a model."""
        return cls(given, odds, 1.0, is_corrected=False, judged=judge_odds(odds), is_stated=True)

    @classmethod
    def scored(cls, graph: Graph, unit: float, scores: Scores, judged: Judged) -> Model:
        """Take pairs for as likely right as a list taught."""
        odds = log_odds(graph, judged.right, scores)
        return cls(graph, odds, unit, is_corrected=False, judged=judged, scores=scores)

    @classmethod
    def of_graph(
        cls, graph: Graph, unit: float, is_corrected: bool, *, learns: bool, floor: float = 0.0
    ) -> Model:
        """Begin with similarities by their order, or as they are if all are the same.

        ``learns`` tells whether what they are worth is to be learnt from labels.
        """
        worth = by_rank(graph) if learns else by_surprise(graph)
        if worth is None:
            return cls(graph, graph, unit, is_corrected)
        strata = None if learns else Strata.of(graph, floor)
        return cls(graph, worth.applied(graph), unit, is_corrected, worth, strata, floor)

    @property
    def right(self) -> NDArray[np.float64] | None:
        """Of each similarity, how likely its pair is right, where ``graph`` has log odds."""
        return None if self.judged is None else self.judged.right

    @property
    def learns_worth(self) -> bool:
        """Whether labels teach what similarities are worth."""
        return self.worth is not None and self.strata is None

    def with_worth(self, worth: Worth) -> Model:
        """Return the model whose similarities are worth something else."""
        graph = worth.applied(self.given)
        return replace(self, graph=graph, worth=worth, totals_given=None)

    def needs_correction(self, labels: Labels) -> bool:
        """Tell whether degrees, which are corrected for, differ within labels."""
        degrees = self.given.weight.astype(float)
        return are_uneven(degrees[degrees > 0], labels[degrees > 0])

    def uncorrected(self) -> Model:
        """Return the same under the plain null model."""
        weight = (self.given.weight > 0).astype(np.float32)
        given, graph = (one._replace(weight=weight) for one in (self.given, self.graph))
        return replace(self, given=given, graph=graph, is_corrected=False, totals_given=None)

    def with_weights(self, graph: Graph) -> Model:
        """Return the model whose pairs of groups are weighted as in a graph."""
        return replace(self, graph=graph, plain_average=self.average, totals_given=None)

    def among(self, items: NDArray[np.intp]) -> Model:
        """Return the model of some items, which must be whole components, in rising order."""
        strata = self.strata
        if strata is not None:
            strata = Strata.from_floors(self.given.among(items), strata.floors)
        given, graph = (one.among(items) for one in (self.given, self.graph))
        return replace(self, given=given, graph=graph, strata=strata, totals_given=None)

    def within(self, totals: Totals) -> Model:
        """Return the model of a part of a problem with such totals."""
        graph = self.graph._replace(strongest=totals.strongest)
        return replace(self, graph=graph, totals_given=totals)

    @cached_property
    def totals(self) -> Totals:
        """What is to be known of all items."""
        return self.totals_given or Totals.of(self.graph, self.is_corrected)

    @cached_property
    def description(self) -> Description | Likelihood:
        """What labels are to describe, or how likely they are."""
        if self.right is not None:
            return Likelihood(self.totals.n_pairs)
        is_plain = not (self.is_corrected or self.graph.grouped)
        return Description(
            total=self.total if self.strata is None else float(self.strata.n_pairs.sum()),
            n_pairs=self.totals.n_pairs,
            is_corrected=self.is_corrected,
            rate=PLAIN_RATE if is_plain else 1.0,
            names=self._names(),
        )

    def _names(self) -> float:
        """Return the share of the cost of names that labels pay for."""
        if not self.graph.grouped:
            return 0.0
        if self.worth is not None:
            return 1.0
        return names_of_matches(self.totals.n_present, self.totals.n_groups)

    @property
    def total(self) -> float:
        """What all pairs are worth; log odds, all that are likelier right than wrong."""
        return self.totals.total

    @property
    def average(self) -> float:
        """The mean similarity under the null model: the unit of resolutions."""
        return self.total / self.totals.n_pairs if self.total > 0 else 1.0

    def labeling(self, labels: Labels, *, n_threads: int = 1) -> Labeling:
        """Return labels with what they amount to and what they save."""
        account = self.account(labels, n_threads=n_threads)
        return Labeling(labels, account, self.saving(account))

    def account(self, labels: Labels, *, n_threads: int = 1) -> Account:
        """Return what labels amount to."""
        graph = self.graph
        inside = within(graph, labels, count_labels(labels), n_threads)
        if self.strata is None:
            return account_of(labels, inside, graph.weight, self.is_corrected)
        by_stratum, by_label = self.strata.inside(graph, labels)
        found = account_of(labels, by_label, graph.weight, self.is_corrected)
        return found._replace(similarity=whole(inside), strata=by_stratum)

    def saving(self, account: Account) -> float:
        """Return the nats that labels save."""
        found = self.description.saving(account)
        return found if self.strata is None else found + self.strata.saving(account.strata)

    def objective(self, account: Account, resolution: float) -> float:
        """Return the objective of labels at a resolution; both in units of the average."""
        return account.similarity * UNIT / self.average - resolution * account.pairs


def unit_of(problem: Problem) -> float:
    """Return the largest similarity outside groups; 1 where there is none or they are nats."""
    return 1.0 if problem.kind in NATS else largest(problem) or 1.0


def extended(model: Model, problem: Problem) -> Model:
    """Return the model of a problem that has grown from the one of a model.

    Unit, null model and what similarities are worth stay; pairs of groups are not weighted.
    """
    if problem.kind == "odds":
        return Model.of(problem)
    given = build_graph(problem, model.unit)
    if problem.kind == "information" and model.is_stated:
        return Model.stated(given, odds_of_information(given))
    if model.scores is not None and model.right is not None:
        judged = judge_right(predict_right(model.given, model.right, given))
        return Model.scored(given, model.unit, model.scores, judged)
    if model.is_corrected:
        is_metric = model.worth is None
        degrees = neighbors.degrees(given) if is_metric else given.degrees(model.floor)
        given = given._replace(weight=degrees.astype(np.float32))
    graph = given if model.worth is None else model.worth.applied(given)
    strata = None if model.strata is None else Strata.of(given, model.floor)
    return Model(
        given, graph, model.unit, model.is_corrected, model.worth, strata, floor=model.floor
    )
