"""A wheel holds machine code, or none: what is in it, and whether it is used."""

import os
import subprocess
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from packaging.tags import Tag
from support.wheels import build

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"

# Prints the place of the package, the functions that are compiled, and the answers.
SCRIPT = """
import hashlib
import numpy as np
from numba.core import event
import spherelax as sl, synthetic
from bench_first_call import PROBLEMS

class Compiled(event.Listener):
    def on_start(self, found):
        print("compiled", found.data["dispatcher"].py_func.__name__)
    def on_end(self, _):
        pass

event.register("numba:compile", Compiled())
print("package", sl.__file__)
for name, problem in PROBLEMS.items():
    result = eval(problem)
    result = getattr(result, "result_", result)
    found = result.labels.tobytes() + result.confidence.tobytes()
    print("answer", name, result.path.alpha, hashlib.sha256(found).hexdigest())
"""


def lines(package, **variables):
    """Solve small problems of all kinds in a new process; return what the script prints."""
    paths = os.pathsep.join([str(package), str(ROOT / "benchmarks")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=package,
        env={**os.environ, "PYTHONPATH": paths, **variables},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.splitlines()


def starting_with(word, lines):
    return [line for line in lines if line.startswith(word)]


def test_first_calls_with_a_wheel_compile_nothing_and_answer_the_same(wheel, installed, tmp_path):
    assert "none-any" not in wheel.name
    shipped = lines(installed, NUMBA_CACHE_DIR=str(tmp_path / "empty"))
    assert starting_with("package", shipped)[0].startswith(f"package {installed}")
    assert starting_with("compiled", shipped) == []
    answers = starting_with("answer", shipped)
    assert len(answers) == 5
    assert answers == starting_with("answer", lines(SOURCE))


@pytest.mark.slow
def test_a_pure_wheel_fits_everywhere_and_holds_the_source_alone(tmp_path):
    wheel = build(tmp_path, SPHERELAX_PURE="1")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {Path(name) for name in archive.namelist() if name.startswith("spherelax/")}
    assert {path.suffix for path in held} <= {path.suffix for path in SOURCE.rglob("*")}
    assert not [path for path in held if "_machine_code" in path.parts]
    sources = {path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    assert {path for path in held if path.suffix == ".py"} == sources


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        (["manylinux_2_36_aarch64", "manylinux_2_17_aarch64", "linux_aarch64"], 1),
        (["macosx_15_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"], 1),
        (["win_amd64"], 0),
    ],
)
def test_a_wheel_fits_older_systems(platforms, expected):
    pytest.importorskip("hatchling")
    spec = spec_from_file_location("hook", ROOT / "wheel" / "hook.py")
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    tags = [Tag("cp313", "cp313", platform) for platform in platforms]
    assert hook.best_tag(tags) == tags[expected]
