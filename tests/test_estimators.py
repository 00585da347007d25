"""scikit-learn's own checks, and what users of scikit-learn do."""

import inspect
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.problems import candidates

import spherelax as sl
from spherelax.settings import SOLVERS

with pytest.MonkeyPatch.context() as patch:
    # Scikit-learn 1.6 does not load its checks without it, if array-api-compat is installed.
    patch.setenv("SCIPY_ARRAY_API", "1")
    from sklearn.utils.estimator_checks import parametrize_with_checks

QUICK = sl.Power(n_inner=3, alpha_step=0.05)


def expected_failures(estimator):
    """Name the checks that cannot pass, with the reason."""
    if not estimator.__sklearn_tags__().input_tags.pairwise:
        return {}
    reason = "passes points of shape (50, 2) although the estimator's tags say that X is pairwise"
    return {"check_clustering": reason}


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.slow
@parametrize_with_checks(
    [
        sl.SphereClustering(),
        sl.SphereClustering(affinity="adaptive"),
        sl.SphereClustering(affinity="rbf"),
        sl.SphereClustering(affinity="precomputed"),
        sl.SphereClustering(warm_start=True),
        sl.SphereMatching(),
        sl.SphereClustering(solver=QUICK),
        sl.SphereClustering(affinity="precomputed", solver=QUICK),
        sl.SphereMatching(solver=QUICK),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def blobs():
    return make_blobs(90, centers=3, cluster_std=0.5, random_state=0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("affinity", ["adaptive", "nearest_neighbors", "rbf"])
def test_points(blobs, affinity, solver):
    X, y = blobs
    model = sl.SphereClustering(affinity, solver=solver)
    labels = model.fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1.0
    assert model.n_clusters_ == 3
    assert model.resolution_ == model.result_.resolution > 0
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
    with pytest.raises(sl.InvalidInputError, match=r"affinity must be one of nearest_.*'magic'"):
        sl.SphereClustering("magic").fit(blobs[0])


@pytest.mark.parametrize("solver", ["magic", None, 3])
def test_bad_solvers_are_found_by_fit(blobs, solver):
    message = "^solver must be one of 'coordinate', 'power', or an instance of Coordinate or Power"
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.SphereClustering(solver=solver).fit(blobs[0])
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.SphereMatching(solver=solver).fit(np.ones((4, 4)))


@pytest.mark.parametrize("estimator", [sl.SphereClustering, sl.SphereMatching])
@pytest.mark.parametrize("name", ["max_clusters", "max_universe", "n_steps", "alpha_step"])
def test_settings_of_a_solver_are_no_parameters(estimator, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        estimator(**{name: 3})


def test_bounds_are_kept(blobs):
    X, _ = blobs
    model = sl.SphereClustering(solver=replace(QUICK, max_labels=5)).fit(X)
    assert model.result_.path.max_labels == 5
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
        {
            "affinity": ["rbf", "adaptive"],
            "solver": [sl.Power(max_labels=1), sl.Power(max_labels=20)],
        },
        scoring=score,
        cv=[(everything, everything)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        search.fit(X, y)
    assert search.best_params_["solver"] == sl.Power(max_labels=20)
    assert search.best_score_ == 1.0


@pytest.fixture
def matching():
    return sl.datasets.make_partial_matching(10, 8, observed=0.7, shuffled=0.3, random_state=0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_matching(matching, kind):
    W, groups, truth = matching
    model = sl.SphereMatching().fit(kind(W), groups=groups)
    assert sl.metrics.pairwise_scores(truth, model.labels_, groups).f_score > 0.95
    assert model.n_labels_ == model.labels_.max() + 1
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
            {"solver": [sl.Coordinate(n_steps=10), sl.Coordinate(n_steps=40)]},
            scoring=score,
            cv=[(everything, everything)],
        ).fit(W, truth, groups=groups)
    assert search.best_score_ > 0.95


def test_matching_of_log_odds():
    odds = sp.csr_array([[0, 0, 5, 1], [0, 0, 4, -3], [5, 4, 0, 0], [1, -3, 0, 0]], dtype=float)
    groups = ["x", "x", "y", "y"]
    with pytest.raises(ValueError, match="Negative values in data"):
        sl.SphereMatching().fit(odds, groups=groups)
    matching = clone(sl.SphereMatching(kind="odds"))
    assert matching.get_params()["kind"] == "odds"
    assert not matching.__sklearn_tags__().input_tags.positive_only
    assert sl.SphereMatching().__sklearn_tags__().input_tags.positive_only
    assert matching.fit(odds, groups=groups).matches().tolist() == [[0, 2]]
    P = matching.result_.listed_probability().toarray()
    np.testing.assert_allclose(P[0, 2:], 1.0 / (1.0 + np.exp([-5.0, -1.0])), rtol=1e-6)
    with pytest.raises(sl.InvalidInputError, match="must be one of graph, neighbors, pairs"):
        matching.set_params(kind="cosine").fit(abs(odds), groups=groups)


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_clustering_takes_sparse_affinities_for_a_graph():
    W, truth = candidates()
    clustering = sl.SphereClustering("precomputed").fit(W)
    np.testing.assert_array_equal(clustering.labels_, sl.solve(W, kind="graph").labels)
    assert clustering.result_.listed_probability() is None
    result = sl.solve(W)
    assert result.listed_probability() is not None
    np.testing.assert_array_equal(result.labels, truth)


def test_matching_without_groups_is_clustering(matching):
    W, _, _ = matching
    clustering = sl.SphereClustering("precomputed").fit(W)
    np.testing.assert_array_equal(sl.SphereMatching().fit(W).labels_, clustering.labels_)


def test_matches_needs_a_fit():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        sl.SphereMatching().matches()


@pytest.fixture
def seen_by_solve(monkeypatch):
    """Similarity and keyword arguments of the last call of solve, which finds two clusters."""
    result = sl.solve(np.kron(np.eye(2), np.ones((4, 4))))
    seen = {}

    def spy(similarity, _groups, **given):
        seen.clear()
        seen.update(given, similarity=similarity)
        return result

    monkeypatch.setattr("spherelax.estimators.solve", spy)
    return seen


@pytest.mark.parametrize("solver", ["power", sl.Power(kappa=0.02), sl.Coordinate(n_steps=12)])
@pytest.mark.parametrize("estimator", [sl.SphereClustering, sl.SphereMatching])
def test_every_setting_reaches_solve(estimator, solver, seen_by_solve):
    settings = {"solver": solver, "pick": "stability", "n_jobs": 1}
    is_clustering = estimator is sl.SphereClustering
    own = {"kind": "pairs", "one_per_group": "always"}
    estimator(**({"affinity": "precomputed"} if is_clustering else own), **settings).fit(
        np.ones((8, 8))
    )
    passed = {"kind": "graph"} if is_clustering else own
    assert seen_by_solve.pop("similarity").shape == (8, 8)
    assert seen_by_solve == {**settings, **passed}
    assert seen_by_solve["solver"] is solver


@pytest.mark.parametrize("estimator", [sl.SphereClustering, sl.SphereMatching])
def test_defaults_are_those_of_solve(estimator):
    ours = inspect.signature(estimator).parameters
    theirs = inspect.signature(sl.solve).parameters
    shared = set(ours) & set(theirs)
    # Points and affinities are graphs without groups, so clustering has no kind.
    fixed = {"kind", "one_per_group"} if estimator is sl.SphereClustering else set()
    # A function would make a model that cannot be saved, so none has a callback. Judgements and an
    # earlier result are of the items of one problem, so they are no setting.
    of_problem = {"similarity", "groups", "judgements", "like"}
    assert shared == set(theirs) - of_problem - {"callback"} - fixed
    assert {name: ours[name].default for name in shared} == {
        name: theirs[name].default for name in shared
    }


def test_points_are_solved_as_a_neighbour_graph(blobs, seen_by_solve):
    X, _ = blobs
    sl.SphereClustering().fit(X)
    graph = seen_by_solve["similarity"]
    assert isinstance(graph, sl.similarity.NeighborGraph)
    assert seen_by_solve["pick"] is None
    np.testing.assert_array_equal(graph.scales, sl.similarity.local_scales(X))
    params = {"n_neighbors": 6, "scale_neighbor": 4, "standardize": True}
    sl.SphereClustering(affinity_params=params).fit(X)
    expected = sl.similarity.local_scales(X, scale_neighbor=4, standardize=True)
    np.testing.assert_array_equal(seen_by_solve["similarity"].scales, expected)
    assert not np.array_equal(expected, sl.similarity.local_scales(X))


@pytest.mark.parametrize(
    "settings",
    [
        {"affinity": "adaptive"},
        {"affinity": "rbf"},
        {"affinity": sl.similarity.nearest_neighbors},
        {"pick": "description"},
        {"pick": 2.0},
        {"solver": "power"},
        {"solver": sl.Power(alpha_step=0.1)},
    ],
)
def test_what_else_is_picked_as_solve_does(blobs, settings, seen_by_solve):
    sl.SphereClustering(**settings).fit(blobs[0])
    assert seen_by_solve["pick"] == settings.get("pick")
    assert sl.SphereClustering(**settings).fit(blobs[0]).result_.kind == "graph"


def test_warm_start_extends_the_last_result(blobs):
    X, _ = blobs
    cold, warm = sl.SphereClustering(), sl.SphereClustering(warm_start=True)
    for rows, is_extended in ((X[:60], False), (X[:60], True), (X, True), (X[:50], False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            assert cold.fit(rows).result_.status != sl.Status.ABSORBED
            assert (warm.fit(rows).result_.status == sl.Status.ABSORBED) == is_extended


def test_points_that_come_later_join_their_clusters():
    X, y = make_blobs(160, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.7, random_state=0)
    model = sl.SphereClustering(warm_start=True).fit(X[:120])
    before = model.labels_
    model.fit(X)
    assert model.result_.status == sl.Status.ABSORBED
    assert adjusted_rand_score(y, model.labels_) == 1.0
    np.testing.assert_array_equal(model.labels_[:120], before)
    assert len(model.confidence_) == 160


def test_objects_that_come_later_are_matched(matching):
    W, groups, truth = matching
    known = groups < 7
    model = sl.SphereMatching(warm_start=True).fit(W[known][:, known], groups=groups[known])
    model.fit(W, groups=groups)
    assert model.result_.status == sl.Status.ABSORBED
    assert sl.metrics.pairwise_scores(truth, model.labels_, groups).f_score > 0.9
    assert len(set(zip(groups, model.labels_.tolist(), strict=True))) == len(W)


def test_a_warm_start_needs_the_coordinate_solver(blobs):
    with pytest.raises(sl.InvalidInputError, match=r"^warm_start needs solver='coordinate'"):
        sl.SphereClustering(warm_start=True, solver="power").fit(blobs[0])
    with pytest.raises(sl.InvalidInputError, match=r"^warm_start needs solver='coordinate'"):
        sl.SphereMatching(warm_start=True, solver=sl.Power()).fit(np.ones((4, 4)))


def test_fitted_points_are_predicted_to_have_their_labels(seed):
    X, _ = make_blobs(400, centers=6, random_state=seed)
    model = sl.SphereClustering().fit(X)
    prediction = model.predict_with_confidence(X)
    assert np.mean(prediction.labels == model.labels_) > 0.97
    np.testing.assert_array_equal(model.predict(X), prediction.labels)
    assert prediction.confidence.min() >= 0
    assert prediction.confidence.max() <= 1


@pytest.mark.parametrize("n_features", [2, 8])
def test_new_points_are_predicted(n_features, seed):
    X, y = make_blobs(600, n_features=n_features, centers=4, cluster_std=0.4, random_state=seed)
    model = sl.SphereClustering().fit(1000.0 * X[:400])
    labels, confidence = model.predict_with_confidence(1000.0 * X[400:])
    known = [model.labels_[y[:400] == label][0] for label in range(4)]
    assert np.mean(labels == np.array(known)[y[400:]]) > 0.97
    assert np.median(confidence) > 0.8
    far = model.predict_with_confidence(np.full((1, n_features), 1e6))
    assert far.labels[0] in model.labels_
    assert far.confidence[0] < 0.05


def test_a_point_between_two_clusters_is_in_doubt():
    line = np.r_[np.arange(30.0), 40 + np.arange(30.0)][:, None]
    model = sl.SphereClustering().fit(line)
    assert model.n_clusters_ == 2
    confidence = model.predict_with_confidence([[34.5], [15.2]]).confidence
    assert confidence[0] < 0.6
    assert confidence[1] > 0.95


def test_repeated_points_are_predicted():
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 20, axis=0)
    model = sl.SphereClustering().fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("affinity", ["rbf", "adaptive", "precomputed"])
def test_only_neighbours_predict(affinity):
    assert not hasattr(sl.SphereClustering(affinity), "predict")
    assert not hasattr(sl.SphereClustering(affinity), "predict_with_confidence")


def test_bad_new_points(blobs):
    with pytest.raises(NotFittedError):
        sl.SphereClustering().predict(blobs[0])
    model = sl.SphereClustering().fit(blobs[0])
    with pytest.raises(ValueError, match="X has 3 features, but SphereClustering is expecting 2"):
        model.predict(np.zeros((4, 3)))


def test_two_columns_of_different_units(seed):
    """Minutes that eruptions of a geyser last, and minutes between them: two kinds of eruption."""
    rng = np.random.default_rng(seed)
    is_long = np.arange(272) >= 98
    mean = np.where(is_long[:, None], (4.29, 80.0), (2.04, 54.5))
    X = mean + rng.normal(size=(272, 2)) * np.where(is_long[:, None], (0.41, 6.0), (0.27, 5.9))
    found = sl.SphereClustering().fit_predict(X)
    np.testing.assert_array_equal(found, sl.SphereClustering().fit_predict(X / X.std(axis=0)))
    assert len(set(found[is_long]) & set(found[~is_long])) <= 1
    assert len(set(found)) in (2, 3)
