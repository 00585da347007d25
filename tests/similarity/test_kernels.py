"""Kernels against their definitions, pair by pair."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.similarity import adaptive, nearest_neighbors, rbf


def test_adaptive_is_spectrums_kernel(points, ranked):
    distances, order = ranked
    m = len(points)
    expected = np.ones((m, m))
    for i in range(m):
        for j in range(m):
            shared = len(set(order[i, :7]) & set(order[j, :7]))
            scale = distances[i, order[i, 2]] * distances[j, order[j, 2]]
            expected[i, j] = np.exp(-(distances[i, j] ** 2) / (scale * (shared + 1)))
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(adaptive(points), expected, atol=1e-9)
    sparse = adaptive(points, n_neighbors=5)
    near = np.zeros((m, m), dtype=bool)
    near[np.arange(m)[:, None], order[:, :5]] = True
    np.testing.assert_allclose(sparse.toarray(), expected * (near | near.T), atol=1e-9)


def test_rbf(points, ranked):
    distances, order = ranked
    median = np.median(distances[np.triu_indices(len(points), 1)])
    np.testing.assert_allclose(rbf(points), np.exp(-(distances**2) / (2 * median**2)), atol=1e-9)
    np.testing.assert_allclose(rbf(points, scale=0.7), np.exp(-(distances**2) / 0.98), atol=1e-9)
    local = distances[np.arange(len(points)), order[:, 4]]
    np.testing.assert_allclose(
        rbf(points, scale="local", n_neighbors=5),
        np.exp(-(distances**2) / np.outer(local, local)),
        atol=1e-9,
    )


@pytest.mark.parametrize(
    "kernel",
    [
        rbf,
        adaptive,
        nearest_neighbors,
        lambda X: rbf(X, scale="local"),
        lambda X: adaptive(X, n_neighbors=9),
    ],
)
@pytest.mark.parametrize(
    "X",
    [np.zeros((5, 2)), [[0.0], [1.0]], np.repeat(np.eye(3), 4, axis=0), np.ones((3, 1), dtype=int)],
    ids=["one place", "two points", "repeated points", "integers"],
)
def test_odd_points_give_legal_similarities(kernel, X):
    W = kernel(X)
    W = W.toarray() if sp.issparse(W) else W
    assert np.all(np.isfinite(W))
    assert np.all((W >= 0) & (W <= 1))
    np.testing.assert_array_equal(W, W.T)


@pytest.mark.parametrize("kernel", [nearest_neighbors, lambda X: adaptive(X, n_neighbors=10)])
def test_sparse_kernels_never_build_all_pairs(kernel):
    X = np.random.default_rng(0).normal(size=(4000, 2))
    tracemalloc.start()
    W = kernel(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert W.nnz < 20 * len(X)
    assert peak < len(X) ** 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: rbf(X, scale="wide"), "scale must be 'median', 'local' or a positive number"),
        (lambda X: rbf(X, scale=0.0), "scale must be 'median', 'local' or a positive number"),
        (lambda X: nearest_neighbors(X, weights="x"), "weights must be 'local' or 'binary'"),
        (lambda X: nearest_neighbors(X, n_neighbors=0), "n_neighbors must be an integer >= 1"),
        (lambda X: nearest_neighbors(X, scale_neighbor=0), "scale_neighbor must be an integer"),
        (lambda X: adaptive(X, shared_neighbors=1.5), "shared_neighbors must be an integer"),
        (lambda X: adaptive(X, n_neighbors=-1), "n_neighbors must be an integer"),
    ],
)
def test_bad_parameters(call, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        call(np.eye(4))


@pytest.mark.parametrize("kernel", [rbf, adaptive, nearest_neighbors])
def test_bad_points(kernel):
    with pytest.raises(ValueError, match="Input X contains NaN"):
        kernel([[0.0], [np.nan]])
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        kernel([[0.0]])
