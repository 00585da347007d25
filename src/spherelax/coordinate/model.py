"""A graph with one reading of its similarities: what is walked, and what labels save."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from spherelax import result
from spherelax.coordinate.graph import UNIT, Account, Compared, Graph, Totals, within
from spherelax.coordinate.lists import Foretold
from spherelax.coordinate.sampling import Judged
from spherelax.coordinate.worth import Blocks, Degrees, Sorted, Strata, account_of
from spherelax.labels import Labels, count_labels


class Facts(NamedTuple):
    """What only the whole of a large problem shows.

    Attributes
    ----------
    degrees : ndarray of int64
        How many items have each number of similarities.
    n_entries : int
        Number of similarities, each pair counted twice.
    """

    degrees: NDArray[np.int64]
    n_entries: int

    @classmethod
    def of(cls, graph: Graph) -> Facts:
        """See what a graph shows."""
        return cls(np.bincount(np.diff(graph.indptr)), len(graph.values))

    @property
    def n_present(self) -> int:
        """Number of items that are similar to any other."""
        return int(self.degrees[1:].sum())

    def are_uneven(self) -> bool:
        """Tell whether degrees are worth correcting for."""
        return Degrees.of(self.degrees).are_uneven(self.n_present)


class Saving(Protocol):
    """What tells how many nats labels save, given what they amount to."""

    def saving(self, account: Any) -> float:
        """Return the nats that labels save over one label for all."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading(ABC):
    """What similarities are taken for: all that is known of them, whatever graph they are in.

    A reading turns any graph with such similarities into a model: a part of a problem, a shard of
    it, the same problem when it has grown. `spherelax.coordinate.readings` has all of them, each
    with its formula.

    Attributes
    ----------
    unit : float
        The largest similarity outside groups, in which all are measured; 1 where they are nats.
    is_corrected : bool
        The null model: whether the expected similarity of two items is proportional to the degrees
        of both, or the same for all pairs.
    has_patches : bool
        Of scored matches: whether wrong ones may come in patches, as
        `spherelax.coordinate.worth.matches` has it.
    """

    unit: float = 1.0
    is_corrected: bool = False
    has_patches: bool = True

    # What labels foretell, if these are cuts of a hierarchy instead of steps of a walk.
    foretold: ClassVar[Foretold | None] = None
    # Whether what labels save is their log likelihood, which has a natural zero.
    is_likelihood: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> result.Reading:
        """What users are told."""

    def view(self, graph: Graph) -> tuple[Graph, Sorted | Strata | Judged | None]:
        """Return what is walked, and what else the reading says of each similarity."""
        return graph, None

    def read(
        self,
        graph: Graph,
        sources: NDArray[np.int32] | None = None,  # noqa: ARG002 (lists need it)
    ) -> Model:
        """Return the model of a graph with such similarities.

        ``sources`` is given if free items of one source may be copies of each other.
        """
        graph = self.weigh(graph)
        seen, entries = self.view(graph)
        return Model(graph, seen, self, entries)

    def read_again(self, model: Model) -> Model:
        """Return the model of the same similarities by this reading."""
        return self.read(model.given)

    @abstractmethod
    def description(self, totals: Totals) -> Saving:
        """Return what labels save, given the totals of all items."""

    def account(self, model: Model, labels: Labels, n_threads: int) -> Account | Blocks:
        """Return what labels amount to."""
        graph = model.graph
        inside = within(graph, labels, count_labels(labels), n_threads)
        return account_of(labels, inside, graph.weight)

    def learn(self, model: Model, labels: Labels) -> Self | None:  # noqa: ARG002 (some learn)
        """Return the reading with what labels of a model teach; None: nothing, or nothing new."""
        return None

    def generalise(self, part: Model, facts: Facts) -> Self:
        """Return the reading of a whole problem, whose part has this one.

        The degrees of the whole choose the null model.
        """
        is_corrected = not part.graph.grouped and facts.are_uneven()
        return replace(self, is_corrected=is_corrected)

    def appraise(self, model: Model, graph: Graph) -> Graph:  # noqa: ARG002 (log odds need it)
        """Return what the similarities of any graph are worth, by the reading of a model."""
        return self.view(graph)[0]

    def degrees(self, graph: Graph) -> NDArray[np.float64]:
        """Return the degree of each item: its number of similarities."""
        return np.diff(graph.indptr).astype(float)

    def weigh(self, graph: Graph) -> Graph:
        """Return a graph whose items have the weights of the null model."""
        weight = self.degrees(graph) if self.is_corrected else graph.weight > 0.0
        return graph._replace(weight=weight.astype(np.float32))


class Labeling(NamedTuple):
    """Labels, what they amount to, and the nats that they save."""

    labels: Labels
    account: Account | Blocks
    saving: float


@dataclass(frozen=True, eq=False)
class Model:
    """A graph, and one reading of its similarities.

    Attributes
    ----------
    given : Graph
        Similarities as given, in units of the reading's.
    graph : Graph
        The same as they are read: what is walked.
    reading : Reading
        What the similarities are taken for.
    entries : Sorted, Strata, Judged or None
        What the reading says of each similarity beyond its value in ``graph``: its rank, or how
        likely its pair is right.
    plain_average : float or None
        The average similarity before pairs of groups were weighted; None: they were not.
    whole : Totals or None
        Totals of the problem that the graph is a part of; None: it is the whole.
    shared : ndarray of int32 or None
        The group of each item as totals number it, -1 if other parts do not have it; None: as the
        graph does.
    """

    given: Graph
    graph: Graph
    reading: Reading
    entries: Sorted | Strata | Judged | None = None
    plain_average: float | None = None
    whole: Totals | None = None
    shared: NDArray[np.int32] | None = None

    @property
    def judged(self) -> Judged | None:
        """How likely each pair is right, if the reading says it."""
        return self.entries if isinstance(self.entries, Judged) else None

    @cached_property
    def totals(self) -> Totals:
        """What is to be known of all items."""
        return self.whole or self.count()

    def count(self, shared: NDArray[np.int32] | None = None) -> Totals:
        """Return the totals of the graph; ``shared`` is that of `Totals.of`."""
        found = Totals.of(self.graph, self.reading.is_corrected, shared)
        if isinstance(self.entries, Strata):
            found = found._replace(of_stratum=self.entries.n_pairs)
        if isinstance(self.entries, Sorted):
            of_rank, unexplained = self.entries.of_rank, self.entries.unexplained
            found = found._replace(of_rank=of_rank, unexplained=unexplained)
        return found

    @cached_property
    def compared(self) -> Compared:
        """Which groups were compared; only if there are groups."""
        shared = self.graph.group if self.shared is None else self.shared
        return Compared.of(self.graph, self.totals, shared)

    @cached_property
    def description(self) -> Saving:
        """What labels save."""
        return self.reading.description(self.totals)

    @cached_property
    def average(self) -> float:
        """The mean similarity under the null model: the unit of resolutions."""
        return self.totals.average

    def labeling(self, labels: Labels, *, n_threads: int = 1) -> Labeling:
        """Return labels with what they amount to and what they save."""
        account = self.reading.account(self, labels, n_threads)
        return Labeling(labels, account, self.description.saving(account))

    def objective(self, account: Account | Blocks, resolution: float) -> float:
        """Return the objective of labels at a resolution; both in units of the average."""
        return account.similarity * UNIT / self.average - resolution * account.pairs

    def reread(self, **changes: Any) -> Model:
        """Return the model of the same similarities when more is known of them."""
        return replace(self.reading, **changes).read_again(self)

    def with_weights(self, graph: Graph) -> Model:
        """Return the model whose pairs of groups are weighted as in a graph."""
        return replace(self, graph=graph, plain_average=self.average, whole=None)

    def among(self, items: NDArray[np.intp]) -> Model:
        """Return the model of some items, which must be whole components, in rising order."""
        given, graph, entries = self.given.among(items), self.graph.among(items), self.entries
        if isinstance(entries, Sorted | Strata):
            entries = self.reading.view(given)[1]
        return replace(self, given=given, graph=graph, entries=entries, whole=None, shared=None)

    def within(self, totals: Totals, shared: NDArray[np.int32] | None = None) -> Model:
        """Return the model of a part of a problem with these totals.

        ``shared`` is the group of each item as they number it.
        """
        graph = self.graph._replace(strongest=totals.strongest)
        return replace(self, graph=graph, whole=totals, shared=shared)
