"""Gibbs sampling of labels, compiled: each item in turn draws a label, given those of all others.

An item joins a label with odds that multiply four things, against having a label of its own: what
its pairs with the items of that label say; what each pair costs that is not listed, and what it
costs of matches, if the item has another one in that group; how readily labels of that size grow;
and that items of one group never share a label.

At each visit it is known how likely the item joins each label. These probabilities are summed, not
the labels that are then drawn (Rao-Blackwell). So few sweeps are enough, and nothing is called sure
because it happened every time.

A visit takes time in proportion to the pairs of its item, however large labels are: hash tables
count how many items of each group, source or judged label are in each drawn label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.crossings import Compared
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.sampling.agreement import (
    Codes,
    Counts,
    Floats,
    Ints,
    count,
    count_all,
    enter,
    enter_all,
    judge,
    leave,
    place,
)

NONE, NOWHERE = np.empty(0, np.int32), np.empty(0, np.int64)
# Labels that are less likely than the best by so many nats are not looked at more closely: what
# they add is below the precision of a double.
NEVER = 40.0


class Net(NamedTuple):
    """The pairs of each item, row by row, and which items may share a label."""

    indptr: Ints  # (m + 1)
    indices: Codes  # (n_entries), the other item of each pair
    pair: Ints  # (n_entries), the number of each pair; or empty
    group: Codes  # (m), or empty where there are no groups
    source: Codes  # (m), items of one were never compared, -1: may be; or empty: all may
    weight: NDArray[np.float32]  # (m), an absent pair counts the product of both weights
    room: Floats  # (m), the number of pairs that an item can have at most
    begin: Ints = NOWHERE  # (n_groups + 1), where the groups begin that each was compared with
    near: Codes = NONE  # these groups; both empty: all were compared

    @classmethod
    def of_list(cls, pairs: Candidates) -> Net:
        """Return the pairs of each item of a list, which is no longer than it is.

        Examples
        --------
        >>> net = Net.of_list(Candidates(3, np.array([0, 1]), np.array([1, 2]), np.ones(2)))
        >>> net.indices, net.pair, net.room
        (array([1, 2, 0, 1], dtype=int32), array([0, 1, 0, 1]), array([1., 2., 1.]))
        """
        item = np.r_[pairs.one, pairs.other]
        by_item = np.argsort(item, kind="stable")
        degree = np.bincount(item, minlength=pairs.n_items)
        other = np.r_[pairs.other, pairs.one][by_item].astype(np.int32)
        weight = np.ones(pairs.n_items, np.float32)
        group, source = (NONE if of is None else of for of in (pairs.group, pairs.source))
        indptr, number = np.r_[0, np.cumsum(degree)], by_item % max(len(pairs.one), 1)
        return cls(indptr, other, number, group, source, weight, degree.astype(float))

    @classmethod
    def of_graph(
        cls,
        graph: Graph,
        source: Codes | None = None,
        compared: Compared | None = None,
        *,
        is_list: bool = False,
    ) -> Net:
        """Return the similarities of each item, and the weights of the null model.

        ``compared`` tells which groups were compared; None: all were. ``is_list`` tells that the
        graph is a list, which is no longer than it is.
        """
        degree, m = np.diff(graph.indptr).astype(float), graph.n_items
        weight, room = (
            (np.ones(m, np.float32), degree) if is_list else (graph.weight, np.full(m, np.inf))
        )
        apart = NONE if source is None else source
        near = (NOWHERE, NONE) if compared is None else (compared.indptr, compared.others)
        return cls(graph.indptr, graph.indices, NOWHERE, graph.group, apart, weight, room, *near)


class Beliefs(NamedTuple):
    """What is believed of pairs and labels, in nats."""

    same: Floats  # (n_entries), what a pair says for one label
    absent: float  # what a pair of one label costs that is not listed
    join: float  # log odds of joining a label of one item
    growth: Floats  # (largest size that counts), added to them by the size of the label
    contradicted: float = 0.0  # added for a pair not listed, if another of that group is

    def learn(self, seen: Floats, size: Ints) -> Beliefs:  # noqa: ARG002 (as of rows)
        """Return what is believed after a sweep: the same."""
        return self


class State(NamedTuple):
    """Labels, all below n_items, and what is kept up to date with them."""

    labels: Ints  # (m)
    size: Ints  # (m)
    mass: Floats  # (m), sum of the weights of the items of each label
    groups: Counts
    sources: Counts

    @classmethod
    def of(cls, labels: NDArray[np.integer], net: Net) -> State:
        """Return the state of labels."""
        m = len(labels)
        mass = np.bincount(labels, weights=net.weight, minlength=m).astype(float)
        tables = Counts.of(net.group), Counts.of(net.source)
        size = np.bincount(labels, minlength=m)
        found = cls(labels.astype(np.int64), size, mass, *tables)
        count_all(found.groups, found.labels)
        count_all(found.sources, found.labels)
        return found


class Sums(NamedTuple):
    """What the pairs of one item say, by label; 0 before and after each visit."""

    same: Floats  # (m)
    n: Ints  # (m), number of pairs
    touched: Ints  # (m + 1), the labels with a sum
    odds: Floats  # (m + 1), of these labels
    compared: Floats  # (m + 1), pairs with these labels that were compared
    contradicted: Ints  # (m + 1), pairs not listed with a group in which another is listed
    seen: Floats  # (3), inside drawn labels: pairs listed, compared, contradicted

    @classmethod
    def of(cls, m: int) -> Sums:
        """Return the sums of m labels, all 0."""
        odds, compared = np.zeros((2, m + 1))
        n, touched, contradicted = np.zeros((3, m + 1), np.int64)
        return cls(np.zeros(m), n[:m], touched, odds, compared, contradicted, np.zeros(3))


def count_mates(code: Codes, labels: NDArray[np.integer]) -> Ints:
    """Return of each item how many other items with its code, unless that is -1, have its label.

    Examples
    --------
    >>> count_mates(np.int32([0, 0, 1, -1, -1]), np.array([5, 5, 5, 5, 5]))
    array([1, 1, 0, 0, 0])
    """
    found = np.zeros(len(labels), np.int64)
    known = np.flatnonzero(code >= 0)
    key = code[known].astype(np.int64) * len(labels) + labels[known]
    which, count = np.unique(key, return_inverse=True, return_counts=True)[1:]
    found[known] = count[which] - 1
    return found


@compiled
def sweep(net, beliefs, state, sums, agreement, chance):
    """Draw a new label for every item in turn, given those of all others; sum what is likely.

    Reads net and beliefs; writes state and agreement, and adds to ``sums.seen``. ``chance`` is an
    order of the items and a random number for each.
    """
    count_all(state.groups, state.labels)
    count_all(state.sources, state.labels)
    enter_all(state.labels, agreement)
    spare = 0
    for at in range(len(state.labels)):
        i = np.int64(chance[0, at])
        _take_out(i, net, state)
        leave(i, state.labels[i], agreement)
        n = _collect(i, net, beliefs, state, sums)
        best = _weigh(i, n, net, beliefs, state, sums)
        to = _choose(n, sums, best, chance[1, at])
        _see(n, to, sums)
        judge(i, n, state.labels, sums, agreement)
        _clear(n, sums)
        spare = _put_in(i, to, spare, net, state)
        enter(i, state.labels[i], agreement)
    for j in range(len(agreement.cells.code)):
        leave(j, state.labels[j], agreement)


@compiled
def _collect(i, net, beliefs, state, sums):
    """Sum what the pairs of an item say for their labels; return the number of labels."""
    n_pairs, touched = sums.n, sums.touched
    n = 0
    for e in range(net.indptr[i], net.indptr[i + 1]):
        c = state.labels[net.indices[e]]
        if n_pairs[c] == 0:
            touched[n] = c
            n += 1
        n_pairs[c] += 1
        sums.same[c] += beliefs.same[e]
    own = state.labels[i]
    if state.size[own] > 0 and n_pairs[own] == 0:
        touched[n] = own
        n += 1
    return n


@compiled
def _weigh(i, n, net, beliefs, state, sums):
    """Write the log odds of each of n labels; return the largest of them, or 0, those of none."""
    best = 0.0
    for q in range(n):
        c = sums.touched[q]
        size = state.size[c]
        if count(state.groups, i, c, 0) > 0:
            sums.odds[q] = -np.inf
            continue
        compared = _count_compared(i, c, net, state)
        absent = min(compared, net.room[i]) - sums.n[c]
        growth = beliefs.growth[min(size, len(beliefs.growth)) - 1]
        sums.odds[q] = beliefs.join + growth - beliefs.absent * absent + sums.same[c]
        most = sums.odds[q] + max(beliefs.contradicted, 0.0) * absent
        if beliefs.contradicted != 0.0 and most > best - NEVER:
            n_against = _count_contradicted(i, c, net, state)
            sums.odds[q] += beliefs.contradicted * n_against
            sums.compared[q], sums.contradicted[q] = compared, n_against
        best = max(best, sums.odds[q])
    return best


@compiled
def _count_compared(i, c, net, state):
    """Return with how many items of a label an item was compared, by weight."""
    group = net.group[i] if len(net.begin) > 0 else 0
    if len(net.begin) == 0 or net.begin[group] == net.begin[group + 1]:
        return net.weight[i] * state.mass[c] - count(state.sources, i, c, 0)
    n = 0.0
    for e in range(net.begin[group], net.begin[group + 1]):
        n += state.groups.n[place(state.groups, net.near[e], c)]
    return n


@compiled
def _count_contradicted(i, c, net, state):
    """Return how many pairs of an item lead to other labels, in groups that a label has, too."""
    n = 0
    for e in range(net.indptr[i], net.indptr[i + 1]):
        j = net.indices[e]
        if state.labels[j] != c:
            n += count(state.groups, j, c, 0)
    return n


@compiled
def _see(n, to, sums):
    """Count the pairs of an item inside the label that it has drawn among n."""
    for q in range(n):
        if sums.touched[q] == to:
            sums.seen[0] += sums.n[to]
            sums.seen[1] += sums.compared[q]
            sums.seen[2] += sums.contradicted[q]


@compiled
def _choose(n, sums, best, draw):
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
def _clear(n, sums):
    """Set the sums of n labels to 0."""
    for q in range(n):
        c = sums.touched[q]
        sums.same[c], sums.n[c] = 0.0, 0


@compiled
def _take_out(i, net, state):
    """Take an item out of its label."""
    c = state.labels[i]
    state.size[c] -= 1
    state.mass[c] -= net.weight[i]
    count(state.groups, i, c, -1)
    count(state.sources, i, c, -1)


@compiled
def _put_in(i, c, spare, net, state):
    """Give an item a label, or for -1 an empty one; return where to look for the next empty one."""
    if c < 0:
        c = state.labels[i]
        while state.size[c] > 0:
            c, spare = spare, (spare + 1) % len(state.labels)
    state.labels[i] = c
    state.size[c] += 1
    state.mass[c] += net.weight[i]
    count(state.groups, i, c, 1)
    count(state.sources, i, c, 1)
    return spare
