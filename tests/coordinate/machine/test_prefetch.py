"""Fetching memory ahead changes no result, whatever the index, and is in the machine code."""

import numpy as np
import pytest
from numba import njit

from spherelax.coordinate.machine import compiled, prefetch


@compiled
def sum_rows(values, order, shift):
    total = 0.0
    for k in range(len(order)):
        prefetch(values, order[k] + shift)
        for t in range(values.shape[1]):
            total += values[order[k], t]
    return total


@pytest.mark.parametrize("shift", [0, 1, -1, 10**9, -(10**12)])
def test_any_index_may_be_fetched(shift):
    rng = np.random.default_rng(0)
    values, order = rng.normal(size=(40, 3)), rng.integers(40, size=100)
    expected = values[order].sum()
    np.testing.assert_allclose(sum_rows(values, order, shift), expected)
    np.testing.assert_allclose(sum_rows(values[:0], order[:0], shift), 0.0)


def test_the_instruction_is_in_the_code():
    @njit
    def fetch(values, index):
        prefetch(values, index)

    fetch(np.ones((4, 3), np.float32)[::2], 1)
    (code,) = fetch.inspect_llvm().values()
    assert "@llvm.prefetch" in code
