"""--checkpoint: the same command goes on, and the file is removed when everything is written."""

from pathlib import Path

import pytest
from program import invoke

import spherelax
from spherelax.cli.terminal import Progress
from spherelax.io.answers import checkpoint

KEPT = ("--checkpoint", "run.npz")


@pytest.mark.parametrize("command", ["cluster edges.csv", "path edges.csv", "cluster points.csv"])
def test_it_is_removed_when_everything_is_written(command: str) -> None:
    result = invoke(*command.split(), *KEPT)
    assert result.exit_code == 0
    assert result.stdout == invoke(*command.split()).stdout
    assert not Path("run.npz").exists()


def test_after_control_c_it_stays_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    callback = Progress.callback

    def hit_control_c(self: Progress, step: spherelax.Step) -> None:
        self.is_stopped = step.index == 9
        callback(self, step)

    with monkeypatch.context() as context:
        context.setattr(Progress, "callback", hit_control_c)
        assert invoke("cluster", "edges.csv", "--out", "cut.csv", *KEPT).exit_code == 130
    assert Path("run.npz").exists()
    result = invoke("cluster", "edges.csv", *KEPT)
    assert result.stdout == invoke("cluster", "edges.csv").stdout
    assert not Path("run.npz").exists()


def test_if_something_cannot_be_written_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spherelax.report, "report_html", full)
    assert invoke("cluster", "edges.csv", "--report", "page.html", *KEPT).exit_code == 2
    assert Path("run.npz").exists()
