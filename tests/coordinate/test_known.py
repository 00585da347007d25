"""What is known of a result finds its items again in other problems."""

import numpy as np
import pytest
from support.problems import quiet_solve

from spherelax.io import Items

N_THINGS, N_GROUPS = 12, 8


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def blocks():
    """Four things with five items each."""
    return np.kron(np.eye(4), np.ones((5, 5)))


def names(items):
    """Names of items by their numbers."""
    return [f"item {item}" for item in items]


def copies():
    """Matches of which the first group holds each thing twice."""
    groups = np.r_[np.zeros(N_THINGS, int), np.arange(N_GROUPS).repeat(N_THINGS)]
    things = np.tile(np.arange(N_THINGS), N_GROUPS + 1)
    return (things[:, None] == things) - np.eye(len(things)), groups


def test_named_items_are_found_in_any_order(rng):
    W = blocks()
    before = rng.permutation(20)[:15]
    known = quiet_solve(Items(W[before][:, before], names(before)).problem)._solved.known()
    after = rng.permutation(20)[:12]
    other = Items(W[after][:, after], names(after)).problem
    listed = before.tolist()
    expected = [listed.index(item) if item in listed else -1 for item in after.tolist()]
    assert known.places(other).tolist() == expected
    back = [after.tolist().index(item) if item in after else -1 for item in listed]
    assert known.new_places(other).tolist() == back


def test_items_without_names_are_found_by_their_numbers():
    known = quiet_solve(blocks()[:15, :15])._solved.known()
    more = Items(blocks(), None).problem
    assert known.places(more).tolist() == [*range(15), *[-1] * 5]
    assert known.new_places(more).tolist() == list(range(15))


def test_copies_are_found_with_their_pairs(rng):
    W, groups = copies()
    problem = Items(W, names(range(len(W))), groups.tolist()).problem
    known = quiet_solve(problem, one_per_group="unless_copies")._solved.known()
    (found,) = (one for one in known.found if one.is_clear)
    order = rng.permutation(len(W))
    other = Items(W[order][:, order], names(order), groups[order].tolist()).problem
    (again,) = (one for one in known.copies_among(other) if one.is_clear)
    assert again.n_items == found.n_items == 2 * N_THINGS
    assert set(groups[order][other.groups == again.group]) == {0}
    pairs = {tuple(sorted(pair)) for pair in order[again.pairs].tolist()}
    assert pairs == set(map(tuple, np.sort(found.pairs, axis=1).tolist())) != set()


def test_copies_that_are_gone_are_forgotten():
    W, groups = copies()
    problem = Items(W, names(range(len(W))), groups.tolist()).problem
    known = quiet_solve(problem, one_per_group="unless_copies")._solved.known()
    left = np.flatnonzero(groups != 0)
    rest = Items(W[left][:, left], names(left), groups[left].tolist()).problem
    assert not any(one.is_clear for one in known.copies_among(rest))
