"""What a terminal shows; closed and broken streams."""

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from support.program import ENVIRONMENT, POWER, PYTHON, assert_one_line, labels_in, run_on_terminal

from spherelax.cli.terminal import Progress, saying_that_it_compiles
from spherelax.result import Step


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), POWER])
def test_a_progress_bar_on_a_terminal_and_none_in_a_pipe(options: tuple[str]) -> None:
    arguments = ("cluster", "w.npz", *options)
    code, stdout, stderr = run_on_terminal(*arguments)
    assert code == 0
    assert re.search(r"solving .*100%", stderr)
    assert labels_in(stdout) == list("000111222")
    piped = subprocess.run(
        [*PYTHON, *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert piped.stdout == stdout
    assert "%" not in piped.stderr
    assert len(piped.stderr.splitlines()) == 7


class Terminal(StringIO):
    """A terminal that remembers what it showed."""

    def isatty(self) -> bool:
        return True


def lines_after(
    monkeypatch: pytest.MonkeyPatch,
    *sweeps: range,
    n_steps: int = 10,
    whole: bool = True,
    n_ahead: int = 1,
) -> list[str]:
    """Return the lines of the terminal, each with all that it showed one after the other."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(n_ahead) as progress:
        for steps in sweeps:
            for index in steps:
                progress.callback(Step(index, n_steps, 0.5, 0.0, 0.0, 1))
        if whole:
            progress.complete()
    return [line for line in terminal.getvalue().split("\n") if "%" in line]


def shown_after(*arguments: Any, **settings: Any) -> list[list[str]]:
    """Return the percentages that each line of the terminal showed one after the other."""
    return [re.findall(r"(\d+)%", line) for line in lines_after(*arguments, **settings)]


def test_the_bar_follows_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(10), n_ahead=0)
    assert list(dict.fromkeys(percentages)) == [str(10 * n) for n in range(11)]


def test_the_bar_is_filled_when_a_sweep_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3), n_ahead=0)
    assert list(dict.fromkeys(percentages)) == ["0", "10", "20", "30", "100"]


def test_the_bar_stops_where_a_sweep_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3), n_ahead=0, whole=False)
    assert percentages[-1] == "30"


@pytest.mark.parametrize("n_ahead", [0, 1, 2])
def test_several_sweeps_have_one_bar_that_never_goes_back(
    monkeypatch: pytest.MonkeyPatch, n_ahead: int
) -> None:
    sweeps = (range(10), range(4), range(10))
    (line,) = lines_after(monkeypatch, *sweeps, n_ahead=n_ahead)
    shown = [int(percentage) for percentage in re.findall(r"(\d+)%", line)]
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (0, 100)
    if n_ahead:
        assert 100 not in shown[:-1]
    assert line.count("%") == line.count("solving") == line.count("[") - line.count("\x1b[")
    assert re.search(r"about \d+ s left", line)


def test_the_time_left_is_that_of_the_whole_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds a sweep, and one more sweep is expected after each."""
    clock = iter([0.0, *(float(second) for second in range(1, 21))])
    monkeypatch.setattr("spherelax.cli.terminal.monotonic", lambda: next(clock))
    (line,) = lines_after(monkeypatch, range(10), range(10), whole=False)
    assert re.findall(r"about (\d+) s left", line)[::5] == ["10"] * 4


def test_a_terminal_says_that_it_compiles_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    one, two = numba.njit(lambda x: x + 1), numba.njit(lambda x: x + 2)
    for terminal, calls, expected in (
        (Terminal(), (one, two), 1),
        (Terminal(), (one, two), 0),
        (StringIO(), (numba.njit(lambda x: x + 3),), 0),
    ):
        monkeypatch.setattr(sys, "stderr", terminal)
        with saying_that_it_compiles():
            assert [call(1) for call in calls]
        assert terminal.getvalue().count("compiling once") == expected


@pytest.mark.slow
def test_a_fault_on_a_terminal_is_one_line_without_a_bar() -> None:
    arguments = ("path", "w.npy", "--groups", "groups.txt", "--max-labels", "1")
    code, stdout, stderr = run_on_terminal(*arguments, "--solver", "power")
    said = "max_labels must be at least the size of the largest group"
    assert_one_line(code, stdout, stderr.replace("\r\n", "\n"), said)


@pytest.mark.slow
def test_a_closed_pipe_is_no_fault() -> None:
    Path("many.csv").write_text("".join(f"item-{i},item-{i},1\n" for i in range(20_000)))
    command = f"{' '.join(PYTHON)} cluster many.csv | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert done.stdout == "item,label,confidence\n"
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.slow
def test_files_are_there_though_nobody_reads_standard_output() -> None:
    Path("many.csv").write_text("".join(f"item-{i},item-{i},1\n" for i in range(20_000)))
    files = "--report page.html --plot sweep.png"
    command = f"{' '.join(PYTHON)} cluster many.csv {files} | true"
    subprocess.run(command, shell=True, capture_output=True, check=False, env=ENVIRONMENT)
    assert Path("page.html").exists()
    assert Path("sweep.png").exists()


@pytest.mark.slow
def test_closed_streams_are_no_bugs() -> None:
    program = f"{' '.join(PYTHON)} cluster"
    shell = {"shell": True, "capture_output": True, "text": True, "env": ENVIRONMENT}
    silent = subprocess.run(f"{program} edges.csv 2>&-", check=False, **shell)
    assert (silent.returncode, labels_in(silent.stdout)) == (0, list("000111222"))
    closed = subprocess.run(f"{program} - <&-", check=False, **shell)
    message = "spherelax: standard input: must be open; found it closed"
    assert_one_line(closed.returncode, closed.stdout, closed.stderr, message)
