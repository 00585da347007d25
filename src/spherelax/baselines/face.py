"""Checks of the arguments that the other methods have in common.

Matching methods are called with ``(similarity, groups, universe)``, clustering methods with
``(similarity, n_clusters)``; a method that finds the number itself has no such last argument.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

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


def _at_most(n_items: int) -> Range:
    """Return the allowed numbers of labels."""
    return Range(1, n_items, high_open=False, integer=True)
