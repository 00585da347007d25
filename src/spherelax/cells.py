"""Clusters of cells in one line, as scanpy's own tools are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spherelax._solve import solve
from spherelax.io.readers.cells import from_anndata, label_obs

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["label"]


def label(
    adata: AnnData,
    *,
    key_added: str = "spherelax",
    n_labels: int | None = None,
    resolution: float | None = None,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    copy: bool = False,
    n_jobs: int | None = None,
) -> AnnData:
    """Cluster cells by their neighbour graph; the resolution is found, not given.

    It is called like :func:`scanpy.tl.leiden`, after :func:`scanpy.pp.neighbors`, and writes to the
    same places: ``obs[key_added]`` is the cluster of each cell, categorical text, "0" the largest;
    ``obs[f"{key_added}_confidence"]`` a number from 0 to 1; ``uns[key_added]["params"]`` the
    settings and what was found; ``uns[key_added]["path"]`` the resolution, the number of clusters
    and the stability of every answer that ``n_labels`` can move to.

    Parameters
    ----------
    adata : anndata.AnnData
        With a neighbour graph. It is changed in place, unless ``copy``.
    key_added : str
        Name of the column in ``obs`` and of the entry in ``uns``.
    n_labels : int, optional
        Take this number of clusters, as :meth:`spherelax.Result.with_n_labels` does. None: the
        number is found.
    resolution : float, optional
        Take the answer at this resolution, in units of the average similarity; it is not a
        resolution of Leiden. None: it is found.
    neighbors_key : str, optional
        The ``key_added`` of :func:`scanpy.pp.neighbors`; None: its default.
    obsp : str, optional
        Name of a graph in ``adata.obsp``; not together with ``neighbors_key``.
    copy : bool
        Whether a copy gets the clusters, and is returned.
    n_jobs : int, optional
        Number of threads; None: one for each processor. The clusters do not depend on it.

    Returns
    -------
    anndata.AnnData or None
        The copy, or None.

    Raises
    ------
    InvalidInputError
        If there is no such graph, or it is named twice.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(3), np.ones((20, 20))) + 0.01
    >>> adata = anndata.AnnData(np.ones((60, 2), dtype="float32"), obsp={"connectivities": W})
    >>> sl.cells.label(adata)
    >>> adata.obs["spherelax"].value_counts().to_dict()
    {'0': 20, '1': 20, '2': 20}
    >>> sl.cells.label(adata, n_labels=1, key_added="coarse")
    >>> adata.uns["coarse"]["params"]["n_labels"]
    1
    """
    adata = adata.copy() if copy else adata
    cells = from_anndata(adata, neighbors_key=neighbors_key, obsp=obsp)
    result = solve(cells.problem, pick=resolution, n_jobs=n_jobs)
    if n_labels is not None:
        result = result.with_n_labels(n_labels)
    label_obs(adata, result, key=key_added)
    asked = {
        "n_labels_asked": n_labels,
        "resolution_asked": resolution,
        "neighbors_key": neighbors_key,
        "obsp": obsp,
    }
    adata.uns[key_added]["params"] |= {
        name: value for name, value in asked.items() if value is not None
    }
    return adata if copy else None
