"""The result that users get."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError, SphereWarning
from spherelax.judgements import Judgements
from spherelax.labels import Labels, count_labels, inside_pairs
from spherelax.result.explanation import Explanation, check_asked
from spherelax.result.findings import Duplicates, EntityProbability, Pairs, Prediction
from spherelax.result.frames import make_frame
from spherelax.result.outcome import Solved
from spherelax.result.path import SweepPath, nearest_step
from spherelax.result.questions import Questions, ask
from spherelax.result.reading import Reading
from spherelax.result.sentences import say_status
from spherelax.result.status import Status
from spherelax.settings import NOT_NEGATIVE, POSITIVE_INTEGER, check_range

if TYPE_CHECKING:
    from spherelax.problem import Matrix

# Adds similarities and groups of more items to a result, for one of its methods; and forgets some.
Extend = Callable[["Result", str, Any, Iterable[Hashable] | None], "Result"]
Forget = Callable[["Result", Iterable[Hashable]], "Result"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Result:
    """The labels, how they were chosen, and the path, from which others can be chosen.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        Label of each item, numbered in order of first appearance.
    n_labels : int
        Number of different labels.
    confidence : ndarray of shape (n_items,)
        How likely the label of each item is right: the expected share of the other items of its
        label that are the same thing or, if it is alone, the probability that no other item is.
        It is computed when it is first asked for. The power solver has another one, from 0
        (another label would be as good) to 1 (no other label has a claim on the item).
    is_probability : bool
        Whether the confidence is a probability: it is, but for the power solver.
    status : Status
        How the labels were chosen; ``status.sentence`` says it in plain words, and whether to doubt
        them.
    kind : {"graph", "neighbors", "pairs", "odds", "information", "points"}
        What the similarities were taken for: what `solve` was told or, if nothing, what it found;
        "points" for a :class:`spherelax.similarity.NeighborGraph`.
    reading : Reading
        What was done with the similarities; ``reading.sentence`` says it in plain words.
    resolution : float
        How similar the items of two labels must be, on average, to get one label, in units of the
        average similarity. A higher resolution gives more and smaller labels.
    path : SweepPath
        The whole sweep; ``path.picked`` is the step that the labels come from.
    alternative : int or None
        The number of labels of another answer, at another resolution, that is about as good; None:
        no other is, or somebody chose the resolution. See :meth:`with_n_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5
    >>> result = sl.solve(W)
    >>> result.n_labels, result.labels[:5]
    (3, array([0, 0, 0, 0, 1], dtype=int32))
    >>> result
    Result(3 labels of 12 items; kind graph, reading ranked, status described)
    >>> result.at(0.1).n_labels, result.with_n_labels(1).status == sl.Status.CHOSEN
    (1, True)
    """

    status: Status
    kind: str
    reading: Reading
    path: SweepPath
    alternative: int | None = None
    _solved: Solved
    _extend: Extend | None = None
    _forget: Forget | None = None
    _asked: int | None = None
    _n_groups: int | None = None

    def __repr__(self) -> str:
        """Tell what was found; the mean confidence only if it has been computed."""
        groups = "" if self._n_groups is None else f" in {self._n_groups:,} groups"
        said = [
            f"{self.n_labels:,} labels of {len(self.labels):,} items{groups}",
            f"kind {self.kind}, reading {self.reading}, status {self.status}",
        ]
        if "confidence" in vars(self):
            said.append(f"mean confidence {self.confidence.mean():.2f}")
        if self.alternative is not None:
            said.append(f"about as good: {self.alternative:,} labels")
        return f"Result({'; '.join(said)})"

    @property
    def labels(self) -> Labels:
        """Label of each item."""
        return self.path.labels[self.path.picked]

    @property
    def n_labels(self) -> int:
        """Number of different labels."""
        return count_labels(self.labels)

    @cached_property
    def confidence(self) -> NDArray[np.float64]:
        """How likely the label of each item is right."""
        return self._solved.confidence(self.labels, self.path.alpha)

    @property
    def is_probability(self) -> bool:
        """Whether the confidence of an item is the probability that its label is right."""
        return self._solved.is_probability

    @property
    def resolution(self) -> float:
        """Resolution of the labels, in units of the average similarity."""
        return float(self.path.resolutions[self.path.picked])

    def at(self, resolution: float) -> Result:
        """Return the result at the step whose resolution is nearest; lower gives fewer labels."""
        check_range(NOT_NEGATIVE, resolution=resolution)
        return self._at_step(nearest_step(self.path, resolution), Status.CHOSEN)

    def with_n_labels(self, n_labels: int) -> Result:
        """Return the result with this number of labels, or with the nearest number.

        Of several steps that have it, the labels are those that moved least; of several of these,
        the middle ones. If no step has it, the most similar labels of the next finer step are
        merged (average linkage), or single items inside the labels of the finest step. Labels that
        nothing connects do not merge, nor do those that hold items of one group; the power solver
        and a result that was loaded from a file have steps only. The labels are then those with
        the nearest number, and a warning says so.
        """
        check_range(POSITIVE_INTEGER, n_labels=n_labels)
        sizes, wanted = self.path.n_labels, min(n_labels, len(self.labels))
        distance = np.abs(np.log(sizes / wanted))
        if distance.min() > 0.0:
            at = int(np.where(sizes > wanted, sizes, sizes.max()).argmin())
            linked = self._solved.link(self.path.labels[at], wanted)
            n_linked = 0 if linked is None else count_labels(linked)
            if linked is not None and abs(np.log(n_linked / wanted)) < distance.min():
                labels = (*self.path.labels[:at], linked, *self.path.labels[at + 1 :])
                path = replace(self.path, labels=labels, picked=at, joined=at)
                found = replace(self, status=Status.LINKED, path=path, alternative=None)
                return found if n_linked == n_labels else found._nearest(n_labels)
        steps = np.flatnonzero(distance == distance.min())
        etas = self.path.etas[steps]
        best = steps[etas == etas.min()]
        found = self._at_step(int(best[len(best) // 2]), Status.CHOSEN)
        return found if sizes[steps[0]] == n_labels else found._nearest(n_labels)

    def _nearest(self, n_labels: int) -> Result:
        """Return this result as that with the nearest number of labels, and warn."""
        found = replace(self, status=Status.NEAREST, _asked=n_labels)
        warnings.warn(SphereWarning(say_status(found), str(found.status)), stacklevel=3)
        return found

    def pairs(self) -> Pairs:
        """Return the pairs of items that share a label, and how likely each is right.

        They are cycle consistent: if i and j are a pair, and j and l, then so are i and l.
        """
        pairs = inside_pairs(self.labels)
        order = np.lexsort(pairs.T[::-1])
        return Pairs(pairs[order], partial(_pair_probability, self._solved, self.labels, order))

    def listed_probability(self) -> Any:
        """Return how likely each listed pair is right, whatever labels were chosen.

        The probabilities are learnt from the scores of all pairs, or follow from log odds. Pairs
        inside a group are not listed. For all pairs that share a label, listed or not, see
        :meth:`pairs`.

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
        >>> result.listed_probability().toarray().round(2)
        array([[0.  , 0.95, 0.05],
               [0.95, 0.  , 0.  ],
               [0.05, 0.  , 0.  ]])
        """
        return self._solved.match_probability()

    def entities(self) -> EntityProbability | None:
        """Return how likely each label is pure, and whole; None if that is not known.

        Raises
        ------
        InvalidInputError
            If the result was loaded from a file and is at another step than it was saved at.
        """
        return self._solved.entity_probability(self.labels)

    def representatives(self) -> NDArray[np.intp]:
        """Return the item to show for each label, its medoid.

        It is the item with the highest confidence, the expected share of the other items of its
        label that are the same thing as it; of those that are equal to 0.01, the first.

        Examples
        --------
        >>> import spherelax as sl
        >>> result = sl.solve([[0, 2, 0], [2, 0, 3], [0, 3, 0]], kind="odds")
        >>> result.labels, result.representatives()
        (array([0, 0, 0], dtype=int32), array([1]))
        """
        order = np.lexsort((-self.confidence.round(2), self.labels))
        return order[np.searchsorted(self.labels[order], np.arange(self.n_labels))]

    def duplicates(self) -> tuple[Duplicates, ...] | None:
        """Return for each group how many of its items seem to be copies of another of its items.

        A group is taken to hold each thing once. Where that is wrong, items are attracted by a
        label that another item of their group has taken, as strongly as others by their own label;
        these are counted. Copies that are like nothing else, or weaker than most, are not seen. The
        estimate is made with labels that do not allow copies, even if `solve` was told
        ``one_per_group="unless_copies"``.

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
        return self._solved.duplicates()

    def extend(self, similarity: Any, groups: Iterable[Hashable] | None = None) -> Result:
        """Add items and similarities to this result, without a new sweep.

        The items of this result come first. The others, and any new similarities, are added at its
        resolution. Known items move only if their similarities have changed, and labels merge only
        if both hold such an item. Kind and ``one_per_group`` stay what they were.

        Parameters
        ----------
        similarity : array-like or sparse matrix of shape (n_items, n_items)
            As in :func:`solve`, of known and new items.
        groups : sequence of n_items hashable labels, optional
            As in :func:`solve`, of known and new items.

        Returns
        -------
        Result
            Of all items. Its path has one step.

        Raises
        ------
        InvalidInputError
            If there are fewer items than known ones; if this result is of the power solver; and if
            it was loaded from a file and is of points, or an older version saved it.

        Examples
        --------
        >>> import spherelax as sl
        >>> W, groups, truth = sl.datasets.make_partial_matching(9, 5, random_state=0)
        >>> known = groups < 8  # the last of nine images is new
        >>> result = sl.solve(W[known][:, known], groups[known])
        >>> result.extend(W, groups).n_labels
        5
        """
        return self._grow("extend", similarity, groups)

    def assign(self, similarity: Any, groups: Iterable[Hashable] | None = None) -> Prediction:
        """Give new items labels of this result; known items keep theirs.

        One more image against known tracks, or one more record against known entities. Nobody's
        place is taken: where a known item of the same group has a label, no new one gets it.

        Parameters
        ----------
        similarity, groups
            As in :meth:`extend`. Similarities between new items count, too.

        Returns
        -------
        Prediction
            Labels of the new items: those of this result, or numbers from ``n_labels`` on for
            things that it does not have; and how likely each is right.

        Raises
        ------
        InvalidInputError
            As in :meth:`extend`.

        Examples
        --------
        >>> import spherelax as sl
        >>> W, groups, truth = sl.datasets.make_partial_matching(9, 5, random_state=0)
        >>> known = groups < 8  # the last of nine images is new
        >>> result = sl.solve(W[known][:, known], groups[known])
        >>> result.assign(W, groups).labels, result.n_labels
        (array([1, 3, 0], dtype=int32), 5)
        """
        grown = self._grow("assign", similarity, groups)
        n_known = len(self.labels)
        labels = labels_in_terms_of(self.labels, grown.labels)
        return Prediction(labels[n_known:], grown.confidence[n_known:])

    def _grow(self, method: str, similarity: Any, groups: Iterable[Hashable] | None) -> Result:
        """Return this result with more items; messages name the method."""
        if self._extend is None:
            one = "one of points" if self.kind == "points" else "one"
            raise InvalidInputError(
                f"{method} needs a result of the coordinate solver; found {one} that was loaded "
                "from a file"
            )
        return self._extend(self, method, similarity, groups)

    def forget(self, items: Iterable[Hashable]) -> Result:
        """Return the result without some items, as if they had never been there.

        Their similarities go with them. Their components are solved again with what was learnt
        frozen; all other labels stay. It is the result of ``solve(..., like=self)`` for a problem
        that does not have these items. Judgements of them are dropped.

        Parameters
        ----------
        items : sequence of names
            Names of items of a problem that was read, such as ``"7"``, or ``("shop", 7)`` for a
            record with a source. Else their numbers.

        Returns
        -------
        Result
            Of all other items, in their order. Its path has one step.

        Raises
        ------
        InvalidInputError
            If an item is not known; and if this result is of points or neighbours, of the power
            solver, or was loaded from a file: then there are no similarities to solve again.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> result = sl.solve(np.kron(np.eye(2), np.ones((4, 4))))
        >>> result.forget([0, 5]).labels
        array([0, 0, 0, 1, 1, 1], dtype=int32)
        """
        if self._forget is None:
            raise InvalidInputError("forget needs a result of `solve`; found one of parts of it")
        return self._forget(self, items)

    def judge(self, judgements: Any) -> Result:
        """Return the result that keeps judgements: pairs known to be the same thing, or different.

        Every judgement is kept. Judgements also tell at which level things are the same: where the
        labels of another step agree with clearly more of them (3 nats of evidence), they are taken.
        Then labels that hold different things are split, and those that hold the same thing are
        joined; all others stay as they are. No new sweep is needed.

        Parameters
        ----------
        judgements : Judgements, or triples of two items and a verdict
            A verdict is "same", "different" or "cannot tell". See :class:`Judgements`.

        Returns
        -------
        Result
            Its status is that of this result.

        Raises
        ------
        InvalidInputError
            If judgements contradict each other or the groups; the message names the smallest set
            of them that does. And if this result is of the power solver, or was loaded from a file.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> result = sl.solve(np.kron(np.eye(2), np.ones((4, 4))))
        >>> result.judge([(0, 7, "different"), (0, 3, "different")]).labels
        array([0, 0, 0, 1, 2, 2, 2, 2], dtype=int32)
        """
        judged, path = Judgements.of(judgements), self.path
        if len(judged) == 0:
            return self
        other = None
        if self.alternative is not None:
            other = int(np.abs(path.n_labels - self.alternative).argmin())
        kept = self._solved.keep_judgements(path.labels, path.picked, other, judged)
        labels = (*path.labels[: kept.at], kept.labels, *path.labels[kept.at + 1 :])
        is_step = np.array_equal(kept.labels, path.labels[kept.at])
        return replace(
            self,
            path=replace(path, labels=labels, picked=kept.at, joined=None if is_step else kept.at),
            alternative=None if kept.is_settled else self.alternative,
            _solved=kept.solved,
        )

    def explain(
        self, one: int | None = None, other: int | None = None, *, entity: int | None = None
    ) -> Explanation:
        """Explain why two items share a label or do not, or what holds a label together.

        Parameters
        ----------
        one, other : int
            Numbers of two items.
        entity : int
            Number of a label, instead of items: the strongest pair across its weakest cut is
            explained or, if it holds one item, the pair of this with the most similar one.

        Returns
        -------
        Explanation
            Which pairs speak for one label and which against it, the strongest path, the weakest
            cut, and what would have to change, so that they part or join; ``print`` says it in
            sentences. What would have to change was checked: with these pairs removed, or raised,
            and all that was learnt kept, solving again parts or joins the two items.

        Raises
        ------
        InvalidInputError
            If an item or the label does not exist; and if this result is of the power solver, or
            was loaded from a file.

        Examples
        --------
        >>> import numpy as np
        >>> import spherelax as sl
        >>> W = np.kron(np.eye(2), np.ones((3, 3)))
        >>> W[2, 3] = W[3, 2] = 1
        >>> why = sl.solve(W).explain(2, 3)
        >>> why.are_together, [reason.why for reason in why.reasons]
        (False, ['weak'])
        """
        asked = check_asked(self.labels, one, other, entity)
        return self._solved.explain(self.labels, self.path.alpha, *asked)

    def questions(self, n: int) -> Questions:
        """Return the n pairs of items whose answers would change the labels most.

        Labels are drawn from the posterior; see :class:`Questions` for what is expected to change.
        No two questions ask the same thing. If another answer is about as good, the first ones tell
        which one is meant. Give the answers to :meth:`judge`, and ask again.

        Parameters
        ----------
        n : int
            The number of questions; there are fewer if nothing else is in doubt.

        Raises
        ------
        InvalidInputError
            If this result is of the power solver, or was loaded from a file.

        Examples
        --------
        >>> import spherelax as sl
        >>> W, groups, truth = sl.datasets.make_partial_matching(9, 5, random_state=0)
        >>> result = sl.solve(W, groups)
        >>> [(a, b)] = result.questions(1).items.tolist()
        >>> result = result.judge([(a, b, truth[a] == truth[b])])
        """
        check_range(POSITIVE_INTEGER, n=n)
        return ask(self.labels, self._solved.draw(self.path.labels, self.path.picked), n)

    def embedding(self) -> Matrix:
        """Return the matrix U behind the labels: how strongly each item belongs to each label.

        The sweep is run again up to their step. The power solver returns a dense array; its row is
        zero for an item whose similarities are all zero. The coordinate solver returns a CSR array.
        """
        return self._solved.embedding(self.path.picked)

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
        columns |= {"label": self.labels, "confidence": self.confidence}
        return make_frame(columns, like, "ids and groups")

    def _at_step(self, index: int, status: Status) -> Result:
        """Return the result at a step of the path."""
        path = self.path if index == self.path.picked else replace(self.path, picked=index)
        return replace(self, status=status, path=path, alternative=None, _asked=None)


def labels_in_terms_of(known: Labels, grown: Labels) -> Labels:
    """Return labels of known and more items, with the numbers that the known ones had.

    A label gets the number that most of its known items had. Of two labels that would get one
    number, the one with fewer known items gets a new one, and so does a label without known items.

    Examples
    --------
    >>> labels_in_terms_of(np.array([0, 1, 1]), np.array([0, 1, 1, 0, 2]))
    array([0, 1, 1, 0, 2], dtype=int32)
    >>> labels_in_terms_of(np.array([0, 0, 1]), np.array([0, 1, 1]))
    array([0, 1, 1], dtype=int32)
    """
    pairs, counts = np.unique(
        np.column_stack([grown[: len(known)], known]), axis=0, return_counts=True
    )
    numbers: dict[int, int] = {}
    taken = set()
    for label, name in pairs[np.argsort(-counts, kind="stable")].tolist():
        if label not in numbers and name not in taken:
            numbers[label] = name
            taken.add(name)
    free = count(count_labels(known))
    found = [numbers[label] if label in numbers else next(free) for label in range(grown.max() + 1)]
    return np.array(found, dtype=np.int32)[grown]


def _pair_probability(
    solved: Solved, labels: Labels, order: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Return how likely each pair inside labels is right, in an order; None: unknown."""
    found = solved.pair_probability(labels)
    return None if found is None else found[order]
