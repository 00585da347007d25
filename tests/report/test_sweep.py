"""The section about the sweep, and the data of its slider."""

import pytest

from spherelax.report.case import Case
from spherelax.report.steps import make_steps
from spherelax.report.sweep import sweep_data, sweep_section

pytest.importorskip("PIL", reason="no Pillow: pip install matplotlib")


def test_the_slider_has_every_step_and_begins_at_the_chosen_one(answer):
    case = Case.of(*answer)
    steps, path = make_steps(case), case.result.path
    data = sweep_data(case, steps)
    assert data["chosen"] == case.result.position
    assert len(data["steps"]) == len(data["x"]) == len(path.alphas)
    assert all(0 <= at <= 100 for at in data["x"])
    assert data["x"] in (sorted(data["x"]), sorted(data["x"], reverse=True))
    for step, n_labels in zip(data["steps"], case.n_labels_per_step, strict=True):
        assert step["said"]["now-labels"] == f"{n_labels:,}"
        assert data["frames"][step["frame"]]["sizes"] == steps.frames[step["frame"]].sizes
    chosen = [step["said"]["now"].endswith(", chosen") for step in data["steps"]]
    assert [at for at, is_chosen in enumerate(chosen) if is_chosen] == [case.result.position]
    section = sweep_section(case, steps)
    assert data["steps"][case.result.position]["said"]["now"] in section
