"""What a solver returns, and the result that users get."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.labels import Labels, count_labels, inside_pairs
from spherelax.result.findings import Duplicates, EntityProbability
from spherelax.result.path import SweepPath, nearest_step
from spherelax.result.sentences import say_status
from spherelax.result.status import Status
from spherelax.settings import NOT_NEGATIVE, POSITIVE_INTEGER, check_range

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from spherelax.problem import Matrix

# The function of each package that turns a dictionary of columns into a data frame.
FRAMES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


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

    def match_probability(self) -> csr_array | None:
        """Return how likely each listed pair is right, as CSR; None if that was not learnt."""

    def tied(self) -> float | None:
        """Return the share of the right pairs that have the same score; None if it is not known."""

    def duplicates(self) -> tuple[Duplicates, ...] | None:
        """Return for each group how many items are copies; None if that was not estimated."""

    def embedding(self, index: int) -> Matrix:
        """Return the matrix U at a step: how strongly each item belongs to each label."""


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

    def match_probability(self) -> csr_array | None:
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

    def embedding(self) -> Matrix:
        """Return the matrix U behind the labels: how strongly each item belongs to each label.

        The sweep is run again up to their step. The power solver returns a dense array; its row is
        zero for an item whose similarities are all zero. The coordinate solver returns a CSR array.
        """
        return self.source.embedding(self.position)

    def to_frame(
        self,
        *,
        ids: Sequence[object] | None = None,
        groups: Sequence[object] | None = None,
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
