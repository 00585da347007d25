"""scikit-learn's own checks, and what users of scikit-learn do."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import spherelax as sl

QUICK = {"n_inner": 3, "alpha_step": 0.05}


def expected_failures(estimator):
    """Name the checks that cannot pass, with the reason."""
    if not estimator.__sklearn_tags__().input_tags.pairwise:
        return {}
    reason = "passes points of shape (50, 2) although the estimator's tags say that X is pairwise"
    return {"check_clustering": reason}


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        sl.SphereClustering(**QUICK),
        sl.SphereClustering(affinity="nearest_neighbors", **QUICK),
        sl.SphereClustering(affinity="rbf", **QUICK),
        sl.SphereClustering(affinity="precomputed", **QUICK),
        sl.SphereMatching(**QUICK),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def blobs():
    return make_blobs(90, centers=3, cluster_std=0.5, random_state=0)


@pytest.mark.parametrize("affinity", ["adaptive", "nearest_neighbors", "rbf"])
def test_points(blobs, affinity):
    X, y = blobs
    model = sl.SphereClustering(affinity)
    labels = model.fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1.0
    assert model.n_clusters_ == 3
    assert 0 <= model.alpha_ <= 1
    assert model.result_.n_labels == 3
    assert model.confidence_.shape == (90,)
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.labels_, labels)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix, sp.coo_array])
def test_precomputed(blobs, kind):
    X, y = blobs
    W = kind(sl.similarity.nearest_neighbors(X).toarray())
    labels = sl.SphereClustering(affinity="precomputed").fit_predict(W)
    assert adjusted_rand_score(y, labels) == 1.0


def test_callable_affinity_with_parameters(blobs):
    X, y = blobs
    model = sl.SphereClustering(
        lambda points, width: np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / width),
        affinity_params={"width": 0.5},
    )
    assert adjusted_rand_score(y, model.fit_predict(X)) == 1.0


def test_bad_affinity(blobs):
    with pytest.raises(sl.InvalidInputError, match=r"affinity must be one of adaptive, .*'magic'"):
        sl.SphereClustering("magic").fit(blobs[0])


def test_bad_bounds(blobs):
    with pytest.raises(sl.InvalidInputError, match="max_clusters must be an integer >= 1"):
        sl.SphereClustering(max_clusters=0).fit(blobs[0])
    with pytest.raises(sl.InvalidInputError, match="max_universe must be an integer >= 1"):
        sl.SphereMatching(max_universe=0).fit(np.ones((4, 4)))


def test_bounds_are_kept(blobs):
    X, _ = blobs
    model = sl.SphereClustering(max_clusters=5, **QUICK).fit(X)
    assert model.result_.max_universe == 5
    assert model.result_.path.n_labels.max() <= 5


def test_pipeline_clone_and_set_params(blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), sl.SphereClustering())
    pipeline.set_params(sphereclustering__affinity="nearest_neighbors")
    labels = clone(pipeline).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.95
    scaled = StandardScaler().fit_transform(X)
    expected = sl.SphereClustering("nearest_neighbors").fit_predict(scaled)
    np.testing.assert_array_equal(labels, expected)


def test_grid_search(blobs):
    X, y = blobs
    everything = np.arange(len(X))

    def score(model, points, truth):
        return adjusted_rand_score(truth, model.fit_predict(points))

    search = GridSearchCV(
        sl.SphereClustering(),
        {"affinity": ["rbf", "adaptive"], "max_clusters": [1, 20]},
        scoring=score,
        cv=[(everything, everything)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        search.fit(X, y)
    assert search.best_params_["max_clusters"] == 20
    assert search.best_score_ == 1.0


@pytest.fixture
def matching():
    return sl.datasets.make_partial_matching(10, 8, observed=0.7, shuffled=0.3, random_state=0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_matching(matching, kind):
    W, groups, truth = matching
    model = sl.SphereMatching().fit(kind(W), groups=groups)
    assert sl.metrics.pairwise_scores(truth, model.labels_, groups).f_score > 0.95
    assert model.n_universe_ == model.labels_.max() + 1
    pairs = model.matches()
    assert np.all(groups[pairs[:, 0]] != groups[pairs[:, 1]])
    assert sl.metrics.cycle_consistency(pairs, groups) == 1.0
    np.testing.assert_array_equal(
        sl.SphereMatching().fit_predict(kind(W), groups=groups), model.labels_
    )


def test_matching_through_a_grid_search_with_routed_groups(matching):
    W, groups, truth = matching
    everything = np.arange(len(W))

    def score(model, _similarity, truth):
        return sl.metrics.pairwise_scores(truth, model.labels_).f_score

    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            sl.SphereMatching().set_fit_request(groups=True),
            {"max_universe": [8, 60]},
            scoring=score,
            cv=[(everything, everything)],
        ).fit(W, truth, groups=groups)
    assert search.best_score_ > 0.95


def test_matching_without_groups_is_clustering(matching):
    W, _, _ = matching
    clustering = sl.SphereClustering("precomputed").fit(W)
    np.testing.assert_array_equal(sl.SphereMatching().fit(W).labels_, clustering.labels_)


def test_callback(blobs):
    seen = []
    sl.SphereClustering(callback=seen.append, alpha_step=0.1).fit(blobs[0])
    assert len(seen) == 10


def test_matches_needs_a_fit():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        sl.SphereMatching().matches()


@pytest.mark.parametrize(
    ("estimator", "bound"),
    [(sl.SphereClustering, "max_clusters"), (sl.SphereMatching, "max_universe")],
)
def test_every_setting_reaches_solve(estimator, bound, monkeypatch):
    settings = {
        "solver": "power",
        "alpha_step": 0.2,
        "n_inner": 3,
        "delta_margin": 0.1,
        "kappa": 0.02,
        "eta_floor": 1e-6,
        "callback": print,
    }
    affinity = {"affinity": "precomputed"} if estimator is sl.SphereClustering else {}
    result = sl.solve(np.ones((4, 4)) - np.diag([1.0, 0, 0, 0]))
    seen = {}

    def spy(*_args, **given):
        seen.update(given)
        return result

    monkeypatch.setattr("spherelax.estimators.solve", spy)
    estimator(**affinity, **settings, **{bound: 3}).fit(np.ones((4, 4)))
    assert seen == {**settings, "max_universe": 3}


@pytest.mark.parametrize("estimator", [sl.SphereClustering, sl.SphereMatching])
def test_defaults_are_those_of_solve(estimator):
    ours = inspect.signature(estimator).parameters
    theirs = inspect.signature(sl.solve).parameters
    shared = set(ours) & set(theirs)
    assert {"solver", "alpha_step", "n_inner", "delta_margin", "kappa", "eta_floor"} <= shared
    assert {name: ours[name].default for name in shared} == {
        name: theirs[name].default for name in shared
    }
