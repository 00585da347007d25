"""Single best links, compared with a slow version that looks at whole labelings."""

import numpy as np
import pytest

from spherelax.baselines._single_best_links import single_best_links
from spherelax.errors import InvalidInputError
from spherelax.labels import renumber


def slowly(W, groups, threshold):
    """Join labels one pair after the other, and check every label after each."""
    labels = np.arange(len(W))
    pairs = [(-W[i, j], i, j) for i in range(len(W)) for j in range(i + 1, len(W))]
    for score, i, j in sorted(pairs):
        if -score < max(threshold, 1e-12):
            break
        joined = np.where(labels == labels[j], labels[i], labels)
        if len(np.unique(np.c_[joined, groups], axis=0)) == len(W):
            labels = joined
    return renumber(labels)


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_equals_the_slow_version(seed, threshold):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((14, 14)) * (rng.random((14, 14)) < 0.5), 1)
    W += W.T
    groups = rng.integers(4, size=14)
    found = single_best_links(W, groups, threshold=threshold)
    np.testing.assert_array_equal(found, slowly(W, groups, threshold))


def test_of_equal_pairs_the_first_wins():
    W = np.array([[0, 0, 1.0], [0, 0, 1.0], [1.0, 1.0, 0]])
    assert single_best_links(W, [0, 0, 1]).tolist() == [0, 1, 0]


def test_bad_input():
    with pytest.raises(InvalidInputError, match="threshold must be a finite number >= 0"):
        single_best_links(np.eye(2), [0, 1], threshold=-1.0)
