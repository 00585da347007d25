"""Named values in files."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.coordinate.graph.part import Draw
from spherelax.scale.kept import keep, kept, once


def test_values_come_back_as_they_were(tmp_path):
    draw = Draw(np.arange(3), np.ones(3), np.zeros(3))
    value = {"draw": draw, "deep": {"list": [1, 2.5, None, "x"], "array": np.eye(2)}, "flag": True}
    keep(tmp_path / "a.npz", value)
    found = kept(tmp_path / "a.npz")
    assert type(found["draw"]) is Draw
    for one, other in zip(found["draw"], draw, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found["deep"]["array"], np.eye(2))
    assert (found["deep"]["list"], found["flag"]) == ([1, 2.5, None, "x"], True)


def test_what_is_kept_is_not_computed_again(tmp_path):
    calls = []
    for _ in range(2):
        found = once(tmp_path / "b.npz", lambda: calls.append(1) or {"n": np.int64(4)})
    assert (found, calls) == ({"n": 4}, [1])


def test_a_file_of_something_else_is_named(tmp_path):
    np.savez(tmp_path / "c.npz", tree=np.frombuffer(b'{"dict": {"x": {"Nothing": []}}}', np.uint8))
    with pytest.raises(InvalidInputError, match=r"c.npz: cannot be read; delete it and run again"):
        kept(tmp_path / "c.npz")
