"""Rebalancing and the three numbers that stand for V."""

import numpy as np
import pytest
import scipy.sparse as sp
from support import oracle

import spherelax as sl
from spherelax.power import rebalance as module
from spherelax.power.rebalance import Rebalanced, rebalance
from spherelax.power.sweep import alpha_grid


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e200])
def test_normalisation_is_the_papers_at_any_scale(sparse, scale, seed):
    W = sl.datasets.make_binary_similarity(30, 3, random_state=seed)[0]
    given = sp.csr_array(W * scale) if sparse else W * scale
    balanced = rebalance(given, np.arange(30), 0.0).W
    np.testing.assert_allclose(
        balanced.toarray() if sparse else balanced, oracle.normalise(W), rtol=1e-12
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_only_kept_items_take_part(sparse, seed):
    W = sl.datasets.make_binary_similarity(30, 3, random_state=seed)[0]
    keep = np.flatnonzero(np.random.default_rng(seed).random(30) < 0.6)
    balanced = rebalance(sp.csr_array(W) if sparse else W, keep, 0.0).W
    np.testing.assert_allclose(
        balanced.toarray() if sparse else balanced, oracle.normalise(W[np.ix_(keep, keep)])
    )


def test_sparse_keeps_its_structure():
    W = sp.csr_array(np.kron(np.eye(3), np.ones((2, 2))))
    balanced = rebalance(W, np.arange(6), 0.0).W
    assert np.shares_memory(balanced.indices, W.indices)
    assert np.shares_memory(balanced.indptr, W.indptr)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("product_entries", [1, 20, 1 << 20])
def test_products_without_v(sparse, product_entries, seed, monkeypatch):
    monkeypatch.setattr(module, "PRODUCT_ENTRIES", product_entries)
    rng = np.random.default_rng(seed)
    W = sl.datasets.make_binary_similarity(25, 3, random_state=seed)[0]
    balanced = rebalance(sp.csr_array(W) if sparse else W, np.arange(25), 0.01)
    U = rng.random((25, 7))
    alpha = 0.3
    full = oracle.normalise(W) + 0.01
    product = np.empty_like(U)
    balanced.multiply(U, out=product)
    shifted = (1 - alpha) * product + balanced.shift(alpha) * U.sum(axis=0)
    np.testing.assert_allclose(shifted, ((1 - alpha) * full - alpha) @ U)
    objective = balanced.objective(alpha, np.vdot(U, product), np.sum(U.sum(axis=0) ** 2))
    assert objective == pytest.approx(oracle.g(alpha, full, U))


def test_objective_of_equal_rows(seed):
    W = rebalance(np.random.default_rng(seed).random((9, 9)) + 1.0, np.arange(9), 0.02)
    U = np.repeat([[0.6, 0.8]], 9, axis=0)
    alphas = alpha_grid(0.2)
    expected = [oracle.g(alpha, W.W + 0.02, U) for alpha in alphas]
    np.testing.assert_allclose(W.merged_objectives(alphas), expected)


def test_memory_order_follows_the_product():
    assert Rebalanced(np.eye(2), 0.0).order == "F"
    assert Rebalanced(sp.eye_array(2, format="csr"), 0.0).order == "C"
