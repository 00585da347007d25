"""Points: labels are merged unless there is a valley between them."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons

import spherelax as sl
from spherelax.coordinate.finish_points import finish_points as finish_labels
from spherelax.coordinate.graph import build_graph, contract
from spherelax.coordinate.points.valleys import (
    DEEP,
    MOST_ITEMS,
    N_CELLS,
    Field,
    Valleys,
    _Merging,
    blur,
    choose,
    steps_to_merge,
)
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import learn
from spherelax.coordinate.trail import Route
from spherelax.labels import renumber
from spherelax.problem import Problem


def field_of(X):
    """Where valleys between points are looked for."""
    in_order = np.arange(len(X), dtype=np.int32)
    graph = build_graph(Problem.check(sl.similarity.nearest_neighbors(X)), given=in_order)
    return Field.of(graph, sl.similarity.local_scales(X))


def solve_points(X, **settings):
    return sl.solve(sl.similarity.neighbor_graph(X), **settings)


ONE_CLUSTER = {
    "2-D": lambda rng: rng.normal(size=(300, 2)),
    "3-D": lambda rng: rng.normal(size=(300, 3)),
    "10-D": lambda rng: rng.normal(size=(300, 10)),
    "square": lambda rng: rng.random((300, 2)),
}


@pytest.mark.parametrize("kind", ONE_CLUSTER)
def test_one_cluster_comes_back_as_one(kind, seed):
    result = solve_points(ONE_CLUSTER[kind](np.random.default_rng(seed)))
    assert result.n_labels == 1
    assert result.status == sl.Status.CLOUD


SEVERAL = {
    "moons": lambda seed: make_moons(400, noise=0.05, random_state=seed),
    "circles": lambda seed: make_circles(600, noise=0.03, factor=0.5, random_state=seed),
    "blobs": lambda seed: make_blobs(
        400, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=seed
    ),
    "densities": lambda seed: make_blobs(
        [400, 100], centers=[[0, 0], [8, 0]], cluster_std=[0.5, 2.0], random_state=seed
    ),
    "10-D blobs": lambda seed: make_blobs(
        600, n_features=10, centers=6, cluster_std=1.0, random_state=seed
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEVERAL)
def test_separate_clusters_are_found(kind):
    """In all of twelve samples, but for one at most."""
    n_found = 0
    for seed in range(12):
        X, truth = SEVERAL[kind](seed)
        result = solve_points(X)
        scores = sl.metrics.pairwise_scores(truth, result.labels)
        n_found += result.n_labels == len(np.unique(truth)) and scores.f_score > 0.97
    assert n_found >= 11


def line(n, seed):
    """A straight line, two hundred times as long as its noise."""
    rng = np.random.default_rng(seed)
    return np.c_[10.0 * rng.random(n), 0.05 * rng.normal(size=n)]


SHAPES = {
    "moons": (2, lambda n, seed: make_moons(n, noise=0.05, random_state=seed)[0]),
    "circles": (2, lambda n, seed: make_circles(n, noise=0.05, factor=0.5, random_state=seed)[0]),
    "line": (1, line),
    "square": (1, lambda n, seed: np.random.default_rng(seed).random((n, 2))),
    "blobs": (
        3,
        lambda n, seed: make_blobs(n, centers=[[0, 0], [7, 0], [0, 7]], random_state=seed)[0],
    ),
}


@pytest.mark.parametrize("shape", ["moons", "circles"])
def test_few_points_show_their_shape(shape):
    expected, draw = SHAPES[shape]
    found = [solve_points(draw(200, seed)).n_labels for seed in range(20, 32)]
    assert found.count(expected) >= 11


def test_noise_of_few_labels_is_mostly_that_of_even_points():
    """One label shows no noise at all, and there still is some."""
    graph = build_graph(Problem.check(sl.similarity.nearest_neighbors(line(40, 0))))
    field = Field.of(graph, np.ones(40))
    assert _Merging(field, 0.0, {}).noise(np.zeros(40, dtype=np.int32)) == 0.0
    assert blur(field, 0.0) == pytest.approx(0.5 * np.sqrt(2 * np.log(2)) * 2.7 * 10 / 12)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 3000])
def test_a_finer_sample_of_noisy_moons_has_no_more_clusters(n):
    X, truth = make_moons(n, noise=0.1, random_state=0)
    found = solve_points(X)
    assert found.n_labels == 2
    assert sl.metrics.pairwise_scores(truth, found.labels).f_score > 0.97


# Without cells the shape that takes longest also nearer to `MOST_ITEMS`.
MANY_POINTS = [(n, shape) for n in (3000, 20_000, 50_000) for shape in SHAPES]
MANY_POINTS.append((8000, "line"))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shape"), MANY_POINTS)
def test_many_points_have_no_more_clusters(n, shape):
    expected, draw = SHAPES[shape]
    assert solve_points(draw(n, 1)).n_labels == expected


@pytest.mark.slow
def test_many_points_are_looked_at_as_cells(monkeypatch):
    """No more cells than N_CELLS are walked to the end, and they make up the labels."""
    X, truth = make_blobs(MOST_ITEMS + 1, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    seen, merge = [], Valleys.merge
    monkeypatch.setattr(
        Valleys,
        "merge",
        lambda valleys, labelings: seen.append(valleys.field) or merge(valleys, labelings),
    )
    result = solve_points(X)
    assert N_CELLS / 4 < seen[0].graph.n_items <= N_CELLS
    assert seen[0].bundle > 1
    assert result.n_labels == 3
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.99


@pytest.mark.slow
def test_more_components_than_cells():
    X = np.repeat(1000.0 * np.arange(6000), 3) + np.tile([0.0, 1.0, 2.1], 6000)
    W = sl.similarity.nearest_neighbors(X[:, None], n_neighbors=2)
    assert sl.solve(sl.similarity.NeighborGraph(W)).n_labels == 6000


def test_golf_ball_is_one_cluster(data_home):
    X = np.load(data_home / "clustering" / "fcps.npz")["GolfBall_X"]
    assert solve_points(X[:: len(X) // 1000]).n_labels == 1


def test_the_labels_come_from_no_step_but_stand_at_one(seed):
    """The path is what was walked; the merged labels stand where it has about as many labels."""
    X, _ = SEVERAL["blobs"](seed)
    result = solve_points(X)
    assert result.path.joined == result.path.picked
    model, walked = walk_points(X)[0][:2]
    assert len(result.path.labels) == len(walked.labels)
    for step, (found, expected) in enumerate(zip(result.path.labels, walked.labels, strict=True)):
        if step != result.path.joined:
            np.testing.assert_array_equal(found, renumber(model.graph.as_given(expected)))
    counts = np.array([labels.max() + 1 for labels in walked.labels])
    distance = np.abs(np.log(counts / result.n_labels))
    assert distance[result.path.picked] == distance.min()
    assert result.at(result.resolution).labels is result.labels


def test_units_of_points_do_not_matter(seed):
    X, _ = SEVERAL["densities"](seed)
    np.testing.assert_array_equal(solve_points(X).labels, solve_points(1000.0 * X).labels)


def test_patches_are_merged_but_not_clusters(seed):
    X, truth = SEVERAL["blobs"](seed)
    quarters = 4 * truth
    for label in range(4):
        inside = truth == label
        right, upper = (X[inside] > np.median(X[inside], axis=0)).T
        quarters[inside] += 2 * right + upper
    quarters = quarters.astype(np.int32)
    labels = next(Valleys(field_of(X), quarters).merge([quarters]))
    assert labels.max() + 1 < 10
    assert sl.metrics.pairwise_scores(truth, labels).precision > 0.98


def test_choose_takes_the_commonest_number_and_then_the_best_score():
    labelings = [np.array(labels) for labels in ([0, 1, 2], [0, 0, 1], [0, 1, 0], [0, 0, 0])]
    assert choose(labelings, score=lambda labels: labels[1]) is labelings[2]
    assert choose(labelings, score=lambda labels: labels[2]) is labelings[1]


def test_fine_and_repeated_labels_are_not_merged():
    """200 items, hence 10 labels of a cell's size."""
    path = [np.arange(200) % n for n in (200, 40, 10, 10, 9, 8, 8, 2, 3)]
    assert steps_to_merge(path) == [2, 4, 5, 7, 8]


def walk_points(X):
    """What was learnt of points, and how they were walked."""
    problem = Problem.check(sl.similarity.nearest_neighbors(X))
    route = Route(sl.Coordinate(), n_threads=1, is_thorough=True)
    return learn(read_problem(problem, is_metric=True), route, None), route


def finish_points(X, callback):
    """Merge the labels of points between valleys; also return what was learnt of them before."""
    learnt, route = walk_points(X)
    scales = sl.similarity.local_scales(X)[learnt.model.graph.given]
    return finish_labels(learnt, route, scales, callback), learnt


def test_progress_between_valleys():
    X, _ = SEVERAL["blobs"](0)
    seen = []
    found, learnt = finish_points(X, seen.append)
    path = learnt.path
    steps = steps_to_merge(path.labels)
    assert [step.index for step in seen] == list(range(len(steps)))
    assert {step.n_steps for step in seen} == {len(steps)}
    np.testing.assert_array_equal([step.alpha for step in seen], path.alphas[steps])
    assert found.labels.max() + 1 in [step.n_labels for step in seen]
    assert found.is_complete
    assert not found.is_step
    assert found.status == sl.Status.VALLEYS


@pytest.mark.parametrize("n_merged", [1, 3])
def test_control_c_between_valleys_leaves_the_choice_so_far(n_merged):
    X, _ = SEVERAL["blobs"](0)

    def interrupt(step):
        if step.index == n_merged - 1:
            raise KeyboardInterrupt

    found, learnt = finish_points(X, interrupt)
    assert not found.is_complete
    assert learnt.path.is_complete
    model, labels = learnt.model, learnt.path.labels
    steps = steps_to_merge(labels)[:n_merged]
    field = Field.of(model.graph, sl.similarity.local_scales(X)[model.graph.given])
    so_far = list(Valleys(field, labels[steps[0]]).merge(labels[step] for step in steps))
    expected = choose(so_far, lambda labels: model.labeling(labels).saving)
    np.testing.assert_array_equal(found.labels, expected)


def test_control_c_before_anything_is_merged(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    X, _ = SEVERAL["blobs"](0)
    monkeypatch.setattr(_Merging, "merge", interrupted)
    with pytest.warns(sl.SphereWarning, match="interrupted"):
        result = solve_points(X)
    assert result.path.savings[result.path.picked] == result.path.savings.max()
    np.testing.assert_array_equal(result.labels, result.path.labels[result.path.picked])
    assert result.status == sl.Status.INTERRUPTED
    assert result.path.is_complete


def test_valleys_are_symmetric(seed):
    X, truth = SEVERAL["blobs"](seed)
    valleys = _Merging(field_of(X), 0.0, {})
    halves = (2 * truth + (X[:, 0] > np.median(X[:, 0]))).astype(np.int32)
    labels = np.unique(halves, return_inverse=True)[1].astype(np.int32)
    valleys._start(labels)
    pairs = [(a, b) for a, cuts in valleys.cuts.items() for b in cuts]
    assert pairs
    for a, b in pairs:
        assert valleys._valley(a, b) == valleys._valley(b, a)
        assert valleys.cuts[a][b] == pytest.approx(valleys.cuts[b][a])


def contracted(field, labels):
    """The field whose items are labels."""
    return field.contract(contract(field.graph, labels))


def test_the_noise_is_measured_once(monkeypatch):
    """And what was merged before does not change what is merged next."""
    X, truth = SEVERAL["blobs"](0)
    finest = np.unique(
        8 * truth + 4 * (X[:, 0] > np.median(X[:, 0])) + np.arange(len(X)) % 3, return_inverse=True
    )[1].astype(np.int32)
    labels, n_measured, noise = truth.astype(np.int32), [], _Merging.noise
    monkeypatch.setattr(
        _Merging, "noise", lambda self, labels: n_measured.append(1) or noise(self, labels)
    )
    valleys = Valleys(field_of(X), finest)
    next(valleys.merge([finest]))
    after = valleys.between(labels)
    assert len(n_measured) == 1
    again = Valleys(field_of(X), finest).between(labels)
    for one, other in zip(after, again, strict=True):
        np.testing.assert_array_equal(one, other)
    # Of all valleys those count that labels merge across, the shallowest first.
    assert len(after.seen) <= labels.max()
    assert set(after.seen) <= {*after.depth.tolist(), DEEP}


def test_cells_of_many_points_keep_what_is_between_them(seed):
    """Cuts between labels of cells are those between the same labels of items."""
    X, _ = SEVERAL["blobs"](seed)
    field = field_of(X)
    cells = np.random.default_rng(seed).permutation(len(X)).astype(np.int32) // 4
    of_cells = contracted(field, cells)
    labels = (np.arange(100) % 3).astype(np.int32)
    direct, twice = contracted(field, labels[cells]), contracted(of_cells, labels)
    assert of_cells.graph.n_items == 100
    for one, other in zip(direct.graph, twice.graph, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    for one, other in zip(direct[1:], twice[1:], strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(direct.item_weights.sum(), field.edge_weights.sum())


def test_bad_scales():
    W = sl.similarity.nearest_neighbors(np.random.default_rng(0).normal(size=(30, 2)))
    for scales in (np.ones(29), np.zeros(30), np.full(30, np.nan)):
        with pytest.raises(sl.InvalidInputError, match="scales must hold one positive number"):
            sl.solve(sl.similarity.NeighborGraph(W, scales))
    with pytest.raises(sl.InvalidInputError, match="must be solved without groups"):
        sl.solve(sl.similarity.NeighborGraph(W), range(30))
