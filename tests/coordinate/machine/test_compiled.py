"""Compiled functions without a cache, with one that is damaged, and as parts of others."""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import config, types
from packaging.requirements import Requirement
from support.damage import DAMAGES, damaged

import spherelax
from spherelax import coordinate
from spherelax.coordinate.machine import compiled

# The package has the decorator under this name.
module = importlib.import_module("spherelax.coordinate.machine.compiled")

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())
SOURCE = "def triple(x):\n    return 3 * x\n"


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(module, "_said", [])
    # Numba reads the variable again when it next compiles, not at once.
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(config, "CACHE_DIR", "")


def triple(folder):
    """Compile a function of a module in a folder, as in a new process."""
    path = Path(folder, "kernel.py")
    path.write_text(SOURCE) if not path.exists() else None
    spec = importlib.util.spec_from_file_location("kernel", path)
    kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernel)
    return compiled(kernel.triple)


def test_compiled_code_is_kept(tmp_path):
    assert triple(tmp_path)(2) == 6
    again = triple(tmp_path)
    assert again(2) == 6
    assert sum(again.stats.cache_hits.values()) == 1


def test_without_a_folder_for_it_functions_are_compiled_anew():
    names = {"__name__": "nowhere"}
    exec(SOURCE, names)  # a function that is in no file
    first, second = compiled(names["triple"]), compiled(names["triple"])
    with pytest.warns(RuntimeWarning, match="no folder for it can be written") as caught:
        assert first(2) == second(2) == 6
    assert len(caught) == 1


@pytest.mark.parametrize("ending", [".nbc", ".nbi"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_replaced(tmp_path, ending, damage):
    assert triple(tmp_path)(2) == 6
    (path,) = tmp_path.rglob(f"*{ending}")
    path.write_bytes(damaged(path.read_bytes(), damage))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert triple(tmp_path)(2) == 6
    assert len(caught) <= 1
    if ending == ".nbc" or damage != "flipped":  # an index may stay readable
        assert "are damaged; they are replaced" in str(caught[0].message)
    mended = triple(tmp_path)
    assert mended(2) == 6
    assert sum(mended.stats.cache_hits.values()) == 1


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.IndexDataCacheFile, "_save_index", refuse)
    with pytest.warns(RuntimeWarning, match="cannot be written; set NUMBA_CACHE_DIR"):
        assert triple(tmp_path)(2) == 6


def test_numba_is_a_release_whose_private_names_were_tested():
    (tested,) = [
        found.specifier
        for found in map(Requirement, PYPROJECT["project"]["dependencies"])
        if found.name == "numba"
    ]
    assert tested.contains(numba.__version__), (
        f"Numba {numba.__version__} is not among the releases ({tested}) whose private names "
        "machine/compiled.py and machine/shipped.py were tested with; if all other tests pass "
        "with it, raise the cap in pyproject.toml"
    )


def test_all_kernels_have_the_one_decorator():
    folder = Path(coordinate.__file__).parent
    found = {
        path.name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module == "numba"
        and any(alias.name in ("njit", "jit") for alias in node.names)
    }
    assert found == {"compiled.py"}


def test_only_modules_with_compiled_functions_may_have_functions_without_types():
    package = Path(spherelax.__file__).parent
    with_kernels = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
        if "\n@compiled" in path.read_text()
    }
    (excused,) = [
        found["module"]
        for found in PYPROJECT["tool"]["mypy"]["overrides"]
        if not found.get("disallow_untyped_defs", True)
    ]
    assert set(excused) == with_kernels


@compiled
def _squared(x):
    return x * x


@compiled
def sum_of_squares(values):
    total = _squared(2) + _squared(np.int32(3))
    for value in values:
        total += _squared(value)
    return total


def test_one_part_does_for_all_signed_integers_and_for_constants():
    for kind in (types.int32, types.int64, types.literal(3)):
        _squared.get_call_template([kind], {})
    assert list(_squared.get_overload.__self__.overloads) == [(types.int64,)]


def test_a_part_can_be_called_from_python_too():
    assert sum_of_squares(np.array([4], dtype=np.int32)) == 29
    assert _squared(1.5) == 2.25


@compiled
def _same(values):
    return values


@compiled(allocates=True)
def _ones(n):
    return np.ones(n)


@compiled
def _sum_of_ones(n):
    return _ones(n).sum()


@compiled
def kept(values):
    return _same(values)


@compiled
def counted(n):
    return _sum_of_ones(n)


@pytest.mark.parametrize(("function", "value"), [(kept, np.ones(3)), (counted, 3)])
def test_a_part_that_owns_arrays_must_say_so(function, value):
    with pytest.raises(TypeError, match="owns arrays: it must say that it allocates"):
        function(value)


def test_kernels_run_as_they_are_written_if_compiling_is_switched_off():
    """In a new process, as somebody does who debugs: the same labels, and no warning."""
    script = (
        "import numpy as np, spherelax as sl\n"
        "W, groups, _ = sl.datasets.make_partial_matching(6, 5, shuffled=0.2, random_state=0)\n"
        "both = [sl.solve(W, each) for each in (groups, None)]\n"
        "print([one.labels.tolist() for one in both], [one.confidence.sum() for one in both])\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert said[0] == said[1]
