"""Clusters of cells in one line; more is in tests of the reader."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl


def test_a_step_is_asked_for_and_kept_with_the_labels():
    anndata = pytest.importorskip("anndata")
    W = np.kron(np.eye(4), np.ones((6, 6)))
    adata = anndata.AnnData(np.ones((24, 1), dtype=np.float32))
    adata.obsp["nearest"] = sp.csr_matrix(W)
    found = sl.cells.label(adata, key_added="type", obsp="nearest", n_labels=4, copy=True)
    assert "type" not in adata.obs
    assert found.obs["type"].astype(int).tolist() == np.repeat(np.arange(4), 6).tolist()
    params = found.uns["type"]["params"]
    assert (params["n_labels_asked"], params["obsp"]) == (4, "nearest")
    assert "resolution_asked" not in params
