"""Kernels against their definitions, pair by pair."""

import re
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

import spherelax as sl
from spherelax.similarity import adaptive, nearest_neighbors, rbf, search
from spherelax.similarity.search import searched


@pytest.fixture
def points(seed):
    return np.random.default_rng(seed).normal(size=(40, 3))


def ranked(X):
    """Distances and, for each point, the others from near to far."""
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1)[:, :-1]
    np.fill_diagonal(distances, 0.0)
    return distances, order


def test_adaptive_is_spectrums_kernel(points):
    distances, order = ranked(points)
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


@pytest.mark.parametrize("weights", ["local", "binary"])
def test_nearest_neighbors(points, weights):
    distances, order = ranked(points)
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


def test_rbf(points):
    distances, order = ranked(points)
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


def mixture(n_points, n_features, seed):
    """Points of ten Gaussians that overlap, in many dimensions: few searches are harder."""
    rng = np.random.default_rng(seed)
    centers = 2.0 * rng.normal(size=(10, n_features))
    return centers[rng.integers(10, size=n_points)] + rng.normal(size=(n_points, n_features))


def share_found(found, expected):
    """Share of the expected neighbours that were found."""
    pairs = zip(found, expected, strict=True)
    return np.mean([len(np.intersect1d(*pair)) for pair in pairs]) / expected.shape[1]


@pytest.mark.slow
class TestApproximateSearch:
    @pytest.fixture(autouse=True)
    def _needs_its_package(self):
        pytest.importorskip("pynndescent")

    def test_nearly_all_neighbours_are_found(self, seed):
        X, new = mixture(4000, 30, seed), mixture(50, 30, seed)
        found, exact = (searched(X, 10, search) for search in ("approximate", "exact"))
        (distances, neighbors), (_, expected) = found.kneighbors(), exact.kneighbors()
        assert share_found(neighbors, expected) >= 0.98
        assert not np.any(neighbors == np.arange(len(X))[:, None])
        gaps = np.linalg.norm(X[neighbors] - X[:, None], axis=2)
        np.testing.assert_allclose(distances, gaps, rtol=1e-12)
        assert np.all(np.diff(distances, axis=1) >= 0.0)
        assert share_found(found.kneighbors(new)[1], exact.kneighbors(new)[1]) >= 0.95

    def test_new_points_do_not_depend_on_each_other(self, seed):
        found, new = searched(mixture(1000, 20, seed), 5, "approximate"), mixture(20, 20, seed)
        together = found.kneighbors(new)[1]
        alone = [found.kneighbors(one)[1] for one in new[:, None]]
        np.testing.assert_array_equal(together, np.concatenate(alone))

    @pytest.mark.parametrize(
        "X",
        [
            np.zeros((300, 20)),
            np.repeat(mixture(20, 20, 0), 50, axis=0),
            1e141 + 1e139 * mixture(300, 20, 0),
            mixture(3, 20, 0),
        ],
        ids=["one point", "equal points", "large numbers", "three points"],
    )
    def test_odd_points_have_neighbours(self, X):
        distances, neighbors = searched(X, 10, "approximate").kneighbors()
        assert neighbors.shape == (len(X), min(10, len(X) - 1))
        assert neighbors.min() >= 0
        assert np.isfinite(distances).all()
        assert all(len(set(row)) == len(row) for row in neighbors)

    def test_labels_of_an_estimator(self, seed):
        rng = np.random.default_rng(seed)
        truth = np.arange(2000) % 4
        X = 6.0 * rng.normal(size=(4, 40))[truth] + rng.normal(size=(2000, 40))
        model = sl.SphereClustering(affinity_params={"search": "approximate"}).fit(X[:1900])
        assert sl.metrics.pairwise_scores(model.labels_, truth[:1900]).f_score == 1.0
        assert sl.metrics.pairwise_scores(model.predict(X[1900:]), truth[1900:]).f_score == 1.0

    def test_long_searches_are_approximate(self, monkeypatch):
        X = mixture(200, 20, 0)
        assert type(searched(X, 5)).__name__ == "NearestNeighbors"
        monkeypatch.setattr(search, "MOST_PRODUCTS", 1e4)
        assert type(searched(X, 5)).__name__ == "Approximate"
        assert type(searched(X, 5, "exact")).__name__ == "NearestNeighbors"
        assert type(searched(X[:, :15], 5)).__name__ == "NearestNeighbors"


def test_long_searches_without_pynndescent(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    X = mixture(200, 20, 0)
    needs = re.escape('pip install "spherelax[neighbors]"')
    with pytest.raises(ImportError, match=needs):
        nearest_neighbors(X, search="approximate")
    expected = nearest_neighbors(X)
    monkeypatch.setattr(search, "MOST_PRODUCTS", 1e4)
    with pytest.warns(sl.SphereWarning, match=needs) as caught:
        found = nearest_neighbors(X)
    assert (found != expected).nnz == 0
    assert caught[0].filename == __file__


def test_search_must_be_known():
    with pytest.raises(sl.InvalidInputError, match="search must be one of auto, exact, approx"):
        nearest_neighbors(np.eye(3), search="fast")
