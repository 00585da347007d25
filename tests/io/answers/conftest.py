"""A result of each solver, to be written and read."""

import pytest
from support.problems import tuned

import spherelax as sl
from spherelax.settings import SOLVERS


@pytest.fixture(scope="module", params=SOLVERS)
def result(request):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, missing=0.2, random_state=0)
    return sl.solve(W, solver=tuned(request.param, n_inner=5))
