"""The commands: their order, and how shells and scripts call them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import PYTHON, invoke

import spherelax


def test_version_and_bare_call() -> None:
    assert invoke("--version").stdout == f"spherelax {spherelax.__version__}\n"
    bare = invoke()
    assert bare.exit_code == 0
    assert "spherelax cluster edges.csv" in bare.stdout


def test_commands_are_listed_in_order_of_use() -> None:
    commands = re.search(r"Commands:\n(.*?)\n\n", invoke("--help").stdout, re.DOTALL)[1]
    assert [line.split()[0] for line in commands.splitlines()] == [
        *(
            "match",
            "cluster",
            "path",
            "report",
            "explain",
            "ask",
            "diff",
            "evaluate",
            "scale",
            "info",
        ),
        *("help", "completion"),
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_call_the_program(shell: str) -> None:
    script = invoke("completion", shell).stdout
    assert f"_SPHERELAX_COMPLETE={shell}_complete" in script
    assert "spherelax" in script


@pytest.mark.slow
def test_the_installed_program_and_the_module_are_the_same() -> None:
    program = Path(sys.executable).with_name("spherelax")
    if not program.exists():
        pytest.skip(f"{program} is not installed")
    outputs = [
        subprocess.run([*start, "--help"], capture_output=True, text=True, check=True).stdout
        for start in ([program], PYTHON)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith("Usage: spherelax [OPTIONS]")
