"""How strongly items hold to their labels, and to labels that their group has taken."""

import numpy as np
import pytest
from spherelax.coordinate.copies.claims import find_claims

from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import Problem


def test_claims_are_those_of_loops(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((24, 24)) * (rng.random((24, 24)) < 0.3), 1)
    W, groups = W + W.T, rng.integers(4, size=24)
    labels = np.empty(24, dtype=np.int32)  # no two items of a group share one
    for group in range(4):
        labels[groups == group] = rng.permutation(16)[: np.sum(groups == group)]
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    worth = build_graph(Problem.check(W), 1.0)
    claims = find_claims(worth, groups[worth.given].astype(np.int32), labels[worth.given])
    for i in range(24):
        sums = {label: W[i, labels == label].sum() for label in set(labels.tolist())}
        others = [j for j in range(24) if j != i and groups[j] == groups[i]]
        best = max(others, key=lambda j: sums[labels[j]])
        assert claims.inside[i] == pytest.approx(sums[labels[i]])
        assert claims.outside[i] == pytest.approx(sums[labels[best]])
        if claims.outside[i] > 0:
            assert claims.holder[i] == best
        else:
            assert claims.holder[i] == -1


def test_worth_below_zero_says_nothing():
    odds = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, -1.0], [2.0, -1.0, 0.0]])
    worth = build_graph(Problem.check(odds, kind="odds"), 1.0, given=np.int32([0, 1, 2]))
    found = find_claims(worth, np.int32([0, 0, 1]), np.int32([0, 1, 0]))
    assert found.outside[1] == 0.0
    assert found.holder[1] == -1
