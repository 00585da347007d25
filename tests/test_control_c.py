"""Progress and Ctrl-C: callbacks see every step, and what was found before is not lost."""

import ctypes
import signal
import sys

import numpy as np
import pytest
from numba import njit, types
from numba.core.dispatcher import Dispatcher
from support.problems import clean, quiet_solve, tuned

import spherelax as sl
from spherelax.coordinate.graph import tally


def test_callback_sees_every_step(solver):
    W, _ = clean()
    seen = []
    result = sl.solve(W, solver=tuned(solver, alpha_step=0.1), callback=seen.append)
    n_steps = len(result.path.labels)
    assert [step.index for step in seen] == list(range(n_steps))
    assert len({step.n_steps for step in seen}) == 1
    assert seen[0].n_steps == n_steps if solver == "power" else seen[0].n_steps >= n_steps
    np.testing.assert_array_equal([step.alpha for step in seen], result.path.alphas)
    np.testing.assert_array_equal([step.eta for step in seen], result.path.etas)
    np.testing.assert_array_equal([step.objective for step in seen], result.path.objectives)
    np.testing.assert_array_equal([step.n_labels for step in seen], result.path.n_labels)


def interrupt_at(step, sweep=0):
    """Return a callback that acts like Ctrl-C after a step of a sweep."""
    sweeps = []

    def callback(seen):
        if seen.index == 0:
            sweeps.append(seen)
        if seen.index == step and len(sweeps) == sweep + 1:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("step", [0, 12])
def test_control_c_leaves_the_best_so_far(step, grouped, solver):
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.1, random_state=0)
    args = (W, groups) if grouped else (W,)
    whole = sl.solve(*args, solver=solver)
    with pytest.warns(sl.SphereWarning, match="interrupted"):
        result = sl.solve(*args, solver=solver, callback=interrupt_at(step))
    assert result.status == sl.Status.INTERRUPTED
    assert not result.path.is_complete
    assert len(result.path.labels) == step + 1
    np.testing.assert_array_equal(result.path.labels, whole.path.labels[: step + 1])
    np.testing.assert_array_equal(result.path.etas, whole.path.etas[: step + 1])
    np.testing.assert_array_equal(result.labels, result.path.labels[result.path.picked])
    if solver == "coordinate":
        assert result.path.savings[result.path.picked] == result.path.savings.max()


def test_control_c_before_the_first_step(solver, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    place = {"coordinate": "coordinate.trail.sweep_rows", "power": "power.run.sweep"}[solver]
    monkeypatch.setattr(f"spherelax.{place}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sl.solve(clean()[0], solver=solver)


def unreliable(n_objects=12, n_things=20, seed=0):
    """Matchings of which two out of three are wrong almost everywhere."""
    rng = np.random.default_rng(seed)
    groups, truth = np.divmod(np.arange(n_objects * n_things), n_things)
    W = np.zeros((len(truth), len(truth)))
    for a in range(n_objects):
        for b in range(a):
            to = np.arange(n_things)
            wrong = rng.random(n_things) < (0.9 if (a + b) % 3 else 0.05)
            to[wrong] = rng.permutation(to[wrong])
            W[n_things * a + np.arange(n_things), n_things * b + to] = 1.0
    return W + W.T, groups, truth


def test_a_second_sweep_makes_use_of_reliability():
    W, groups, _ = unreliable()
    seen = []
    result = sl.solve(W, groups, callback=seen.append)
    n_steps = len(result.path.labels)
    assert [step.index for step in seen] == 2 * list(range(n_steps))


def test_control_c_in_the_second_sweep_leaves_the_best_of_the_first():
    W, groups, _ = unreliable()
    n_steps = len(sl.solve(W, groups).path.labels)
    first = quiet_solve(W, groups, callback=interrupt_at(n_steps - 1))
    second = quiet_solve(W, groups, callback=interrupt_at(0, sweep=1))
    np.testing.assert_array_equal(second.labels, first.labels)
    assert second.status == sl.Status.INTERRUPTED
    assert second.path.is_complete
    assert len(second.path.labels) == n_steps


press = ctypes.CDLL(None)["raise"]
press.argtypes, press.restype = [ctypes.c_int], ctypes.c_int
CONTROL_C = int(signal.SIGINT)


sum_before, count_before = tally.sum_before, tally.count_before


@njit
def sum_and_press(*args):
    """Act like somebody who presses Ctrl-C while a kernel runs."""
    press(CONTROL_C)
    sum_before(*args)


@njit
def count_and_press(*args):
    """The same, while pairs without groups are counted."""
    press(CONTROL_C)
    count_before(*args)


KERNELS = {
    True: ("sum_before", sum_before, sum_and_press),
    False: ("count_before", count_before, count_and_press),
}


@pytest.mark.parametrize("grouped", [False, True])
def test_control_c_while_a_kernel_runs(grouped, monkeypatch):
    W, groups, _ = sl.datasets.make_partial_matching(8, 6, shuffled=0.7, random_state=0)
    args = (W, groups) if grouped else (W,)
    name, kernel, and_press = KERNELS[grouped]
    calls = []

    def sum_up(*args):
        calls.append(args)
        (and_press if len(calls) == 4 else kernel)(*args)

    whole = quiet_solve(*args)
    monkeypatch.setattr(tally, name, sum_up)
    result = quiet_solve(*args)
    assert result.status == sl.Status.INTERRUPTED
    n_steps = len(result.path.labels)
    assert n_steps >= 3
    np.testing.assert_array_equal(result.path.labels, whole.path.labels[:n_steps])


def has_several_arrays(returned):
    """Tell whether a tuple holds more than one array, at any depth."""
    return isinstance(returned, types.BaseTuple) and (
        sum(isinstance(part, types.Array) for part in returned) > 1
        or any(map(has_several_arrays, returned))
    )


def test_no_kernel_returns_several_arrays():
    """Numba makes objects of them one by one; Ctrl-C at the first crashes the second."""
    sl.solve(clean()[0])
    sl.solve(*sl.datasets.make_partial_matching(8, 6, random_state=0)[:2])
    sl.solve(*unreliable()[:2])
    points = np.random.default_rng(0).normal(size=(100, 2))
    sl.solve(sl.similarity.neighbor_graph(points))
    modules = [module for name, module in sys.modules.items() if name.startswith("spherelax.")]
    values = [value for module in modules for value in vars(module).values()]
    kernels = {value for value in values if isinstance(value, Dispatcher)}
    used = {k.__name__: k.nopython_signatures for k in kernels if k.nopython_signatures}
    assert {"_contract", "agreement", "nearest", "peak_and_valley", "round_rows"} <= set(used)
    for name, signatures in used.items():
        assert not any(has_several_arrays(found.return_type) for found in signatures), name
