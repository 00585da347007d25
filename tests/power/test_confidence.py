"""Confidence against its definition, item by item."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.power import confidence as module
from spherelax.power.confidence import label_confidence
from spherelax.power.rebalance import Rebalanced


def literal(W, kappa, labels, alpha):
    """The definition, one item and one label at a time."""
    c = (1 - alpha) * kappa - alpha
    out = []
    for i in range(len(W)):
        gains = {}
        for label in set(labels):
            others = [j for j in range(len(W)) if j != i and labels[j] == label]
            gains[label] = (1 - alpha) * sum(W[i, j] for j in others) + c * len(others)
        own = gains.pop(labels[i])
        other = max([0.0, *gains.values()])
        if other > 0:
            out.append(np.clip(1 - other / own, 0, 1) if own > 0 else 0.0)
        else:
            out.append(float(own >= 0))
    return out


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.005, 0.3, 0.9])
@pytest.mark.parametrize("n_labels", [1, 2, 5, 30])
def test_definition(sparse, alpha, n_labels, seed, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    rng = np.random.default_rng(seed)
    W = rng.random((30, 30)) * (rng.random((30, 30)) < 0.3)
    W = W + W.T
    labels = np.unique(rng.integers(n_labels, size=30), return_inverse=True)[1].astype(np.int32)
    given = Rebalanced(sp.csr_array(W) if sparse else W, 0.01)
    found = label_confidence(given, labels, alpha)
    np.testing.assert_allclose(found, literal(W, 0.01, labels, alpha), atol=1e-12)


def test_right_labels_are_surer_than_wrong_ones(seed):
    W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.3, random_state=seed)
    result = sl.solve(W)
    wrong = result.labels.copy()
    wrong[:10] = (wrong[:10] + 1) % result.n_labels
    doubted = result._solved.confidence(wrong, result.path.alpha)
    assert result.confidence[:10].min() > doubted[:10].max()
    assert np.all((result.confidence >= 0) & (result.confidence <= 1))


@pytest.mark.parametrize("sparse", [False, True])
def test_a_shift_attracts_without_similarity(sparse):
    W = np.kron(np.eye(2), np.ones((4, 4)))
    labels = np.repeat([0, 1], 4).astype(np.int32)
    found = label_confidence(Rebalanced(sp.csr_array(W) if sparse else W, 0.5), labels, alpha=0.0)
    np.testing.assert_allclose(found, literal(W, 0.5, labels, 0.0))
    assert np.all(found < 1)
