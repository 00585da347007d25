"""Settings of solve: which step is picked, how many there are, entries of a row."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import spherelax as sl
from spherelax.labels import renumber

STATUS_OF_PICK = {
    "description": {sl.Status.DESCRIBED},
    "eta": {sl.Status.VALLEY, sl.Status.SETTLED},
    "stability": {sl.Status.STABLE},
    1.2: {sl.Status.CHOSEN},
}


@pytest.mark.slow
@pytest.mark.parametrize("pick", STATUS_OF_PICK)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_pick_finds_clear_structure(pick, missing, solver, seed):
    W, truth = sl.datasets.make_binary_similarity(
        120, 4, rewired=0.2, missing=missing, random_state=seed
    )
    result = sl.solve(W, solver=solver, pick=pick)
    assert result.status in STATUS_OF_PICK[pick]
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.95
    assert (result.path.savings is not None) == (solver == "coordinate" or pick == "description")
    if pick == "description":
        assert result.path.savings[result.path.picked] == result.path.savings.max()


def test_no_pick_is_the_usual_one(solver, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    usual = {"coordinate": "description", "power": "eta"}[solver]
    one, other = (sl.solve(W, solver=solver, pick=pick) for pick in (None, usual))
    assert (one.path.picked, one.status) == (other.path.picked, other.status)


@pytest.mark.parametrize("resolution", [0.05, 1.0, 1.7, 40.0])
def test_a_resolution_of_your_own_is_a_step_of_the_path(resolution, seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    result = sl.solve(W, pick=resolution)
    assert result.path.resolutions[result.path.picked] == pytest.approx(resolution, rel=1e-12)
    by_power = sl.solve(W, solver="power", pick=resolution)
    assert by_power.path.picked == by_power.at(resolution).path.picked


def test_valleys_see_what_no_score_does(seed):
    """Two crescents: with other picks, parts of a crescent would be clusters."""
    X, truth = make_moons(600, noise=0.05, random_state=seed)
    graph = sl.similarity.neighbor_graph(X)
    result = sl.solve(graph)
    np.testing.assert_array_equal(result.labels, renumber(truth))
    assert result.status == sl.Status.VALLEYS
    assert (result.kind, result.path.joined) == ("points", result.path.picked)
    for other in (sl.solve(graph, pick="description"), sl.solve(graph.similarity)):
        assert other.n_labels > 4
        assert other.kind != "points"


@pytest.mark.parametrize("n_steps", [10, 25])
def test_steps_of_a_matching(n_steps):
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.0, random_state=0)
    assert len(sl.solve(W, groups, solver=sl.Coordinate(n_steps=n_steps)).path.labels) == n_steps


@pytest.mark.parametrize("row_entries", [2, 3, 8])
def test_entries_of_a_row(row_entries, seed):
    W, truth = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    result = sl.solve(W, solver=sl.Coordinate(row_entries=row_entries))
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.9
    assert np.diff(result.at(0.6).embedding().indptr).max() <= row_entries
