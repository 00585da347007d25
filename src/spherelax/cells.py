"""Clusters of cells in one line, as scanpy's own tools are called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from spherelax._solve import solve
from spherelax.errors import InvalidInputError
from spherelax.io.readers.cells import from_anndata, label_obs
from spherelax.result import Result

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["label"]

KEY = "spherelax"


def label(
    adata: AnnData,
    *,
    key_added: str = KEY,
    restrict_to: tuple[str, Sequence[str]] | None = None,
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
    restrict_to : tuple of str and list of str, optional
        A categorical column of ``obs`` and some of its categories: only their cells are clustered.
        Cluster 0 of the cells of "3" is called "3,0", that of "1" and "3" together "1-3,0"; other
        cells keep their category, and their confidence is NaN. The default of ``key_added`` is
        then "spherelax_R". This is as in :func:`scanpy.tl.leiden`.
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
        If there is no such graph, or it is named twice, or ``restrict_to`` names no categories.

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
    >>> sl.cells.label(adata, restrict_to=("spherelax", ["1", "2"]))
    >>> adata.obs["spherelax_R"].value_counts().to_dict()
    {'0': 20, '1-2,0': 20, '1-2,1': 20}
    """
    adata = adata.copy() if copy else adata
    is_in = None if restrict_to is None else _chosen(adata, *restrict_to)
    part = adata if is_in is None else adata[is_in]
    cells = from_anndata(part, neighbors_key=neighbors_key, obsp=obsp)
    result = solve(cells.problem, pick=resolution, n_jobs=n_jobs)
    if n_labels is not None:
        result = result.with_n_labels(n_labels)
    asked: dict[str, Any] = {
        "n_labels_asked": n_labels,
        "resolution_asked": resolution,
        "neighbors_key": neighbors_key,
        "obsp": obsp,
    }
    if restrict_to is None or is_in is None:
        label_obs(adata, result, key=key_added)
    else:
        key_added = f"{KEY}_R" if key_added == KEY else key_added
        asked |= {"restrict_key": restrict_to[0], "restrict_categories": list(restrict_to[1])}
        _label_part(adata, result, is_in, *restrict_to, key=key_added)
    adata.uns[key_added]["params"] |= {
        name: value for name, value in asked.items() if value is not None
    }
    return adata if copy else None


def _chosen(adata: AnnData, column: str, categories: Sequence[str]) -> NDArray[np.bool_]:
    """Return which cells are in some categories of a column; refuse what it does not have."""
    values = adata.obs.get(column)
    if not hasattr(values, "cat"):
        found = "another type" if column in adata.obs else "no such column"
        raise InvalidInputError(f"obs[{column!r}] must be categorical; found {found}")
    known = list(values.cat.categories)
    if isinstance(categories, str) or not categories or not set(categories) <= set(known):
        raise InvalidInputError(
            f"restrict_to must name categories of {column!r}, a list of some of "
            f"{', '.join(map(repr, known))}; found {categories!r}"
        )
    return np.asarray(values.isin(categories))


def _label_part(
    adata: AnnData,
    result: Result,
    is_in: NDArray[np.bool_],
    column: str,
    categories: Sequence[str],
    *,
    key: str,
) -> None:
    """Write labels of some cells; other cells keep the category that they have in a column."""
    part = SimpleNamespace(obs=adata.obs.loc[is_in, [column]].copy(), uns=adata.uns)
    label_obs(cast("AnnData", part), result, key=key)
    own = [f"{'-'.join(map(str, categories))},{name}" for name in part.obs[key].cat.categories]
    known = list(adata.obs[column].cat.categories)
    first = min(map(known.index, categories))
    names = [name for name in known if name not in categories]
    names[first:first] = own
    values = adata.obs[column].astype(object).to_numpy(copy=True)
    values[is_in] = np.array(own, dtype=object)[part.obs[key].cat.codes]
    confidence = np.full(len(is_in), np.nan)
    confidence[is_in] = result.confidence
    adata.obs[key] = import_module("pandas").Categorical(values, names)
    adata.obs[f"{key}_confidence"] = confidence
