"""The result of a sweep: its steps, the path, the labels and their status."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning, shown
from spherelax.labels import Labels, count_labels, inside_pairs
from spherelax.metrics import pairwise_scores
from spherelax.settings import NOT_NEGATIVE, POSITIVE_INTEGER, check_range

# Two labelings count as the same if the pairs that share a label agree with at least this F-score.
SAME = 0.98
# If a larger share of the right pairs has one and the same score, probabilities are not believed.
TIED = 0.6
# Pairs of copies that a sentence names.
N_OFFENDERS = 3
# The function of each package that turns a dictionary of columns into a data frame.
FRAMES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


class Status(StrEnum):
    """How the labels were chosen, as a sentence.

    Examples
    --------
    >>> import spherelax as sl
    >>> print(sl.Status.STABLE)
    The labels are those that stay the same over the widest range of resolutions.
    """

    VALLEY = (
        "The labels are those of the step at which they moved least, between the two steps at "
        "which they moved most."
    )
    SETTLED = (
        "The labels are those of the middle one of the steps at which nothing moved any more, "
        "after the last step at which much did."
    )
    SINGLE = (
        "The labels are those of the step at which they moved least after the only one at which "
        "they moved much; usually there are two. Look at other steps of the path before you trust "
        "the labels."
    )
    RISING = (
        "The labels are those of the last step, because they never came to rest. Look at other "
        "steps of the path before you trust the labels."
    )
    STILL = (
        "The labels are those after the number of labels last changed, because they moved at no "
        "step. Look at other steps of the path before you trust the labels."
    )
    ISOLATED = "No item is similar to any other, so each has its own label. Check the similarities."
    DESCRIBED = (
        "The labels are those with which the similarities have the shortest description, of all "
        "resolutions that were tried."
    )
    LIKELIEST = (
        "The labels are the likeliest ones, by the probability of each pair of items that its "
        "score was found to mean."
    )
    NOISE = (
        "The labels describe the similarities hardly better than they could describe random "
        "ones: there may be no clusters, or only one. Do not rely on these labels without "
        "another reason."
    )
    STABLE = "The labels are those that stay the same over the widest range of resolutions."
    VALLEYS = (
        "Neighbouring labels were merged, unless there is a valley between them: a place with "
        "fewer points."
    )
    BORDERS = (
        "The similarities were taken for a neighbour graph: the labels are those with the thinnest "
        "borders, compared with pieces of one cloud of items."
    )
    ABSORBED = (
        "Items were added to the labels of an earlier result, at its resolution. To choose the "
        "resolution anew, solve without start."
    )
    INTERRUPTED = (
        "The sweep was interrupted: the labels are the best of the steps that were done. Run it to "
        "the end before you trust them."
    )
    CHOSEN = "The labels are those of the step that was asked for."
    NEAREST = (
        "No step has the number of labels that was asked for: the labels are those of the step "
        "with the nearest number."
    )

    @property
    def is_odd(self) -> bool:
        """Tell whether the labels need a check, so that `solve` warns."""
        return self in (
            Status.SINGLE,
            Status.RISING,
            Status.STILL,
            Status.ISOLATED,
            Status.NOISE,
            Status.INTERRUPTED,
        )


@dataclass(frozen=True)
class Step:
    """One step of the sweep, for a callback: number ``index`` (from 0) of at most ``n_steps``.

    Attributes
    ----------
    index, n_steps : int
        Number of the step, and the largest number of steps that the sweep may have.
    alpha, resolution : float
        Where the sweep is; ``resolution = alpha / (1 - alpha)``.
    eta, objective : float
        How much the last pass of the step still gained, and the objective that was reached.
    n_labels : int
        Number of labels.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 5, 0, 1], [5, 0, 0, 0], [0, 0, 0, 4], [1, 0, 4, 0]]
    >>> seen = []
    >>> result = sl.solve(W, solver="power", callback=seen.append)
    >>> seen[49].index, seen[49].n_steps, seen[49].alpha, seen[49].n_labels
    (49, 100, 0.5, 2)
    """

    index: int
    n_steps: int
    alpha: float
    eta: float
    objective: float
    n_labels: int

    @property
    def resolution(self) -> float:
        """Resolution of the step, in units of the average similarity."""
        return self.alpha / (1.0 - self.alpha)


Callback = Callable[[Step], object]


@dataclass(frozen=True, eq=False)
class SweepPath:
    """The whole sweep: numbers and labels of every step, from high to low resolution.

    Attributes
    ----------
    alphas, etas, objectives : ndarray of shape (n_steps,)
        The alpha of each step, how much its last pass still gained, and the objective that was
        reached.
    resolutions : ndarray of shape (n_steps,)
        ``alpha / (1 - alpha)``: how similar the items of two labels must be, on average, to get one
        label, in units of the average similarity.
    n_labels : ndarray of shape (n_steps,)
        Number of different labels.
    labels : sequence of n_steps arrays of shape (n_items,)
        Labels of the items, numbered within each step in order of first appearance. Steps with
        the same labels may share an array.
    savings : ndarray of shape (n_steps,) or None
        How much shorter the labels make the description of the similarities, in nats (a nat is
        1.44 bits). None if the solver did not compute it.
    stability : ndarray of shape (n_steps,)
        Width of the range of resolutions in which nearly the same pairs as at the step share a
        label: the natural logarithm of its upper end divided by its lower end.
    is_whole : bool
        Whether the sweep came to its end; False if it was interrupted.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> path = sl.solve(W, solver=sl.Power(alpha_step=0.25)).path
    >>> path.alphas, path.n_labels
    (array([0.75, 0.5 , 0.25, 0.  ]), array([3, 2, 2, 2]))
    """

    alphas: NDArray[np.float64]
    etas: NDArray[np.float64]
    objectives: NDArray[np.float64]
    labels: Sequence[NDArray[np.int32]] = field(repr=False)
    savings: NDArray[np.float64] | None = None
    is_whole: bool = True

    @property
    def resolutions(self) -> NDArray[np.float64]:
        """Resolution of each step."""
        return np.asarray(self.alphas / (1.0 - self.alphas))

    @cached_property
    def n_labels(self) -> NDArray[np.intp]:
        """Number of different labels at each step."""
        return np.array([count_labels(labels) for labels in self.labels], dtype=np.intp)

    @cached_property
    def stability(self) -> NDArray[np.float64]:
        """Width, as a difference of ln(resolution), of the range with nearly the labels of a step.

        The range holds the steps around it whose labels are those of the step, by `steady_steps`.
        It ends halfway to the next step on either side.
        """
        lowest = self.alphas.min(where=self.alphas > 0, initial=0.5)
        positive = np.where(self.alphas > 0, self.alphas, lowest / 2)
        log = np.log(positive / (1.0 - positive))
        ends = np.r_[log[0], (log[1:] + log[:-1]) / 2, log[-1]]
        ranges: list[range] = []
        for at, labels in enumerate(self.labels):
            is_new = at == 0 or not np.array_equal(labels, self.labels[at - 1])
            ranges.append(steady_steps(self.labels, at) if is_new else ranges[-1])
        return np.array([ends[found.start] - ends[found.stop] for found in ranges])


def steady_steps(labelings: Sequence[NDArray[np.int32]], at: int) -> range:
    """Return the steps around one whose labels are nearly its own.

    These are neighbours of each other, and in each of them the pairs that share a label agree with
    those of the step by an F-score of at least `SAME`.

    Examples
    --------
    >>> apart, joined = np.array([0, 1, 2]), np.array([0, 0, 1])
    >>> steady_steps([apart, joined, joined, apart], 1)
    range(1, 3)
    """

    def reach(others: Iterable[int]) -> int:
        """Return how many of the other steps follow each other with nearly the same labels."""
        return sum(
            1 for _ in takewhile(lambda other: _same(labelings[at], labelings[other]), others)
        )

    before, after = reach(range(at - 1, -1, -1)), reach(range(at + 1, len(labelings)))
    return range(at - before, at + after + 1)


def _same(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Tell whether nearly the same pairs share a label."""
    if one is other or np.array_equal(one, other):
        return True
    return pairwise_scores(one, other).f_score >= SAME


def nearest_step(path: SweepPath, resolution: float) -> int:
    """Return the step whose resolution is nearest by ratio; for 0, the lowest one."""
    if resolution == 0.0:
        return int(path.resolutions.argmin())
    with np.errstate(divide="ignore"):
        distance = np.abs(np.log(path.resolutions) - np.log(resolution))
    return int(distance.argmin())


class EntityProbability(NamedTuple):
    """How likely each label is pure, and whole.

    Attributes
    ----------
    pure : ndarray of shape (n_labels,)
        The probability that all items of the label are the same thing.
    whole : ndarray of shape (n_labels,)
        The probability that no item outside the label is the same thing as one of its items.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve([[0, 2, -2], [2, 0, 0], [-2, 0, 0]], kind="odds")
    >>> found = result.entity_probability()
    >>> found.pure.round(1), found.whole.round(1)
    (array([0.9, 1. ]), array([0.9, 0.9]))
    """

    pure: NDArray[np.float64]
    whole: NDArray[np.float64]


class Prediction(NamedTuple):
    """Labels of new items, and how sure they are.

    Attributes
    ----------
    labels : ndarray of shape (n_new,)
        Label of each new item.
    confidence : ndarray of shape (n_new,)
        From 0 to 1, as :meth:`SphereClustering.predict_with_confidence` or :func:`assign` says.

    Examples
    --------
    >>> from spherelax import SphereClustering
    >>> model = SphereClustering().fit([[0.0], [1.0], [2.0], [3.0]])
    >>> model.predict_with_confidence([[1.5]]).labels
    array([0], dtype=int32)
    """

    labels: Labels
    confidence: NDArray[np.float64]


class Source(Protocol):
    """The solved problem, from which a result computes more about a step when it is asked."""

    @property
    def max_labels(self) -> int:
        """The upper bound on the number of labels in the sweep."""

    def confidence(self, labels: NDArray[np.int32], alpha: float) -> NDArray[np.float64]:
        """Return the confidence of each item in its label, from 0 to 1."""

    @property
    def is_probability(self) -> bool:
        """Whether confidence is the probability that labels are right."""

    def entity_probability(self, labels: NDArray[np.int32]) -> EntityProbability | None:
        """Return how likely each label is pure, and whole; None if that is not known."""

    def pair_probability(self, labels: NDArray[np.int32]) -> NDArray[np.float64] | None:
        """Return how likely each pair inside labels is right, label by label; None: unknown."""

    def match_probability(self) -> Any:
        """Return how likely each listed pair is right, as CSR; None if that was not learnt."""

    def tied(self) -> float | None:
        """Return the share of the right pairs that have the same score; None if it is not known."""

    def duplicates(self) -> tuple[Duplicates, ...] | None:
        """Return for each group how many items are copies; None if that was not estimated."""

    def embedding(self, index: int) -> Any:
        """Return the matrix U at a step: how strongly each item belongs to each label."""


@dataclass(frozen=True, eq=False)
class Duplicates:
    """How many items of a group seem to be second copies of another item of it, and which.

    Attributes
    ----------
    group : int
        The group, numbered from 0 in order of first appearance.
    n_items : int
        Number of its items.
    expected : float
        Estimate of the number of copies.
    is_clear : bool
        Whether they are more than chance and a handful explain, so that `solve` warns.
    pairs : ndarray of shape (n_pairs, 2)
        Items that may be the same thing as rows ``i < j``, the strongest pair first.
    probability : ndarray of shape (n_pairs,)
        How likely each pair is the same thing.

    Examples
    --------
    >>> import spherelax as sl
    >>> W = [[0, 0, 3, 0], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]]
    >>> [(found.n_items, found.expected) for found in sl.solve(W, [0, 0, 1, 1]).duplicates()]
    [(2, 0.0), (2, 0.0)]
    """

    group: int
    n_items: int
    expected: float
    is_clear: bool
    pairs: NDArray[np.intp] = field(repr=False)
    probability: NDArray[np.float64] = field(repr=False)


def say_duplicates(
    found: Sequence[Duplicates] | None,
    names: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
    *,
    item: str = "item",
    group: str = "group",
) -> str | None:
    """Return a sentence on the group with most copies and the likeliest ones; None: no clear ones.

    Items are called by their names, groups by that of their first item; else by the item's number.
    ``item`` and ``group`` are the words for them.

    Examples
    --------
    >>> pairs, likely = np.array([[1, 4], [0, 2]]), np.array([0.9, 0.6])
    >>> say_duplicates([Duplicates(0, 5, 2.1, True, pairs, likely)])
    'about 2 of the 5 items in the group of item 1 seem to be copies of others: 1 and 4, 0 and 2'
    """
    clear = [one for one in found or () if one.is_clear]
    if not clear:
        return None
    worst = max(clear, key=lambda one: one.expected)
    first = int(worst.pairs[0, 0])
    which = f"the {group} of {item} {first}" if groups is None else f"{group} {groups[first]}"
    strongest = [
        " and ".join(str(one if names is None else names[one]) for one in pair)
        for pair in worst.pairs[:N_OFFENDERS].tolist()
    ]
    more = f" (and {len(clear) - 1} more of the {group}s have some)" if len(clear) > 1 else ""
    return (
        f"about {worst.expected:.0f} of the {worst.n_items} {item}s in {which} seem to be copies "
        f"of others: {', '.join(strongest)}{more}"
    )


def say_status(result: Result) -> str:
    """Return how the labels were chosen; with numbers, if no step has the number asked for.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    >>> say_status(replace(result, status=sl.Status.NEAREST, asked=2))
    'No step has 2 labels, so that those of the nearest one were taken, 3. Steps have 3 to 3.'
    """
    if result.status is not Status.NEAREST or result.asked is None:
        return str(result.status)
    asked = f"{result.asked:,}" if result.asked <= len(result.labels) else shown(result.asked)
    steps = result.n_labels_per_step
    return (
        f"No step has {asked} labels, so that those of the nearest one were taken, "
        f"{result.n_labels:,}. Steps have {steps.min():,} to {steps.max():,}."
    )


def say_rival(result: Result) -> str | None:
    """Return a sentence on another answer that is about as good; None: no other is.

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    >>> say_rival(result), say_rival(replace(result, rival=12))
    (None, 'Another answer is about as good: 12 labels instead of 3.')
    """
    if result.rival is None:
        return None
    return (
        f"Another answer is about as good: {result.rival:,} labels instead of {result.n_labels:,}."
    )


def say_tied(result: Result) -> str | None:
    """Return a sentence on right pairs that nearly all have the same score; None: they do not.

    Such scores show that items are equal in all that was compared, and no more: neither how often
    different things are equal, nor what the scores of copies are that differ a little.

    Examples
    --------
    >>> import spherelax as sl
    >>> say_tied(sl.solve(np.kron(np.eye(3), np.ones((4, 4)))))
    """
    share = result.source.tied()
    if share is None or share <= TIED:
        return None
    return (
        f"{share:.0%} of the pairs that count as right have the same score. Such scores cannot "
        "tell copies from different things that look the same: compare more of what is known of "
        "the items."
    )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver returns: labels, where they come from, and the solved problem.

    ``index`` is the step of the path that the labels come from, None if they come from none.
    ``right`` and ``left`` are the steps of the maxima of eta around it, None if there are none.
    ``rival`` is the number of labels of another answer that is about as good, or None.
    """

    labels: Labels
    alpha: float
    index: int | None
    status: Status
    is_whole: bool
    path: SweepPath
    source: Source
    right: int | None = None
    left: int | None = None
    rival: int | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """The labels, how they were chosen, and the path, from which others can be chosen.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        Label of each item, numbered in order of first appearance.
    n_labels : int
        Number of different labels.
    resolution : float
        How similar the items of two labels must be, on average, to get one label, in units of the
        average similarity. A higher resolution gives more and smaller labels.
    alpha : float
        The same in the units of the paper: ``resolution / (1 + resolution)``.
    status : Status
        A sentence that says how the labels were chosen, and whether to doubt them.
    confidence : ndarray of shape (n_items,)
        How likely the label of each item is right: the expected share of the other items of its
        label that are the same thing or, if it is alone, the probability that no other item is.
        It is computed when it is first asked for. The power solver has another one, from 0
        (another label would be as good) to 1 (no other label has a claim on the item).
    is_probability : bool
        Whether the confidence is a probability: it is, but for the power solver.
    path : SweepPath
        The whole sweep.
    index : int or None
        The step of the path that the labels come from. With many items the labels are improved
        after the sweep, so the path may have slightly different ones at this step. None if the
        labels come from no step: they were merged by ``pick="valleys"``, or they are connected
        components because the input looks random.
    position : int
        ``index``; if that is None, the step with the nearest resolution.
    labelings : tuple of n_steps arrays of shape (n_items,)
        Labels of every step: those of the path, but ``labels`` at ``position``.
    n_labels_per_step : ndarray of shape (n_steps,)
        Number of different labels in each of ``labelings``.
    right, left : int or None
        The steps of the two maxima of eta before and after the chosen step; None if eta has no such
        maximum, or did not choose.
    max_labels : int
        The upper bound on the number of labels in the sweep.
    asked : int or None
        The number of labels that :meth:`with_n_labels` was asked for; None: it was not.
    rival : int or None
        The number of labels of another answer, at another resolution, that is about as good; None:
        no other is, or the resolution was chosen by somebody. See :meth:`with_n_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5
    >>> result = sl.solve(W)
    >>> result.n_labels, result.labels[:5]
    (3, array([0, 0, 0, 0, 1], dtype=int32))
    >>> result.at(0.1).n_labels, result.with_n_labels(1).status == sl.Status.CHOSEN
    (1, True)
    """

    labels: NDArray[np.int32] = field(repr=False)
    alpha: float
    status: Status
    path: SweepPath = field(repr=False)
    index: int | None
    right: int | None
    left: int | None
    max_labels: int
    source: Source = field(repr=False)
    asked: int | None = None
    rival: int | None = None

    @property
    def n_labels(self) -> int:
        """Number of different labels."""
        return count_labels(self.labels)

    @cached_property
    def confidence(self) -> NDArray[np.float64]:
        """How likely the label of each item is right."""
        return self.source.confidence(self.labels, self.alpha)

    @property
    def resolution(self) -> float:
        """Resolution of the labels, in units of the average similarity."""
        return self.alpha / (1.0 - self.alpha)

    @property
    def position(self) -> int:
        """Step to mark on curves of the path: `index`, or the one with the nearest resolution."""
        return nearest_step(self.path, self.resolution) if self.index is None else self.index

    @property
    def labelings(self) -> tuple[Labels, ...]:
        """Labels of every step: those of the path, but `labels` at `position`."""
        at = self.position
        return (*self.path.labels[:at], self.labels, *self.path.labels[at + 1 :])

    @property
    def n_labels_per_step(self) -> NDArray[np.intp]:
        """Number of different labels in each of `labelings`."""
        sizes = self.path.n_labels.copy()
        sizes[self.position] = self.n_labels
        return sizes

    @property
    def is_probability(self) -> bool:
        """Whether the confidence of an item is the probability that its label is right."""
        return self.source.is_probability

    def at(self, resolution: float) -> Result:
        """Return the result at the step whose resolution is nearest; lower gives fewer labels."""
        check_range(NOT_NEGATIVE, resolution=resolution)
        return self._at_step(nearest_step(self.path, resolution), Status.CHOSEN)

    def with_n_labels(self, n_labels: int) -> Result:
        """Return the result at a step with this number of labels, or with the nearest number.

        If no step has this number, there is a warning that says which one was taken. Of several
        such steps, the labels are those that moved least; of several of these, the middle ones.
        """
        check_range(POSITIVE_INTEGER, n_labels=n_labels)
        sizes = self.n_labels_per_step
        distance = np.abs(np.log(sizes / min(n_labels, len(self.labels))))
        steps = np.flatnonzero(distance == distance.min())
        etas = self.path.etas[steps]
        best = steps[etas == etas.min()]
        is_exact = sizes[steps[0]] == n_labels
        status = Status.CHOSEN if is_exact else Status.NEAREST
        found = self._at_step(int(best[len(best) // 2]), status, asked=n_labels)
        if not is_exact:
            warnings.warn(say_status(found), SphereWarning, stacklevel=2)
        return found

    def matches(self) -> NDArray[np.intp]:
        """Return the pairs of items that share a label as rows ``i < j``, in order.

        They are cycle consistent: if i matches j and j matches l, then i matches l.
        """
        found = inside_pairs(self.labels)
        return found[np.lexsort(found.T[::-1])]

    def pair_probability(self) -> NDArray[np.float64] | None:
        """Return how likely each pair that shares a label is right, whether it is listed or not.

        Returns
        -------
        ndarray of shape (n_pairs,) or None
            For each row of :meth:`matches`. It takes into account all that hangs together with the
            pair, and so may differ from :meth:`match_probability`. None if it is not known.

        Raises
        ------
        InvalidInputError
            If the result was loaded from a file, which does not hold it.

        Examples
        --------
        >>> import spherelax as sl
        >>> result = sl.solve([[0, 2, 0], [2, 0, 3], [0, 3, 0]], kind="odds")
        >>> result.matches().tolist(), result.pair_probability().round(1)
        ([[0, 1], [0, 2], [1, 2]], array([0.9, 0.8, 1. ]))
        """
        found = self.source.pair_probability(self.labels)
        return None if found is None else found[np.lexsort(inside_pairs(self.labels).T[::-1])]

    def entity_probability(self) -> EntityProbability | None:
        """Return how likely each label is pure, and whole; None if that is not known.

        Raises
        ------
        InvalidInputError
            If the result was loaded from a file and is at another step than it was saved at.
        """
        return self.source.entity_probability(self.labels)

    def match_probability(self) -> Any:
        """Return how likely each listed pair is right, whatever labels were chosen.

        The probabilities are learnt from the scores of all pairs, or follow from log odds. Pairs
        inside a group are not listed. For all pairs that share a label, listed or not, see
        :meth:`pair_probability`.

        Returns
        -------
        csr_array of shape (n_items, n_items) or None
            Symmetric. None if the similarities were taken as they are, and for the power solver.

        Raises
        ------
        InvalidInputError
            If the result was loaded from a file, which does not hold it.

        Examples
        --------
        >>> import spherelax as sl
        >>> result = sl.solve([[0, 3, -3], [3, 0, 0], [-3, 0, 0]], kind="odds")
        >>> result.match_probability().toarray().round(2)
        array([[0.  , 0.95, 0.05],
               [0.95, 0.  , 0.  ],
               [0.05, 0.  , 0.  ]])
        """
        return self.source.match_probability()

    def duplicates(self) -> tuple[Duplicates, ...] | None:
        """Return for each group how many of its items seem to be copies of another of its items.

        A group is taken to hold each thing once. Where that is wrong, items are attracted by a
        label that another item of their group has taken, as strongly as others by their own label;
        these are counted. Copies that are like nothing else, or weaker than most, are not seen. The
        estimate is made with labels that do not allow copies, even if ``duplicate_free="soft"``.

        Returns
        -------
        tuple of Duplicates or None
            One for each group of two items or more, in order of first appearance. None for the
            power solver, and if the result was loaded from a file.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> W = np.zeros((9, 9))
        >>> W[[0, 1, 2, 3, 1], [4, 5, 6, 7, 8]] = 1.0
        >>> found = sl.solve(W + W.T, [0, 0, 0, 0, 1, 1, 1, 1, 1]).duplicates()
        >>> [one.expected for one in found], found[1].pairs.tolist()
        ([0.0, 1.0], [[5, 8]])
        """
        return self.source.duplicates()

    def embedding(self) -> Any:
        """Return the matrix U behind the labels: how strongly each item belongs to each label.

        The sweep is run again up to their step. The power solver returns a dense array; its row is
        zero for an item whose similarities are all zero. The coordinate solver returns a CSR array.
        """
        return self.source.embedding(self.position)

    def to_frame(
        self,
        *,
        ids: Sequence[Any] | None = None,
        groups: Sequence[Any] | None = None,
        like: str = "pandas",
    ) -> Any:
        """Return the labels as a data frame: item, group if given, label and confidence.

        Parameters
        ----------
        ids : sequence of n_items names, optional
            Names of the items, of any type. None numbers them from 0.
        groups : sequence of n_items names, optional
            Group of each item.
        like : {"pandas", "polars", "pyarrow"}
            The kind of frame; its package must be installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row per item, in order.

        Raises
        ------
        InvalidInputError
            If the number of ids or groups is not the number of items, or the package has no type
            for them.
        ImportError
            If the package is not installed.

        Examples
        --------
        >>> import spherelax as sl
        >>> result = sl.solve([[0, 2, 1], [2, 0, 0], [1, 0, 0]], pick=9.0)
        >>> result.to_frame(ids=["a", "b", "c"])["label"].tolist()
        [0, 1, 2]
        """
        if like not in FRAMES:
            raise InvalidInputError(f"like must be one of {', '.join(FRAMES)}; found {like!r}")
        n_items = len(self.labels)
        columns: dict[str, Any] = {"item": list(range(n_items) if ids is None else ids)}
        if groups is not None:
            columns["group"] = list(groups)
        for name, column in columns.items():
            if len(column) != n_items:
                raise InvalidInputError(
                    f"to_frame must have one {name} for each of {n_items} items; "
                    f"found {len(column)}"
                )
        try:
            package = import_module(like)
        except ImportError:
            raise ImportError(f"to_frame needs {like}: pip install {like}") from None
        columns |= {"label": self.labels, "confidence": self.confidence}
        try:
            return getattr(package, FRAMES[like])(columns)
        except (TypeError, ValueError, OverflowError) as error:
            reason = str(error).partition("\n")[0]
            raise InvalidInputError(
                f"ids and groups must be of types that {like} has; {reason}"
            ) from None

    def _at_step(self, index: int, status: Status, asked: int | None = None) -> Result:
        """Return the result at a step; at `position` that is this result with another status."""
        chosen = replace(self, status=status, asked=asked, rival=None)
        if index == self.position:
            return chosen
        labels, alpha = self.path.labels[index], float(self.path.alphas[index])
        return replace(chosen, labels=labels, alpha=alpha, index=index)
