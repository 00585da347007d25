"""Why two items share a label or do not, and what would have to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.labels import Labels
from spherelax.result.saying import Speaker

Floats = NDArray[np.float64]
Items = NDArray[np.intp]


class Reason(NamedTuple):
    """Why items share a label or not: a word, the items that it is about, and what they are worth.

    Attributes
    ----------
    why : {"judged same", "judged different", "group", "taken", "blocked", "better", \
            "weak", "nothing", "level", "untold", "valley"}
        The reason.
    items : tuple of int
        The items that it is about.
    worth : tuple of float
        What they are worth.
    """

    why: str
    items: tuple[int, ...] = ()
    worth: tuple[float, ...] = ()


class Evidence(NamedTuple):
    """Listed pairs, the one that is worth most first, and those that are not listed.

    Attributes
    ----------
    items : ndarray of shape (n_pairs, 2)
        The two items of each pair.
    score : ndarray of shape (n_pairs,)
        Their similarity, as given to `solve`.
    probability : ndarray of shape (n_pairs,)
        How likely the pair is right by its score, whatever labels were chosen.
    worth : ndarray of shape (n_pairs,)
        What it adds to what labels maximise: above 0 it speaks for one label, below 0 against it.
    n_absent : int
        Number of pairs that are not listed.
    absent : float
        What these are worth together.
    """

    items: Items
    score: Floats
    probability: Floats
    worth: Floats
    n_absent: int
    absent: float


class Cut(NamedTuple):
    """The weakest cut of a label into two sides.

    Attributes
    ----------
    sides : tuple of two ndarrays
        The items of each side; the smaller one first.
    worth : float
        What all pairs across are worth together.
    probability : float or None
        How likely two items across are the same, on average over the labels that are drawn from the
        posterior; None: unknown.
    """

    sides: tuple[Items, Items]
    worth: float
    probability: float | None


class Change(NamedTuple):
    """What parts items that share a label, or joins others; checked by solving again.

    Attributes
    ----------
    removed : ndarray of shape (n_removed, 2)
        Pairs to remove.
    raised : ndarray of shape (n_raised, 2)
        Pairs to raise, or to add.
    score : float
        The score that raised pairs must have at least; NaN if there are none.
    """

    removed: Items
    raised: Items
    score: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why two items share a label, or do not; ``print`` says it in sentences.

    Attributes
    ----------
    items : tuple of one or two ints
        The items that are explained. Of a label, those at both ends of the strongest pair across
        its weakest cut; one, if it is alone and similar to nothing.
    are_together : bool
        Whether they share a label.
    probability : float or None
        How likely they are the same: if they share a label, by labels that are drawn from the
        posterior; else by the score of their pair. None: unknown.
    labels : tuple of ndarrays
        The items of the label, or of both labels.
    reasons : tuple of Reason
        Why they are apart, the most important reason first; or that they are judged to be the same.
    pairs : Evidence
        The pairs inside the label, or between both labels.
    path : tuple of int
        The items of the strongest path between them: its weakest pair is as strong as can be.
        Empty if there is none.
    cut : Cut or None
        The weakest cut of the label; None if they are apart.
    unit : str
        What worth is measured in: "nats", or "" where similarities are compared with each other.
    wall : {"judged", "group", "points", "size"} or None
        Why it is not looked for what would have to change: a judgement or a group is kept whatever
        pairs say, labels of points end where these are less dense, or labels have more than 10,000
        items. None: it is looked for.
    change : Change or None
        What would have to change, so that they part, or join. It is looked for when it is first
        asked for, which may take seconds. None: nothing was found, or it is not looked for.

    Examples
    --------
    >>> import spherelax as sl
    >>> odds = [[0, 3, -1, 0], [3, 0, 2, 0], [-1, 2, 0, 0], [0, 0, 0, 0]]
    >>> why = sl.solve(odds, kind="odds").explain(0, 2)
    >>> why.are_together, why.path, why.change.removed.tolist()
    (True, (0, 1, 2), [[1, 2]])
    """

    items: tuple[int, ...]
    are_together: bool
    probability: float | None
    labels: tuple[Items, ...]
    reasons: tuple[Reason, ...]
    pairs: Evidence
    path: tuple[int, ...]
    cut: Cut | None
    unit: str
    wall: str | None = None
    _seek: Callable[[], Change | None] | None = field(default=None, repr=False)

    @cached_property
    def change(self) -> Change | None:
        """What would have to change, so that they part, or join."""
        return None if self._seek is None else self._seek()

    def __str__(self) -> str:
        """Return the sentences, with items by their numbers."""
        return self.text()

    def text(
        self,
        names: Sequence[object] | None = None,
        *,
        speak: Callable[[str], str] = str,
        scores: Callable[[Any], Any] = np.asarray,
    ) -> str:
        """Return the sentences, one per line.

        Parameters
        ----------
        names : sequence, optional
            Names of all items. None: they are called "item 0" and so on.
        speak : callable, optional
            Turns sentences about items, groups and labels into the words of the input.
        scores : callable, optional
            Turns similarities into the scores that the user knows.

        Examples
        --------
        >>> import spherelax as sl
        >>> why = sl.solve([[0, 3, 0], [3, 0, 0], [0, 0, 0]], kind="odds").explain(0, 2)
        >>> print(why.text(["ann", "anna", "bob"]))
        ann and bob are apart, in labels of 2 items and 1 item.
        No pair is listed between their labels.
        They join if 1 pair scores 0.001 or more (ann with bob, not listed).
        """
        call = None if names is None else names.__getitem__
        return "\n".join(Speaker(self, call, speak, scores).sentences())


def check_asked(
    labels: Labels, one: int | None, other: int | None, entity: int | None
) -> tuple[int, int | None]:
    """Return the two items to explain, or an item of the label and None; refuse anything else.

    Examples
    --------
    >>> labels = np.int32([0, 1, 1])
    >>> check_asked(labels, None, None, 1), check_asked(labels, 2, 0, None)
    ((1, None), (2, 0))
    """
    if (one is None, other is None) != ((entity is not None),) * 2:
        raise InvalidInputError("explain needs two items, or the number of a label as entity")
    if entity is not None:
        label = _check_number("entity", entity, int(labels.max()) + 1)
        return int(np.flatnonzero(labels == label)[0]), None
    a, b = (_check_number("an item", item, len(labels)) for item in (one, other))
    if a == b:
        raise InvalidInputError(f"explain needs two items; found item {a} twice")
    return a, b


def _check_number(name: str, value: Any, end: int) -> int:
    """Return a number; refuse anything that is none, or not below an end."""
    try:
        number = index(value)
    except TypeError:
        number = -1
    if not 0 <= number < end:
        raise InvalidInputError(f"{name} must be a number from 0 to {end - 1}; found {value!r}")
    return number
