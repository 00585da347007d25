"""A process that works for another one."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")

from spherelax.scale.worker import PROGRAM, answer


def test_answers_are_nothing_or_the_fault(tmp_path):
    order = {"work": ["os", "mkdir"], "arguments": [str(tmp_path / "new")]}
    assert answer(order) is None
    assert (tmp_path / "new").is_dir()
    kind, message = answer(order)
    assert kind == "input"
    assert "File exists" in message


@pytest.mark.slow
def test_a_process_answers_line_by_line_and_ends_with_its_input(tmp_path):
    tasks = [
        {"work": ["os", "mkdir"], "arguments": [str(tmp_path / "new")]},
        {"work": ["os", "system"], "arguments": ["echo this is no answer"]},
        {"work": ["math", "sqrt"], "arguments": [-1]},
    ]
    with subprocess.Popen(
        [sys.executable, "-I", "-c", PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        process.stdin.write(json.dumps(sys.path) + "\n")
        found = []
        for task in tasks:
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
            found.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(30) == 0
        assert "this is no answer" in process.stderr.read()
    assert found == [None, None, ["other", "ValueError: math domain error"]]
