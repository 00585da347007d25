"""The runner of the experiments keeps what is done, and tables and figures come from it."""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import spherelax as sl

ROOT = Path(__file__).resolve().parents[1]
NAMES = ["illustration", "house", "willow", "partial", "binary", "gmm", "beyond"]
REAL = {"house", "willow", "beyond"}


@pytest.fixture
def lab(monkeypatch, tmp_path):
    """Import the runner, with a cache of its own."""
    monkeypatch.syspath_prepend(ROOT / "experiments")
    trials = import_module("trials")
    import_module("matplotlib.pyplot").close("all")  # Matplotlib 3.9 warns of those of other tests
    monkeypatch.setattr(trials, "CACHE", tmp_path / "cache")
    return trials


@pytest.fixture
def tiny(lab, monkeypatch, tmp_path):
    """Make an experiment that logs each of its runs in a file."""
    experiment = ModuleType("tiny")
    experiment.__doc__ = "A tiny experiment."
    experiment.ABOUT = "squares"
    experiment.log = tmp_path / "log"

    def run(trial):
        with experiment.log.open("a") as file:
            file.write(f"{trial['seed']}\n")
        return [{"square": trial["seed"] ** 2 / 8, "kind": trial["problem"]["kind"]}]

    experiment.trials = lambda quick: [
        {"seed": seed, "method": "ours", "settings": {"n": 1}, "problem": {"kind": "a"}}
        for seed in range(2 if quick else 5)
    ]
    experiment.run = run
    experiment.tables = lambda rows: {"tiny_sum": [{"sum": sum(row["square"] for row in rows)}]}
    experiment.draw = lambda _: {"tiny": import_module("matplotlib.figure").Figure()}
    monkeypatch.setitem(sys.modules, "tiny", experiment)
    # In this process, so that what is made here is there.
    monkeypatch.setattr(
        lab, "_computed", lambda _, trials, __: ((trial, run(trial)) for trial in trials)
    )
    return experiment


def n_runs(experiment):
    return len(experiment.log.read_text().splitlines())


def test_a_run_goes_on_where_it_was(lab, tiny, tmp_path):
    arguments = ["--output", str(tmp_path)]
    lab.main("tiny", arguments)
    lab.main("tiny", arguments)
    assert n_runs(tiny) == 5
    lab.main("tiny", [*arguments, "--fresh"])
    assert n_runs(tiny) == 10
    lab.main("tiny", [*arguments, "--quick", "--fresh"])
    lab.main("tiny", arguments)
    assert n_runs(tiny) == 12


def test_another_version_or_setting_is_another_trial(lab, monkeypatch):
    trial = {"seed": 1, "method": "ours", "settings": {"n": 1}}
    keys = {lab.key(trial), lab.key(trial | {"seed": 2}), lab.key(trial | {"settings": {"n": 2}})}
    monkeypatch.setattr(sl, "__version__", "99")
    assert len(keys | {lab.key(trial)}) == 4


def test_a_line_that_was_cut_short_is_computed_again(lab, tiny, tmp_path):
    lab.main("tiny", ["--output", str(tmp_path)])
    cache = lab.CACHE / "full" / "tiny.jsonl"
    cache.write_text(cache.read_text()[:-9])
    lab.main("tiny", ["--output", str(tmp_path)])
    assert n_runs(tiny) == 6


@pytest.mark.usefixtures("tiny")
def test_table_says_what_it_comes_from(lab, tmp_path):
    lab.main("tiny", ["--output", str(tmp_path)])
    rows, notes = lab.read_table(tmp_path / "tiny.csv")
    assert notes == [
        f"spherelax {sl.__version__}, full run, seeds 0 to 4",
        "squares",
        'ours: {"n": 1}',
    ]
    assert rows[3] == {"seed": 3, "method": "ours", "square": 1.125, "kind": "a"}
    assert (tmp_path / "tiny_sum.csv").read_text() == "sum\n3.75\n"
    assert (tmp_path / "tiny.png").stat().st_size > 0


def test_trials_run_side_by_side(lab, tmp_path):
    small = [
        {
            "seed": seed,
            "method": "spherelax",
            "settings": {},
            "problem": {"n_groups": 4, "universe": 3},
        }
        for seed in range(3)
    ]
    rows = lab.collect("partial", small, lab.Kept(tmp_path / "kept"), jobs=2)
    assert [row["seed"] for row in rows] == [0, 1, 2]
    assert all(0 <= row["f_score"] <= 1 for row in rows)


def test_missing_data_leave_an_experiment_out(lab, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(lab, "DATA", tmp_path)
    monkeypatch.setattr(
        lab, "_computed", lambda name, trials, _: ((t, lab._run(name, t)) for t in trials)
    )
    lab.main("house", ["--quick", "--output", str(tmp_path / "out")])
    assert "house: left out: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", NAMES)
def test_trials_are_plain_and_differ(lab, name):
    experiment = import_module(name)
    full, quick = experiment.trials(False), experiment.trials(True)
    keys = [lab.key(trial) for trial in full]
    assert len(set(keys)) == len(keys)
    assert {lab.key(trial) for trial in quick} <= set(keys)
    assert {"spherelax", "paper's method"} <= {trial["method"] for trial in full}
    settings = [trial["settings"] for trial in full if "solver" in trial["settings"]]
    solvers = {repr(given["solver"]): given["solver"] for given in settings}
    assert all(isinstance(solver, sl.Power) for solver in solvers.values())
    plain = [
        trial | {"settings": {**trial["settings"], "solver": repr(trial["settings"]["solver"])}}
        if trial["settings"] in settings
        else trial
        for trial in full
    ]
    assert json.loads(json.dumps(plain)) == plain
    assert json.loads(json.dumps(full, default=repr)) == plain


@pytest.mark.parametrize("name", NAMES)
def test_committed_results_are_those_of_a_full_run(lab, name):
    experiment = import_module(name)
    rows, notes = lab.read_table(lab.RESULTS / f"{name}.csv")
    trials = experiment.trials(False)
    assert notes == lab.heading(experiment, trials, quick=False)
    columns = [column for column, value in trials[0].items() if not isinstance(value, dict)]
    asked = [tuple(trial[column] for column in columns) for trial in trials]
    found = [tuple(row[column] for column in columns) for row in rows]
    assert list(dict.fromkeys(found)) == asked


@pytest.mark.parametrize("name", NAMES)
def test_committed_tables_follow_from_the_rows(lab, name, tmp_path):
    experiment = import_module(name)
    rows, _ = lab.read_table(lab.RESULTS / f"{name}.csv")
    for table, short in experiment.tables(rows).items():
        lab.write_table(tmp_path / "again.csv", short, [])
        assert (tmp_path / "again.csv").read_text() == (lab.RESULTS / f"{table}.csv").read_text()


@pytest.mark.usefixtures("lab")
def test_paper_settings_are_the_printed_ones():
    house, willow, binary = (
        import_module(name).METHODS["paper's method"] for name in ("house", "willow", "binary")
    )
    assert house == {"solver": sl.Power(max_labels=100, n_inner=5, kappa=0.01)}
    assert willow == binary == {"solver": sl.Power(max_labels=100, n_inner=20, kappa=0.0)}


@pytest.mark.usefixtures("lab")
def test_means_are_means():
    figures = import_module("figures")
    rows = [{"method": m, "f_score": f} for m, f in [("a", 0.5), ("b", 1.0), ("a", 0.7)]]
    assert figures.mean_by(rows, "method") == {("a",): pytest.approx(0.6), ("b",): 1.0}


def test_records_are_scored_between_sources(lab, data_home, monkeypatch):
    monkeypatch.setattr(lab, "DATA", data_home)
    given = import_module("beyond").problem.__wrapped__("records", "MusicBrainz")
    pairs = given.similarity.tocoo()
    assert (given.groups[pairs.row] != given.groups[pairs.col]).all()
    assert pairs.data.min() >= 0.2
    assert pairs.data.max() <= 1 + 1e-9
    assert abs(given.similarity - given.similarity.T).max() == 0
    assert np.isin(given.n_labels, [300])
