"""How likely pairs are right if entities may have any size: labels must foretell unseen scores.

Each tenth of the pairs is hidden in turn, and the hierarchy of the others (`hierarchy`) says of a
hidden pair, at each cut, how its items are related: they share a label; or not, and neither, one or
both of them are alone. Somebody who knows all other pairs is told the score of the hidden pair: on
which side of a threshold t it lies, and where on that side. That takes

    H(side of t | relation) + log sd(score | side, how near its items are to others)

nats a pair, but for what is the same of all cuts and thresholds. The first term is small if labels
foretell the side, the second one if there is a gap between two humps of scores. The cut and the
threshold with the shortest code are those of the entities. A list cannot tell if labels foretell
sides by less than it takes to name the cut and the threshold, and if there is no valley between two
humps that is worth naming the threshold.

Right and wrong pairs differ in their relations, so that these say how likely a pair with some score
is right: P(relation | score) is a mixture of two distributions, whose share p(score) never falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit, softmax

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.hashing import Keys, mix
from spherelax.coordinate.lists.hierarchy import Hierarchy
from spherelax.coordinate.lists.matching import MAX_ROUNDS, SETTLED
from spherelax.coordinate.sampling.doubt import SURE, clip_probability
from spherelax.coordinate.worth.alternatives import ALIKE
from spherelax.coordinate.worth.curve import Curve, Floats
from spherelax.labels import Labels, renumber
from spherelax.metrics import pairwise_scores

# Parts of the list that are hidden in turn. Fewer would take away too many pairs of small entities.
FOLDS = 10
# Places where thresholds and cuts are tried, evenly spaced in the log odds of the rank: few pairs
# may be right, or few wrong.
GRID = 400
# Relations of the two items of a pair: alone are both, one, none; or they share a label.
RELATIONS = 4
# Share of the scores, at each end, that may be outliers.
OUTER = 0.01
# What is added to each count (Jeffreys).
HALF = 0.5
# How much two humps of scores say of the share of right pairs, compared with the relations.
HUMPS = 0.5
# A code is shorter by chance, or because humps are not normal, by what this number of pairs tells.
BELIEVED = 100.0
# Levels that stand for all that are about as likely.
LEVELS = 10
# Single precision cannot tell probabilities apart that are nearer to 0 or 1 than this.
PRECISION = 2.0**-24


class Foretold(NamedTuple):
    """What a list teaches of its scores, for the pairs of any list with such scores.

    Attributes
    ----------
    scale : {"given", "ratio", "probability", "information"}
        How scores are read: as they are; by their logarithms; as probabilities, or as
        ``-log(1 - p)`` of these, by their log odds.
    low, high : float
        The lowest and the highest score that counts as it is; those beyond are outliers.
    top : float
        The score that makes two items the same; infinity if there is none.
    cut : float
        The level of the hierarchy at which items are related.
    curve : Curve
        Bins of scores.
    share : ndarray
        How likely the pairs of each bin are right, by their score.
    same : float
        How likely pairs are right that make two items the same.
    ratio : ndarray of shape (4,)
        How much likelier each relation is of a right pair than of a wrong one.
    cuts : ndarray
        Levels that rise, at which the hierarchy can be cut; above the last one nothing merges.
    best : float
        The cut with the largest expected F over listed pairs.
    threshold : float
        The score between right and wrong pairs.
    saved : float
        Nats by which two humps and relations describe scores better than one hump does, less what
        it takes to name the cut and the threshold.
    is_told : bool
        Whether the list can tell right pairs from wrong ones.
    levels : ndarray
        Cuts that are as likely as each other to be the one that is meant.
    rival : int
        Number of labels at another level that the list shows, such as families of persons; 0: none.
    """

    scale: str
    low: float
    high: float
    top: float
    cut: float
    curve: Curve
    share: Floats
    same: float
    ratio: Floats
    cuts: Floats
    best: float
    threshold: float
    saved: float
    is_told: bool
    levels: Floats
    rival: int = 0

    def right(self, pairs: Candidates) -> Floats:
        """Return for each pair how likely it is right."""
        table = _Table.of(pairs, self)
        relation = _relate(table.foretell(), self.cut)
        share = self.share[self.curve.bins(table.score)]
        found = expit(logit(share) + np.log(self.ratio)[relation])
        return np.append(found, self.same)[table.row]

    @property
    def joins_nothing(self) -> bool:
        """Whether nothing is joined because the list cannot tell."""
        return not self.is_told and len(self.cuts) > 1

    def nearest(self, level: float) -> float:
        """Return the cut that is nearest to a level; infinity if nothing is joined there."""
        if np.isclose(level, self.best):
            return np.inf if self.joins_nothing else self.best
        return float(self.cuts[np.abs(self.cuts - level).argmin()])

    def join_all(self) -> Foretold:
        """Take all pairs for right: nothing contradicts them."""
        return self._even(1.0 - SURE)._replace(cuts=np.zeros(1), best=0.0, levels=np.zeros(1))

    def join_none(self) -> Foretold:
        """Take all pairs for wrong, but those that make two items the same.

        Where a list cannot tell, all may as well be right.
        """
        none = float(self.cuts[-1])
        levels = self.levels if self.is_told else np.array([0.0, none])
        return self._even(SURE)._replace(best=none, levels=levels)

    def _even(self, share: float) -> Foretold:
        """Take pairs of all scores for as likely right."""
        return self._replace(
            curve=Curve.from_cuts(np.empty(0)),
            share=np.array([share]),
            same=1.0 - SURE,
            ratio=np.ones(RELATIONS),
        )

    def steps(self, pairs: Candidates, cuts: Floats) -> Iterator[Labels]:
        """Yield labels at each cut of the hierarchy of a list."""
        table = _Table.of(pairs, self)
        tree = table.tree()
        for cut in cuts:
            yield renumber(tree.labels(cut)[table.item])


def learn_foretold(pairs: Candidates, scale: str = "given") -> Foretold:
    """Learn from a list what its scores are worth.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one, other = np.triu_indices(80, 1)
    >>> is_right = one // 2 == other // 2
    >>> kept = is_right | (rng.random(len(one)) < 0.1)
    >>> score = rng.normal(np.where(is_right, 0.8, 0.3), 0.05)
    >>> pairs = Candidates(80, one[kept], other[kept], score[kept])
    >>> right = learn_foretold(pairs).right(pairs)
    >>> bool(np.all((right > 0.5) == is_right[kept]))
    True
    """
    found = _learn(pairs, scale)
    return _name_rival(pairs, found) if found.is_told else found


def _learn(pairs: Candidates, scale: str) -> Foretold:
    """Learn what the scores of a list are worth, without another level."""
    score = read_scale(pairs.score, scale)
    top = float(score.max()) if pairs.group is None else np.inf
    if np.count_nonzero(score == top) <= 1:
        top = np.inf
    low, high = _fence(score)
    begin = Foretold(
        scale=scale,
        low=low,
        high=high,
        top=top,
        cut=np.inf,
        curve=Curve.from_cuts(np.empty(0)),
        share=np.ones(1),
        same=1.0,
        ratio=np.ones(RELATIONS),
        cuts=np.zeros(1),
        best=0.0,
        threshold=np.inf,
        saved=0.0,
        is_told=False,
        levels=np.zeros(1),
    )
    table = _Table.of(pairs, begin)
    if len(table.score) < 2 or np.ptp(table.score) == 0.0:
        return begin.join_all()
    seen, tree = table.foretell(), table.tree()
    cuts = _spread(tree.levels)
    code = _Code.of(table.score, seen, cuts)
    curve, meet = Curve.from_cuts(code.edges), tree.meet(table.one, table.other)
    bins, cuts = curve.bins(table.score), np.append(cuts, np.nextafter(cuts[-1], np.inf))
    levels = np.append(np.unique(tree.levels), cuts[-1])

    def judge(cut: float, humps: Floats) -> tuple[Floats, Floats, Floats]:
        relation = _relate(seen, cut)
        share, ratio = _fit(bins, relation, humps)
        return share, ratio, expit(logit(share[bins]) + np.log(ratio)[relation])

    def answer(edge: int) -> Foretold:
        cut, threshold = float(cuts[code.length[:, edge].argmin()]), float(code.edges[edge])
        upper = table.score >= threshold
        humps = _humps(table.score, upper)
        # The cut that foretells most is not always the one that the threshold means.
        cut = _best_cut(levels, meet, np.maximum(judge(cut, humps)[2], upper))
        share, ratio, right = judge(cut, humps)
        return begin._replace(
            cut=cut,
            curve=curve,
            share=share,
            same=float(share[-1]),
            ratio=ratio,
            cuts=cuts,
            best=_best_cut(levels, meet, right),
            threshold=threshold,
        )

    profile = code.length.min(axis=0)
    edge = int(profile.argmin())
    found = answer(edge)._replace(
        saved=-len(table.score) * float(profile[edge]) - np.log(code.side.size),
        is_told=code.is_told(edge, table.score),
        levels=np.array([answer(each).best for each in code.likely_edges(len(table.score))]),
    )
    if not found.is_told and _valley(score, score >= top) > np.log(len(code.edges)):
        return found._replace(is_told=True).join_none()
    return found


def _name_rival(pairs: Candidates, found: Foretold) -> Foretold:
    """Add the number of labels of another answer, if there is one.

    That is a level inside or between labels, which is then one more of the likely levels; or else
    one of these, if most of them have other labels.
    """
    table = _Table.of(pairs, found)
    tree = table.tree()
    labels = renumber(tree.labels(found.best)[table.item])
    rival = _count_rival(pairs, found.scale, labels) if pairs.group is None else 0
    if rival:
        n_merges = int(table.item.max()) + 1 - rival
        cut = np.r_[np.inf, tree.levels[::-1], 0.0][max(n_merges, 0) :][:2].mean()
        return found._replace(rival=rival, levels=np.append(found.levels, cut))
    others = [renumber(tree.labels(cut)[table.item]) for cut in found.levels]
    unlike = [int(x.max()) + 1 for x in others if pairwise_scores(labels, x).f_score <= ALIKE]
    is_likelier = 2 * len(unlike) > len(others)
    return found._replace(rival=sorted(unlike)[len(unlike) // 2]) if is_likelier else found


def _count_rival(pairs: Candidates, scale: str, labels: Labels) -> int:
    """Return the number of labels at a level inside or between labels; 0: there is none.

    A finer level is that of the pairs inside labels, if two humps describe these more briefly than
    one does. A coarser one is that of the pairs between labels, which are then the items; it must
    be foretold, too, because wrong pairs alone may have two humps.
    """
    is_inside = labels[pairs.one] == labels[pairs.other]
    finer, coarser = ((is_inside, np.arange(len(labels))), (~is_inside, labels.astype(np.intp)))
    for part, item in (finer, coarser):
        if not part.any():
            continue
        one, other, score = item[pairs.one[part]], item[pairs.other[part]], pairs.score[part]
        some = Candidates(int(item.max()) + 1, one, other, score)
        level = _learn(some, scale)
        (rival,) = level.steps(some, np.array([level.best]))
        is_level = level.saved > 0.0 and (level.is_told or item is finer[1])
        if is_level and pairwise_scores(labels, rival[item]).f_score <= ALIKE:
            return int(rival.max()) + 1
    return 0


def read_scale(score: NDArray[np.floating], scale: str) -> Floats:
    """Return scores as they are, their logarithms, or log odds of probabilities.

    Examples
    --------
    >>> read_scale(np.array([0.5, 0.9]), "probability").round(2)
    array([0. , 2.2])
    >>> read_scale(np.log([2.0, 10.0]), "information").round(2)
    array([0. , 2.2])
    """
    x = score.astype(float)
    if scale == "given":
        return x
    if scale == "ratio":
        return np.asarray(np.log(np.maximum(x, PRECISION)))
    if scale == "information":
        x = -np.expm1(-x)
    return np.asarray(logit(np.clip(x, PRECISION, 1.0 - PRECISION)))


def find_scale(score: NDArray[np.floating]) -> str:
    """Tell whether scores up to 1 are better read by their logarithms, or as probabilities.

    They are if two humps on that scale describe the scores in one bit a pair less than two humps
    of the scores do: that is more than the side of any threshold takes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> odds = rng.normal(np.where(rng.random(1000) < 0.3, 6.0, -4.0), 2.0)
    >>> find_scale(expit(odds)), find_scale(0.5 + 0.03 * odds), find_scale(np.exp(odds - 15.0))
    ('probability', 'given', 'ratio')
    """
    inner = score[(score > PRECISION) & (score < min(score.max(), 1.0 - PRECISION))].astype(float)
    if len(inner) < 2 or np.ptp(inner) == 0.0:
        return "given"
    # Log of the slope of each scale: lengths of codes are those of the scores themselves.
    slopes = {"ratio": -np.log(inner), "probability": -np.log(inner * (1.0 - inner))}
    found, shortest = "given", _marginal(inner)
    for name, slope in slopes.items():
        length = _marginal(read_scale(inner, name)) - float(slope.mean())
        if length < shortest - np.log(2.0):
            found, shortest = name, length
    return found


def find_threshold(right: Floats) -> float:
    """Return half of the largest F that joining the likeliest pairs can be expected to have.

    Joining one more pair raises the expected F if it is right with a higher probability.
    """
    best_first = np.sort(right)[::-1]
    expected = 2.0 * np.cumsum(best_first) / (np.arange(1, len(right) + 1) + right.sum())
    return 0.5 * float(expected.max())


class _Table(NamedTuple):
    """Pairs of items, each listed once: items that are the same were joined before."""

    item: NDArray[np.int64]  # (n_items), what an item is joined to, numbered from 0
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    score: Floats
    group: NDArray[np.int32]
    low: float
    row: NDArray[np.int64]  # the row of each pair that was given; the last one: its items are one

    @classmethod
    def of(cls, pairs: Candidates, known: Foretold) -> _Table:
        """Join what is the same, and take the mean score of pairs that are then one."""
        score, n = read_scale(pairs.score, known.scale), pairs.n_items
        same, item = score >= known.top, np.arange(n)
        if same.any():
            links = coo_array((same[same], (pairs.one[same], pairs.other[same])), shape=(n, n))
            item = connected_components(links, directed=False)[1].astype(np.int64)
        one, other = item[pairs.one], item[pairs.other]
        apart = np.flatnonzero(one != other)
        key = np.minimum(one, other)[apart] * n + np.maximum(one, other)[apart]
        kept, row, times = np.unique(key, return_inverse=True, return_counts=True)
        rows = np.full(len(one), len(kept))
        rows[apart] = row
        score = np.clip(score[apart], known.low, known.high)
        mean = np.bincount(row, weights=score, minlength=len(kept)) / times
        group = np.empty(0, np.int32) if pairs.group is None else pairs.group
        return cls(item, kept // n, kept % n, mean, group, known.low, rows)

    def tree(self, kept: NDArray[np.bool_] | slice = slice(None)) -> Hierarchy:
        """Return the hierarchy of some of the pairs."""
        one, other, score = self.one[kept], self.other[kept], self.score[kept] - self.low
        return Hierarchy.of(len(self.item), one, other, score, self.group)

    def foretell(self) -> Floats:
        """Return of each pair, by hierarchies that have not seen it, three levels.

        Where its two items meet; and where the earlier and the later of both stop being alone.
        """
        found, fold = np.empty((3, len(self.score))), self._folds()
        for number in range(FOLDS):
            hidden = fold == number
            tree = self.tree(~hidden)
            one, other = self.one[hidden], self.other[hidden]
            first = np.sort([tree.first[one], tree.first[other]], axis=0)
            found[:, hidden] = tree.meet(one, other), *first
        return found

    def _folds(self) -> NDArray[np.int64]:
        """Return the fold of each pair, by its score and by the scores of all pairs of its items.

        So it depends neither on the order of the pairs nor on what lies beside.
        """
        key: Keys = mix(self.score.view(np.uint64))
        of_item = np.zeros(len(self.item), np.uint64)
        np.add.at(of_item, self.one, key)
        np.add.at(of_item, self.other, key)
        drawn = mix(key + mix(of_item)[self.one] + mix(of_item)[self.other])
        return (drawn % np.uint64(FOLDS)).astype(np.int64)


class _Code(NamedTuple):
    """How many nats a pair it takes to tell hidden scores, by cut and by threshold."""

    edges: Floats
    side: Floats  # (n_cuts, n_edges), the entropy of the side, given the relation
    place: Floats  # (n_edges), log sd of the place on that side, compared with one hump

    @classmethod
    def of(cls, score: Floats, seen: Floats, cuts: Floats) -> _Code:
        """Add up what the sides of all thresholds take, and what the places on both sides do."""
        edges = _spread(score)[1:]
        bins = np.searchsorted(edges, score, side="right")
        return cls(edges, _side_code(bins, seen, cuts), _place_code(score, bins, seen[1]))

    @property
    def length(self) -> Floats:
        """The length of the code."""
        return self.side + self.place

    def likely_edges(self, n_pairs: int) -> NDArray[np.intp]:
        """Return some thresholds, each as likely as the others; several may be the same.

        Nats are believed like those of `BELIEVED` pairs (a coarsened posterior).
        """
        weight = softmax(-self.length.min(axis=0) / (1.0 / n_pairs + 1.0 / BELIEVED))
        at = (np.arange(LEVELS) + 0.5) / LEVELS
        return np.searchsorted(weight.cumsum(), at).clip(0, len(weight) - 1)

    def is_told(self, edge: int, score: Floats) -> bool:
        """Tell whether labels foretell the sides, or a valley of scores is between them."""
        upper = score >= self.edges[edge]
        least = self.side[self.length[:, edge].argmin(), edge]
        foretold = len(score) * (_entropy(upper.mean()) - least)
        return bool(
            foretold > np.log(self.side.size) or _valley(score, upper) > np.log(self.edges.size)
        )


def _entropy(share: Any) -> Any:
    """Return the entropy of a side that this share of the pairs is on, in nats."""
    return -share * np.log(share) - (1.0 - share) * np.log1p(-share)


def _valley(score: Floats, upper: NDArray[np.bool_]) -> float:
    """Return by how many nats two densities with one mode each are likelier than one with one mode.

    Examples
    --------
    >>> score = np.r_[np.linspace(0.0, 0.4, 90), np.linspace(0.8, 1.0, 30)]
    >>> round(_valley(score, score > 0.6))
    30
    """
    n = 2 * int(np.ceil(np.sqrt(len(score))))
    places = ((score - score.min()) / np.ptp(score) * n).astype(np.intp).clip(0, n - 1)
    high, low = (np.bincount(places[side], minlength=n) for side in (upper, ~upper))
    return _one_mode(high) + _one_mode(low) - _one_mode(high + low)


def _one_mode(count: NDArray[np.intp]) -> float:
    """Return the log likelihood of counts by the best density with one mode, but for a constant."""
    return float((_rising(count) + _rising(count[::-1])[::-1]).max())


def _rising(count: NDArray[np.intp]) -> Floats:
    """Return the log likelihood of the first 0, 1, 2 .. counts by the best rising density.

    Pools of neighbours that would fall are joined (as in isotonic regression).
    """
    pools: list[tuple[float, float, float]] = []
    found = [0.0]
    for each in count:
        n, width = float(each), 1.0
        while pools and pools[-1][0] * width >= n * pools[-1][1]:
            n, width = n + pools[-1][0], width + pools[-1][1]
            pools.pop()
        before = pools[-1][2] if pools else 0.0
        pools.append((n, width, before + (n * np.log(n / width) if n else 0.0)))
        found.append(pools[-1][2])
    return np.array(found)


def _side_code(bins: NDArray[np.intp], seen: Floats, cuts: Floats) -> Floats:
    """Return the entropy of the side of each threshold, given the relation at each cut."""
    n_bins, n_cuts = int(bins.max()) + 1, len(cuts)
    above = []
    for level in seen:
        key = np.searchsorted(cuts, level, side="right") * n_bins + bins
        table = np.bincount(key, minlength=(n_cuts + 1) * n_bins).reshape(n_cuts + 1, n_bins)
        above.append(table[::-1].cumsum(axis=0)[::-1][1:])
    met, both, any_ = above
    total = np.zeros((n_cuts, n_bins - 1))
    for count in (met, both - met, any_ - both, np.bincount(bins) - any_):
        low = count.cumsum(axis=1)[:, :-1] + HALF
        high = count.sum(axis=1, keepdims=True) + 2.0 * HALF - low
        total -= low * np.log(low / (low + high)) + high * np.log(high / (low + high))
    return total / len(bins)


def _place_code(score: Floats, bins: NDArray[np.intp], near: Floats) -> Floats:
    """Return log sd(score | side) for each threshold, compared with one hump.

    Scores rise with how near the items of a pair are to others, which is taken off by regression.
    Of scores that have few values, what lies between two values is not told: the spacing of values
    is added to their spread (Sheppard).
    """
    n, n_bins = len(score), int(bins.max()) + 1
    near = np.where(np.isfinite(near), near, 0.0)
    near = near - near.mean()
    norm = float(np.sqrt(near @ near))
    near = near / norm if norm > 0.0 else near
    rest = score - score.mean()
    rest = rest - near * float(near @ rest)

    def sums(values: Floats) -> Floats:
        return np.asarray(np.bincount(bins, weights=values, minlength=n_bins).cumsum()[:-1])

    below = np.bincount(bins, minlength=n_bins).cumsum()[:-1]
    spread = below * (1.0 - below / n) - np.square(sums(near))
    explained = np.square(sums(rest)) / np.maximum(spread, HALF)
    whole, grain = float(rest @ rest), _grain(score) * n
    within = np.maximum(whole - explained, 0.0)
    return np.asarray(0.5 * np.log((within + grain) / (whole + grain)))


def _grain(score: Floats) -> float:
    """Return the variance inside one step of scores, if their values are evenly spaced."""
    return float((np.ptp(score) / (len(np.unique(score)) - 1)) ** 2 / 12.0)


def _marginal(score: Floats) -> float:
    """Return how many nats a pair scores take by two humps, without relations."""
    edges = _spread(score)[1:]
    bins = np.searchsorted(edges, score, side="right")
    above = 1.0 - np.bincount(bins).cumsum()[:-1] / len(score)
    place = _place_code(score, bins, np.zeros(len(score)))
    return float((_entropy(above) + place).min() + np.log(score.std()))


def _fence(score: Floats) -> tuple[float, float]:
    """Return between which scores all lie but outliers.

    Outliers are farther from the inner scores than these are from each other.

    Examples
    --------
    >>> _fence(np.array([0.1, 0.2, 0.4, 0.6, 50.0]))
    (0.1, 1.0)
    """
    ordered = np.sort(score)
    n_outer = min(int(np.ceil(OUTER * len(score))), (len(score) - 1) // 2)
    inner = ordered[n_outer : len(score) - n_outer]
    width = np.ptp(inner) or np.inf
    low, high = max(ordered[0], inner[0] - width), min(ordered[-1], inner[-1] + width)
    return float(low), float(high)


def _spread(values: Floats) -> Floats:
    """Return some of the values, which rise: evenly spaced in the log odds of their ranks."""
    n = len(values)
    ends = np.log(n) * np.linspace(-1.0, 1.0, GRID)
    at = np.unique((n * expit(ends)).astype(np.intp).clip(0, n - 1))
    ordered = np.sort(values)
    return np.unique(np.r_[ordered[0], ordered[at]])


def _relate(seen: Floats, cut: float) -> NDArray[np.int64]:
    """Return the relation of each pair at a cut: how many of its items are not alone; 3: one label.

    Examples
    --------
    >>> _relate(np.array([[0.9, 0.1, 0.1], [0.9, 0.5, 0.1], [0.9, 0.5, 0.5]]), 0.4)
    array([3, 2, 1])
    """
    return np.asarray((seen >= cut).sum(axis=0))


def _humps(score: Floats, side: NDArray[np.bool_]) -> Floats:
    """Return how likely each pair belongs to the upper one of two normal humps of one width."""
    high, low = score[side].mean(), score[~side].mean()
    spread = np.mean(np.square(score - np.where(side, high, low))) + _grain(score)
    odds = (high - low) / spread * (score - 0.5 * (high + low)) + logit(side.mean())
    return clip_probability(expit(odds))


def _fit(
    bins: NDArray[np.intp], relation: NDArray[np.int64], humps: Floats
) -> tuple[Floats, Floats]:
    """Return the share of right pairs of each bin, and the likelihood ratio of each relation.

    Expectation maximisation, beginning with the humps, which count `HUMPS` times as much as the
    relations do: where relations tell nothing, the humps are left.
    """
    n_bins = int(bins.max()) + 1
    count = np.bincount(bins * RELATIONS + relation, minlength=n_bins * RELATIONS)
    count = count.reshape(n_bins, RELATIONS).astype(float)
    weight = count.sum(axis=1)
    prior = share = np.bincount(bins, weights=humps, minlength=n_bins) / weight
    right = np.repeat(share[:, None], RELATIONS, axis=1)
    for _ in range(MAX_ROUNDS):
        one, other = ((count * each).sum(axis=0) + HALF for each in (right, 1.0 - right))
        ratio = one / one.sum() / (other / other.sum())
        right = expit(logit(share)[:, None] + np.log(ratio))
        mean = ((count * right).sum(axis=1) / weight + HUMPS * prior) / (1.0 + HUMPS)
        last, share = share, isotonic_regression(mean, weights=weight).x
        share = clip_probability(share)
        if np.abs(share - last).max() < SETTLED:
            break
    return share, np.asarray(ratio)


def _best_cut(levels: Floats, meet: Floats, right: Floats) -> float:
    """Return the cut with the largest expected F over listed pairs, between two of the levels."""
    order = np.argsort(-meet)
    n_joined = np.searchsorted(-meet[order], -levels, side="right")
    hits = np.r_[0.0, np.cumsum(right[order])][n_joined]
    best = int(np.argmax(hits / (n_joined + right.sum())))
    return float(0.5 * (levels[best] + levels[best - 1])) if best else 0.0
