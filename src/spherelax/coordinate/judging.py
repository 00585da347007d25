"""Labels that keep judgements: at the level that agrees with them, and changed where they do not.

Judgements say two things. Which level is meant, if there are several, such as persons and families:
the step of the path that agrees with them. And which labels are wrong: one that holds different
things is split, and those that hold the same thing are joined. All other labels stay what they are.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import betainc, betaln, logit, softmax

from spherelax.coordinate.graph import Graph
from spherelax.coordinate.worth import BEHIND, TIMES
from spherelax.judgements import UNSURE, Judgements
from spherelax.labels import Labels, count_labels, renumber

Floats = NDArray[np.float64]
Items = NDArray[np.intp]

# What a judgement that is kept without exception counts, in nats: more than all else together.
CERTAIN = 1e3
# Rounds at most in which it is learnt how often a judge errs.
ROUNDS = 4


def choose_level(steps: Sequence[Labels], at: int, judged: Judgements) -> int:
    """Return the step whose labels agree with judgements; the nearest one to a step, if several do.

    The level changes if the evidence for another is larger by `BEHIND` nats, and no further than
    to a level with less than that behind the most.

    Examples
    --------
    >>> persons, families = np.arange(6, dtype=np.int32) // 2, np.zeros(6, dtype=np.int32)
    >>> apart = [(0, 2, False), (1, 4, False), (3, 5, False), (0, 5, False)]
    >>> choose_level([persons, families], 1, Judgements.of(apart[:2]))
    1
    >>> choose_level([persons, families], 1, Judgements.of(apart))
    0
    """
    return nearest_level(weigh_levels(steps, judged), at)


def nearest_level(evidence: Floats, at: int) -> int:
    """Return the step nearest to one with less than `BEHIND` nats behind the most evidence.

    Examples
    --------
    >>> nearest_level(np.array([0.0, 9.0, 8.0, 1.0]), 3)
    2
    """
    good = np.flatnonzero(evidence > evidence.max() - BEHIND)
    return int(good[np.abs(good - at).argmin()])


def open_levels(
    steps: Sequence[Labels], at: int, judged: Judgements
) -> tuple[list[Labels], Floats]:
    """Return the levels that may be meant, and how likely each is; that of a step is the first.

    Others are steps whose number of labels differs by the factor `TIMES`, and against which
    judgements do not speak clearly. By themselves, all are as likely.

    Examples
    --------
    >>> steps = [np.arange(8, dtype=np.int32) // n for n in (1, 2, 4, 8)]
    >>> apart = [(0, 2, False), (1, 7, False), (2, 4, False), (3, 5, False), (4, 7, False)]
    >>> levels, likely = open_levels(steps, 1, Judgements.of(apart))
    >>> [count_labels(level) for level in levels]
    [4, 8, 2]
    """
    ratio = np.array([count_labels(step) for step in steps]) / count_labels(steps[at])
    evidence = weigh_levels(steps, judged)
    is_open = (np.abs(np.log(ratio)) >= np.log(TIMES)) & (evidence > evidence[at] - BEHIND)
    found = np.r_[at, np.flatnonzero(is_open)]
    return [steps[step] for step in found], np.asarray(softmax(evidence[found]))


def settles(steps: Sequence[Labels], at: int, other: int, judged: Judgements) -> bool:
    """Tell whether judgements speak clearly for one step against another.

    Examples
    --------
    >>> persons, families = np.arange(6, dtype=np.int32) // 2, np.zeros(6, dtype=np.int32)
    >>> apart = [(0, 2, False), (1, 4, False), (3, 5, False), (0, 5, False)]
    >>> settles([persons, families], 0, 1, Judgements.of(apart))
    True
    """
    of_step, of_other = weigh_levels([steps[at], steps[other]], judged)
    return bool(of_step >= of_other + BEHIND)


def weigh_levels(steps: Sequence[Labels], judged: Judgements) -> Floats:
    r"""Return the evidence of judgements for the labels of each step, in nats.

    Labels differ from a share of the judgements that is below one half, any such share being as
    likely. With a judgements that agree and d that differ, the evidence is

    .. math:: \log 2 \int_0^{1/2} x^d (1 - x)^a \, dx .
    """
    return weigh_counts(np.array([count_broken(step, judged) for step in steps]), len(judged))


def count_broken(labels: Labels, judged: Judgements) -> int:
    """Return how many judgements labels do not agree with.

    Examples
    --------
    >>> count_broken(np.int32([0, 0, 1]), Judgements.of([(0, 1, False), (0, 2, False)]))
    1
    """
    one, other = judged.pairs.T
    return int(np.count_nonzero((labels[one] == labels[other]) != judged.same))


def weigh_counts(differ: NDArray[np.int_], n_judged: int) -> Floats:
    """Return what `weigh_levels` does from how many judgements each step does not agree with.

    Examples
    --------
    >>> weigh_counts(np.array([0, 4]), 4).round(1)
    array([-0.9, -4.4])
    """
    agree, tiny = n_judged - differ, np.finfo(float).tiny
    share = betainc(differ + 1, agree + 1, 0.5)
    nats = np.log(2.0) + betaln(differ + 1, agree + 1) + np.log(np.maximum(share, tiny))
    # Where nearly all of many differ, only shares near one half count: Laplace's method at the end.
    at_end = -n_judged * np.log(2.0) - np.log(np.maximum(differ - agree, 1))
    return np.asarray(np.where(share > tiny, nats, at_end), dtype=float)


class Attraction(NamedTuple):
    """What pairs of items say for one label, in nats.

    Attributes
    ----------
    listed : csr_array of shape (n_items, n_items)
        What a listed pair says, beyond what its absence would.
    absent : float
        What an absent pair says against it, times the weights of both items.
    weight : ndarray of shape (n_items,)
        Weights of the null model.
    """

    listed: sp.csr_array
    absent: float
    weight: Floats

    def between(self, some: Items, others: Items) -> float:
        """Return what all pairs of two sets of items say for one label."""
        inside = self.listed[some][:, others].sum()
        weights = self.weight[some].sum() * self.weight[others].sum()
        return float(inside - self.absent * weights)

    def among(self, items: Items) -> Attraction:
        """Return what the pairs of some items say."""
        return Attraction(self.listed[items][:, items], self.absent, self.weight[items])

    def inside(self, labels: Labels) -> float:
        """Return what all pairs inside labels say together; labels are the better the larger."""
        pairs = self.listed.tocoo()
        inside = pairs.data[labels[pairs.row] == labels[pairs.col]].sum()
        weights = np.bincount(labels, weights=self.weight)
        alike = np.square(weights).sum() - np.square(self.weight).sum()
        return 0.5 * float(inside - self.absent * alike)


def weigh_verdicts(
    attraction: Attraction, labels: Labels, verdicts: Judgements, groups: NDArray[np.integer]
) -> Labels:
    """Return labels after verdicts that may be wrong: each is evidence beside the similarities.

    A verdict counts as many nats as its log odds; but the judge errs at least as often as verdicts
    differ from the labels that they lead to. Labels that differ from a verdict are changed as if it
    were certain, if all pairs and verdicts then say more for them. All others stay as they are.

    Examples
    --------
    >>> W = sp.csr_array(np.kron(np.eye(2), np.full((3, 3), 9.0)))
    >>> attraction, groups = Attraction(W, 0.5, np.ones(6)), np.arange(6)
    >>> labels = np.repeat(np.int32([0, 1]), 3)
    >>> right = [(0, 1, True, 0.9), (1, 2, True, 0.9), (3, 4, True, 0.9), (4, 5, True, 0.9)]
    >>> weigh_verdicts(attraction, labels, Judgements.of([*right, (0, 3, True, 0.9)]), groups)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    one, other = verdicts.pairs.T
    found, before = labels, -1
    for _ in range(ROUNDS):
        agree = int(np.count_nonzero((found[one] == found[other]) == verdicts.same))
        if agree == before:
            break
        before, rate = agree, max((agree + 1.0) / (len(verdicts) + 2.0), UNSURE)
        nats = logit(np.minimum(verdicts.sure, rate)) * np.where(verdicts.same, 1.0, -1.0)
        said = sp.coo_array((nats, (one, other)), shape=attraction.listed.shape)
        both = attraction._replace(listed=sp.csr_array(attraction.listed + said + said.T))
        surest = np.argsort(-np.abs(nats), kind="stable")
        found = _follow(both, labels, verdicts, surest, groups)
    return found


def _follow(
    attraction: Attraction,
    labels: Labels,
    verdicts: Judgements,
    order: Items,
    groups: NDArray[np.integer],
) -> Labels:
    """Return labels that follow each verdict from which they differ, where that gains."""
    found = labels.astype(np.int32)
    ends = np.cumsum(np.bincount(found))[:-1]
    members = dict(enumerate(np.split(np.argsort(found, kind="stable"), ends)))
    fresh = itertools.count(len(members))
    for row in order.tolist():
        (a, b), is_same = verdicts.pairs[row].tolist(), bool(verdicts.same[row])
        if (found[a] == found[b]) == is_same:
            continue
        names = sorted({int(found[a]), int(found[b])})
        items = np.sort(np.concatenate([members[name] for name in names]))
        inner, now = attraction.among(items), renumber(found[items])
        judged = Judgements.of([(*np.searchsorted(items, [a, b]).tolist(), is_same)])
        new = keep_judgements(inner, now, judged, groups[items])
        if inner.inside(new) > inner.inside(now):
            for name in names:
                del members[name]
            for label in range(new.max() + 1):
                name = names.pop() if names else next(fresh)
                members[name] = items[new == label]
                found[members[name]] = name
    return renumber(found)


def overrule(graph: Graph, same: Floats, judged: Judgements) -> Floats:
    """Return what listed pairs say for one label, with judgements instead of similarities.

    Examples
    --------
    >>> from spherelax.coordinate.graph import build_graph
    >>> from spherelax.problem import Problem
    >>> graph = build_graph(Problem.check([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> place = np.argsort(graph.given)
    >>> judged = Judgements(place[[[0, 1], [0, 2]]], np.array([False, True]), np.array([0.9, 1]))
    >>> overrule(graph, np.full(4, 7.0), judged).round(1).tolist().count(-2.2)
    2
    """
    found = same.copy()
    nats = np.minimum(logit(judged.sure), CERTAIN) * np.where(judged.same, 1.0, -1.0)
    for (a, b), value in zip(judged.pairs.tolist(), nats, strict=True):
        for row, column in ((a, b), (b, a)):
            first, end = graph.indptr[row : row + 2]
            at = first + np.searchsorted(graph.indices[first:end], column)
            if at < end and graph.indices[at] == column:
                found[at] = value
    return found


class Walls:
    """Items that judgements or groups keep apart."""

    def __init__(self, judged: Judgements, groups: NDArray[np.integer]) -> None:
        self.groups = groups
        self.others = defaultdict(set)
        for a, b in judged.pairs[~judged.same].tolist():
            self.others[a].add(b)
            self.others[b].add(a)

    def allow(self, items: Items) -> bool:
        """Tell whether some items may share a label."""
        if len(np.unique(self.groups[items])) < len(items):
            return False
        together = set(items.tolist())
        return not any(self.others[a] & together for a in together & self.others.keys())


def keep_judgements(
    attraction: Attraction, labels: Labels, judged: Judgements, groups: NDArray[np.integer]
) -> Labels:
    """Return labels that keep judgements, which do not contradict each other or the groups.

    A label that holds different things is split: its items join the one that attracts them most.
    Then labels that hold the same thing are joined; or, where that is not allowed or more speaks
    against it, what is judged leaves its labels for the best of them. All others stay as they are.

    Examples
    --------
    >>> W = sp.csr_array(np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6))
    >>> attraction, groups = Attraction(W, 0.1, np.ones(6)), np.arange(6)
    >>> judged = Judgements.of([(0, 3, False)])
    >>> keep_judgements(attraction, np.zeros(6, np.int32), judged, groups)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judged = Judgements.of([(0, 1, True)])
    >>> keep_judgements(attraction, np.arange(6, dtype=np.int32), judged, groups)
    array([0, 0, 1, 2, 3, 4], dtype=int32)
    """
    walls, clumps = Walls(judged, groups), judged.clumps(len(labels))
    found = labels.astype(np.int64)
    one, other = judged.pairs[~judged.same].T
    for label in np.unique(found[one[found[one] == found[other]]]).tolist():
        _split(attraction, found, label, clumps, walls)
    a, b = judged.pairs[judged.same].T
    for clump in np.unique(clumps[a[found[a] != found[b]]]).tolist():
        _join(attraction, found, np.flatnonzero(clumps == clump), walls)
    return renumber(found)


def _split(
    attraction: Attraction, labels: NDArray[np.int64], label: int, clumps: Labels, walls: Walls
) -> None:
    """Split a label that holds different things, in place.

    Each piece begins with one of the different things. The item that is attracted most by any piece
    joins it, one after the other, as in Prim's algorithm.
    """
    items = np.flatnonzero(labels == label)
    part = np.unique(clumps[items], return_inverse=True)[1]
    of_item = sp.csr_array((np.ones(len(items)), (part, np.arange(len(items)))))
    listed = (of_item @ attraction.listed[items][:, items] @ of_item.T).toarray()
    weight = of_item @ attraction.weight[items]
    apart = np.zeros(listed.shape, dtype=np.bool_)
    place = dict(zip(items.tolist(), part.tolist(), strict=True))
    for item in place.keys() & walls.others.keys():
        apart[place[item], [place[other] for other in walls.others[item] & place.keys()]] = True
    pull = listed - attraction.absent * np.outer(weight, weight)
    piece = _grow(pull, apart)
    labels[items] = np.where(piece == 0, label, labels.max() + piece)[part]


def _grow(pull: Floats, apart: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the piece of each part of a label; some parts must be apart.

    ``pull`` is how much two parts attract each other.

    Examples
    --------
    >>> pull = np.array([[0.0, 9.0, 1.0], [9.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> _grow(pull, np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    array([0, 0, 1])
    """
    found = np.full(len(pull), -1)
    toward: list[Floats] = []  # how much each piece attracts each part
    for part in np.argsort(-apart.sum(axis=1), kind="stable").tolist():
        if not apart[part].any():
            break
        fits = [k for k in range(len(toward)) if not apart[part][found == k].any()]
        found[part] = max(fits, key=lambda k: toward[k][part]) if fits else len(toward)
        toward += [np.zeros(len(pull))] * (not fits)
        toward[found[part]] = toward[found[part]] + pull[part]
    gains = np.array(toward)
    for _ in range(np.count_nonzero(found < 0)):
        k, part = np.unravel_index(np.where(found < 0, gains, -np.inf).argmax(), gains.shape)
        found[part] = k
        gains[k] += pull[part]
    return found


def _join(attraction: Attraction, labels: NDArray[np.int64], clump: Items, walls: Walls) -> None:
    """Give one label to items that are the same thing, in place.

    What else their labels hold comes along, the part that is attracted most first, as long as that
    is allowed and gains.
    """
    names = np.unique(labels[clump])
    rests = [np.setdiff1d(np.flatnonzero(labels == name), clump) for name in names]
    joined = clump
    while rests:
        gains = [
            attraction.between(joined, rest) if walls.allow(np.r_[joined, rest]) else -np.inf
            for rest in rests
        ]
        best = int(np.argmax(gains))
        if gains[best] <= 0.0:
            break
        joined = np.r_[joined, rests.pop(best)]
    labels[joined] = labels.max() + 1
