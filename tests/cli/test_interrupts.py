"""Ctrl-C: which files it leaves, its message, and where it has no effect."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from support.program import ENVIRONMENT, POWER, invoke, labels_in, run_on_terminal

import spherelax
from spherelax import io
from spherelax.cli.terminal import THREAD, Progress, in_thread
from spherelax.result import Step
from spherelax.settings import SOLVERS


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Turn Ctrl-C on: a process in the background of a shell starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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


def test_an_interruption_tells_what_is_written_already(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(spherelax.report, "report_html", interrupted)
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", "--report", "page.html")
    assert (result.exit_code, result.stdout) == (130, "")
    message = "interrupted while writing page.html (written before: labels.csv)"
    assert result.stderr == f"spherelax: {message}\n"


def test_an_interruption_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "check_target", interrupted)
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert result.exit_code == 130
    assert result.stderr == "spherelax: interrupted before anything was read\n"


def test_an_interruption_after_the_last_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = spherelax.solve

    def late(*arguments: object, **settings: object) -> spherelax.Result:
        result = solve(*arguments, **settings)
        hit_control_c()
        return result

    monkeypatch.setattr(spherelax, "solve", late, raising=False)
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert result.exit_code == 130
    assert labels_in(Path("labels.csv").read_text()) == list("000111222")
    assert re.search(
        r"\nspherelax: interrupted after \d+ steps, at resolution .*\n$", result.stderr
    )


def test_a_result_of_an_interrupted_sweep_is_no_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(_: Progress, step: Step) -> None:
        if step.index == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "callback", interrupt)
        assert invoke("cluster", "edges.csv", "--out", "part.npz").exit_code == 130
    assert invoke("path", "part.npz").exit_code == 0
    result = invoke("report", "edges.csv", "--result", "part.npz")
    assert result.exit_code == 0
    assert "spherelax: interrupted" not in result.stderr


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

    monkeypatch.setattr(io.readers.colmap, "_clean", interrupted)
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

    monkeypatch.setattr(Progress, "callback", lambda _, step: interrupt(step))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", *options, *POWER)
    assert (result.exit_code, result.stdout) == (130, "")
    assert labels_in(Path("labels.csv").read_text()) == list("012345678")
    lines = result.stderr.splitlines()
    assert len(lines) == 9
    status = spherelax.Status.CHOSEN if options else spherelax.Status.INTERRUPTED
    assert lines[2] == status.sentence
    assert lines[8] == "spherelax: interrupted after 3 steps, at resolution 2.333"


def hit_control_c() -> None:
    """Send Ctrl-C and wait until the main thread has got it."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)


def test_work_in_a_thread_never_gets_control_c() -> None:
    stopped = []

    def work() -> str:
        hit_control_c()
        assert stopped == ["stop"]
        return threading.current_thread().name

    assert in_thread(work, lambda: stopped.append("stop")) == THREAD


@pytest.mark.parametrize("stop", [None, lambda: None])
def test_the_last_control_c_ends_the_wait(stop: Callable[[], None] | None) -> None:
    end = threading.Event()

    def work() -> None:
        for _ in range(1 if stop is None else 2):
            hit_control_c()
        end.wait(10)

    with pytest.raises(KeyboardInterrupt):
        in_thread(work, stop)
    end.set()
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join()


def test_errors_in_a_thread_are_raised_in_the_main_thread() -> None:
    def work() -> None:
        raise MemoryError("too much")

    with pytest.raises(MemoryError, match="too much"):
        in_thread(work)


@pytest.mark.slow
def test_a_second_control_c_ends_at_once_and_tidies_up(folder: Path) -> None:
    patient = (
        "import signal, sys, time, spherelax\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def solve(*_, **__):\n"
        "    print('solving', file=sys.stderr, flush=True)\n"
        "    with ThreadPoolExecutor() as pool: pool.submit(time.sleep, 20).result()\n"
        "spherelax.solve = solve\n"
        "def press(*_):\n"
        "    print('pressed', file=sys.stderr, flush=True)\n"
        "    raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGINT, press)\n"
        "from spherelax.cli import main\n"
        "main(['cluster', '-', '--out', 'labels.csv'])"
    )
    before = sorted(folder.rglob("*"))
    with subprocess.Popen(
        [sys.executable, "-c", patient],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**ENVIRONMENT, "TMPDIR": str(folder)},
    ) as process:  # fmt: skip
        process.stdin.write("a,b,1\n")
        process.stdin.close()
        assert process.stderr.readline() == "solving\n"
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            assert process.stderr.readline() == "pressed\n"
        assert process.wait(timeout=10) == 130
        assert process.stderr.read() == "spherelax: interrupted while solving\n"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_control_c(solver: str) -> None:
    noise = np.random.default_rng(0).random((400, 400))
    np.save("noise.npy", noise + noise.T)
    options = ("--solver", solver, "--n-inner", "500", "--out", "labels.csv")
    code, stdout, stderr = run_on_terminal("cluster", "noise.npy", *options, interrupt=True)
    assert code == 130
    assert stdout == ""
    assert spherelax.Status.INTERRUPTED.sentence in stderr
    assert re.search(
        r"\r\nspherelax: interrupted after \d+ steps, at resolution [\d.]+\r\n$", stderr
    )
    assert "Traceback" not in stderr
    assert len(labels_in(Path("labels.csv").read_text())) == 400
