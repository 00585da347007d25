"""Settings of the solvers: checked when they are created, and frozen."""

import inspect
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from math import inf, nan

import numpy as np
import pytest
from sklearn.base import clone

import spherelax as sl
from spherelax.errors import shown
from spherelax.settings import SOLVERS, Range, check_range, checked_pick, solver_settings

SHARE = r"a number in \[0, 1\)"
STEP = r"a number in \[0.0001, 0.5\]"
MANY, TWO = r"an integer in \[1, 10000\]", r"an integer in \[2, 10000\]"
BAD = [
    *(("coordinate", "n_steps", value, TWO) for value in (1, 0, 10**400, 10.0, "10", True)),
    *(("coordinate", "row_entries", value, TWO) for value in (1, 10_001, "4", 2.0)),
    *(("coordinate", "n_inner", value, MANY) for value in (0, 10**9, 1.0, None, True)),
    *(("coordinate", "eta_floor", value, SHARE) for value in (-0.1, 1.0, nan, None)),
    *(("power", "max_labels", value, "an integer >= 1") for value in (0, 2.5, True, -3)),
    *(("power", "alpha_step", value, STEP) for value in (0, 1e-9, 0.7, "0.1", nan, None)),
    *(("power", "n_inner", value, MANY) for value in (0, 10**9, 1.0, None)),
    *(("power", "delta_margin", value, "a finite number >= 0") for value in (-1.0, inf, None)),
    *(("power", "kappa", value, "a finite number >= 0") for value in (-1e-9, inf, nan, None)),
    *(("power", "eta_floor", value, SHARE) for value in (-0.1, 1.0, None)),
]


@pytest.mark.parametrize(("solver", "name", "value", "expected"), BAD)
def test_bad_settings_are_refused_when_they_are_made(solver, name, value, expected):
    said = f"^{name} must be {expected}; found {shown(value)}$"
    with pytest.raises(sl.InvalidInputError, match=said):
        SOLVERS[solver](**{name: value})
    with pytest.raises(sl.InvalidInputError, match=f"^{name} must be"):
        replace(SOLVERS[solver](), **{name: value})


@pytest.mark.parametrize(
    ("solver", "settings"),
    [
        ("coordinate", {"n_steps": 2, "row_entries": 2, "n_inner": 1, "eta_floor": 0}),
        ("coordinate", {"n_steps": np.int64(50), "row_entries": None}),
        ("power", {"max_labels": 1, "alpha_step": 0.5, "n_inner": 1, "delta_margin": 0}),
        ("power", {"max_labels": None, "kappa": np.float32(0.5), "eta_floor": 0.999}),
    ],
)
def test_the_ends_of_the_ranges_are_legal(solver, settings):
    made = SOLVERS[solver](**settings)
    assert {name: getattr(made, name) for name in settings} == settings


@pytest.mark.parametrize("cls", SOLVERS.values())
def test_settings_are_named_and_frozen(cls):
    with pytest.raises(TypeError, match="positional argument"):
        cls(5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        cls(nonsense=5)
    with pytest.raises(FrozenInstanceError):
        cls().n_inner = 3


@pytest.mark.parametrize("cls", SOLVERS.values())
def test_settings_are_values(cls):
    """They are equal, hashed, printed, pickled and cloned as what they hold."""
    one, other = cls(n_inner=3), cls(n_inner=4)
    assert one == cls(n_inner=3) != other
    assert len({one, cls(n_inner=3), other}) == 2
    assert pickle.loads(pickle.dumps(one)) == one
    assert "n_inner=3" in repr(one)
    assert clone(sl.SphereMatching(solver=one)).solver == one
    assert sl.Coordinate() != sl.Power()


@pytest.mark.parametrize("cls", SOLVERS.values())
def test_every_setting_is_documented(cls):
    documentation = inspect.getdoc(cls)
    for setting in fields(cls):
        assert f"\n{setting.name} : " in documentation
        assert setting.metadata["text"] in documentation
        assert setting.metadata["text"].endswith(".")
        assert setting.default is None or setting.default in setting.metadata["legal"]
    assert documentation.index("Parameters") < documentation.index("Examples")


def test_names_of_solvers():
    assert {"coordinate": sl.Coordinate, "power": sl.Power} == SOLVERS
    for name, cls in SOLVERS.items():
        assert cls.name == name
        assert solver_settings(name) == cls()
        made = cls(n_inner=7)
        assert solver_settings(made) is made


@pytest.mark.parametrize("solver", ["magic", "Power", None, 3, sl.Power, ["power"]])
def test_what_is_no_solver(solver):
    with pytest.raises(sl.InvalidInputError) as caught:
        solver_settings(solver)
    assert str(caught.value) == (
        "solver must be one of 'coordinate', 'power', or an instance of Coordinate or Power; "
        f"found {solver!r}"
    )


def test_picks():
    assert checked_pick(None, sl.Coordinate()) == "description"
    assert checked_pick(None, sl.Power()) == "eta"
    for cls in SOLVERS.values():
        for pick in cls.picks:
            assert checked_pick(pick, cls()) == pick
        assert type(checked_pick(np.int64(2), cls())) is float


@pytest.mark.parametrize(
    ("pick", "message"),
    [
        ("best", "^pick must be one of eta, description, stability or a resolution; found 'best'$"),
        (0, "^pick must be a finite number > 0; found 0$"),
        (nan, "^pick must be a finite number > 0; found nan$"),
        (True, "^pick must be a finite number > 0; found True$"),
        ([1.0], r"^pick must be a finite number > 0; found \[1.0\]$"),
    ],
)
def test_bad_picks(pick, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        checked_pick(pick, sl.Power())


@pytest.mark.parametrize(
    ("legal", "text", "inside", "outside"),
    [
        (Range(1, integer=True), "an integer >= 1", [1, 10**9], [0, 1.5, "1", True, None, inf]),
        (Range(0), "a finite number >= 0", [0, 0.0, 1e300], [-1e-300, inf, nan, False]),
        (Range(0, low_open=True), "a finite number > 0", [1e-300], [0, 0.0]),
        (Range(0, 1), "a number in [0, 1)", [0, 0.5], [1, 1.0]),
        (Range(0, 1, high_open=False), "a number in [0, 1]", [0, 1], [1.0000001]),
        (Range(0, 0.5, True, False), "a number in (0, 0.5]", [0.5], [0, 0.6]),
    ],
)
def test_ranges(legal, text, inside, outside):
    assert str(legal) == text
    assert all(value in legal for value in inside)
    assert not any(value in legal for value in outside)


def test_the_first_value_outside_its_range_is_told():
    check_range(Range(0), one=1, two=2.0)
    with pytest.raises(sl.InvalidInputError, match=r"^two must be a finite number >= 0; found -1$"):
        check_range(Range(0), one=1, two=-1, three=-2)


def test_settings_need_nothing_heavy():
    code = "import sys, spherelax.settings; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "scipy", "sklearn", "numba", "click"}.isdisjoint(done.stdout.split())


def test_settings_survive_without_docstrings():
    code = "import spherelax as sl; sl.Power(kappa=0.1), sl.Coordinate(n_steps=3)"
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)
