"""AnnData: reads the neighbour graph of cells, and writes labels where scanpy expects them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax._version import __version__
from spherelax.errors import InvalidInputError
from spherelax.io.files.apart import Arrays, apart
from spherelax.io.files.writing import drafted
from spherelax.io.items import Items, View, check_count
from spherelax.io.readers.graphs import undirected
from spherelax.io.words import CELLS, Words
from spherelax.labels import by_size
from spherelax.result import Result

if TYPE_CHECKING:
    from anndata import AnnData

ENDING = ".h5ad"
READ = (ENDING, ".h5")  # endings of files that are read: one from a pipe has the second
CONNECTIVITIES = "connectivities"  # where scanpy puts the graph
CURVES = ("resolutions", "n_labels", "stability")  # of the path, that a copy gets
# Where scanpy puts places of cells in a plane, the best first, and what the axes are called.
AXES = {"X_umap": ("UMAP 1", "UMAP 2"), "X_pca": ("first component", "second component")}
KIND = "neighbors"  # what similarities are: every cell is joined to its nearest ones


class Cells(Items):
    """The neighbour graph of cells; their ids are the ``obs_names``.

    Clusters are numbered as scanpy numbers them: 0 is the largest.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    >>> Cells(W, ids=["AAC", "AAG", "AAT"]).numbers(sl.solve(W, pick=0.5))
    array([1, 0, 0], dtype=int32)
    """

    words: ClassVar[Words] = CELLS

    def _own_numbers(self, result: Result) -> NDArray[np.integer]:
        """Return the number of each cell's cluster: 0 is the largest, as scanpy numbers them."""
        check_count(result, self.n_items, "cells")
        return by_size(result.labels)


def from_anndata(
    adata: AnnData, *, neighbors_key: str | None = None, obsp: str | None = None
) -> Cells:
    """Return the neighbour graph of an AnnData, which :func:`scanpy.pp.neighbors` has made.

    Parameters
    ----------
    adata : anndata.AnnData
        With a graph of its observations.
    neighbors_key : str, optional
        The ``key_added`` of scanpy; None: the default of scanpy.
    obsp : str, optional
        Name of the graph in ``adata.obsp``, instead of ``neighbors_key``; None: "connectivities".

    Returns
    -------
    Cells
        With ``obs_names`` as ids and the kind "neighbors": cells are joined to their nearest ones.

    Raises
    ------
    InvalidInputError
        If there is no such graph, or it is named twice.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> W = [[0, 1], [1, 0]]
    >>> adata = SimpleNamespace(obsp={"connectivities": W}, uns={}, obs_names=["AAC", "AAG"])
    >>> from_anndata(adata).ids
    ['AAC', 'AAG']
    """
    if neighbors_key is not None and obsp is not None:
        raise InvalidInputError(
            f"neighbors_key and obsp both name a graph, {neighbors_key!r} and {obsp!r}; "
            "leave one out"
        )
    graph = obsp or CONNECTIVITIES
    if neighbors_key is not None:
        if neighbors_key not in adata.uns:
            raise InvalidInputError(_absent("uns", neighbors_key, adata.uns))
        graph = adata.uns[neighbors_key].get("connectivities_key", CONNECTIVITIES)
    if graph not in adata.obsp:
        raise InvalidInputError(_absent("obsp", graph, adata.obsp))
    W = undirected(adata.obsp[graph], f"obsp[{graph!r}]")
    return Cells(W, ids=list(adata.obs_names), kind=KIND, view=_view(adata))


def label_obs(adata: AnnData, result: Result, *, key: str = "spherelax") -> None:
    """Write labels to the observations of an AnnData, as scanpy writes those of Leiden.

    ``obs[key]`` is categorical text, "0" being the largest cluster, ``obs[f"{key}_confidence"]`` is
    a number from 0 to 1, ``uns[key]["params"]`` describes the step of the path that the labels come
    from, and ``uns[key]["path"]`` has the resolution, the number of labels and the stability of
    every step.

    Parameters
    ----------
    adata : anndata.AnnData
        Changed in place.
    result : Result
        Labels of its observations, in order.
    key : str
        Name of the column.

    Raises
    ------
    InvalidInputError
        If the result has not one label for each observation.

    Examples
    --------
    >>> import pandas as pd
    >>> import spherelax as sl
    >>> from types import SimpleNamespace
    >>> adata = SimpleNamespace(obs=pd.DataFrame(index=["AAC", "AAG", "AAT"]), uns={})
    >>> label_obs(adata, sl.solve([[0, 2, 1], [2, 0, 0], [1, 0, 0]], pick=9.0))
    >>> adata.obs["spherelax"].tolist(), adata.uns["spherelax"]["params"]["n_labels"]
    (['0', '1', '2'], 3)
    """
    check_count(result, len(adata.obs), "observations")
    names = [str(label) for label in range(result.n_labels)]
    adata.obs[key] = import_module("pandas").Categorical.from_codes(by_size(result.labels), names)
    adata.obs[f"{key}_confidence"] = result.confidence
    adata.uns[key] = {
        "params": {
            "resolution": result.resolution,
            "n_labels": result.n_labels,
            "status": str(result.status),
            "version": __version__,
        },
        "path": {
            "resolution": result.path.resolutions,
            "n_labels": result.path.n_labels,
            "stability": result.path.stability,
        },
    }


def read_h5ad(
    path: str | Path, *, neighbors_key: str | None = None, obsp: str | None = None
) -> Cells:
    """Read the neighbour graph of an ``.h5ad`` file; the counts are not read into memory.

    Parameters
    ----------
    path : str or Path
        A file of AnnData. Needs the package anndata.
    neighbors_key, obsp
        As in :func:`from_anndata`.

    Returns
    -------
    Cells
        With ``obs_names`` as ids and the kind "neighbors": cells are joined to their nearest ones.

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged, or has no such graph.

    Examples
    --------
    >>> read_h5ad("cells.csv")
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: cells.csv: an AnnData file must end in .h5ad
    """
    path = Path(path)
    _check_files(path, READ)
    found = apart(_graph, path, neighbors_key=neighbors_key, obsp=obsp)
    ids = json.loads(found["ids"].tobytes())
    W = found.get("dense")
    if W is None:
        W = sp.csr_array((found["data"], found["indices"], found["indptr"]), shape=(len(ids),) * 2)
    places = (
        View(found[name], axes, are_features=False) for name, axes in AXES.items() if name in found
    )
    return Cells(W, ids, kind=KIND, view=next(places, None))


def write_h5ad(
    path: str | Path, source: str | Path, result: Result, *, key: str = "spherelax"
) -> None:
    """Write a copy of an ``.h5ad`` file with labels, completely or not at all.

    The labels are where :func:`label_obs` puts them. All other data are copied unchanged and are
    not read into memory.

    Parameters
    ----------
    path : str or Path
        The file to write, ``.h5ad``; never the one that was read.
    source : str or Path
        The file whose observations were labelled. Needs the package anndata.
    result : Result
        Their labels, in order.
    key : str
        Name of the column.

    Raises
    ------
    InvalidInputError
        If a file has another ending, both are the same, ``source`` is missing or damaged, or the
        result has not one label for each of its observations.

    Examples
    --------
    >>> write_h5ad("labels.csv", "cells.h5ad", None)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: labels.csv: an AnnData file must end in .h5ad
    """
    path, source = Path(path), Path(source)
    _check_files(path, (ENDING,))
    _check_files(source, READ)
    if path.exists() and source.exists() and path.samefile(source):
        raise InvalidInputError(f"{path}: must not be the file that was read; give another name")
    with drafted(path) as draft:
        apart(
            _labelled,
            source,
            draft=str(draft),
            key=key,
            labels=result.labels,
            confidence=result.confidence,
            resolution=result.resolution,
            n_labels=result.n_labels,
            status=str(result.status),
            **{f"path_{name}": getattr(result.path, name) for name in CURVES},
        )


def _graph(path: Path, *, neighbors_key: str | None, obsp: str | None) -> Arrays:
    """Read the names and the neighbour graph of the cells of a file."""
    adata = import_module("anndata").read_h5ad(path, backed="r")
    try:
        items = from_anndata(adata, neighbors_key=neighbors_key, obsp=obsp)
    finally:
        adata.file.close()
    W, ids = items.similarity, np.frombuffer(json.dumps(items.ids).encode(), dtype=np.uint8)
    known = {
        name: items.view.points
        for name, axes in AXES.items()
        if items.view is not None and items.view.columns == axes
    }
    if not sp.issparse(W):
        return {"ids": ids, "dense": W, **known}
    W.check_format(full_check=True)  # wrong indices would crash the interpreter later
    return {"ids": ids, "data": W.data, "indices": W.indices, "indptr": W.indptr, **known}


def _view(adata: AnnData) -> View | None:
    """Return where the cells are in a plane: their UMAP or else their first two components."""
    known = getattr(adata, "obsm", {})
    for name, axes in AXES.items():
        places = np.asarray(known.get(name))
        if places.ndim == 2 and places.shape[1] >= 2 and places.dtype.kind in "biuf":
            return View(places[:, :2].astype(float), axes, are_features=False)
    return None


def _labelled(path: Path, *, draft: str, key: str, **result: object) -> Arrays:
    """Write a copy of a file with the labels of a result, of which only numbers are given."""
    elements, hdf5 = import_module("anndata.io"), import_module("h5py")
    with hdf5.File(path) as file:
        cells = SimpleNamespace(obs=elements.read_elem(file["obs"]), uns={})
    sweep = SimpleNamespace(**{name: result.pop(f"path_{name}") for name in CURVES})
    label_obs(cells, cast("Result", SimpleNamespace(**result, path=sweep)), key=key)
    shutil.copyfile(path, draft)
    with hdf5.File(draft, "r+") as file:
        elements.write_elem(file, "obs", cells.obs)
        elements.write_elem(file.require_group("uns"), key, cells.uns[key])
    return {}


def _check_files(path: Path, endings: tuple[str, ...]) -> None:
    """Refuse a file with another ending, and any if anndata is not installed."""
    if path.suffix.lower() not in endings:
        raise InvalidInputError(f"{path}: an AnnData file must end in {ENDING}")
    if find_spec("anndata") is None:
        raise ImportError(f"{path}: {ENDING} needs anndata: pip install anndata")


def _absent(place: str, key: str, present: Iterable[str]) -> str:
    """Return the error that an AnnData lacks a graph; it says how to make one."""
    found = ", ".join(map(repr, present)) or "nothing"
    return f"{place} must hold {key!r}; found {found}. Run scanpy.pp.neighbors(adata) first"
