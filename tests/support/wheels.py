"""Wheels of this package, built here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build(folder, **variables):
    """Build a wheel and return it."""
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        env={**os.environ, "SPHERELAX_PURE": "", **variables},
        check=True,
    )
    (wheel,) = Path(folder).glob("*.whl")
    return wheel
