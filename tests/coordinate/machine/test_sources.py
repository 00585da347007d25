"""The digest of a function changes with each file that its code is made of, and with no other."""

import importlib
import sys

import pytest

from spherelax.coordinate.machine import sources

PACKAGE = {
    "__init__.py": "",
    "caller.py": """
from typing import NamedTuple
from spherelax.coordinate.machine.compiled import compiled
from {0}.callee import (
    double,
)
from {0} import constants

@compiled
def double_and_add(x):
    return double(x) + constants.ADDED

class Pair(NamedTuple):
    x: int
    y: int

@compiled
def add(pair):
    return pair.x + pair.y
""",
    "callee.py": """
from spherelax.coordinate.machine.compiled import compiled
import {0}.room

@compiled
def double(x):
    return 2 * x
""",
    "constants.py": "ADDED = 1\n",
    "room/__init__.py": "from {0}.room.deep import x\n",
    "room/deep.py": "x = 1\n",
    "stranger.py": "x = 1\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return the folder of a package in which one compiled function calls one of another file."""
    folder = tmp_path / f"package_{tmp_path.name}"
    for name, text in PACKAGE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(folder.name))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield folder
    forget(folder)


def forget(folder):
    """Make the next import of a package the one of a new process."""
    for name in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sources._digest.cache_clear()
    sources._read.cache_clear()


def load(folder):
    """Return the calling function as in a new process."""
    forget(folder)
    return importlib.import_module(f"{folder.name}.caller").double_and_add


def test_a_caller_is_compiled_again_when_what_it_calls_changes_in_another_file(package):
    assert load(package)(3) == 7
    again = load(package)
    assert again(3) == 7
    assert again.stats.cache_hits.total() == 1
    callee, constants = package / "callee.py", package / "constants.py"
    callee.write_text(callee.read_text().replace("2 * x", "5 * x"))
    assert load(package)(3) == 16
    constants.write_text("ADDED = 4\n")
    assert load(package)(3) == 19


@pytest.mark.parametrize("name", PACKAGE)
def test_the_digest_changes_with_all_that_is_imported_and_with_nothing_else(package, name):
    before = sources.digest(load(package).py_func)
    with package.joinpath(name).open("a") as file:
        file.write("# changed\n")
    assert (sources.digest(load(package).py_func) == before) == (name == "stranger.py")


def test_a_file_that_changes_after_the_import_does_not_count(package):
    function = load(package)
    callee = package / "callee.py"
    callee.write_text(callee.read_text().replace("2 * x", "5 * x"))
    assert function(3) == 7  # compiled from what was imported, and kept as such
    assert load(package)(3) == 16


def test_what_was_kept_for_a_type_that_has_another_name_now_is_passed_over(package, monkeypatch):
    compiled = importlib.import_module("spherelax.coordinate.machine.compiled")
    monkeypatch.setattr(compiled, "_said", [])  # a warning would be an error
    caller = package / "caller.py"
    for name in ("Pair", "Both"):
        caller.write_text(caller.read_text().replace("Pair", name))
        load(package)
        module = sys.modules[f"{package.name}.caller"]
        assert module.add(getattr(module, name)(1, 2)) == 3
