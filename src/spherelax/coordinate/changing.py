"""What would have to change, so that two items part or join: found by solving again.

Pairs are removed or raised, and the components are solved again with all that was learnt kept
(`frozen`), until the items part or join, whatever labels the ascent begins with. In a large
component, this is done with the labels around both items; what is found is confirmed with all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.frozen import Frozen
from spherelax.coordinate.graph import contract_pairs, minimum_cut
from spherelax.coordinate.judging import CERTAIN
from spherelax.coordinate.readings import Stated
from spherelax.labels import Labels
from spherelax.result import Change

Items = NDArray[np.intp]
NO_PAIRS = np.empty((0, 2), dtype=np.intp)

# The lowest share of the highest score that is tried, for the lowest one that joins items; and
# digits that this is found and told with.
LEAST = 1e-6
DIGITS = 3
# Items around two others at most with which it is tried what parts or joins these.
NEAR = 2000
# Items of both labels at most: of larger ones it is not looked for.
MOST_ITEMS = 10_000
# Pairs at most that are raised together, and cuts that are tried one after the other: these and the
# two numbers before bound the time, and nobody can act on more.
MOST_RAISED = 10_000
MOST_CUTS = 30


def seek(frozen: Frozen, a: int, b: int, side: Items) -> Change | None:
    """Return what parts two items, if they share a label, or joins them; None: nothing was found.

    ``side`` has the items of one side of a cut that is tried first, if it is not empty.
    """
    near = frozen.around(a, b, NEAR)
    k, j = np.searchsorted(near.items, frozen.items[[a, b]]).tolist()
    if frozen.labels[a] != frozen.labels[b]:
        found = join(near, k, j)
    else:
        found = part(near, k, j, np.searchsorted(near.items, frozen.items[side]))
    if found is None or near is frozen:
        return found
    removed, raised = (np.searchsorted(frozen.items, pairs) for pairs in found[:2])
    labels = _try(frozen, removed, raised, found.score / frozen.model.reading.unit)[0]
    has_changed = (labels[a] == labels[b]) != (frozen.labels[a] == frozen.labels[b])
    return found if has_changed else None


def part(frozen: Frozen, a: int, b: int, side: Items) -> Change | None:
    """Return pairs without which two items of one label part; None: none were found.

    ``side`` has the items of one side of a cut that is tried first, if it is not empty. Then paths
    are cut where they are weakest, round by round. Of all these pairs, as few as are needed, the
    strongest ones, are named.
    """
    removed = NO_PAIRS
    answers: tuple[Labels, ...] = (frozen.labels,)
    for _ in range(MOST_CUTS):
        labels = next(labels for labels in answers if labels[a] == labels[b])
        scores, mates = _remove(frozen.scores, removed), np.flatnonzero(labels == labels[a])
        if len(removed) == 0 and len(side) > 0:
            one = np.isin(mates, side)
        else:
            worth = sp.csr_array(frozen.attraction.listed.multiply(scores != 0.0))
            clump = frozen.clumps(mates)
            k, j = clump[np.searchsorted(mates, [a, b])].tolist()
            one = minimum_cut(contract_pairs(worth[mates][:, mates], clump), k, j)[clump]
        across = _list_between(scores, mates[one], mates[~one])
        if frozen.model.reading.foretold is None:  # what speaks against one label may stay
            across = across[_worth(frozen, across) > 0.0]
        if len(across) == 0:
            return None
        removed = np.r_[removed, across]
        answers = _try(frozen, removed)
        if _are_apart(answers, a, b):
            fewest = _find_fewest(frozen, removed, a, b)
            return Change(_number_as_given(frozen, fewest), NO_PAIRS, np.nan)
    return None


def _find_fewest(frozen: Frozen, removed: Items, a: int, b: int) -> Items:
    """Return the strongest of some pairs, as many as are needed to part two items."""
    removed = removed[np.argsort(-_worth(frozen, removed), kind="stable")]
    too_few, enough = 0, len(removed)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _are_apart(_try(frozen, removed[:middle]), a, b):
            enough = middle
        else:
            too_few = middle
    return removed[:enough]


def join(frozen: Frozen, a: int, b: int) -> Change | None:
    """Return the fewest pairs that join two items if they score more; None: none were found.

    Their own pair may be raised, or those of the one with the label of the other, or all between
    both labels; and what has the place of an item, or ties it to its label, may be removed.
    """
    one, other = frozen.mates(a), frozen.mates(b)
    sides = [
        (some, others)
        for some, others in (([a], [b]), ([a], other), (one, [b]), (one, other))
        if len(some) * len(others) <= MOST_RAISED
    ]
    raised = [_list_allowed(frozen, np.asarray(some), np.asarray(others)) for some, others in sides]
    ways = [(few, more) for few in (NO_PAIRS, *_ties(frozen, a, b)) for more in raised]
    unit, top = frozen.model.reading.unit, float(frozen.model.given.values.max(initial=1.0))
    if isinstance(frozen.model.reading, Stated):
        top = CERTAIN
    for few, more in sorted(ways, key=lambda way: len(way[0]) + len(way[1])):
        joins = partial(_joins, frozen, (a, b), few, more)
        if joins(top):
            score = unit * _least_score(joins, top, unit)
            return Change(_number_as_given(frozen, few), _number_as_given(frozen, more), score)
    return None


def _joins(
    frozen: Frozen, pair: tuple[int, int], removed: Items, raised: Items, score: float
) -> bool:
    """Tell whether two items join if some pairs are removed and others raised to a score."""
    a, b = pair
    return all(labels[a] == labels[b] for labels in _try(frozen, removed, raised, score))


def _least_score(joins: Callable[[float], bool], top: float, unit: float) -> float:
    """Return about the lowest score that joins, rounded up; at the top it does.

    Examples
    --------
    >>> _least_score(lambda score: score >= 0.4321, 1.0, 1.0)
    0.434
    """
    too_low, enough = LEAST * top, top
    if joins(too_low):
        return too_low
    while enough > too_low * (1.0 + 0.5 * 10.0 ** (1 - DIGITS)):
        middle = float(np.sqrt(too_low * enough))
        too_low, enough = (too_low, middle) if joins(middle) else (middle, enough)
    score = min(_round_up(enough * unit) / unit, top)
    return score if joins(score) else top


def _ties(frozen: Frozen, a: int, b: int) -> Iterator[Items]:
    """Yield pairs to remove: of rivals that have the place of an item, then its own, too."""
    groups, places, ties = frozen.groups, [], []
    for x, y in ((a, b), (b, a)):
        own, its = frozen.mates(x), frozen.mates(y)
        rivals = its[groups[its] == groups[x]]
        places.append(_list_between(frozen.scores, rivals, np.setdiff1d(its, rivals)))
        ties.append(_list_between(frozen.scores, np.array([x]), own[own != x]))
    for some in ([0], [1], [0, 1]):
        yield np.concatenate([places[k] for k in some])
        yield np.concatenate([found[k] for k in some for found in (places, ties)])


def _try(
    frozen: Frozen, removed: Items, raised: Items = NO_PAIRS, score: float = 0.0
) -> tuple[Labels, ...]:
    """Return all labels that result if some pairs are removed and others raised to a score."""
    scores = _remove(frozen.scores, removed)
    if len(raised) > 0:
        scores = _raise(scores, raised, score)
    return frozen.solve(scores, np.unique(np.r_[removed, raised]))


def _are_apart(answers: tuple[Labels, ...], a: int, b: int) -> bool:
    """Tell whether two items have different labels in all answers."""
    return all(labels[a] != labels[b] for labels in answers)


def _list_between(scores: sp.csr_array, some: Items, others: Items) -> Items:
    """Return the listed pairs between items."""
    found = scores[some][:, others].tocoo()
    return np.column_stack([some[found.row], others[found.col]]).astype(np.intp)


def _worth(frozen: Frozen, pairs: Items) -> NDArray[np.float64]:
    """Return what listed pairs are worth."""
    if len(pairs) == 0:
        return np.empty(0)
    return np.asarray(frozen.attraction.listed[*pairs.T]).ravel()


def _list_allowed(frozen: Frozen, some: Items, others: Items) -> Items:
    """Return all pairs between items that may share a label."""
    k, j = np.indices((len(some), len(others))).reshape(2, -1)
    one, other = some[k], others[j]
    is_allowed = frozen.groups[one] != frozen.groups[other]
    return np.column_stack([one[is_allowed], other[is_allowed]])


def _number_as_given(frozen: Frozen, pairs: Items) -> Items:
    """Return pairs of items as the problem numbers them, in order."""
    found = np.sort(frozen.items[pairs], axis=1)
    return found[np.lexsort(found.T[::-1])]


def _remove(scores: sp.csr_array, removed: Items) -> sp.csr_array:
    """Return similarities without some pairs.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 2.0, 1.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> _remove(W, np.array([[2, 0]])).toarray().tolist()
    [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    gone = _matrix(removed, 1.0, scores.shape[0])
    found = sp.csr_array(scores - scores.multiply(gone))
    found.eliminate_zeros()
    return found


def _raise(scores: sp.csr_array, raised: Items, score: float) -> sp.csr_array:
    """Return similarities in which some pairs have at least a score.

    Examples
    --------
    >>> W = sp.csr_array([[0.0, 2.0, -1.0], [2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    >>> _raise(W, np.array([[0, 1], [2, 0], [1, 2]]), 0.5).toarray().tolist()
    [[0.0, 2.0, 0.5], [2.0, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    more = _matrix(raised, score, scores.shape[0])
    now = scores.multiply(more.sign())
    return sp.csr_array(scores - now + now.maximum(more))


def _matrix(pairs: Items, value: float, n_items: int) -> sp.csr_array:
    """Return a symmetric matrix that has one value at some pairs."""
    one, other = np.r_[pairs, pairs[:, ::-1]].T
    entries = (np.full(len(one), value), (one, other))
    return sp.csr_array(sp.coo_array(entries, shape=(n_items, n_items)))


def _round_up(score: float) -> float:
    """Return a score rounded up to a few digits.

    Examples
    --------
    >>> _round_up(0.12345), _round_up(12345.0)
    (0.124, 12400.0)
    """
    digits = DIGITS - 1 - int(np.floor(np.log10(score)))
    return round(float(np.ceil(score * 10.0**digits)) / 10.0**digits, max(digits, 0))
