"""What must be apart is apart: the cases on which fast_hdbscan tests groups that cannot link.

Its tests look at a spanning forest, these at labels: judgements "different" for its pairs, groups
for its groups. What it says of noise does not apply; and an item that differs from itself, which it
leaves out, is refused here.
"""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

import spherelax as sl
from spherelax import baselines

# So few items look like noise.
pytestmark = pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")


def joined(n, *edges):
    """Similarities of n items from edges with a weight each."""
    W = np.zeros((n, n))
    for a, b, weight in edges:
        W[a, b] = W[b, a] = weight
    return W


def apart(W, pairs):
    """Labels if the items of some pairs are different."""
    return sl.solve(W, judgements=[(a, b, "different") for a, b in pairs]).labels


def draw(seed):
    """A random graph of 10 to 44 items, and a fifth of all pairs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 45))
    pairs = np.array(list(combinations(range(n), 2)))
    listed = pairs[rng.random(len(pairs)) < 0.55]
    W = sp.coo_array((rng.uniform(0.1, 10.0, len(listed)), listed.T), shape=(n, n)).toarray()
    return W + W.T, pairs[rng.random(len(pairs)) < 0.2], rng.integers(0, n // 3, n)


@pytest.mark.parametrize(
    ("edges", "pair", "expected"),
    [
        pytest.param([(0, 1, 2), (1, 2, 1)], (0, 2), [0, 0, 1], id="path"),
        pytest.param([(0, 1, 3), (1, 2, 2), (2, 3, 1)], (0, 3), [0, 0, 0, 1], id="longer path"),
        pytest.param([(0, 2, 3), (1, 2, 2), (0, 1, 1)], (0, 1), [0, 1, 0], id="triangle"),
        pytest.param([(0, 1, 5), (2, 3, 5), (1, 2, 1)], (0, 3), [0, 0, 1, 1], id="weak bridge"),
    ],
)
def test_the_weakest_link_between_different_things_is_cut(edges, pair, expected):
    W = joined(len(expected), *edges)
    assert sl.solve(W).n_labels == 1
    assert apart(W, [pair]).tolist() == expected


def test_a_weak_bridge_between_cliques_is_cut():
    W = np.kron(np.eye(2), np.ones((5, 5))) - np.eye(10)
    W[4, 5] = W[5, 4] = 0.2
    coarse = sl.solve(W).with_n_labels(1)
    assert coarse.n_labels == 1
    assert coarse.judge([(0, 9, "different")]).labels.tolist() == [0] * 5 + [1] * 5


def test_the_strongest_pair_stays():
    labels = apart(joined(4, (0, 1, 1), (1, 2, 10), (2, 3, 1)), [(0, 3)])
    assert labels[1] == labels[2]
    assert labels[0] != labels[3]


@pytest.mark.parametrize("pairs", [[(0, 3), (1, 4), (2, 5)], list(combinations(range(6), 2))])
def test_pairs_of_a_clique_are_apart(pairs):
    labels = apart(np.ones((6, 6)), pairs)
    assert all(labels[a] != labels[b] for a, b in pairs)


def test_what_is_apart_already_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(np.kron(np.eye(2), rng.uniform(0.1, 5.0, (10, 10))), 1)
    W += W.T
    free = sl.solve(W).labels
    assert free[0] != free[10]
    np.testing.assert_array_equal(apart(W, [(0, 10)]), free)
    np.testing.assert_array_equal(sl.solve(W, judgements=[]).labels, free)
    np.testing.assert_array_equal(sl.solve(W, range(20)).labels, free)  # a group for each item


def test_order_and_repetition_of_pairs_do_not_matter():
    W, pairs, _ = draw(0)
    once = apart(W, pairs.tolist())
    np.testing.assert_array_equal(apart(W, pairs[:, ::-1].tolist()), once)
    np.testing.assert_array_equal(apart(W, [*pairs.tolist(), *pairs[:, ::-1].tolist()]), once)


def test_an_item_is_not_different_from_itself():
    with pytest.raises(sl.InvalidInputError, match="item 1 twice"):
        apart(np.ones((3, 3)), [(1, 1)])


@pytest.mark.parametrize("at", range(10))
def test_no_pair_and_no_group_is_broken(at):
    W, pairs, groups = draw(7000 + at)
    labels = apart(W, pairs.tolist())
    assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
    for labels in (
        sl.solve(W, groups).labels,
        baselines.single_best_links(W, groups),
    ):
        assert len(np.unique(np.c_[labels, groups], axis=0)) == len(W)


def test_groups_and_judgements_hold_together():
    W, pairs, groups = draw(1)
    labels = sl.solve(W, groups, judgements=[(a, b, "different") for a, b in pairs]).labels
    assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
    assert len(np.unique(np.c_[labels, groups], axis=0)) == len(W)


def test_two_points_of_a_blob_part_and_other_blobs_stay(seed):
    X, blob = make_blobs(60, centers=[(-4, -4), (0, 0), (4, 4)], cluster_std=0.3, random_state=seed)
    W = sl.similarity.nearest_neighbors(X)
    a, b = np.flatnonzero(blob == 0)[:2].tolist()
    free, labels = sl.solve(W).labels, apart(W, [(a, b)])
    assert free[a] == free[b]
    assert labels[a] != labels[b]
    same = free[:, None] == free
    others = np.flatnonzero(free != free[a])
    found = labels[:, None] == labels
    np.testing.assert_array_equal(found[np.ix_(others, others)], same[np.ix_(others, others)])
