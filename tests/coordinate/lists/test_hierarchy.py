"""Average linkage against a plain one that looks at all pairs of clusters before each merge."""

import numpy as np
import pytest

from spherelax.coordinate.lists.hierarchy import ABSENT, Hierarchy

NONE = np.empty(0, np.int32)


def some_pairs(seed, n=30, n_pairs=90):
    rng = np.random.default_rng(seed)
    one, other = np.triu_indices(n, 1)
    kept = np.sort(rng.choice(len(one), n_pairs, replace=False))
    return one[kept], other[kept], rng.random(n_pairs)


def plain_meets(n, one, other, score, group):
    """The level at which each two items join; levels never rise."""
    clusters = {i: ([i], np.inf) for i in range(n)}
    found = np.full((n, n), -np.inf)
    while True:
        best = (-np.inf, None, None)
        for a, (of_a, _) in clusters.items():
            for b, (of_b, _) in clusters.items():
                inside = (np.isin(one, of_a) & np.isin(other, of_b)) | (
                    np.isin(one, of_b) & np.isin(other, of_a)
                )
                if a < b and inside.any() and not set(group[of_a]) & set(group[of_b]):
                    c, possible = inside.sum(), len(of_a) * len(of_b)
                    level = score[inside].sum() / (c ** (1.0 - ABSENT) * possible**ABSENT)
                    best = max(best, (level, a, b))
        level, a, b = best
        if a is None:
            return found
        (of_a, level_a), (of_b, level_b) = clusters.pop(a), clusters.pop(b)
        level = min(level, level_a, level_b)
        found[np.ix_(of_a, of_b)] = found[np.ix_(of_b, of_a)] = level
        clusters[a] = of_a + of_b, level


@pytest.mark.parametrize("has_groups", [False, True])
def test_merges_are_those_of_the_definition(seed, has_groups):
    one, other, score = some_pairs(seed)
    group = np.arange(30, dtype=np.int32) // (3 if has_groups else 1)
    apart = group[one] != group[other]
    one, other, score = one[apart], other[apart], score[apart]
    tree = Hierarchy.of(30, one, other, score, group if has_groups else NONE)
    expected = plain_meets(30, one, other, score, group)
    first, second = np.triu_indices(30, 1)
    np.testing.assert_allclose(tree.meet(first, second), expected[first, second])
    np.testing.assert_allclose(tree.first, expected.max(axis=1))
    for cut in (0.2, 0.5, 0.8):
        labels = tree.labels(cut)
        together = labels[first] == labels[second]
        np.testing.assert_array_equal(together, expected[first, second] >= cut)


def test_links_are_short_where_one_cluster_takes_all():
    n = 2000
    tree = Hierarchy.of(n, np.zeros(n - 1, int), np.arange(1, n), np.linspace(1, 2, n - 1), NONE)
    assert len(tree.levels) == n - 1
    assert (tree.labels(0.0) == tree.labels(0.0)[0]).all()
    depth, at = 0, np.arange(n)
    while not np.array_equal(at, tree.up[at]):
        depth, at = depth + 1, tree.up[at]
    assert depth <= np.log2(n)


def test_nothing_listed_is_nothing_joined():
    tree = Hierarchy.of(3, np.empty(0, int), np.empty(0, int), np.empty(0), NONE)
    np.testing.assert_array_equal(tree.labels(0.0), [0, 1, 2])
    assert tree.meet(np.array([0]), np.array([2])) == -np.inf
