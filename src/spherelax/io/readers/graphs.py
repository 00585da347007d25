"""Graphs of other packages: reads their similarities, and gives labels in their own forms.

A graph is recognised by the package of its class, so that no package has to be imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.kinds import kind_of_graph
from spherelax.errors import InvalidInputError
from spherelax.io.items import Items, Names, check_count
from spherelax.io.readers.tables import largest_of_each_pair
from spherelax.problem import Matrix, Similarity
from spherelax.result import Result

if TYPE_CHECKING:
    import igraph

# A graph of networkx or igraph, or a sparse or dense matrix.
NodeGraph = Any
WEIGHT = "weight"  # the name of the attribute in networkx and igraph


def from_graph(graph: NodeGraph, *, weight: str | None = WEIGHT) -> Items:
    """Return the similarities of a graph: the weights of its edges.

    If there are several edges between two nodes, in one or both directions, the largest weight
    counts. So a directed graph becomes undirected. Loops are on the diagonal.

    Parameters
    ----------
    graph : networkx graph, igraph graph, sparse matrix or array-like of shape (n_nodes, n_nodes)
        Any of them, directed or not.
    weight : str or None
        Attribute of the edges that says how similar their nodes are; an edge without it counts
        1. At least one edge must have it, unless it is the default. None: every edge counts 1.
        It is ignored for matrices.

    Returns
    -------
    Items
        Its ids are the nodes of networkx, or the vertex attribute "name" of igraph if there is
        one, otherwise numbers. Its kind is "graph": nodes without an edge are not alike; or
        "neighbors", if it is sparse and every node looks joined to its nearest others.

    Raises
    ------
    InvalidInputError
        If a weight is not a number >= 0, if no edge has the attribute, or if ``graph`` is not a
        graph.

    Examples
    --------
    >>> items = from_graph([[0, 2, 0], [0, 0, 1], [0, 0, 0]])
    >>> items.similarity
    array([[0, 2, 0],
           [2, 0, 1],
           [0, 1, 0]])

    :func:`label_nodes` writes labels to the nodes:

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
    return _items(undirected(graph, "graph"), None)


def label_nodes(graph: NodeGraph, items: Items, result: Result, *, key: str = "label") -> NodeGraph:
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
    >>> graph = label_nodes(graph, items, sl.solve(items.problem))
    >>> graph.nodes[0]["label"], graph.nodes[9]["label"]
    (0, 1)
    """
    labels, confidence = result.labels.tolist(), result.confidence.tolist()
    check_count(result, items.n_items, "items")
    if _is_from("igraph", graph):
        check_count(result, graph.vcount(), "nodes")
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


def node_sets(items: Items, result: Result) -> list[set[Any]]:
    """Return the nodes of each label as a set: a partition, as networkx's functions take one.

    Parameters
    ----------
    items : Items
        What :func:`from_graph` returned, or any other items.
    result : Result
        Labels of the items.

    Returns
    -------
    list of set
        Ids of the items of label 0, of label 1, and so on; numbers if items have no ids.

    Raises
    ------
    InvalidInputError
        If the result has not one label for each item.

    Examples
    --------
    >>> import networkx as nx
    >>> import spherelax as sl
    >>> graph = nx.barbell_graph(5, 0)
    >>> items = from_graph(graph)
    >>> found = node_sets(items, sl.solve(items.problem))
    >>> found[0], round(nx.community.modularity(graph, found), 2)
    ({0, 1, 2, 3, 4}, 0.45)
    """
    check_count(result, items.n_items, "items")
    ids = range(items.n_items) if items.ids is None else items.ids
    found: list[set[Any]] = [set() for _ in range(result.n_labels)]
    for node, label in zip(ids, result.labels.tolist(), strict=True):
        found[label].add(node)
    return found


def vertex_clustering(
    graph: igraph.Graph, result: Result, *, weight: str | None = WEIGHT
) -> igraph.VertexClustering:
    """Return labels as igraph's own clustering of the graph that the items were taken from.

    Parameters
    ----------
    graph : igraph.Graph
        The graph that was given to :func:`from_graph`.
    result : Result
        Labels of its vertices.
    weight : str or None
        Attribute of the edges with which ``modularity`` is computed, if there is one.

    Returns
    -------
    igraph.VertexClustering
        With igraph's ``modularity``, ``subgraphs``, ``compare_to`` and ``crossing``.

    Raises
    ------
    InvalidInputError
        If ``graph`` is not one of igraph, or has not one vertex for each label.

    Examples
    --------
    >>> import igraph
    >>> import spherelax as sl
    >>> graph = igraph.Graph.Full(5) + igraph.Graph.Full(4)
    >>> found = vertex_clustering(graph, sl.solve(from_graph(graph).problem))
    >>> found.sizes(), found.compare_to(graph.connected_components())
    ([5, 4], 0.0)
    """
    if not _is_from("igraph", graph):
        raise InvalidInputError(f"graph must be one of igraph; found {type(graph).__name__}")
    check_count(result, graph.vcount(), "nodes")
    weights = weight if weight in graph.es.attributes() else None
    return import_module("igraph").VertexClustering(
        graph, result.labels.tolist(), modularity_params={"weights": weights}
    )


def undirected(matrix: Similarity, name: str) -> Matrix:
    """Return a symmetric matrix with the larger of the values of both directions.

    Examples
    --------
    >>> undirected([[0, 2], [1, 0]], "graph")
    array([[0, 2],
           [2, 0]])
    """
    is_sparse = sp.issparse(matrix)
    try:
        W: Matrix = matrix if is_sparse else np.asarray(matrix)
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


def _is_from(package: str, graph: NodeGraph) -> bool:
    """Tell whether the class of an object, or one of its base classes, is from a package."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(graph).__mro__)


def _items(W: Matrix, ids: Names | None) -> Items:
    """Return nodes with their names, of the kind that their graph looks like."""
    return Items(W, ids, kind=kind_of_graph(W))


def _from_networkx(graph: NodeGraph, weight: str | None) -> Items:
    """Read the edges by node; nodes are numbered in their order."""
    codes = {node: code for code, node in enumerate(graph)}
    pairs = [edge[:2] for edge in graph.edges()]
    values = [None] * len(pairs) if weight is None else [w for *_, w in graph.edges(data=weight)]
    ends = np.array([(codes[a], codes[b]) for a, b in pairs], dtype=np.intp).reshape(-1, 2)
    W = _similarity(ends, _weights(weight, values, pairs), len(codes))
    return _items(W, list(codes))


def _from_igraph(graph: NodeGraph, weight: str | None) -> Items:
    """Read the edges by number, and the names of the vertices if they have any."""
    pairs = graph.get_edgelist()
    values = graph.es[weight] if weight in graph.es.attributes() else [None] * len(pairs)
    ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    ids = graph.vs["name"] if "name" in graph.vs.attributes() else None
    W = _similarity(ends, _weights(weight, values, pairs), graph.vcount())
    return _items(W, ids)


def _weights(
    name: str | None, values: Names, pairs: Sequence[tuple[object, object]]
) -> NDArray[np.float64]:
    """Return the weights of edges as numbers; a missing weight counts 1."""
    if name not in (None, WEIGHT) and values and all(value is None for value in values):
        raise InvalidInputError(f"weight must be on some edge; found none with {name!r}")
    for pair, value in zip(pairs, values, strict=True):
        if value is not None and not (isinstance(value, Real) and 0 <= float(value) < inf):
            raise InvalidInputError(
                f"the weight of an edge must be a finite number >= 0; found {value!r} between "
                f"{pair[0]!r} and {pair[1]!r}"
            )
    return np.array([1.0 if value is None else value for value in values], dtype=float)


def _similarity(ends: NDArray[np.intp], values: NDArray[np.float64], n_nodes: int) -> sp.csr_array:
    """Return the symmetric similarity of weighted edges; there may be no edges."""
    if len(ends) == 0:
        return sp.csr_array((n_nodes, n_nodes))
    return largest_of_each_pair(ends[:, 0], ends[:, 1], values, n_nodes)
