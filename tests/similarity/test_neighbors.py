"""Neighbour graphs against their definition, and which features are scaled."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from spherelax.similarity import nearest_neighbors


@pytest.mark.parametrize("weights", ["local", "binary"])
def test_nearest_neighbors(points, ranked, weights):
    distances, order = ranked
    m = len(points)
    near = np.zeros((m, m), dtype=bool)
    near[np.arange(m)[:, None], order[:, :6]] = True
    scale = distances[np.arange(m), order[:, 3]]
    values = np.exp(-(distances**2) / np.outer(scale, scale)) if weights == "local" else 1.0
    W = nearest_neighbors(points, n_neighbors=6, weights=weights, scale_neighbor=4)
    assert sp.issparse(W)
    assert W.format == "csr"
    np.testing.assert_allclose(W.toarray(), (near | near.T) * values, atol=1e-9)


def is_scaled(X):
    """Tell whether features get the same deviation by default."""
    found, scaled, given = (
        nearest_neighbors(X, standardize=asked).toarray() for asked in ("auto", True, False)
    )
    assert not np.allclose(scaled, given)
    return np.allclose(found, scaled)


def test_only_features_of_different_units_are_scaled(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8))
    assert is_scaled(X * np.geomspace(0.01, 100.0, 8))
    assert not is_scaled(X * np.linspace(1.0, 3.0, 8))
    one_large = np.ones(8)
    one_large[3] = 1000.0
    assert is_scaled(X * one_large)


@pytest.mark.parametrize("n_features", [2, 3])
def test_few_features_have_units_too(seed, n_features):
    """Coordinates of a long shape are not scaled; minutes and hours are."""
    X = np.random.default_rng(seed).random((60, n_features))
    widths = np.ones(n_features)
    widths[0] = 5.0
    assert not is_scaled(X * widths)
    widths[0] = 8.0
    assert is_scaled(X * widths)


@pytest.mark.parametrize("distance", [40.0, 100.0])
def test_clusters_far_apart_are_not_units(seed, distance):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    X[::2, 0] += distance
    assert not is_scaled(X)


def test_pixels_and_words_are_not_scaled(seed):
    """Rare ones vary little, but are as large where they are."""
    rng = np.random.default_rng(seed)
    used = rng.random((60, 30)) < np.geomspace(0.05, 0.9, 30)
    X = used * rng.uniform(0.5, 1.0, size=used.shape)
    assert X.std(axis=0).max() > 2.0 * X.std(axis=0)[X.std(axis=0) > 0].min()
    assert not is_scaled(X)


def test_principal_components_are_not_scaled(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8)) * np.geomspace(100.0, 1.0, 8) + 5.0
    assert is_scaled(X)
    centered = X - X.mean(axis=0)
    assert not is_scaled(np.linalg.svd(centered, full_matrices=False)[0] * np.geomspace(99, 1, 8))
    assert not is_scaled(PCA().fit_transform(X).astype(np.float32))
