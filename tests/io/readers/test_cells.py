"""Neighbour graphs of AnnData, and labels back to it."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from support.program import invoke

import spherelax as sl
from spherelax.io import from_anndata, label_obs, read_h5ad, write_h5ad
from spherelax.io.readers import cells


def neighbours(n_cells=60, n_types=12):
    W = np.kron(np.eye(n_types), np.ones((n_cells // n_types,) * 2)) + 0.01
    return sp.csr_matrix(W - np.diag(W.diagonal()))


@pytest.fixture
def adata():
    """Sixty cells of twelve types with a neighbour graph in scanpy's place and in another."""
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    names = pandas.DataFrame(index=[f"cell-{number}" for number in range(60)])
    adata = anndata.AnnData(np.ones((60, 3), dtype=np.float32), obs=names)
    adata.obsp["connectivities"] = neighbours()
    adata.obsp["fine_connectivities"] = 2 * neighbours()
    adata.uns["fine"] = {"connectivities_key": "fine_connectivities"}
    return adata


def test_neighbour_graphs_of_anndata(adata):
    items = from_anndata(adata)
    assert items.ids == adata.obs_names.tolist()
    np.testing.assert_array_equal(items.similarity.toarray(), neighbours().toarray())
    for fine in ({"neighbors_key": "fine"}, {"obsp": "fine_connectivities"}):
        found = from_anndata(adata, **fine).similarity
        np.testing.assert_array_equal(found.toarray(), 2 * neighbours().toarray())


def test_labels_go_to_obs_and_survive_a_file(adata, tmp_path):
    anndata = pytest.importorskip("anndata")
    result = sl.solve(from_anndata(adata).similarity)
    assert result.n_labels == 12
    label_obs(adata, result)
    label_obs(adata, result.with_n_labels(1), key="coarse")
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    for found in (adata, again):
        assert found.obs["spherelax"].astype(str).tolist() == [str(n) for n in result.labels]
        assert found.obs["spherelax"].cat.categories.tolist() == [str(n) for n in range(12)]
        assert found.obs["coarse"].cat.categories.tolist() == ["0"]
        np.testing.assert_array_equal(found.obs["spherelax_confidence"], result.confidence)
        params = found.uns["spherelax"]["params"]
        assert params["resolution"] == pytest.approx(result.path.resolutions[result.path.picked])
        assert params["n_labels"] == 12
        assert params["status"] == str(result.status)
        assert params["version"] == sl.__version__


def test_h5ad_files_are_read(adata, tmp_path):
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    items = read_h5ad(path)
    assert items.ids == adata.obs_names.tolist()
    np.testing.assert_array_equal(items.similarity.toarray(), neighbours().toarray())
    found = read_h5ad(path, neighbors_key="fine").similarity
    np.testing.assert_array_equal(found.toarray(), 2 * neighbours().toarray())


@pytest.mark.parametrize("name", ["X_umap", "X_pca"])
def test_cells_have_their_place_in_a_plane(adata, tmp_path, name):
    assert from_anndata(adata).view is None
    adata.obsm["X_umap"] = sp.csr_matrix(np.ones((60, 2)))  # no embedding is sparse
    assert from_anndata(adata).view is None
    del adata.obsm["X_umap"]
    places = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
    adata.obsm["X_pca"] = -places
    adata.obsm[name] = places
    adata.write_h5ad(tmp_path / "cells.h5ad")
    for view in (from_anndata(adata).view, read_h5ad(tmp_path / "cells.h5ad").view):
        np.testing.assert_array_equal(view.points, places[:, :2])
        assert view.columns == cells.AXES[name]
        assert not view.are_features


def test_labels_go_into_a_copy_of_a_file(adata, tmp_path):
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    adata.obs["type"] = pandas.Categorical(["b", "a"] * 30, ["b", "a"], ordered=True)
    adata.obs["batch"] = pandas.array([1, None] * 30, dtype="Int64")
    adata.obs.index.name = "barcode"
    source, target = tmp_path / "cells.h5ad", tmp_path / "labelled.h5ad"
    adata.write_h5ad(source)
    before = source.read_bytes()
    result = sl.solve(from_anndata(adata).similarity)
    write_h5ad(target, source, result)
    write_h5ad(target, source, result)
    assert source.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [source, target]
    label_obs(adata, result)
    found = anndata.read_h5ad(target)
    pandas.testing.assert_frame_equal(found.obs, adata.obs)
    assert found.uns["spherelax"]["params"] == adata.uns["spherelax"]["params"]
    assert found.uns["fine"] == adata.uns["fine"]
    np.testing.assert_array_equal(found.X, adata.X)
    assert (found.obsp["connectivities"] != adata.obsp["connectivities"]).nnz == 0


@pytest.mark.usefixtures("read_here")
def test_copies_that_cannot_be_meant(adata, tmp_path):
    source, target = tmp_path / "cells.h5ad", tmp_path / "labelled.h5ad"
    adata.write_h5ad(source)
    result = sl.solve(from_anndata(adata).similarity)
    other = sl.solve(np.kron(np.eye(2), np.ones((3, 3))))
    for arguments, message in {
        (
            source,
            source,
            result,
        ): "cells.h5ad: must not be the file that was read; give another name",
        (target, source, other): "cells.h5ad: result must have one label for each of 60 observ",
        (target, tmp_path / "none.h5ad", result): "none.h5ad: No such file or directory",
        (target, tmp_path / "cells.csv", result): "cells.csv: an AnnData file must end in .h5ad",
        (tmp_path / "labels.csv", source, result): "labels.csv: an AnnData file must end in",
    }.items():
        with pytest.raises(sl.InvalidInputError) as caught:
            write_h5ad(*arguments)
        assert str(caught.value).startswith(str(tmp_path / message))
    source.write_bytes(b"text")
    with pytest.raises(sl.InvalidInputError, match=r"cells\.h5ad: not a readable \.h5ad file; "):
        write_h5ad(target, source, result)
    assert sorted(tmp_path.iterdir()) == [source]


def test_a_copy_that_fails_leaves_nothing_behind(adata, tmp_path, monkeypatch):
    source, target = tmp_path / "cells.h5ad", tmp_path / "labelled.h5ad"
    adata.write_h5ad(source)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cells, "apart", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_h5ad(target, source, sl.solve(from_anndata(adata).similarity))
    assert sorted(tmp_path.iterdir()) == [source]


@pytest.mark.usefixtures("read_here")
@pytest.mark.parametrize("name", ["cells.h5ad", "cells.dat", "-"])
def test_labels_in_a_copy_from_the_command_line(adata, tmp_path, monkeypatch, name):
    anndata = pytest.importorskip("anndata")
    monkeypatch.chdir(tmp_path)
    adata.write_h5ad("cells.h5ad")
    content = Path("cells.h5ad").read_bytes()
    Path("cells.dat").write_bytes(content)
    found = invoke("cluster", name, "--out", "labelled.h5ad", stdin=content)
    assert found.exit_code == 0
    assert "clusters: labelled.h5ad\n" in found.stderr
    assert len(anndata.read_h5ad("labelled.h5ad").obs["spherelax"].cat.categories) == 12
    same = invoke("cluster", "cells.h5ad", "--out", "cells.h5ad")
    assert same.exit_code == 2
    assert "cells.h5ad would be overwritten" in same.stderr


@pytest.mark.usefixtures("read_here")
def test_h5ad_files_without_a_graph(adata, tmp_path):
    del adata.obsp["connectivities"]
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    with pytest.raises(sl.InvalidInputError) as caught:
        read_h5ad(path)
    assert str(caught.value) == (
        f"{path}: obsp must hold 'connectivities'; found 'fine_connectivities'. "
        "Run scanpy.pp.neighbors(adata) first"
    )


def test_broken_h5ad_files(adata, tmp_path):
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    content = path.read_bytes()
    for broken in (b"", b"text", content[: len(content) // 2]):
        path.write_bytes(broken)
        with pytest.raises(sl.InvalidInputError, match=r"not a readable \.h5ad file; ") as caught:
            read_h5ad(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(sl.InvalidInputError, match=r"none\.h5ad: "):
        read_h5ad(tmp_path / "none.h5ad")


@pytest.mark.usefixtures("read_here")
def test_other_hdf5_files_are_no_anndata(tmp_path):
    pytest.importorskip("anndata")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        file["x"] = np.eye(3)
    with pytest.raises(sl.InvalidInputError, match=r"x\.h5ad: "):
        read_h5ad(tmp_path / "x.h5ad")


def test_h5ad_without_anndata(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"\.h5ad needs anndata: pip install anndata$"):
        read_h5ad(tmp_path / "cells.h5ad")
    with pytest.raises(ImportError, match=r"x\.h5ad: \.h5ad needs anndata: pip install anndata$"):
        write_h5ad(tmp_path / "x.h5ad", tmp_path / "cells.h5ad", None)


def stand_in(**others):
    """What of an AnnData is used, for where there is none."""
    return SimpleNamespace(
        **{"obsp": {}, "uns": {}, "obs_names": ["a", "b"], "obs": [0, 1]} | others
    )


def test_without_a_neighbour_graph():
    with pytest.raises(sl.InvalidInputError) as caught:
        from_anndata(stand_in())
    expected = (
        "obsp must hold 'connectivities'; found nothing. Run scanpy.pp.neighbors(adata) first"
    )
    assert str(caught.value) == expected
    with pytest.raises(
        sl.InvalidInputError, match=r"^uns must hold 'fine'; found 'leiden', 'umap'"
    ):
        from_anndata(stand_in(uns={"leiden": {}, "umap": {}}), neighbors_key="fine")
    with pytest.raises(sl.InvalidInputError, match=r"^obsp\['connectivities'\] must hold finite"):
        from_anndata(stand_in(obsp={"connectivities": -np.eye(2)}))


def test_labels_of_other_observations_are_refused():
    result = sl.solve(np.kron(np.eye(2), np.ones((3, 3))))
    with pytest.raises(sl.InvalidInputError, match=r"each of 2 observations; found 6$"):
        label_obs(stand_in(), result)


def test_one_line_labels_cells_where_scanpy_looks(adata, tmp_path):
    anndata = pytest.importorskip("anndata")
    assert sl.cells.label(adata) is None
    sl.cells.label(adata, key_added="again", neighbors_key="fine")
    sl.cells.label(adata, key_added="third", obsp="fine_connectivities")
    result = sl.solve(from_anndata(adata).problem)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    for found in (adata, anndata.read_h5ad(tmp_path / "cells.h5ad")):
        assert found.obs["spherelax"].dtype == "category"
        assert found.obs["spherelax"].astype(int).tolist() == result.labels.tolist()
        assert (found.obs["again"] == found.obs["third"]).all()
        np.testing.assert_array_equal(found.obs["spherelax_confidence"], result.confidence)
        path = found.uns["spherelax"]["path"]
        np.testing.assert_array_equal(path["n_labels"], result.path.n_labels)
        np.testing.assert_array_equal(path["resolution"], result.path.resolutions)
        assert found.uns["spherelax"]["params"]["n_labels"] == 12
        assert found.uns["again"]["params"]["neighbors_key"] == "fine"
        assert "neighbors_key" not in found.uns["spherelax"]["params"]


def test_n_labels_and_resolution_move_along_the_path(adata):
    path = sl.solve(from_anndata(adata).problem).path
    for n_labels in set(path.n_labels.tolist()):
        sl.cells.label(adata, n_labels=n_labels)
        assert adata.obs["spherelax"].nunique() == n_labels
        assert adata.uns["spherelax"]["params"]["n_labels_asked"] == n_labels
    sl.cells.label(adata, resolution=float(path.resolutions[0]))
    assert adata.obs["spherelax"].nunique() == path.n_labels[0]


def test_a_copy_leaves_the_cells_alone(adata):
    other = sl.cells.label(adata, copy=True)
    assert "spherelax" in other.obs
    assert "spherelax" not in adata.obs
    assert "spherelax" not in adata.uns


def test_a_graph_must_not_be_named_twice(adata):
    with pytest.raises(sl.InvalidInputError, match="neighbors_key and obsp both name a graph"):
        sl.cells.label(adata, neighbors_key="fine", obsp="connectivities")


def test_scanpy_takes_the_clusters_for_its_own():
    scanpy = pytest.importorskip("scanpy")
    adata = scanpy.datasets.pbmc68k_reduced()
    sl.cells.label(adata)
    scanpy.tl.rank_genes_groups(adata, "spherelax", n_genes=2, method="t-test")
    named = adata.uns["rank_genes_groups"]["names"].dtype.names
    assert list(named) == adata.obs["spherelax"].cat.categories.tolist()
    types = adata.obs["bulk_labels"]
    ours, theirs = (adjusted_rand_score(types, adata.obs[key]) for key in ("spherelax", "louvain"))
    assert ours > theirs


def test_clusters_are_numbered_by_size(adata):
    """As scanpy numbers them; of equal clusters the one that comes first has the lower number."""
    sizes = 10, 30, 20
    W = np.zeros((60, 60))
    truth = np.repeat(range(3), sizes)
    W[truth[:, None] == truth] = 1.0
    adata.obsp["connectivities"] = sp.csr_matrix(W + 0.01)
    sl.cells.label(adata)
    assert adata.obs["spherelax"].tolist() == np.array(["2", "0", "1"])[truth].tolist()
    items = from_anndata(adata)
    result = sl.solve(items.problem)
    assert items.answer(result)["label"] == np.array([2, 0, 1])[truth].tolist()
    assert items.entities(result)["size"] == [30, 20, 10]


@pytest.mark.usefixtures("read_here")
def test_files_of_cells_hold_neighbours(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    assert sl.io.read(tmp_path / "cells.h5ad").kind == "neighbors"
