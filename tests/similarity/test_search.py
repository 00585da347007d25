"""The approximate search against the exact one."""

import re
import sys

import numpy as np
import pytest

import spherelax as sl
from spherelax.similarity import nearest_neighbors, search
from spherelax.similarity.search import searched


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
