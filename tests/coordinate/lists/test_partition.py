"""Entities of any size: how likely pairs are, by labels that are drawn."""

import numpy as np
import pytest
import scipy.sparse as sp

from lists import calibration_error, entities
from spherelax.coordinate.graph.candidates import Candidates, wedges
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.lists import partition
from spherelax.coordinate.lists.partition import learn_partition, stream
from spherelax.coordinate.sampling.drawing import (
    Beliefs,
    Net,
    State,
    Sums,
    count_all,
    put_in,
    support,
    take_out,
)
from spherelax.datasets import make_binary_similarity
from spherelax.problem import Problem


def partitioned(graph, source=None):
    """What a graph teaches of its own pairs."""
    pairs = Candidates.of(graph, source)
    return learn_partition(pairs).judged(pairs, stream(graph.n_items))


def graph_of(pairs, groups=None):
    score = np.exp(pairs.score - pairs.score.max())
    half = sp.coo_array((score, (pairs.one, pairs.other)), shape=(pairs.n_items,) * 2)
    return build_graph(Problem.check(half + half.T, groups))


def as_listed(graph, pairs, right):
    """What is known of each pair, in the order of the candidates of a graph."""
    table = sp.csr_array((right.astype(float), (pairs.one, pairs.other)), (pairs.n_items,) * 2)
    found = Candidates.of(graph)
    one, other = graph.given[found.one], graph.given[found.other]
    return (table + table.T)[one, other] > 0.5


@pytest.mark.parametrize("sizes", [(2,), (1, 1, 1, 2), (1, 2, 3), (4, 5, 6)])
def test_entities_of_any_size_are_found_and_probabilities_calibrated(seed, sizes):
    pairs, right = entities(seed, sizes=sizes)
    graph = graph_of(pairs)
    found, right = partitioned(graph).right, as_listed(graph, pairs, right)
    assert calibration_error(found, right) < 0.05
    assert np.mean((found > 0.5) == right) > 0.95


def test_only_the_order_of_scores_counts(seed):
    pairs, _ = entities(seed)
    found = partitioned(graph_of(pairs)).right
    again = partitioned(graph_of(pairs._replace(score=np.arctan(pairs.score)))).right
    np.testing.assert_array_equal(found, again)


def test_groups_are_kept_apart(seed):
    """Of two items of one group at most one is right, though their scores are equal."""
    pairs, right = entities(seed, sizes=(3,), apart=4.0)
    graph = graph_of(pairs, np.tile([0, 1, 2], 300))
    truth = np.repeat(np.arange(300), 3)[graph.given]
    twins, found = Candidates.of(graph), partitioned(graph).right
    same = truth[twins.one] == truth[twins.other]
    assert np.mean((found > 0.5) == same) > 0.97
    assert right.sum() == same.sum()


def test_no_entities_where_there_are_none(seed):
    """Clusters of a graph are no entities: the weights of its links do not show which are right.

    In one of about ten graphs some are seen all the same.
    """
    rng = np.random.default_rng(seed)
    W = make_binary_similarity(300, 6, rewired=0.2, missing=0.8, random_state=seed)[0]
    found = []
    for _ in range(3):
        noise = np.triu(rng.lognormal(size=W.shape), 1)
        graph = build_graph(Problem.check(W * (noise + noise.T)))
        found.append(partitioned(graph).right.sum())
    assert np.median(found) < 9.0


def test_transitivity_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((40, 40)) < 0.2, 1)
    A = A | A.T
    groups = rng.integers(4, size=40)
    closed = possible = closed_apart = possible_apart = 0
    for i in range(40):
        near = np.flatnonzero(A[i])
        for j in near:
            for k in near[near != j]:
                closed, possible = closed + A[j, k], possible + 1
    W = np.where(groups[:, None] != groups, A, False)
    for i in range(40):
        near = np.flatnonzero(W[i])
        for j in near:
            for k in near[groups[near] != groups[j]]:
                closed_apart, possible_apart = closed_apart + W[j, k], possible_apart + 1
    assert wedges(build_graph(Problem.check(A.astype(float)))).transitivity == closed / possible
    grouped = build_graph(Problem.check(W.astype(float), groups))
    assert wedges(grouped).transitivity == closed_apart / possible_apart


def test_larger_labels_are_never_likelier_to_grow():
    some = np.zeros(64)
    some[[0, 1, 2]] = 100.0, 5.0, 40.0
    assert (np.diff(partition._growth(some)) <= 0).all()
    pairs_only = np.zeros(64)
    pairs_only[1] = 500.0
    growth = partition._growth(pairs_only)
    assert growth[1] < growth[0] - 5.0
    # No label has three items; but most have five, and they pass three.
    fives = np.zeros(64)
    fives[[1, 4]] = 10.0, 200.0
    assert partition._growth(fives)[1] == pytest.approx(partition._growth(fives)[3])


def test_pairs_inside_a_source_that_were_never_compared_say_nothing(seed):
    """Entities of four, of which two are copies in one source, compared between sources alone."""
    pairs, _ = entities(seed, sizes=(4,), k=8)
    source = np.tile([0, 1, 2, 2], 300).astype(np.int32)
    between = source[pairs.one] != source[pairs.other]
    pairs = pairs._replace(**{n: getattr(pairs, n)[between] for n in ("one", "other", "score")})
    graph = graph_of(pairs)
    right = as_listed(graph, pairs, pairs.one // 4 == pairs.other // 4)
    told, untold = (partitioned(graph, given).right for given in (source[graph.given], None))
    assert calibration_error(told, right) < 0.05
    assert told[right].mean() > untold[right].mean()


def test_lists_of_items_stay_whole_while_items_move(seed):
    rng = np.random.default_rng(seed)
    state, spare = State.of(np.repeat(np.arange(5), 4)), 0
    for i in rng.integers(20, size=200):
        take_out(i, state)
        spare = put_in(i, rng.integers(-1, 5), spare, state)
    for c in range(20):
        held, j = [], state.first[c]
        while j >= 0:
            held.append(int(j))
            j = state.next[j]
        assert sorted(held) == np.flatnonzero(state.labels == c).tolist()
        assert len(held) == state.size[c]


def test_transitivity_around_a_hub_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((200, 200)) < 0.005, 1)
    A[0, 1:] = True
    A = (A | A.T).astype(float)
    degrees = A.sum(axis=0)
    possible = np.sum(degrees * (degrees - 1))
    found = wedges(build_graph(Problem.check(A)))
    assert (found.closed, found.possible) == (np.trace(A @ A @ A), possible)


def test_items_of_one_source_in_a_label_are_counted():
    every = np.arange(12)
    state = State.of(every // 4)
    source = np.tile([0, 0, 1, -1], 3).astype(np.int32)
    np.testing.assert_array_equal(count_all(source, state), np.tile([1, 1, 0, 0], 3))


def test_support_is_the_likelihood_of_scores_given_all_other_labels(seed):
    """By hand, for items that are alone or two together, without echo and absent pairs."""
    rng = np.random.default_rng(seed)
    pairs = Candidates(5, np.array([0, 0, 1, 3]), np.array([1, 2, 2, 4]), np.ones(4))
    same, other = rng.normal(size=4), rng.normal(size=4)
    join = float(rng.normal())
    beliefs = Beliefs(same, other, 0.0, join, np.zeros(3), np.zeros(2))
    labels = np.array([0, 0, 1, 2, 3])
    expected = 0.0
    for item in range(5):
        with_label = {}
        for e, (i, j) in enumerate(zip(pairs.one, pairs.other, strict=True)):
            if item in (i, j):
                with_label.setdefault(labels[j if item == i else i], []).append(e)
        wrong = sum(other[e] for listed in with_label.values() for e in listed)
        likely = [1.0] + [
            np.exp(join + sum(same[e] - other[e] for e in listed)) for listed in with_label.values()
        ]
        expected += wrong + np.log(sum(likely)) - np.log(1.0 + np.exp(join) * len(with_label))
    state = State.of(labels)
    found = support(Net.of(pairs), beliefs, state, Sums.of(5))
    assert found == pytest.approx(expected)
    np.testing.assert_array_equal(state.labels, labels)


def test_of_two_starts_the_one_that_explains_more_is_kept(seed, monkeypatch):
    pairs, _ = entities(seed, sizes=(2, 3))
    graph = graph_of(pairs)
    lesson = partition._Lesson(Candidates.of(graph), partition.Curve(Candidates.of(graph).score))
    starts = (partition.FIRST_SHARE, partition.MANY_RIGHT)
    supports = [lesson.support(lesson.learnt(share)) for share in starts]
    kept = partitioned(graph).right
    better = starts[int(np.argmax(supports))]
    for name in ("FIRST_SHARE", "MANY_RIGHT"):
        monkeypatch.setattr(partition, name, better)
    np.testing.assert_array_equal(partitioned(graph).right, kept)
    assert max(supports) > 0.0
