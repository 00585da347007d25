"""What kernels share."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.similarity.parts import checked_points, either, falling, positive


def test_scales_of_zero_become_the_smallest_other_one():
    np.testing.assert_array_equal(positive(np.array([0.0, 3.0, 2.0])), [2.0, 3.0, 2.0])
    np.testing.assert_array_equal(positive(np.zeros(2)), [1.0, 1.0])


def test_values_fall_in_place():
    scaled = np.array([0.0, 1.0, 800.0])
    assert falling(scaled) is scaled
    np.testing.assert_array_equal(scaled, np.exp([0.0, -1.0, -800.0]))


def test_one_neighbour_is_enough_and_the_larger_value_counts():
    W = either(np.array([0, 1, 2]), np.array([1, 0, 0]), np.array([0.5, 0.7, 0.2]), 3)
    np.testing.assert_array_equal(W.toarray(), [[0, 0.7, 0.2], [0.7, 0, 0], [0.2, 0, 0]])


def test_numbers_whose_squares_are_infinite_are_refused():
    with pytest.raises(InvalidInputError, match=r"X must hold numbers up to 1e\+150"):
        checked_points([[1e151], [0.0]])
