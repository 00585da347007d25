"""The next question: the pairs whose answers would change labels most.

Labels that are drawn from the posterior are ways in which the answer may be wrong. A drawn labeling
cuts each label into *cells*, the items that share both the label and the drawn label. If it differs
from the labels about a pair, it differs about all pairs of the cells of both items, and that is
what the answer to the pair would change::

    change(i, j) = mean over draws of [draw and labels differ about i and j] |cell of i| |cell of j|

What is rare is in no draw. So the probability of each pair by itself counts as one draw more, in
which whole labels join, or one item leaves.

In a batch, what an earlier question would change in a draw is not counted again, so that the next
one is about something else: the greedy maximum of a submodular function. Two pairs share cells only
if they have the same two labels, so they are compared within these *blocks*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels
from spherelax.result.frames import make_frame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Why a question is asked.
TWO_LEVELS, IN_DOUBT = "two levels", "in doubt"
# Questions about levels in a batch, before any other. What is in doubt by itself is chosen because
# labels may be wrong about it, so that such answers alone would speak against any level.
ENOUGH = 10
# Pairs of the same two labels that are compared with each other, those that change most.
MOST_OF_BLOCK = 10_000
MOST_SHOWN = 20  # rows of the text
SEED = 0


class Drawn(NamedTuple):
    """Labels that are drawn from the posterior, and the pairs that are listed.

    Attributes
    ----------
    labelings : ndarray of shape (n_draws, n_items)
        Labels of each draw; their numbers have no meaning.
    pairs : ndarray of shape (n_pairs, 2)
        Pairs of items ``i < j`` that may be asked for.
    right : ndarray of shape (n_pairs,) or None
        How likely each of them is right by itself; None: unknown.
    levels : list of ndarray of shape (n_items,)
        Labels of each level that may be meant; at most one: no question is about levels.
    likely : ndarray of shape (n_levels,)
        How likely each of them is meant, by judgements.
    """

    labelings: NDArray[np.int32]
    pairs: NDArray[np.intp]
    right: Floats | None
    levels: Sequence[Labels] = ()
    likely: Floats = np.empty(0)


@dataclass(frozen=True, eq=False)
class Questions:
    """Pairs whose answers would change labels most, the most important first.

    Attributes
    ----------
    items : ndarray of shape (n_questions, 2)
        The two items of each pair.
    same : ndarray of shape (n_questions,)
        How likely they are the same thing: the share of the drawn labels in which they are.
    changes : ndarray of shape (n_questions,)
        How many pairs of items the answer is expected to change, beside what earlier questions do.
    why : list of str
        "two levels" if the pair tells two answers apart that are about as good, else "in doubt".

    Examples
    --------
    >>> import spherelax as sl
    >>> result = sl.solve([[0, 3, 0.5], [3, 0, 0], [0.5, 0, 0]], kind="odds")
    >>> result.questions(1).items.tolist()
    [[0, 2]]
    """

    items: NDArray[np.intp]
    same: Floats
    changes: Floats
    why: list[str]

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.why)

    def but(self, asked: set[tuple[int, int]], at_most: int | None = None) -> Questions:
        """Return the questions about other pairs than those that were asked before, or the first.

        Examples
        --------
        >>> some = Questions(np.array([[0, 2], [0, 3]]), np.ones(2), np.ones(2), ["in doubt"] * 2)
        >>> some.but({(0, 2)}).items.tolist()
        [[0, 3]]
        """
        left = [row for row, pair in enumerate(self.items.tolist()) if tuple(pair) not in asked][
            :at_most
        ]
        why = [self.why[row] for row in left]
        return Questions(self.items[left], self.same[left], self.changes[left], why)

    def columns(self) -> dict[str, list[Any]]:
        """Return the questions as columns: both items, probability, changes, why.

        Examples
        --------
        >>> asked = Questions(np.array([[0, 2]]), np.array([0.4]), np.array([1.5]), ["in doubt"])
        >>> asked.columns()
        {'item_a': [0], 'item_b': [2], 'probability': [0.4], 'changes': [1.5], 'why': ['in doubt']}
        """
        one, other = self.items.T.tolist()
        numbers = {"probability": self.same.tolist(), "changes": self.changes.tolist()}
        return {"item_a": one, "item_b": other, **numbers, "why": list(self.why)}

    def to_frame(self, *, like: str = "pandas") -> Any:
        """Return the columns as a data frame of pandas, polars or pyarrow.

        Examples
        --------
        >>> Questions(np.array([[0, 2]]), np.ones(1), np.ones(1), ["in doubt"]).to_frame().shape
        (1, 5)
        """
        return make_frame(self.columns(), like)

    def text(self, names: Sequence[str] | None = None) -> str:
        """Return a table as text, with the names of items; of many questions, the first.

        Examples
        --------
        >>> asked = Questions(np.array([[0, 2]]), np.array([0.4]), np.array([1.5]), ["in doubt"])
        >>> print(asked.text(["ann", "anna", "bob"]))
        item_a  item_b  same  changes       why
           ann     bob  0.40      1.5  in doubt
        """
        heads = ("item_a", "item_b", "same", "changes", "why")
        rows = [
            (
                *(str(item) if names is None else names[item] for item in pair),
                f"{same:.2f}",
                f"{changes:.1f}",
                why,
            )
            for pair, same, changes, why in islice(
                zip(self.items.tolist(), self.same, self.changes, self.why, strict=True), MOST_SHOWN
            )
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in (heads, *rows)
        ]
        more = len(self) - len(rows)
        return "\n".join(lines + ([f"... and {more} more"] if more else []))

    def __repr__(self) -> str:
        """Return a table."""
        return self.text()


def ask(labels: Labels, drawn: Drawn, n: int) -> Questions:
    """Return the n pairs whose answers would change labels most.

    The first questions tell which level is meant.

    Examples
    --------
    >>> draws, pairs = np.int32([[0, 0, 1], [0, 0, 1], [0, 1, 1]]), np.array([[0, 1], [1, 2]])
    >>> asked = ask(np.int32([0, 0, 1]), Drawn(draws, pairs, None), 9)
    >>> asked.items.tolist(), asked.same.round(2).tolist(), asked.changes.round(2).tolist()
    ([[0, 1], [1, 2]], [0.67, 0.33], [0.33, 0.33])
    """
    found: dict[int, tuple[float, str]] = {}
    for pair, change in _tell_apart(labels, drawn):
        found[pair] = change, TWO_LEVELS
    for pair, change in _choose(labels, drawn, n):
        found.setdefault(pair, (change, IN_DOUBT))
    rows = list(found)[:n]
    asked = drawn.pairs[rows]
    changes = np.array([found[row][0] for row in rows], dtype=float)
    same = np.mean([draw[asked[:, 0]] == draw[asked[:, 1]] for draw in drawn.labelings], axis=0)
    return Questions(asked, same, changes, [found[row][1] for row in rows])


def _tell_apart(labels: Labels, drawn: Drawn) -> Iterator[tuple[int, float]]:
    """Yield some of the pairs about which levels differ, those that tell most first.

    Of pairs that tell the same, any is drawn: those that change most are not typical of a level.
    """
    one, other = drawn.pairs.T
    together, n_same = np.zeros(len(drawn.pairs)), np.zeros(len(drawn.pairs), dtype=int)
    for level, likely in zip(drawn.levels, drawn.likely, strict=True):
        same = level[one] == level[other]
        together += likely * same
        n_same += same
    telling = np.flatnonzero((n_same > 0) & (n_same < len(drawn.levels)))
    left = np.random.default_rng(SEED).permutation(telling)
    chosen: list[int] = []
    for share in sorted((np.arange(ENOUGH) + 0.5) / ENOUGH, key=lambda share: abs(share - 0.5)):
        if len(left) > 0:
            at = int(np.abs(together[left] - share).argmin())
            chosen.append(int(left[at]))
            left = np.delete(left, at)
    changes = np.zeros(len(chosen))
    for level, likely in zip(drawn.levels, drawn.likely, strict=True) if chosen else ():
        changes += likely * _weigh_draw(labels, level, drawn.pairs[chosen])[0]
    yield from zip(chosen, changes.tolist(), strict=True)


def _choose(labels: Labels, drawn: Drawn, n: int) -> Iterator[tuple[int, float]]:
    """Yield n pairs at most, with what each would change beside the earlier ones."""
    change = _weigh_alone(labels, drawn)
    alone = change.copy()
    for draw in drawn.labelings:
        change += _weigh_draw(labels, draw, drawn.pairs)[0]
    near = np.flatnonzero(change > 0.0)
    ends = np.sort(labels[drawn.pairs[near]], axis=1).astype(np.int64)
    order = np.lexsort((near, -change[near], ends[:, 1], ends[:, 0]))
    near, block = near[order], (ends @ [len(labels), 1])[order]
    first = np.flatnonzero(np.diff(block, prepend=-1))
    last = np.r_[first[1:], len(near)]
    # A block whose best pair is not among the n best ones is never asked about.
    top = np.argsort(-change[near[first]], kind="stable")[:n]
    blocks = [near[first[at] : min(last[at], first[at] + MOST_OF_BLOCK)] for at in top]
    each = (_choose_in_block(labels, drawn, block, alone[block]) for block in blocks)
    yield from ((pair, -negative) for negative, pair in islice(merge(*each), n))


def _choose_in_block(
    labels: Labels, drawn: Drawn, block: NDArray[np.intp], alone: Floats
) -> Iterator[tuple[float, int]]:
    """Yield pairs of the same two labels, with minus what each would change beside earlier ones."""
    both = [_weigh_draw(labels, draw, drawn.pairs[block]) for draw in drawn.labelings]
    gain = np.array([*(one for one, _ in both), alone])
    cells = np.array([*(other for _, other in both), np.zeros(len(block), np.int64)])
    n_draws = len(both) + (drawn.right is not None)
    while (change := gain.sum(axis=0) / n_draws).max() > 0.0:
        best = int(change.argmax())
        yield -float(change[best]), int(block[best])
        gain[cells == cells[:, [best]]] = 0.0


def _weigh_alone(labels: Labels, drawn: Drawn) -> Floats:
    """Return how many pairs each pair is expected to change by its own probability; 0: unknown."""
    if drawn.right is None:
        return np.zeros(len(drawn.pairs))
    size, (one, other) = np.bincount(labels)[labels], drawn.pairs.T
    leaves, join = (1.0 - drawn.right) * (size[one] - 1), drawn.right * size[one] * size[other]
    return np.asarray(np.where(labels[one] == labels[other], leaves, join))


def _weigh_draw(
    labels: Labels, draw: NDArray[np.int32], pairs: NDArray[np.intp]
) -> tuple[Floats, Ints]:
    """Return how many pairs a draw changes together with each pair, and a key of both cells."""
    m, (one, other) = len(labels), pairs.T
    code, size = np.unique(labels * np.int64(m) + draw, return_inverse=True, return_counts=True)[1:]
    low, high = np.sort(code[pairs], axis=1).T
    differ = (draw[one] == draw[other]) != (labels[one] == labels[other])
    return np.where(differ, size[low] * size[high], 0.0), low * m + high
