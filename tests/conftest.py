"""Fixtures for all tests."""

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from support import wheels

from spherelax.settings import SOLVERS

ROOT = Path(__file__).resolve().parents[1]
# The command line is tested with pipes, signals and terminals of POSIX. Guided fuzzing needs
# atheris, which only `make fuzz-guided` installs.
collect_ignore = ["fuzzing/guided.py", *(["cli"] if sys.platform == "win32" else [])]

CHROMIUM = os.environ.get("SPHERELAX_CHROMIUM", which("chromium") or "/usr/bin/chromium")
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
SLOW_FIXTURES = {"data_home", "browser", "wheel"}
SLOW_PLACES = {
    *("baselines", "scale", "test_cells.py", "test_pages.py"),
    *("test_benchmarks.py", "test_examples.py", "test_experiments.py"),
    *("test_plot.py", "test_solve_costs.py"),
}
# Solves a small problem of each kind.
WARM_UP = """
import warnings
from itertools import islice
import warm_up
warnings.simplefilter("ignore")
for call in islice(warm_up.calls(), 8):
    call()
warm_up.cluster(warm_up.FEW)
"""


def pytest_configure() -> None:
    """Listen to Ctrl-C, which a job in the background ignores and passes on to its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what most tests call before workers start, each of which would compile it."""
    config, cache = session.config, Path(os.environ.get("NUMBA_CACHE_DIR", ROOT / "src"))
    starts_workers = config.getoption("numprocesses", 0) and not hasattr(config, "workerinput")
    if starts_workers and not any(cache.rglob("*.nbi")):
        subprocess.run([sys.executable, "-c", WARM_UP], check=True, cwd=ROOT / "wheel")


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}; set SPHERELAX_CHROMIUM to one")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with machine code, which one worker builds for all."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheel"
    if not shared.exists():
        built = tmp_path_factory.mktemp("built")
        wheels.build(built)
        with suppress(OSError):  # another worker was as quick
            built.rename(shared)
    (wheel,) = shared.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process what is read apart, where a test is about something else.

    So `apart` does where Python has no program of its own.
    """
    monkeypatch.setattr(sys, "executable", "")


@pytest.fixture(params=[0, 1])
def seed(request: pytest.FixtureRequest) -> int:
    """Two seeds, so that no test depends on a single one."""
    return int(request.param)


@pytest.fixture(params=list(SOLVERS))
def solver(request: pytest.FixtureRequest) -> str:
    """Solvers, for what each of them must do."""
    return str(request.param)
