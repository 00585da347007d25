"""Graphs as other packages hold them, and labels back on their nodes.

A graph is recognised by the package that its class comes from, so that nothing is imported that
the user does not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from math import inf
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import spherelax
from spherelax.io.arrays import BROKEN
from spherelax.io.items import Items
from spherelax.io.tables import strongest
from spherelax.problem import InvalidInputError
from spherelax.result import Result


def from_graph(graph: Any, *, weight: str | None = "weight") -> Items:
    """Take the similarities of a graph: the weights of its edges.

    Of edges in both directions, or of several between two nodes, the largest weight counts; loops
    are on the diagonal. So a directed graph becomes an undirected one.

    Parameters
    ----------
    graph : networkx graph, igraph graph, sparse matrix or array-like of shape (n_nodes, n_nodes)
        Any of them, directed or not.
    weight : str or None
        Attribute of the edges that says how similar their nodes are; an edge without it counts
        1. None: every edge counts 1. Matrices have no use for it.

    Returns
    -------
    Items
        With the nodes of networkx as ids, whatever they are; the vertex attribute "name" of igraph
        where there is one; otherwise numbers.

    Raises
    ------
    InvalidInputError
        If a weight is not a number >= 0, with its edge; or if it is no graph.

    Examples
    --------
    >>> items = from_graph([[0, 2, 0], [0, 0, 1], [0, 0, 0]])
    >>> items.similarity
    array([[0, 2, 0],
           [2, 0, 1],
           [0, 1, 0]])

    Labels go back by :func:`label_nodes`:

    >>> import networkx as nx
    >>> graph = nx.Graph([("ann", "anna"), ("bob", "rob")])
    >>> items = from_graph(graph)
    >>> items.ids
    ['ann', 'anna', 'bob', 'rob']
    """
    if _is_from("networkx", graph):
        return _from_networkx(graph, weight)
    if _is_from("igraph", graph):
        return _from_igraph(graph, weight)
    return Items(_undirected(graph, "graph"), ids=None)


def label_nodes(graph: Any, items: Items, result: Result, *, key: str = "label") -> Any:
    """Write labels to the nodes of the graph that the items were taken from.

    Parameters
    ----------
    graph : networkx or igraph graph
        Changed in place: each node gets the attributes ``key`` and ``{key}_confidence``.
    items : Items
        What :func:`from_graph` returned.
    result : Result
        Labels of the items.
    key : str
        Name of the attribute.

    Returns
    -------
    networkx or igraph graph
        The same graph.

    Raises
    ------
    InvalidInputError
        If the graph has not the nodes of the items.

    Examples
    --------
    >>> import networkx as nx
    >>> import spherelax as sl
    >>> graph = nx.barbell_graph(5, 0)
    >>> items = from_graph(graph)
    >>> graph = label_nodes(graph, items, sl.solve(items.similarity))
    >>> graph.nodes[0]["label"], graph.nodes[9]["label"]
    (0, 1)
    """
    labels, confidence = result.labels.tolist(), result.confidence.tolist()
    _check_count(items.similarity.shape[0], "items", len(labels))
    if _is_from("igraph", graph):
        _check_count(graph.vcount(), "nodes", len(labels))
        graph.vs[key] = labels
        graph.vs[f"{key}_confidence"] = confidence
    elif _is_from("networkx", graph):
        ids = items.ids or []
        strangers = [node for node in ids if node not in graph]
        if strangers or len(graph) != len(labels):
            found = f"no node {strangers[0]!r}" if strangers else f"{len(graph)} nodes"
            raise InvalidInputError(
                f"graph must have the nodes of items, {len(labels)}; found {found}"
            )
        for node, label, sure in zip(ids, labels, confidence, strict=True):
            graph.nodes[node][key] = label
            graph.nodes[node][f"{key}_confidence"] = sure
    else:
        raise InvalidInputError(
            f"graph must be one of networkx or igraph; found {type(graph).__name__}"
        )
    return graph


def from_anndata(
    adata: Any, *, neighbors_key: str | None = None, obsp: str = "connectivities"
) -> Items:
    """Take the neighbour graph of an AnnData, as :func:`scanpy.pp.neighbors` leaves it.

    Parameters
    ----------
    adata : anndata.AnnData
        With a graph of its observations.
    neighbors_key : str, optional
        The ``key_added`` of scanpy; None is scanpy's own place.
    obsp : str
        Name of the graph in ``adata.obsp``, where there is no ``neighbors_key``.

    Returns
    -------
    Items
        With ``obs_names`` as ids.

    Raises
    ------
    InvalidInputError
        If there is no such graph.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> W = sp.csr_array([[0, 1], [1, 0]])
    >>> adata = SimpleNamespace(obsp={"connectivities": W}, uns={}, obs_names=["AAC", "AAG"])
    >>> from_anndata(adata).ids
    ['AAC', 'AAG']
    """
    if neighbors_key is not None:
        if neighbors_key not in adata.uns:
            raise InvalidInputError(_absent("uns", neighbors_key, adata.uns))
        obsp = adata.uns[neighbors_key].get("connectivities_key", "connectivities")
    if obsp not in adata.obsp:
        raise InvalidInputError(_absent("obsp", obsp, adata.obsp))
    return Items(_undirected(adata.obsp[obsp], f"obsp[{obsp!r}]"), ids=list(adata.obs_names))


def label_obs(adata: Any, result: Result, *, key: str = "spherelax") -> None:
    """Write labels to the observations of an AnnData, as scanpy writes those of Leiden.

    ``obs[key]`` is categorical text, ``obs[f"{key}_confidence"]`` is a number from 0 to 1, and
    ``uns[key]["params"]`` says where on the path the labels are from.

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
    _check_count(len(adata.obs), "observations", len(result.labels))
    names = [str(label) for label in range(result.n_labels)]
    adata.obs[key] = import_module("pandas").Categorical.from_codes(result.labels, names)
    adata.obs[f"{key}_confidence"] = result.confidence
    adata.uns[key] = {
        "params": {
            "alpha": result.alpha,
            "resolution": result.alpha / (1.0 - result.alpha),
            "n_labels": result.n_labels,
            "status": str(result.status),
            "version": spherelax.__version__,
        }
    }


def read_h5ad(
    path: str | Path, *, neighbors_key: str | None = None, obsp: str = "connectivities"
) -> Items:
    """Read the neighbour graph of an ``.h5ad`` file; the counts stay on disk.

    Parameters
    ----------
    path : str or Path
        As AnnData writes it. Needs the package anndata.
    neighbors_key, obsp
        As in :func:`from_anndata`.

    Returns
    -------
    Items
        With ``obs_names`` as ids.

    Raises
    ------
    InvalidInputError
        If the file is missing, broken or without such a graph.

    Examples
    --------
    >>> read_h5ad("cells.csv")
    Traceback (most recent call last):
        ...
    spherelax.problem.InvalidInputError: cells.csv: an AnnData file must end in .h5ad
    """
    path = Path(path)
    if path.suffix.lower() != ".h5ad":
        raise InvalidInputError(f"{path}: an AnnData file must end in .h5ad")
    try:
        anndata = import_module("anndata")
    except ImportError:
        raise ImportError(f"{path}: .h5ad needs anndata: pip install anndata") from None
    try:
        adata = anndata.read_h5ad(path, backed="r")
    except FileNotFoundError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}") from None
    except (OSError, *BROKEN) as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise InvalidInputError(f"{path}: not a readable .h5ad file; {reason}") from None
    try:
        return from_anndata(adata, neighbors_key=neighbors_key, obsp=obsp)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None
    finally:
        adata.file.close()


def _is_from(package: str, graph: Any) -> bool:
    """Tell whether an object is of a class of a package, or of one derived from it."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(graph).__mro__)


def _from_networkx(graph: Any, weight: str | None) -> Items:
    """Read the edges by node; nodes are numbered in their order."""
    codes = {node: code for code, node in enumerate(graph)}
    pairs = [edge[:2] for edge in graph.edges()]
    values = [None] * len(pairs) if weight is None else [w for *_, w in graph.edges(data=weight)]
    ends = np.array([(codes[a], codes[b]) for a, b in pairs], dtype=np.intp).reshape(-1, 2)
    return Items(_similarity(ends, _weights(values, pairs), len(codes)), list(codes))


def _from_igraph(graph: Any, weight: str | None) -> Items:
    """Read the edges by number, and the names of the vertices if they have any."""
    pairs = graph.get_edgelist()
    values = graph.es[weight] if weight in graph.es.attributes() else [None] * len(pairs)
    ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    ids = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return Items(_similarity(ends, _weights(values, pairs), graph.vcount()), ids)


def _weights(values: list[Any], pairs: list[tuple[Any, Any]]) -> NDArray[np.float64]:
    """Return the weights of edges as numbers; what is not there counts 1."""
    for pair, value in zip(pairs, values, strict=True):
        if value is not None and not (isinstance(value, Real) and 0 <= float(value) < inf):
            raise InvalidInputError(
                f"the weight of an edge must be a finite number >= 0; found {value!r} between "
                f"{pair[0]!r} and {pair[1]!r}"
            )
    return np.array([1.0 if value is None else value for value in values], dtype=float)


def _similarity(ends: NDArray[np.intp], values: NDArray[np.float64], n_nodes: int) -> Any:
    """Return the symmetric similarity of weighted edges, which may be none."""
    if len(ends) == 0:
        return sp.csr_array((n_nodes, n_nodes))
    return strongest(ends[:, 0], ends[:, 1], values, n_nodes)


def _undirected(matrix: Any, name: str) -> Any:
    """Return a square matrix in which the larger of both directions counts."""
    is_sparse = sp.issparse(matrix)
    try:
        W: Any = matrix if is_sparse else np.asarray(matrix)
    except ValueError:
        raise InvalidInputError(
            f"{name} must be a square matrix; found rows of different lengths"
        ) from None
    if W.ndim != 2 or W.shape[0] != W.shape[1] or W.dtype.kind not in "biuf":
        found = f"{type(matrix).__name__} of shape {W.shape} and dtype {W.dtype}"
        raise InvalidInputError(
            f"{name} must be a graph of networkx or igraph or a square matrix of numbers; "
            f"found {found}"
        )
    W = sp.csr_array(W) if is_sparse else W
    values = W.data if is_sparse else W
    if values.size and not (values.min() >= 0 and values.max() < inf):
        worst = values.max() if values.min() >= 0 else values.min()
        raise InvalidInputError(f"{name} must hold finite numbers >= 0; found {worst}")
    return W.maximum(W.T).tocsr() if is_sparse else np.maximum(W, W.T)


def _check_count(expected: int, what: str, found: int) -> None:
    """Refuse a result of other items."""
    if found != expected:
        raise InvalidInputError(
            f"result must have one label for each of {expected} {what}; found {found}"
        )


def _absent(place: str, key: str, present: Iterable[str]) -> str:
    """Say that an AnnData lacks a graph, and how to make it."""
    found = ", ".join(map(repr, present)) or "nothing"
    return f"{place} must hold {key!r}; found {found}. Run scanpy.pp.neighbors(adata) first"
