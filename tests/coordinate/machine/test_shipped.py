"""Machine code that comes with the package is used if it fits, and only then."""

import importlib
import importlib.util
import warnings
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba
import pytest
from support.damage import DAMAGES, damaged

from spherelax.coordinate.machine import compiled, shipped, sources

# The package has the decorator under this name.
module = importlib.import_module("spherelax.coordinate.machine.compiled")

SOURCE = "def triple(x):\n    return 3 * x\n"
ARCHITECTURE = llvm.get_process_triple().partition("-")[0]


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    """Return a folder with a function, whose machine code for whole numbers is shipped."""
    monkeypatch.setattr(module, "_said", [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled here"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "compiled here"))
    monkeypatch.setattr(shipped, "NEEDED", {})
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "code")
    shipped.FOLDER.mkdir()
    Path(tmp_path, "kernel.py").write_text(SOURCE)
    ship()
    return tmp_path


def triple():
    """Return the function as in a new process that has compiled nothing."""
    sources._digest.cache_clear()
    sources._read.cache_clear()
    path = shipped.FOLDER.with_name("kernel.py")
    spec = importlib.util.spec_from_file_location("kernel", path)
    kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernel)
    function = compiled(kernel.triple)
    function._cache._kept.flush()
    return function


def ship():
    function = triple()
    function(2)
    shipped.write(shipped.FOLDER, function)


def is_used():
    """Tell whether shipped code is used for whole numbers; the answer must be right anyway."""
    function = triple()
    assert function(2) == 6
    return function.stats.cache_hits.total() == 1


def test_shipped_code_is_used():
    assert len(list(shipped.FOLDER.iterdir())) == 1
    assert is_used()


def test_other_arguments_are_compiled_here():
    function = triple()
    assert function(2.5) == 7.5
    assert function.stats.cache_hits.total() == 0


def test_no_folder_for_compiled_code_is_needed(monkeypatch):
    def refuse(*_):
        raise RuntimeError("no locator available")

    function = triple()
    function._cache = module._Cache(function.py_func)
    monkeypatch.setattr(module, "_Kept", refuse)
    assert function(2) == 6
    with pytest.warns(RuntimeWarning, match="no folder for it can be written"):
        assert function(2.5) == 7.5


@pytest.mark.parametrize("library", [numba, llvmlite])
def test_code_of_another_version_is_not_used(monkeypatch, library):
    monkeypatch.setattr(library, "__version__", "0.1")
    assert not is_used()


def test_code_of_another_python_is_not_used(monkeypatch):
    monkeypatch.setattr(shipped.sysconfig, "get_config_var", lambda _: ".cpython-399.so")
    assert not is_used()


@pytest.mark.parametrize(("name", "expected"), [("kernel.py", False), ("other.py", True)])
def test_code_of_another_source_is_not_used(package, name, expected):
    with package.joinpath(name).open("a") as file:
        file.write("# changed\n")
    assert is_used() == expected


@pytest.mark.parametrize(("feature", "expected"), [("", True), ("+sixth-sense", False)])
def test_code_for_more_than_the_processor_can_do_is_not_used(monkeypatch, feature, expected):
    monkeypatch.setattr(shipped, "NEEDED", {ARCHITECTURE: ("some processor", feature)})
    ship()
    assert is_used() == expected


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_code_is_not_used(damage):
    (path,) = shipped.FOLDER.iterdir()
    path.write_bytes(damaged(path.read_bytes(), damage))
    with pytest.warns(RuntimeWarning, match="are damaged; install the package again"):
        assert not is_used()


def test_without_shipped_code_nothing_is_said():
    for path in shipped.FOLDER.iterdir():
        path.unlink()
    shipped.FOLDER.rmdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not is_used()
