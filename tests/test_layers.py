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
    {"cli", "__main__"},
    {
        *("estimators", "datasets", "plot", "baselines", "report", "cells"),
        *("scale", "changes", "project", "quality", "asking"),
    },
    {"_solve", "similarity", "io"},
    {"coordinate", "power"},
    {"pick", "result", "problem", "metrics", "judgements"},
    {"errors", "labels", "memory", "settings", "_version"},
]
# Rooms inside a package, in the same way; modules of the package itself are "road".
ROOMS = {
    "coordinate": [
        {"road"},
        {"copies", "lists", "points"},
        {"sampling"},
        {"relax", "moves", "worth"},
        {"graph"},
        {"machine"},
    ],
    "io": [{"reading"}, {"answers", "readers"}, {"tables"}, {"items"}, {"words"}, {"files"}],
}
MOST_LAYERS = 6
MOST_FLAT_MODULES = 16
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


def home(name):
    """Room that a public name of the package comes from."""
    if name in RANK:
        return name
    return {"__version__": "_version", **sl._HOMES}[name]


def imported(source):
    """Rooms of the package that a source imports from, anywhere in it.

    A public name of the package, imported or used as its attribute, counts as its home.
    """
    tree = ast.parse(source)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "spherelax":
            yield from (home(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spherelax."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                if first == "spherelax":
                    names.add(first if rest and alias.asname else alias.asname or first)
                    yield from rest.split(".")[:1] if rest else ()
    for node in ast.walk(tree):
        is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if is_attribute and node.value.id in names:
            yield home(node.attr)


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        ("import spherelax\nspherelax.solve(W)", {"_solve"}),
        ("import spherelax as sl\ndef f():\n    return sl.io.read(sl.Power())", {"io", "settings"}),
        ("import spherelax\nspherelax.__version__", {"_version"}),
        ("from spherelax import __version__, solve, plot", {"_version", "_solve", "plot"}),
        ("from spherelax.power.run import run", {"power"}),
        ("def f():\n    import spherelax.cli.work", {"cli"}),
        ("import spherelax.power.run as r\nr.solve", {"power"}),
        ("import numpy as spherelax\nspherelax.solve", set()),
        ("import spherelax", set()),
    ],
)
def test_the_detector_sees_every_kind_of_import(source, rooms):
    assert set(imported(source)) == rooms


def upward(path_room, source):
    """Rooms above its own that a source imports from."""
    return {name for name in imported(source) if RANK[name] < RANK[path_room]}


def test_the_detector_sees_an_upward_edge_through_the_package():
    source = "import spherelax\n\ndef shortcut(W):\n    return spherelax.solve(W)\n"
    assert upward("coordinate", source) == {"_solve"}
    assert upward("report", source) == set()


def test_every_room_has_one_layer():
    assert {room(path) for path in MODULES} - {"__init__"} == set(RANK)
    assert sum(map(len, LAYERS)) == len(RANK)


def test_the_map_stays_small():
    assert len(LAYERS) <= MOST_LAYERS
    assert len([path for path in MODULES if path.parent == SOURCE]) <= MOST_FLAT_MODULES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    if room(path) != "__init__":
        assert upward(room(path), path.read_text()) == set()


def inner_imports(package, source):
    """Rooms of a package that a source imports from."""
    names = {level for layer in ROOMS[package] for level in layer}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spherelax."):
            _, package_of, *inner = node.module.split(".")
            if package_of == package:
                for name in inner[:1] or [alias.name for alias in node.names]:
                    yield name if name in names else "road"


def inner_room(package, path):
    """Room of a package that a file lies in."""
    inner = path.relative_to(SOURCE / package).with_suffix("").parts[0]
    return inner if any(inner in layer for layer in ROOMS[package]) else "road"


INNER = [
    pytest.param(package, path, id=str(path.relative_to(SOURCE)))
    for package in ROOMS
    for path in MODULES
    if room(path) == package and path != SOURCE / package / "__init__.py"
]


@pytest.mark.parametrize(("package", "path"), INNER)
def test_imports_inside_a_package_point_down(package, path):
    rank = {name: rank for rank, layer in enumerate(ROOMS[package]) for name in layer}
    own = inner_room(package, path)
    for name in inner_imports(package, path.read_text()):
        assert name == own or rank[name] > rank[own], f"{own} imports {name}"


def names_from(path, module):
    """Names that a file imports from a module."""
    return {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == module
        for alias in node.names
    }


def own_names(path):
    """Functions, classes and constants that a file defines, each once."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names - {"__all__"}


def test_rooms_of_the_engine_are_entered_by_their_faces():
    """By the road and by other packages; rooms take what they need from each other."""
    engine = SOURCE / "coordinate"
    outside = [path for path in MODULES if path.parent == engine or engine not in path.parents]
    for path in outside:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = node.module.split(".")[2:]
                is_engine = node.module.startswith("spherelax.coordinate.")
                assert not (is_engine and len(inner) > 1), f"{path.name} imports {node.module}"


def test_faces_have_what_is_used_alone():
    for face in (SOURCE / "coordinate").glob("*/__init__.py"):
        module = f"spherelax.coordinate.{face.parent.name}"
        others = [path for path in MODULES if path != face]
        used = set().union(*(names_from(path, module) for path in others))
        found = importlib.import_module(module).__all__
        assert set(found) <= used, module
        # A name that two modules of a room define is easily taken from the wrong one.
        defined = [name for path in face.parent.glob("*.py") for name in own_names(path)]
        assert [name for name in found if defined.count(name) != 1] == [], module


def test_every_folder_of_a_package_is_a_room():
    for package, layers in ROOMS.items():
        folders = {path.parent.name for path in (SOURCE / package).glob("*/__init__.py")}
        assert folders <= set().union(*layers)


@pytest.mark.parametrize(("one", "other"), [("coordinate", "power"), ("power", "coordinate")])
def test_the_engines_do_not_know_each_other(one, other):
    files = [path for path in MODULES if room(path) == one]
    assert files
    assert {path.name for path in files if other in set(imported(path.read_text()))} == set()


def test_only_io_opens_files():
    openers = {
        str(path.relative_to(SOURCE))
        for path in MODULES
        if room(path) != "io"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", None)) in OPENERS
    }
    # The files of the system that say how much memory is free, and those of compiled code.
    names = ("compiled.py", "shipped.py", "sources.py")
    of_code = {str(Path("coordinate", "machine", name)) for name in names}
    assert openers == {"memory.py", *of_code}


def test_nothing_shows_or_prints():
    for path in MODULES:
        names = {
            getattr(node.func, "id", getattr(node.func, "attr", None))
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
        }
        assert "print" not in names
        assert "show" not in names or path.name == "terminal.py"


def modules_after(statement):
    """Names of the modules that a new interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


@pytest.mark.slow
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
            if callable(thing):  # not the version
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


TESTS = Path(__file__).parent


def has_functions(path):
    """Tell whether a module does anything: one of constants and records needs no test."""
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text())))


def test_every_module_has_a_test_of_its_name():
    modules = [path.relative_to(SOURCE) for path in MODULES if has_functions(path)]
    untested = {
        path.as_posix()
        for path in modules
        if path.stem not in ("__init__", "__main__")
        and not (TESTS / path.parent / f"test_{path.stem.removeprefix('_')}.py").exists()
    }
    assert untested == set()
