"""What was read: similarities beside the user's own names, and how labels go back to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from spherelax.errors import InvalidInputError
from spherelax.problem import Problem
from spherelax.result import Result

# Columns of an answer by name, all of one length.
Columns = dict[str, list[Any]]


class Named(ABC):
    """Things that have names of the user's, and that labels are given to."""

    ids: list[Any] | None
    groups: list[Any] | None = None

    @property
    @abstractmethod
    def n_items(self) -> int:
        """Number of things."""

    @property
    def names(self) -> list[str]:
        """Name of each item as text: its id, or its number from 0."""
        return [str(name) for name in self._ids()]

    def answer(self, result: Result) -> Columns:
        """Return columns of labels by the user's names: item, group if any, label, confidence.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> W = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
        >>> Items(W, ["a", "b", "c"]).answer(sl.solve(W, pick=9.0))["label"]
        [0, 1, 2]
        """
        check_count(result, self.n_items, "items")
        groups = {} if self.groups is None else {"group": self.groups}
        return {
            "item": self._ids(),
            **groups,
            "label": result.labels.tolist(),
            "confidence": result.confidence.tolist(),
        }

    def _ids(self) -> list[Any]:
        """Return the id of each item, or its number."""
        return list(range(self.n_items)) if self.ids is None else self.ids


@dataclass(frozen=True, eq=False)
class Items(Named):
    """Similarities as read, with the names that the user has for the items.

    Attributes
    ----------
    similarity : ndarray or sparse matrix of shape (n_items, n_items)
        As in :func:`spherelax.solve`.
    problem : Problem
        Similarities and groups, checked when first asked for: ``solve(items.problem)``.
    ids : list or None
        Name of each item, of any type. None: items are numbered from 0.
    groups : list or None
        Group of each item, where it is known; None for an item that no other excludes.

    Examples
    --------
    >>> import numpy as np
    >>> Items(np.eye(2), ids=None).names
    ['0', '1']
    """

    similarity: Any
    ids: list[Any] | None
    groups: list[Any] | None = None

    @classmethod
    def of(cls, problem: Problem, ids: list[Any] | None) -> Items:
        """Return items whose similarities are checked already.

        Examples
        --------
        >>> import numpy as np
        >>> problem = Problem.check(np.eye(2))
        >>> Items.of(problem, ids=["a", "b"]).problem is problem
        True
        """
        items = cls(problem.similarity, ids)
        vars(items)["problem"] = problem
        return items

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.similarity.shape[0])

    @cached_property
    def problem(self) -> Problem:
        """Similarities and groups, checked once: what `solve` takes instead of both."""
        return Problem.check(self.similarity, self.groups)

    def with_groups(self, groups: list[Any] | None) -> Self:
        """Return the same items in other groups; what is checked is not checked again.

        Examples
        --------
        >>> import numpy as np
        >>> Items(np.eye(2), None, ["x", "x"]).with_groups(None).problem.groups is None
        True
        """
        items = replace(self, groups=groups)
        if "problem" in vars(self):
            vars(items)["problem"] = self.problem.regrouped(groups)
        return items


def check_count(result: Result, expected: int, what: str) -> None:
    """Refuse the result of something else."""
    if len(result.labels) != expected:
        raise InvalidInputError(
            f"result must have one label for each of {expected} {what}; found {len(result.labels)}"
        )
