"""Why two items share a label or do not, by what pairs are worth in the frozen components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.changing import MOST_ITEMS, NO_PAIRS, seek
from spherelax.coordinate.frozen import Frozen
from spherelax.coordinate.graph import (
    contract_pairs,
    spanning_tree,
    strongest_path,
    weakest_cut,
)
from spherelax.labels import count_pairs
from spherelax.result import Cut, Evidence, Explanation, Reason

Floats = NDArray[np.float64]
Items = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Explainer:
    """Explains pairs of items, numbered as in ``frozen``.

    Attributes
    ----------
    frozen : Frozen
        Their components, and what was learnt.
    right : csr_array
        How likely each listed pair is right.
    same : ndarray or None
        How likely any two items of the label of the first item are the same; None: unknown.
    has_valleys : bool
        Whether labels end where items are less dense, as those of points: solving again does not
        tell then what would have to change.
    """

    frozen: Frozen
    right: sp.csr_array
    same: Floats | None
    has_valleys: bool

    def explain(self, a: int, b: int, side: Items | None = None) -> Explanation:
        """Explain two items; ``side`` has the items on one side of a cut that shall part them."""
        frozen = self.frozen
        together = bool(frozen.labels[a] == frozen.labels[b])
        one, other = frozen.mates(a), frozen.mates(b)
        wall = self._wall(a, b, together)
        cut = np.empty(0, np.intp) if side is None else side
        return Explanation(
            items=(int(frozen.items[a]), int(frozen.items[b])),
            are_together=together,
            probability=self._probability(a, b, together),
            labels=tuple(frozen.items[items] for items in ((one,) if together else (one, other))),
            reasons=tuple(self._reasons(a, b, together)),
            pairs=self._evidence(one, other, is_inside=together),
            path=self._path(a, b, together),
            cut=self._cut(one, side) if together else None,
            unit="nats" if frozen.model.reading.is_likelihood else "",
            wall=wall,
            _seek=partial(seek, frozen, a, b, cut) if wall is None else None,
        )

    def explain_label(self, a: int) -> Explanation:
        """Explain the label of an item: its weakest cut, and the strongest pair across.

        An item that is alone is explained with the most similar item.
        """
        frozen, mates = self.frozen, self.frozen.mates(a)
        if len(mates) > 1:
            is_side = self._weakest(mates)
            side, rest = mates[is_side], mates[~is_side]
            across = frozen.attraction.listed[side][:, rest].tocoo()
            k, j = 0, 0
            if across.nnz > 0:
                strongest = int(across.data.argmax())
                k, j = across.row[strongest], across.col[strongest]
            return self.explain(int(side[k]), int(rest[j]), side)
        row = frozen.scores[[a]].tocoo()
        if row.nnz > 0:
            return self.explain(a, int(row.col[row.data.argmax()]))
        item, none = int(frozen.items[a]), np.empty(0)
        pairs = Evidence(NO_PAIRS, none, none, none, 0, 0.0)
        return Explanation((item,), True, None, (np.array([item]),), (), pairs, (), None, "")

    def _weakest(self, items: Items) -> NDArray[np.bool_]:
        """Tell which items of a label are on one side of its weakest cut, the smaller one.

        What is judged to be the same is not cut, unless nothing else is there.
        """
        attraction, clump = self.frozen.attraction, self.frozen.clumps(items)
        if clump.max() == 0:
            clump = np.arange(len(items), dtype=np.int32)
        listed = contract_pairs(attraction.listed[items][:, items], clump)
        weight = np.bincount(clump, attraction.weight[items]).astype(float)
        side = weakest_cut(listed, attraction.absent, weight)[clump]
        return side if 2 * np.sum(side) <= len(side) else ~side

    def _cut(self, items: Items, known: Items | None) -> Cut:
        """Return the weakest cut of a label; the items of its smaller side may be known."""
        side = self._weakest(items) if known is None else np.isin(items, known)
        names = self.frozen.items[items]
        likely = None if self.same is None else float(self.same[side][:, ~side].mean())
        worth = self.frozen.attraction.between(items[side], items[~side])
        return Cut((names[side], names[~side]), worth, likely)

    def _probability(self, a: int, b: int, together: bool) -> float | None:
        """Return how likely two items are the same; None: unknown."""
        if not together:
            return float(self.right[a, b]) or None
        k, j = np.searchsorted(self.frozen.mates(a), [a, b])
        return None if self.same is None else float(self.same[k, j])

    def _evidence(self, one: Items, other: Items, *, is_inside: bool) -> Evidence:
        """Return the pairs between two labels, or inside one."""
        frozen, (listed, absent, weight) = self.frozen, self.frozen.attraction
        scores = frozen.scores[one][:, other].tocoo()
        rows, columns, score = one[scores.row], other[scores.col], scores.data
        n_pairs, total = len(one) * len(other), float(weight[one].sum() * weight[other].sum())
        if is_inside:
            kept = rows < columns
            rows, columns, score = rows[kept], columns[kept], score[kept]
            n_pairs, total = count_pairs(len(one)), 0.5 * (total - float(weight[one] @ weight[one]))
        expected = absent * weight[rows] * weight[columns]
        worth = np.asarray(listed[rows, columns]).ravel() - expected
        order = np.lexsort((columns, rows, -score, -worth))
        return Evidence(
            np.column_stack([frozen.items[rows], frozen.items[columns]])[order],
            (score * frozen.model.reading.unit)[order],
            np.asarray(self.right[rows, columns]).ravel()[order],
            worth[order],
            n_pairs - len(rows),
            min(float(expected.sum()) - absent * total, 0.0),
        )

    def _path(self, a: int, b: int, together: bool) -> tuple[int, ...]:
        """Return the strongest path between two items; inside their label, if they share it."""
        frozen = self.frozen
        if not together:
            return tuple(frozen.items[strongest_path(frozen.tree, a, b)].tolist())
        items = frozen.mates(a)
        k, j = np.searchsorted(items, [a, b]).tolist()
        tree = spanning_tree(frozen.attraction.listed[items][:, items])
        return tuple(frozen.items[items[strongest_path(tree, k, j)]].tolist())

    def _reasons(self, a: int, b: int, together: bool) -> Iterator[Reason]:
        """Yield why two items do not share a label, or that they are judged to."""
        frozen = self.frozen
        if self._are_judged(a, b, same=together):
            yield Reason("judged same" if together else "judged different")
            return
        if together:
            return
        foretold, one, other = frozen.model.reading.foretold, frozen.mates(a), frozen.mates(b)
        if frozen.groups[a] == frozen.groups[b]:
            yield Reason("group")
        elif foretold is not None and foretold.joins_nothing:
            yield Reason("untold")
        elif frozen.scores[one][:, other].nnz == 0:
            yield Reason("nothing")
        elif self.has_valleys:
            yield Reason("valley")
        else:
            yield from self._weigh(a, b, one, other)

    def _weigh(self, a: int, b: int, one: Items, other: Items) -> Iterator[Reason]:
        """Yield why two items do not share a label, by what their labels are worth to them."""
        groups, items, pull = self.frozen.groups, self.frozen.items, self.frozen.attraction.between
        is_told = False
        for x, y, own, its in ((a, b, one, other), (b, a, other, one)):
            item, rivals = np.array([x]), its[groups[its] == groups[x]]
            toward = pull(item, np.setdiff1d(its, rivals))
            who = tuple(items[[x, y, *rivals[:1]]].tolist())
            if toward > 0.0 and len(rivals) > 0:
                is_told = True
                yield Reason("taken", who, (pull(rivals[:1], its[its != rivals[0]]), toward))
            elif toward > 0.0 and (stay := pull(item, own[own != x])) > toward:
                is_told = True
                yield Reason("better", who, (stay, toward))
        shared, worth = np.intersect1d(groups[one], groups[other]), pull(one, other)
        if worth <= 0.0:
            yield Reason("weak", tuple(items[[a, b]].tolist()), (worth,))
        elif len(shared) > 0 and not is_told:
            both = [one[groups[one] == shared[0]][0], other[groups[other] == shared[0]][0]]
            yield Reason("blocked", tuple(items[[a, b, *both]].tolist()))
        elif not is_told:
            yield Reason("level")

    def _are_judged(self, a: int, b: int, *, same: bool) -> bool:
        """Tell whether judgements say that two items are the same, or different."""
        judged = self.frozen.judged
        if len(judged) == 0:
            return False
        clumps = judged.clumps(len(self.frozen.items))
        if same:
            return bool(clumps[a] == clumps[b])
        ends = np.sort(clumps[judged.pairs[~judged.same]], axis=1)
        return bool(np.any(np.all(ends == np.sort(clumps[[a, b]]), axis=1)))

    def _wall(self, a: int, b: int, together: bool) -> str | None:
        """Return why it is not looked for what would have to change; None: it is."""
        frozen = self.frozen
        if self._are_judged(a, b, same=together):
            return "judged"
        if frozen.groups[a] == frozen.groups[b]:
            return "group"
        if self.has_valleys:
            return "points"
        n_items = np.count_nonzero(np.isin(frozen.labels, frozen.labels[[a, b]]))
        return "size" if n_items > MOST_ITEMS else None
