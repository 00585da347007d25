"""Entities of any size: how likely pairs are, by labels that are drawn."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.lists import calibration_error, entities

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.lists import partition
from spherelax.coordinate.lists.partition import learn_partition, stream
from spherelax.datasets import make_binary_similarity
from spherelax.problem import Problem


def partitioned(graph, source=None):
    """How likely the pairs of a graph are right, by what it teaches itself."""
    pairs = Candidates.of(graph, source)
    return learn_partition(pairs).right(pairs, stream(graph.n_items))


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
    found, right = partitioned(graph), as_listed(graph, pairs, right)
    assert calibration_error(found, right) < 0.05
    assert np.mean((found > 0.5) == right) > 0.95


def test_only_the_order_of_scores_counts(seed):
    pairs, _ = entities(seed)
    found = partitioned(graph_of(pairs))
    again = partitioned(graph_of(pairs._replace(score=np.arctan(pairs.score))))
    np.testing.assert_array_equal(found, again)


def test_groups_are_kept_apart(seed):
    """Of two items of one group at most one is right, though their scores are equal."""
    pairs, right = entities(seed, sizes=(3,), apart=4.0)
    graph = graph_of(pairs, np.tile([0, 1, 2], 300))
    truth = np.repeat(np.arange(300), 3)[graph.given]
    twins, found = Candidates.of(graph), partitioned(graph)
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
        found.append(partitioned(graph).sum())
    assert np.median(found) < 9.0


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
    told, untold = (partitioned(graph, given) for given in (source[graph.given], None))
    assert calibration_error(told, right) < 0.05
    assert told[right].mean() > untold[right].mean()


def test_of_two_starts_the_one_that_explains_more_is_kept(seed, monkeypatch):
    pairs, _ = entities(seed, sizes=(2, 3))
    graph = graph_of(pairs)
    lesson = partition._Lesson(Candidates.of(graph), partition.Curve(Candidates.of(graph).score))
    starts = (partition.FIRST_SHARE, partition.MANY_RIGHT)
    supports = [lesson.support(lesson.learn(share)) for share in starts]
    kept = partitioned(graph)
    better = starts[int(np.argmax(supports))]
    for name in ("FIRST_SHARE", "MANY_RIGHT"):
        monkeypatch.setattr(partition, name, better)
    np.testing.assert_array_equal(partitioned(graph), kept)
    assert max(supports) > 0.0
