"""The pictures show what they claim to: read back from the artists that were drawn."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_hex
from support.problems import candidates

import spherelax as sl
from spherelax import plot
from spherelax.datasets import make_binary_similarity, make_partial_matching
from spherelax.metrics import pairwise_scores
from spherelax.settings import SOLVERS

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    """Close what a test opened, and see that no setting was changed for good."""
    before = mpl.rcParams.copy()
    yield
    assert mpl.rcParams == before
    assert mpl.get_backend().lower() == "agg"
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


def make_clustered(solver: str) -> SimpleNamespace:
    W, truth = make_binary_similarity(60, 3, rewired=0.3, missing=0.2, random_state=0)
    return SimpleNamespace(W=W, truth=truth, groups=None, result=sl.solve(W, solver=solver))


def make_matched(solver: str) -> SimpleNamespace:
    W, groups, truth = make_partial_matching(8, 6, observed=0.7, shuffled=0.3, random_state=0)
    result = sl.solve(W, groups, solver=solver)
    return SimpleNamespace(W=W, truth=truth, groups=groups, result=result)


@pytest.fixture(scope="module")
def clustered() -> SimpleNamespace:
    return make_clustered("power")


@pytest.fixture(scope="module", params=SOLVERS)
def matched(request: pytest.FixtureRequest) -> SimpleNamespace:
    return make_matched(request.param)


@pytest.fixture(scope="module", params=list(product((make_clustered, make_matched), SOLVERS)))
def problem(request: pytest.FixtureRequest) -> SimpleNamespace:
    make, solver = request.param
    return make(solver)


def scales(ax: Any) -> dict[str, Any]:
    return {scale.get_ylabel(): scale for scale in ax.figure.axes}


def marks(ax: Any) -> dict[str, tuple[float, float]]:
    """Markers that the legend names, and where they are."""
    found = {line.get_label(): line for line in ax.lines if line.get_linestyle() == "None"}
    assert set(found) <= {text.get_text() for text in ax.get_legend().texts}
    return {name: (line.get_xdata()[0], line.get_ydata()[0]) for name, line in found.items()}


def eta_curve(result: Any) -> Any:
    return np.c_[result.path.alphas, result.path.etas]


def sweep_curve(result: Any) -> Any:
    """What the sweep of a result draws: savings over resolutions, or eta over alpha."""
    path = result.path
    if path.savings is None:
        return eta_curve(result)
    return np.c_[path.resolutions, path.savings]


def expected_marks(result: Any, curve: Any) -> dict[str, tuple[float, float]]:
    steps = dict(zip(("right maximum", "left maximum"), result.path.maxima, strict=True))
    steps["pick"] = result.path.picked
    return {name: tuple(curve[i]) for name, i in steps.items() if i is not None}


def f_scores(problem: Any) -> list[float]:
    labels = problem.result.path.labels
    return [pairwise_scores(problem.truth, step, problem.groups).f_score for step in labels]


def collections(ax: Any) -> dict[str, Any]:
    return {to_hex(lines.get_color()[0]).upper(): lines for lines in ax.collections}


def test_sweep_draws_the_path(problem: Any) -> None:
    ax = plot.sweep(problem.result)
    path = problem.result.path
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), sweep_curve(problem.result))
    assert marks(ax) == expected_marks(problem.result, sweep_curve(problem.result))
    (counts,) = scales(ax)["number of labels"].lines
    x = sweep_curve(problem.result)[:, 0]
    np.testing.assert_array_equal(counts.get_xydata(), np.c_[x, path.n_labels])
    assert scales(ax)["number of labels"].get_yscale() == "log"
    name = "eta" if path.savings is None else "saving, in nats"
    assert set(scales(ax)) == {name, "number of labels"}


def test_every_mark_of_the_sweep_lies_inside_its_scale(problem: Any) -> None:
    ax = plot.sweep(problem.result)
    low, high = ax.get_ylim()
    heights = ax.transAxes.inverted().transform(ax.transData.transform(ax.lines[0].get_xydata()))
    values = sweep_curve(problem.result)[:, 1]
    assert low < values.min() <= values.max() < high
    assert heights[:, 1].min() > 0
    assert heights[:, 1].max() < 1


def test_sweep_with_truth_adds_the_f_score(problem: Any) -> None:
    ax = plot.sweep(problem.result, truth=problem.truth, groups=problem.groups)
    curve, level = scales(ax)["F-score"].lines
    scores = f_scores(problem)
    np.testing.assert_array_equal(curve.get_ydata(), scores)
    np.testing.assert_array_equal(curve.get_xdata(), sweep_curve(problem.result)[:, 0])
    assert to_hex(curve.get_color()).upper() == plot.BLUE
    assert list(level.get_ydata()) == [scores[problem.result.path.picked]] * 2
    assert (level.get_color(), level.get_linestyle()) == ("black", "--")


def test_groups_change_the_f_score_of_the_sweep(clustered: Any) -> None:
    other = SimpleNamespace(**vars(clustered) | {"groups": np.arange(60) % 2})
    assert f_scores(other) != f_scores(clustered)
    ax = plot.sweep(other.result, truth=other.truth, groups=other.groups)
    np.testing.assert_array_equal(scales(ax)["F-score"].lines[0].get_ydata(), f_scores(other))


def test_sweep_draws_on_the_axes_that_it_is_given(clustered: Any) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert plot.sweep(clustered.result, ax=right) is right
    assert not left.lines
    assert plt.get_fignums() == [figure.number]


def test_sweep_leaves_out_a_maximum_that_eta_does_not_have(clustered: Any) -> None:
    path = clustered.result.path
    ax = plot.sweep(replace(clustered.result, path=replace(path, maxima=(path.maxima[0], None))))
    assert set(marks(ax)) == {"right maximum", "pick"}


def test_sweep_of_a_curve_that_is_zero_everywhere(clustered: Any) -> None:
    path, etas = clustered.result.path, np.zeros(len(clustered.result.path.alphas))
    result = replace(clustered.result, path=replace(path, etas=etas, maxima=(None, None)))
    ax = plot.sweep(result, truth=clustered.truth)
    assert marks(ax) == {"pick": (result.path.alpha, 0.0)}
    _, right = plot.illustration(result, clustered.truth)
    assert marks(right) == {"pick": (result.path.alpha, 0.0)}


def test_illustration_has_the_two_panels_of_the_paper(problem: Any) -> None:
    left, right = plot.illustration(problem.result, problem.truth, groups=problem.groups)
    for panel in (left, right):
        np.testing.assert_array_equal(panel.lines[0].get_xydata(), eta_curve(problem.result))
        assert panel.get_yscale() == "linear"
    assert len(left.lines) == 1
    assert marks(right) == expected_marks(problem.result, eta_curve(problem.result))
    curve, level = scales(right)["F-score"].lines
    np.testing.assert_array_equal(curve.get_ydata(), f_scores(problem))
    assert level.get_ydata()[0] == f_scores(problem)[problem.result.path.picked]


def test_illustration_draws_on_the_figure_that_it_is_given(clustered: Any) -> None:
    figure = plt.figure()
    panels = plot.illustration(clustered.result, clustered.truth, figure=figure)
    assert [panel.figure for panel in panels] == [figure, figure]
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_matrix, sp.lil_array])
def test_similarity_is_drawn_as_given(clustered: Any, form: Any) -> None:
    ax = plot.similarity(form(clustered.W))
    np.testing.assert_array_equal(ax.images[0].get_array(), clustered.W)
    assert ax.images[0].get_extent() == [-0.5, 59.5, 59.5, -0.5]
    assert sum(len(lines.get_segments()) for lines in ax.collections) == 0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_similarity_sorts_by_label_the_largest_cluster_first(form: Any) -> None:
    W = np.arange(49.0).reshape(7, 7)
    ax = plot.similarity(form(W), labels=["c", "a", "b", "b", "a", "b", "d"])
    order = [2, 3, 5, 1, 4, 0, 6]
    np.testing.assert_array_equal(ax.images[0].get_array(), W[np.ix_(order, order)])
    across, down = (np.array(lines.get_segments()) for lines in ax.collections)
    np.testing.assert_array_equal(across[:, :, 1], np.repeat([[2.5], [4.5], [5.5]], 2, axis=1))
    np.testing.assert_array_equal(down[:, :, 0], across[:, :, 1])


@pytest.mark.parametrize(("n_clusters", "n_lines"), [(60, 2 * 59), (61, 0)])
def test_similarity_rules_between_up_to_sixty_clusters(n_clusters: int, n_lines: int) -> None:
    ax = plot.similarity(np.eye(100), labels=np.arange(100) % n_clusters)
    assert sum(len(lines.get_segments()) for lines in ax.collections) == n_lines


@pytest.mark.parametrize("m", [1000, 1001, 2300])
def test_large_similarities_are_drawn_as_means_of_cells(m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = sp.random_array((m, m), density=0.01, rng=rng, format="coo")
    labels = rng.integers(5, size=m)
    dense, sparse = W.toarray(), plot.similarity(W, labels=labels).images[0].get_array()
    order = np.concatenate(
        [np.flatnonzero(labels == label) for label in np.argsort(-np.bincount(labels))]
    )
    starts = np.searchsorted(np.arange(m) * 1000 // m, np.arange(1000))
    sizes = np.diff(np.r_[starts, m])
    sums = np.add.reduceat(np.add.reduceat(dense[np.ix_(order, order)], starts), starts, axis=1)
    assert sparse.shape == (1000, 1000)
    np.testing.assert_allclose(sparse, sums / np.outer(sizes, sizes), atol=1e-14)
    from_dense = plot.similarity(dense, labels=labels).images[0].get_array()
    np.testing.assert_allclose(from_dense, sparse, atol=1e-14)


def test_a_huge_sparse_similarity_is_never_made_dense() -> None:
    m = 200_000  # 320 GB if dense
    image = plot.similarity(sp.eye_array(m)).images[0].get_array()
    np.testing.assert_allclose(image, np.eye(1000) / 200, atol=1e-15)


def test_sphere_draws_the_rows_and_marks_the_corners(seed: int) -> None:
    U = np.abs(np.random.default_rng(seed).standard_normal((20, 3)))
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    U[4] = 0
    labels = np.arange(20) % 4
    ax = plot.sphere(U, labels=labels)
    points = ax.collections[-1]
    shown = np.delete(np.arange(20), 4)
    np.testing.assert_array_equal(np.transpose(points._offsets3d), U[shown])
    np.testing.assert_array_equal(points.get_array(), labels[shown])
    ax.figure.canvas.draw()
    assert len(np.unique(points.to_rgba(points.get_array()), axis=0)) == 4
    assert [text.get_text() for text in ax.texts] == ["$e_1$", "$e_2$", "$e_3$"]
    corners = [line.get_data_3d() for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(np.squeeze(corners), np.eye(3))


def test_the_octant_is_the_non_negative_part_of_the_unit_sphere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ax = plt.figure().add_subplot(projection="3d")
    surfaces: list[Any] = []
    monkeypatch.setattr(ax, "plot_surface", lambda *xyz, **_: surfaces.append(np.array(xyz)))
    assert plot.sphere(np.eye(3), ax=ax) is ax
    (vertices,) = surfaces
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=0), 1)
    assert vertices.min() >= 0
    for corner in np.eye(3):
        assert np.abs(vertices - corner[:, None, None]).max(axis=0).min() < 1e-12
    arcs = [line for line in ax.lines if line.get_linestyle() == "-"]
    outside = [np.flatnonzero(~np.any(arc.get_data_3d(), axis=1)).tolist() for arc in arcs]
    assert sorted(outside) == [[0], [1], [2]]
    for arc in arcs:
        np.testing.assert_allclose(np.linalg.norm(arc.get_data_3d(), axis=0), 1)


def test_sphere_of_a_result() -> None:
    W, _ = make_binary_similarity(45, 3, rewired=0.2, missing=0.1, random_state=0)
    result = sl.solve(W, solver=sl.Power(max_labels=3))
    ax = plot.sphere(result.embedding(), labels=result.labels)
    np.testing.assert_allclose(
        np.linalg.norm(np.transpose(ax.collections[-1]._offsets3d), axis=1), 1
    )


POSITIONS = np.array([[5.0, 5.0], [20.0, 8.0], [6.0, 5.0], [22.0, 9.0], [1.0, 2.0]])
GROUPS = np.array([0, 0, 1, 1, 2])
PAIRS = np.array([[0, 2], [1, 3], [3, 4]])
IMAGES = [np.zeros((20, 30)), np.ones((25, 40, 3)), np.zeros((10, 12), dtype=np.uint8)]


def test_matches_of_some_images_by_name() -> None:
    names = np.array(["x", "y", "z"])[GROUPS]
    pairs = np.vstack([PAIRS, [[0, 4]]])
    ax = plot.matches({"z": None, "x": None}, POSITIONS, names, pairs)
    (lines,) = ax.collections
    assert len(lines.get_segments()) == 1
    points = ax.lines[0].get_xydata()
    np.testing.assert_allclose(lines.get_segments()[0], points[[0, 2]])
    assert points[2, 0] < points[:2, 0].min()


def test_matches_join_the_points_of_the_images() -> None:
    ax = plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS)
    lefts = np.array([image.get_extent()[0] for image in ax.images])
    np.testing.assert_allclose(lefts, [0, 30 + 0.03 * 40, 70 + 0.06 * 40])
    assert [image.get_extent()[2:] for image in ax.images] == [[20, 0], [25, 0], [10, 0]]
    shown = POSITIONS + 0.5 + np.c_[lefts[GROUPS], np.zeros(5)]
    (lines,) = ax.collections
    np.testing.assert_allclose(lines.get_segments(), shown[PAIRS])
    np.testing.assert_allclose(ax.lines[0].get_xydata(), shown)
    assert collections(ax).keys() == {plot.BLUE}
    assert [text.get_text() for text in ax.get_legend().texts] == ["3 matches"]


def test_wrong_matches_are_red_and_dashed() -> None:
    ax = plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS, correct=[True, False, True])
    found = collections(ax)
    assert {color: len(lines.get_segments()) for color, lines in found.items()} == {
        plot.GREEN: 2,
        plot.RED: 1,
    }
    assert found[plot.GREEN].get_linestyle()[0][1] is None
    assert found[plot.RED].get_linestyle()[0][1] is not None
    assert [text.get_text() for text in ax.get_legend().texts] == ["2 right", "1 wrong"]


def test_the_matches_of_a_result_can_be_drawn(matched: Any) -> None:
    pairs = matched.result.pairs().items
    right = matched.truth[pairs[:, 0]] == matched.truth[pairs[:, 1]]
    positions = np.c_[matched.truth, matched.truth % 3]
    ax = plot.matches([None] * 8, positions, matched.groups, pairs, correct=right)
    counts = {color: len(lines.get_segments()) for color, lines in collections(ax).items()}
    assert counts.get(plot.GREEN, 0) == right.sum()
    assert counts.get(plot.RED, 0) == (~right).sum()


def test_a_missing_image_becomes_a_box_around_its_points() -> None:
    ax = plot.matches([IMAGES[0], None, None, None], POSITIONS, GROUPS, PAIRS)
    assert len(ax.images) == 1
    assert len(ax.patches) == 3
    points = ax.lines[0].get_xydata()
    for image, box in zip((1, 2), ax.patches, strict=False):
        (x0, y0), (x1, y1) = box.get_bbox().get_points()
        inside = points[image == GROUPS]
        assert ((inside > (x0, y0)) & (inside < (x1, y1))).all()


def test_no_pairs_are_no_lines() -> None:
    ax = plot.matches(IMAGES, POSITIONS, GROUPS, [])
    assert [text.get_text() for text in ax.get_legend().texts] == ["0 matches"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: plot.similarity(np.ones((2, 3))),
            r"similarity must have shape .*; found \(2, 3\)",
        ),
        (lambda: plot.similarity(np.eye(3), labels=[0, 1]), r"labels must have shape \(3,\)"),
        (lambda: plot.sphere(np.eye(4)), r"U must have shape \(n_items, 3\); found \(4, 4\)"),
        (
            lambda: plot.sphere(np.eye(3), labels=[0]),
            r"labels must have shape \(3,\); found \(1,\)",
        ),
        (lambda: plot.sphere(np.eye(3), ax=plt.figure().subplots()), "three-dim.*'rectilinear'"),
        (lambda: plot.matches({}, POSITIONS, GROUPS, PAIRS), "images must hold at least one"),
        (lambda: plot.matches([[1.0]] * 3, POSITIONS, GROUPS, PAIRS), r"images .* found \(1,\)"),
        (lambda: plot.matches(IMAGES, POSITIONS.T, GROUPS, PAIRS), r"positions .* found \(2, 5\)"),
        (lambda: plot.matches(IMAGES, POSITIONS, GROUPS[1:], PAIRS), r"groups .* found \(4,\)"),
        (lambda: plot.matches(IMAGES[:2], POSITIONS, GROUPS, PAIRS), r"from 0 to 1; .* 0 to 2"),
        (lambda: plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS.T), r"pairs .* found \(2, 3\)"),
        (lambda: plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS + 1), r"pairs .* 0 to 4; .* 1 to 5"),
        (lambda: plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS / 1), r"pairs .* found float64"),
        (lambda: plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS, correct=[True]), r"correct .*\(3,"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Any, message: str) -> None:
    with pytest.raises(sl.InvalidInputError, match=message):
        draw()


def test_importing_the_module_does_not_import_matplotlib() -> None:
    code = "import sys, spherelax.plot; print('matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_without_matplotlib_the_message_says_how_to_get_it(
    clustered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        patch.setitem(sys.modules, "matplotlib.pyplot", None)
        for draw in (
            lambda: plot.sweep(clustered.result),
            lambda: plot.illustration(clustered.result, clustered.truth),
            lambda: plot.similarity(clustered.W),
            lambda: plot.sphere(np.eye(3)),
            lambda: plot.matches(IMAGES, POSITIONS, GROUPS, PAIRS),
        ):
            with pytest.raises(ImportError) as caught:
                draw()
            assert str(caught.value) == (
                'spherelax.plot needs matplotlib: pip install "spherelax[plot]"'
            )


@pytest.mark.parametrize("of", ["pairs", "pure", "whole", "items"])
def test_reliability_shows_what_is_said_and_what_is_right(of: str) -> None:
    W, truth = candidates()
    result = sl.solve(W)
    ax = plot.reliability(result, truth, of=of)
    points = ax.collections[-1].get_offsets()
    assert len(points)
    assert np.all((points >= 0) & (points <= 1))
    right = sl.metrics.correctness(truth, result.labels)
    if of == "items":
        expected = sl.metrics.reliability(result.confidence, right.items)
        np.testing.assert_allclose(points[:, 1], expected.right[expected.n > 0])
    assert "error 0." in ax.get_legend().texts[1].get_text()


def test_reliability_needs_probabilities() -> None:
    W, truth = candidates()
    with pytest.raises(sl.InvalidInputError, match="of must be one of pairs, pure, whole, items"):
        plot.reliability(sl.solve(W), truth, of="all")
    with pytest.raises(sl.InvalidInputError, match="result must have probabilities"):
        plot.reliability(sl.solve(np.kron(np.eye(2), np.ones((3, 3)))), [0, 0, 0, 1, 1, 1])
