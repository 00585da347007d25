"""Which of valleys and borders gives the labels of points, and what is walked for it."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.neighbors import kneighbors_graph

import spherelax as sl
from spherelax.coordinate import finish_points as module
from spherelax.coordinate.finish_points import Finished, finish_points, join_components
from spherelax.coordinate.graph import components
from spherelax.coordinate.points.borders import Patches
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import learn
from spherelax.coordinate.trail import MANY, Route
from spherelax.problem import Problem


def learnt_of(X, *, is_thorough=True):
    """What was learnt of points, how they are walked, and their scales."""
    route = Route(sl.Coordinate(), n_threads=1, is_thorough=is_thorough)
    problem = Problem.check(sl.similarity.nearest_neighbors(X), kind="graph")
    model = read_problem(problem, is_metric=True)
    return learn(model, route, None), route, sl.similarity.local_scales(X)[model.graph.given]


def found_by(status):
    return Finished(np.zeros(1, np.int32), 0, status)


@pytest.mark.parametrize(
    ("loss", "answers", "expected"),
    [
        (0.1, {"valleys": "VALLEYS"}, "VALLEYS"),
        (0.3, {"borders": "BORDERS"}, "BORDERS"),
        (0.3, {"borders": None, "valleys": "INTERRUPTED"}, "INTERRUPTED"),
        (0.6, {"borders": "BORDERS"}, "BORDERS"),
        (0.6, {"borders": None, "valleys": "VALLEYS"}, "VALLEYS"),
    ],
)
def test_what_patches_lose_says_which_is_asked(loss, answers, expected, monkeypatch):
    asked = []

    def answer(name):
        asked.append(name)
        return None if answers[name] is None else found_by(sl.Status[answers[name]])

    items = SimpleNamespace(law=SimpleNamespace(loss=loss))
    monkeypatch.setattr(module, "_Points", lambda *_: SimpleNamespace(items=items))
    for name in ("borders", "valleys"):
        monkeypatch.setattr(module, f"_between_{name}", lambda _, name=name: answer(name))
    assert finish_points(None, None, np.ones(1), None).status is sl.Status[expected]
    assert asked == list(answers)


def test_touching_clouds_are_found_without_distances(seed):
    X, truth = make_blobs(600, centers=[[0, 0], [5, 0], [2.5, 5]], random_state=seed)
    result = sl.solve(sl.similarity.nearest_neighbors(X), kind="neighbors")
    assert result.status is sl.Status.VALLEYS
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.95


def test_points_without_any_valley_are_one_cloud(seed):
    X = np.random.default_rng(seed).normal(size=(400, 2))
    for points in (X, np.vstack([X, [[1e6, 0.0]]])):
        result = sl.SphereClustering().fit(points).result_
        assert result.status is sl.Status.CLOUD
        assert np.bincount(result.labels).max() >= 400
    apart = np.vstack([X, X + 1e3])
    assert sl.SphereClustering().fit(apart).result_.status is sl.Status.VALLEYS


def test_patches_of_a_labeling_are_measured_once(monkeypatch):
    """Where borders and valleys both count: each labeling of the path."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=900)
    X = 2.2 * np.eye(3, 8)[truth] + rng.normal(size=(900, 8))
    learnt, route, scales = learnt_of(X)
    measured, of = [], Patches.of
    monkeypatch.setattr(Patches, "of", lambda *rest: measured.append(rest[-1]) or of(*rest))
    found = finish_points(learnt, route, scales, None)
    assert found.status is sl.Status.BORDERS
    assert found.labels.max() + 1 == 3
    assert len(measured) == len(learnt.path.labels)


def test_many_items_become_cells_that_are_few_enough():
    X, truth = make_blobs(MANY + 1, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    learnt, route, scales = learnt_of(X, is_thorough=False)
    points = module._Points(learnt, route, None, scales)
    found = points.cells(300)
    n_cells = len(found.path.labels[0])
    assert found.path.n_labels.max() <= n_cells <= 300
    assert found.of_item.max() + 1 == n_cells == found.valleys.field.graph.n_items
    given = learnt.model.graph.given
    scores = sl.metrics.pairwise_scores(truth[given], found.of_item)
    assert scores.precision > 0.99
    field = found.valleys.field
    assert field.item_edges.sum() == pytest.approx(points.items.valleys.field.item_edges.sum())


def test_an_interrupted_walk_of_cells_ends_it():
    X, _ = make_blobs(MANY + 1, centers=[[0, 0], [9, 0]], random_state=0)
    learnt, route, scales = learnt_of(X, is_thorough=False)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        module._Points(learnt, route, interrupt, scales).cells(300)


def test_few_items_are_their_own_cells():
    learnt, route, scales = learnt_of(np.random.default_rng(0).normal(size=(300, 2)))
    points = module._Points(learnt, route, None, scales)
    assert points.cells(10) is points.items
    np.testing.assert_array_equal(points.items.labelings, learnt.path.labels)


def test_labels_are_judged_at_the_middle_step_with_about_as_many():
    learnt, route, scales = learnt_of(np.random.default_rng(0).normal(size=(300, 2)))
    points = module._Points(learnt, route, None, scales)
    n_labels = learnt.path.n_labels
    for step in (0, len(n_labels) // 2, len(n_labels) - 1):
        found = points.finish(sl.Status.VALLEYS, points.items, learnt.path.labels[step])
        same = np.flatnonzero(n_labels == n_labels[step])
        assert found.at == same[len(same) // 2]
        assert not found.is_step


def test_components_are_joined(seed):
    X, _ = make_blobs(200, centers=[[0, 0], [90, 0]], random_state=seed)
    learnt, _, _ = learnt_of(X)
    graph = learnt.model.graph
    found = join_components(learnt)
    np.testing.assert_array_equal(
        found.labels, components(graph.indptr, graph.indices, graph.group)
    )
    assert (found.status, found.at) == (sl.Status.NOISE, len(learnt.path.labels) - 1)
    assert found.unseen.between.seen == []


@pytest.mark.parametrize("n_clouds", [3, 6])
def test_clouds_that_nothing_joins_are_not_called_noise(n_clouds, seed):
    rng = np.random.default_rng(seed)
    truth = np.arange(600) % n_clouds
    X = rng.normal(size=(600, 10)) + 30.0 * np.eye(10)[truth]
    A = kneighbors_graph(X, 15)
    result = sl.solve(A.maximum(A.T), kind="neighbors")
    assert not result.status.is_odd
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score == 1.0
