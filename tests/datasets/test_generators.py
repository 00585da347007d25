"""Generators follow the models that they state."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.datasets import (
    make_binary_similarity,
    make_gaussian_mixture,
    make_partial_matching,
)


@pytest.mark.parametrize("kind", ["rows", "matches"])
def test_partial_matching_blocks(kind, seed):
    W, groups, labels = make_partial_matching(
        12, 10, observed=0.6, shuffled=0.5, kind=kind, random_state=seed
    )
    np.testing.assert_array_equal(W, W.T)
    np.testing.assert_array_equal(np.diff(groups) >= 0, True)
    truth = (labels[:, None] == labels).astype(float)
    assert 0.15 < 1 - np.sum(W * truth - np.eye(len(W))) / (truth.sum() - len(W)) < 0.55
    for i in range(12):
        for j in range(12):
            block = W[np.ix_(groups == i, groups == j)]
            true = truth[np.ix_(groups == i, groups == j)]
            if i == j:
                np.testing.assert_array_equal(block, np.eye(len(block)))
                continue
            assert block.sum() == true.sum()
            assert block.sum(axis=0).max(initial=0) <= 1
            assert block.sum(axis=1).max(initial=0) <= 1
            changed = np.any(block != true, axis=1)
            rows = block if i < j else block.T
            moved = changed.sum() if i < j else np.any(block.T != true.T, axis=1).sum()
            n = len(rows) if kind == "rows" else int(true.sum())
            assert moved <= round(0.5 * n)
            if kind == "matches" and i < j:
                np.testing.assert_array_equal(rows.any(axis=1), true.any(axis=1))


def test_partial_matching_shares(seed):
    _, groups, _ = make_partial_matching(60, 50, observed=0.3, random_state=seed)
    assert len(groups) == pytest.approx(0.3 * 60 * 50, rel=0.1)
    W, _, labels = make_partial_matching(8, 30, observed=1.0, shuffled=0.0, random_state=seed)
    np.testing.assert_array_equal(W, labels[:, None] == labels)


def test_shuffled_items_are_in_random_order(seed):
    _, groups, labels = make_partial_matching(5, 30, observed=1.0, random_state=seed)
    assert not np.array_equal(labels[groups == 0], labels[groups == 1])


def test_binary_similarity_shares(seed):
    W, labels = make_binary_similarity(400, 4, rewired=0.4, missing=0.3, random_state=seed)
    np.testing.assert_array_equal(W, W.T)
    np.testing.assert_array_equal(np.diag(W), 1.0)
    same = (labels[:, None] == labels)[np.triu_indices(400, 1)]
    values = W[np.triu_indices(400, 1)]
    assert values[same].mean() == pytest.approx((0.6 + 0.2) * 0.7, abs=0.02)
    assert values[~same].mean() == pytest.approx(0.2 * 0.7, abs=0.02)
    np.testing.assert_allclose(np.bincount(labels), 100, atol=40)


def test_gaussian_mixture_means(seed):
    n = 40_000
    X, labels = make_gaussian_mixture(n, 4, random_state=seed)
    centres = np.array([X[labels == c].mean(axis=0) for c in range(4)])
    first, second = np.triu_indices(4, 1)
    distances = np.linalg.norm(centres[first] - centres[second], axis=1)
    variances = [X[labels == c].var(axis=0).mean() for c in range(4)]
    assert distances.mean() == pytest.approx(1.0, abs=0.05)
    assert np.mean(variances) == pytest.approx(0.7, abs=0.05)
    assert make_gaussian_mixture(10, 1, random_state=seed)[0].shape == (10, 2)


@pytest.mark.parametrize(
    "make", [make_partial_matching, make_binary_similarity, make_gaussian_mixture]
)
def test_random_state(make):
    for a, b in zip(make(random_state=7), make(random_state=7), strict=True):
        np.testing.assert_array_equal(a, b)
    again = make(random_state=np.random.RandomState(7))
    np.testing.assert_array_equal(make(random_state=7)[0], again[0])
    assert not np.array_equal(make(random_state=7)[0], make(random_state=8)[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_partial_matching(0), "n_groups must be an integer >= 1; found 0"),
        (lambda: make_partial_matching(observed=1.2), r"observed must be a number in \[0, 1\]"),
        (lambda: make_partial_matching(shuffled=-1), r"shuffled must be a number in \[0, 1\]"),
        (
            lambda: make_partial_matching(kind="all"),
            "kind must be 'rows' or 'matches'; found 'all'",
        ),
        (lambda: make_partial_matching(observed=0), "observed must be large enough"),
        (lambda: make_binary_similarity(2.5), "n_items must be an integer >= 1; found 2.5"),
        (lambda: make_binary_similarity(missing=2), r"missing must be a number in \[0, 1\]"),
        (lambda: make_gaussian_mixture(mean_variance=-1), "mean_variance must be a finite number"),
    ],
)
def test_bad_parameters(call, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        call()
