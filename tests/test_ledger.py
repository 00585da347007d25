"""The ledger in docs/architecture.md has the constants of the code, with their values."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
WHAT_TO_DO = (
    f"{PAGE.name} and the code differ. Add, remove or rename its rows by hand; after a new value, "
    "measure with `python benchmarks/bench_constants.py --only NAME --ledger docs/architecture.md`."
)


@pytest.fixture
def ledger(monkeypatch):
    """Import what knows constants from the benchmarks, which are scripts and not a package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module("constants")


def test_ledger_has_the_constants_of_the_code(ledger):
    rows = ledger.read_ledger(PAGE.read_text(encoding="utf-8"))
    listed = {name: cells[0] for name, cells in rows.items()}
    code = {found.full_name: ledger.written(found.value) for found in ledger.find_constants()}
    missing, extra = sorted(code.keys() - listed.keys()), sorted(listed.keys() - code.keys())
    changed = {
        name: f"{listed[name]} in the ledger, {value} in the code"
        for name, value in code.items()
        if listed.get(name, value) != value
    }
    differences = {"not in the ledger": missing, "not in the code": extra, "values": changed}
    assert not any(differences.values()), f"{WHAT_TO_DO}\n{differences}"


def test_every_row_of_the_ledger_is_read_and_filled(ledger):
    text = PAGE.read_text(encoding="utf-8")
    rows = ledger.read_ledger(text)
    lines = text.partition("## The constants of the default solver")[2].splitlines()
    assert len(rows) == sum(line.startswith("| `") for line in lines)
    for name, cells in rows.items():
        assert len(cells) == 5, name
        assert all(cells), name


def test_finder_sees_numbers_alone(ledger):
    found = {constant.full_name: constant for constant in ledger.find_constants()}
    assert "walk.STEPS" in found
    assert found["walk.MANY"].value == found["graph.LARGE"].value
    assert "model.PLAIN_RATE" not in found  # imported there, assigned elsewhere
    assert found["cuts.WALK"].is_compiled
    assert not found["walk.STEPS"].is_compiled
    source = "A = B = 1\nC: float = 2.0\nd = 3\nE, F = 4, 5\nclass G:\n    H = 6\nfrom x import I\n"
    assert ledger.assigned_names(source) == ["A", "B", "C"]
    assert [ledger.is_number(value) for value in (1, 2.0, True, "3", (4,), None)] == [
        *(True, True),
        *(False, False, False, False),
    ]


@pytest.mark.parametrize(
    ("name", "value", "halved", "doubled"),
    [
        ("PRIOR", 2.0, 1.0, 4.0),
        ("STEPS", 41, 20, 82),
        ("ENTRIES_OF_MANY", 2, None, 4),
        ("N_SURROGATES_OF_MANY", 1, None, 2),
        ("NEARLY", 0.99, 0.995, 0.98),
        ("SOFTNESS", 1.5, 1.25, 2.0),
        ("RATIO_OF_MANY", 4.0, 2.0, 16.0),
        ("ALWAYS", float("inf"), 1e30, None),
    ],
)
def test_half_and_twice_respect_what_a_number_means(ledger, name, value, halved, doubled):
    found = ledger.variations(ledger.Constant("walk", name, value))
    assert found == {"halved": halved, "doubled": doubled}


@pytest.fixture
def toy(ledger, monkeypatch, tmp_path):
    """Let a small package stand for the solver: `one` has constants, `two` uses them."""
    folder = tmp_path / "toy_solver"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "one.py").write_text(
        "import numpy as np\nSTEPS = 4\nTINY = np.float32(8)\nTOP = 3\nLAST = 5\n"
        "class Compiled:\n"
        "    def __init__(self, py_func):\n        self.py_func = py_func\n"
        "    def __call__(self, *rest):\n        return self.py_func(*rest)\n"
        "def walk(n=STEPS):\n    return n\n"
        "@Compiled\ndef kernel(x):\n    return x + TINY\n"
    )
    (folder / "two.py").write_text(
        "from toy_solver import one\nfrom toy_solver.one import STEPS, TOP, kernel\n"
        "TWICE = 2 * one.STEPS\n"
        "def top(is_many):\n    return one.LAST if is_many else TOP\n"
        "def run():\n    return kernel(1)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for module in (ledger, import_module("reached")):
        monkeypatch.setattr(module, "FOLDER", folder)
    monkeypatch.setattr(ledger, "PACKAGE", "toy_solver")
    yield ledger
    for name in [name for name in sys.modules if name.startswith("toy_solver")]:
        del sys.modules[name]


def test_all_that_follows_from_a_constant_changes_with_it(toy):
    toy.change(toy.Constant("one", "STEPS", 4), 7)
    one, two = (import_module(f"toy_solver.{name}") for name in ("one", "two"))
    assert (one.STEPS, two.STEPS, one.walk(), two.TWICE, one.TINY) == (7, 7, 7, 14, 8)
    with pytest.raises(RuntimeError, match="imported already"):
        toy.change(toy.Constant("one", "STEPS", 4), 8)


def test_a_changed_constant_keeps_its_type(toy):
    toy.change(toy.Constant("one", "TINY", None), np.float32(0.5))
    assert import_module("toy_solver.two").run() == 1.5
    assert import_module("toy_solver.one").TINY.dtype == np.float32


def test_a_problem_reaches_what_it_reads(toy):
    reached = import_module("reached")
    found = {constant.full_name: constant.is_compiled for constant in toy.find_constants()}
    assert found == {
        **{"one.STEPS": False, "one.TINY": True, "one.TOP": False, "one.LAST": False},
        "two.TWICE": False,
    }
    two, read = import_module("toy_solver.two"), reached.readers()
    assert read("STEPS") is None  # at import, so always
    for call, names in {
        lambda: two.top(True): {"LAST"},
        lambda: two.top(False): {"TOP"},
        two.run: {"TINY"},
    }.items():
        _, ran = reached.watched(call)
        assert {name for name in ("LAST", "TOP", "TINY") if read(name) & ran} == names


def test_ledger_is_rewritten_cell_by_cell(ledger):
    text = (
        "# Title\n\n| constant | ... |\n|---|---|\n| `walk.STEPS` | 39 | steps | speed | ? | ? |\n"
    )
    new = ledger.rewrite_ledger(text, lambda _, cells: ["40", *cells[1:3], "0.000", "0.001"])
    assert new == text.replace("39", "40").replace("| ? | ? |", "| 0.000 | 0.001 |")
