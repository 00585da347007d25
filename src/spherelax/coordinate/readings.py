r"""The readings of W: what similarities can be taken for, one class for each.

All of them are walked alike: at a resolution :math:`\gamma`, labels maximise

.. math:: \sum_{i<j,\ l_i = l_j} \left( V_{ij} - \gamma n_i n_j \right),

the constant Potts model of what a similarity is worth, :math:`V`. With the plain null model
:math:`n_i = 1`; corrected for degrees, :math:`n_i` is the degree of an item. A reading says what
:math:`V` is, and how many nats labels save, which chooses among the resolutions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit

from spherelax import result
from spherelax.coordinate.graph import (
    Account,
    Graph,
    Totals,
    background,
    build_graph,
    largest,
    neighbors,
    sum_units,
    within,
)
from spherelax.coordinate.lists import (
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
from spherelax.coordinate.model import Facts, Model, Reading
from spherelax.coordinate.sampling import Judged
from spherelax.coordinate.worth import (
    PLAIN_RATE,
    SUREST,
    Description,
    Likelihood,
    Matches,
    Strata,
    Worth,
    account_of,
    are_uneven,
    log_rarity,
    rank_worth,
    surprise_worth,
)
from spherelax.labels import Labels, count_labels
from spherelax.problem import NATS, Problem


@dataclass(frozen=True, eq=False, kw_only=True)
class Plain(Reading):
    r"""Similarities as they are: :math:`V_{ij} = W_{ij}`, in units of the largest.

    It holds where all similarities are the same, and for neighbour graphs, whose similarities are
    measures. The degree of an item is the sum of its similarities. Labels save what two means
    describe more briefly than one (`spherelax.coordinate.worth.description`).
    """

    @property
    def name(self) -> result.Reading:
        """What users are told."""
        return result.Reading.CORRECTED if self.is_corrected else result.Reading.PLAIN

    def description(self, totals: Totals) -> Description | Matches:
        """Describe similarities by their means, or with groups weigh matches."""
        if totals.n_groups:
            return Matches.of(totals, has_patches=self.has_patches)
        return describe(totals, self.is_corrected, totals.total)

    def degrees(self, graph: Graph) -> NDArray[np.float64]:
        """Return the degree of each item: the sum of its similarities."""
        return np.asarray(neighbors.strengths(graph))


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked(Reading):
    r"""Similarities by their order: :math:`V_{ij} = -\log S(W_{ij})`, at most 1.

    :math:`S` is the share of all pairs of items that are at least as similar, so that
    :math:`V_{ij}` is the surprise of a similarity. It holds for graphs without groups, where
    labels do not tell what sizes mean. Labels save what two densities describe more briefly than
    one, and the sizes that labels explain (`spherelax.coordinate.worth.strata`).

    Attributes
    ----------
    worth : Worth
        The surprise of a similarity of each size.
    floors : ndarray
        The smallest similarity of each stratum.
    floor : float
        Similarities up to this one are not described.
    """

    worth: Worth
    floors: NDArray[np.float32]
    floor: float = 0.0
    name = result.Reading.RANKED

    def view(self, graph: Graph) -> tuple[Graph, Strata]:
        """Replace each similarity by its surprise, and sort it into a stratum."""
        return self.worth.apply(graph), Strata.from_floors(graph, self.floors)

    def description(self, totals: Totals) -> Description:
        """Describe which pairs are similar, and how their sizes follow from labels."""
        return describe(totals, self.is_corrected, float(totals.of_stratum.sum()))

    def account(self, model: Model, labels: Labels, n_threads: int) -> Account:
        """Return what labels amount to, by stratum too."""
        strata, graph = model.entries, model.graph
        assert isinstance(strata, Strata)
        inside = within(graph, labels, count_labels(labels), n_threads)
        by_stratum, by_label = strata.inside(graph, labels)
        found = account_of(labels, by_label, graph.weight, self.is_corrected)
        return found._replace(similarity=sum_units(inside), strata=by_stratum)

    def generalise(self, part: Model, facts: Facts) -> Self:
        """Keep strata and steps; a similarity is as rare as in the whole."""
        worth = surprise_worth(part.given, log_rarity(facts.n_entries, facts.n_present))
        assert worth is not None
        return replace(super().generalise(part, facts), worth=worth, floor=facts.floor)

    def degrees(self, graph: Graph) -> NDArray[np.float64]:
        """Return the degree of each item: its number of similarities above the floor."""
        return graph.degrees(self.floor)


@dataclass(frozen=True, eq=False, kw_only=True)
class Learnt(Reading):
    r"""Scores whose worth labels teach: :math:`V_{ij} = -\log(1 - p(W_{ij}))`, at most 1.

    :math:`p` is the share of the pairs with such a score that share a label; it never falls with
    the score. It is learnt where pairs contradict each other: with groups, or in a list in which
    most pairs are right. Learning begins with ranks, so that only the order of scores counts.

    Attributes
    ----------
    worth : Worth
        What a similarity of each size is worth.
    floors : ndarray
        With groups, the smallest similarity of each stratum; else empty.
    """

    worth: Worth
    floors: NDArray[np.float32]
    name = result.Reading.LEARNT

    def view(self, graph: Graph) -> tuple[Graph, Strata | None]:
        """Replace each similarity by what it is worth; with groups, sort it into a stratum."""
        strata = Strata.from_floors(graph, self.floors) if len(self.floors) else None
        return self.worth.apply(graph), strata

    def description(self, totals: Totals) -> Description | Matches:
        """Describe what similarities are worth, or with groups weigh matches and their scores."""
        if totals.n_groups:
            return Matches.of(totals, has_patches=self.has_patches)
        return describe(totals, self.is_corrected, totals.total)


@dataclass(frozen=True, eq=False, kw_only=True)
class LogOdds(Reading):
    r"""Log odds that two items are the same: :math:`V_{ij} = \log p_{ij} / (1 - p_{ij})`.

    Labels save the sum of the log odds inside them: their log likelihood.
    """

    is_likelihood: ClassVar[bool] = True
    name = result.Reading.LOG_ODDS

    def description(self, totals: Totals) -> Likelihood:  # noqa: ARG002 (as of other readings)
        """Add the log odds inside labels."""
        return Likelihood()

    def appraise(self, model: Model, graph: Graph) -> Graph:
        """Replace each similarity by its log likelihood ratio: how much likelier it is if right."""
        right = None if model.judged is None else model.judged.right
        if right is None or len(right) == 0:
            return graph
        overall = np.clip(right.mean(), SUREST, 1.0 - SUREST)
        ratio = logit(predict_right(model.given, right, graph)) - logit(overall)
        return graph._replace(values=np.asarray(ratio))

    def generalise(self, part: Model, facts: Facts) -> Self:  # noqa: ARG002
        """Keep all that is known."""
        return self


@dataclass(frozen=True, eq=False, kw_only=True)
class Stated(LogOdds):
    """Log odds that somebody's model states, which are believed.

    Attributes
    ----------
    kind : {"odds", "information"}
        Whether the similarities are log odds, or ``-log(1 - p)``, both in nats.
    """

    kind: str

    def view(self, graph: Graph) -> tuple[Graph, Judged]:
        """Take similarities for log odds."""
        odds = graph if self.kind == "odds" else odds_of_information(graph)
        return odds, judge_odds(odds)

    def appraise(self, model: Model, graph: Graph) -> Graph:
        """Take log odds as they are."""
        return graph if self.kind == "odds" else super().appraise(model, graph)


@dataclass(frozen=True, eq=False, kw_only=True)
class Listed(LogOdds):
    r"""Log odds learnt from a list of candidates, of which most are wrong.

    How likely a pair with some score is right follows from which pairs contradict each other, by
    expectation maximisation. The log odds are shifted so that pairs above 0 raise the expected F.

    Attributes
    ----------
    scores : Scores
        What the list taught of its scores.
    """

    scores: Scores

    def read(
        self,
        graph: Graph,
        numbers: NDArray[np.integer],
        sources: NDArray[np.int32] | None = None,
    ) -> Model:
        """Judge the pairs of a graph."""
        return self.bind(graph, self.scores.predict(graph, sources, numbers))

    def bind(self, graph: Graph, judged: Judged) -> Model:
        """Return the model of a graph whose pairs have been judged."""
        return Model(graph, log_odds(graph, judged.right, self.scores), self, judged)

    def extend(self, before: Model, graph: Graph) -> Model:
        """Judge pairs as those with the same score were judged before."""
        assert before.judged is not None
        right = predict_right(before.given, before.judged.right, graph)
        return self.bind(graph, judge_right(right))


def describe(totals: Totals, is_corrected: bool, total: float) -> Description:
    """Return the description of a total."""
    rate = 1.0 if is_corrected else PLAIN_RATE
    return Description(total, totals.n_pairs, is_corrected, rate, totals.of_stratum)


def read_problem(
    problem: Problem,
    graph: Graph | None = None,
    *,
    unit: float | None = None,
    is_metric: bool = False,
    sources: NDArray[np.int32] | None = None,
) -> Model:
    """Return the model of a problem: find out what its similarities are, and read them so.

    Log odds and scores of candidates become log odds. Else only the order of the similarities
    counts, unless ``is_metric`` says that their sizes do; the degrees choose the null model, and
    with groups it is always the plain one. ``graph`` is that of the problem, in this ``unit``, if
    it has been built. ``sources`` is given if free items of one source may be copies of each other.

    Examples
    --------
    >>> from spherelax.problem import Problem
    >>> model = read_problem(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
    >>> type(model.reading).__name__, model.labeling(np.array([0, 0, 0, 1, 1, 1])).account.pairs
    ('Plain', 6.0)
    """
    unit = unit_of(problem) if unit is None else unit
    graph = build_graph(problem, unit) if graph is None else graph
    if problem.kind == "odds":
        return Stated(kind="odds").read(graph, graph.given)
    is_model = problem.kind in NATS
    kind = None if is_model else problem.kind
    seen = wedges_of_list(
        graph, kind, is_list=bool(problem.kind) or sp.issparse(problem.similarity)
    )
    if seen is not None:
        taught = learn_scores(graph, kind, seen, None if sources is None else sources[graph.given])
        if taught is not None:
            scores, judged = taught
            return Listed(unit=unit, scores=scores).bind(graph, judged)
    learns = teaches(graph, seen)
    if is_model and not learns:
        return Stated(kind="information").read(graph, graph.given)
    if graph.grouped:
        return begin(graph, unit, learns=True)
    floor = 0.0 if is_metric or learns else background(graph)
    degrees = neighbors.strengths(graph) if is_metric else graph.degrees(floor)
    is_corrected = are_uneven(degrees[degrees > 0])
    if is_metric:
        return Plain(unit=unit, is_corrected=is_corrected).read(graph, graph.given)
    return begin(graph, unit, is_corrected, learns=learns, floor=floor)


def begin(
    graph: Graph,
    unit: float,
    is_corrected: bool = False,
    *,
    learns: bool,
    floor: float = 0.0,
) -> Model:
    """Return the model to begin with: similarities by their order, or as they are if all are equal.

    ``learns`` tells whether what they are worth is to be learnt from labels.
    """
    worth = rank_worth(graph) if learns else surprise_worth(graph)
    reading: Reading
    if worth is None:
        reading = Plain(unit=unit, is_corrected=is_corrected)
    elif learns:
        floors = Strata.of(graph, 0.0).floors if graph.grouped else np.empty(0, dtype=np.float32)
        reading = Learnt(unit=unit, is_corrected=is_corrected, worth=worth, floors=floors)
    else:
        floors = Strata.of(graph, floor).floors
        reading = Ranked(
            unit=unit, is_corrected=is_corrected, worth=worth, floors=floors, floor=floor
        )
    return reading.read(graph, graph.given)


def unit_of(problem: Problem) -> float:
    """Return the largest similarity outside groups; 1 where there is none or they are nats."""
    return 1.0 if problem.kind in NATS else largest(problem) or 1.0


def extend(model: Model, problem: Problem) -> Model:
    """Return the model of a problem that has grown from the one of a model, by the same reading."""
    reading = Stated(kind="odds") if problem.kind == "odds" else model.reading
    return reading.extend(model, build_graph(problem, reading.unit))
