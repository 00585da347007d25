"""Imports point down only, and the package stays light."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import spherelax as sl

SOURCE = Path(sl.__file__).parent

# Each layer may import from itself and from those below it.
LAYERS = [
    {"cli", "__main__", "_terminal"},
    {"estimators", "similarity", "datasets", "io", "plot", "baselines", "report"},
    {"_solve"},
    {"noise"},
    {"power_run", "coordinate_run"},
    {"valleys", "surrogate"},
    {
        "solvers",
        "pick",
        "rounding",
        "confidence",
        "polish",
        "reliability",
        "evidence",
        "description",
    },
    {"rebalance", "sphere", "schedule", "spectrum", "result", "graph", "assignment"},
    {"problem", "metrics"},
]
# Calls that open files.
OPENERS = {
    *("open", "read_text", "write_text", "read_bytes", "write_bytes", "load", "load_npz", "mmread"),
    *("loadmat", "loadtxt", "genfromtxt", "fromfile", "imread"),
}
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(SOURCE.rglob("*.py"))


def room(path):
    """Name of the module, or of the folder it is in."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported(path):
    """Rooms of the package that a file imports from, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "spherelax":
            yield from (alias.name for alias in node.names if alias.name in RANK)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spherelax."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.split(".")[1]
                for alias in node.names
                if alias.name.startswith("spherelax.")
            )


def test_every_room_has_a_layer():
    assert {room(path) for path in MODULES} - {"__init__"} == set(RANK)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    if room(path) == "__init__":
        return
    upward = {name for name in imported(path) if RANK[name] < RANK[room(path)]}
    assert upward == set()


def test_only_io_opens_files():
    openers = {
        room(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", None)) in OPENERS
    }
    assert openers == {"io"}


def test_nothing_shows_or_prints():
    for path in MODULES:
        names = {
            getattr(node.func, "id", getattr(node.func, "attr", None))
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
        }
        assert "print" not in names
        assert "show" not in names or path.name == "_terminal.py"


def modules_after(statement):
    """Names of the modules that a new interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_import_is_light():
    loaded = modules_after("import spherelax")
    assert loaded.isdisjoint({"numpy", "scipy", "sklearn", "matplotlib", "click"})
    loaded = modules_after("import spherelax as sl; sl.SphereClustering; sl.solve; sl.plot")
    assert loaded.isdisjoint({"matplotlib", "click", "numba"})


def public_objects():
    """Everything with a public name: the package's, and the functions of its public modules."""
    for name in sl.__all__:
        thing = getattr(sl, name)
        if not inspect.ismodule(thing):
            yield f"spherelax.{name}", thing
            continue
        for inner in getattr(thing, "__all__", vars(thing)):
            value = getattr(thing, inner)
            home = str(getattr(value, "__module__", None))
            ours = f"{home}.".startswith(f"{thing.__name__}.")
            if ours and not inner.startswith("_") and callable(value):
                yield f"{thing.__name__}.{inner}", value


PUBLIC = dict(public_objects())


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_an_example(name):
    documentation = inspect.getdoc(PUBLIC[name])
    assert documentation
    assert doctest.DocTestParser().get_examples(documentation)


def test_all_names_can_be_listed_and_loaded():
    assert set(sl.__all__) <= set(dir(sl))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        sl.nonsense  # noqa: B018 (the access is the test)
    for module in pkgutil.walk_packages([str(SOURCE)], "spherelax."):
        if not module.name.endswith("__main__"):
            assert importlib.import_module(module.name)
