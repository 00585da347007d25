"""Tuples and readings as bytes."""

import zipfile

import numpy as np
import pytest

from spherelax.coordinate.graph.part import Draw
from spherelax.coordinate.readings import Learnt
from spherelax.coordinate.worth import Worth
from spherelax.io.answers.packed import pack, unpack


def test_values_come_back_as_they_were():
    draw = Draw(np.arange(3), np.ones(3), np.zeros(3))
    value = {"draw": draw, "deep": {"list": [1, 2.5, None, "x"], "array": np.eye(2)}, "flag": True}
    found = unpack(pack(value))
    assert type(found["draw"]) is Draw
    for one, other in zip(found["draw"], draw, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found["deep"]["array"], np.eye(2))
    assert (found["deep"]["list"], found["flag"]) == ([1, 2.5, None, "x"], True)


def test_readings_come_back_and_tuples_become_lists():
    floors = np.float32([0.1, 0.5])
    reading = Learnt(unit=0.1, worth=Worth(floors, floors / 2), floors=floors)
    found = unpack(pack({"readings": (reading,), "n": np.int64(4)}))
    (other,) = found["readings"]
    assert (type(other), other.unit, found["n"]) == (Learnt, 0.1, 4)
    np.testing.assert_array_equal(other.worth.worth, reading.worth.worth)
    assert other.floors.dtype == np.float32


def test_damage_is_found():
    content = bytearray(pack({"array": np.arange(1000)}))
    content[len(content) // 2] ^= 1
    with pytest.raises(zipfile.BadZipFile):
        unpack(bytes(content))
