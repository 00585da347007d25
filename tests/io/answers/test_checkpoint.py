"""Checkpoints: a run that was stopped at any moment goes on to the same answer."""

import json
import subprocess
import sys
import zipfile
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from killing import PROBLEMS, answer
from problems import clean, quiet_solve
from spherelax.coordinate import walk
from spherelax.io.answers import checkpoint

W, GROUPS, _ = sl.datasets.make_partial_matching(6, 6, shuffled=0.3, random_state=0)
MOMENTS = 2


class StoppedError(Exception):
    """Stands for the end of a process."""


def stop_after(n_steps, error=StoppedError):
    """Return a callback that ends the run when it begins with one more step."""
    steps = count()

    def callback(_):
        if next(steps) == n_steps:
            raise error

    return callback


@pytest.fixture
def often(monkeypatch):
    """Write after every step."""
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", np.inf)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.npz"


@pytest.fixture
def computed(monkeypatch):
    """Return a list that gets the resolution of every step that is computed."""
    seen, iterates = [], walk.iterates

    def watched(*given):
        for iterate in iterates(*given):
            seen.append(iterate.resolution)
            yield iterate

    monkeypatch.setattr(walk, "iterates", watched)
    return seen


def stopped(file, given, n_steps):
    """Solve, and stop after some steps."""
    with pytest.raises(StoppedError):
        quiet_solve(**given, checkpoint=file, callback=stop_after(n_steps))


def assert_same(one, other):
    assert one.status == other.status
    for array, same in zip(answer(one), answer(other), strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.usefixtures("often")
def test_a_run_that_was_stopped_goes_on_to_the_same_answer(name, file, computed):
    given, steps = PROBLEMS[name](), []
    whole = quiet_solve(**given, callback=steps.append)
    n_computed = len(computed)
    for n_steps in np.linspace(1, len(steps) - 1, MOMENTS).astype(int).tolist():
        file.unlink(missing_ok=True)
        stopped(file, given, n_steps)
        computed.clear()
        again = []
        assert_same(quiet_solve(**given, checkpoint=file, callback=again.append), whole)
        assert again == steps
        assert len(computed) < n_computed
    computed.clear()
    assert_same(quiet_solve(**given, checkpoint=file), whole)
    assert computed == []


@pytest.mark.usefixtures("often")
def test_a_run_goes_on_with_the_step_after_the_last_one_that_was_written(file, computed):
    given = {"similarity": clean()[0]}
    whole = sl.solve(**given)
    n_steps = len(computed)
    stopped(file, given, 10)
    computed.clear()
    assert_same(sl.solve(**given, checkpoint=file), whole)
    assert len(computed) == n_steps - 10  # the eleventh was computed, but not written


@pytest.mark.usefixtures("often")
def test_groups_without_a_similar_item_do_not_matter(file):
    alone = np.zeros((len(GROUPS) + 40,) * 2)
    alone[40:, 40:] = sp.csr_array(W).toarray()
    given = {"similarity": alone, "groups": [*range(-20, 0), *range(-20, 0), *GROUPS]}
    stopped(file, given, 5)
    assert_same(quiet_solve(**given, checkpoint=file), quiet_solve(**given))


def kill(folder, n_kills, *names):
    """Kill runs of some problems; return what was counted."""
    program = Path(__file__).parents[2] / "killing.py"
    command = [sys.executable, program, folder, str(n_kills), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)
    assert counts["killed"] == n_kills * len(names)
    return counts


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs processes of POSIX")


@posix
def test_a_run_that_was_killed_goes_on(tmp_path):
    assert kill(tmp_path, 4, "matching")["left"] > 0


@posix
@pytest.mark.slow
def test_killed_fifty_times(tmp_path):
    counts = kill(tmp_path, 50 // len(PROBLEMS) + 1, *PROBLEMS)
    assert counts["killed"] >= 50
    assert counts["left"] >= 25


@pytest.mark.usefixtures("often")
def test_after_control_c_the_same_call_goes_on(file, computed):
    whole = quiet_solve(W, GROUPS)
    n_computed = len(computed)
    cut = quiet_solve(W, GROUPS, checkpoint=file, callback=stop_after(20, KeyboardInterrupt))
    assert cut.status == sl.Status.INTERRUPTED
    computed.clear()
    assert_same(quiet_solve(W, GROUPS, checkpoint=file), whole)
    assert len(computed) < n_computed


@pytest.mark.usefixtures("often")
def test_threads_may_differ(file):
    given = {"similarity": W, "groups": GROUPS}
    stopped(file, {**given, "n_jobs": 1}, 15)
    assert_same(quiet_solve(**given, n_jobs=2, checkpoint=file), quiet_solve(**given))


def test_a_short_run_writes_once_and_leaves_one_file(file, monkeypatch):
    write, written = checkpoint.Checkpoint.write, []

    def watched(self, arrays):
        written.append(arrays)
        write(self, arrays)

    monkeypatch.setattr(checkpoint.Checkpoint, "write", watched)
    quiet_solve(W, GROUPS, checkpoint=str(file))
    quiet_solve(W, GROUPS, checkpoint=file)
    assert len(written) == 1
    assert list(file.parent.iterdir()) == [file]


def test_it_is_written_every_thirty_seconds_and_less_if_that_takes_long(file, monkeypatch):
    now, pace = [0.0], [0.0]

    def clock():
        now[0] += pace[0]
        return now[0]

    monkeypatch.setattr(checkpoint, "monotonic", clock)
    run = checkpoint.Checkpoint(file, "run")
    now[0] = 29.0
    assert not run.is_due()
    now[0] = 30.0
    assert run.is_due()
    run.write({})
    now[0] = 59.0
    assert not run.is_due()
    now[0] = 60.0
    assert run.is_due()
    pace[0] = 3.0  # what it takes to write
    run.write({})
    pace[0] = 0.0
    now[0] = 66.0 + 149.0
    assert not run.is_due()
    now[0] = 66.0 + 150.0
    assert run.is_due()


OTHERS = {
    "similarity": {"similarity": 2 * W},
    "groups": {"groups": np.roll(GROUPS, 1)},
    "kind": {"kind": "graph"},
    "solver": {"solver": sl.Coordinate(n_inner=3)},
    "pick": {"pick": "eta"},
    "duplicate_free": {"duplicate_free": "soft"},
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_checkpoint_of_another_run_is_refused(name, file):
    given = {"similarity": W, "groups": GROUPS}
    quiet_solve(**given, checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(sl.InvalidInputError, match="another problem or of other settings; choose"):
        sl.solve(**given | OTHERS[name], checkpoint=file)
    assert file.read_bytes() == before


def test_scales_belong_to_the_run(file):
    given = PROBLEMS["points"]()
    quiet_solve(**given, checkpoint=file)
    with pytest.raises(sl.InvalidInputError, match="another problem or of other settings"):
        sl.solve(**given, scales=np.arange(1.0, 301.0), checkpoint=file)


def test_a_checkpoint_of_another_version_is_refused(file, monkeypatch):
    quiet_solve(W, GROUPS, checkpoint=file)
    monkeypatch.setattr(checkpoint, "__version__", "99.0")
    with pytest.raises(sl.InvalidInputError, match=r"a checkpoint of spherelax .*, and this is 99"):
        sl.solve(W, GROUPS, checkpoint=file)


def test_files_that_are_no_checkpoints_are_refused(file):
    cases = {
        file.parent: "a checkpoint must end in .npz",
        file.with_suffix(".txt"): "a checkpoint must end in .npz",
        file.parent / "missing" / "run.npz": "does not exist",
        file: "not a checkpoint; choose another file",
        file.with_name("text.npz"): "not a readable .npz file",
        3: "checkpoint must be the name of a file; found 3",
        "zero\0.npz": "zero byte",
    }
    sl.io.save_result(file, sl.solve(clean()[0]))
    file.with_name("text.npz").write_text("labels")
    before = sorted(file.parent.iterdir())
    for path, message in cases.items():
        with pytest.raises(sl.InvalidInputError, match=message):
            sl.solve(clean()[0], checkpoint=path)
    assert sorted(file.parent.iterdir()) == before


def test_the_power_solver_has_none(file):
    with pytest.raises(sl.InvalidInputError, match="checkpoint needs solver='coordinate'"):
        sl.solve(clean()[0], solver="power", checkpoint=file)


DAMAGE = {
    "etas": lambda old: old[:-1],
    "savings": lambda old: old * np.nan,
    "objectives": lambda old: old.astype(np.float32),
    "steps": lambda old: old + 1,
    "labels0": lambda old: old[::-1].copy(),
    "rounded": lambda old: old + len(old),
    "packed": lambda old: np.roll(old, 1, axis=1),
    "activation": lambda old: np.full_like(old, np.nan),
    "active": lambda old: old[1:],
    "changed": lambda old: old[:-1],
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.usefixtures("often")
def test_arrays_that_cannot_be_are_refused(name, file):
    given = {"similarity": W, "groups": GROUPS}
    stopped(file, given, 25)
    arrays = sl.io.read_arrays(file)
    damaged = f"now1/{name}"
    arrays[damaged] = DAMAGE[name](arrays[damaged])
    np.savez(file, **arrays)
    with pytest.raises(sl.InvalidInputError, match=r"run\.npz: damaged; .* Delete it to begin ane"):
        sl.solve(**given, checkpoint=file)


def test_finished_runs_are_checked_too(file):
    sl.solve(clean()[0], checkpoint=file)
    arrays = sl.io.read_arrays(file)
    arrays["walk1/etas"] = arrays["walk1/etas"].astype(np.float32)
    np.savez(file, **arrays)
    with pytest.raises(sl.InvalidInputError, match="etas is missing"):
        sl.solve(clean()[0], checkpoint=file)


@pytest.mark.usefixtures("often")
def test_if_it_cannot_be_written_the_run_goes_on_without(file, monkeypatch):
    calls = []

    def full(*_):
        calls.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "drafted", full)
    with pytest.warns(sl.SphereWarning, match=r"run\.npz: no longer written; .*No space left"):
        result = sl.solve(clean()[0], checkpoint=file)
    assert_same(result, sl.solve(clean()[0]))
    assert len(calls) == 1


@pytest.mark.usefixtures("often")
def test_two_runs_do_not_mix_in_one_file(file):
    one, other = checkpoint.Checkpoint(file, "one"), checkpoint.Checkpoint(file, "other")
    one.write({"walk1/etas": np.ones(2)})
    other.write({"walk1/etas": np.zeros(2)})
    with pytest.warns(sl.SphereWarning, match="no longer written; .* another problem"):
        one.write({"walk2/etas": np.ones(2)})
    assert not checkpoint.Checkpoint(file, "other").read("walk1/")["etas"].any()


def test_what_is_not_lasting_is_replaced(file):
    run = checkpoint.Checkpoint(file, "run")
    run.write({"walk1/etas": np.ones(2), "now2/etas": np.ones(1)})
    run.write({"now3/etas": np.ones(3)})
    with zipfile.ZipFile(file) as archive:
        names = sorted(archive.namelist())
    assert names == ["now3/etas.npy", "run/fingerprint.npy", "run/version.npy", "walk1/etas.npy"]


def test_estimators_have_it(file, computed):
    X = np.random.default_rng(0).normal(size=(60, 2))
    first = sl.SphereClustering(checkpoint=file).fit(X)
    matching = sl.SphereMatching(checkpoint=file.with_name("match.npz")).fit(W, groups=GROUPS)
    computed.clear()
    np.testing.assert_array_equal(
        sl.SphereClustering(checkpoint=file).fit(X).labels_, first.labels_
    )
    np.testing.assert_array_equal(matching.fit(W, groups=GROUPS).labels_, matching.labels_)
    assert computed == []


def test_a_result_does_not_hold_its_journal(file):
    result = quiet_solve(W, GROUPS, checkpoint=file)
    assert result.source.route.journal is None
    np.testing.assert_array_equal(
        result.embedding().toarray(), quiet_solve(W, GROUPS).embedding().toarray()
    )
