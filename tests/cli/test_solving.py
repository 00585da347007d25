"""From options to arguments of `solve`, and to the step that was asked for."""

import warnings
from pathlib import Path

import pytest
from support.program import POWER, invoke, labels_in

import spherelax


def test_other_steps_of_the_path() -> None:
    fine = invoke("cluster", "edges.csv", "--pick", "99", *POWER)
    assert labels_in(fine.stdout) == list("012345678")
    assert spherelax.Status.CHOSEN.sentence in fine.stderr
    exact = invoke("cluster", "edges.csv", "--n-labels", "9", *POWER)
    assert exact.stdout == fine.stdout
    near = invoke("cluster", "edges.csv", "--n-labels", "10", *POWER)
    assert near.stdout == fine.stdout
    said = "No step has 10 labels, so that the nearest number was taken, 9."
    assert near.stderr.count(said) == 1
    page = invoke("report", "edges.csv", "--n-labels", "10", "--out", "-", *POWER).stdout
    assert page.count(said) == 1


def test_settings_reach_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def spy(*_: object, **settings: object) -> None:
        seen.clear()
        seen.update(settings)
        assert seen.pop("callback")
        raise spherelax.InvalidInputError("enough")

    monkeypatch.setattr(spherelax, "solve", spy, raising=False)
    options = ("--alpha-step", "0.2", "--delta-margin", "1", "--kappa", "0.5", "--solver", "power")
    both = ("--n-inner", "7", "--eta-floor", "0", "--pick", "stability")
    invoke("cluster", "edges.csv", "--max-labels", "8", "--n-jobs", "2", *options, *both)
    power = spherelax.Power(
        max_labels=8, alpha_step=0.2, delta_margin=1.0, kappa=0.5, n_inner=7, eta_floor=0.0
    )
    assert seen == {"solver": power, "pick": "stability", "n_jobs": 2}
    invoke("cluster", "w.npy", "--n-steps", "12", "--row-entries", "3", "--n-jobs", "1", *both)
    coordinate = spherelax.Coordinate(n_steps=12, row_entries=3, n_inner=7, eta_floor=0.0)
    assert seen == {"solver": coordinate, "pick": "stability", "n_jobs": 1}
    groups = ("--groups", "groups.csv")
    invoke("match", "edges.csv", *groups, "--max-labels", "5", "--solver", "power")
    assert seen == {"solver": spherelax.Power(max_labels=5)}
    invoke("match", "edges.csv", *groups, "--pick", "2.5", "--solver", "coordinate")
    assert seen == {"pick": 2.5, "solver": spherelax.Coordinate()}
    invoke("match", "edges.csv", *groups)
    assert seen == {"solver": spherelax.Coordinate()}


def test_warnings_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = spherelax.solve

    def warning(*arguments: object, **settings: object) -> spherelax.Result:
        warnings.warn("max_labels was limited", spherelax.SphereWarning, stacklevel=1)
        return solve(*arguments, **settings)

    monkeypatch.setattr(spherelax, "solve", warning, raising=False)
    Path("edges.csv").write_text("a,b,0\nc,d,0\n")
    stderr = invoke("cluster", "edges.csv").stderr
    assert stderr.count("warning: max_labels was limited\n") == 1
    assert stderr.count(spherelax.Status.ISOLATED.sentence) == 1
    assert "SphereWarning" not in stderr
