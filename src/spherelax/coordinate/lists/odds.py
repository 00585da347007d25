"""Pairs by the odds that they are right, where similarities are scores of candidates or log odds.

Labels then are the likeliest ones: the sum of the log odds of the pairs inside them is largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logit

from spherelax.coordinate.graph.candidates import Candidates, Wedges, wedges
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.lists.foretelling import (
    Foretold,
    find_scale,
    find_threshold,
    learn_foretold,
)
from spherelax.coordinate.lists.matching import Matching, judge_matching, learn_matching
from spherelax.coordinate.sampling.doubt import SURE, clip_probability
from spherelax.coordinate.sampling.posterior import (
    Judged,
    Posterior,
    beliefs_of_log_odds,
    draw_posterior,
)
from spherelax.coordinate.worth.curve import PAIRS_A_BIN, Curve, Floats
from spherelax.coordinate.worth.evidence import STEPS, quantiles, share_below
from spherelax.labels import Labels

# A list with three groups or more in which candidates of one item are listed pairs this often is a
# graph of matches: wrong pairs contradict others.
TRANSITIVE = 1 / 3
# A list that is less transitive than that has no room for entities of three items: it joins two
# sources, though nobody says so.
PAIRED = 0.01
# A list of fewer pairs than fill two bins of scores shows nothing of its scores, unless its user
# says that it is one.
FEW_PAIRS = 2 * PAIRS_A_BIN
# Between two sources, and without groups, this number of pairs must contradict other pairs. Fewer
# do not show what wrong pairs score.
CONTRADICTED = PAIRS_A_BIN
# What the highest score adds to the log odds, so that of two equally likely pairs the larger wins.
TIE = 1e-3
# Scores are the same if they agree to this number of digits, in units of the largest one.
DIGITS = 6


def could_be_list(graph: Graph) -> bool:
    """Tell whether a graph without groups may be a list of candidates, by its pairs.

    It is none where all scores are equal, where there are a few pairs, where pairs hardly
    contradict each other, or where all items are compared with all others.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> could_be_list(build_graph(Problem.check(np.ones((9, 9)))))
    False
    """
    n_entries, m = len(graph.values), graph.n_present()
    if n_entries < 2 * FEW_PAIRS or n_entries >= m * (m - 1) or np.ptp(graph.values) == 0.0:
        return False
    return wedges(graph).n_open >= CONTRADICTED


def wedges_of_list(graph: Graph, kind: str | None) -> Wedges | None:
    """Return the wedges of what is, or may be, a list of candidates; None: it is a graph.

    ``kind`` is what the user says that the similarities are. Where all are equal it is no list, and
    unless they are scores of pairs, none where there are a few. Without groups, somebody must say
    it, or the similarities must be a model's information.
    """
    if kind in ("graph", "neighbors") or len(graph.values) == 0 or np.ptp(graph.values) == 0.0:
        return None
    if kind == "pairs":
        return wedges(graph)
    n_groups = graph.n_groups()
    if n_groups == 0:
        return wedges(graph) if kind == "information" and could_be_list(graph) else None
    if n_groups == 2:
        return Wedges(0.0, 0.0) if _joins_two(graph) else None
    return wedges(graph) if len(graph.values) >= 2 * FEW_PAIRS else None


class Scores(NamedTuple):
    """What a list taught of its scores.

    Attributes
    ----------
    lesson : Foretold or Matching
        How likely pairs with scores like these are right.
    threshold : float
        Pairs that are right with a higher probability are worth joining.
    ranks : ndarray
        Scores, which rise, that tell which of two equally likely pairs has the larger one.
    """

    lesson: Foretold | Matching
    threshold: float
    ranks: NDArray[np.float32]

    @classmethod
    def of(cls, lesson: Foretold | Matching, graph: Graph, right: Floats) -> Scores:
        """Return what a list taught, given how likely its pairs are right."""
        return cls(lesson, find_threshold(clip_probability(right)), quantiles(graph.values, STEPS))

    @property
    def is_told(self) -> bool:
        """Whether the list can tell right pairs from wrong ones."""
        return not isinstance(self.lesson, Foretold) or self.lesson.is_told

    def tied_share(self, graph: Graph, right: Floats) -> float | None:
        """Return the share of the pairs expected to be right that have one and the same score.

        None: with groups, or where items have one partner, it also counts which pairs contradict
        others; and a model's probabilities, in nats, may be the same because they end somewhere.
        """
        if graph.grouped or isinstance(self.lesson, Matching) or graph.values.max() > 1.0:
            return None
        score = np.unique(graph.values.round(DIGITS), return_inverse=True)[1]
        return float(np.bincount(score, weights=right).max() / right.sum())

    def judge(self, right: Floats) -> Judged:
        """Return what to judge the labels of a graph by, given how likely its pairs are right."""
        return Judged(right, None) if isinstance(self.lesson, Matching) else judge_right(right)

    def predict(self, graph: Graph, sources: NDArray[np.int32] | None) -> Judged:
        """Return how likely each pair of a graph is right, which has scores like the list."""
        pairs = Candidates.of(graph)
        if isinstance(self.lesson, Foretold):
            return self.judge(_spread_to_entries(graph, self.lesson.right(pairs)))
        several = None if sources is None else _may_have_several(graph)
        return _judge_two(graph, self.lesson.right(pairs, several), several)


def learn_scores(
    graph: Graph,
    kind: str | None,
    seen: Wedges,
    sources: NDArray[np.int32] | None = None,
    scale: str | None = None,
) -> tuple[Scores, Judged] | None:
    """Learn how likely the pairs of a list are right; None: it is a graph of matches.

    ``seen`` is what `wedges_of_list` returned. ``sources`` is given if free items of one source may
    be copies of each other; an item whose candidates are all free may then have several partners.
    ``scale`` is that of `Foretold`, if it is known.
    """
    if graph.n_groups() == 2 and _joins_two(graph):
        return _learn_two(graph, None)
    may_be_matches = kind is None or graph.n_groups() > 2
    if may_be_matches and seen.transitivity >= TRANSITIVE:
        return None
    if seen.transitivity < PAIRED and seen.n_open >= CONTRADICTED:
        return _learn_two(graph, None if sources is None else _may_have_several(graph))
    lesson = _learn_any(graph, scale or find_scale(graph.values), seen)
    if may_be_matches and not lesson.is_told:
        return None
    return _judge_any(graph, lesson, lesson.right(Candidates.of(graph)))


def learn_again(graph: Graph, scores: Scores) -> tuple[Scores, Judged] | None:
    """Learn from a whole list how likely its pairs are right, as a part of it was learnt from.

    None: items have one partner at most, and a part teaches as much.
    """
    if isinstance(scores.lesson, Matching):
        return None
    lesson = _learn_any(graph, scores.lesson.scale, wedges(graph))
    return _judge_any(graph, lesson, lesson.right(Candidates.of(graph)))


def judge_odds(odds: Graph) -> Judged:
    """Return how likely pairs are right by log odds that are believed.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 3, -3], [3, 0, 0], [-3, 0, 0]], kind="odds"), 1.0)
    >>> np.sort(judge_odds(graph).right).round(2)
    array([0.05, 0.05, 0.95, 0.95])
    """
    values = odds.values.astype(float)
    return Judged(np.asarray(expit(values)), beliefs_of_log_odds(values))


def judge_right(right: Floats) -> Judged:
    """Return what to judge labels by if a similarity says only how likely its pair is right."""
    return Judged(right, beliefs_of_log_odds(logit(clip_probability(right))))


def _learn_any(graph: Graph, scale: str, seen: Wedges) -> Foretold:
    """Learn from a list whose entities may have any size.

    If it cannot tell, or has a few pairs, these are joined if nothing contradicts them.
    """
    lesson = learn_foretold(Candidates.of(graph), scale)
    is_contradicted = graph.n_groups() != 2 and seen.n_open >= CONTRADICTED
    if lesson.is_told and (is_contradicted or len(graph.values) >= 2 * FEW_PAIRS):
        return lesson
    return lesson.join_none() if is_contradicted else lesson.join_all()


def _judge_any(graph: Graph, lesson: Foretold, right: Floats) -> tuple[Scores, Judged]:
    """Return what a list taught, given how likely its pairs are right."""
    right = _spread_to_entries(graph, right)
    scores = Scores.of(lesson, graph, right)
    return scores, scores.judge(right)


def _joins_two(graph: Graph) -> bool:
    """Tell whether enough pairs between two groups contradict others."""
    return Candidates.of(graph).n_wrong() >= CONTRADICTED


def _learn_two(graph: Graph, several: NDArray[np.bool_] | None) -> tuple[Scores, Judged]:
    """Learn from a list between two sources how likely its pairs are right."""
    lesson, right = learn_matching(Candidates.of(graph), several)
    found = _judge_two(graph, right, several)
    return Scores.of(lesson, graph, found.right), found


def _judge_two(graph: Graph, right: Floats, several: NDArray[np.bool_] | None) -> Judged:
    """Return what to judge the labels of a list between two sources by."""
    right = _spread_to_entries(graph, right)
    return Judged(right, None) if several is None else judge_right(right)


def log_odds(graph: Graph, right: Floats, scores: Scores) -> Graph:
    """Return the graph with log odds: above 0 if joining the pair raises the expected F.

    F over pairs is largest if pairs are joined that are right with half of its probability.
    """
    values = logit(clip_probability(right)) - logit(scores.threshold)
    values += TIE * share_below(scores.ranks, graph.values)
    return graph.with_values(values.astype(np.float32))


def odds_of_information(graph: Graph) -> Graph:
    """Return a graph of information, ``-log(1 - p)`` nats, as log odds.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check(np.log([[1, 2, 1], [2, 1, 10], [1, 10, 1]])), 1.0)
    >>> np.sort(odds_of_information(graph).values).round(1)
    array([0. , 0. , 2.2, 2.2], dtype=float32)
    """
    s = np.maximum(graph.values.astype(float), SURE**2)
    return graph.with_values((s + np.log(-np.expm1(-s))).astype(np.float32))


class ByScore(NamedTuple):
    """How likely pairs are right by their scores alone: ``right`` of each bin of a curve."""

    curve: Curve
    right: Floats

    @classmethod
    def of(cls, graph: Graph, right: Floats) -> ByScore:
        """See it in a graph, given how likely its pairs are right."""
        curve = Curve(graph.values)
        return cls(curve, curve.shares(graph.values, right))

    def predict(self, graph: Graph) -> Floats:
        """Return how likely the pairs of any graph are right."""
        return np.asarray(self.right[self.curve.bins(graph.values)])


def judge_labels(
    graph: Graph,
    judged: Judged,
    labels: Labels,
    *,
    source: NDArray[np.int32] | None = None,
    has_pairs: bool = False,
) -> Posterior:
    """Return how likely labels are right, by what was learnt of the pairs of a graph.

    ``source`` is that of `Candidates`.

    Examples
    --------
    >>> from spherelax.coordinate.graph.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 3, 0], [3, 0, -3], [0, -3, 0]], kind="odds"), 1.0)
    >>> judge_labels(graph, judge_odds(graph), np.array([0, 0, 1], dtype=np.int32)).item.round(1)
    array([0.9, 0.9, 0.9])
    """
    if judged.beliefs is not None:
        net = judged.net(graph, source)
        return draw_posterior(net, judged.beliefs, labels, has_pairs=has_pairs)
    return judge_matching(graph.matrix(judged.right), labels, has_pairs=has_pairs)


def uncompared_sources(graph: Graph, sources: NDArray[np.int32] | None) -> NDArray[np.int32] | None:
    """Return the source of each item if no two of its items are compared; -1 if some are."""
    if sources is None:
        return None
    of_row = sources[graph.rows()]
    inside = of_row[of_row == sources[graph.indices]]
    return np.where(np.isin(sources, inside), -1, sources).astype(np.int32)


def _may_have_several(graph: Graph) -> NDArray[np.bool_]:
    """Tell of each item whether all its candidates are free, so that several may be right."""
    is_bound = (np.bincount(graph.groups()) > 1)[graph.groups()]
    n_bound = np.bincount(graph.rows(), is_bound[graph.indices], graph.n_items)
    return np.asarray(n_bound == 0)


def _spread_to_entries(graph: Graph, right: Floats) -> NDArray[np.float64]:
    """Return for each entry of a graph the value of its pair, in the order of `Candidates`."""
    pairs = Candidates.of(graph)
    shape = (pairs.n_items, pairs.n_items)
    half = sp.coo_array((np.arange(1, len(right) + 1), (pairs.one, pairs.other)), shape=shape)
    return np.asarray(right[sp.csr_array(half + half.T).data - 1])
