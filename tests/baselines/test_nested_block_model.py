"""The nested block model: labels by how items are joined, and an interpreter without it."""

import os
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.baselines._nested_block_model import nested_block_model
from spherelax.errors import InvalidInputError
from spherelax.metrics import pairwise_scores

PYTHON = os.environ.get("GRAPH_TOOL_PYTHON", "/usr/bin/python3")


def found(W, **settings):
    try:
        return nested_block_model(W, n_trials=1, python=PYTHON, **settings)
    except ImportError as error:
        pytest.skip(str(error))


def test_labels_need_not_be_communities():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 40)
    joined = rng.random((80, 80)) < np.where(truth[:, None] != truth, 0.3, 0.02)
    W = np.triu(joined, 1) + np.triu(joined, 1).T
    assert pairwise_scores(truth, found(W)).f_score > 0.95


def test_the_same_seed_gives_the_same_labels():
    rng = np.random.default_rng(1)
    W = sp.triu(sp.random_array((60, 60), density=0.1, rng=rng), 1)
    W = sp.csr_array(W + W.T)
    first = found(W, random_state=3)
    np.testing.assert_array_equal(found(W, random_state=3), first)
    assert len(first) == 60


def test_says_what_is_missing():
    pattern = "needs a Python with graph-tool; .* says: ModuleNotFoundError: No module named"
    with pytest.raises(ImportError, match=pattern):
        nested_block_model(np.ones((3, 3)), python=sys.executable)


def test_bad_input():
    with pytest.raises(InvalidInputError, match="n_trials must be an integer >= 1"):
        nested_block_model(np.eye(3), n_trials=0)
