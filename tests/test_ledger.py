"""The ledger docs/constants.toml has the numbers of the code, and its page is made from it."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
WHAT_TO_DO = (
    "Let the ledger follow the code with `python benchmarks/constants.py follow`, fill in the "
    "words of new rows, measure with `python benchmarks/bench_constants.py`, and write the page "
    "with `python benchmarks/constants.py page`."
)


@pytest.fixture
def ledger(monkeypatch):
    """Import what knows constants from the benchmarks, which are scripts and not a package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module("constants")


@pytest.fixture
def table(ledger):
    return ledger.read_table(ledger.LEDGER)


def test_code_ledger_and_page_agree(ledger, table):
    page = ledger.PAGE.read_text(encoding="utf-8")
    assert ledger.differences(table, page) == {}, WHAT_TO_DO
    assert ledger.faults(table) == []
    assert ledger.write_table(table) == ledger.LEDGER.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda rows, _: rows.pop("sweep.SMALL"), "not in the ledger"),
        (lambda rows, _: rows.update({"sweep.PACE": rows["sweep.SMALL"]}), "not in the code"),
        (lambda rows, _: rows["sweep.SMALL"].update(value=0.4), "other values in the code"),
        (lambda _, rest: rest.pop(0), "numbers in formulas that are not in the ledger"),
        (lambda _, rest: rest[0].update(times=9), "numbers in formulas that are not in the code"),
        (lambda rows, _: rows["sweep.SMALL"].update(meaning="Time."), "the page"),
    ],
)
def test_each_difference_is_told(ledger, table, damage, told):
    page = ledger.page(table)
    assert "the page" not in ledger.differences(table, page)
    damage(table["constant"], table["literal"])
    assert told in ledger.differences(table, page)


@pytest.mark.parametrize(
    "damage",
    [
        {"meaning": ""},
        {"seen_by": "nobody"},
        {"varied": "its square"},
        {"measured": True},
        {"halved": ""},
        {"doubled": "\N{EN DASH}"},
    ],
)
def test_rows_with_something_missing_or_impossible_are_named(ledger, table, damage):
    table["constant"]["sweep.SMALL"].update(damage)
    assert ledger.faults(table) == ["sweep.SMALL"]


def test_ledger_follows_the_code(ledger, table):
    rows = table["constant"]
    known = dict(rows["sweep.SMALL"])
    rows["sweep.PACE"], rows["sweep.SMALL"]["value"] = rows.pop("polish.ROUNDING"), 0.4
    passes = rows["elsewhere.MAX_PASSES"] = rows.pop("polish.MAX_PASSES")
    new = ledger.follow_code(table)
    assert ledger.differences(new, ledger.page(new)) == {}
    assert ledger.faults(new) == ["polish.ROUNDING"]
    assert new["constant"]["polish.MAX_PASSES"] == passes
    assert new["constant"]["sweep.SMALL"] == known | dict.fromkeys(
        ("halved", "doubled"), ledger.NOT_MEASURED
    )


def test_finder_sees_numbers_alone(ledger):
    found = {constant.full_name: constant for constant in ledger.find_constants()}
    assert "sweep.SMALL" in found
    assert found["either.MATCHED"].value == 2 / 3
    assert "similarity.neighbors.MOST_UNEVEN" in found
    assert "part.LEAST_ITEMS" not in found  # follows graph.LARGE
    assert "lists.odds.STEPS" not in found  # imported there, assigned elsewhere
    assert found["cuts.WALK"].is_compiled
    assert not found["sweep.SMALL"].is_compiled
    source = "A = B = 1\nC: float = 2.0\nd = 3\nE, F = 4, 5\nclass G:\n    H = 6\nfrom x import I\n"
    assert ledger.assigned_names(f"{source}J = 2 * A\n") == ["A", "B", "C"]
    values = (1, 2.0, (4, 5.0), True, "3", (4, "5"), None)
    assert [len(ledger.numbers(value)) for value in values] == [1, 1, 2, 0, 0, 0, 0]


def test_numbers_are_counted_each(ledger):
    row = {"value": [0.3, 0.7], "seen_by": "labels", "halved": "same", "doubled": "same"}
    seed = row | {"value": 0, "varied": "seed", "doubled": ledger.NOT_MEASURED}
    counted = ledger.count(
        {
            "constant": {"a.B": row, "a.C": row | {"replaced": True}, "a.SEED": seed},
            "literal": [{"times": 3}],
        }
    )
    assert counted == {
        **{"constants": 5, "labels": 4, "seed": 1, "stay": 3, "to be replaced": 2},
        **{"stay, not measured": 1, "in formulas": 3},
    }


@pytest.mark.parametrize(
    ("row", "value", "halved", "doubled"),
    [
        ({}, 2.0, 1.0, 4.0),
        ({}, 41, 20, 82),
        ({}, 1, None, 2),
        ({"least": 2}, 2, None, 4),
        ({"varied": "distance from 1"}, 0.99, 0.995, 0.98),
        ({"varied": "distance from 1"}, 1.5, 1.25, 2.0),
        ({"varied": "logarithm"}, 4.0, 2.0, 16.0),
        ({"varied": "seed"}, 0, 1, 2),
        ({}, (0.5, 3.0), (0.25, 1.5), (1.0, 6.0)),
        ({}, float("inf"), 1e30, None),
    ],
)
def test_half_and_twice_respect_what_a_number_means(ledger, row, value, halved, doubled):
    found = ledger.variations(ledger.Constant("walk", "PACE", value), row)
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
        "TWICE = 2 * one.STEPS\nLAST = 6, 7\n"
        "def top(is_many):\n    return one.LAST if is_many else TOP\n"
        "def last():\n    return LAST\n"
        "def run():\n    return kernel(1)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name, value in {"FOLDER": folder, "PACKAGE": "toy_solver", "PARTS": ("",)}.items():
        monkeypatch.setattr(ledger, name, value)
    yield ledger
    for name in [name for name in sys.modules if name.startswith("toy_solver")]:
        del sys.modules[name]


def test_all_that_follows_from_a_constant_changes_with_it(toy):
    before = import_module("toy_solver.one")
    for value in (7, 8):
        toy.change(toy.Constant("one", "STEPS", 4), value)
        one, two = (import_module(f"toy_solver.{name}") for name in ("one", "two"))
        expected = value, value, value, 2 * value, 8
        assert (one.STEPS, two.STEPS, one.walk(), two.TWICE, one.TINY) == expected
    assert before.STEPS == 4


def test_modules_that_know_the_package_get_the_new_one(toy, monkeypatch):
    user = type(sys)("user")
    user.sl = import_module("toy_solver")
    monkeypatch.setitem(sys.modules, "user", user)
    old = user.sl
    toy.change(toy.Constant("one", "STEPS", 4), 7)
    assert user.sl is sys.modules["toy_solver"]
    assert user.sl is not old
    assert toy.sl.__name__ == "spherelax"


def test_a_changed_constant_keeps_its_type(toy):
    toy.change(toy.Constant("one", "TINY", None), np.float32(0.5))
    assert import_module("toy_solver.two").run() == 1.5
    assert import_module("toy_solver.one").TINY.dtype == np.float32


def test_a_problem_reaches_what_it_reads(toy):
    reached = import_module("reached")
    found = {constant.full_name: constant for constant in toy.find_constants()}
    assert {name: constant.is_compiled for name, constant in found.items()} == {
        **{"one.STEPS": False, "one.TINY": True, "one.TOP": False, "one.LAST": False},
        **{"two.TWICE": False, "two.LAST": False},
    }
    two, readers = import_module("toy_solver.two"), reached.Readers()
    assert readers.places(found["one.STEPS"]) is None  # at import, so always
    assert readers.kernels(found["one.TINY"]) == {("toy_solver.one", "kernel")}
    assert readers.kernels(found["one.TOP"]) == set()
    names = ("one.LAST", "two.LAST", "one.TOP", "one.TINY")
    for call, expected in {
        lambda: two.top(True): {"one.LAST", "two.LAST"},  # an attribute may be of any module
        lambda: two.top(False): {"one.TOP"},
        two.last: {"two.LAST"},
        two.run: {"one.TINY"},
    }.items():
        _, ran = reached.watched(call)
        assert {name for name in names if readers.places(found[name]) & ran} == expected
