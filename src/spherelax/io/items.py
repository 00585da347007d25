"""Items that were read: similarities with the user's own names, and labels by these names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.words import ITEMS, Words
from spherelax.problem import Matrix, Problem, hash_names
from spherelax.result import Questions, Result

# Names of items or groups, as they were read: text, numbers or what else a table holds.
Names = list[Any]
# Columns of a table by name, all of the same length.
Columns = dict[str, Names]


@dataclass(frozen=True, eq=False)
class View:
    """Numbers that show items in a plane: features of points, or an embedding of cells.

    Attributes
    ----------
    points : ndarray of shape (n_items, n_columns)
        A row of numbers for each item.
    columns : sequence of n_columns names
        What they are called.
    unit : ndarray of shape (n_columns,) or float
        What each column is divided by before distances are measured.
    are_features : bool
        Whether the means of the columns say what the items of a label are like.

    Examples
    --------
    >>> View(np.array([[1.8, 54.0], [4.5, 80.0]]), ["eruption", "waiting"])
    View(columns=['eruption', 'waiting'], are_features=True)
    """

    points: NDArray[np.float64] = field(repr=False)
    columns: Sequence[str]
    unit: NDArray[np.float64] | float = field(default=1.0, repr=False)
    are_features: bool = True


class Named(ABC):
    """Base of items and points: they have the user's names and get labels."""

    ids: Names | None
    groups: Names | None = None
    lasting: NDArray[np.integer] | None = None
    details: Columns | None = None
    # Items of the file that were not read, because they match nothing.
    n_unmatched: int = 0
    # What a label is called in files, and what all is called in texts.
    word: ClassVar[str] = "label"
    words: ClassVar[Words] = ITEMS

    @property
    @abstractmethod
    def n_items(self) -> int:
        """Number of items."""

    @property
    def names(self) -> list[str]:
        """Name of each item as text: its id, or its number from 0."""
        return [str(name) for name in self._ids()]

    def answer(self, result: Result) -> Columns:
        """Return labels as columns: item (the user's name), group if any, label, confidence.

        Examples
        --------
        >>> import spherelax as sl
        >>> W = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
        >>> Items(W, ["a", "b", "c"]).answer(sl.solve(W, pick=9.0))["label"]
        [0, 1, 2]
        """
        check_count(result, self.n_items, "items")
        return {
            **self.who(),
            self.word: self.numbers(result).tolist(),
            "confidence": result.confidence.tolist(),
        }

    def entities(self, result: Result) -> Columns:
        """Return labels as columns: what is known of each, and what to show for it.

        After the label and its size come, if known, how likely it is pure, and whole; the item
        that represents it; and, of records with other columns, the value with most probability
        behind it: the sum of the confidences of the items that have it.

        Examples
        --------
        >>> import spherelax as sl
        >>> items = Items(np.array([[0, 2.0, -2], [2, 0, 0], [-2, 0, 0]]), None, kind="odds")
        >>> columns = items.entities(sl.solve(items.problem))
        >>> list(columns), columns["size"]
        (['label', 'size', 'pure', 'whole', 'representative_item'], [2, 1])
        """
        numbers = np.empty(result.n_labels, dtype=int)
        numbers[result.labels] = self.numbers(result)
        order = np.argsort(numbers, kind="stable")[np.count_nonzero(numbers < 0) :]
        columns = {self.word: numbers.tolist(), "size": np.bincount(result.labels).tolist()}
        likely = result.entities()
        if likely is not None:
            columns |= {name: column.tolist() for name, column in likely._asdict().items()}
        first = result.representatives().tolist()
        for name, column in name_columns(self).items():
            columns[f"representative_{name}"] = [column[item] for item in first]
        for name, column in (self.details or {}).items():
            shown = f"{name}_value" if name in columns else name
            columns[shown] = likeliest_values(column, result)
        at = order.tolist()
        return {name: [column[label] for label in at] for name, column in columns.items()}

    def pairs(self, result: Result) -> Columns:
        """Return the pairs that share a label as columns: both items, label, probability if known.

        Examples
        --------
        >>> import spherelax as sl
        >>> items = Items(np.array([[0, 9.0], [9, 0]]), ["ann", "anna"], kind="odds")
        >>> columns = items.pairs(sl.solve(items.problem))
        >>> list(columns), columns["item_b"]
        (['item_a', 'item_b', 'label', 'probability'], ['anna'])
        """
        numbers, found = self.numbers(result), result.pairs()
        columns = self._both(found.items)
        columns[self.word] = numbers[found.items[:, 0]].tolist()
        likely = found.probability
        return columns if likely is None else {**columns, "probability": likely.tolist()}

    def questions(self, asked: Questions) -> Columns:
        """Return questions as columns: both items, an empty verdict, and what is known of each.

        With the verdicts filled in, they are judgements: see :func:`spherelax.io.read_judgements`.

        Examples
        --------
        >>> import spherelax as sl
        >>> W = np.array([[0, 3, 0.5], [3, 0, 0], [0.5, 0, 0]])
        >>> items = Items(W, ["ann", "anna", "bob"], kind="odds")
        >>> columns = items.questions(sl.solve(items.problem).questions(1))
        >>> columns["item_a"], columns["item_b"], columns["verdict"]
        (['ann'], ['bob'], [''])
        """
        known = {name: column for name, column in asked.columns().items() if "item" not in name}
        return {**self._both(asked.items), "verdict": [""] * len(asked), **known}

    def _both(self, pairs: NDArray[np.intp]) -> Columns:
        """Return the columns that name both items of each pair."""
        return {
            f"{name}_{side}": [column[item] for item in items]
            for side, items in zip("ab", pairs.T.tolist(), strict=True)
            for name, column in self.who().items()
        }

    def who(self) -> Columns:
        """Return the columns that name each item."""
        return {"item": self._ids()} | ({} if self.groups is None else {"group": self.groups})

    def numbers(self, result: Result) -> NDArray[np.integer]:
        """Return the number of each item's label in files and reports; -1: it is left out.

        Examples
        --------
        >>> import spherelax as sl
        >>> W = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
        >>> Items(W, ["a", "b", "c"]).numbers(sl.solve(W, pick=9.0))
        array([0, 1, 2], dtype=int32)
        """
        own = self._own_numbers(result)
        return own if self.lasting is None else np.where(own < 0, own, self.lasting[own])

    def _own_numbers(self, result: Result) -> NDArray[np.integer]:
        """Return the numbers of labels that no earlier answer has given."""
        check_count(result, self.n_items, "items")
        return result.labels

    def _ids(self) -> Names:
        """Return the id of each item, or its number."""
        return list(range(self.n_items)) if self.ids is None else self.ids


@dataclass(frozen=True, eq=False)
class Items(Named):
    """Similarities that were read, with the user's names of the items.

    Attributes
    ----------
    similarity : ndarray or sparse matrix of shape (n_items, n_items)
        As in :func:`spherelax.solve`.
    problem : Problem
        Similarities, groups and kind, checked when first used: ``solve(items.problem)``.
    ids : list or None
        Name of each item, of any type. None: items are numbered from 0.
    groups : list or None
        Group of each item; None for an item without a group. None instead of a list: no groups.
    kind : {"graph", "neighbors", "pairs", "odds", "information"} or None
        What the similarities are, as in :func:`spherelax.solve`. None: that is to be found out.
    lasting : ndarray or None
        What each number of a label is called instead in files and reports: the id that an earlier
        answer gave it, see :func:`spherelax.keep_ids`.
    view : View or None
        Numbers that show the items in a plane, for reports.

    Examples
    --------
    >>> Items(np.eye(2), ids=None).names
    ['0', '1']
    """

    similarity: Matrix
    ids: Names | None
    groups: Names | None = None
    kind: str | None = field(default=None, kw_only=True)
    lasting: NDArray[np.integer] | None = field(default=None, kw_only=True, repr=False)
    view: View | None = field(default=None, kw_only=True, repr=False)

    @classmethod
    def of(cls, problem: Problem, ids: Names | None, view: View | None = None) -> Items:
        """Return items of a problem, whose similarities have been checked before.

        Examples
        --------
        >>> problem = Problem.check(np.eye(2))
        >>> Items.of(problem, ids=["a", "b"]).problem is problem
        True
        """
        items = cls(problem.similarity, ids, kind=problem.kind, view=view)
        vars(items)["problem"] = problem
        return items

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.similarity.shape[0])

    @cached_property
    def problem(self) -> Problem:
        """Similarities, groups, kind and names, checked once, for `solve`."""
        problem = Problem.check(self.similarity, self.groups, self.kind)
        if self.ids is None:
            return problem
        return replace(problem, names=hash_names(zip(*name_columns(self).values(), strict=True)))

    def with_groups(self, groups: Names | None) -> Self:
        """Return the same items with other groups; similarities are not checked again.

        Examples
        --------
        >>> Items(np.eye(2), None, ["x", "x"]).with_groups(None).problem.groups is None
        True
        """
        items = replace(self, groups=groups)
        if "problem" in vars(self):
            vars(items)["problem"] = self.problem.regrouped(groups)
        return items

    def scores(self, similarity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return similarities as the numbers that the user has for them.

        Examples
        --------
        >>> Items(np.eye(2), ids=None).scores(np.array([0.5]))
        array([0.5])
        """
        return similarity


def likeliest_values(values: Names, result: Result) -> Names:
    """Return for each label the value with most probability behind it; None where all are missing.

    It is the sum of the confidences of the items that have the value; of equally likely values,
    that of the surest item.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(2), np.ones((3, 3))))
    >>> likeliest_values(["Ann", "Anna", "Anna", None, "Bo", None], result)
    ['Anna', 'Bo']
    """
    behind: list[dict[str, float]] = [{} for _ in range(result.n_labels)]
    values_by_text = {repr(value): value for value in values if value is not None}
    for item in np.argsort(-result.confidence, kind="stable").tolist():
        if values[item] is not None:
            found, text = behind[result.labels[item]], repr(values[item])
            found[text] = found.get(text, 0.0) + float(result.confidence[item])
    return [
        values_by_text[max(found, key=found.__getitem__)] if found else None for found in behind
    ]


def name_columns(items: Named) -> Columns:
    """Return the columns that name each item; a group is no part of a name."""
    return {name: column for name, column in items.who().items() if name != "group"}


def check_count(result: Result, expected: int, what: str) -> None:
    """Refuse a result with another number of labels."""
    if len(result.labels) != expected:
        raise InvalidInputError(
            f"result must have one label for each of {expected} {what}; found {len(result.labels)}"
        )
