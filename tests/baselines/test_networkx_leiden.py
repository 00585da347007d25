"""Leiden of networkx: as good as that of igraph, and what older releases say."""

import networkx
import numpy as np
import pytest

from spherelax.baselines._leiden import leiden
from spherelax.baselines._networkx_leiden import networkx_leiden
from spherelax.datasets import make_binary_similarity
from spherelax.errors import InvalidInputError
from spherelax.metrics import modularity

HAS_LEIDEN = tuple(map(int, networkx.__version__.split(".")[:2])) >= (3, 7)


@pytest.mark.skipif(not HAS_LEIDEN, reason="needs networkx 3.7")
def test_as_modular_as_those_of_igraph(seed):
    pytest.importorskip("igraph")
    W, _ = make_binary_similarity(80, 4, rewired=0.4, missing=0.3, random_state=seed)
    found = max(modularity(W, networkx_leiden(W, random_state=n)) for n in range(5))
    assert found == pytest.approx(modularity(W, leiden(W)), abs=0.01)


@pytest.mark.skipif(not HAS_LEIDEN, reason="needs networkx 3.7")
def test_potts_model_joins_what_is_denser_than_the_resolution():
    W = np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    assert networkx_leiden(W, objective="CPM", resolution=0.4).tolist() == [0, 0, 1]
    assert networkx_leiden(W, objective="CPM", resolution=0.6).tolist() == [0, 1, 2]


@pytest.mark.skipif(HAS_LEIDEN, reason="networkx has it")
def test_older_releases_have_no_code_for_it():
    with pytest.raises(ImportError, match=r"needs networkx 3.7 or later; found 3\."):
        networkx_leiden(np.ones((3, 3)))


def test_bad_input():
    with pytest.raises(InvalidInputError, match="objective must be one of"):
        networkx_leiden(np.eye(3), objective="cut")
