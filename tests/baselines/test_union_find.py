"""Connected components, with and without conflicts."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.baselines._union_find import union_find
from spherelax.datasets import make_partial_matching
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores


def components(W, threshold):
    """Join sets of items one pair at a time."""
    sets = [{item} for item in range(len(W))]
    for i, j in np.argwhere(np.triu(threshold < W, 1)):
        first = next(one for one in sets if i in one)
        second = next(one for one in sets if j in one)
        if first is not second:
            first |= second
            sets.remove(second)
    return [next(at for at, one in enumerate(sets) if item in one) for item in range(len(W))]


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.9])
def test_joins_what_is_above_the_threshold(seed, threshold):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.07), 1)
    W += W.T
    expected = components(W, threshold)
    assert pairwise_scores(expected, union_find(W, threshold=threshold)).f_score == 1.0
    found = union_find(sp.csr_array(W), threshold=threshold)
    assert (found == union_find(W, threshold=threshold)).all()


def test_dropping_leaves_no_conflict(seed):
    W, groups, _ = make_partial_matching(4, 20, observed=0.6, shuffled=0.25, random_state=seed)
    kept, dropped = union_find(W, groups), union_find(W, groups, conflicts="drop")

    def conflicts(labels):
        return len(labels) - len(np.unique(np.c_[labels, groups], axis=0))

    assert 0 < conflicts(kept) < len(kept)
    assert conflicts(dropped) == 0
    for label in range(kept.max() + 1):
        items = np.flatnonzero(kept == label)
        whole = len(np.unique(groups[items])) == len(items)
        assert len(np.unique(dropped[items])) == (1 if whole else len(items))


def test_threshold_is_not_part_of_what_is_joined():
    W = np.array([[0, 0.5], [0.5, 0]])
    assert union_find(W, threshold=0.5).tolist() == [0, 1]
    assert union_find(W, threshold=0.49).tolist() == [0, 0]


def test_bad_input():
    with pytest.raises(InvalidInputError, match="conflicts='drop' needs groups"):
        union_find(np.eye(3), conflicts="drop")
    with pytest.raises(InvalidInputError, match="conflicts must be 'keep' or 'drop'"):
        union_find(np.eye(3), conflicts="cut")
    with pytest.raises(InvalidInputError, match="threshold must be a finite number >= 0"):
        union_find(np.eye(3), threshold=-1.0)
