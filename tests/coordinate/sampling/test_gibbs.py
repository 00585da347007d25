"""Gibbs sampling: its sweeps against a plain one that counts everything anew at each visit."""

import numpy as np
import pytest

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.sampling.agreement import Agreement
from spherelax.coordinate.sampling.gibbs import (
    Beliefs,
    Net,
    State,
    Sums,
    count_mates,
    sweep,
)
from spherelax.labels import inside_pairs, renumber


def problem(seed, m=24):
    """A net with groups, sources and weights, beliefs and labels, all at random."""
    rng = np.random.default_rng(seed)
    one, other = np.triu_indices(m, 1)
    kept = rng.random(len(one)) < 0.4
    group, source = (rng.integers(-1, 6, m).astype(np.int32) for _ in range(2))
    group[group < 0] = 6 + np.flatnonzero(group < 0)
    pairs = Candidates(m, one[kept], other[kept], np.ones(kept.sum()), group, source)
    net = Net.of_list(pairs)._replace(weight=rng.uniform(0.5, 1.5, m).astype(np.float32))
    same = rng.normal(0.5, 1.0, kept.sum())
    growth = -np.log(np.arange(1, 6))
    beliefs = Beliefs(same[net.pair], 0.2, -0.4, growth)
    return net, beliefs, renumber(rng.integers(8, size=m))


def matches(seed, m=24):
    """The same with groups of which some were compared, and pairs that contradict each other."""
    net, beliefs, labels = problem(seed, m)
    rng, n_groups = np.random.default_rng(seed), int(net.group.max()) + 1
    several = np.flatnonzero(np.bincount(net.group, minlength=n_groups) > 1)
    were = np.zeros((n_groups, n_groups), dtype=bool)
    were[np.ix_(several, several)] = np.triu(rng.random((len(several),) * 2) < 0.7, 1)
    were |= were.T
    begin, near = np.r_[0, np.cumsum(were.sum(axis=1))], np.nonzero(were)[1].astype(np.int32)
    net = net._replace(
        begin=begin, near=near, source=np.full(m, -1, np.int32), room=np.full(m, np.inf)
    )
    return net._replace(weight=np.ones(m, np.float32)), beliefs._replace(contradicted=0.3), labels


def probabilities(i, drawn, net, beliefs):
    """Return the labels that an item may join, and how likely: the last one is of its own."""
    rows = slice(net.indptr[i], net.indptr[i + 1])
    near, others = net.indices[rows], np.arange(len(drawn)) != i
    labels = list(dict.fromkeys([*drawn[near].tolist(), int(drawn[i])]))
    labels = [c for c in labels if np.any(others & (drawn == c))]
    odds = []
    for c in labels:
        members, here = np.flatnonzero(others & (drawn == c)), drawn[near] == c
        if np.any(net.group[members] == net.group[i]):
            odds.append(0.0)
            continue
        n = len(members)
        never = np.sum((net.source[members] == net.source[i]) & (net.source[i] >= 0))
        compared = net.weight[i] * net.weight[members].astype(float).sum() - never
        g = net.group[i]
        if len(net.begin) > 0 and net.begin[g] < net.begin[g + 1]:
            groups = net.near[net.begin[g] : net.begin[g + 1]]
            compared = np.isin(net.group[members], groups).sum()
        absent = min(compared, net.room[i]) - here.sum()
        nats = beliefs.same[rows][here].sum() - beliefs.absent * absent
        elsewhere = net.group[near[~here]]
        nats += beliefs.contradicted * np.sum(elsewhere[:, None] == net.group[members])
        nats += beliefs.join + beliefs.growth[min(n, 5) - 1]
        odds.append(np.exp(nats))
    return labels, np.array([*odds, 1.0]) / (sum(odds) + 1.0)


def plain_sweep(net, beliefs, drawn, judged, chance):
    """Draw labels, and sum what is likely, by definitions; labels begin as those given."""
    m, n_labels = len(drawn), judged.max() + 1
    item, pure, whole, together = np.zeros(m), np.zeros(n_labels), np.zeros(n_labels), {}
    for i, draw in zip(chance[0].astype(int), chance[1], strict=True):
        labels, likely = probabilities(i, drawn, net, beliefs)
        joins = dict(zip(labels, likely[:-1], strict=True))
        c, others = judged[i], np.arange(m) != i
        mates = np.flatnonzero(others & (judged == c))
        if len(mates) == 0:
            item[i] += likely[-1]
            pure[c] += 1.0
            whole[c] += likely[-1]
        else:
            held = set(drawn[mates].tolist())
            for j in mates:
                p = joins.get(drawn[j], 0.0)
                item[i] += 0.5 * p
                item[j] += 0.5 * p
                pair = min(i, j), max(i, j)
                together[pair] = together.get(pair, 0.0) + p
            pure[c] += joins.get(drawn[mates[0]], 0.0) if len(held) == 1 else 0.0
            outside = set(drawn[others & (judged != c)].tolist())
            if held.isdisjoint(outside):
                whole[c] += likely[-1] + sum(joins.get(d, 0.0) for d in held)
        place = np.searchsorted(np.cumsum(likely), draw, side="right")
        drawn[i] = labels[place] if place < len(labels) else drawn.max() + 1
    pairs = [together.get((i, j), 0.0) for i, j in inside_pairs(judged)]
    return item, pure, whole, np.array(pairs)


@pytest.mark.parametrize("make", [problem, matches])
@pytest.mark.parametrize("has_pairs", [False, True])
def test_sweeps_are_those_of_the_definitions(seed, has_pairs, make):
    net, beliefs, judged = make(seed)
    m, rng = len(judged), np.random.default_rng(seed)
    state, drawn = State.of(judged, net), judged.astype(int)
    agreement = Agreement.of(judged, has_pairs=has_pairs)
    expected = [0.0] * 4
    for _ in range(4):
        chance = np.array([rng.permutation(m), rng.random(m)])
        sweep(net, beliefs, state, Sums.of(m), agreement, chance)
        added = plain_sweep(net, beliefs, drawn, judged, chance)
        expected = [a + b for a, b in zip(expected, added, strict=True)]
        names = np.unique(drawn, return_inverse=True)[1]
        np.testing.assert_array_equal(renumber(state.labels), renumber(names))
    found = agreement.item, agreement.pure, agreement.whole, agreement.pairs
    for one, other in zip(found[: 3 + has_pairs], expected, strict=False):
        np.testing.assert_allclose(one, other, atol=1e-9)
    assert (len(agreement.pairs) > 0) == has_pairs


def places(table):
    """Yield an item of each code, and each place of the part of that code that counts items."""
    for code, i in zip(*np.unique(table.code, return_index=True), strict=True):
        if code >= 0:
            part = np.arange(table.begin[code], table.begin[code + 1])
            yield from ((i, at) for at in part[table.n[part] > 0])


def test_state_is_kept_up_to_date(seed):
    net, beliefs, labels = problem(seed)
    m, rng = len(labels), np.random.default_rng(seed)
    state = State.of(labels, net)
    for _ in range(3):
        chance = np.array([rng.permutation(m), rng.random(m)])
        sweep(net, beliefs, state, Sums.of(m), Agreement.of(labels), chance)
        fresh = State.of(state.labels, net)
        np.testing.assert_array_equal(state.size, fresh.size)
        np.testing.assert_allclose(state.mass, fresh.mass, atol=1e-9)
        for one, other in ((state.groups, fresh.groups), (state.sources, fresh.sources)):
            counted = [
                {(table.code[i], table.key[at]): table.n[at] for i, at in places(table)}
                for table in (one, other)
            ]
            assert counted[0] == counted[1]
        # No two items of one group share a label that was drawn.
        assert count_mates(net.group, state.labels).max() == 0


def test_items_of_one_source_in_a_label_are_counted(seed):
    rng = np.random.default_rng(seed)
    source, labels = rng.integers(-1, 3, 40).astype(np.int32), rng.integers(5, size=40)
    same = (source[:, None] == source) & (labels[:, None] == labels) & ~np.eye(40, dtype=bool)
    expected = np.where(source >= 0, same.sum(axis=1), 0)
    np.testing.assert_array_equal(count_mates(source, labels), expected)
    np.testing.assert_array_equal(count_mates(source[:0], labels), 0)
