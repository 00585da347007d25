"""Work in another process: what it returns, raises, and how it ends."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.io.files import apart


def change(path: Path, factor: int, numbers: np.ndarray, how: str) -> dict[str, np.ndarray]:
    """Return numbers, raise an error, or end the process."""
    if how == "raise":
        raise ValueError("no such row\nsee above")
    if how == "end":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"numbers": factor * numbers, "name": np.array(path.name)}


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Do the work above about a file, in another process."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setattr(change, "__module__", Path(__file__).stem)
    path = tmp_path / "given.dat"
    path.touch()
    return lambda how: apart.apart(change, path, factor=2, numbers=np.arange(3), how=how)


@pytest.mark.slow
def test_arrays_come_and_go(tried):
    found = tried("return")
    np.testing.assert_array_equal(found["numbers"], [0, 2, 4])
    assert found["name"] == "given.dat"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("raise", "not a readable .dat file; no such row$"),
        ("end", r"ended by signal 9 \(SIGKILL\)"),
    ],
)
def test_errors_and_ends_name_the_file(tried, how, message):
    with pytest.raises(InvalidInputError, match=f"given.dat: .*{message}"):
        tried(how)
