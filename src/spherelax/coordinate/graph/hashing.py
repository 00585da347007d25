"""Numbers that look random but depend on other numbers alone (SplitMix64).

They stand for random draws where the outcome must not depend on the order of the items, on threads
or on how a problem is cut into shards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

# Seed of everything that is drawn by a generator of random numbers.
SEED = 0


def mix(x: Keys) -> Keys:
    """Return a number in which every bit depends on all bits of x; also compiled, in `order`."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def hash_numbers(numbers: NDArray[np.integer], stream: int = 0) -> Keys:
    """Return a number that looks random for each number, different ones for different numbers.

    Each ``stream`` gives other numbers.

    Examples
    --------
    >>> hash_numbers(np.arange(3)) >> np.uint64(56)
    array([226, 145, 151], dtype=uint64)
    """
    return mix(numbers.astype(np.uint64) + np.uint64((stream + 1) * 0x9E3779B97F4A7C15 % 2**64))
