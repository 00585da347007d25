"""Checks of the arguments that the other methods have in common.

Matching methods are called with ``(similarity, groups, universe)``, clustering methods with
``(similarity, n_clusters)``; a method that finds the number itself has no such last argument.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from spherelax.errors import InvalidInputError
from spherelax.memory import NUMBER, check_fits
from spherelax.problem import Problem, Similarity
from spherelax.settings import Range, check_range

Labels = NDArray[np.int32]
Pairs = NDArray[np.intp]
Matrix = NDArray[np.float64]


def matching_problem(
    similarity: Similarity, groups: Iterable[Hashable], universe: int | None = None
) -> Problem:
    """Check the input of a matching method."""
    if groups is None:
        raise InvalidInputError("groups must hold one label per item; found None")
    problem = Problem.check(similarity, groups)
    if universe is not None:
        check_range(_at_most(problem.n_items), universe=universe)
        if universe < problem.largest_group:
            raise InvalidInputError(
                f"universe must be at least {problem.largest_group}, the size of the largest "
                f"group; found {universe}"
            )
    return problem


def clustering_problem(similarity: Similarity, n_clusters: int | None = None) -> Problem:
    """Check the input of a clustering method."""
    problem = Problem.check(similarity)
    if n_clusters is not None:
        check_range(_at_most(problem.n_items), n_clusters=n_clusters)
    return problem


def dense(problem: Problem) -> Matrix:
    """Return the similarities as a new dense matrix of floats."""
    W, n_items = problem.similarity, problem.n_items
    check_fits(
        2 * NUMBER * n_items**2,
        f"a dense array of all pairs of {n_items} items",
        "Take fewer items, or a method for sparse similarities.",
    )
    return np.array(W.toarray() if hasattr(W, "toarray") else W, dtype=np.float64)


def points_or_distances(
    points: ArrayLike | Similarity, affinity: str
) -> tuple[Matrix, NDArray[np.bool_]]:
    """Return points, or distances ``max(W) - W`` if these are similarities; and who is isolated."""
    if affinity == "points":
        X = check_array(points, dtype=np.float64, ensure_min_samples=2, input_name="points")
        return X, np.zeros(len(X), dtype=np.bool_)
    if affinity != "precomputed":
        raise InvalidInputError(f"affinity must be 'points' or 'precomputed'; found {affinity!r}")
    problem = clustering_problem(points)
    W = dense(problem)
    D = W.max() - W
    np.fill_diagonal(D, 0.0)
    return D, problem.isolated


def rival(package: str, method: str) -> ModuleType:
    """Import a package that is optional, for a method that needs it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f"{method} needs {package.replace('_', '-')}: pip install spherelax[rivals]"
        ) from None


def _at_most(n_items: int) -> Range:
    """Return the allowed numbers of labels."""
    return Range(1, n_items, high_open=False, integer=True)
