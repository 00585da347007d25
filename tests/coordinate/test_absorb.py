"""An earlier result as the start: new items and similarities join it without a sweep."""

import numpy as np
import pytest

import spherelax as sl
from problems import clean
from spherelax.labels import renumber


@pytest.mark.parametrize("shown", [0.5, 0.9])
def test_new_items_are_absorbed(shown, seed):
    W, truth = clean([8, 12, 9, 15], seed)
    first = int(shown * len(W))
    start = sl.solve(W[:first, :first])
    result = sl.solve(W, start=start)
    np.testing.assert_array_equal(result.labels, sl.solve(W).labels)
    np.testing.assert_array_equal(result.labels, truth)
    assert result.status == sl.Status.ABSORBED
    assert len(result.path.labels) == 1
    np.testing.assert_array_equal(sl.solve(W, start=result).labels, truth)


def test_new_objects_are_absorbed(seed):
    W, groups, truth = sl.datasets.make_partial_matching(12, 8, shuffled=0.0, random_state=seed)
    known = groups < 9
    start = sl.solve(W[known][:, known], groups[known])
    result = sl.solve(W, groups, start=start)
    np.testing.assert_array_equal(result.labels, sl.solve(W, groups).labels)
    np.testing.assert_array_equal(result.labels, renumber(truth))


def test_new_similarities_are_absorbed(seed):
    """Two clusters turn out to be one."""
    W, truth = clean([10, 10, 10], seed)
    start = sl.solve(W)
    joined = np.where(truth == 2, 1, truth)
    result = sl.solve((joined[:, None] == joined).astype(float), start=start)
    np.testing.assert_array_equal(result.labels, joined)


def test_groups_are_respected_when_absorbing(seed):
    """Four objects turn out to have two items in each cluster: each cluster becomes two."""
    W, truth = clean([8, 8, 8], seed)
    groups = np.empty(len(W), dtype=int)
    groups[np.argsort(truth, kind="stable")] = np.tile(np.repeat(np.arange(4), 2), 3)
    labels = sl.solve(W, groups, start=sl.solve(W)).labels
    assert len(set(zip(groups.tolist(), labels.tolist(), strict=True))) == len(W)
    assert np.bincount(labels).tolist() == [4] * 6
    assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 6


def test_bad_starts():
    W, _ = clean()
    coordinate, by_power = sl.solve(W), sl.solve(W, solver="power")
    for how, message in (
        ({"start": by_power}, "^start must be a Result of the coordinate solver; .* of the power"),
        ({"start": coordinate.labels}, "^start must be a Result .*; found ndarray$"),
        ({"start": coordinate, "solver": "power"}, "^start needs solver='coordinate'"),
    ):
        with pytest.raises(sl.InvalidInputError, match=message):
            sl.solve(W, **how)
    with pytest.raises(sl.InvalidInputError, match=r"^start must not have more items .*, 8; found"):
        sl.solve(W[:8, :8], start=coordinate)
