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
    build_graph,
    cross,
    largest,
    neighbors,
)
from spherelax.coordinate.lists import (
    ByScore,
    Foretold,
    Scores,
    judge_odds,
    learn_again,
    learn_scores,
    log_odds,
    odds_of_information,
    wedges_of_list,
)
from spherelax.coordinate.model import Facts, Model, Reading, Saving
from spherelax.coordinate.sampling import Judged
from spherelax.coordinate.worth import (
    NO_BINS,
    SUREST,
    BlockModel,
    Blocks,
    Description,
    Likelihood,
    Matches,
    SizeRanks,
    Sorted,
    Strata,
    TwoRates,
    Worth,
    learn_worth,
    log_rarity,
    names_of_matches,
    rank_worth,
    surprise_worth,
)
from spherelax.labels import Labels, count_pairs
from spherelax.problem import NATS, Problem


@dataclass(frozen=True, eq=False, kw_only=True)
class Described(Reading):
    """Similarities of which labels save what they describe more briefly, or make likelier.

    Without groups it is the evidence of a block model (`spherelax.coordinate.worth.block_model`).
    Of matches that are all the same it is what two means describe more briefly than one
    (`spherelax.coordinate.worth.description`), unless their evidence speaks clearly for others; of
    scored matches it is this evidence (`spherelax.coordinate.worth.matches`).

    Attributes
    ----------
    ranks : SizeRanks or None
        How sizes are ranked; None: all are the same or measures, or there are groups.
    """

    ranks: SizeRanks | None = None

    def description(self, totals: Totals) -> Saving:
        """Return what labels save, given the totals of all items."""
        if len(totals.of_degree) > 0:
            return BlockModel(totals)
        names = names_of_matches(totals.n_present, totals.n_groups)
        return Description(totals.total, totals.n_pairs, names)

    def account(self, model: Model, labels: Labels, n_threads: int) -> Account | Blocks:
        """Return what labels amount to: without groups by rank too, with groups across labels."""
        if model.graph.grouped:
            found = super().account(model, labels, n_threads)
            assert isinstance(found, Account)
            return found._replace(crossings=cross(model.graph, labels, model.compared))
        bins = model.entries.bins if isinstance(model.entries, Sorted) else NO_BINS
        return Blocks.of(model.graph, bins, labels, n_threads)

    def rank(self, graph: Graph) -> Sorted | None:
        """Sort similarities by rank, if they are ranked."""
        return None if self.ranks is None else self.ranks.sort(graph)


@dataclass(frozen=True, eq=False, kw_only=True)
class Plain(Described):
    r"""Similarities as they are: :math:`V_{ij} = W_{ij}`, in units of the largest.

    It holds where all similarities are the same.
    """

    @property
    def name(self) -> result.Reading:
        """What users are told."""
        return result.Reading.CORRECTED if self.is_corrected else result.Reading.PLAIN


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured(Plain):
    """Similarities that are measures, as in neighbour graphs: sums of them are described.

    The degree of an item is the sum of its similarities.
    """

    def description(self, totals: Totals) -> TwoRates:
        """Compare two rates with one."""
        return TwoRates(totals.total, totals.n_pairs)

    def account(self, model: Model, labels: Labels, n_threads: int) -> Account | Blocks:
        """Return what labels amount to."""
        return Reading.account(self, model, labels, n_threads)

    def degrees(self, graph: Graph) -> NDArray[np.float64]:
        """Return the degree of each item: the sum of its similarities."""
        return np.asarray(neighbors.strengths(graph))


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked(Described):
    r"""Similarities by their order: :math:`V_{ij} = -\log S(W_{ij})`, at most 1.

    :math:`S` is the share of all pairs of items that are at least as similar, so that
    :math:`V_{ij}` is the surprise of a similarity. It holds for graphs without groups, where
    labels do not tell what sizes mean.

    Attributes
    ----------
    worth : Worth
        The surprise of a similarity of each size.
    """

    worth: Worth
    name = result.Reading.RANKED

    def view(self, graph: Graph) -> tuple[Graph, Sorted | None]:
        """Replace each similarity by what it is worth, and rank it."""
        found = self.rank(graph)
        assert found is not None
        return self.worth.apply(graph._replace(values=found.sizes)), found

    def surprise(self, model: Model, rarity: float) -> Self:
        """Return the reading in which a similarity is as rare as that, and worth its surprise."""
        assert isinstance(model.entries, Sorted)
        return replace(self, worth=surprise_worth(model.entries.sizes, rarity))

    def learn(self, model: Model, labels: Labels) -> Self | None:
        """Learn from labels what a similarity of each rank is worth: its log likelihood ratio."""
        description, totals = model.description, model.totals
        account, ranks = model.labeling(labels).account, self.ranks
        assert isinstance(description, BlockModel)
        assert isinstance(account, Blocks)
        assert ranks is not None
        n_listed = totals.n_entries // 2
        if account.listed in (0, n_listed):
            return None
        nats = description.weigh_pairs(account, by_item=ranks.by_item, is_corrected=False).listed
        if n_listed == count_pairs(totals.n_present):  # no pair is absent, to compare with
            nats = nats - nats.min()
        if nats.max() <= 0.0:
            return None
        # All listed pairs must attract a little.
        worth = np.maximum(nats / nats.max(), SUREST).astype(np.float32)
        return replace(self, worth=Worth(ranks.lowest(), worth))

    def generalise(self, part: Model, facts: Facts) -> Self:
        """Keep ranks and steps; a similarity is as rare as in the whole."""
        rarity = log_rarity(facts.n_entries, facts.n_present)
        return replace(super().generalise(part, facts), worth=self.surprise(part, rarity).worth)


@dataclass(frozen=True, eq=False, kw_only=True)
class Learnt(Described):
    r"""Scores whose worth labels teach: :math:`V_{ij} = -\log(1 - p(W_{ij}))`, at most 1.

    :math:`p` is the share of the pairs with such a score that share a label; it never falls with
    the score. It is learnt where pairs contradict each other: with groups. Learning begins with
    ranks, so that only the order of scores counts.

    Attributes
    ----------
    worth : Worth
        What a similarity of each size is worth.
    floors : ndarray
        The smallest similarity of each stratum.
    """

    worth: Worth
    floors: NDArray[np.float32]
    name = result.Reading.LEARNT

    def weigh(self, graph: Graph) -> Graph:
        """Take each item for a group of its own if no two items are of one group any more."""
        return super().weigh(graph)._replace(group=graph.groups())

    def view(self, graph: Graph) -> tuple[Graph, Strata]:
        """Replace each similarity by what it is worth, and sort it into a stratum."""
        return self.worth.apply(graph), Strata.from_floors(graph, self.floors)

    def description(self, totals: Totals) -> Matches:
        """Weigh matches and their scores."""
        return Matches.of(totals, has_patches=self.has_patches)

    def account(self, model: Model, labels: Labels, n_threads: int) -> Account:
        """Return what labels amount to, by stratum too."""
        found = super().account(model, labels, n_threads)
        assert isinstance(found, Account)
        assert isinstance(model.entries, Strata)
        return found._replace(strata=model.entries.inside(model.graph, labels))

    def learn(self, model: Model, labels: Labels) -> Self | None:
        """Learn from labels what a similarity of each size is worth."""
        worth = learn_worth(model.given, labels)
        if worth is None or worth.equals(self.worth):
            return None
        return replace(self, worth=worth)


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
        ratio = logit(ByScore.of(model.given, right).predict(graph)) - logit(overall)
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
    r"""Log odds learnt from a list of candidates.

    How likely a pair with some score is right follows from which pairs contradict each other; or,
    where entities may have any size, from how well labels foretell scores that they have not seen.
    These labels are cuts of a hierarchy. The log odds are shifted so that pairs above 0 raise the
    expected F, and choose among the cuts.

    Attributes
    ----------
    scores : Scores
        What the list taught of its scores.
    """

    scores: Scores

    def read(
        self,
        graph: Graph,
        sources: NDArray[np.int32] | None = None,
    ) -> Model:
        """Judge the pairs of a graph."""
        return self.bind(graph, self.scores.predict(graph, sources))

    @property
    def foretold(self) -> Foretold | None:  # type: ignore[override]
        """What labels foretell; None: items have one partner at most."""
        return self.scores.lesson if isinstance(self.scores.lesson, Foretold) else None

    def relearn(self, graph: Graph) -> Model | None:
        """Learn from the whole of a problem, as a part of it was learnt from; None: no need."""
        taught = learn_again(graph, self.scores)
        return None if taught is None else replace(self, scores=taught[0]).bind(graph, taught[1])

    def bind(self, graph: Graph, judged: Judged) -> Model:
        """Return the model of a graph whose pairs have been judged."""
        return Model(graph, log_odds(graph, judged.right, self.scores), self, judged)


def read_problem(
    problem: Problem,
    graph: Graph | None = None,
    *,
    unit: float | None = None,
    is_metric: bool = False,
    sources: NDArray[np.int32] | None = None,
) -> Model:
    """Return the model of a problem: find out what its similarities are, and read them so.

    Without groups they are those of a graph if nobody says what they are (`either` asks before).
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
        return Stated(kind="odds").read(graph)
    is_model, is_dense = problem.kind in NATS, not sp.issparse(problem.similarity)
    kind = "graph" if problem.kind is None and is_dense else problem.kind
    seen = wedges_of_list(graph, kind)
    if seen is not None:
        of_item = None if sources is None else sources[graph.given]
        known = ("pairs", seen, of_item, "information") if is_model else (kind, seen, of_item)
        taught = learn_scores(graph, *known)
        if taught is not None and (taught[0].is_told or not is_model):
            scores, judged = taught
            return Listed(unit=unit, scores=scores).bind(graph, judged)
    if is_model:
        return Stated(kind="information").read(graph)
    if graph.grouped:
        return begin(graph, unit)
    is_corrected = Facts.of(graph).are_uneven()
    if is_metric:
        return Measured(unit=unit, is_corrected=is_corrected).read(graph)
    return begin(graph, unit, is_corrected)


def begin(graph: Graph, unit: float, is_corrected: bool = False) -> Model:
    """Return the model to begin with: similarities by their order, or as they are if all are equal.

    With groups, what they are worth is to be learnt from labels.
    """
    reading: Reading
    if len(graph.values) == 0 or np.ptp(graph.values) == 0.0:
        reading = Plain(unit=unit, is_corrected=is_corrected)
        return reading.read(graph)
    if graph.grouped:
        reading = Learnt(unit=unit, worth=rank_worth(graph), floors=Strata.of(graph).floors)
    else:
        ranks = SizeRanks.of(graph)
        rarity = log_rarity(len(graph.values), graph.n_present())
        worth = surprise_worth(ranks.sort(graph).sizes, rarity)
        reading = Ranked(unit=unit, is_corrected=is_corrected, worth=worth, ranks=ranks)
    return reading.read(graph)


def unit_of(problem: Problem) -> float:
    """Return the largest similarity outside groups; 1 where there is none or they are nats."""
    return 1.0 if problem.kind in NATS else largest(problem) or 1.0
