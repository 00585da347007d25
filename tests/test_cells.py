"""Clusters of cells in one line; more is in tests of the reader."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

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


@pytest.fixture
def cells():
    """Cells of three types, of two columns: their type, and batches that say nothing."""
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    W = np.kron(np.eye(3), np.kron(np.eye(2), np.ones((10, 10))) + 0.3) + 0.001
    adata = anndata.AnnData(np.ones((60, 1), dtype=np.float32))
    adata.obsp["connectivities"] = sp.csr_matrix(W)
    adata.obs["type"] = pandas.Categorical(np.repeat(["B", "T", "NK"], 20), ["T", "NK", "B"])
    adata.obs["batch"] = np.arange(60) % 2
    return adata


@pytest.mark.parametrize("chosen", [["T"], ["NK", "B"]])
def test_only_the_cells_of_some_categories_are_clustered_anew(cells, chosen):
    sl.cells.label(cells, restrict_to=("type", chosen), n_labels=2 * len(chosen))
    found, is_in = cells.obs["spherelax_R"], cells.obs["type"].isin(chosen).to_numpy()
    assert found[~is_in].astype(str).tolist() == cells.obs["type"][~is_in].tolist()
    prefix = "-".join(chosen) + ","
    parts = found[is_in].astype(str)
    assert set(parts) == {f"{prefix}{n}" for n in range(2 * len(chosen))}
    alone = sl.solve(cells.obsp["connectivities"][is_in][:, is_in], kind="neighbors")
    alone = alone.with_n_labels(2 * len(chosen))
    assert sl.metrics.pairwise_scores(alone.labels, parts).f_score == 1
    confidence = cells.obs["spherelax_R_confidence"].to_numpy()
    assert np.isnan(confidence[~is_in]).all()
    assert not np.isnan(confidence[is_in]).any()
    params = cells.uns["spherelax_R"]["params"]
    assert (params["restrict_key"], params["restrict_categories"]) == ("type", chosen)


def test_parts_stand_where_their_category_stood_and_survive_a_file(cells, tmp_path):
    anndata = pytest.importorskip("anndata")
    sl.cells.label(cells, restrict_to=("type", ["NK"]), n_labels=2, key_added="finer")
    assert cells.obs["finer"].cat.categories.tolist() == ["T", "NK,0", "NK,1", "B"]
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["finer"].tolist() == cells.obs["finer"].tolist()
    assert again.uns["finer"]["params"]["restrict_categories"].tolist() == ["NK"]


@pytest.mark.parametrize(
    ("restrict_to", "message"),
    [
        (("type", ["T", "X"]), r"some of 'T', 'NK', 'B'; found \['T', 'X'\]"),
        (("type", "T"), "a list of some of 'T', 'NK', 'B'; found 'T'"),
        (("type", []), r"found \[\]"),
        (("kind", ["T"]), r"obs\['kind'\] must be categorical; found no such column"),
        (("batch", ["0"]), r"obs\['batch'\] must be categorical; found another type"),
    ],
)
def test_categories_that_are_not_there_are_refused(cells, restrict_to, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.cells.label(cells, restrict_to=restrict_to)


def test_graphs_of_shared_neighbours_are_labelled_as_well_as_those_of_scanpy(seed):
    """Jaccard's index of the neighbours of two cells, as PhenoGraph weighs edges."""
    sc, anndata = pytest.importorskip("scanpy"), pytest.importorskip("anndata")
    X, truth = make_blobs(300, n_features=10, centers=4, cluster_std=4.0, random_state=seed)
    adata = anndata.AnnData(X.astype(np.float32))
    sc.pp.neighbors(adata, n_neighbors=15, use_rep="X")
    near = (adata.obsp["distances"] > 0).astype(float)
    shared, degrees = (near @ near.T).tocoo(), np.asarray(near.sum(axis=1)).ravel()
    union = degrees[shared.row] + degrees[shared.col] - shared.data
    jaccard = sp.csr_matrix((shared.data / union, (shared.row, shared.col)), shape=near.shape)
    adata.obsp["all"] = jaccard
    adata.obsp["joined"] = sp.csr_matrix(jaccard.multiply(near + near.T > 0))
    agreement = {}
    for graph in ("connectivities", "all", "joined"):
        sl.cells.label(adata, obsp=graph, key_added=graph)
        agreement[graph] = adjusted_rand_score(truth, adata.obs[graph])
    assert agreement["connectivities"] > 0.8
    assert min(agreement.values()) > agreement["connectivities"] - 0.02
