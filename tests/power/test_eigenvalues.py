"""The smallest eigenvalue for every alpha, against a dense eigensolver."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.power.eigenvalues import smallest_eigenvalues
from spherelax.power.rebalance import rebalance
from spherelax.power.sweep import alpha_grid


def ring(m):
    return np.roll(np.eye(m), 1, axis=1) + np.roll(np.eye(m), -1, axis=1)


def star(m):
    W = np.zeros((m, m))
    W[0, 1:] = W[1:, 0] = 1.0
    return W


CASES = {
    "two items": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "regular: ones is an eigenvector": ring(200),
    "two rings": np.kron(np.eye(2), ring(30)),
    "star": star(50),
    "complete": np.ones((40, 40)),
    "identity": np.eye(30),
    "clean clusters": np.kron(np.diag([1.0, 2.0, 3.0]), np.ones((10, 10))),
    "noisy clusters": sl.datasets.make_binary_similarity(150, 5, random_state=0)[0],
    "large": sl.datasets.make_binary_similarity(600, 12, rewired=0.6, random_state=1)[0],
    "matching": sl.datasets.make_partial_matching(30, 12, shuffled=0.4, random_state=0)[0],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kappa", [0.0, 0.01])
@pytest.mark.parametrize("sparse", [False, True])
def test_against_dense_eigensolver(name, kappa, sparse):
    W = CASES[name]
    m = len(W)
    given = rebalance(sp.csr_array(W) if sparse else W, np.arange(m), kappa)
    alphas = alpha_grid(0.05)
    dense = rebalance(W, np.arange(m), kappa).W
    expected = [np.linalg.eigvalsh((1 - alpha) * (dense + kappa) - alpha)[0] for alpha in alphas]
    np.testing.assert_allclose(-given.deltas(alphas, 0.0), expected, atol=1e-12 * m)


def test_margin_is_added():
    W = rebalance(ring(9), np.arange(9), 0.0)
    alphas = alpha_grid(0.25)
    np.testing.assert_allclose(W.deltas(alphas, 0.5), W.deltas(alphas, 0.0) + 0.5)


def test_v_is_positive_semidefinite(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((40, 40)) * (rng.random((40, 40)) < 0.3)
    W = W + W.T + np.eye(40)
    smallest = smallest_eigenvalues(W, np.ones(3), np.array([-1.0, 0.0, 1.0]))
    for shift, value in zip([-1.0, 0.0, 1.0], smallest, strict=True):
        eigenvalues = np.linalg.eigvalsh(W + shift - value * np.eye(40))
        assert abs(eigenvalues[0]) <= 1e-12 * abs(eigenvalues[-1])
