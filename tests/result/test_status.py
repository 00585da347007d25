"""How labels were chosen: which ways need a check."""

import warnings

import numpy as np

import spherelax as sl
from spherelax.result import Status


def test_solve_warns_of_the_odd_ones_and_of_no_other():
    blocks, nothing = np.kron(np.eye(3), np.ones((4, 4))), np.zeros((4, 4))
    for W, settings in ((blocks, {}), (blocks, {"pick": 2.0}), (nothing, {})):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = sl.solve(W, **settings)
        assert bool(caught) == result.status.is_odd
    assert result.status is Status.ISOLATED


def test_the_odd_ones():
    odd = {status.name for status in Status if status.is_odd}
    assert odd == {"SINGLE", "RISING", "STILL", "ISOLATED", "NOISE", "INTERRUPTED"}
