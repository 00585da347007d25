"""Numbers that look random: SplitMix64, as its author printed it."""

import numpy as np
import pytest

from spherelax.coordinate.graph.hashing import hash_numbers, mix
from spherelax.coordinate.graph.order import _mix

MASK = 2**64 - 1


def splitmix(state):
    """The published generator, in Python's integers: the number after a state."""
    z = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


@pytest.mark.parametrize("stream", [0, 1, 7])
def test_numbers_are_those_of_splitmix(stream):
    numbers = np.r_[np.arange(50), 2**62]
    expected = [splitmix((int(n) + stream * 0x9E3779B97F4A7C15) & MASK) for n in numbers]
    assert hash_numbers(numbers, stream).tolist() == expected


def test_kernels_mix_as_python_does():
    numbers = np.arange(1, 99, dtype=np.uint64) << np.uint64(50)
    assert [int(_mix(number)) for number in numbers] == mix(numbers).tolist()


def test_different_numbers_stay_different():
    assert len(np.unique(hash_numbers(np.arange(100_000)))) == 100_000
