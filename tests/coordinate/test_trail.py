"""Paths from fine to coarse: their grid, their curves, where they end, and Ctrl-C."""

import numpy as np
import pytest
from support import twins

import spherelax as sl
from spherelax.coordinate.graph.neighbors import components
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.run import Interrupted, walk
from spherelax.coordinate.trail import BOTTOM, MAX_STEPS, STEPS, TOP, Route, grid
from spherelax.labels import renumber
from spherelax.problem import Problem

ROUTE = Route(sl.Coordinate(), n_threads=1)


def model_of(seed, *, grouped=False):
    """The model of noisy clusters, or of noisy matchings."""
    if grouped:
        W, groups, _ = sl.datasets.make_partial_matching(
            12, 15, observed=0.6, shuffled=0.4, random_state=seed
        )
        return read_problem(Problem.check(W, groups))
    W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.4, random_state=seed)
    return read_problem(Problem.check(W))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("n_steps", [None, 2, 25])
def test_the_grid_falls_in_equal_ratios(grouped, n_steps, seed):
    model = model_of(seed, grouped=grouped)
    resolutions = grid(model, ROUTE._replace(settings=sl.Coordinate(n_steps=n_steps)))
    wanted = STEPS if n_steps is None else n_steps
    assert len(resolutions) == (wanted if grouped else MAX_STEPS)
    ratios = resolutions[1:] / resolutions[:-1]
    np.testing.assert_allclose(ratios, ratios[0])
    assert resolutions[0] * model.average == pytest.approx(TOP * model.graph.values.max())
    assert resolutions[wanted - 1] == pytest.approx(BOTTOM)


@pytest.mark.parametrize("through", [0.05, 1.7, 400.0])
def test_a_grid_may_be_asked_to_go_through_a_resolution(through, seed):
    model = model_of(seed)
    plain, through_it = (grid(model, ROUTE._replace(through=at)) for at in (None, through))
    np.testing.assert_array_equal(np.sort(np.r_[plain, through])[::-1], through_it)
    path = walk(model, ROUTE._replace(through=through)).path()
    assert np.isclose(path.resolutions, through, rtol=1e-12).any()


def test_thorough_walks_end_at_the_connected_components(seed):
    model = model_of(seed)
    path = walk(model, ROUTE._replace(is_thorough=True)).path()
    np.testing.assert_array_equal(path.labels[-1], components(*model.graph[:2], model.graph.group))


def test_a_step_that_is_interrupted_is_left_out(seed):
    model = model_of(seed)
    whole = walk(model, ROUTE).path()

    def interrupt(step):
        if step.index == 7:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        walk(model, ROUTE, interrupt)
    assert caught.value.walked.model is model
    path = caught.value.walked.path
    assert whole.is_complete
    assert not path.is_complete
    for name in ("alphas", "etas", "objectives", "savings", "n_labels"):
        np.testing.assert_array_equal(getattr(path, name), getattr(whole, name)[:8])


@pytest.mark.parametrize("grouped", [False, True])
def test_paths_go_from_fine_to_coarse(grouped, seed):
    if grouped:
        W, groups, _ = sl.datasets.make_partial_matching(
            12, 15, observed=0.6, shuffled=0.4, random_state=seed
        )
    else:
        W, _ = sl.datasets.make_binary_similarity(120, 4, rewired=0.4, random_state=seed)
        groups = None
    path = sl.solve(W, groups).path
    assert np.all(np.diff(path.alphas) < 0)
    n_labels = path.n_labels
    assert n_labels[0] > 1.5 * n_labels[-1]
    assert n_labels[-1] == n_labels.min()
    rises = np.diff(n_labels).clip(min=0).sum()
    assert rises <= 0.2 * (n_labels[0] - n_labels[-1])
    for labels in path.labels:
        np.testing.assert_array_equal(labels, renumber(labels))
        assert groups is None or not twins.clash(labels, groups)


def test_curves_are_those_of_the_labels(seed):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, random_state=seed)
    result = sl.solve(W)
    model, path = result._solved.model, result.path
    S, n = twins.dense_similarity(model.graph), model.graph.weight.astype(float)
    np.testing.assert_allclose(
        model.average, np.triu(S, 1).sum() / np.triu(np.outer(n, n), 1).sum()
    )
    gammas = path.resolutions * model.average
    labelings = [labels[model.graph.given] for labels in path.labels]
    objectives = [twins.discrete_objective(S, n, *at) for at in zip(labelings, gammas, strict=True)]
    np.testing.assert_allclose(path.objectives * model.average, objectives, atol=1e-4)
    savings = [model.labeling(labels).saving for labels in labelings]
    np.testing.assert_allclose(path.savings, savings)
    best = np.flatnonzero(path.savings == path.savings.max())
    assert result.path.picked == best[(len(best) - 1) // 2]
