"""Named values in files."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.scale.kept import kept, once


def test_what_is_kept_is_not_computed_again(tmp_path):
    calls = []
    for _ in range(2):
        found = once(tmp_path / "b.npz", lambda: calls.append(1) or {"n": np.int64(4)})
    assert (found, calls) == ({"n": 4}, [1])


def test_a_file_of_something_else_is_named(tmp_path):
    np.savez(tmp_path / "c.npz", tree=np.frombuffer(b'{"dict": {"x": {"Nothing": []}}}', np.uint8))
    with pytest.raises(InvalidInputError, match=r"c.npz: was damaged .*; delete it and run again"):
        kept(tmp_path / "c.npz")
