"""What a result asks back: probabilities of labels and pairs, copies, and rows of U."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit, softmax

from spherelax.coordinate.explaining import Explainer
from spherelax.coordinate.frozen import Frozen, Level
from spherelax.coordinate.graph import Candidates, Graph, keys_of_items
from spherelax.coordinate.judging import (
    Attraction,
    choose_level,
    keep_judgements,
    open_levels,
    overrule,
    settles,
    weigh_levels,
    weigh_verdicts,
)
from spherelax.coordinate.known import Known
from spherelax.coordinate.lists import Foretold, judge_labels, uncompared_sources
from spherelax.coordinate.model import Model
from spherelax.coordinate.moves import link_labels
from spherelax.coordinate.points import Unseen
from spherelax.coordinate.readings import Learnt, Listed
from spherelax.coordinate.sampling import (
    Beliefs,
    Judged,
    Net,
    Posterior,
    Rivals,
    Rows,
    beliefs_of_log_odds,
    clip_probability,
    discount_missing,
    draw_labels,
    draw_posterior,
    learn_beliefs,
    learn_blocks,
    learn_right,
    trust_items,
    walk_share,
)
from spherelax.coordinate.trail import Route, grid, iterates
from spherelax.coordinate.worth import BlockModel, Sorted, share_right
from spherelax.judgements import Judgements
from spherelax.labels import Labels, count_labels, count_pairs, inside_pairs, renumber
from spherelax.problem import Problem
from spherelax.result import Drawn, Duplicates, EntityProbability, Explanation, Kept

# Pairs inside one label at most for which it is drawn how likely each of them is right.
MOST_PAIRS = 5_000_000


@dataclass(frozen=True, eq=False)
class CoordinateSolved:
    """What a result asks back: the model, how it was walked, labels to learn from, and copies.

    It is asked, and answers, in the order of the problem. ``teacher`` and ``sources`` are in that
    of the model. ``unseen`` is what is known of things that nothing separates; None: there are
    none. ``is_soft`` says whether copies may share labels. ``kept`` are judgements, by the order of
    the model, ``names`` those of the problem, and ``level`` the labels of their step before
    judgements were kept.
    """

    model: Model
    route: Route
    teacher: Labels
    found: tuple[Duplicates, ...]
    sources: NDArray[np.int32] | None = None
    unseen: Unseen | Rivals | None = None
    is_soft: bool = False
    kept: Judgements | None = None
    names: NDArray[np.uint64] | None = None
    level: Labels | None = None
    # The labels that were judged last, and their posterior.
    _last: list[tuple[Labels, Posterior]] = field(default_factory=list, init=False, repr=False)
    # The labels and the resolution that were explained last, and what explains them.
    _explained: list[tuple[Labels, float, Explainer]] = field(
        default_factory=list, init=False, repr=False
    )

    @property
    def with_copies(self) -> list[int]:
        """The groups that clearly hold copies."""
        return [one.group for one in self.found if one.is_clear]

    def known(self) -> Known:
        """Return what must be known to extend the result."""
        model, graph, kept = self.model, self.model.given, self.kept
        return Known(
            model.reading,
            model.plain_average or model.average,
            keys_of_items(graph),
            self.names,
            None if self.sources is None else graph.as_given(self.sources),
            None if kept is None else replace(kept, pairs=graph.given[kept.pairs].astype(np.intp)),
            self.route,
            self.found,
            self.is_soft,
            self.unseen.elsewhere() if isinstance(self.unseen, Unseen) else None,
        )

    def similarities(self, kind: str) -> Problem:
        """Return the similarities of the model as a problem again; pairs inside groups are lost."""
        graph, unit = self.model.given, self.model.reading.unit
        groups = graph.groups() if self.sources is None else self.sources
        W = graph.matrix_as_given(graph.values.astype(float) * unit)
        has_groups = graph.grouped or self.sources is not None
        return Problem.check(W, graph.as_given(groups) if has_groups else None, kind)

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
            return None if model.judged is None else self._believe(model.judged)
        right = learn_right(model.given, self.teacher)
        return self._believe(Judged(right, self._learn_matches(right)))

    def _learn_matches(self, right: NDArray[np.float64]) -> Beliefs | Rows:
        """Return what labels teach of matches; two groups never contradict each other."""
        model, teacher, totals = self.model, self.teacher, self.model.totals
        if not isinstance(model.reading, Learnt) and totals.n_groups > 2:
            return Rows.of(model.given, teacher, model.compared, totals.n_rows)
        source = uncompared_sources(model.given, self.sources)
        return learn_beliefs(model.given, teacher, right, source)

    def _believe(self, known: Judged) -> Judged:
        """Return what is known of the pairs, with the judgements of those that are listed."""
        if self.kept is None or known.beliefs is None:
            return known
        same = overrule(self.model.given, known.beliefs.same, self.kept)
        return known._replace(beliefs=known.beliefs._replace(same=same))

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
        if self.model.reading.foretold is not None:
            found = self._levels(self.model.reading.foretold).discount(found, labels)
        if self.model.judged is None:
            found = discount_missing(found, Net.of_graph(graph, source), labels)
        pairs = self._by_label(labels, found.pairs) if has_pairs else found.pairs
        return found._replace(item=graph.as_given(found.item), pairs=pairs)

    def _by_label(self, labels: Labels, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of pairs inside labels of the model in the order of the problem."""
        inside = inside_pairs(labels)
        one, other = np.sort(self.model.given.given[inside], axis=1).T
        return pairs[np.lexsort((other, one, labels[inside[:, 0]]))]

    def _levels(self, foretold: Foretold) -> Rivals:
        """Return the labels of all levels of a list that may be meant, by what was judged."""
        cuts, times = np.unique(foretold.levels, return_counts=True)
        levels = list(foretold.steps(Candidates.of(self.model.given), cuts))
        told = 0.0 if self.kept is None else weigh_levels(levels, self.kept)
        return Rivals(levels, softmax(np.log(times) + told))

    def confidence(self, labels: Labels, alpha: float) -> NDArray[np.float64]:  # noqa: ARG002 (as of other solvers)
        """Return how likely labels are right, item by item."""
        found = self.posterior(labels)
        if found is not None:
            return found.item
        graph = self.model.given
        inner = labels[graph.given]
        if isinstance(self.unseen, Rivals):
            return graph.as_given(self.unseen.share(inner))
        if self.unseen is not None:
            unseen = self.unseen
            stays = walk_share(graph, inner, unseen.same(inner))
            return graph.as_given(stays * unseen.share(inner))
        weighted, beliefs = self.beliefs
        found = draw_posterior(Net.of_graph(weighted), beliefs, inner)
        return graph.as_given(found.item * trust_items(graph, inner))

    @cached_property
    def beliefs(self) -> tuple[Graph, Beliefs]:
        """What the best labels teach of the similarities, and judgements of listed pairs."""
        graph, beliefs = self._learn_from(self.teacher)
        if self.kept is None:
            return graph, beliefs
        return graph, beliefs._replace(same=overrule(graph, beliefs.same, self.kept))

    def _learn_from(self, labels: Labels) -> tuple[Graph, Beliefs]:
        """Return what labels teach of the similarities, and the graph with its null model."""
        model, graph = self.model, self.model.given
        if len(model.totals.of_degree) == 0:
            return graph, learn_beliefs(graph, labels, share_right(graph, labels))
        sizes = model.entries if isinstance(model.entries, Sorted) else None
        return learn_blocks(graph, labels, BlockModel(model.totals), sizes)

    def keep_judgements(
        self, steps: Sequence[Labels], at: int, other: int | None, judged: Judgements
    ) -> Kept:
        """Return labels that keep judgements, at the level that agrees with them.

        ``steps`` are the labels of each step of the path, ``at`` is the one of the labels so far,
        and ``other`` that of another answer.
        """
        graph = self.model.given
        judged.check(graph.n_items, graph.as_given(graph.groups()))
        level = choose_level(steps, at, judged)
        place = np.argsort(graph.given)
        inner, labels = replace(judged, pairs=place[judged.pairs]), steps[level][graph.given]
        verdicts, walls = inner.among(inner.sure < 1.0), inner.among(inner.sure == 1.0)
        attraction = self._attraction(labels)
        if len(verdicts) > 0:
            labels = weigh_verdicts(attraction, labels, verdicts, graph.groups())
        labels = keep_judgements(attraction, labels, walls, graph.groups())
        is_settled = level != at or other is None or settles(steps, at, other, judged)
        found = renumber(graph.as_given(labels))
        return Kept(found, level, is_settled, replace(self, kept=inner, level=steps[level]))

    def _attraction(self, labels: Labels) -> Attraction:
        """Return what pairs say for one label, in nats: by their odds, or as labels teach it."""
        if self.model.judged is not None:
            graph, absent = self.model.given, 0.0
            nats = logit(clip_probability(self.model.judged.right))
        else:
            graph, beliefs = self._learn_from(labels)
            n_joined = graph.n_items - count_labels(labels)
            n_inside = 0.5 * np.count_nonzero(labels[graph.rows()] == labels[graph.indices])
            join = beliefs.join * n_joined / max(n_inside, n_joined, 1)
            nats, absent = beliefs.same + beliefs.absent + join, beliefs.absent
            if not nats.any():  # labels teach nothing: similarities count as they are walked
                nats = self.model.graph.values.astype(float)
        return Attraction(graph.matrix(nats), absent, graph.weight.astype(float))

    def explain(self, labels: Labels, alpha: float, one: int, other: int | None) -> Explanation:
        """Explain two items or, without the other, the label of one."""
        asked = np.array([one] if other is None else [one, other])
        explainer = self._explainer(labels, alpha, asked)
        explainer = replace(explainer, same=self._same(labels, one))
        a, *b = np.searchsorted(explainer.frozen.items, asked).tolist()
        return explainer.explain(a, *b) if b else explainer.explain_label(a)

    def _explainer(self, labels: Labels, alpha: float, asked: NDArray[np.intp]) -> Explainer:
        """Return what explains some items; the last one is kept, for others of its components."""
        for known, at, found in self._explained:
            is_there = bool(np.isin(asked, found.frozen.items).all())
            if is_there and at == alpha and np.array_equal(known, labels):
                return found
        frozen = self.freeze(labels, alpha, asked)
        place = np.argsort(self.model.given.given)[frozen.items]
        right, has_valleys = self._right[place][:, place], isinstance(self.unseen, Unseen)
        self._explained[:] = [(labels.copy(), alpha, Explainer(frozen, right, None, has_valleys))]
        return self._explained[0][2]

    @cached_property
    def _right(self) -> sp.csr_array:
        """How likely each listed pair is right, in the order of the model."""
        graph = self.model.given
        right = share_right(graph, self.teacher) if self.judged is None else self.judged.right
        return graph.matrix(right)

    def freeze(self, labels: Labels, alpha: float, seeds: NDArray[np.intp]) -> Frozen:
        """Return the components of the labels of some items, and what was learnt."""
        model, unseen = self.model, self.unseen
        joins_all = isinstance(unseen, Rivals) and np.array_equal(
            labels, renumber(model.given.as_given(unseen.labelings[0]))
        )
        level = Level(model.average * alpha / (1.0 - alpha), joins_all)
        return Frozen.of(model, labels, level, seeds, sources=self.sources, kept=self.kept)

    def _same(self, labels: Labels, item: int) -> NDArray[np.float64] | None:
        """Return how likely any two items of the label of an item are the same; None: unknown."""
        label, n_pairs = int(labels[item]), count_pairs(np.bincount(labels))
        if not 0 < n_pairs[label] <= n_pairs.sum() <= MOST_PAIRS or self.unseen is not None:
            return None
        found = self.posterior(labels, has_pairs=True) or self._draw_pairs(labels)
        same = np.eye(int(np.count_nonzero(labels == label)))
        before = int(n_pairs[:label].sum())
        same[np.triu_indices(len(same), 1)] = found.pairs[before : before + n_pairs[label]]
        return np.maximum(same, same.T)

    def _draw_pairs(self, labels: Labels) -> Posterior:
        """Draw labels of a graph without groups to see how likely pairs inside labels are right."""
        for known, found in self._last:
            if np.array_equal(known, labels):
                return found
        weighted, beliefs = self.beliefs
        inner = labels[weighted.given]
        found = draw_posterior(Net.of_graph(weighted), beliefs, inner, has_pairs=True)
        found = found._replace(pairs=self._by_label(inner, found.pairs))
        self._last[:] = [(labels.copy(), found)]
        return found

    def draw(self, steps: Sequence[Labels], at: int) -> Drawn:
        """Draw labels from the posterior, and find the levels that judgements leave open.

        Judgements of listed pairs hold. Arguments are those of `keep_judgements`.
        """
        graph, known, labels = self.model.given, self.judged, steps[at]
        beliefs: Beliefs | Rows
        if known is None:
            weighted, beliefs = self.beliefs
            net = Net.of_graph(weighted)
        else:
            source = uncompared_sources(graph, self.sources)
            net = known.net(graph, source)
            beliefs = known.beliefs or self._believe_matches(known)
        inner = draw_labels(net, beliefs, labels[graph.given])
        drawn = np.empty_like(inner)
        drawn[:, graph.given] = inner
        once = graph.rows() < graph.indices
        pairs = graph.given[np.column_stack([graph.rows()[once], graph.indices[once]])]
        right = None if known is None else known.right[once]
        levels, likely = self._open_levels(steps, at)
        return Drawn(drawn, np.sort(pairs, axis=1), right, levels, likely)

    def _open_levels(
        self, steps: Sequence[Labels], at: int
    ) -> tuple[list[Labels], NDArray[np.float64]]:
        """Return the levels that judgements leave open, and how likely each is."""
        if self.kept is None or self.level is None:
            return open_levels(steps, at, Judgements.of(None))
        pairs = self.model.given.given[self.kept.pairs].astype(np.intp)
        levels = [*steps[:at], self.level, *steps[at + 1 :]]
        return open_levels(levels, at, replace(self.kept, pairs=pairs))

    def _believe_matches(self, known: Judged) -> Beliefs:
        """Return what is believed of pairs if an item has one partner at most."""
        same = logit(clip_probability(known.right))
        if self.kept is not None:
            same = overrule(self.model.given, same, self.kept)
        return beliefs_of_log_odds(same)

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
        return None if self.judged is None else self.model.given.matrix_as_given(self.judged.right)

    def tied(self) -> float | None:
        """Return the share of the pairs expected to be right that have one and the same score.

        None: they were not learnt from scores alone.
        """
        model = self.model
        if model.judged is None or not isinstance(model.reading, Listed):
            return None
        return model.reading.scores.tied_share(model.given, model.judged.right)

    def link(self, labels: Labels, n_labels: int) -> Labels:
        """Merge the most similar labels down to a number, or items inside labels if they are few.

        More labels are left where nothing connects them or groups keep them apart.
        """
        graph = self.model.given
        inner, within = renumber(labels[graph.given]), None
        if count_labels(inner) < n_labels:
            inner, within = np.arange(graph.n_items, dtype=np.int32), inner
        return renumber(graph.as_given(link_labels(graph, inner, n_labels, within)))

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
