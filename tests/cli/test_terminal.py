"""What a terminal shows; closed and broken streams."""

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from program import ENVIRONMENT, POWER, PYTHON, assert_one_line, labels_in, run_on_terminal

from spherelax.cli.terminal import Progress
from spherelax.result import Step


@pytest.mark.slow
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


def lines_after(
    monkeypatch: pytest.MonkeyPatch, *sweeps: range, n_steps: int = 10, whole: bool = True
) -> list[str]:
    """Return the lines of the terminal, each with all that it showed one after the other."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress() as progress:
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
    (percentages,) = shown_after(monkeypatch, range(10))
    assert list(dict.fromkeys(percentages)) == [str(10 * n) for n in range(11)]


def test_the_bar_is_filled_when_a_sweep_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3))
    assert list(dict.fromkeys(percentages)) == ["0", "10", "20", "30", "100"]


def test_the_bar_stops_where_a_sweep_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3), whole=False)
    assert percentages[-1] == "30"


def test_each_sweep_has_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = shown_after(monkeypatch, range(10), range(5))
    assert first[-1] == second[-1] == "100"
    assert list(dict.fromkeys(second)) == ["0", "10", "20", "30", "40", "50", "100"]
    for line, label in zip(
        lines_after(monkeypatch, *[range(10)] * 3), ("sweep", "sweep 2", "sweep 3"), strict=True
    ):
        assert set(re.findall(r"sweep(?: \d)?(?=  \[)", line)) == {label}


@pytest.mark.slow
def test_a_fault_on_a_terminal_is_one_line_without_a_bar() -> None:
    arguments = ("path", "w.npy", "--groups", "groups.txt", "--pick", "valleys")
    code, stdout, stderr = run_on_terminal(*arguments)
    assert_one_line(
        code, stdout, stderr.replace("\r\n", "\n"), "pick='valleys' must be used without"
    )


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
