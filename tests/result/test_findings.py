"""Pairs, and what is known of labels."""

from itertools import combinations

import numpy as np
import pytest

import spherelax as sl


def test_matches_are_the_pairs_of_equal_labels(result):
    labels = result.labels
    expected = [(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]]
    assert [tuple(pair) for pair in result.pairs().items.tolist()] == expected


def test_labels_that_nobody_shares_have_no_matches():
    result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))), pick=1e6)
    assert result.n_labels == 12
    assert result.pairs().items.shape == (0, 2)


def test_probabilities_of_pairs_are_those_of_all_labelings():
    """Three items: every labeling has the weight exp(sum of the log odds inside its labels)."""
    odds = np.array([[0, 2.0, -1], [2, 0, 1.5], [-1, 1.5, 0]])
    labelings = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    pairs = list(combinations(range(3), 2))
    inside = np.array([[x[i] == x[j] for i, j in pairs] for x in labelings])
    weight = np.exp(inside @ [odds[pair] for pair in pairs])
    result = sl.solve(odds, kind="odds")
    assert result.n_labels == 1
    expected = weight @ inside / weight.sum()
    assert result.pairs().items.tolist() == [list(pair) for pair in pairs]
    np.testing.assert_allclose(result.pairs().probability, expected, atol=0.05)
    assert result.entities().pure == pytest.approx(weight[0] / weight.sum(), abs=0.05)
