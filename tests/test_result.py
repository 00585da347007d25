"""Moving along the path without another run."""

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest

import spherelax as sl


@pytest.fixture(scope="module")
def result():
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, missing=0.2, random_state=0)
    return sl.solve(W, n_inner=5)


def test_at_takes_the_nearest_alpha(result):
    other = result.at(0.503)
    assert other.alpha == pytest.approx(0.5)
    np.testing.assert_array_equal(other.labels, result.path.labels[other.index])
    assert other.status == sl.Status.CHOSEN
    assert other.path is result.path
    assert other.confidence.shape == result.labels.shape
    assert not np.array_equal(other.confidence, result.confidence)
    np.testing.assert_array_equal(result.at(result.alpha).confidence, result.confidence)


def test_coarser_below_finer_above(result):
    counts = [result.at(alpha).n_labels for alpha in (0.0, result.alpha, 0.99)]
    assert counts == [1, 4, 80]


def test_every_number_of_labels_on_the_path(result):
    for n in set(result.path.n_labels.tolist()):
        other = result.with_n_labels(n)
        assert other.n_labels == n
        assert other.status == sl.Status.CHOSEN
        same = result.path.n_labels == n
        assert result.path.etas[other.index] == result.path.etas[same].min()


def test_nearest_number_of_labels(result):
    missing = next(n for n in range(1, 200) if n not in result.path.n_labels)
    other = result.with_n_labels(missing)
    assert other.status == sl.Status.NEAREST
    assert other.n_labels in result.path.n_labels


@pytest.mark.parametrize("alpha", [-0.1, 1.1, "0.5", None, np.nan])
def test_bad_alpha(result, alpha):
    with pytest.raises(sl.InvalidInputError, match=r"^alpha must be a number in \[0, 1\]; found"):
        result.at(alpha)


@pytest.mark.parametrize("n", [0, 2.0, "3", True])
def test_bad_number_of_labels(result, n):
    with pytest.raises(sl.InvalidInputError, match=r"^n_labels must be an integer >= 1; found"):
        result.with_n_labels(n)


def test_frozen(result):
    with pytest.raises(FrozenInstanceError):
        result.labels = None
    with pytest.raises(FrozenInstanceError):
        result.path.etas = None


def test_repr_is_short(result):
    assert len(repr(result)) < 300
    assert "array" not in repr(result)


def test_matches_are_the_pairs_of_equal_labels(result):
    labels = result.labels
    expected = [(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]]
    assert [tuple(pair) for pair in result.matches().tolist()] == expected
    assert result.at(0.99).matches().shape == (0, 2)


def test_status_is_a_sentence(result):
    assert isinstance(result.status, str)
    assert str(result.status) == "The labels are those of the valley between the two maxima of eta."
    assert all(status.endswith(".") for status in sl.Status)
