"""How much labels save with groups: the formula written out, and what must hold for any data."""

from collections import Counter
from itertools import product
from math import comb, log

import numpy as np
import pytest

import spherelax as sl
from spherelax.coordinate.worth.description import (
    SOFTNESS,
    Description,
    account_of,
    labels_cost,
    unnamed_cost,
)
from spherelax.labels import renumber

M = 120  # items


def coin(p):
    """The entropy of a coin."""
    return 0.0 if p in {0.0, 1.0} else -p * log(p) - (1 - p) * log(1 - p)


def cost(similarity, n_pairs):
    """What pairs cost: ``n c H(p / c)``."""
    if n_pairs == 0:
        return 0.0
    return n_pairs * SOFTNESS * coin(min(similarity / n_pairs / SOFTNESS, 1.0))


def planted(seed, n_clusters=4):
    """A planted similarity, the similarity inside each label, and the labels."""
    rng = np.random.default_rng(seed)
    truth = renumber(rng.integers(n_clusters, size=M))
    W = np.triu(rng.random((M, M)) < np.where(truth[:, None] == truth, 0.5, 0.04), 1)
    return W.astype(float), truth


def amount(W, labels):
    """What labels amount to."""
    inside = [W[np.ix_(labels == c, labels == c)].sum() for c in range(labels.max() + 1)]
    return account_of(labels, np.array(inside), np.ones(M))


@pytest.mark.parametrize("names", [1.0, 0.3])
def test_savings_are_what_the_formula_says(names, seed):
    W, truth = planted(seed)
    rng, n_pairs = np.random.default_rng(seed), M * (M - 1) / 2
    description = Description(W.sum(), n_pairs, names)
    for labels in map(renumber, (truth, rng.permutation(truth), np.arange(M))):
        account, sizes = amount(W, labels), np.bincount(np.bincount(labels))
        same = np.triu(labels[:, None] == labels, 1)
        coded = cost(W[same].sum(), same.sum()) + cost(W[~same].sum(), n_pairs - same.sum())
        price = names * labels_cost(sizes) + (1.0 - names) * unnamed_cost(sizes)
        expected = cost(W.sum(), n_pairs) - coded - price
        np.testing.assert_allclose(description.saving(account), expected, rtol=1e-6)


def test_accounts_of_parts_add_up_to_the_same_bits(seed):
    W, truth = planted(seed)
    inside = np.array([W[np.ix_(truth == c, truth == c)].sum() for c in range(4)])
    of_part = [
        account_of(renumber(truth[part]), inside[which], np.ones(part.sum()))
        for which in ([0, 2], [1, 3])
        for part in [np.isin(truth, which)]
    ]
    one = amount(W, truth)
    for found in (of_part[0].plus(of_part[1]), of_part[1].plus(of_part[0])):
        assert (found.pairs, found.similarity) == (one.pairs, one.similarity)
        np.testing.assert_array_equal(found.of_size, one.of_size)


@pytest.mark.parametrize("m", [1, 2, 4, 6])
def test_labels_cost_as_much_as_there_are_labelings(m):
    for k in range(1, m + 1):
        found = [np.bincount(labels, minlength=k) for labels in product(range(k), repeat=m)]
        sizes, ways = np.unique([s for s in found if s.all()], axis=0, return_counts=True)
        assert len(sizes) == comb(m - 1, k - 1)
        for one, n_ways in zip(sizes, ways, strict=True):
            np.testing.assert_allclose(
                labels_cost(np.bincount(one)), log(len(sizes)) + log(n_ways), atol=1e-9
            )


@pytest.mark.parametrize("m", [1, 2, 4, 6])
def test_unnamed_labels_cost_as_much_as_there_are_sets(m):
    """Count the sets of sets: labels of one labeling with other names are the same."""
    found = {tuple(renumber(np.array(labels))) for labels in product(range(m), repeat=m)}
    ways = Counter(tuple(sorted(np.bincount(labels))) for labels in found)
    for one, n_ways in ways.items():
        n_multisets = sum(len(other) == len(one) for other in ways)
        sizes = np.bincount(one)
        assert unnamed_cost(sizes) >= log(n_ways) - 1e-9
        assert unnamed_cost(sizes) <= log(comb(m - 1, len(one) - 1)) + log(n_ways) + 1e-9
        assert n_multisets <= comb(m - 1, len(one) - 1)
    assert unnamed_cost(np.bincount(np.ones(m, dtype=int))) == pytest.approx(0.0)


def test_small_entities_of_plain_matches_are_not_joined_by_wrong_ones(seed):
    """Entities of two or three items in five groups, and as many wrong matches as right ones."""
    rng = np.random.default_rng(seed)
    size = rng.integers(2, 4, 300)
    truth = np.repeat(np.arange(300), size)
    groups = np.concatenate([rng.permutation(5)[:n] for n in size])
    right = np.triu(truth[:, None] == truth, 1)
    wrong = np.triu(rng.random(right.shape) < right.sum() * 2 / right.size, 1)
    wrong &= (truth[:, None] != truth) & (groups[:, None] != groups)
    W = (right | wrong).astype(float)
    result = sl.solve(W + W.T, groups)
    f_scores = [
        sl.metrics.pairwise_scores(truth, labels, groups).f_score
        for labels in (result.labels, *result.path.labels)
    ]
    assert f_scores[0] > max(f_scores) - 0.03
    assert f_scores[0] > 0.94
