"""Moves of items and of whole groups against gains that are summed from dense similarities."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from support import twins
from support.graphs import average, random_labels, weak_clusters

from spherelax.coordinate.moves import moves
from spherelax.coordinate.moves.polish import _room
from spherelax.labels import renumber


def state_of(graph, labels):
    """Return labels with what is kept up to date with them; all items are active."""
    m = graph.n_items
    found = moves.State(
        moves.localize(graph, labels), np.zeros(m), np.zeros(m, np.int32), np.ones(m, np.bool_)
    )
    moves.enter_all(graph, found)
    return found


def gains_of(graph, labels, items, gamma):
    """What each of some items gains by each label, if a label holds none of these items.

    The last column is an empty label.
    """
    W, n = twins.dense_similarity(graph), graph.weight.astype(float)
    rest = np.ones(graph.n_items, dtype=bool)
    rest[items] = False
    P = np.eye(graph.n_items + 1)[labels] * rest[:, None]
    return (W[items] - gamma * np.outer(n[items], n)) @ P


def check_sums(graph, state):
    """The numbers and weights of the items of each label agree with the labels."""
    m = graph.n_items
    np.testing.assert_array_equal(state.n_items, np.bincount(state.labels, minlength=m))
    sizes = np.bincount(state.labels, weights=graph.weight, minlength=m)
    np.testing.assert_allclose(state.size, sizes, rtol=1e-5)


def test_labels_are_named_after_their_first_item_in_each_component():
    graph = weak_clusters(np.random.default_rng(0), m=9)
    graph = graph._replace(component_ptr=np.array([0, 4, 9], dtype=np.int32))
    labels = np.array([3, 0, 3, 7, 7, 3, 0, 7, 0])
    np.testing.assert_array_equal(moves.localize(graph, labels), [0, 1, 0, 3, 4, 5, 6, 4, 6])


def test_labels_are_numbered_in_order_of_first_appearance(seed):
    labels = np.random.default_rng(seed).integers(30, size=30).astype(np.int32)
    expected = renumber(labels)
    moves.number_labels(labels)
    np.testing.assert_array_equal(labels, expected)


def test_labels_know_their_items_and_weights(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, by_degree=True)
    check_sums(graph, state_of(graph, random_labels(graph, rng, 6)))


@pytest.mark.parametrize("by_degree", [False, True])
def test_items_stay_active_if_another_label_or_none_gains_more(by_degree, seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, by_degree=by_degree)
    labels, gamma = random_labels(graph, rng, 5), 1.5 * average(graph)
    state = state_of(graph, labels)
    sums, _ = _room(graph)
    moves.quieten(0, graph.n_items, graph, state, moves.MoveTerms(gamma, 1e-6), sums)
    expected = []
    for i in range(graph.n_items):
        gains = gains_of(graph, state.labels, [i], gamma)[0]
        expected.append(gains.max() > gains[state.labels[i]] + 1e-6)
    np.testing.assert_array_equal(state.active, expected)
    assert 0 < np.count_nonzero(expected) < graph.n_items
    assert not sums.x.any()


def test_items_move_until_no_item_gains(seed):
    rng = np.random.default_rng(seed)
    graph = weak_clusters(rng, m=40)
    gamma, terms = average(graph), moves.MoveTerms(average(graph), 1e-6)
    state = state_of(graph, random_labels(graph, rng, 10))
    n_components = len(graph.component_ptr) - 1
    moves.settle(0, n_components, graph, state, terms, *_room(graph), 100)
    for i in range(graph.n_items):
        gains = gains_of(graph, state.labels, [i], gamma)[0]
        assert gains.max() <= gains[state.labels[i]] + 1e-5
    check_sums(graph, state)


def test_a_group_gets_the_best_assignment_of_labels_if_that_is_better(seed):
    rng = np.random.default_rng(seed)
    n_better = 0
    for _ in range(10):
        graph = weak_clusters(rng, grouped=True)
        gamma, terms = average(graph), moves.MoveTerms(average(graph), 1e-6)
        units = np.flatnonzero(np.diff(graph.unit_ptr) > 2)
        first, last = map(int, graph.unit_ptr[units[0] : units[0] + 2])
        component = np.searchsorted(graph.component_ptr, first, side="right") - 1
        begin, end = map(int, graph.component_ptr[component : component + 2])
        state = state_of(graph, random_labels(graph, rng, 6))
        items, before = np.arange(first, last), state.labels.copy()
        gains = gains_of(graph, before, items, gamma)
        # As many empty labels as items may be taken, so each item can have one of its own.
        choices = np.c_[gains, np.zeros((len(items), len(items)))]
        best = choices[linear_sum_assignment(-choices)].sum()
        now = gains[np.arange(len(items)), before[items]].sum()
        scope = moves.Scope(first, last, begin, end)
        is_better = moves.move(scope, graph, state, terms, *_room(graph))
        assert is_better == (best > now + 1e-6)
        n_better += is_better
        found = gains[np.arange(len(items)), state.labels[items]].sum()
        np.testing.assert_allclose(found, max(best, now), atol=1e-5)
        assert not twins.clash(state.labels, graph.groups())
        assert not state.active[items].any() or is_better
    assert n_better > 5
