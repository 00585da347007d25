"""The command line as tests run it: in this process, or as the real program."""

import contextlib
import csv
import os
import signal
import subprocess
import sys

import numpy as np
from click.testing import CliRunner, Result

from spherelax import cli

BLOCKS = np.kron(np.eye(3), np.ones((3, 3))) - np.eye(9)
EDGES = "\n".join(f"i{a},i{b},1" for a, b in np.argwhere(np.triu(BLOCKS))) + "\n"
GROUPS = "item,group\n" + "".join(f"i{i},g{i % 3}\n" for i in range(9))
PAIRS = "source_a,id_a,source_b,id_b,score\n" + "".join(
    f"g{a % 3},{a // 3},g{b % 3},{b // 3},1\n" for a, b in np.argwhere(np.triu(BLOCKS))
)
POWER = ("--solver", "power", "--alpha-step", "0.1")
PYTHON = [sys.executable, "-m", "spherelax"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "TERM": "xterm"}


def invoke(*arguments: str, stdin: bytes | str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli.main, arguments, input=stdin, catch_exceptions=False)


def said(*arguments: object) -> tuple[int, str, str]:
    """Run a command in this process; return its code, its output and its errors."""
    result = invoke(*map(str, arguments))
    return result.exit_code, result.stdout, result.stderr


def run(*arguments: object, stdin: bytes | None = None) -> tuple[int, str, str]:
    """Run the real program; return its code, its output and its errors."""
    done = subprocess.run(
        [*PYTHON, *map(str, arguments)],
        capture_output=True, check=False, env=ENVIRONMENT, input=stdin,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_on_terminal(*arguments: str, interrupt: bool = False) -> tuple[int, str, str]:
    """Run with standard error on a terminal, perhaps until the bar appears and Ctrl-C is hit."""
    import pty  # noqa: PLC0415 (POSIX has it, and tests of others import this file too)

    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*PYTHON, *arguments], stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT, text=True
    ) as process:
        os.close(terminal)
        shown = bytearray()
        with contextlib.suppress(OSError):  # the other side has closed
            while chunk := os.read(controller, 4096):
                shown += chunk
                if interrupt and b"solving" in shown:
                    process.send_signal(signal.SIGINT)
                    interrupt = False
        os.close(controller)
        stdout = process.stdout.read()
    return process.returncode, stdout, shown.decode()


def labels_in(text: str, column: str = "label") -> list[str]:
    """Return the labels of a table."""
    return [row[column] for row in csv.DictReader(text.splitlines())]


def assert_one_line(code: int, stdout: str, stderr: str, message: str) -> None:
    """Check that an error is one line on standard error with exit code 2."""
    assert (code, stdout) == (2, "")
    assert stderr.endswith("\n")
    assert len(stderr.splitlines()) == 1
    assert stderr.startswith("spherelax")
    assert message in stderr
    assert "Traceback" not in stderr
