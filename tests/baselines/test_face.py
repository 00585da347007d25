"""Arguments that the other methods have in common."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax import InvalidInputError
from spherelax.baselines.face import clustering_problem, dense, matching_problem


def test_dense_is_a_new_matrix_of_floats():
    W = np.eye(3, dtype=int)
    for given in (W, sp.csr_array(W)):
        found = dense(clustering_problem(given))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, W)
        found[0, 0] = 9.0
        assert W[0, 0] == 1


@pytest.mark.parametrize(
    ("universe", "message"),
    [(0, "universe must be an integer in \\[1, 4\\]"), (1, "must be at least 2, the size of the")],
)
def test_a_universe_has_room_for_the_largest_group(universe, message):
    with pytest.raises(InvalidInputError, match=message):
        matching_problem(np.ones((4, 4)), [0, 0, 1, 2], universe)
    assert matching_problem(np.ones((4, 4)), [0, 0, 1, 2], 2).n_items == 4


def test_matching_needs_groups_and_clusters_are_at_most_items():
    with pytest.raises(InvalidInputError, match="groups must hold one label per item; found None"):
        matching_problem(np.eye(2), None)
    with pytest.raises(InvalidInputError, match="n_clusters must be an integer in \\[1, 2\\]"):
        clustering_problem(np.eye(2), 3)
