"""MatchEig: the low-rank matrix behind it, its threshold and the published quality."""

import itertools

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.baselines._match_eig import match_eig
from spherelax.datasets import make_partial_matching


def f_score(pairs, truth, groups):
    same = (truth[:, None] == truth) & (groups[:, None] != groups)
    right = same[pairs[:, 0], pairs[:, 1]].sum()
    return 2 * right / (len(pairs) + same.sum() / 2)


def best_by_force(block, threshold):
    """Return the largest sum of excess over the threshold of any partial permutation."""
    n, columns = block.shape
    gain = np.maximum(block - threshold, 0.0)
    return max(
        gain[np.arange(n), list(chosen)].sum()
        for chosen in itertools.permutations(range(columns), n)
    )


def test_each_block_is_the_best_partial_permutation(seed):
    W, groups, _ = make_partial_matching(4, 4, observed=1.0, shuffled=0.8, random_state=seed)
    values, vectors = np.linalg.eigh(W)
    X = vectors[:, -4:] * values[-4:] @ vectors[:, -4:].T
    pairs = match_eig(W, groups, 4, threshold=0.1)
    assert np.all(X[pairs[:, 0], pairs[:, 1]] > 0.1)
    for a, b in itertools.combinations(range(4), 2):
        inside = pairs[(groups[pairs[:, 0]] == a) & (groups[pairs[:, 1]] == b)]
        gained = (X[inside[:, 0], inside[:, 1]] - 0.1).sum()
        best = best_by_force(X[np.ix_(groups == a, groups == b)], 0.1)
        assert gained == pytest.approx(best)


def test_a_higher_threshold_matches_less(seed):
    W, groups, _ = make_partial_matching(10, 8, observed=0.6, shuffled=0.5, random_state=seed)
    counts = [len(match_eig(W, groups, 8, threshold=t)) for t in (0.0, 0.25, 0.5, 0.75)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_as_good_as_published_code_on_noisy_input():
    scores = []
    for seed in range(6000, 6010):
        W, groups, truth = make_partial_matching(
            20, 20, observed=0.6, shuffled=0.5, random_state=seed
        )
        scores.append(f_score(match_eig(W, groups, 20), truth, groups))
    assert np.mean(scores) > 0.956  # the published code reached 0.966


@pytest.mark.parametrize("threshold", [-0.1, 1.0, "high"])
def test_thresholds_outside_the_entries_are_refused(threshold):
    with pytest.raises(InvalidInputError, match="threshold must be a number in"):
        match_eig(np.eye(3), [0, 1, 2], 2, threshold=threshold)
