"""Numbers about a file before it is solved: items, groups, edges and components."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from spherelax.coordinate.graph import build_graph
from spherelax.io import Items
from spherelax.io.words import ITEMS, Words
from spherelax.problem import Problem

NAMES = {
    "reads_as": "read as",
    "n_items": "items",
    "n_groups": "groups",
    "n_edges": "edges",
    "n_edges_inside_groups": "edges inside groups",
    "n_components": "components",
    "n_components_with_conflicts": "components with two items of one group",
    "n_isolated": "items without an edge",
    "smallest": "smallest similarity",
    "largest": "largest similarity",
}

# Facts by name; None: it does not apply.
Facts = dict[str, str | float | None]


def facts(items: Items) -> Facts:
    """Count items, groups, edges and components.

    An edge is a positive similarity of two items that may share a label. Positive similarities
    inside groups are counted separately and connect nothing. The smallest and the largest are the
    user's own scores. What does not apply is None.

    Examples
    --------
    >>> W = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    >>> found = facts(Items(W, ids=None, groups=["x", "y", "x", "y"]))
    >>> found["n_edges"], found["n_components"], found["n_components_with_conflicts"]
    (2, 2, 1)
    """
    problem = items.problem.positive()
    m, scale = problem.n_items, float(problem.similarity.max())
    in_order = np.arange(m, dtype=np.int32)
    graph = build_graph(problem, scale, in_order)
    n_components, component = connected_components(graph.matrix(graph.values), directed=False)
    n_edges, values = len(graph.values) // 2, items.scores(scale * graph.values.astype(float))
    about: Facts = {
        "n_items": m,
        "n_groups": None,
        "n_edges": n_edges,
        "n_edges_inside_groups": None,
        "n_components": n_components,
        "n_components_with_conflicts": None,
        "n_isolated": int((np.diff(graph.indptr) == 0).sum()),
        "smallest": float(values.min()) if n_edges else None,
        "largest": float(values.max()) if n_edges else None,
    }
    if problem.groups is not None and items.groups is not None:
        every = build_graph(Problem(problem.similarity, None), scale, in_order)
        held, counts = np.unique(component * np.int64(m) + problem.groups, return_counts=True)
        about["n_groups"] = len({*items.groups} - {None})
        about["n_edges_inside_groups"] = len(every.values) // 2 - n_edges
        about["n_components_with_conflicts"] = len(np.unique(held[counts > 1] // m))
    return about


def facts_text(about: Facts, words: Words = ITEMS) -> str:
    """Return facts as lines of text in the words of the input; what does not apply is left out.

    Examples
    --------
    >>> print(facts_text({"reads_as": "edges", "n_items": 4, "n_groups": None}))
    read as                                 edges
    items                                   4
    """
    names = {name: words.speak(said) for name, said in NAMES.items()}
    width = max(map(len, names.values())) + 2
    return "\n".join(
        f"{names[name]:<{width}}{value:g}"
        if isinstance(value, float)
        else f"{names[name]:<{width}}{value}"
        for name, value in about.items()
        if value is not None
    )
