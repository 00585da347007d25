"""Fixtures for all tests."""

import os
import sys
from pathlib import Path

import pytest

from spherelax.settings import SOLVERS

ROOT = Path(__file__).resolve().parents[1]
# The command line is tested with pipes, signals and terminals of POSIX. Guided fuzzing needs
# atheris, which only `make fuzz-guided` installs.
collect_ignore = ["fuzzing/guided.py", *(["cli"] if sys.platform == "win32" else [])]

SLOW_FIXTURES = {"data_home", "browser"}
SLOW_PLACES = {
    *("baselines", "docs"),
    *("test_benchmarks.py", "test_examples.py", "test_experiments.py"),
    *("test_plot.py", "test_solve_costs.py"),
}


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make check` leaves out: the rule is in CONTRIBUTING.md."""
    for item in items:
        choice = getattr(item, "callspec", None)
        if (
            SLOW_PLACES.intersection(item.path.relative_to(ROOT).parts)
            or SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ()))
            or (choice is not None and choice.indices.get("seed", 0) > 0)
        ):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the real data sets; they are not part of the project."""
    home = Path(os.environ.get("SPHERELAX_DATA", ROOT.parent / "shared" / "data"))
    if not home.is_dir():
        pytest.skip(f"real data not found at {home}; set SPHERELAX_DATA to its folder")
    return home


@pytest.fixture(params=[0, 1, 2])
def seed(request: pytest.FixtureRequest) -> int:
    """Several seeds, so that no test depends on a single one."""
    return int(request.param)


@pytest.fixture(params=list(SOLVERS))
def solver(request: pytest.FixtureRequest) -> str:
    """Solvers, for what each of them must do."""
    return str(request.param)
