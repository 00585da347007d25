"""What a terminal shows, and what Ctrl-C leaves behind."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from program import ENVIRONMENT, POWER, PYTHON, assert_one_line, invoke, labels_in

import spherelax
from spherelax import _solve, io
from spherelax._terminal import Progress
from spherelax.result import Step


def test_an_interruption_while_writing_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    write_bytes = Path.write_bytes

    def interrupted(self: Path, content: bytes) -> None:
        write_bytes(self, content[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    before = sorted(folder.rglob("*"))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert result.exit_code == 130
    assert result.stderr == "spherelax: interrupted while writing labels.csv\n"
    assert sorted(folder.rglob("*")) == before


def test_an_interruption_before_the_first_step_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(spherelax, "solve", interrupted, raising=False)
    before = sorted(folder.rglob("*"))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "spherelax: interrupted while solving\n"
    assert sorted(folder.rglob("*")) == before


def test_an_interruption_while_reading_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "read", interrupted)
    for file, name in (("edges.csv", "edges.csv"), ("-", "standard input")):
        result = invoke("info", file, stdin="a,b\n")
        assert result.exit_code == 130
        assert result.stderr == f"spherelax: interrupted while reading {name}\n"


def test_an_interruption_of_the_database_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(io.colmap, "_clean", interrupted)
    before = sorted(folder.rglob("*"))
    result = invoke("match", "w.db", "--write-database", "new.db", "--json")
    assert result.exit_code == 130
    assert result.stderr == "spherelax: interrupted while writing new.db\n"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("options", [(), ("--n-labels", "9")])
def test_an_interruption_during_the_sweep_leaves_the_labels_so_far(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str]
) -> None:
    def interrupt(step: Step) -> None:
        if step.index == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "callback", property(lambda _: interrupt))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", *options, *POWER)
    assert (result.exit_code, result.stdout) == (130, "")
    assert labels_in(Path("labels.csv").read_text()) == list("012345678")
    lines = result.stderr.splitlines()
    assert len(lines) == 6
    assert lines[1] == (spherelax.Status.CHOSEN if options else spherelax.Status.INTERRUPTED)
    assert lines[5] == "spherelax: interrupted after 3 steps, at alpha 0.7"


def run_on_terminal(*arguments: str, interrupt: bool = False) -> tuple[int, str, str]:
    """Run with standard error on a terminal, perhaps until the bar appears and Ctrl-C is hit."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*PYTHON, *arguments], stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT, text=True
    ) as process:
        os.close(terminal)
        shown = bytearray()
        with contextlib.suppress(OSError):  # the other side has closed
            while chunk := os.read(controller, 4096):
                shown += chunk
                if interrupt and b"sweep" in shown:
                    process.send_signal(signal.SIGINT)
                    interrupt = False
        os.close(controller)
        stdout = process.stdout.read()
    return process.returncode, stdout, shown.decode()


@pytest.mark.parametrize("options", [(), POWER])
def test_a_progress_bar_on_a_terminal_and_none_in_a_pipe(options: tuple[str]) -> None:
    arguments = ("cluster", "w.npz", *options)
    code, stdout, stderr = run_on_terminal(*arguments)
    assert code == 0
    assert re.search(r"sweep .*100%", stderr)
    assert labels_in(stdout) == list("000111222")
    piped = subprocess.run(
        [*PYTHON, *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert piped.stdout == stdout
    assert "%" not in piped.stderr
    assert len(piped.stderr.splitlines()) == 5


class Terminal(StringIO):
    """A terminal that remembers what it showed."""

    def isatty(self) -> bool:
        return True


def shown_after(
    monkeypatch: pytest.MonkeyPatch, *sweeps: range, n_steps: int = 10, whole: bool = True
) -> list[list[str]]:
    """Return the percentages that each line of the terminal showed one after the other."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress() as progress:
        for steps in sweeps:
            for index in steps:
                progress.callback(Step(index, n_steps, 0.5, 0.0, 0.0, 1))
        if whole:
            progress.complete()
    return [re.findall(r"(\d+)%", line) for line in terminal.getvalue().split("\n") if "%" in line]


def test_the_bar_follows_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(10))
    assert list(dict.fromkeys(percentages)) == [str(10 * n) for n in range(11)]


def test_the_bar_is_filled_when_a_sweep_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3))
    assert list(dict.fromkeys(percentages)) == ["0", "10", "20", "30", "100"]


def test_the_bar_stops_where_a_sweep_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3), whole=False)
    assert percentages[-1] == "30"


def test_a_second_sweep_has_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = shown_after(monkeypatch, range(10), range(5))
    assert first[-1] == second[-1] == "100"
    assert list(dict.fromkeys(second)) == ["0", "10", "20", "30", "40", "50", "100"]


def test_a_fault_on_a_terminal_is_one_line_without_a_bar() -> None:
    arguments = ("match", "w.npy", "--groups", "groups.txt", "--pick", "interfaces")
    code, stdout, stderr = run_on_terminal(*arguments)
    assert_one_line(code, stdout, stderr.replace("\r\n", "\n"), "pick='interfaces' is for points")


@pytest.mark.parametrize("solver", _solve.SOLVERS)
def test_control_c(solver: str) -> None:
    noise = np.random.default_rng(0).random((400, 400))
    np.save("noise.npy", noise + noise.T)
    options = ("--solver", solver, "--n-inner", "500", "--out", "labels.csv")
    code, stdout, stderr = run_on_terminal("cluster", "noise.npy", *options, interrupt=True)
    assert code == 130
    assert stdout == ""
    assert spherelax.Status.INTERRUPTED in stderr
    assert re.search(r"\r\nspherelax: interrupted after \d+ steps, at alpha 0\.\d+\r\n$", stderr)
    assert "Traceback" not in stderr
    assert len(labels_in(Path("labels.csv").read_text())) == 400


def test_a_closed_pipe_is_no_fault() -> None:
    Path("many.csv").write_text("".join(f"item-{i},item-{i},1\n" for i in range(20_000)))
    command = f"{' '.join(PYTHON)} cluster many.csv | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert done.stdout == "item,label,confidence\n"
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr
