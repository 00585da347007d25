"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

from spherelax.settings import SOLVERS

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the real data sets; they are not part of the project."""
    home = Path(os.environ.get("SPHERELAX_DATA", ROOT.parent / "shared" / "data"))
    if not home.is_dir():
        pytest.skip(f"real data not found at {home}; set SPHERELAX_DATA to its folder")
    return home


@pytest.fixture(params=[0, 1, 2])
def seed(request: pytest.FixtureRequest) -> int:
    """Seeds, so that no test depends on its lucky number."""
    return int(request.param)


@pytest.fixture(params=list(SOLVERS))
def solver(request: pytest.FixtureRequest) -> str:
    """Solvers, for what each of them must do."""
    return str(request.param)
