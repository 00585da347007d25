"""What a part of a large problem teaches, for the whole: what its similarities are worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.graph import Graph, background
from spherelax.coordinate.lists.odds import Scores, odds_of_information
from spherelax.coordinate.model import Model
from spherelax.coordinate.worth.description import are_uneven
from spherelax.coordinate.worth.evidence import Worth, by_surprise, rarity_of
from spherelax.coordinate.worth.strata import Strata


class Facts(NamedTuple):
    """What only the whole of a large problem shows.

    Attributes
    ----------
    degrees : ndarray of int64
        How many items have each number of similarities above the floor.
    n_entries : int
        Number of similarities, each pair counted twice.
    floor : float
        Similarities up to this one are not described.
    """

    degrees: NDArray[np.int64]
    n_entries: int
    floor: float = 0.0

    @classmethod
    def of(cls, graph: Graph) -> Facts:
        """See what a graph without groups shows."""
        floor = 0.0 if graph.grouped else background(graph)
        degrees = np.bincount(graph.degrees(floor).astype(np.intp))
        return cls(degrees, len(graph.values), floor)

    @property
    def n_present(self) -> int:
        """Number of items that are similar to any other."""
        return int(self.degrees[1:].sum())

    def are_uneven(self) -> bool:
        """Tell whether degrees are worth correcting for."""
        n = np.arange(1, len(self.degrees))
        return are_uneven(np.repeat(n, self.degrees[1:]).astype(float))


class Lesson(NamedTuple):
    """What was learnt, for any graph with such similarities.

    Attributes
    ----------
    unit : float
        Unit of the similarities.
    stated : str or None
        What the similarities are if they are somebody's model: "odds" or "information".
    scores : Scores or None
        How likely pairs are right, where that was learnt.
    is_corrected : bool
        Whether the null model is corrected for degrees.
    worth : Worth or None
        What a similarity of each size is worth; None: itself.
    floors : ndarray or None
        Floors of the strata; None: there are none.
    floor : float
        Similarities up to this one are not described.
    """

    unit: float
    stated: str | None = None
    scores: Scores | None = None
    is_corrected: bool = False
    worth: Worth | None = None
    floors: NDArray[np.float32] | None = None
    floor: float = 0.0

    @classmethod
    def of(cls, part: Model, facts: Facts) -> Lesson:
        """Take what the model of a part has learnt, and what only the whole shows."""
        if part.is_stated:
            return cls(part.unit, "odds" if part.given is part.graph else "information")
        if part.scores is not None:
            return cls(part.unit, scores=part.scores)
        is_corrected = not part.graph.grouped and facts.are_uneven()
        if part.strata is None:
            return cls(part.unit, is_corrected=is_corrected, worth=part.worth)
        worth = by_surprise(part.given, rarity_of(facts.n_entries, facts.n_present))
        floors = part.strata.floors
        return cls(part.unit, None, None, is_corrected, worth, floors, facts.floor)

    def applied(
        self,
        graph: Graph,
        numbers: NDArray[np.integer],
        sources: NDArray[np.int32] | None = None,
    ) -> Model:
        """Return the model of a graph.

        ``numbers`` are those of its items in the whole problem. ``sources`` is given if free items
        of one source may be copies of each other.
        """
        if self.stated is not None:
            return Model.stated(
                graph, graph if self.stated == "odds" else odds_of_information(graph)
            )
        if self.scores is not None:
            return Model.scored(
                graph, self.unit, self.scores, self.scores.predict(graph, sources, numbers)
            )
        if self.is_corrected:
            graph = graph._replace(weight=graph.degrees(self.floor).astype(np.float32))
        strata = None if self.floors is None else Strata.from_floors(graph, self.floors)
        worth = self.worth
        weighed = graph if worth is None else worth.applied(graph)
        return Model(graph, weighed, self.unit, self.is_corrected, worth, strata, self.floor)
