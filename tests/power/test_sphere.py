"""The non-negative sphere: projection, start, consensus."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from support import oracle

from spherelax.power import sphere

MATRICES = arrays(
    float,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.floats(-1e300, 1e300, allow_subnormal=False) | st.sampled_from([0.0, -0.0, 1.0]),
)


@given(MATRICES)
def test_projection_is_on_the_sphere_and_literal(X):
    U = sphere.project(X.copy())
    assert np.all(U >= 0)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0, atol=1e-14)
    top = X.max(axis=1, keepdims=True)
    scaled = np.where(top > 0, np.maximum(X, 0) / np.where(top > 0, top, 1), X)
    np.testing.assert_allclose(U, oracle.project(scaled), atol=1e-12)


@given(MATRICES, st.integers(0, 2**32 - 1))
def test_projection_is_optimal(X, seed):
    X = X / max(np.abs(X).max(), 1e-300)
    best = np.sum(X * sphere.project(X.copy()), axis=1)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        competitor = np.abs(rng.normal(size=X.shape))
        competitor[rng.random(X.shape) < 0.5] = 0.0
        competitor[np.arange(len(X)), rng.integers(X.shape[1], size=len(X))] = 1.0
        competitor /= np.linalg.norm(competitor, axis=1, keepdims=True)
        assert np.all(np.sum(X * competitor, axis=1) <= best + 1e-12)


@given(MATRICES)
def test_projection_is_idempotent(X):
    U = sphere.project(X.copy())
    np.testing.assert_allclose(sphere.project(U.copy()), U, atol=1e-15)


@pytest.mark.parametrize("order", ["C", "F"])
def test_projection_is_in_place(order):
    X = np.array([[3.0, -4.0], [-1.0, -2.0], [1e-300, 0.0], [1e308, 1e308]], order=order)
    assert sphere.project(X) is X
    np.testing.assert_allclose(X, [[1, 0], [1, 0], [1, 0], [0.5**0.5, 0.5**0.5]])


def test_ties_go_to_the_first_column():
    np.testing.assert_array_equal(sphere.project(np.zeros((1, 3))), [[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(sphere.project(np.array([[-2.0, -1.0, -1.0]])), [[0, 1.0, 0]])


def test_consensus():
    row = sphere.project(np.random.default_rng(0).random((1, 5)))
    U = np.repeat(row, 4, axis=0)
    assert sphere.is_consensus(U)
    U[2, 3] += 1e-10
    assert not sphere.is_consensus(U)
