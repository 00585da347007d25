"""Some components of a problem, solved again after a change, with all that was learnt kept.

The reading of the similarities, the resolution and judgements stay what they were; pairs come, go
or get another score. Ascent moves items and joins labels, but splits none. So it begins with the
labels as they are, and with those of changed items dissolved; the labels with the larger objective
are taken. Where it begins with all items alone, it may end elsewhere. What no pair holds together
any more is parted in the end. Cuts of a hierarchy are found anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from spherelax.coordinate.graph import Candidates, Graph, build_graph, spanning_tree
from spherelax.coordinate.judging import Attraction, keep_judgements
from spherelax.coordinate.model import Model
from spherelax.coordinate.moves import polish_labels
from spherelax.judgements import Judgements
from spherelax.labels import Labels, renumber
from spherelax.problem import Problem

Items = NDArray[np.intp]


class Level(NamedTuple):
    """The level at which labels were found.

    Attributes
    ----------
    gamma : float
        What two items of one label cost, in units of what is walked; or where a hierarchy is cut.
    joins_all : bool
        Whether all that is connected has one label: the similarities look like noise.
    """

    gamma: float
    joins_all: bool = False


@dataclass(frozen=True, eq=False)
class Frozen:
    """Components of a problem, in which items are numbered anew, and what was learnt.

    Attributes
    ----------
    items : ndarray
        The number of each item in the problem, which rise.
    scores : csr_array
        Similarities of the components, in units of the reading.
    groups, labels : ndarray
        Group and label of each item.
    model : Model
        The whole problem, as it was read.
    level : Level
        Where labels were found.
    sources : ndarray or None
        As in `CoordinateSolved`, but of these items.
    judged : Judgements
        Judgements of these items that are kept without exception.
    beyond : ndarray or None
        What pairs with items that are left out add to the weight of each item in the null model.
    """

    items: Items
    scores: sp.csr_array
    groups: NDArray[np.int32]
    labels: Labels
    model: Model
    level: Level
    sources: NDArray[np.int32] | None
    judged: Judgements
    beyond: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        model: Model,
        labels: Labels,
        level: Level,
        seeds: Items,
        *,
        sources: NDArray[np.int32] | None = None,
        kept: Judgements | None = None,
    ) -> Frozen:
        """Take the components of all items that share a label with one of the seeds.

        ``labels`` and ``seeds`` are in the order of the problem, ``sources`` and ``kept`` in that
        of the model.

        Examples
        --------
        >>> from spherelax.coordinate.readings import read_problem
        >>> model = read_problem(Problem.check(np.kron(np.eye(2), np.ones((3, 3)))))
        >>> labels = np.repeat(np.int32([0, 1]), 3)
        >>> frozen = Frozen.of(model, labels, Level(0.5), np.array([4]))
        >>> frozen.items, frozen.solve(frozen.scores, np.empty(0, np.intp))[0]
        (array([3, 4, 5]), array([0, 0, 0], dtype=int32))
        """
        graph, place = model.given, np.argsort(model.given.given)
        wanted = place[np.flatnonzero(np.isin(labels, labels[seeds]))]
        ptr = graph.component_ptr
        which = np.unique(np.searchsorted(ptr, wanted, side="right") - 1)
        inner = np.concatenate([np.arange(ptr[c], ptr[c + 1]) for c in which])
        inner = inner[np.argsort(graph.given[inner])]
        W = graph.matrix(graph.values.astype(float))
        number = np.full(graph.n_items, -1)
        number[inner] = np.arange(len(inner))
        judged = Judgements.of(None) if kept is None else kept.among(kept.sure == 1.0)
        return cls(
            graph.given[inner].astype(np.intp),
            sp.csr_array(W[inner][:, inner]),
            renumber(graph.groups()[inner]),
            renumber(labels[graph.given[inner]]),
            model,
            level,
            None if sources is None else sources[inner],
            _renumber(judged, number),
        )

    def around(self, a: int, b: int, most: int) -> Frozen:
        """Return the labels of two items, and those most similar to them: some items at most.

        The labels of both items are never left out. Pairs with items that are left out count in the
        null model alone.

        Examples
        --------
        >>> from spherelax.coordinate.readings import read_problem
        >>> W = np.kron(np.eye(3), np.ones((3, 3)))
        >>> W[2, 3] = W[3, 2] = W[5, 6] = W[6, 5] = 0.5
        >>> labels = np.repeat(np.int32([0, 1, 2]), 3)
        >>> frozen = Frozen.of(read_problem(Problem.check(W)), labels, Level(0.5), np.array([0]))
        >>> len(frozen.items), frozen.around(0, 1, 6).items
        (9, array([0, 1, 2, 3, 4, 5]))
        """
        if len(self.items) <= most:
            return self
        own = np.isin(self.labels, self.labels[[a, b]])
        toward = np.bincount(self.labels, weights=self.scores @ own.astype(float))
        toward[self.labels[[a, b]]] = np.inf
        order = np.argsort(-toward, kind="stable")
        n_items = np.cumsum(np.bincount(self.labels)[order])
        is_near = (toward[order] == np.inf) | ((toward[order] > 0.0) & (n_items <= most))
        return self._among(np.flatnonzero(np.isin(self.labels, order[is_near])))

    def _among(self, inner: Items) -> Frozen:
        """Return some of the items."""
        number = np.full(len(self.items), -1)
        number[inner] = np.arange(len(inner))
        part = replace(
            self,
            items=self.items[inner],
            scores=sp.csr_array(self.scores[inner][:, inner]),
            groups=renumber(self.groups[inner]),
            labels=renumber(self.labels[inner]),
            sources=None if self.sources is None else self.sources[inner],
            judged=_renumber(self.judged, number),
        )
        if not self.model.reading.is_corrected:
            return part
        return replace(part, beyond=self.attraction.weight[inner] - part.attraction.weight)

    def mates(self, item: int) -> Items:
        """Return the items that share the label of an item, itself included."""
        return np.flatnonzero(self.labels == self.labels[item])

    def clumps(self, items: Items) -> Labels:
        """Return a number for each of some items, the same for those judged to be the same."""
        return renumber(self.judged.clumps(len(self.items))[items])

    @cached_property
    def attraction(self) -> Attraction:
        """What pairs are worth as they are, in the unit of what labels maximise."""
        return self._attract(self.scores)[1]

    @cached_property
    def tree(self) -> sp.csr_array:
        """A maximum spanning tree of what pairs are worth."""
        return spanning_tree(self.attraction.listed)

    def solve(self, scores: sp.csr_array, changed: Items) -> tuple[Labels, ...]:
        """Return the labels of changed similarities, with all that was learnt kept.

        The best labels come first, then those that are as good, and those from items that are all
        alone. ``changed`` are the items whose similarities have changed.
        """
        foretold = self.model.reading.foretold
        graph, attraction = self._attract(scores)
        if foretold is not None:
            cut = np.array([foretold.nearest(self.level.gamma)])
            found = next(foretold.steps(Candidates.of(graph), cut))
            return (self._keep(attraction, renumber(graph.as_given(found))),)
        is_loose = np.isin(self.labels, self.labels[changed])
        alone = np.arange(len(self.labels), dtype=np.int32)
        dissolved = renumber(np.where(is_loose, len(alone) + alone, self.labels))
        parted, kept, fresh = (
            self._keep(attraction, _part(attraction, renumber(graph.as_given(moved))))
            for moved in (
                polish_labels(graph, begin[graph.given], attraction.absent)
                for begin in (dissolved, self.labels, alone)
            )
        )
        gains = attraction.inside(parted), attraction.inside(kept)
        if np.isclose(*gains):
            return parted, kept, fresh
        return parted if gains[0] > gains[1] else kept, fresh

    def _keep(self, attraction: Attraction, labels: Labels) -> Labels:
        """Return labels that keep the judgements."""
        if len(self.judged) == 0:
            return labels
        return keep_judgements(attraction, labels, self.judged, self.groups)

    def _attract(self, scores: sp.csr_array) -> tuple[Graph, Attraction]:
        """Return the graph that is walked, or cut, and what its pairs are worth."""
        given = build_graph(Problem(scores, self.groups, "odds"), 1.0)
        graph, reading = given, self.model.reading
        if len(given.values) > 0:
            sources = None if self.sources is None else self.sources[given.given]
            graph = reading.read(given, sources).graph
        listed = graph.matrix_as_given(graph.values.astype(float))
        if self.model.plain_average is not None:
            listed = sp.csr_array(listed + listed.multiply(self._reliability))
            entries = listed[graph.given[graph.rows()], graph.given[graph.indices]]
            graph = graph.with_values(np.asarray(entries, dtype=np.float32).ravel())
        if self.beyond is not None:
            weight = graph.weight + self.beyond[graph.given]
            graph = graph._replace(weight=weight.astype(np.float32))
        is_free = reading.is_likelihood or self.level.joins_all
        gamma = 0.0 if is_free else self.level.gamma
        weight = graph.as_given(graph.weight).astype(float)
        return graph if reading.foretold is None else given, Attraction(listed, gamma, weight)

    @cached_property
    def _reliability(self) -> sp.csr_array:
        """How much more each pair counts because of its pair of groups, as a share; new ones: 0."""
        graph, given = self.model.graph, self.model.given
        plain = self.model.reading.read(given).graph
        ratio = graph.values / np.maximum(plain.values, np.finfo(np.float32).tiny) - 1.0
        place = np.argsort(graph.given)[self.items]
        return sp.csr_array(graph.matrix(ratio.astype(float))[place][:, place])


def _renumber(judged: Judgements, number: NDArray[np.intp]) -> Judgements:
    """Return judgements of items by their new numbers; -1: an item is left out."""
    found = replace(judged, pairs=number[judged.pairs])
    return found.among(np.asarray((found.pairs >= 0).all(axis=1)))


def _part(attraction: Attraction, labels: Labels) -> Labels:
    """Part what no pair holds together; that costs nothing.

    Examples
    --------
    >>> attraction = Attraction(sp.csr_array([[0, 1, 0], [1, 0, -1], [0, -1, 0]]), 0.0, np.ones(3))
    >>> _part(attraction, np.zeros(3, dtype=np.int32))
    array([0, 0, 1], dtype=int32)
    """
    pairs = attraction.listed.tocoo()
    holds = (labels[pairs.row] == labels[pairs.col]) & (pairs.data > 0.0)
    ends = pairs.row[holds], pairs.col[holds]
    held = sp.coo_array((np.ones(len(ends[0])), ends), shape=pairs.shape)
    return renumber(connected_components(held, directed=False)[1])
