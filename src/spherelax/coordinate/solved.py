"""What a result asks back: probabilities of labels and pairs, copies, and rows of U."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.lists import judge_labels, uncompared_sources
from spherelax.coordinate.model import Model
from spherelax.coordinate.points import Unseen
from spherelax.coordinate.readings import Learnt, Listed
from spherelax.coordinate.sampling import (
    Beliefs,
    Judged,
    Net,
    Posterior,
    discount_missing,
    draw_posterior,
    learn_beliefs,
    learn_right,
    trust_items,
    walk_share,
)
from spherelax.coordinate.trail import Route, grid, iterates
from spherelax.coordinate.worth import share_right
from spherelax.labels import Labels, count_pairs, inside_pairs
from spherelax.result import (
    Duplicates,
    EntityProbability,
)


@dataclass(frozen=True, eq=False)
class CoordinateSolved:
    """What a result asks back: the model, how it was walked, labels to learn from, and copies.

    It is asked, and answers, in the order of the problem. ``teacher`` and ``sources`` are in that
    of the model. ``unseen`` is what is known of things that nothing separates; None: there are
    none.
    """

    model: Model
    route: Route
    teacher: Labels
    found: tuple[Duplicates, ...]
    sources: NDArray[np.int32] | None = None
    unseen: Unseen | None = None
    # The labels that were judged last, and their posterior.
    _last: list[tuple[Labels, Posterior]] = field(default_factory=list, init=False, repr=False)

    @property
    def with_copies(self) -> list[int]:
        """The groups that clearly hold copies."""
        return [one.group for one in self.found if one.is_clear]

    @property
    def max_labels(self) -> int:
        """Number of columns of U, one for each item."""
        return self.model.graph.n_items

    @cached_property
    def judged(self) -> Judged | None:
        """What is known of the pairs: learnt from a list, or from labels where worth is learnt."""
        model = self.model
        is_matched = model.graph.grouped and len(model.graph.values) > 0
        if model.judged is not None or not (isinstance(model.reading, Learnt) or is_matched):
            return model.judged
        right = learn_right(model.given, self.teacher)
        source = uncompared_sources(model.given, self.sources)
        return Judged(right, learn_beliefs(model.given, self.teacher, right, source, is_list=True))

    def posterior(self, labels: Labels, *, has_pairs: bool = False) -> Posterior | None:
        """Return how likely labels are right; None: unknown.

        Labels are drawn once, and the posterior is kept until other labels are asked for. Pairs
        inside labels are taken at once if they are no more than the similarities. Larger labels
        are drawn again for their pairs, and only if these are asked for.
        """
        if self.judged is None:
            return None
        size = np.bincount(labels)
        n_inside = int(count_pairs(size).sum())
        for known, found in self._last:
            if np.array_equal(known, labels) and len(found.pairs) >= has_pairs * n_inside:
                return found
        has_pairs |= n_inside <= len(self.model.given.values)
        self._last[:] = [(labels.copy(), self._draw_posterior(labels, self.judged, has_pairs))]
        return self._last[0][1]

    def _draw_posterior(self, labels: Labels, judged: Judged, has_pairs: bool) -> Posterior:
        """Draw labels around those given to see how likely these are right."""
        graph = self.model.given
        labels, source = labels[graph.given], uncompared_sources(graph, self.sources)
        found = judge_labels(graph, judged, labels, source=source, has_pairs=has_pairs)
        if self.model.judged is None:
            found = discount_missing(found, Net.of_graph(graph, source), labels)
        pairs = found.pairs
        if has_pairs:
            inside = inside_pairs(labels)
            one, other = np.sort(graph.given[inside], axis=1).T
            pairs = pairs[np.lexsort((other, one, labels[inside[:, 0]]))]
        return found._replace(item=graph.as_given(found.item), pairs=pairs)

    def confidence(self, labels: Labels, alpha: float) -> NDArray[np.float64]:  # noqa: ARG002 (as of other solvers)
        """Return how likely labels are right, item by item."""
        found = self.posterior(labels)
        if found is not None:
            return found.item
        graph = self.model.given
        inner = labels[graph.given]
        if self.unseen is not None:
            return graph.as_given(walk_share(graph, inner) * self.unseen.share(inner))
        found = draw_posterior(Net.of_graph(graph), self.beliefs, inner)
        return graph.as_given(found.item * trust_items(graph, inner))

    @cached_property
    def beliefs(self) -> Beliefs:
        """What the best labels teach of the similarities of a graph."""
        graph = self.model.given
        return learn_beliefs(graph, self.teacher, share_right(graph, self.teacher))

    @property
    def is_probability(self) -> bool:
        """Whether confidence is a probability: it always is."""
        return True

    def entity_probability(self, labels: Labels) -> EntityProbability | None:
        """Return how likely each label is pure, and whole; None: unknown."""
        found = self.posterior(labels)
        return None if found is None else EntityProbability(found.pure, found.whole)

    def pair_probability(self, labels: Labels) -> NDArray[np.float64] | None:
        """Return how likely each pair inside labels is right, label by label; None: unknown."""
        found = self.posterior(labels, has_pairs=True)
        return None if found is None else found.pairs

    def match_probability(self) -> sp.csr_array | None:
        """Return how likely each pair with a similarity is right, as CSR; None: unknown."""
        if self.judged is None:
            return None
        graph = self.model.given
        row = graph.given[graph.rows()]
        pairs = (self.judged.right, (row, graph.given[graph.indices]))
        return sp.csr_array(sp.coo_array(pairs, shape=(graph.n_items, graph.n_items)))

    def tied(self) -> float | None:
        """Return the share of the pairs expected to be right that have one and the same score.

        None: they were not learnt from scores alone.
        """
        model = self.model
        if model.judged is None or not isinstance(model.reading, Listed):
            return None
        return model.reading.scores.tied_share(model.given, model.judged.right)

    def duplicates(self) -> tuple[Duplicates, ...]:
        """Return for each group how many of its items are copies."""
        return self.found

    def embedding(self, index: int) -> sp.csr_array:
        """Walk down to a step and return its U, as CSR with a column per label."""
        resolutions = grid(self.model, self.route)
        rows = next(islice(iterates(self.model, self.route, resolutions), index, None)).rows
        r = rows.packed.shape[1] // 2
        item, entry = np.nonzero(rows.packed[:, :r] >= 0)
        columns, names = np.unique(rows.packed[item, entry], return_inverse=True)[::-1]
        return sp.csr_array(
            (rows.value[item, r + entry].astype(float), (self.model.graph.given[item], columns)),
            shape=(self.model.graph.n_items, len(names)),
        )
