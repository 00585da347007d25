"""Labels drawn at random, in proportion to how likely they are: one item after the other, compiled.

An item joins a label with odds that multiply what its candidates there score, what candidates that
it lacks there cost, and how readily labels of that size grow; against having a label of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.machine.compiled import compiled


class Net(NamedTuple):
    """The candidates of each item: items ``indices[e]`` with the pair that they make."""

    indptr: Any  # int64 (m + 1)
    indices: Any  # int64
    pair: Any  # int64
    group: Any  # int32 (m), or empty where there are no groups
    source: Any  # int32 (m), items of one were never compared, -1: may be; or empty: all may

    @classmethod
    def of(cls, pairs: Candidates) -> Net:
        """Return the candidates of each item."""
        indptr = np.zeros(pairs.n_items + 1, dtype=np.int64)
        for item in (pairs.one, pairs.other):
            indptr[1:] += np.bincount(item, minlength=pairs.n_items)
        np.cumsum(indptr, out=indptr)
        partner, pair = _by_item(indptr, pairs.one, pairs.other)
        none = np.empty(0, np.int32)
        group, source = (none if of is None else of for of in (pairs.group, pairs.source))
        return cls(indptr, partner, pair, group, source)


class Beliefs(NamedTuple):
    """What is believed of scores and labels, in nats."""

    same: Any  # float64 (n_bins, or n_pairs), log of how much likelier a score is of a right pair
    other: Any  # float64 (n_bins), the same for wrong pairs; both against all pairs
    absent: Any  # float64, what a pair of one label costs that is not listed
    join: Any  # float64, log odds of joining a label of one item
    growth: Any  # float64 (LARGEST), what is added to them by the number of items of the label
    alike: Any  # float64 (2), how alike pairs of one item with one label are: right, wrong


class Judged(NamedTuple):
    """What was learnt of a list: how likely its pairs are right, and what to judge labels by."""

    right: Any  # float64
    beliefs: Beliefs | None  # of each pair; None: an item has one partner at most


class State(NamedTuple):
    """Labels, all below n_items, and what is kept up to date with them."""

    labels: Any  # int64 (m)
    size: Any  # int64 (m)
    first: Any  # int64 (m), an item of each label; -1: none
    next: Any  # int64 (m), the next item of the same label; -1: none
    last: Any  # int64 (m), the one before it; anything for the first

    @classmethod
    def of(cls, labels: NDArray[np.integer]) -> State:
        """Return the state of labels.

        Examples
        --------
        >>> State.of(np.array([0, 1, 0])).next
        array([ 2, -1, -1])
        """
        m = len(labels)
        by_label = np.argsort(labels, kind="stable")
        is_last = np.diff(labels[by_label], append=m) != 0
        first, following, before = np.full(m, -1), np.full(m, -1), np.full(m, -1)
        following[by_label[:-1]] = np.where(is_last[:-1], -1, by_label[1:])
        before[by_label[1:]] = by_label[:-1]
        first[labels[by_label[::-1]]] = by_label[::-1]
        size = np.bincount(labels, minlength=m)
        return cls(labels.astype(np.int64), size, first, following, before)


class Sums(NamedTuple):
    """What the candidates of one item say, by label; 0 before and after each visit."""

    same: Any  # float64 (m)
    other: Any  # float64 (m)
    count: Any  # int64 (m)
    touched: Any  # int64 (m + 1), the labels with a sum
    odds: Any  # float64 (m + 1), of these labels

    @classmethod
    def of(cls, m: int) -> Sums:
        """Return the sums of m labels, all 0."""
        touched = np.empty(m + 1, np.int64)
        return cls(np.zeros(m), np.zeros(m), np.zeros(m, np.int64), touched, np.zeros(m + 1))


class Tally(NamedTuple):
    """What is counted during passes."""

    right: Any  # float64 (n_pairs), how often the items of a pair have one label, from both sides
    openings: Any  # float64 (m), labels that an item could join, by their prior odds


@compiled
def _by_item(indptr, one, other):
    """Return the partners of each item, and the pairs that they make."""
    found = np.empty((2, 2 * len(one)), np.int64)
    place = indptr[:-1].copy()
    for e in range(len(one)):
        at = place[one[e]]
        found[0, at], found[1, at] = other[e], e
        place[one[e]] += 1
    for e in range(len(one)):
        at = place[other[e]]
        found[0, at], found[1, at] = one[e], e
        place[other[e]] += 1
    return found


@compiled
def visit_all(net, beliefs, state, sums, tally, chance):
    """Draw a new label for every item in turn, given those of all others; count what is likely.

    Reads net and beliefs; writes state and tally. ``chance`` is a random order of the items and a
    random number for each.
    """
    spare = 0
    for at in range(len(state.labels)):
        i = np.int64(chance[0, at])
        take_out(i, state)
        n = collect(i, net, beliefs, state, sums)
        best = weigh(i, n, net, beliefs, state, sums, tally.openings)
        to = choose(n, sums, best, chance[1, at])
        for e in range(net.indptr[i], net.indptr[i + 1]):
            tally.right[net.pair[e]] += sums.same[state.labels[net.indices[e]]]
        clear(n, sums)
        spare = put_in(i, to, spare, state)


@compiled
def support(net, beliefs, state, sums):
    """Return how well labels explain the scores, in nats: the sum over items, given the others.

    Of each item: the log likelihood of the scores of its candidates if its label is drawn like any
    label before scores are seen, against that of scores which are all alike.
    """
    openings = np.zeros(len(state.labels))
    found = 0.0
    for i in range(len(state.labels)):
        own = state.labels[i]
        take_out(i, state)
        n = collect(i, net, beliefs, state, sums)
        best = weigh(i, n, net, beliefs, state, sums, openings)
        total = np.exp(-best)
        for q in range(n):
            c = sums.touched[q]
            total += np.exp(sums.odds[q] - best)
            found += sums.other[c] / (1.0 + (state.size[c] - 1) * beliefs.alike[1])
        found += best + np.log(total) - np.log1p(np.exp(beliefs.join) * openings[i])
        clear(n, sums)
        put_in(i, own, 0, state)
    return found


@compiled
def collect(i, net, beliefs, state, sums):
    """Sum what the candidates of an item say for their labels; return the number of labels."""
    count, touched = sums.count, sums.touched
    n = 0
    for e in range(net.indptr[i], net.indptr[i + 1]):
        c, p = state.labels[net.indices[e]], net.pair[e]
        if count[c] == 0:
            touched[n] = c
            n += 1
        count[c] += 1
        sums.same[c] += beliefs.same[p]
        sums.other[c] += beliefs.other[p]
    own = state.labels[i]
    if state.size[own] > 0 and count[own] == 0:
        touched[n] = own
        n += 1
    return n


@compiled
def weigh(i, n, net, beliefs, state, sums, openings):
    """Write the log odds of each of n labels; return the largest of them, or 0, those of none.

    Adds the prior odds of the labels to the openings of the item.
    """
    degree = net.indptr[i + 1] - net.indptr[i]
    best = 0.0
    for q in range(n):
        c = sums.touched[q]
        size, count = state.size[c], sums.count[c]
        if count_same(i, c, net.group, state) > 0:
            sums.odds[q] = -np.inf
            continue
        in_one = 1.0 + (size - 1) * beliefs.alike[0]
        absent = min(size - count_same(i, c, net.source, state) - count, degree - count)
        growth = beliefs.growth[min(size, len(beliefs.growth)) - 1]
        prior = growth - beliefs.absent * absent / in_one
        openings[i] += np.exp(prior)
        against = sums.other[c] / (1.0 + (size - 1) * beliefs.alike[1])
        sums.odds[q] = beliefs.join + prior + sums.same[c] / in_one - against
        best = max(best, sums.odds[q])
    return best


@compiled
def choose(n, sums, best, draw):
    """Draw one of n labels, or -1: a label of its own.

    Writes how likely each of the labels is to ``sums.same``, and how likely none to ``odds[n]``.
    """
    same, touched, odds = sums.same, sums.touched, sums.odds
    total = np.exp(-best)
    odds[n] = total
    for q in range(n):
        odds[q] = np.exp(odds[q] - best)
        total += odds[q]
    left, to = draw * total, -1
    for q in range(n):
        left -= odds[q]
        if left < 0.0 and to < 0:
            to = touched[q]
        same[touched[q]] = odds[q] / total
    odds[n] /= total
    return to


@compiled
def clear(n, sums):
    """Set the sums of n labels to 0."""
    for q in range(n):
        c = sums.touched[q]
        sums.same[c], sums.other[c], sums.count[c] = 0.0, 0.0, 0


@compiled
def count_same(i, c, group, state):
    """Return how many other items of label c are of the group of item i; 0 if that is -1."""
    found = 0
    if len(group) > 0 and group[i] >= 0:
        j = state.first[c]
        while j >= 0:
            found += j != i and group[j] == group[i]
            j = state.next[j]
    return found


@compiled
def count_all(group, state):
    """Return of each item how many others of its group its label holds."""
    found = np.zeros(len(state.labels), np.int64)
    for i in range(len(state.labels)):
        found[i] = count_same(i, state.labels[i], group, state)
    return found


@compiled
def take_out(i, state):
    """Take an item out of its label."""
    c = state.labels[i]
    state.size[c] -= 1
    if state.first[c] == i:
        state.first[c] = state.next[i]
    else:
        state.next[state.last[i]] = state.next[i]
    if state.next[i] >= 0:
        state.last[state.next[i]] = state.last[i]


@compiled
def put_in(i, c, spare, state):
    """Give an item a label, or for -1 an empty one; return where to look for the next empty one."""
    if c < 0:
        c = state.labels[i]
        while state.size[c] > 0:
            c, spare = spare, (spare + 1) % len(state.labels)
    state.labels[i] = c
    state.size[c] += 1
    state.next[i] = state.first[c]
    if state.first[c] >= 0:
        state.last[state.first[c]] = i
    state.first[c] = i
    return spare
